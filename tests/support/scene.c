/* scene.c: see scene.h. The corpus goes through the real index; only patterns
 * and their matching are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scene.h"


/* ---- the engine ---- */

static const struct {
    const char *stage;
    bool is_frame;
} stage_rows[] = {{"profile", true}, {"load", true},   {"serve", true},
                  {"load", false},   {"profile", false}, {"serve", false}};
enum { STAGE_ROWS = sizeof stage_rows / sizeof stage_rows[0] };

static const char *const context_rows[] = {"engine", "dump", "flag",
                                           "command"};
enum { CONTEXT_ROWS = sizeof context_rows / sizeof context_rows[0] };
enum { FIXES_MAX = 32 }; /* of one entry of a scene */

static struct flag flag_row(struct scene *s, enum fact_name fact,
                            const char *flag, const char *alias) {
    struct flag f = {.fact = fact, .flag = str_of(flag)};
    f.aliases = scene_list(s, alias);
    f.exists.product = STR("vllm");
    return f;
}

/* until: NULL, it is still there. */
static struct option option_row(struct scene *s, const char *flag,
                                const char *from, const char *until) {
    struct version_event *at = arena_array(&s->arena, 2, sizeof *at);
    struct option o = {.flag = str_of(flag)};
    at[0] = (struct version_event){false, str_of(from)};
    if (until != NULL) {
        at[1] = (struct version_event){true, str_of(until)};
    }
    o.exists = (struct version_range){STR("vllm"), at,
                                      until != NULL ? 2 : 1};
    return o;
}

static void engine_make(struct scene *s) {
    struct engine *e = arena_array(&s->arena, 1, sizeof *e);
    e->id = STR("vllm");
    e->name = STR("vLLM");
    e->newest = STR("0.21.0");
    e->command = STR("vllm serve");
    e->context_count = CONTEXT_ROWS;
    e->contexts = arena_array(&s->arena, CONTEXT_ROWS, sizeof *e->contexts);
    e->contexts[0].pattern = STR("the engine speaks");
    e->contexts[0].set_count = 1;
    e->contexts[0].set = arena_array(&s->arena, 1, sizeof(struct setting));
    e->contexts[0].set[0] = (struct setting){FACT_engine, STR("vllm")};
    e->contexts[1].pattern = STR("max_model_len=(?<max_model_len>\\d+)");
    e->contexts[2].pattern = STR("--max-model-len (?<max_model_len>\\d+)");
    e->contexts[3].pattern = STR("(?<command>vllm serve .*)");
    e->stage_count = STAGE_ROWS;
    e->stages = arena_array(&s->arena, STAGE_ROWS, sizeof *e->stages);
    for (size_t i = 0; i < STAGE_ROWS; i++) {
        e->stages[i].stage = str_of(stage_rows[i].stage);
        e->stages[i].is_frame = stage_rows[i].is_frame;
        e->stages[i].pattern = arena_printf(&s->arena, "stage row %zu", i);
    }
    e->flag_count = 2;
    e->flags = arena_array(&s->arena, e->flag_count, sizeof *e->flags);
    e->flags[0] = flag_row(s, FACT_max_model_len, "--max-model-len",
                           "--max_model_len");
    e->flags[1] = flag_row(s, FACT_enforce_eager, "--enforce-eager",
                           "--enforce_eager");
    e->option_count = 2;
    e->options = arena_array(&s->arena, e->option_count, sizeof *e->options);
    e->options[0] = option_row(s, "--new-thing", "0.10.2", NULL);
    e->options[1] = option_row(s, "--old-thing", "0", "0.9.0");
    s->corpus.engines = e;
    s->corpus.engine_count = 1;
}

static struct text text_of(struct scene *s, const char *words) {
    struct text t;
    t.in[LANG_EN] = str_of(words);
    t.in[LANG_ZH] = arena_printf(&s->arena, "zh:%s", words);
    return t;
}

/* ---- causes ---- */

/* As kb/ranking.yaml has them; scenes count on the order they make. */
static const int64_t numbers[RANKING_COUNT_OF] = {
    [RANKING_p_enough] = 950000, [RANKING_p_not_enough] = 20000,
    [RANKING_p_condition] = 200000, [RANKING_p_if] = 500000,
    [RANKING_reports_most] = 3000000, [RANKING_share_least] = 100000,
    [RANKING_share_most] = 900000, [RANKING_cure_most] = 700000,
    [RANKING_cure_some] = 300000, [RANKING_cure_little] = 120000,
    [RANKING_cure_else] = 30000, [RANKING_report_weight] = 4000000,
    [RANKING_own_report_weight] = 3000000,
    [RANKING_evidence_odds] = 2000000, [RANKING_mechanism_at] = 700000,
    [RANKING_outlook_at] = 600000, [RANKING_effort_flag] = 1000000,
    [RANKING_effort_restart] = 1200000, [RANKING_effort_code] = 2000000,
    [RANKING_effort_hardware] = 4000000, [RANKING_loses_nothing] = 1000000,
    [RANKING_loses_speed] = 1200000, [RANKING_loses_capacity] = 1400000,
    [RANKING_loses_quality] = 2000000, [RANKING_capacity_least] = 100000,
    [RANKING_loses_all] = 20000000, [RANKING_trim_above] = 1000000,
    [RANKING_trim_below] = 250000,
};

struct cause *scene_cause(struct scene *s, const char *id, enum mechanism m,
                          enum restart restart) {
    assert_true(s->corpus.cause_count < SCENE_CAUSES);
    struct cause *c = &s->causes[s->corpus.cause_count++];
    *c = (struct cause){.id = str_of(id), .mechanism = m, .restart = restart,
                        .name = text_of(s, id)};
    c->evidence = arena_array(&s->arena, SCENE_CAUSES, sizeof *c->evidence);
    return c;
}

void cause_evidence(struct scene *s, struct cause *c, const char *when,
                    int64_t weight, const char *family) {
    assert_true(c->evidence_count < SCENE_CAUSES);
    c->evidence[c->evidence_count++] =
        (struct evidence){.when = str_of(when), .weight = weight,
                          .family = str_of(family),
                          .because = text_of(s, when)};
}

void entry_cause(struct entry *e, const char *id, int64_t share_micro) {
    e->causes[e->cause_count++] =
        (struct cause_share){str_of(id), share_micro};
}

void fix_cures(struct scene *s, struct workaround *w, const char *id,
               enum strength strength) {
    struct cure *all = arena_array(&s->arena, w->cure_count + 1, sizeof *all);
    for (size_t i = 0; i < w->cure_count; i++) {
        all[i] = w->cures[i];
    }
    all[w->cure_count++] = (struct cure){str_of(id), strength};
    w->cures = all;
}

/* ---- building ---- */

void scene_begin(struct scene *s) {
    *s = (struct scene){.hit_count = 0};
    arena_init(&s->arena, NULL, 0);
    s->corpus.entries = s->entries;
    s->corpus.causes = s->causes;
    memcpy(s->corpus.ranking.micro, numbers, sizeof numbers);
    for (int i = 0; i < SCENE_STREAMS; i++) {
        s->streams[i] = (struct stream){.rank = -1, .pid = -1};
    }
    engine_make(s);
}

void scene_end(struct scene *s) { arena_free(&s->arena); }

struct str_list scene_list(struct scene *s, const char *only) {
    struct str_list list = {arena_array(&s->arena, 1, sizeof(struct str)), 1};
    list.at[0] = str_of(only);
    return list;
}


static struct entry *entry_blank(struct scene *s, const char *id,
                                 enum mechanism m) {
    assert_true(s->corpus.entry_count < SCENE_ENTRIES);
    struct entry *e = &s->entries[s->corpus.entry_count++];
    struct str rest, component = str_cut(str_of(id), '/', &rest);
    *e = (struct entry){.id = str_of(id), .component = component,
                        .mechanism = m, .severity = SEVERITY_failure,
                        .role = ROLE_root};
    e->title = text_of(s, id);
    e->root_cause = text_of(s, "because of a test");
    e->provenance.confidence_micro = e->provenance.fix_rate_micro = -1;
    e->provenance.evidence_count = -1;
    e->workarounds = arena_array(&s->arena, FIXES_MAX, sizeof *e->workarounds);
    e->dead_ends = arena_array(&s->arena, 8, sizeof *e->dead_ends);
    e->conditions = arena_array(&s->arena, 8, sizeof *e->conditions);
    e->relations = arena_array(&s->arena, 8, sizeof *e->relations);
    e->when.at = arena_array(&s->arena, 8, sizeof *e->when.at);
    e->causes = arena_array(&s->arena, 8, sizeof *e->causes);
    return e;
}

struct entry *scene_entry(struct scene *s, const char *id, enum mechanism m) {
    struct entry *e = entry_blank(s, id, m);
    e->signature_count = 1;
    e->signatures = arena_array(&s->arena, 1, sizeof *e->signatures);
    e->signatures[0].id = STR("words");
    e->signatures[0].pattern = arena_printf(&s->arena, "words of %s", id);
    e->signatures[0].sample = e->signatures[0].pattern;
    return e;
}

struct entry *scene_member(struct scene *s, const char *id, enum mechanism m,
                           const char *head) {
    struct entry *e = entry_blank(s, id, m);
    e->same_words_as = str_of(head);
    return e;
}

void entry_when(struct scene *s, struct entry *e, const char *predicate) {
    (void)s;
    e->when.at[e->when.count++] = str_of(predicate);
}

void entry_condition(struct scene *s, struct entry *e, enum scope scope,
                     bool is_none_of) {
    struct condition *c = &e->conditions[e->condition_count];
    *c = (struct condition){.scope = scope, .is_none_of = is_none_of};
    c->pattern = arena_printf(&s->arena, "condition %zu of %.*s",
                              e->condition_count, STR_ARG(e->id));
    e->condition_count++;
}

void entry_relation(struct scene *s, struct entry *e, enum relation_kind kind,
                    const char *other) {
    (void)s;
    e->relations[e->relation_count++] =
        (struct relation){.kind = kind, .entry = str_of(other)};
}

struct workaround *entry_fix(struct scene *s, struct entry *e,
                             const char *id) {
    assert_true(e->workaround_count < FIXES_MAX);
    struct workaround *w = &e->workarounds[e->workaround_count++];
    *w = (struct workaround){.id = str_of(id)};
    w->action = text_of(s, id);
    w->how = text_of(s, "do it");
    w->success.rate_micro = -1;
    w->success.worked = w->success.tried = 0;
    return w;
}

struct dead_end *entry_dead_end(struct scene *s, struct entry *e,
                                const char *action) {
    struct dead_end *x = &e->dead_ends[e->dead_end_count++];
    *x = (struct dead_end){.action = text_of(s, action)};
    x->why = text_of(s, "it does not help");
    x->fail.rate_micro = -1;
    return x;
}

/* Entries and causes are sorted by id, as the build does. */
void scene_ready(struct scene *s) {
    qsort(s->entries, s->corpus.entry_count, sizeof *s->entries, str_order);
    qsort(s->causes, s->corpus.cause_count, sizeof *s->causes, str_order);
    s->patterns = corpus_patterns(&s->arena, &s->corpus);
    struct str image = index_write(&s->arena, &s->corpus, &s->patterns,
                                   STR("none"));
    s->index = index_open(&s->arena, image);
    s->reader = reader_new(s->index, &s->arena);
}

/* ---- seeing ---- */

static uint32_t entry_number(const struct scene *s, const char *id) {
    for (size_t i = 0; i < s->corpus.entry_count; i++) {
        if (str_eq(s->entries[i].id, str_of(id))) {
            return (uint32_t)i;
        }
    }
    fail_msg("no entry %s", id);
    return 0;
}

static struct hit *see(struct scene *s, enum pattern_kind kind,
                       uint32_t owner, size_t ordinal, uint32_t line) {
    assert_true(s->hit_count < SCENE_HITS);
    struct hit *h = &s->hits[s->hit_count];
    *h = (struct hit){.kind = kind, .owner = owner,
                      .ordinal = (uint32_t)ordinal, .stream = s->stream,
                      .first_line = line, .last_line = line,
                      .trace_first = line, .trace_last = line,
                      .order = s->hit_count + 1};
    bool is_found = false;
    for (size_t i = 0; i < s->patterns.count && !is_found; i++) {
        const struct pattern *p = &s->patterns.at[i];
        is_found = p->kind == kind && p->owner == owner &&
                   p->ordinal == ordinal;
        h->pattern = p->id;
    }
    assert_true(is_found);
    h->text = arena_printf(&s->arena, "line %u", (unsigned)line);
    s->hit_count++;
    return h;
}

static void take_captures(struct scene *s, struct hit *h, va_list list) {
    h->captures = arena_array(&s->arena, 32, sizeof *h->captures);
    const char *text;
    while ((text = va_arg(list, const char *)) != NULL) {
        struct capture *c = &h->captures[h->capture_count++];
        struct str value, group = str_cut(str_of(text), '=', &value);
        assert_true(fact_of_group(group, &c->name, &c->scale));
        c->text = value;
        c->line = h->first_line;
    }
}

struct hit *see_message(struct scene *s, const char *entry, uint32_t line,
                        ...) {
    struct hit *h = see(s, PATTERN_SIGNATURE, entry_number(s, entry), 0,
                        line);
    va_list list;
    va_start(list, line);
    take_captures(s, h, list);
    va_end(list);
    return h;
}

void see_condition(struct scene *s, const char *entry, size_t ordinal,
                   uint32_t line) {
    see(s, PATTERN_CONDITION, entry_number(s, entry), ordinal, line);
}

void see_stage(struct scene *s, const char *stage, bool is_frame,
               uint32_t line) {
    for (size_t i = 0; i < STAGE_ROWS; i++) {
        if (stage_rows[i].is_frame == is_frame &&
            str_eq(str_of(stage_rows[i].stage), str_of(stage))) {
            see(s, PATTERN_STAGE, 0, i, line);
            return;
        }
    }
    fail_msg("no stage row %s", stage);
}

struct hit *see_context(struct scene *s, const char *row, uint32_t line,
                        ...) {
    size_t i = 0;
    while (i < CONTEXT_ROWS &&
           !str_eq(str_of(context_rows[i]), str_of(row))) {
        i++;
    }
    struct hit *h = see(s, PATTERN_CONTEXT, 0, i, line);
    va_list list;
    va_start(list, line);
    take_captures(s, h, list);
    va_end(list);
    return h;
}

void user_says(struct scene *s, const char *fact_value) {
    struct str why;
    assert_true(answer_read(&s->arena, str_of(fact_value),
                            &s->answers[s->answer_count++], &why));
}

struct report *scene_report(struct scene *s) {
    struct scan_result *scan = arena_alloc(&s->arena, sizeof *scan);
    for (size_t i = 0; i < s->hit_count; i++) { /* nothing stands in front */
        s->hits[i].command_line = s->hits[i].command;
    }
    scan->hits = (struct hit_list){s->hits, s->hit_count};
    scan->streams = s->streams;
    scan->stream_count = SCENE_STREAMS;
    struct answers answers = {.at = s->answers, .count = s->answer_count,
                              .own = s->own, .own_count = s->own_count,
                              .machine = {.at = NULL}};
    return diagnose(&s->arena, s->reader, scan, STR("-"), &answers);
}

/* ---- checks ---- */

void expect_roots(const struct report *r, size_t count) {
    size_t roots = 0;
    for (size_t i = 0; i < r->finding_count; i++) {
        roots += r->findings[i].role == ROLE_root;
    }
    assert_int_equal(roots, count);
}

const struct finding *finding_of(const struct report *r, const char *entry) {
    for (size_t i = 0; i < r->finding_count; i++) {
        if (str_eq(r->findings[i].entry->id, str_of(entry))) {
            return &r->findings[i];
        }
    }
    fail_msg("no finding %s among %zu", entry, r->finding_count);
    return NULL;
}

const struct fact *fact_of(const struct fact_list *facts, const char *name) {
    enum fact_name which;
    assert_true(fact_named(str_of(name), &which));
    return facts_first(facts, which);
}

void expect_number(const struct fact_list *facts, const char *name,
                   int64_t number) {
    const struct fact *f = fact_of(facts, name);
    assert_non_null(f);
    assert_int_equal(f->number, number);
}

void expect_word(const struct fact_list *facts, const char *name,
                 const char *word) {
    const struct fact *f = fact_of(facts, name);
    assert_non_null(f);
    assert_true(str_eq(f->word, str_of(word)));
}
