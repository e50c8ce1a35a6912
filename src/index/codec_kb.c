/* codec_kb.c: structs without rows in corpus/fields.h: patterns, precomputed
 * predicates, the ranking numbers. */
#include "index/codec.h"

static void codec_analysis(struct record *r, struct pattern_study *study) {
    record_str(r, &study->prepared);
    record_strings(r, &study->guards);
    record_bool(r, &study->needs_utf);
    record_number(r, &study->front_lines);
    record_str(r, &study->suffix);
}

void codec_pattern(struct record *r, struct pattern *p) {
    int kind = record_word(r, (int)p->kind, PATTERN_STAGE + 1);
    p->kind = (enum pattern_kind)kind;
    record_number(r, &p->owner);
    record_number(r, &p->ordinal);
    record_bool(r, &p->is_weak);
    record_bool(r, &p->is_prose);
    record_bool(r, &p->is_failure);
    record_str(r, &p->text);
    record_strings(r, &p->extract);
    codec_analysis(r, &p->study);
}

/* ---- predicates ---- */

static enum truth codec_truth(struct record *r, enum truth truth) {
    return (enum truth)record_word(r, (int)truth, TRUTH_UNKNOWN + 1);
}

void codec_precomputed(struct record *r, struct precomputed *f) {
    f->fact_count = (size_t)record_word(r, (int)f->fact_count,
                                        PREDICATE_FACTS_MAX + 1);
    for (size_t i = 0; i < f->fact_count; i++)
        f->facts[i] = record_fact(r, f->facts[i]);
    record_str(r, &f->sql);
    f->unknown = codec_truth(r, f->unknown);
    LIST(r, f->values, f->value_count);
    for (size_t i = 0; i < f->value_count; i++) {
        record_str(r, &f->values[i].word);
        f->values[i].truth = codec_truth(r, f->values[i].truth);
    }
}

/* ---- ranking numbers ---- */

void codec_ranking(struct record *r, struct ranking *ranking) {
    for (int i = 0; i < RANKING_COUNT_OF; i++) {
        record_int(r, &ranking->micro[i]);
        record_text(r, &ranking->origin[i]);
    }
}
