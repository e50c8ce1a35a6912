/* precomputed.c: values of predicates that are computed at build.
 *
 *     stage = 'load'       load: true   serve: false   ...   unknown: unknown
 *     coalesce(engine, 'vllm') = 'vllm'       vllm: true   ...   unknown: true
 *
 * At build SQLite evaluates each predicate with none of its facts known, and a
 * predicate over one text fact with each text that some predicate compares that
 * fact with. A run looks these values up first and rarely needs SQLite; for
 * other facts it evaluates the predicate. So there is one evaluator for both.
 */
#include "index/read.h"
#include "base/limits.h"
#include "index/write.h"

#include <stdlib.h>

#define BATCH 256 /* statements open at a time */

/* ---- a run ---- */

static bool truth_of_word(const struct precomputed *f, struct str word,
                          enum truth *truth) {
    for (size_t i = 0; i < f->value_count; i++) {
        if (str_eq(f->values[i].word, word)) {
            *truth = f->values[i].truth;
            return true;
        }
    }
    return false;
}

bool precomputed_find(const struct pack *pack, struct arena *a,
                   struct str predicate, struct precomputed *f) {
    struct record record;
    if (!pack_find(pack, a, SECTION_PRECOMPUTED, predicate, &record))
        return false;
    codec_precomputed(&record, f);
    record_end(&record);
    return true;
}

bool precomputed_verdict(const struct precomputed *f,
                         const struct fact_list *facts,
                         struct verdict_when *v) {
    struct verdict_when verdict = {.truth = TRUTH_UNKNOWN};
    struct fact room;
    if (when_list_facts(facts, f->facts, f->fact_count, &verdict) == 0) {
        verdict.truth = f->unknown;
    } else if (f->value_count == 0 ||
               !truth_of_word(f, when_value(facts, f->facts[0], &room)->word,
                              &verdict.truth)) {
        return false;
    }
    *v = verdict;
    return true;
}

/* ---- the build ---- */

struct predicate_set {
    struct arena *a;
    struct pack_draft *pack;
    struct str *predicates; /* sorted, each once */
    size_t count, cap;
    /* texts that predicates compare a fact with */
    struct str words[FACT_COUNT_OF][PRECOMPUTED_VALUES_MAX];
    size_t word_count[FACT_COUNT_OF];
};

static void gather(struct predicate_set *w, const struct str_list *when) {
    for (size_t i = 0; i < when->count; i++) {
        w->predicates = arena_grow(w->a, w->predicates, w->count, &w->cap,
                                   sizeof *w->predicates);
        w->predicates[w->count++] = when->at[i];
    }
}

static void gather_evidence(struct predicate_set *w, const struct cause *c) {
    for (size_t i = 0; i < c->evidence_count; i++)
        gather(w, &(struct str_list){&c->evidence[i].when, 1});
}

static void gather_fixes(struct predicate_set *w, const struct workaround *list,
                         size_t count) {
    for (size_t i = 0; i < count; i++) {
        gather(w, &list[i].when);
        gather(w, &list[i].command_when);
    }
}

static void gather_corpus(struct predicate_set *w, const struct corpus *c) {
    for (size_t i = 0; i < c->cause_count; i++)
        gather_evidence(w, &c->causes[i]);
    for (size_t i = 0; i < c->entry_count; i++) {
        const struct entry *e = &c->entries[i];
        gather(w, &e->when);
        gather_fixes(w, e->workarounds, e->workaround_count);
        for (size_t k = 0; k < e->dead_end_count; k++)
            gather(w, &e->dead_ends[k].when);
    }
    for (size_t i = 0; i < c->program_count; i++)
        gather_fixes(w, c->programs[i].levers, c->programs[i].lever_count);
}

static int by_text(const void *x, const void *y) {
    return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static void sort_unique(struct predicate_set *w) {
    size_t kept = 0;
    if (w->count > 1)
        qsort(w->predicates, w->count, sizeof *w->predicates, by_text);
    for (size_t i = 0; i < w->count; i++) {
        if (kept == 0 || !str_eq(w->predicates[i], w->predicates[kept - 1]))
            w->predicates[kept++] = w->predicates[i];
    }
    w->count = kept;
}

/* True if the predicate has one fact, which is a text. */
static bool is_of_one_text(const enum fact_name *facts, size_t count) {
    return count == 1 && fact_unit(facts[0]) == UNIT_TEXT;
}

static void add_word(struct predicate_set *w, enum fact_name name,
                     struct str word) {
    size_t n = w->word_count[name];
    for (size_t i = 0; i < n; i++) {
        if (str_eq(w->words[name][i], word))
            return;
    }
    if (n < PRECOMPUTED_VALUES_MAX)
        w->words[name][w->word_count[name]++] = word;
}

/* Add the quoted texts of a predicate over one text fact. */
static void add_words(struct predicate_set *w, struct str predicate) {
    struct predicate p = predicate_read(predicate, NULL);
    struct str rest = predicate;
    while (p.why == NULL && is_of_one_text(p.facts, p.fact_count) &&
           rest.n > 0) {
        (void)str_cut(rest, '\'', &rest);
        add_word(w, p.facts[0], str_cut(rest, '\'', &rest));
    }
}

static void evaluate_words(struct predicate_set *w, struct when *when,
                           struct str predicate, struct precomputed *f) {
    enum fact_name name = f->facts[0];
    f->values = arena_array(w->a, w->word_count[name], sizeof *f->values);
    for (size_t i = 0; i < w->word_count[name]; i++) {
        struct fact fact = {
            .name = name, .known = true, .word = w->words[name][i]};
        struct fact_list facts = {&fact, 1, 1};
        f->values[f->value_count++] = (struct precomputed_value){
            fact.word, when_evaluate(when, predicate, NULL, &facts).truth};
    }
}

static void evaluate(struct predicate_set *w, struct when *when,
                     struct str predicate) {
    struct fact_list none = {NULL, 0, 0};
    struct precomputed f;
    if (!when_prepare(when, predicate, &f)) {
        return; /* a check of the build reports it */
    }
    f.unknown = when_evaluate(when, predicate, NULL, &none).truth;
    if (is_of_one_text(f.facts, f.fact_count))
        evaluate_words(w, when, predicate, &f);
    codec_precomputed(pack_add_key(w->pack, SECTION_PRECOMPUTED, predicate),
                      &f);
}

void write_precomputed(struct pack_draft *pack, struct arena *a,
                    const struct corpus *c) {
    struct predicate_set *w = arena_alloc(a, sizeof *w);
    w->a = a;
    w->pack = pack;
    gather_corpus(w, c);
    sort_unique(w);
    for (size_t i = 0; i < w->count; i++)
        add_words(w, w->predicates[i]);
    for (int i = 0; i < STAGE_COUNT_OF; i++)
        add_word(w, FACT_stage, str_of(word_spelling(WORDS_STAGE, i)));
    for (size_t i = 0; i < c->engine_count; i++)
        add_word(w, FACT_engine, c->engines[i].id);
    for (size_t from = 0; from < w->count; from += BATCH) {
        const struct arena_defer *before = a->deferred;
        struct when *when = when_new(a);
        for (size_t i = from; i < w->count && i < from + BATCH; i++)
            evaluate(w, when, w->predicates[i]);
        arena_release_to(a, before);
    }
}
