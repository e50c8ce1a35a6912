/* patterns.c: a corpus that is nothing but patterns. */
#include "support/patterns.h"

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
        pattern_study(a, &list.at[i]);
    return index_write(a, &c, &list, scan_kit_build(a, &list));
}

const struct scan_result *patterns_scan(struct arena *a,
                                        struct pattern_specs specs,
                                        struct str log, size_t piece) {
    const struct index *ix = index_open(a, patterns_image(a, specs));
    struct scanner *s = scan_new(a, scan_kit_open(a, ix), reader_new(ix, a), 0);
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
