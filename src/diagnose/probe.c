/* probe.c: decides whether the answer to a question would change the report. It
 * tries possible answers: small and large amounts, few and many, true and
 * false, old and new releases. If the first fixes keep their order and their
 * verdicts for all of them, the question is not asked.
 *
 * Facts that are words have no such list, except for the few below; their
 * questions are always asked.
 */
#include "diagnose/work.h"

#define COMPARED 4 /* fixes that are compared: those that a report shows, and
                      the next one */
#define MIB (INT64_C(1) << 20)

/* No program requests these sizes, so no sum is equal by chance. */
static const int64_t sizes[] = {3 * MIB, 700 * MIB, 9000 * MIB, 90000 * MIB,
                                3000000 * MIB};
static const int64_t counts[] = {1, 2, 8, 64, 1024, 131072};
static const int64_t shares[] = {100000, 500000, 900000, 990000};
static const int64_t truths[] = {0, 1};

static const struct {
    enum fact_name fact;
    const char *words[8];
} word_probes[] = {
    {FACT_torch_version, {"1.4.0", "1.13.0", "2.0.0", "2.4.0", "2.8.0", "3.0"}},
    {FACT_cuda_version, {"10.2", "11.8", "12.8", "13.0"}},
    {FACT_engine_version, {"0.1.0", "0.6.0", "0.8.0", "0.10.0", "0.14.0",
                           "0.20.0", "1.0.0", "9.0.0"}},
    {FACT_os, {"linux", "windows", "macos"}},
    {FACT_task, {"train", "infer"}},
};

struct probes {
    const int64_t *numbers;
    const char *const *words;
    size_t count;
};

static struct probes probes_of(enum fact_name name) {
    for (size_t i = 0; i < sizeof word_probes / sizeof *word_probes; i++) {
        if (word_probes[i].fact == name) {
            struct probes p = {.words = word_probes[i].words};
            while (p.count < 8 && p.words[p.count] != NULL)
                p.count++;
            return p;
        }
    }
    switch (fact_unit(name)) {
    case UNIT_BYTES: return (struct probes){sizes, NULL, 5};
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT: return (struct probes){counts, NULL, 6};
    case UNIT_RATIO: return (struct probes){shares, NULL, 4};
    case UNIT_BOOL: return (struct probes){truths, NULL, 2};
    case UNIT_SECONDS:
    case UNIT_TEXT:
    case UNIT_VERSION: break;
    }
    return (struct probes){NULL, NULL, 0};
}

/* True if both have the same first fixes with the same verdicts. */
static bool is_same_answer(const struct finding *x, const struct finding *y) {
    size_t i = 0, k = 0;
    for (size_t n = 0; n < COMPARED; n++, i++, k++) {
        while (i < x->fix_count && !fix_is_offered(&x->fixes[i]))
            i++;
        while (k < y->fix_count && !fix_is_offered(&y->fixes[k]))
            k++;
        if (i >= x->fix_count || k >= y->fix_count)
            return i >= x->fix_count && k >= y->fix_count;
        if (!str_eq(x->fixes[i].workaround->id, y->fixes[k].workaround->id) ||
            x->fixes[i].applies != y->fixes[k].applies ||
            fix_verdict(&x->fixes[i]) != fix_verdict(&y->fixes[k]))
            return false;
    }
    return true;
}

static struct fact supposed(const struct probes *p, enum fact_name name,
                            size_t i) {
    return p->words != NULL
               ? fact_word(name, SOURCE_USER, str_of(p->words[i]))
               : fact_number(name, SOURCE_USER, p->numbers[i]);
}

/* One trial of an answer, with an arena of its own. */
struct trial {
    const struct diagnosis *d;
    const struct finding *f, *bare;
    struct fact fact;
    struct arena scratch;
    bool is_same;
};

static void trial_run(struct trial *t) {
    struct inputs c;
    struct diagnosis then = *t->d;
    struct finding weighed = *t->bare;
    then.a = &t->scratch;
    then.is_trial = true;
    then.context = fact_list_copy(then.a, &t->d->context, 1);
    facts_drop(&then.context, t->fact.name);
    facts_add(then.a, &then.context, &t->fact);
    finding_weigh(&then, &weighed, &c);
    t->is_same = is_same_answer(t->f, &weighed);
}

bool answer_would_decide(const struct diagnosis *d, const struct finding *f,
                         const struct finding *bare, enum fact_name name) {
    struct probes p = probes_of(name);
    struct trial *t = arena_alloc(d->a, sizeof *t);
    *t = (struct trial){.d = d, .f = f, .bare = bare, .is_same = true};
    arena_init_inside(&t->scratch, d->a, d->a->ceiling_bytes);
    for (size_t i = 0; i < p.count && t->is_same; i++) {
        t->fact = supposed(&p, name, i);
        trial_run(t);
        arena_free(&t->scratch);
    }
    return p.count == 0 || !t->is_same;
}
