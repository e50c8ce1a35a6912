/* engine.c: finding the settings of an engine in a text.
 *
 *     --max-model-len auto      "--max-model-len auto", which was added in a
 *     --max-model-len=auto      later release than "--max-model-len"
 *     --max-model-len-x         none: another word
 *
 * Flags and options are both tried, by all of their spellings, and the longest
 * match wins. A blank of a spelling matches a blank or an equals sign.
 */
#include "corpus/engine.h"

static bool is_of_word(char c) {
    return is_word(c) || c == '-';
}

const struct flag *engine_flag_of(const struct engine *e,
                                  enum fact_name fact) {
    for (size_t i = 0; e != NULL && i < e->flag_count; i++)
        if (e->flags[i].fact == fact)
            return &e->flags[i];
    return NULL;
}

/* True if the whole spelling is at this byte. */
static bool stands_at(struct str text, size_t at, struct str spelling) {
    if (spelling.n == 0 || spelling.n > text.n - at)
        return false;
    for (size_t i = 0; i < spelling.n; i++) {
        char c = text.p[at + i];
        bool is_same = c == spelling.p[i] ||
                       (spelling.p[i] == ' ' && c == '=');
        if (!is_same)
            return false;
    }
    return at + spelling.n == text.n ||
           !is_of_word(text.p[at + spelling.n]);
}

/* Take the flag or an alias if it is at this byte and longer than the best
 * one. */
static void consider(struct str text, size_t at, struct str flag,
                     const struct str_list *aliases,
                     const struct version_range *exists,
                     struct setting_match *best) {
    for (size_t i = 0; i <= aliases->count; i++) {
        struct str spelling = i == 0 ? flag : aliases->at[i - 1];
        if (spelling.n > best->spelling.n && stands_at(text, at, spelling))
            *best = (struct setting_match){spelling, exists};
    }
}

bool engine_setting_at(const struct engine *e, struct str text, size_t at,
                       struct setting_match *out) {
    struct setting_match best = {{NULL, 0}, NULL};
    for (size_t i = 0; i < e->flag_count; i++) {
        const struct flag *f = &e->flags[i];
        consider(text, at, f->flag, &f->aliases, &f->exists, &best);
    }
    for (size_t i = 0; i < e->option_count; i++) {
        const struct option *o = &e->options[i];
        consider(text, at, o->flag, &o->aliases, &o->exists, &best);
    }
    *out = best;
    return best.spelling.n > 0;
}

/* True if a flag or a VARIABLE may begin at this byte of prose. */
static bool begins_setting(struct str text, size_t at) {
    bool is_first = at == 0 || !is_of_word(text.p[at - 1]);
    char c = text.p[at];
    return is_first && (c == '-' || (c >= 'A' && c <= 'Z'));
}

bool engine_setting_next(const struct engine *e, struct str text, size_t *at,
                         struct setting_match *out) {
    for (size_t i = *at; i < text.n; i++) {
        if (begins_setting(text, i) && engine_setting_at(e, text, i, out)) {
            *at = i + out->spelling.n;
            return true;
        }
    }
    *at = text.n;
    return false;
}
