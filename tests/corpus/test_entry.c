/* shape_difference() sees every field: each is changed in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/corpus.h"
#include "support/difference.h"

static struct entry full_entry(struct arena *a) {
    return tiny_corpus(a).entries[TINY_FULL];
}

/* The field that a change made differ, or the key that it holds. */
static void expect_difference(const struct entry *a, const struct entry *b,
                              const char *field) {
    char path[FIELD_PATH_MAX];
    size_t n = strlen(field);
    const char *found = shape_difference(&shape_entry, a, b, path);
    if (found == NULL || strncmp(found, field, n) != 0 ||
        (found[n] != '\0' && found[n] != '.')) {
        fail_msg("%s is called %s", field, found ? found : "no difference");
    }
}

#define OTHER STR("something else")

static void expect_same(const struct entry *a, const struct entry *b) {
    char path[FIELD_PATH_MAX];
    assert_null(shape_difference(&shape_entry, a, b, path));
}

static void see_heads(struct arena *arena) {
    struct entry a = full_entry(arena), b;
    expect_same(&a, &a);
    b = full_entry(arena);
    expect_same(&a, &b);
    b.id = OTHER, expect_difference(&a, &b, "id"), b = a;
    b.component = OTHER, expect_difference(&a, &b, "component"), b = a;
    b.mechanism = MECHANISM_weights;
    expect_difference(&a, &b, "mechanism"), b = a;
    b.severity = SEVERITY_info, expect_difference(&a, &b, "severity"), b = a;
    b.role = ROLE_wrapper, expect_difference(&a, &b, "role"), b = a;
    b.title.in[LANG_ZH] = OTHER, expect_difference(&a, &b, "title"), b = a;
    b.root_cause.in[LANG_EN] = OTHER;
    expect_difference(&a, &b, "root_cause"), b = a;
    b.same_words_as = OTHER;
    expect_difference(&a, &b, "same_words_as"), b = a;
    b.prefer.count = 0, expect_difference(&a, &b, "prefer"), b = a;
    b.when.count--, expect_difference(&a, &b, "when"), b = a;
    b.first_seen = OTHER, expect_difference(&a, &b, "first_seen"), b = a;
    b.last_verified = OTHER;
    expect_difference(&a, &b, "last_verified"), b = a;
    b.renamed_from.count--, expect_difference(&a, &b, "renamed_from"), b = a;
    b.withdrawn.in[0] = OTHER, expect_difference(&a, &b, "withdrawn"), b = a;
    b.provenance.source = OTHER;
    expect_difference(&a, &b, "provenance"), b = a;
    b.provenance.verification = OTHER;
    expect_difference(&a, &b, "provenance"), b = a;
    b.provenance.confidence_micro++;
    expect_difference(&a, &b, "provenance"), b = a;
    b.provenance.fix_rate_micro++;
    expect_difference(&a, &b, "provenance"), b = a;
    b.provenance.evidence_count++;
    expect_difference(&a, &b, "provenance");
}

static void see_counts(struct arena *arena) {
    struct entry a = full_entry(arena), b = a;
    b.signature_count--, expect_difference(&a, &b, "signatures"), b = a;
    b.condition_count--, expect_difference(&a, &b, "all_of"), b = a;
    b.workaround_count--, expect_difference(&a, &b, "workarounds"), b = a;
    b.dead_end_count--, expect_difference(&a, &b, "dead_ends"), b = a;
    b.version_count--, expect_difference(&a, &b, "versions"), b = a;
    b.hardware_count--, expect_difference(&a, &b, "hardware"), b = a;
    b.doc_count--, expect_difference(&a, &b, "docs"), b = a;
    b.evidence_count--, expect_difference(&a, &b, "evidence"), b = a;
    b.relation_count--, expect_difference(&a, &b, "relations");
}

static void see_selection(struct arena *arena) {
    struct entry a = full_entry(arena), b = full_entry(arena);
    struct signature *s = &b.signatures[0], whole = *s;
    s->id = OTHER, expect_difference(&a, &b, "signatures.id"), *s = whole;
    s->pattern = OTHER;
    expect_difference(&a, &b, "signatures.pattern"), *s = whole;
    s->is_weak = true, expect_difference(&a, &b, "signatures.weak"), *s = whole;
    s->version_count--;
    expect_difference(&a, &b, "signatures.versions"), *s = whole;
    s->versions[0].events[1].version = OTHER;
    expect_difference(&a, &b, "signatures.versions");
    b = full_entry(arena), s = &b.signatures[0], whole = *s;
    s->versions[1].events[0].is_fixed = true;
    expect_difference(&a, &b, "signatures.versions");
    b = full_entry(arena), s = &b.signatures[0], whole = *s;
    s->set_count--, expect_difference(&a, &b, "signatures.set"), *s = whole;
    s->set[0].name = FACT_pod;
    expect_difference(&a, &b, "signatures.set");
    b = full_entry(arena), s = &b.signatures[0], whole = *s;
    s->extract.count--;
    expect_difference(&a, &b, "signatures.extract"), *s = whole;
    s->sample = OTHER, expect_difference(&a, &b, "signatures.sample");
    b = full_entry(arena);
    struct condition *c = &b.conditions[1], first = *c;
    c->pattern = OTHER;
    expect_difference(&a, &b, "all_of.pattern"), *c = first;
    c->scope = SCOPE_log;
    expect_difference(&a, &b, "all_of.scope"), *c = first;
    c->is_none_of = false;
    expect_difference(&a, &b, "all_of.is_none_of"), *c = first;
    c->is_weak = false, expect_difference(&a, &b, "all_of.weak");
}

static void see_rate(struct entry *a, struct entry *b, struct rate *rate,
                     const char *field) {
    struct rate whole = *rate;
    rate->basis = BASIS_none, expect_difference(a, b, field), *rate = whole;
    rate->worked++, expect_difference(a, b, field), *rate = whole;
    rate->tried++, expect_difference(a, b, field), *rate = whole;
    rate->rate_micro++, expect_difference(a, b, field), *rate = whole;
    rate->because.in[0] = OTHER;
    expect_difference(a, b, field), *rate = whole;
    rate->source = OTHER, expect_difference(a, b, field), *rate = whole;
    rate->links.count--, expect_difference(a, b, field), *rate = whole;
}

static void see_advice(struct arena *arena) {
    struct entry a = full_entry(arena), b = full_entry(arena);
    struct workaround *w = &b.workarounds[0], whole = *w;
    w->id = OTHER, expect_difference(&a, &b, "workarounds.id"), *w = whole;
    w->action.in[0] = OTHER;
    expect_difference(&a, &b, "workarounds.action"), *w = whole;
    w->how.in[1] = OTHER;
    expect_difference(&a, &b, "workarounds.how"), *w = whole;
    w->trade_off.in[1] = OTHER;
    expect_difference(&a, &b, "workarounds.trade_off"), *w = whole;
    w->acts_on.change = CHANGE_set;
    expect_difference(&a, &b, "workarounds.acts_on"), *w = whole;
    w->acts_on.flag = OTHER;
    expect_difference(&a, &b, "workarounds.acts_on"), *w = whole;
    w->command = OTHER;
    expect_difference(&a, &b, "workarounds.command"), *w = whole;
    w->effort = EFFORT_code, expect_difference(&a, &b, "workarounds.effort");
    *w = whole, w->loses = LOSES_quality;
    expect_difference(&a, &b, "workarounds.loses"), *w = whole;
    w->frees = FREES_copies;
    expect_difference(&a, &b, "workarounds.frees"), *w = whole;
    w->use = OTHER, expect_difference(&a, &b, "workarounds.use"), *w = whole;
    w->cure_count--;
    expect_difference(&a, &b, "workarounds.cures"), *w = whole;
    b.causes[0].share_micro++;
    expect_difference(&a, &b, "causes"), b.causes[0].share_micro--;
    w->when.count--;
    expect_difference(&a, &b, "workarounds.when"), *w = whole;
    w->effect = EFFECT_none;
    expect_difference(&a, &b, "workarounds.effect"), *w = whole;
    see_rate(&a, &b, &w->success, "workarounds.success");
    struct dead_end *d = &b.dead_ends[0], end = *d;
    d->action.in[0] = OTHER;
    expect_difference(&a, &b, "dead_ends.action"), *d = end;
    d->why.in[0] = OTHER, expect_difference(&a, &b, "dead_ends.why"), *d = end;
    d->instead.in[0] = OTHER;
    expect_difference(&a, &b, "dead_ends.instead"), *d = end;
    d->acts_on.kind = ACT_KIND_wait;
    expect_difference(&a, &b, "dead_ends.acts_on"), *d = end;
    d->when.count--, expect_difference(&a, &b, "dead_ends.when"), *d = end;
    see_rate(&a, &b, &d->fail, "dead_ends.fail");
}

static void see_truth(struct arena *arena) {
    struct entry a = full_entry(arena), b = full_entry(arena);
    b.versions[1].range.product = OTHER;
    expect_difference(&a, &b, "versions"), b = full_entry(arena);
    b.versions[0].status = RANGE_STATUS_fixed;
    expect_difference(&a, &b, "versions"), b = full_entry(arena);
    b.versions[0].note.in[0] = OTHER;
    expect_difference(&a, &b, "versions"), b = full_entry(arena);
    b.hardware[0].name = OTHER;
    expect_difference(&a, &b, "hardware"), b = full_entry(arena);
    b.hardware[0].status = RANGE_STATUS_fixed;
    expect_difference(&a, &b, "hardware"), b = full_entry(arena);
    b.docs[0].url = OTHER;
    expect_difference(&a, &b, "docs"), b = full_entry(arena);
    b.docs[0].seen = OTHER;
    expect_difference(&a, &b, "docs"), b = full_entry(arena);
    b.evidence[1].claim.in[1] = OTHER;
    expect_difference(&a, &b, "evidence"), b = full_entry(arena);
    b.relations[1].kind = RELATION_leads_to;
    expect_difference(&a, &b, "relations"), b = full_entry(arena);
    b.relations[1].entry = OTHER;
    expect_difference(&a, &b, "relations"), b = full_entry(arena);
    b.relations[0].tell_apart.in[0] = OTHER;
    expect_difference(&a, &b, "relations");
}

static void heads_differ(void **state) {
    (void)state;
    with_arena(see_heads);
}
static void counts_differ(void **state) {
    (void)state;
    with_arena(see_counts);
}
static void selection_differs(void **state) {
    (void)state;
    with_arena(see_selection);
}
static void advice_differs(void **state) {
    (void)state;
    with_arena(see_advice);
}
static void truth_differs(void **state) {
    (void)state;
    with_arena(see_truth);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_differ),   cmocka_unit_test(counts_differ),
        cmocka_unit_test(selection_differs), cmocka_unit_test(advice_differs),
        cmocka_unit_test(truth_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
