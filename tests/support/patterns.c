/* patterns.c: a corpus that is nothing but patterns. */
#include "support/patterns.h"

#include "match/scanner.h"

#include "support/corpus.h"

static size_t count_kind(struct pattern_specs specs, enum pattern_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < specs.count; i++) {
        n += specs.at[i].kind == kind;
    }
    return n;
}

static struct text words(const char *en, const char *zh) {
    return (struct text){{str_of(en), str_of(zh)}};
}

static void add_signature(struct arena *a, struct entry *e, size_t number,
                          const struct pattern_spec *spec) {
    struct signature *s = arena_alloc(a, sizeof *s);
    s->id = STR("it");
    s->pattern = str_of(spec->text);
    s->is_weak = spec->text[0] == '^';
    s->sample = STR("none");
    s->extract.at = arena_array(a, SPEC_EXTRACTS, sizeof(struct str));
    while (s->extract.count < SPEC_EXTRACTS &&
           spec->extract[s->extract.count]) {
        s->extract.at[s->extract.count] =
            str_of(spec->extract[s->extract.count]);
        s->extract.count++;
    }
    e->id = arena_printf(a, "test/entry-%06zu", number);
    e->component = STR("test");
    e->title = words("It", "它");
    e->root_cause = words("Because", "因为");
    e->mechanism = MECHANISM_unspecified;
    e->signatures = s;
    e->signature_count = 1;
}

static void add_condition(struct entry *e, const char *text) {
    e->conditions[e->condition_count++] =
        (struct condition){.pattern = str_of(text), .scope = SCOPE_log};
}

static struct corpus corpus_of(struct arena *a, struct pattern_specs specs) {
    struct corpus c = {.entry_count = count_kind(specs, PATTERN_SIGNATURE)};
    c.entries = arena_array(a, c.entry_count + 1, sizeof *c.entries);
    c.engines = arena_alloc(a, sizeof *c.engines);
    c.engine_count = 1;
    c.engines->id = STR("test");
    c.engines->name = STR("Test");
    c.engines->newest = STR("1.0");
    c.engines->contexts = arena_array(a, specs.count,
                                      sizeof *c.engines->contexts);
    c.engines->stages = arena_array(a, specs.count,
                                    sizeof *c.engines->stages);
    c.entries->conditions = arena_array(a, specs.count,
                                        sizeof *c.entries->conditions);
    size_t entry = 0;
    for (size_t i = 0; i < specs.count; i++) {
        const struct pattern_spec *spec = &specs.at[i];
        switch (spec->kind) {
        case PATTERN_SIGNATURE:
            add_signature(a, &c.entries[entry], entry, spec);
            entry++;
            break;
        case PATTERN_CONDITION:
            add_condition(&c.entries[0], spec->text);
            break;
        case PATTERN_CONTEXT:
            c.engines->contexts[c.engines->context_count++].pattern =
                str_of(spec->text);
            break;
        case PATTERN_STAGE:
            c.engines->stages[c.engines->stage_count++] =
                (struct stage_anchor){.stage = STR("load"),
                                      .pattern = str_of(spec->text)};
            break;
        }
    }
    return c;
}

struct str patterns_image(struct arena *a, struct pattern_specs specs) {
    struct corpus c = corpus_of(a, specs);
    struct pattern_list list = corpus_patterns(a, &c);
    for (size_t i = 0; i < list.count; i++)
        pattern_analyze(a, &list.at[i]);
    return index_write(a, &c, &list, scan_rules_build(a, &list));
}

const struct scan_result *patterns_scan(struct arena *a,
                                        struct pattern_specs specs,
                                        struct str log, size_t piece) {
    const struct index *ix = index_open(a, patterns_image(a, specs));
    struct scanner *s =
        scan_new(a, scan_rules_open(a, ix), reader_new(ix, a), 0);
    if (piece == 0) {
        piece = log.n + 1;
    }
    for (size_t i = 0; i < log.n; i += piece) {
        scan_feed(s, str_slice(log, i, piece));
    }
    return scan_end(s);
}

const struct hit *hit_of_kind(const struct scan_result *r,
                              enum pattern_kind kind, size_t n) {
    for (size_t i = 0; i < r->hits.count; i++) {
        if (r->hits.at[i].kind == kind && n-- == 0) {
            return &r->hits.at[i];
        }
    }
    return NULL;
}

size_t hits_of_kind(const struct scan_result *r, enum pattern_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < r->hits.count; i++) {
        n += r->hits.at[i].kind == kind;
    }
    return n;
}

/* ---- one text, no prefilter ---- */

static uint32_t line_of(struct str text, size_t offset) {
    uint32_t line = 1;
    for (size_t i = 0; i < offset && i < text.n; i++)
        line += text.p[i] == '\n';
    return line;
}

static void add_capture(struct arena *a, struct str text,
                        const struct named_group *g, struct text_range range,
                        struct hit *hit) {
    struct str part = str_slice(text, range.from, range.to - range.from);
    size_t from = range.from;
    while (from > 0 && text.p[from - 1] != '\n')
        from--;
    if (!g->is_fact) {
        hit->command_line = arena_str(a, str_slice(text, from,
                                                   range.to - from));
        hit->command_at = range.from - from;
        hit->command = str_slice(hit->command_line, hit->command_at, part.n);
        return;
    }
    char *unwrapped = arena_alloc(a, part.n);
    struct capture next = {
        .name = g->name, .scale = g->scale, .line = line_of(text, range.from),
        .text = {unwrapped, capture_unwrap(part, unwrapped)},
        .front = str_slice(text, from, range.from - from)};
    size_t i = hit->capture_count++;
    hit->captures[i] = next;
}

/* In text order: the group that begins next, until none is left. */
static void add_captures(struct arena *a, const struct matcher *m,
                         const struct regex *r, struct str text,
                         struct hit *hit) {
    size_t count = regex_group_count(r);
    bool *is_done = arena_array(a, count, sizeof *is_done);
    hit->captures = arena_array(a, count, sizeof *hit->captures);
    for (;;) {
        size_t next = count;
        struct text_range range, best = {0};
        for (size_t i = 0; i < count; i++) {
            if (is_done[i] ||
                !regex_group(m, regex_groups(r)[i].number, &range) ||
                range.from == range.to)
                continue;
            if (next == count || range.from < best.from) {
                best = range;
                next = i;
            }
        }
        if (next == count)
            return;
        is_done[next] = true;
        add_capture(a, text, &regex_groups(r)[next], best, hit);
    }
}

bool pattern_hit(struct arena *a, struct str pattern, struct str text,
                 struct hit *hit) {
    struct pattern_error error;
    struct text_range range;
    struct matcher *m = matcher_new(a);
    struct regex *r = regex_of(m, pattern, &error);
    struct search search = {.subject = text, .latest = text.n};
    if (!r || !regex_find(m, r, &search, &range))
        return false;
    *hit = (struct hit){
        .text = arena_str(a, str_slice(text, range.from, range.to - range.from)),
        .first_line = line_of(text, range.from),
        .last_line = line_of(text, range.to > range.from ? range.to - 1
                                                       : range.to),
        .order = range.from};
    hit->trace_first = hit->first_line;
    hit->trace_last = hit->last_line;
    add_captures(a, m, r, text, hit);
    return true;
}
