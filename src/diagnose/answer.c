/* answer.c: "max_model_len=32k" as a fact that the user vouches for. */
#include "diagnose/diagnose.h"

bool answer_read(struct arena *a, struct str text, struct fact *out,
                 struct str *why) {
    struct str value, name = str_trim(str_cut(text, '=', &value));
    enum fact_name fact;
    if (str_find_char(text, '=') == text.n) {
        *why = arena_printf(a, "'%.*s' is not fact=value", STR_ARG(text));
        return false;
    }
    if (!fact_named(name, &fact)) {
        *why = arena_printf(a, "there is no fact '%.*s': they are named "
                            "like gpu_total", STR_ARG(name));
        return false;
    }
    struct fact f = {.name = fact, .gpu = FACT_NONE, .rank = FACT_NONE,
                     .pid = FACT_NONE};
    struct str kept = arena_str(a, str_trim(value));
    fact_read(fact, kept, 1, &f);
    if (!f.known) {
        *why = arena_printf(a, "'%.*s' does not read as %s in %s: %.*s",
                            STR_ARG(kept), fact_spelling(fact),
                            unit_spelling(fact_unit(fact)), STR_ARG(f.why));
        return false;
    }
    int stage;
    if (fact == FACT_stage && !word_named(WORDS_STAGE, kept, &stage)) {
        *why = arena_printf(a, "there is no stage '%.*s': load, kv_alloc, "
                            "serve, forward ...", STR_ARG(kept));
        return false;
    }
    if (fact_is_share(fact) && (f.number <= 0 || f.number > UNITS_MICRO)) {
        *why = arena_printf(a, "%s takes a share of the card, above 0 and up "
                            "to 1 (0.9), not '%.*s'", fact_spelling(fact),
                            STR_ARG(kept));
        return false;
    }
    f.source = SOURCE_USER;
    f.text = (struct str){NULL, 0};
    if (fact_unit(fact) == UNIT_TEXT || fact_unit(fact) == UNIT_VERSION) {
        f.text = kept; /* model and card: what the catalogue may rename */
    }
    *out = f;
    return true;
}

bool answer_is_below_zero(const struct fact *f) {
    bool may_be = f->name == FACT_kv_available || f->name == FACT_gpu_layers;
    return f->number < 0 && !may_be;
}
