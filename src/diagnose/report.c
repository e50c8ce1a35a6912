/* report.c: the entry point of this layer: diagnose() runs its steps in order
 * and fills the report.
 *
 * Order of findings: roots that failed, roots that only warn, then wrappers and
 * consequences; each by position in the log. A log without a known failure
 * gives a report without findings.
 */
#include "base/buf.h"
#include "diagnose/work.h"

#include "base/limits.h"
#include "base/sort.h"

#include <inttypes.h>

/* ---- order ---- */

static int class_of(const struct incident *i) {
    if (i->role != ROLE_root)
        return 2;
    return i->entry->severity == SEVERITY_failure ? 0 : 1;
}

static int by_class_and_place(const void *x, const void *y) {
    const struct incident *a = *(struct incident *const *)x;
    const struct incident *b = *(struct incident *const *)y;
    if (class_of(a) != class_of(b))
        return class_of(a) - class_of(b);
    uint64_t at_a = a->sightings[0]->places[0].order;
    uint64_t at_b = b->sightings[0]->places[0].order;
    return (at_a > at_b) - (at_a < at_b);
}

/* The active incidents in the order of the report: those of suspects, or all
 * others. */
static struct incident_list active_incidents(struct diagnosis *d,
                                             bool is_suspect) {
    struct incident_list out = {0};
    for (size_t i = 0; i < d->incidents.count; i++) {
        const struct incident *x = d->incidents.at[i];
        if (!x->is_merged &&
            (x->entry->severity == SEVERITY_suspect) == is_suspect) {
            *ARENA_ADD(d->a, out.at, out.count, out.cap) = d->incidents.at[i];
        }
    }
    sort_stable(d->a, out.at, out.count, sizeof *out.at, by_class_and_place);
    return out;
}

/* ---- one finding ---- */

static struct str id_of(struct arena *a, const struct entry *e,
                        struct str message) {
    struct str key = arena_printf(
        a, "%.*s|%s|%.*s", STR_ARG(e->id),
        word_spelling(WORDS_MECHANISM, (int)e->mechanism), STR_ARG(message));
    return arena_printf(a, "%016" PRIx64, str_hash(key));
}

static bool is_of_one_run(struct str word) {
    for (size_t i = 0; i < word.n; i++)
        if (is_digit(word.p[i]) || word.p[i] == '/' || word.p[i] == '\\')
            return true;
    return false;
}

/* Equal for the same failure in another run. 1 is the version of this
 * format. */
static struct str fingerprint_of(struct arena *a, const struct entry *e,
                                 struct str message) {
    struct buf key = buf_in(a, 0);
    buf_printf(&key, "%.*s|%s|", STR_ARG(e->id),
               word_spelling(WORDS_MECHANISM, (int)e->mechanism));
    while (message.n > 0) {
        size_t n = 0;
        while (n < message.n && (unsigned char)message.p[n] > ' ')
            n++;
        struct str word = str_slice(message, 0, n);
        if (n > 0 && !is_of_one_run(word)) {
            buf_add(&key, word);
            buf_add_char(&key, ' ');
        }
        message = str_slice(message, n + 1, message.n);
    }
    return arena_printf(a, "1-%016" PRIx64, str_hash(buf_str(&key)));
}

static int64_t owner_of(const struct fact_list *facts, bool want_gpu) {
    for (size_t i = 0; i < facts->count; i++) {
        int64_t x = want_gpu ? facts->at[i].gpu : facts->at[i].rank;
        if (x != FACT_NONE)
            return x;
    }
    return FACT_NONE;
}

static struct instance instance_of(const struct diagnosis *d,
                                   const struct sighting *s) {
    struct instance i = {.first_line = s->places[0].first_line,
                         .last_line = s->places[0].last_line,
                         .gpu = owner_of(&s->facts, true),
                         .rank = owner_of(&s->facts, false), .facts = s->facts};
    if (i.rank == FACT_NONE)
        i.rank = stream_of_number(d, s->places[0].stream)->rank;
    return i;
}

static void instances_fill(struct diagnosis *d, struct finding *f,
                           const struct incident *i) {
    f->instances = arena_array(d->a, INSTANCES_MAX, sizeof *f->instances);
    for (size_t k = 0; k < i->count && f->instance_count < INSTANCES_MAX; k++)
        if (i->sightings[k] != i->worst)
            f->instances[f->instance_count++] = instance_of(d, i->sightings[k]);
}

static void lines_span(struct finding *f, const struct incident *i) {
    f->first_line = UINT32_MAX;
    for (size_t k = 0; k < i->count; k++) {
        const struct sighting *s = i->sightings[k];
        f->last_line = s->counted_to > f->last_line ? s->counted_to
                                                    : f->last_line;
        for (size_t n = 0; n < s->place_count; n++) {
            const struct place *p = &s->places[n];
            f->first_line = p->first_line < f->first_line ? p->first_line
                                                          : f->first_line;
            f->last_line = p->last_line > f->last_line ? p->last_line
                                                       : f->last_line;
            f->has_trace = f->has_trace || p->trace_first < p->first_line ||
                           p->trace_last > p->last_line;
        }
    }
}

static struct str version_of(const struct diagnosis *d, struct str product) {
    int name = version_fact(d, product);
    const struct fact *f =
        name >= 0 ? facts_first(&d->context, (enum fact_name)name) : NULL;
    return f ? f->word : (struct str){NULL, 0};
}

static void versions_evaluate(struct diagnosis *d, struct finding *f) {
    const struct entry *e = f->entry;
    f->versions = arena_array(d->a, e->version_count, sizeof *f->versions);
    f->version_count = e->version_count;
    for (size_t i = 0; i < e->version_count; i++) {
        const struct compatibility *c = &e->versions[i];
        struct str version = version_of(d, c->range.product);
        f->versions[i] = (struct version_line){
            .row = c, .version = version,
            .in_range = version.n > 0
                            ? version_in_range(&c->range, version)
                            : range_by_form(d, f->form, &c->range)};
    }
}

/* The title for a failure that a person describes ("We get CUDA OOM in
 * ComfyUI"): the entry of these words is PyTorch's, but another program failed,
 * or none is named. */
static struct note prose_title(const struct diagnosis *d,
                               const struct finding *f) {
    const struct program *p = program_of_log(d);
    bool is_open = f->entry->mechanism == MECHANISM_unspecified &&
                   facts_say(&f->facts, FACT_oom_words, "told");
    if (!is_open || str_eq(f->entry->component, d->engine ? d->engine->id
                                                           : STR("")))
        return (struct note){0};
    struct str name = d->engine ? d->engine->name
                      : p       ? p->name
                                : STR("");
    name.n = str_find(name, STR(" (")); /* "Infinity (embeddings)" */
    return name.n > 0 ? NOTE("diagnose.title_told", name)
                      : note_of("diagnose.title_told_unnamed");
}

static void finding_fill(struct diagnosis *d, struct finding *f,
                         const struct incident *i) {
    struct quote quote = quote_of(i);
    *f = (struct finding){.entry = i->entry, .mechanism = i->entry->mechanism,
                          .role = i->role, .cause = -1,
                          .certainty = i->chosen->certainty,
                          .because = i->chosen->because, .count = i->times,
                          .text = quote.text, .text_line = quote.number,
                          .form = i->worst->form, .facts = i->worst->facts};
    f->id = id_of(d->a, i->entry, i->sightings[0]->hit->text);
    f->fingerprint = fingerprint_of(d->a, i->entry, i->sightings[0]->hit->text);
    lines_span(f, i);
    instances_fill(d, f, i);
    versions_evaluate(d, f);
    f->shortage = shortage_of(i->entry, &f->facts);
    f->is_contradictory = !facts_reconcile(&f->facts);
    f->title = prose_title(d, f);
}

void finding_weigh(struct diagnosis *d, struct finding *f, struct inputs *c) {
    inputs_fill(d, &f->facts, c);
    beliefs_find(d, f);
    fixes_find(d, f, c);
    dead_ends_show(d, f);
    remarks_find(d, f);
    contradictions_resolve(f);
    fixes_rank(d, f);
}

static void finding_complete(struct diagnosis *d, struct finding *f) {
    struct inputs c;
    if (f->role != ROLE_root)
        return;
    finding_weigh(d, f, &c);
    memory_explain(d, f, &c);
    remarks_complete(d, f, &c);
    outlook_find(d, f);
}

static void findings_fill(struct diagnosis *d, struct report *rep) {
    struct incident_list list = active_incidents(d, false);
    rep->findings = arena_array(d->a, list.count, sizeof *rep->findings);
    d->bare = arena_array(d->a, list.count, sizeof *d->bare);
    rep->finding_count = list.count;
    if (list.count == 1) { /* messages that the scan counted but did not keep
                              belong to it */
        list.at[0]->times += d->scan->uncounted;
    }
    for (size_t i = 0; i < list.count; i++) {
        finding_fill(d, &rep->findings[i], list.at[i]);
        d->bare[i] = rep->findings[i];
        finding_complete(d, &rep->findings[i]);
        if (list.count == 1 &&
            d->scan->uncounted_to > rep->findings[i].last_line)
            rep->findings[i].last_line = d->scan->uncounted_to;
        for (size_t k = 0; k < list.count; k++)
            if (list.at[i]->cause == list.at[k])
                rep->findings[i].cause = (int32_t)k;
    }
}

static void suspects_fill(struct diagnosis *d, struct report *rep) {
    struct incident_list list = active_incidents(d, true);
    list.count = suspects_choose(d, list.at, list.count);
    rep->suspects = arena_array(d->a, list.count, sizeof *rep->suspects);
    rep->suspect_count = list.count;
    for (size_t i = 0; i < list.count; i++) {
        finding_fill(d, &rep->suspects[i], list.at[i]);
        finding_complete(d, &rep->suspects[i]);
    }
}

/* ---- the corrected command ---- */

/* True if the fix's command is a complete setting and the fix may help. */
static bool is_command_of(const struct fix *fix) {
    return fix_is_offered(fix) && fix_verdict(fix) != VERDICT_NOT_ENOUGH &&
           fix->command.n > 0 && !fix->has_gap && setting_is_flag(fix->command);
}

/* The script's command, if the setting is one of its flags: a flag of the
 * command, or a lever of that program. Empty otherwise. */
static struct str script_with(const struct diagnosis *d,
                              const struct fix *fix) {
    struct command c = command_parse(d->script);
    struct str name, value, wanted, rest;
    wanted = str_cut(fix->command, ' ', &rest);
    wanted = str_slice(wanted, 0, str_find_char(wanted, '='));
    if (lever_is_of_command(d, fix->workaround, d->script))
        return d->script;
    for (size_t at = c.args; command_flag_next(&c, &at, &name, &value);)
        if (value.n > 0 && str_eq(name, wanted))
            return d->script;
    return (struct str){NULL, 0};
}

/* Corrects the user's command. Without a command that can be changed, the fix
 * shows only its setting. */
static void command_correct(struct diagnosis *d, struct report *rep) {
    if (rep->finding_count == 0 || report_failures(rep) == 0 ||
        rep->findings[0].fix_count == 0 ||
        !is_command_of(&rep->findings[0].fixes[0]))
        return;
    const struct fix *fix = &rep->findings[0].fixes[0];
    struct str setting = fix->command, after;
    struct str before = d->is_command_whole ? d->command : script_with(d, fix);
    if (before.n > 0 &&
        command_with(d->a, d->engine, before, setting, &after)) {
        rep->command_before = command_shown(before);
        rep->command_after = after;
        rep->command_is_arguments = command_is_arguments(before);
    }
}

/* ---- the summary ---- */

static struct str amount_written(struct diagnosis *d, const struct fact *f) {
    return fact_unit(f->name) == UNIT_BYTES ? write_bytes(d->a, f->number)
                                            : write_count(d->a, f->number);
}

static struct note summary_note(struct diagnosis *d, const struct finding *f) {
    static const struct {
        const char *key;
        enum fact_name x, y;
    } rows[] = {
        {"diagnose.summary.kv_pool", FACT_kv_needed, FACT_kv_available},
        {"diagnose.summary.kv_tokens", FACT_max_model_len, FACT_kv_tokens},
        {"diagnose.summary.free_at_start", FACT_requested_bytes,
         FACT_gpu_free},
        {"diagnose.summary.allocation", FACT_tried_alloc, FACT_gpu_free},
    };
    for (size_t i = 0; !f->is_contradictory &&
                       i < sizeof rows / sizeof rows[0]; i++) {
        const struct fact *x = facts_first(&f->facts, rows[i].x);
        const struct fact *y = facts_first(&f->facts, rows[i].y);
        if (x && y)
            return NOTE(rows[i].key, amount_written(d, x),
                        amount_written(d, y));
    }
    return note_of(NULL); /* the entry's title is the summary */
}

static struct note summary_of_all(struct diagnosis *d,
                                  const struct report *rep) {
    if (rep->finding_count > 0)
        return summary_note(d, &rep->findings[0]);
    return rep->suspect_count == 0
               ? note_of("diagnose.summary.none")
               : NOTE("diagnose.summary.suspect",
                      written_line(d->a, rep->suspects[0].first_line));
}

size_t report_failures(const struct report *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct finding *f = &r->findings[i];
        bool is_failure = f->role == ROLE_root &&
                          f->entry->severity == SEVERITY_failure;
        count += is_failure ? 1 : 0;
    }
    return count;
}

/* Finds the incidents, with their facts and entries. */
static void diagnose_incidents(struct diagnosis *d) {
    hits_sort(d);
    sightings_find(d);
    context_find(d);
    for (size_t i = 0; i < d->sightings.count; i++) {
        model_size_derive(d, &d->sightings.at[i]);
        stage_find(d, &d->sightings.at[i]);
    }
    share_bound(d);
    for (size_t i = 0; i < d->sightings.count; i++) {
        frames_derive(d, &d->sightings.at[i]);
        failure_derive(d, &d->sightings.at[i]);
        entry_select(d, &d->sightings.at[i]);
    }
    incidents_find(d);
    incidents_link(d);
}

struct report_entries report_entries(struct arena *a, struct reader *r,
                                     const struct scan_result *scan) {
    struct answers none = {0};
    struct diagnosis d = {.a = a, .r = r, .scan = scan, .answers = &none};
    diagnose_incidents(&d);
    struct incident_list found = active_incidents(&d, false);
    struct incident_list suspected = active_incidents(&d, true);
    suspected.count = suspects_choose(&d, suspected.at, suspected.count);
    struct report_entries out = {.context = d.context};
    out.at = arena_array(a, found.count + suspected.count, sizeof *out.at);
    for (size_t i = 0; i < found.count; i++)
        out.at[out.count++] = found.at[i]->entry;
    for (size_t i = 0; i < suspected.count; i++)
        out.at[out.count++] = suspected.at[i]->entry;
    return out;
}

struct report *diagnose(struct arena *a, struct reader *r,
                        const struct scan_result *scan, struct str input_name,
                        const struct answers *answers) {
    struct diagnosis d = {.a = a, .r = r, .scan = scan, .answers = answers};
    struct report *rep = arena_alloc(a, sizeof *rep);
    rep->input_name = input_name;
    rep->lines = scan->stats.lines;
    rep->bytes = scan->stats.bytes;
    rep->truncated = scan->stats.truncated;
    rep->gave_up_line = scan->gave_up.line;
    rep->gave_up_patterns = scan->gave_up.patterns;
    diagnose_incidents(&d);
    rep->context = d.context;
    rep->memory = measured_find(&d);
    rep->command = d.command;
    findings_fill(&d, rep);
    suspects_fill(&d, rep);
    command_correct(&d, rep);
    questions_find(&d, rep);
    rep->summary = summary_of_all(&d, rep);
    return rep;
}
