/* check_takes.c: the settings that a fix names must exist.
 *
 *     --long-flags              in the steps, the command, and `instead` of a
 *                               dead end
 *     VARIABLE=                 a variable that is set there
 *     acts_on: {flag: ...}      a flag or a variable
 *
 * Each must be a setting of some engine (flags and options of its file) or of a
 * program in kb/programs.yaml or kb/programs/; those files have its source. If
 * the newest release of the entry's own engine has removed the setting, the fix
 * must name that release in its steps or in a condition, unless the failure
 * ended before: a log without a version counts as one of a new release.
 * Releases before a setting was added are handled by diagnose/release.c.
 *
 * Short flags and prose are ambiguous and not checked.
 */
#include "author/build.h"

#include <stdlib.h>

#include "author/files.h"

struct fix_check { /* the check of one fix */
    struct build *d;
    const struct made *m;
    const struct workaround *w; /* NULL: `instead` of a dead end */
    const struct engine *own; /* of the entry's component; NULL: none */
    const struct node *node;  /* of the text being checked */
    bool is_reported;         /* a removed setting was reported */
};

static bool is_of_word(char c) {
    return is_word(c) || c == '-';
}

/* True for the name of a variable: OMP_NUM_THREADS. */
static bool is_variable(struct str word) {
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] == '-' || (word.p[i] >= 'a' && word.p[i] <= 'z'))
            return false;
    return word.n > 2 && is_upper(word.p[0]);
}

/* The setting at a byte: "--max-model-len", or "OMP_NUM_THREADS" before an
 * equals sign; empty: none. */
static struct str token_at(struct str text, size_t at) {
    size_t end = at;
    bool begins = at == 0 || !is_of_word(text.p[at - 1]);
    while (begins && end < text.n && is_of_word(text.p[end]))
        end++;
    struct str word = str_slice(text, at, end - at);
    bool is_set = is_variable(word) && end < text.n && text.p[end] == '=';
    bool is_flag = word.n > 2 && str_starts(word, STR("--")) &&
                   word.p[2] != '-';
    return is_flag || is_set ? word : (struct str){NULL, 0};
}

/* ---- known settings ---- */

struct settings {
    struct str_list list;
    size_t cap;
};

static void add_setting(struct build *d, struct settings *s, struct str one) {
    if (one.n > 0)
        *ARENA_ADD(d->a, s->list.at, s->list.count, s->cap) = one;
}

void find_settings(struct build *d) {
    struct settings s = {.cap = 0};
    for (size_t i = 0; i < d->corpus.program_count; i++) {
        const struct program *p = &d->corpus.programs[i];
        for (size_t k = 0; k < p->takes.count; k++)
            add_setting(d, &s, p->takes.at[k]);
        for (size_t k = 0; k < p->lever_count; k++) {
            const struct workaround *w = &p->levers[k];
            add_setting(d, &s, w->acts_on.flag);
            for (size_t j = 0; j < w->keys.count; j++)
                add_setting(d, &s, w->keys.at[j]);
        }
    }
    str_sort(s.list.at, s.list.count);
    d->settings = s.list;
}

static bool is_known_setting(const struct build *d, struct str text, size_t at,
                             struct str word) {
    const struct str_list *of_programs = &d->settings;
    struct setting_match found;
    bool is_known = of_programs->count > 0 &&
                    bsearch(&word, of_programs->at, of_programs->count,
                            sizeof word, str_order) != NULL;
    for (size_t i = 0; !is_known && i < d->corpus.engine_count; i++)
        is_known = engine_setting_at(&d->corpus.engines[i], text, at, &found);
    return is_known;
}

/* ---- removed settings ---- */

/* The release that removed it; NULL: the newest release takes it. */
static const struct version_event *end_of(const struct version_range *range) {
    if (range->event_count == 0)
        return NULL;
    const struct version_event *last = &range->events[range->event_count - 1];
    return last->is_fixed ? last : NULL;
}

static bool contains(struct str text, struct str version) {
    return str_find(text, version) < text.n;
}

/* True if a range of that product ends at the version or before it. */
static bool ends_by(const struct version_range *range, struct str product,
                    struct str version) {
    int order = 1;
    const struct version_event *end = end_of(range);
    return str_eq(range->product, product) && end != NULL
           && version_compare(end->version, version, &order) && order <= 0;
}

static bool entry_ends_by(const struct fix_check *q, struct str version) {
    const struct entry *e = made_entry(q->m);
    size_t forms = 0;
    for (size_t i = 0; i < e->version_count; i++)
        if (ends_by(&e->versions[i].range, q->own->id, version))
            return true;
    for (size_t i = 0; i < e->signature_count; i++)
        for (size_t k = 0; k < e->signatures[i].version_count; k++, forms++)
            if (!ends_by(&e->signatures[i].versions[k], q->own->id, version))
                return false;
    return forms > 0;
}

static bool names_release(const struct fix_check *q, struct str version) {
    if (q->w == NULL)
        return true;
    bool found = contains(q->w->how.in[LANG_EN], version);
    for (size_t i = 0; i < q->w->when.count; i++)
        found = found || contains(q->w->when.at[i], version);
    return found;
}

static void check_end(struct fix_check *q, const struct setting_match *found) {
    const struct version_event *end = end_of(found->exists);
    if (end == NULL || q->is_reported || names_release(q, end->version)
        || entry_ends_by(q, end->version))
        return;
    q->is_reported = true;
    complain(&q->d->c, q->m->src, q->node->place, CODE_gone_setting,
             "%.*s takes `%.*s` no more since %.*s, and the steps do not "
             "say so", STR_ARG(q->own->name), STR_ARG(found->spelling),
             STR_ARG(end->version));
}

/* ---- texts ---- */

static void check_word(struct fix_check *q, struct str text, size_t at,
                       struct str word) {
    struct setting_match found;
    if (q->own != NULL && engine_setting_at(q->own, text, at, &found)) {
        check_end(q, &found);
        return;
    }
    if (!is_known_setting(q->d, text, at, word))
        complain(&q->d->c, q->m->src, node_place_at(q->node, at),
                 CODE_unknown_setting,
                 "nobody is known to take `%.*s`: look it up, and add it to "
                 "the engine's file or to kb/programs.yaml",
                 STR_ARG(word));
}

static void check_text(struct fix_check *q, const struct node *n,
                       struct str text) {
    q->node = n;
    for (size_t i = 0; n != NULL && i < text.n; i++) {
        struct str word = token_at(text, i);
        if (word.n > 0)
            check_word(q, text, i, word);
    }
}

static void check_flag_setting(struct fix_check *q, const struct node *n,
                               struct str flag) {
    q->node = n;
    bool is_setting = str_starts(flag, STR("--"))
                      || (flag.n > 2 && is_upper(flag.p[0]));
    if (n != NULL && is_setting)
        check_word(q, flag, 0, flag);
}

static const struct engine *engine_of(const struct build *d,
                                      const struct entry *e) {
    const struct made *m = build_find(d, MADE_ENGINE, e->component);
    return m == NULL ? NULL : m->what;
}

static void check_settings(struct fix_check *q, const struct node *n) {
    const struct workaround *w = q->w;
    check_text(q, node_get(node_get(n, "how"), "en"), w->how.in[LANG_EN]);
    check_text(q, node_get(n, "command"), w->command);
    check_flag_setting(q, node_get(node_get(n, "acts_on"), "flag"),
                       w->acts_on.flag);
}

/* A fix without an engine of its own: any engine or program may take its
 * settings, and removed ones are not reported. */
void check_fix_takes(struct build *d, const struct made *m,
                     const struct node *n, const struct workaround *w) {
    struct fix_check q = {d, m, w, NULL, NULL, false};
    check_settings(&q, n);
}

void check_takes(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    const struct node *list = node_get(m->node, "workarounds");
    for (size_t i = 0; i < e->workaround_count; i++) {
        struct fix_check q = {d, m, &e->workarounds[i], engine_of(d, e), NULL,
                           false};
        check_settings(&q, node_item(list, i));
    }
    list = node_get(m->node, "dead_ends");
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct node *instead = node_get(node_item(list, i), "instead");
        struct fix_check q = {d, m, NULL, engine_of(d, e), NULL, false};
        check_text(&q, node_get(instead, "en"),
                   e->dead_ends[i].instead.in[LANG_EN]);
    }
}
