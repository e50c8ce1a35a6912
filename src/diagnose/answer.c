/* answer.c: reads "max_model_len=32k" as a fact of source user. A value that
 * cannot be meant is refused with a line that says what is accepted. */
#include "base/near.h"
#include "diagnose/diagnose.h"

#define LEAST_SIZE (INT64_C(1) << 20) /* bytes; a smaller number lacks its
                                         unit */

struct str no_such_fact(struct arena *a, struct str name) {
    struct near near = {.count = 0};
    for (int i = 0; i < FACT_COUNT_OF; i++)
        near_weigh(&near, name, str_of(fact_spelling((enum fact_name)i)));
    return near.count > 0
               ? arena_printf(a, "there is no fact '%.*s': the nearest is %.*s",
                              STR_ARG(name), STR_ARG(near.names[0]))
               : arena_printf(a, "there is no fact '%.*s': they are named "
                              "like gpu_total", STR_ARG(name));
}

static bool is_bare(struct str number) {
    for (size_t i = 0; i < number.n; i++) {
        char c = number.p[i];
        if (!is_digit(c) && c != '.')
            return false;
    }
    return true;
}

/* True for "24" as the memory of a card. Byte counts of programs are far
 * larger. */
static bool lacks_unit(const struct fact *f, struct str given) {
    static const enum fact_name small[] = {
        FACT_tried_alloc, FACT_requested_bytes, FACT_smem_required,
        FACT_smem_limit, FACT_shm_requested, FACT_shm_limit, FACT_file_rss,
        FACT_shmem_rss, FACT_COUNT_OF};
    return !fact_is_one(f->name, small) &&
           fact_unit(f->name) == UNIT_BYTES && f->number > 0 &&
           f->number < LEAST_SIZE && is_bare(given);
}

bool answer_read(struct arena *a, struct str text, struct fact *out,
                 struct str *why) {
    struct str value, name = str_trim(str_cut(text, '=', &value));
    enum fact_name fact;
    if (str_find_char(text, '=') == text.n) {
        *why = arena_printf(a, "'%.*s' is not fact=value", STR_ARG(text));
        return false;
    }
    if (!fact_named(name, &fact)) {
        *why = no_such_fact(a, name);
        return false;
    }
    struct fact f = {.name = fact, .gpu = FACT_NONE, .rank = FACT_NONE,
                     .pid = FACT_NONE};
    struct str kept = arena_str(a, str_trim(value));
    if (kept.n == 0) {
        *why = arena_printf(a, "%s= is without a value", fact_spelling(fact));
        return false;
    }
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
    if (lacks_unit(&f, kept)) {
        *why = arena_printf(a, "%s takes a size with its unit: %.*sGiB or "
                            "%.*sMiB, not '%.*s'", fact_spelling(fact),
                            STR_ARG(kept), STR_ARG(kept), STR_ARG(kept));
        return false;
    }
    f.source = SOURCE_USER;
    f.text = (struct str){NULL, 0};
    if (fact_unit(fact) == UNIT_TEXT || fact_unit(fact) == UNIT_VERSION)
        f.text = kept; /* kept as given: the catalogue may change the names of
                          model and card */
    *out = f;
    return true;
}

bool answer_is_below_zero(const struct fact *f) {
    bool may_be = f->name == FACT_kv_available || f->name == FACT_gpu_layers;
    return f->number < 0 && !may_be;
}
