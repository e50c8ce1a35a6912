/* formula_words.c: a formula in the language of this call. Formulas are
 * written once, in English, where the numbers are (memory/); names of facts,
 * numbers and operators are the same in every language, and what is left is a
 * small set of words. Each stands in i18n under formula.*: the English text is
 * what is looked for, the other language's what is put there. Only whole words
 * count: the "free" of gpu_free stays. */
#include "render/parts.h"

/* The longer come first. */
static const char *const words[] = {
    "formula.all_state",    "formula.then",
    "formula.state_all",    "formula.state_adapters", "formula.state_of",
    "formula.for_rest",     "formula.narrow_up_to",      "formula.lies_between",
    "formula.nothing_fixed", "formula.room_wanted",   "formula.still_to_come",
    "formula.short_by",
    "formula.that_failed",  "formula.when_narrow",       "formula.one_request",
    "formula.one_block",    "formula.compute_buffer", "formula.saved",
    "formula.log_line",     "formula.context_ranks",  "formula.layer_tuples",
    "formula.state",        "formula.non_torch",      "formula.at_least",
    "formula.at_most",      "formula.or_more",        "formula.kv_heads",
    "formula.of_others",    "formula.activations",    "formula.activation",
    "formula.gradients",    "formula.weights",        "formula.params",
    "formula.layers",       "formula.latent",         "formula.heads",
    "formula.cells",        "formula.tokens",         "formula.blocks",
    "formula.bytes",        "formula.bits",           "formula.about",
    "formula.fixed",        "formula.beside",         "formula.held",
    "formula.spare",        "formula.share",          "formula.free",
    "formula.graphs",       "formula.catalogue",      "formula.default",
    "formula.derived",      "formula.given",          "formula.log",
    "formula.unallocated",  "formula.ranks",          "formula.to"};

#define WORDS (sizeof words / sizeof words[0])

static bool is_of_word(char c) {
    return is_letter(c) || c == '_' || c == '-';
}

/* text[i..] begins with the whole word. */
static bool stands_at(struct str text, size_t i, struct str word) {
    bool begins = i == 0 || !is_of_word(text.p[i - 1]);
    size_t end = i + word.n;
    return word.n > 0 && begins && end <= text.n &&
           str_eq(str_slice(text, i, word.n), word) &&
           (end == text.n || !is_of_word(text.p[end]));
}

struct str said_formula(const struct teller *t, struct str formula) {
    struct teller english = *t;
    struct str from[WORDS], to[WORDS];
    struct buf out;
    english.lang = LANG_EN;
    formula = amounts_said(t, formula);
    if (t->lang == LANG_EN || formula.n == 0) {
        return formula;
    }
    for (size_t w = 0; w < WORDS; w++) {
        from[w] = said(&english, words[w]);
        to[w] = said(t, words[w]);
    }
    buf_init_in(&out, t->a, 64 * 1024);
    for (size_t i = 0; i < formula.n;) {
        size_t w = 0;
        while (w < WORDS && !stands_at(formula, i, from[w])) {
            w++;
        }
        if (w < WORDS) {
            buf_add(&out, to[w]);
            i += from[w].n;
        } else {
            buf_add_char(&out, formula.p[i++]);
        }
    }
    return settled(t->a, &out);
}
