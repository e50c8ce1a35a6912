/* test_removal.c: what is not known makes nothing firmer, on samples of the
 * corpus. Each is diagnosed; of the facts of each of its roots one at a time
 * is taken away, and every effect is asked again:
 *
 *     enough, not enough  >  may be enough, unknown, none
 *
 * A bound that comes of a fact less is counted and shown, and no fault here.
 *
 * tests/memory/test_removal.c has cases made by hand, with facts that samples
 * lack. SHOW=1 names every step up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <glob.h>

#include <cmocka.h>

#include "corpus/words.h"
#include "diagnose/work.h"
#include "memory/memory.h"
#include "support/corpus.h"


struct play {
    const struct index *index;
    const struct scan_rules *rules;
    size_t samples, asked, firmer;
    size_t bounds; /* may be enough, of what was unknown or none before */
};

static int firmness(enum verdict v) {
    switch (v) {
    case VERDICT_ENOUGH:
    case VERDICT_NOT_ENOUGH: return 2;
    case VERDICT_MAY_BE_ENOUGH: return 1;
    case VERDICT_UNKNOWN:
    case VERDICT_NONE: break;
    }
    return 0;
}

/* As in tests/memory/test_removal.c: nothing firm comes of a fact less, unless it
 * was as firm before. `none` says that the fix does not touch what failed, so
 * that `not enough` says no more. */
static bool may_follow(enum verdict with, enum verdict without) {
    bool helps_not = with == VERDICT_NONE && without == VERDICT_NOT_ENOUGH;
    return firmness(without) < 2 || with == without || helps_not;
}

static void tell(const struct finding *f, enum effect effect, enum verdict was,
                 enum verdict is, enum fact_name gone) {
    if (getenv("SHOW") != NULL) {
        print_error("%.*s: %s is %d, and %d without %s\n",
                    STR_ARG(f->entry->id), word_spelling(WORDS_EFFECT, (int)effect),
                    (int)was, (int)is, fact_spelling(gone));
    }
}

static void compare(struct play *p, const struct finding *f,
                    const struct inputs *with, enum fact_name gone) {
    struct arena a;
    struct inputs without = *with;
    without.in[gone].known = false;
    arena_init(&a, NULL, 0);
    for (int e = 0; e < EFFECT_COUNT_OF; e++) {
        enum effect effect = (enum effect)e;
        enum verdict was =
            memory_effect(&a, with, f->shortage, effect).verdict;
        enum verdict is =
            memory_effect(&a, &without, f->shortage, effect).verdict;
        p->asked++;
        p->bounds += firmness(was) == 0 && firmness(is) == 1;
        if (!may_follow(was, is)) {
            p->firmer++;
            tell(f, effect, was, is, gone);
        }
    }
    arena_free(&a);
}

static void play_finding(struct play *p, struct diagnosis *d,
                         const struct finding *f) {
    struct inputs c;
    inputs_fill(d, &f->facts, &c);
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        if (c.in[n].known) {
            compare(p, f, &c, (enum fact_name)n);
        }
    }
}

static void play_text(struct play *p, struct str text) {
    struct arena a;
    arena_init(&a, NULL, 0);
    struct reader *r = reader_new(p->index, &a);
    struct scanner *s = scan_new(&a, p->rules, r, 0);
    scan_feed(s, text);
    scan_feed(s, STR("\n"));
    const struct answers none = {0};
    const struct report *rep =
        diagnose(&a, r, scan_end(s), STR("a sample"), &none);
    const struct fact *engine = facts_first(&rep->context, FACT_engine);
    struct diagnosis d = {.a = &a, .r = r, .answers = &none,
                          .context = rep->context};
    d.engine = engine ? reader_engine_by_id(r, engine->word) : NULL;
    for (size_t i = 0; i < rep->finding_count; i++) {
        if (rep->findings[i].role == ROLE_root) {
            play_finding(p, &d, &rep->findings[i]);
        }
    }
    p->samples++;
    arena_free(&a);
}

static void play_samples(struct play *p, struct arena *a) {
    struct reader *r = reader_new(p->index, a);
    for (uint32_t i = 0; i < index_entry_count(p->index); i++) {
        const struct entry *e = reader_entry(r, i);
        for (size_t k = 0; k < e->signature_count; k++) {
            if (is_asked(e->signatures[k].sample, 5)) {
                play_text(p, e->signatures[k].sample);
            }
        }
    }
}

static void play_logs(struct play *p, struct arena *a) {
    glob_t logs;
    assert_int_equal(glob("entries/*/*.log", 0, NULL, &logs), 0);
    for (size_t i = 0; i < logs.gl_pathc; i++) {
        if (is_asked(str_of(logs.gl_pathv[i]), 5)) {
            play_text(p, file_bytes(a, logs.gl_pathv[i]));
        }
    }
    globfree(&logs);
}

static void every_sample_of_the_corpus(struct arena *a) {
    struct play p = {.index = index_open(a, file_bytes(a, SHIPPED_INDEX))};
    p.rules = scan_rules_open(a, p.index);
    play_samples(&p, a);
    play_logs(&p, a);
    print_message("%zu samples, %zu verdicts: %zu firm of a fact less, %zu with "
                  "a bound that had none\n", p.samples, p.asked, p.firmer,
                  p.bounds);
    assert_true(p.samples > 300 && p.asked > 20000);
    assert_int_equal(p.firmer, 0);
}

static void a_fact_less_makes_nothing_firmer(void **state) {
    (void)state;
    with_arena(every_sample_of_the_corpus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fact_less_makes_nothing_firmer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
