/* scene.h: a corpus of a few lines and hits made by hand, so that a test says
 * what was seen and what the answer must be, without patterns or logs.
 *
 *     struct scene s;
 *     scene_begin(&s);
 *     struct entry *e = scene_entry(&s, "torch/oom", MECHANISM_unspecified);
 *     scene_ready(&s);
 *     see_message(&s, "torch/oom", 12, "tried_alloc=2.00 GiB", NULL);
 *     struct report *r = scene_report(&s);
 *     scene_end(&s);
 *
 * Engine "vllm" is there with stages load, profile, serve (frames first, then
 * lines passed: see the table in scene.c), a few flags and contexts. Lines
 * must be seen in rising order.
 */
#ifndef SUPPORT_SCENE_H
#define SUPPORT_SCENE_H

#include "diagnose/diagnose.h"

#define SCENE_ENTRIES 16
#define SCENE_HITS 256
#define SCENE_STREAMS 16
#define SCENE_ANSWERS 8
#define SCENE_CAUSES 8 /* and evidence of each */

struct scene {
    struct arena arena;
    struct entry entries[SCENE_ENTRIES];
    struct cause causes[SCENE_CAUSES];
    struct corpus corpus;
    struct index *index;
    struct reader *reader;
    struct pattern_list patterns;
    struct hit hits[SCENE_HITS];
    size_t hit_count;
    struct stream streams[SCENE_STREAMS];
    uint32_t stream; /* of what is seen next */
    struct fact answers[SCENE_ANSWERS];
    struct own_report own[SCENE_ANSWERS];
    size_t own_count;
    size_t answer_count;
};

void scene_begin(struct scene *s);
void scene_end(struct scene *s);

/* With one signature (id "words"); role root, severity failure. */
struct entry *scene_entry(struct scene *s, const char *id, enum mechanism m);
/* One that answers the words of head. */
struct entry *scene_member(struct scene *s, const char *id, enum mechanism m,
                           const char *head);
void entry_when(struct scene *s, struct entry *e, const char *predicate);
void entry_condition(struct scene *s, struct entry *e, enum scope scope,
                     bool is_none_of);
void entry_relation(struct scene *s, struct entry *e, enum relation_kind kind,
                    const char *other);
struct workaround *entry_fix(struct scene *s, struct entry *e, const char *id);
struct dead_end *entry_dead_end(struct scene *s, struct entry *e,
                                const char *action);
/* Causes: the numbers that rank are those of kb/ranking.yaml, but for odds of
 * 2 for each unit of weight. */
struct cause *scene_cause(struct scene *s, const char *id, enum mechanism m,
                          enum restart restart);
void cause_evidence(struct scene *s, struct cause *c, const char *when,
                    int64_t weight, const char *family);
void entry_cause(struct entry *e, const char *id, int64_t share_micro);
void fix_cures(struct scene *s, struct workaround *w, const char *id,
               enum strength strength);
struct str_list scene_list(struct scene *s, const char *only);
void scene_ready(struct scene *s);

/* What was seen. Captures are "fact=text" or "fact__GiB=text", NULL ends. */
struct hit *see_message(struct scene *s, const char *entry, uint32_t line,
                        ...);
void see_condition(struct scene *s, const char *entry, size_t ordinal,
                   uint32_t line);
void see_stage(struct scene *s, const char *stage, bool is_frame,
               uint32_t line);
/* row: "engine" (sets vllm), "dump", "flag", "command". */
struct hit *see_context(struct scene *s, const char *row, uint32_t line, ...);
void user_says(struct scene *s, const char *fact_value);

struct report *scene_report(struct scene *s);

/* Checks. */
void expect_roots(const struct report *r, size_t count);
const struct finding *finding_of(const struct report *r, const char *entry);
const struct fact *fact_of(const struct fact_list *facts, const char *name);
void expect_number(const struct fact_list *facts, const char *name,
                   int64_t number);
void expect_word(const struct fact_list *facts, const char *name,
                 const char *word);

#endif
