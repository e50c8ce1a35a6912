/* codec_kb.c: structs without rows in corpus/fields.h: patterns and the ranking
 * numbers. */
#include "index/codec.h"

static void codec_analysis(struct record *r,
                           struct pattern_analysis *analysis) {
    record_str(r, &analysis->prepared);
    record_strings(r, &analysis->guards);
    record_str(r, &analysis->guard_words);
    record_str(r, &analysis->extract_words);
    record_bool(r, &analysis->needs_utf);
    record_str(r, &analysis->suffix);
}

/* Without its pattern, which is the text of p. */
static void codec_context(struct record *r, struct pattern *p) {
    struct context_pattern *row = arena_alloc(r->arena, sizeof *row);
    if (p->context != NULL)
        *row = *p->context;
    row->pattern = (struct str){NULL, 0};
    codec_shape(r, &shape_context, row);
    row->pattern = p->text;
    p->context = row;
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
    if (p->kind == PATTERN_CONTEXT)
        codec_context(r, p);
    codec_analysis(r, &p->analysis);
}

/* ---- ranking numbers ---- */

void codec_ranking(struct record *r, struct ranking *ranking) {
    for (int i = 0; i < RANKING_COUNT_OF; i++) {
        record_int(r, &ranking->micro[i]);
        record_text(r, &ranking->origin[i]);
    }
}
