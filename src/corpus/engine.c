/* engine.c: which setting of an engine stands in a text.
 *
 *     --max-model-len auto      "--max-model-len auto", which came later than
 *     --max-model-len=auto      "--max-model-len"
 *     --max-model-len-x         none: another word
 *
 * Flags and options are asked alike, by all of their spellings, and the
 * longest wins. A blank of a spelling stands for a blank or an equals sign.
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

/* The spelling, whole, at this byte. */
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

static void offer(struct str text, size_t at, struct str spelling,
                  const struct version_range *exists,
                  struct setting_said *best) {
    if (spelling.n > best->spelling.n && stands_at(text, at, spelling))
        *best = (struct setting_said){spelling, exists};
}

bool engine_setting_at(const struct engine *e, struct str text, size_t at,
                       struct setting_said *out) {
    struct setting_said best = {{NULL, 0}, NULL};
    for (size_t i = 0; i < e->flag_count; i++) {
        const struct flag *f = &e->flags[i];
        offer(text, at, f->flag, &f->exists, &best);
        for (size_t k = 0; k < f->aliases.count; k++)
            offer(text, at, f->aliases.at[k], &f->exists, &best);
    }
    for (size_t i = 0; i < e->option_count; i++) {
        const struct option *o = &e->options[i];
        offer(text, at, o->flag, &o->exists, &best);
        for (size_t k = 0; k < o->aliases.count; k++)
            offer(text, at, o->aliases.at[k], &o->exists, &best);
    }
    *out = best;
    return best.spelling.n > 0;
}

/* What a setting begins with where prose stands round it. */
static bool begins_setting(struct str text, size_t at) {
    bool is_first = at == 0 || !is_of_word(text.p[at - 1]);
    char c = text.p[at];
    return is_first && (c == '-' || (c >= 'A' && c <= 'Z'));
}

bool engine_setting_next(const struct engine *e, struct str text, size_t *at,
                         struct setting_said *out) {
    for (size_t i = *at; i < text.n; i++) {
        if (begins_setting(text, i) && engine_setting_at(e, text, i, out)) {
            *at = i + out->spelling.n;
            return true;
        }
    }
    *at = text.n;
    return false;
}
