/* parts.h: what builders and formats share. Used by render/ and launch/. A
 * function x_text() gives x as people read it, in the language of the
 * answer. */
#ifndef RENDER_PARTS_H
#define RENDER_PARTS_H

#include "base/json.h"
#include "corpus/fields.h"
#include "render/document.h"
#include "render/render.h"

/* The amounts that an answer has written so far: amount.c. */
#define AMOUNTS_KEPT 64
struct amounts {
    struct written_amount {
        int64_t bytes, factor;
        int decimals;
        struct str shown;
    } at[AMOUNTS_KEPT];
    size_t count;
};

/* The writing of one answer; functions call it t. */
struct render {
    struct arena *a;
    struct reader *r;
    const struct render_options *o; /* NULL: for single sentences */
    enum lang lang;
    struct amounts *amounts; /* NULL: amounts are not compared with others */
    struct document *d;      /* the one that is built or walked; NULL: none */
};

/* ---- builders: from an answer to a document ---- */
void report_document(const struct render *t, const struct report *rep);
void entry_document(const struct render *t, const struct entry *e);
void names_document(const struct render *t, const struct names *n);
void list_document(const struct render *t, const struct listing *list);
void contents_document(const struct render *t, const struct listing *list);
const char *site_other(const struct render *t); /* folder of the other
                                                   language */
void models_document(const struct render *t, const struct model_sheet *sheet);
void fit_document(const struct render *t, const struct fit_sheet *sheet);
/* Only where the memory went, by the report. */
void memory_document(const struct render *t, const struct report *rep);

/* ---- walkers: from a document to bytes ---- */
void text_walk(const struct render *t, struct buf *out);
void markdown_walk(const struct render *t, struct buf *out);
void html_walk(const struct render *t, struct buf *out);
void chat_walk(const struct render *t, struct buf *out);
void csv_walk(const struct render *t, struct buf *out);
/* The text as html_walk() escapes it. */
struct str html_of(const struct render *t, struct str text);
size_t text_lines(const struct render *t);
/* text.c: bars as lines of that width. */
struct str text_of_bars(const struct render *t, const struct bars *bars,
                        uint32_t width);

/* markup.c: shared by walkers with markup */
size_t backquotes_at(struct str s); /* length of the run at the front */
/* The code span that opens at the front of s: its inside, and the bytes that it
 * takes in *n. False: it is not closed. */
bool code_span_at(struct str s, struct str *inside, size_t *n);
struct str clean_code(const struct render *t, struct str code);
bool are_digits(struct str s);
/* A path or a web address; a character that could end the link becomes its
 * bytes (%20). */
void put_address(struct buf *out, struct str url);
/* "owner/name#12" for a thread on GitHub, else the address without https://. */
struct str link_name(const struct render *t, struct str url);

/* ---- JSON ---- */
void json_data(const struct render *t, const struct answer *answer,
               struct buf *out);
void jsonl_data(const struct render *t, const struct answer *answer,
                struct buf *out);
struct json *names_json(const struct render *t, const struct names *n);
struct json *names_row(const struct render *t, const struct names *n,
                       size_t row);
struct json *json_row(const struct render *t, const struct listing *list,
                      size_t i);
struct json *json_memory(const struct render *t, const struct report *rep);
struct json *json_models(const struct render *t, const struct model_sheet *s);
struct json *json_fit(const struct render *t, const struct fit_sheet *sheet);

/* redact.c: the report itself, or a redacted copy if o->redact */
const struct report *report_shown(struct arena *a, struct reader *r,
                                  const struct report *report,
                                  const struct render_options *o);

/* message.c */
/* The bytes of b, kept in a; raises if an append to b failed. */
struct str kept_text(struct arena *a, const struct buf *b);
/* The translation of a key. */
struct str tr(const struct render *t, const char *key);
/* The same with arguments filled in. */
struct str tr_args(const struct render *t, const char *key,
                   const struct str args[], size_t count);
#define TR(t, key, ...)                                                        \
    tr_args((t), (key), STRS(__VA_ARGS__), STRS_COUNT(__VA_ARGS__))
/* The same with one argument; empty if that is empty. */
struct str tr_if(const struct render *t, const char *key, struct str arg);
struct str note_text(const struct render *t, const struct note *n);
/* A text of an entry, in the language of t. */
struct str localized(const struct render *t, const struct text *text);
struct str word_text(const struct render *t, enum vocabulary which, int value);
struct str label_text(const struct render *t, enum fact_name name);
struct str part_label(const struct render *t, const char *part); /* of a
                                                                    budget */
/* The fact `work`; empty: it adds nothing to the stage. */
struct str work_text(const struct render *t, struct str work);
/* The severity of an entry that is no failure. */
struct str severity_text(const struct render *t, const struct entry *e);
/* The finding's own title, else its entry's. */
struct str title_text(const struct render *t, const struct finding *f);
/* The size of the input. */
struct str input_text(const struct render *t, const struct report *rep);
/* The lines on which a pattern reached its limit of steps; empty: none. */
struct str gave_up_text(const struct render *t, const struct report *rep);
/* A formula of memory/, with its words translated. */
struct str formula_text(const struct render *t, struct str formula);

/* "a, b and c": members with a text between them. */
struct words {
    const struct render *t;
    struct buf out;
    struct str between;
    size_t count;
};
struct words words_begin(const struct render *t, struct str between);
struct words sentences_begin(const struct render *t);
void words_add(struct words *w, struct str member); /* empty: not added */
struct str words_end(struct words *w);
/* tr_if() of key and the members. */
struct str words_into(struct words *w, const char *key);

/* step.c: a release from which on the answer differs */
void add_steps(const struct render *t, const struct release_steps *steps);
/* Of a log: "it fits before 0.26.0, and not since". */
struct str step_text(const struct render *t, const struct release_step *s);
struct json *json_step(const struct render *t, const struct release_step *s);
struct json *json_steps(const struct render *t,
                        const struct release_steps *steps);

/* values.c */
struct str number_text(const struct render *t, enum unit unit, int64_t n);
struct str count_text(const struct render *t, int64_t n);
struct str bytes_text(const struct render *t, int64_t n);
struct str span_text(const struct render *t, enum unit unit, struct span s);
/* Hundredths (max_concurrency), as a ratio. */
struct str hundredths_text(const struct render *t, struct span s);
struct span ratio_of_hundredths(struct span s);
struct str fact_text(const struct render *t, const struct fact *f);
/* "Your own reports: 2 worked, 1 failed."; empty: there are none. */
struct str own_text(const struct render *t, const struct own_success *own);
struct str rate_text(const struct render *t, const struct success *s);
/* s on one line, cleaned for a terminal, its middle cut out if it has more
 * columns. */
struct str short_text(const struct render *t, struct str s, size_t columns);

/* "line 12", "lines 12 to 40" */
struct str lines_text(const struct render *t, uint32_t first, uint32_t last);
/* How often a failure occurred; empty: once. */
struct str times_text(const struct render *t, const struct finding *f);
/* "engine vllm, model Qwen/Qwen2.5-7B" */
struct str seen_text(const struct render *t, const struct fact_list *facts);
/* "vllm >= 0.7.0 < 0.9.1" */
struct str range_text(const struct render *t, const struct version_range *r);
struct str stored_rate_text(const struct render *t, const struct rate *rate);
/* The rate of a dead end, which counts failures. */
struct str failure_text(const struct render *t, const struct rate *rate);

/* ---- parts of a report ---- */

/* `spare` of a block: an answer that is too long leaves out the last of these
 * first. */
enum spare { SPARE_NEVER, SPARE_BARS, SPARE_DOUBT, SPARE_HOLDERS,
             SPARE_DEAD_END, SPARE_THIRD_FIX, SPARE_REMARK, SPARE_NEXT_DEAD_END,
             SPARE_QUESTION, SPARE_DETAIL, SPARE_NEXT_REMARK, SPARE_FOLLOWER,
             SPARE_HOW };

/* amount.c: two amounts in the unit of the larger; short_by is empty if there
 * is enough. */
struct comparison {
    struct str need, have, short_by;
};
struct comparison amounts_compared(const struct render *t, enum unit unit,
                                   int64_t need, int64_t have);
/* In three digits, or as this answer has written it before. slack: the rounding
 * of a printed number. */
struct str amount_text(const struct render *t, int64_t bytes, int64_t slack);
/* The text with each of its amounts in that form. */
struct str amounts_text(const struct render *t, struct str text);
/* A part of a whole, in the unit of the whole but without it: "0.06". */
struct str part_text(const struct render *t, int64_t bytes, int64_t of);
/* The same for an end of an interval, whatever was written before. */
struct str end_text(const struct render *t, int64_t bytes, int64_t of);

/* numbers.c: need, have and the lines that have them; processes that hold
 * memory */
struct str numbers_text(const struct render *t, const struct report *rep,
                        const struct finding *f);
struct str holders_text(const struct render *t, const struct finding *f);

/* bar.c: count is 0 if the numbers make no bar */
const struct bars *bars_of(const struct render *t, const struct finding *f);
const struct bars *bars_of_pair(const struct render *t, int64_t need,
                                int64_t have);
struct bars *bars_of_budget(const struct render *t, const struct budget *budget,
                            bool has_torch);

/* choice.c: texts about a fix; empty: nothing to write */
bool fix_is_first_choice(const struct fix *fix);
struct str fix_verdict_words(const struct render *t, const struct fix *fix);
/* "flag, capacity" */
struct str fix_cost(const struct render *t, enum effort effort,
                    enum loses loses);
struct str fix_title(const struct render *t, const struct fix *fix);
/* The title without the flag in parentheses at its end, if the command has that
 * flag. */
struct str fix_action(const struct render *t, const struct fix *fix);
/* --why: the source of p, with p, cost and gain. */
struct str fix_worth(const struct render *t, const struct fix *fix);
/* Its command; empty if a value in it is unknown. */
struct str fix_command(const struct fix *fix);
/* The sum, the condition or the missing facts, in one sentence. */
struct str fix_sum(const struct render *t, const struct fix *fix);
struct str fix_trade_off(const struct render *t, const struct workaround *w);
struct str fix_unusable(const struct render *t, const struct fix *fix);
struct dead_end_words {
    struct str action, why, instead;
};
struct dead_end_words dead_end_words(const struct render *t,
                                     const struct dead_end_shown *d);
/* "Lower X. The cache is what remains of it."; is_whole: all of it, and what to
 * do instead. */
struct str dead_end_text(const struct render *t,
                         const struct dead_end_shown *d, bool is_whole);
/* Its first step; empty if that adds nothing to the title. */
struct str fix_step(const struct render *t, const struct fix *fix);

/* advice.c */
#define CHOSEN_MOST 64
struct chosen {
    const struct fix *at[CHOSEN_MOST];
    size_t count, first; /* the first so many stand under "Do this first" */
};
struct chosen fixes_chosen(const struct render *t, const struct finding *f);
/* Its position among the fixes that are shown, from 1; "-": it is not shown. */
struct str fix_number(const struct render *t, const struct finding *f,
                      const struct fix *fix);
void add_advice(const struct render *t, const struct report *rep,
                const struct finding *f, bool is_main);

/* answer.c: lines about memory that no entry explains */
struct json *json_suspects(const struct render *t, const struct report *rep);

/* ---- json_fact.c, json_finding.c, json_shape.c: objects of the report ---- */

#define JSON(t, ...) JSON_OBJECT((t)->a, __VA_ARGS__)

const char *verdict_spelling(enum verdict v);
struct json *json_str_or_null(struct arena *a, struct str s);
struct json *json_int_or_null(const struct render *t, bool is_known, int64_t n);
struct json *json_micro_or_null(const struct render *t, int64_t micro);
struct json *json_truth(const struct render *t, enum truth_fit fits);
struct json *json_word(const struct render *t, enum vocabulary which,
                       int value);
struct json *json_strings(const struct render *t, const struct str_list *list);
struct json *json_local(const struct render *t, const struct text *text);
struct json *json_note(const struct render *t, const struct note *n);
struct json *json_notes(const struct render *t, const struct note *at,
                        size_t count);
struct json *json_fact(const struct render *t, const struct fact *f);
struct json *json_facts(const struct render *t, const struct fact *at,
                        size_t count);
struct json *json_amount(const struct render *t, enum unit unit, struct span s);
struct json *json_span(const struct render *t, struct span s); /* of bytes */
struct json *json_hundredths(const struct render *t, struct span s); /* 3.20 */
/* {"worked":1,"tried":2}; NULL: no maintainer tried it. */
struct json *json_maintainers(const struct render *t, int64_t worked,
                              int64_t tried);
struct json *json_success(const struct render *t, const struct success *s,
                          const char *worked_key);
struct json *json_estimate(const struct render *t, const struct fix *fix);
struct json *json_needs(const struct render *t, const struct needs *needs);
struct json *json_acts_on(const struct render *t, const struct acts_on *what);
/* json_shape.c: a noun, by the table of its fields */
struct json *json_shape(const struct render *t, const struct shape *shape,
                        const void *noun);
struct json *json_range(const struct render *t, const struct version_range *r);
struct json *json_references(const struct render *t,
                             const struct reference *at, size_t count);
struct json *json_see_also(const struct render *t, const struct entry *e);
struct json *json_finding(const struct render *t, const struct finding *f);
struct json *json_kv(const struct render *t, const struct kv *kv);
struct json *json_budget(const struct render *t, const struct budget *b);
struct json *json_formulas(const struct render *t, const struct formulas *f);
struct json *json_entry_object(const struct render *t, const struct entry *e);

#endif
