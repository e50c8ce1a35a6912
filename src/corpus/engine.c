/* engine.c: finding the settings of an engine in a text.
 *
 *     --max-model-len auto      "--max-model-len auto", which was added in a
 *     --max-model-len=auto      later release than "--max-model-len"
 *     --max-model-len-x         none: another word
 *
 * Flags and options are both tried, by all of their spellings, and the longest
 * match wins. A blank of a spelling matches a blank or an equals sign.
 *
 * Spellings are found by their third and fourth byte: the first two of most are
 * dashes. Shorter ones have a chain of their own.
 */
#include "corpus/engine.h"

#define CHAINS 64
#define HASHED_BYTES 4

struct spelling {
    struct spelling *next;
    struct str text;
    const struct version_range *exists;
};

struct spellings {
    struct spelling *shorter; /* than HASHED_BYTES */
    struct spelling *longer[CHAINS];
};

static bool is_of_word(char c) {
    return is_word(c) || c == '-';
}

struct str context_engine(const struct context_pattern *row) {
    for (size_t i = 0; row != NULL && i < row->set_count; i++)
        if (row->set[i].name == FACT_engine)
            return row->set[i].value;
    return (struct str){NULL, 0};
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

static size_t chain_of(const char *p) {
    unsigned third = (unsigned char)(p[2] == '=' ? ' ' : p[2]);
    unsigned fourth = (unsigned char)(p[3] == '=' ? ' ' : p[3]);
    return (third * 7 + fourth) % CHAINS;
}

/* Adds the aliases from the last to the first, then the setting itself: of
 * equal ones the first is found. Returns the room that is left. */
static struct spelling *add_all(struct spellings *s, struct spelling *room,
                                struct str setting,
                                const struct str_list *aliases,
                                const struct version_range *exists) {
    for (size_t i = aliases->count + 1; i > 0; i--, room++) {
        struct str text = i == 1 ? setting : aliases->at[i - 2];
        struct spelling **chain = text.n < HASHED_BYTES
                                      ? &s->shorter
                                      : &s->longer[chain_of(text.p)];
        *room = (struct spelling){*chain, text, exists};
        *chain = room;
    }
    return room;
}

void engine_index(struct arena *a, struct engine *e) {
    struct spellings *s = arena_alloc(a, sizeof *s);
    size_t count = e->flag_count + e->option_count;
    for (size_t i = 0; i < e->flag_count; i++)
        count += e->flags[i].aliases.count;
    for (size_t i = 0; i < e->option_count; i++)
        count += e->options[i].aliases.count;
    struct spelling *room = arena_room(a, count * sizeof *room);
    for (size_t i = e->option_count; i > 0; i--) {
        const struct option *o = &e->options[i - 1];
        room = add_all(s, room, o->flag, &o->aliases, &o->exists);
    }
    for (size_t i = e->flag_count; i > 0; i--) {
        const struct flag *f = &e->flags[i - 1];
        room = add_all(s, room, f->flag, &f->aliases, &f->exists);
    }
    e->spellings = s;
}

static void take_longest(const struct spelling *chain, struct str text,
                         size_t at, struct setting_match *best) {
    for (; chain != NULL; chain = chain->next)
        if (chain->text.n > best->spelling.n &&
            stands_at(text, at, chain->text))
            *best = (struct setting_match){chain->text, chain->exists};
}

bool engine_setting_at(const struct engine *e, struct str text, size_t at,
                       struct setting_match *out) {
    struct setting_match best = {{NULL, 0}, NULL};
    take_longest(e->spellings->shorter, text, at, &best);
    if (text.n - at >= HASHED_BYTES)
        take_longest(e->spellings->longer[chain_of(text.p + at)], text, at,
                     &best);
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
