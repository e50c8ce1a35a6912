/* check_samples.c: every sample through the engine that ships.
 *
 * The pack that was just built is opened as the program will open it once it is
 * linked in, each sample is scanned, and what speaks is held against the entry
 * that the sample belongs to. What only SQLite answers is written meanwhile.
 *
 *     signature's sample   its entry speaks, or one of its group, or one that
 *                          a relation ties to it
 *     <slug>.log           its entry speaks
 *     sample of a program  a failure behind it shows that program
 *     <slug>.ok.log        its entry does not, though a word is the same
 */
#include "author/build.h"
#include "author/files.h"
#include "diagnose/diagnose.h"
#include "match/match.h"

/* What all samples are tried on. */
struct trials {
    const struct index *ix;
    const struct scan_rules *rules;
    struct str pack, *image;
};

/* What a thread keeps from one sample to the next, in its scratch. */
struct bench {
    const struct scan_rules *rules;
    struct reader *reader;
    struct known_patterns *patterns;
    struct arena trial; /* of one sample */
};

struct answered {
    bool by_itself, by_related;
    struct str stranger; /* an entry that spoke and is neither; or empty */
    struct str program;  /* that the report shows; or empty */
};

struct trial {
    struct build *d;
    struct bench *on;
    struct str log;
    struct report_entries entries;
};

static void run_trial(void *arg) {
    struct trial *t = arg;
    struct arena *a = &t->on->trial;
    struct scanner *scanner =
        scan_next(a, t->on->rules, t->on->patterns, 0);
    scan_feed(scanner, t->log);
    t->entries = report_entries(a, t->on->reader, scan_end(scanner));
}

/* What the reader raises is raised in scratch. */
static void guard_trial(void *arg) {
    struct trial *t = arg;
    struct fault fault;
    enum fail failed = arena_guard(&t->on->trial, run_trial, t, &fault);
    if (failed != FAIL_NONE)
        arena_raise(t->d->c.scratch, failed, "%s", fault.text);
}

/* e: NULL where no entry is asked about. */
static struct answered who_spoke(struct build *d,
                                 const struct report_entries *s,
                                 const struct entry *e) {
    struct answered out = {0};
    const struct fact *shown = facts_first(&s->context, FACT_program);
    if (shown != NULL)
        out.program = arena_str(d->c.scratch, shown->word);
    for (size_t i = 0; e != NULL && i < s->count; i++) {
        const struct entry *spoke = s->at[i];
        if (str_eq(spoke->id, e->id))
            out.by_itself = true;
        else if (entries_are_related(e, spoke) ||
                 (spoke->severity == SEVERITY_suspect &&
                  e->severity == SEVERITY_suspect)) /* none is surer */
            out.by_related = true;
        else if (out.stranger.n == 0)
            out.stranger = arena_str(d->c.scratch, spoke->id);
    }
    return out;
}

static struct answered try(struct build *d, const struct entry *e,
                           struct str name, struct str log) {
    struct trial t = {.d = d, .on = d->bench, .log = log};
    struct fault fault;
    enum fail failed = arena_guard(d->c.scratch, guard_trial, &t, &fault);
    if (failed != FAIL_NONE)
        arena_raise(d->a, failed, "%.*s: %s", STR_ARG(name), fault.text);
    struct answered out = who_spoke(d, &t.entries, e);
    arena_free(&d->bench->trial);
    d->samples++;
    return out;
}

static void trial_end(void *arg) {
    arena_free(arg);
}

static struct bench *bench_new(struct arena *a, const struct trials *on) {
    struct bench *b = arena_alloc(a, sizeof *b);
    b->rules = on->rules;
    b->reader = reader_new(on->ix, a);
    b->patterns = known_patterns_new(a, on->rules, b->reader);
    arena_init(&b->trial, a->from, SCRATCH_BYTES_MAX);
    arena_defer(a, trial_end, &b->trial);
    return b;
}

/* The node of a sample of item i of that list of its file: no nodes are kept
 * for the few that fail. */
static const struct node *sample_node(struct build *d, const struct made *m,
                                      const char *list, size_t i) {
    const struct node *root = yaml_read(&d->c, d->c.scratch, m->src);
    return node_get(node_item(node_get(root, list), i), "sample");
}

static void check_signature_sample(struct build *d, const struct made *m,
                                   size_t i) {
    const struct entry *e = made_entry(m);
    struct answered by = try(d, e, m->src->path, e->signatures[i].sample);
    if (by.by_itself || by.by_related)
        return;
    struct place place = node_place_at(sample_node(d, m, "signatures", i), 0);
    if (by.stranger.n > 0)
        complain(&d->c, m->src, place, CODE_sample_taken,
                 "`%.*s` answers this sample; it is neither of this group "
                 "nor related", STR_ARG(by.stranger));
    else
        complain(&d->c, m->src, place, CODE_sample_unanswered,
                 "no entry answers this sample");
}

/* ---- programs ---- */

/* The line of a program alone is no failure: what PyTorch says is put behind. */
#define FAILURE "\ntorch.OutOfMemoryError: CUDA out of memory. Tried to " \
                "allocate 1.00 GiB.\n"

static void check_program_sample(struct build *d, const struct made *m) {
    const struct program *p = m->what;
    if (p->sample.n == 0 || !build_is_asked(d, m))
        return;
    struct str log = arena_printf(d->c.scratch, "%.*s" FAILURE, STR_ARG(p->sample));
    struct str shown = try(d, NULL, m->src->path, log).program;
    if (!str_eq(shown, p->id))
        complain(&d->c, m->src, sample_node(d, m, "programs", m->at)->place,
                 CODE_sample_unanswered,
                 "the sample does not show `%.*s` but %.*s", STR_ARG(p->id),
                 STR_ARG(shown.n > 0 ? shown : STR("none")));
}

static bool read_log(struct build *d, struct str path, struct str *bytes) {
    const char *why;
    if (file_read(d->c.scratch, path, bytes, &why))
        return true;
    complain(&d->c, source_new(d->c.scratch, path, (struct str){0}),
             (struct place){0}, CODE_missing_file, "%s", why);
    return false;
}

static void check_logs(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    struct str log = {0};
    struct str miss = {0};
    if (m->log_path.n > 0 && read_log(d, m->log_path, &log)) {
        struct answered by = try(d, e, m->log_path, log);
        if (!by.by_itself)
            complain(&d->c, source_new(d->c.scratch, m->log_path, (struct str){0}),
                     (struct place){0}, CODE_log_unanswered,
                     "`%.*s` does not answer its own log%s%.*s",
                     STR_ARG(e->id), by.stranger.n > 0 ? "; it is " : "",
                     STR_ARG(by.stranger));
    }
    if (m->ok_log_path.n > 0 && read_log(d, m->ok_log_path, &miss)) {
        struct answered by = try(d, e, m->ok_log_path, miss);
        if (by.by_itself)
            complain(&d->c, source_new(d->c.scratch, m->ok_log_path, (struct str){0}),
                     (struct place){0}, CODE_ok_log_answered,
                     "`%.*s` answers a log in which it did not happen",
                     STR_ARG(e->id));
    }
}

static void check_entry_samples(struct build *d, const struct made *m) {
    if (!build_is_asked(d, m) || made_entry(m)->withdrawn.in[LANG_EN].n > 0)
        return;
    for (size_t k = 0; k < made_entry(m)->signature_count; k++)
        check_signature_sample(d, m, k);
    check_logs(d, m);
    if (m->ok_log_path.n == 0)
        complain(&d->c, m->src, (struct place){0}, CODE_no_near_miss,
                 "no <slug>.ok.log: nothing shows where it stops");
}

/* The entries, then the programs; before them, the index is ended. */
static void check_samples_of(struct build *own, const void *what, size_t part) {
    const struct trials *on = what;
    size_t entries = own->made[MADE_ENTRY].count, i = part - 1;
    if (part == 0) {
        *on->image = index_of_pack(own->a, &own->corpus, on->pack);
        return;
    }
    if (own->bench == NULL)
        own->bench = bench_new(own->c.scratch, what);
    if (i < entries)
        check_entry_samples(own, &own->made[MADE_ENTRY].at[i]);
    else
        check_program_sample(own, &own->made[MADE_PROGRAM].at[i - entries]);
}

struct str check_samples(struct build *d, struct str pack) {
    struct str image = {0};
    struct trials on = {.pack = pack, .image = &image};
    on.ix = index_open_pack(d->a, pack);
    on.rules = scan_rules_open(d->a, on.ix);
    build_share(d, 1 + d->made[MADE_ENTRY].count + d->made[MADE_PROGRAM].count,
                check_samples_of, &on);
    return image;
}
