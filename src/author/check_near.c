/* check_near.c: is a near miss near?
 *
 * A log that has nothing in common with the failure shows nothing: that the
 * entry keeps silent on it, every log of anything would show. So one word, a
 * run of four letters or more, has to stand in the miss and in a sample of the
 * failure.
 */
#include "author/build.h"

enum { WORD_LETTERS = 4 };

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Empty: there is none further on. */
static struct str next_word(struct str text, size_t *at) {
    while (*at < text.n) {
        size_t from = *at;
        while (*at < text.n && is_letter(text.p[*at]))
            ++*at;
        if (*at - from >= WORD_LETTERS)
            return str_slice(text, from, *at - from);
        ++*at;
    }
    return (struct str){0};
}

static bool has_word(struct str text, struct str word) {
    size_t at = 0;
    for (struct str other = next_word(text, &at); other.n > 0;
         other = next_word(text, &at))
        if (str_eq_nocase(other, word))
            return true;
    return false;
}

static bool share_a_word(struct str failure, struct str miss) {
    size_t at = 0;
    for (struct str word = next_word(failure, &at); word.n > 0;
         word = next_word(failure, &at))
        if (has_word(miss, word))
            return true;
    return false;
}

void check_near(struct build *d, const struct made *m, struct str log,
                struct str miss) {
    const struct entry *e = made_entry(m);
    bool is_near = share_a_word(log, miss);
    for (size_t i = 0; i < e->signature_count && !is_near; i++)
        is_near = share_a_word(e->signatures[i].sample, miss);
    if (!is_near)
        complain(&d->c, source_new(d->a, m->ok_log_path, (struct str){0}),
                 (struct place){0}, CODE_far_miss,
                 "has no word in common with the failure of `%.*s`",
                 STR_ARG(e->id));
}
