/* repeat.c: does a sentence of steps say more than the name of its fix?
 *
 *     Reduce the batch size or the length of a sample
 *         Halve the batch or the length.                says it again
 *         Halve `batch_size` where the program sets it.    says where
 *
 * What has code or a number says more. Else its words are looked for in the
 * name; "reduce" and "halve" are one, and small words count for nothing. English
 * decides for both languages, since both say the same. */
#include "render/parts.h"

#define STEM 4 /* letters: "sample" and "samples", "lengths" and "length" */

static const char *const small[] = {
    "a",   "an",  "and", "at",    "by",   "each", "for",    "half", "halve",
    "in",  "it",  "its", "less",  "lower", "of",  "on",     "one",  "or",
    "reduce", "size", "smaller", "that", "the", "them", "then", "this", "to",
    "use", "with", "fewer", "shorten", "again", "set", "number"};
/* Until when: it says nothing where a value or a sum says how far. */
static const char *const until[] = {"until", "fits",  "fit",   "step",
                                    "steps", "loads", "model", "starts",
                                    "start", "succeeds"};

static struct str word_next(struct str *text) {
    size_t from = 0, to;
    while (from < text->n && !is_letter(text->p[from])) {
        from++;
    }
    to = from;
    while (to < text->n && is_letter(text->p[to])) {
        to++;
    }
    struct str word = str_slice(*text, from, to - from);
    *text = str_slice(*text, to, text->n);
    return word;
}

static bool is_listed(struct str word, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (str_eq_nocase(word, str_of(list[i]))) {
            return true;
        }
    }
    return false;
}

static bool stands_in(struct str word, struct str text) {
    struct str stem = str_slice(word, 0, STEM), other;
    while ((other = word_next(&text)).n > 0) {
        if (str_eq_nocase(str_slice(other, 0, STEM), stem)) {
            return true;
        }
    }
    return false;
}

static bool has_code(struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '`' || (text.p[i] >= '0' && text.p[i] <= '9')) {
            return true;
        }
    }
    return false;
}

bool says_more(struct str steps, struct str action, bool is_measured) {
    struct str word;
    if (has_code(steps)) {
        return true;
    }
    while ((word = word_next(&steps)).n > 0) {
        bool is_small =
            is_listed(word, small, sizeof small / sizeof *small) ||
            (is_measured &&
             is_listed(word, until, sizeof until / sizeof *until));
        if (!is_small && !stands_in(word, action)) {
            return true;
        }
    }
    return false;
}
