/* program_patterns.c: from the rows of kb/programs/ to patterns, which are
 * added to the contexts of the engine with `programs: true`.
 *
 *     nnunetv2/                 `paths`, in frames and commands, with / or \.
 *                               In its folder models/ only code counts: other
 *                               programs may run the models
 *     nnUNetv2_train            `commands`
 *     a pattern                 `lines`
 *     --tile 256, tile=256      a lever in force, by its flag and its keys
 *     export X=1                a setting of an entry's fix that no fact reads
 *
 * The first three set the facts `program` and, if the program has one task
 * only, `task`. A lever sets the fact `program_option` to the text in the log,
 * which diagnose/lever.c compares with the lever. */
#include "author/build.h"
#include "base/limits.h"

#define VALUE "[\\w.:/+-]{1,40}"

struct adding {
    struct build *d;
    struct engine *engine;
    size_t cap, first; /* of the contexts: capacity, and the first one added */
    struct buf out;
};

static struct context_pattern *add(struct adding *to) {
    struct engine *e = to->engine;
    struct str pattern = buf_str(&to->out);
    for (size_t i = to->first; i < e->context_count; i++)
        if (str_eq(e->contexts[i].pattern, pattern))
            return NULL;
    struct context_pattern *c =
        ARENA_ADD(to->d->a, e->contexts, e->context_count, to->cap);
    *c = (struct context_pattern){.pattern = arena_str(to->d->a, pattern)};
    return c;
}

/* ---- the program ---- */

static void add_shown(struct adding *to, const struct program *p) {
    struct context_pattern *c = add(to);
    if (c == NULL)
        return;
    c->layer = p->layer;
    c->set = arena_array(to->d->a, 2, sizeof *c->set);
    c->set[c->set_count++] = (struct setting){FACT_program, p->id};
    if (p->task.n > 0)
        c->set[c->set_count++] = (struct setting){FACT_task, p->task};
}

static void put_path(struct buf *out, struct str path) {
    while (path.n > 0) {
        bool has_slash = str_find_char(path, '/') < path.n;
        put_quoted(out, str_cut(path, '/', &path));
        buf_add(out, has_slash ? STR("[\\\\/]{1,2}+") : STR(""));
    }
}

/* Excludes folders of models (~/.lmstudio/models/org/name), but not code
 * (exllamav2/models/x.py). */
#define NO_MODEL                                                               \
    "(?!models?[\\\\/](?![^\\s\"'`,]{0,200}\\.(?:py|so|js|rs|cpp|cu|dll)\\b))"

static void add_program(struct adding *to, const struct program *p) {
    for (size_t i = 0; i < p->paths.count; i++) {
        buf_clear(&to->out);
        /* not an environment with this name: envs/whisperx/lib/ */
        buf_add(&to->out, STR("(?<![\\w.-])(?<!envs[\\\\/])"));
        put_path(&to->out, p->paths.at[i]);
        if (str_ends(p->paths.at[i], STR("/")))
            buf_add(&to->out, STR(NO_MODEL));
        add_shown(to, p);
    }
    for (size_t i = 0; i < p->commands.count; i++) {
        buf_clear(&to->out);
        buf_add(&to->out, STR("(?<![\\w.-])"));
        put_path(&to->out, p->commands.at[i]);
        buf_add(&to->out, STR("(?![\\w.-])"));
        add_shown(to, p);
    }
    for (size_t i = 0; i < p->lines.count; i++) {
        buf_clear(&to->out);
        buf_add(&to->out, p->lines.at[i]);
        add_shown(to, p);
    }
}

/* ---- its levers ---- */

/* --tile 256, --tile=256, "--tile", "256"; a switch has no value. -t is too
 * short for a literal: it is read behind "python". */
static void add_flag(struct adding *to, struct str flag) {
    buf_clear(&to->out);
    if (flag.n < 4)
        buf_add(&to->out, STR("\\bpython[^\\n]{0,400}?\\s"));
    buf_add(&to->out, STR("(?<program_option>(?<![\\w-])"));
    put_quoted(&to->out, flag);
    buf_add(&to->out, STR("(?![\\w-])(?:['\"]?(?:=|,? )['\"]?(?![-'\"])" VALUE
                          ")?)"));
    (void)add(to);
}

/* tile=256, "tile": 256, TILE=256, and a manifest's `name: TILE`, `value:
 * 256` */
static void add_key(struct adding *to, struct str key) {
    buf_clear(&to->out);
    buf_add(&to->out, STR("(?<program_option>(?<![\\w-])"));
    put_quoted(&to->out, key);
    buf_add(&to->out,
            STR("['\"]?(?:\\s{0,3}[=:]\\s{0,3}|\\s{1,40}value: )['\"]?"
                VALUE ")"));
    (void)add(to);
}

static void add_spelling(struct adding *to, struct str spelling) {
    if (str_starts(spelling, STR("-")))
        add_flag(to, spelling);
    else if (spelling.n > 0)
        add_key(to, spelling);
}

static bool reads(const struct engine *e, struct str flag) {
    for (size_t i = 0; i < e->flag_count; i++)
        if (str_eq(e->flags[i].flag, flag))
            return true;
    return false;
}

static void add_lever(struct adding *to, const struct program *p,
                      const struct workaround *w) {
    const struct made *m = build_find(to->d, MADE_ENGINE, p->id);
    if (m != NULL && reads(m->what, w->acts_on.flag))
        return; /* the engine's file reads it as a fact */
    add_spelling(to, w->acts_on.flag);
    for (size_t i = 0; i < w->keys.count; i++)
        add_spelling(to, w->keys.at[i]);
}

/* True if an entry's fix sets it and no fact reads it. */
static bool is_setting(const struct build *d, const struct acts_on *on) {
    if (on->change != CHANGE_set || on->flag.n < 4)
        return false;
    for (size_t i = 0; i < d->made[MADE_ENGINE].count; i++)
        if (reads(d->made[MADE_ENGINE].at[i].what, on->flag))
            return false;
    return true;
}

void engine_add_programs(struct build *d, struct engine *e) {
    struct adding to = {.d = d, .engine = e, .cap = e->context_count,
                        .first = e->context_count};
    to.out = buf_in(d->a, ENGINE_PATTERN_BYTES_MAX);
    for (size_t i = 0; i < d->corpus.program_count; i++)
        add_program(&to, &d->corpus.programs[i]);
    for (size_t i = 0; i < d->corpus.program_count; i++)
        for (size_t k = 0; k < d->corpus.programs[i].lever_count; k++)
            add_lever(&to, &d->corpus.programs[i],
                      &d->corpus.programs[i].levers[k]);
    for (size_t i = 0; i < d->made[MADE_ENTRY].count; i++) {
        const struct entry *of = d->made[MADE_ENTRY].at[i].what;
        for (size_t k = 0; k < of->workaround_count; k++)
            if (is_setting(d, &of->workarounds[k].acts_on))
                add_spelling(&to, of->workarounds[k].acts_on.flag);
    }
    d->fact_used[FACT_program] = d->fact_used[FACT_program] || to.first > 0;
}
