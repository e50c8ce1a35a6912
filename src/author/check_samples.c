/* check_samples.c: scans every sample as the program does.
 *
 * The new pack is opened as the program opens it once it is linked in. Each
 * sample is scanned, and the entries that its report would have are compared
 * with what the sample must show. Meanwhile a thread writes the SQLite part of
 * the index.
 *
 *     signature's sample   its entry, or one of its group, or one that a
 *                          relation ties to it
 *     <slug>.log           its entry
 *     sample of a program  a failure behind it shows that program
 *     <slug>.ok.log        any entry but its own, though a word is the same
 */
#include "author/build.h"
#include "author/files.h"
#include "diagnose/diagnose.h"
#include "match/match.h"

/* Shared by all threads. */
struct trials {
    const struct index *ix;
    const struct scan_rules *rules;
    struct str pack, *image;
};

/* What a thread keeps from one sample to the next, in its scratch. */
struct sample_scanner {
    const struct scan_rules *rules;
    struct reader *reader;
    struct known_patterns *patterns;
    struct arena trial; /* of one sample */
};

struct trial_result {
    bool has_own, has_related; /* the sample's entry, a related one */
    struct str other;   /* an entry that is neither; or empty */
    struct str program; /* that the report shows; or empty */
};

struct trial {
    struct build *d;
    struct sample_scanner *on;
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

/* e: the sample's entry, or NULL. */
static struct trial_result read_entries(struct build *d,
                                        const struct report_entries *s,
                                        const struct entry *e) {
    struct trial_result out = {0};
    const struct fact *shown = facts_first(&s->context, FACT_program);
    if (shown != NULL)
        out.program = arena_str(d->c.scratch, shown->word);
    for (size_t i = 0; e != NULL && i < s->count; i++) {
        const struct entry *found = s->at[i];
        if (str_eq(found->id, e->id))
            out.has_own = true;
        else if (entries_are_related(e, found) ||
                 (found->severity == SEVERITY_suspect &&
                  e->severity == SEVERITY_suspect)) /* neither is surer */
            out.has_related = true;
        else if (out.other.n == 0)
            out.other = arena_str(d->c.scratch, found->id);
    }
    return out;
}

static struct trial_result scan_sample(struct build *d, const struct entry *e,
                                       struct str name, struct str log) {
    struct trial t = {.d = d, .on = d->sample_scanner, .log = log};
    struct fault fault;
    enum fail failed = arena_guard(d->c.scratch, run_trial, &t, &fault);
    if (failed != FAIL_NONE)
        arena_raise(d->a, failed, "%.*s: %s", STR_ARG(name), fault.text);
    struct trial_result out = read_entries(d, &t.entries, e);
    arena_free(&d->sample_scanner->trial);
    d->samples++;
    return out;
}

static struct sample_scanner *sample_scanner_new(struct arena *a,
                                                 const struct trials *on) {
    struct sample_scanner *b = arena_alloc(a, sizeof *b);
    b->rules = on->rules;
    b->reader = reader_new(on->ix, a);
    b->patterns = known_patterns_new(a, on->rules, b->reader);
    arena_init_inside(&b->trial, a, SCRATCH_BYTES_MAX);
    return b;
}

/* The node of the sample of item i of a list of the file. The file is read
 * again, since no nodes are kept for the few samples that fail. */
static const struct node *sample_node(struct build *d, const struct made *m,
                                      const char *list, size_t i) {
    const struct node *root = yaml_read(&d->c, d->c.scratch, m->src);
    return node_get(node_item(node_get(root, list), i), "sample");
}

static void check_signature_sample(struct build *d, const struct made *m,
                                   size_t i) {
    const struct entry *e = made_entry(m);
    struct trial_result found =
        scan_sample(d, e, m->src->path, e->signatures[i].sample);
    if (found.has_own || found.has_related)
        return;
    struct place place = node_place_at(sample_node(d, m, "signatures", i), 0);
    if (found.other.n > 0)
        complain(&d->c, m->src, place, CODE_sample_taken,
                 "`%.*s` answers this sample; it is neither of this group "
                 "nor related", STR_ARG(found.other));
    else
        complain(&d->c, m->src, place, CODE_sample_unanswered,
                 "no entry answers this sample");
}

/* ---- programs ---- */

/* The line of a program is no failure, so one of PyTorch is put behind it. */
#define FAILURE "\ntorch.OutOfMemoryError: CUDA out of memory. Tried to " \
                "allocate 1.00 GiB.\n"

static void check_program_sample(struct build *d, const struct made *m) {
    const struct program *p = m->what;
    if (p->sample.n == 0 || !build_is_asked(d, m))
        return;
    struct str log =
        arena_printf(d->c.scratch, "%.*s" FAILURE, STR_ARG(p->sample));
    struct str shown = scan_sample(d, NULL, m->src->path, log).program;
    if (!str_eq(shown, p->id))
        complain(&d->c, m->src, sample_node(d, m, "programs", m->at)->place,
                 CODE_sample_unanswered,
                 "the sample does not show `%.*s` but %.*s", STR_ARG(p->id),
                 STR_ARG(shown.n > 0 ? shown : STR("none")));
}

/* Scans a log of an entry. False: it has none, or it cannot be read. *src: for
 * messages about the log. */
static bool scan_log(struct build *d, const struct entry *e, struct str path,
                     struct source **src, struct trial_result *out) {
    struct str log;
    const char *why;
    if (path.n == 0)
        return false;
    *src = source_new(d->c.scratch, path, (struct str){0});
    if (!file_read(d->c.scratch, path, &log, &why)) {
        complain(&d->c, *src, (struct place){0}, CODE_missing_file, "%s", why);
        return false;
    }
    *out = scan_sample(d, e, path, log);
    return true;
}

static void check_logs(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    struct source *src;
    struct trial_result found;
    if (scan_log(d, e, m->log_path, &src, &found) && !found.has_own)
        complain(&d->c, src, (struct place){0}, CODE_log_unanswered,
                 "`%.*s` does not answer its own log%s%.*s", STR_ARG(e->id),
                 found.other.n > 0 ? "; it is " : "", STR_ARG(found.other));
    if (scan_log(d, e, m->ok_log_path, &src, &found) && found.has_own)
        complain(&d->c, src, (struct place){0}, CODE_ok_log_answered,
                 "`%.*s` answers a log in which it did not happen",
                 STR_ARG(e->id));
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

/* Part 0 writes the index, then come the entries, then the programs. */
static void check_samples_of(struct build *own, const void *what, size_t part) {
    const struct trials *on = what;
    size_t entries = own->made[MADE_ENTRY].count, i = part - 1;
    if (part == 0) {
        *on->image = index_of_pack(own->a, &own->corpus, on->pack);
        return;
    }
    if (own->sample_scanner == NULL)
        own->sample_scanner = sample_scanner_new(own->c.scratch, what);
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
