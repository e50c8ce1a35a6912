/* parts.h: what the formats share among themselves. Private to render/. */
#ifndef RENDER_PARTS_H
#define RENDER_PARTS_H

#include "base/json.h"
#include "corpus/fields.h"
#include "render/document.h"
#include "render/render.h"

/* What an answer has written of bytes so far: amount.c. */
#define AMOUNTS_KEPT 64
struct amounts {
    struct written_amount {
        int64_t bytes, factor;
        int decimals;
        struct str shown;
    } at[AMOUNTS_KEPT];
    size_t count;
};

/* One rendering: its memory, its texts, its wishes. */
struct teller {
    struct arena *a;
    struct reader *r;
    const struct render_options *o; /* NULL: for single sentences */
    enum lang lang;
    struct amounts *amounts; /* NULL: an amount is written as it comes */
    struct document *d;      /* that is built or walked; NULL: none */
};

/* ---- builders: an answer as a document ---- */
void report_document(const struct teller *t, const struct report *rep);
void entry_document(const struct teller *t, const struct entry *e);
void names_document(const struct teller *t, const struct names *n);
void list_document(const struct teller *t, const struct listing *list);
void contents_document(const struct teller *t, const struct listing *list);
const char *site_other(const struct teller *t); /* folder of the other language */
void models_document(const struct teller *t, const struct model_sheet *sheet);
void fit_document(const struct teller *t, const struct fit_sheet *sheet);
/* The breakdown of the report, whether anything is told. */
void memory_document(const struct teller *t, const struct report *rep);

/* ---- walkers: a document as bytes ---- */
void text_walk(const struct teller *t, struct buf *out);
void markdown_walk(const struct teller *t, struct buf *out);
void html_walk(const struct teller *t, struct buf *out);
void chat_walk(const struct teller *t, struct buf *out);
void csv_walk(const struct teller *t, struct buf *out);
/* For tests: text as markdown_walk() escapes it, a block of code. */
struct str markdown_of(const struct teller *t, struct str text);
void markdown_code(const struct teller *t, struct buf *out, size_t indent,
                   const char *kind, struct str code);
/* For tests: text as html_walk() escapes it. */
struct str html_of(const struct teller *t, struct str text);
size_t text_lines(const struct teller *t);
/* text.c: bars in lines of that width, for who has no other way to draw. */
struct str text_of_bars(const struct teller *t, const struct bars *bars,
                        uint32_t width);

/* markup.c: what walkers share that know markup. Length of the run of
 * backquotes at the front. */
size_t backquotes_at(struct str s);
/* The span that opens at the front of s: its inside, and in *n how many bytes
 * it takes. False: nothing closes it. */
bool code_span_at(struct str s, struct str *inside, size_t *n);
struct str clean_code(const struct teller *t, struct str code);
bool are_digits(struct str s);
/* A page's own address, or a web address: what could end the link is written
 * as the bytes that it is. */
void put_address(struct buf *out, struct str url);
/* "owner/name#12" of a thread on GitHub, else the address without https://. */
struct str link_name(const struct teller *t, struct str url);

/* ---- JSON: an answer as data ---- */
void json_data(const struct teller *t, const struct answer *answer,
               struct buf *out);
void jsonl_data(const struct teller *t, const struct answer *answer,
                struct buf *out);
struct json *names_json(const struct teller *t, const struct names *n);
struct json *names_row(const struct teller *t, const struct names *n,
                       size_t row);
struct json *json_row(const struct teller *t, const struct listing *list,
                      size_t i);
struct json *json_memory(const struct teller *t, const struct report *rep);
struct json *json_models(const struct teller *t, const struct model_sheet *s);
struct json *json_fit(const struct teller *t, const struct fit_sheet *sheet);

/* redact.c: the report as this rendering may show it */
const struct report *report_shown(struct arena *a, struct reader *r,
                                  const struct report *report,
                                  const struct render_options *o);

/* say.c */
/* What b holds, kept in a; raises where an append to b failed. */
struct str settled(struct arena *a, const struct buf *b);
struct str said(const struct teller *t, const char *key);

/* What an entry that tells of no failure says of itself. */
struct str said_severity(const struct teller *t, const struct entry *e);
struct str said_note(const struct teller *t, const struct note *n);
/* What it is called: by its entry, or by what the log shows. */
struct str said_title(const struct teller *t, const struct finding *f);
struct str said_read(const struct teller *t, const struct report *rep);
/* Where lines were more work than they may be; empty: nowhere. */
struct str said_gave_up(const struct teller *t, const struct report *rep);
struct str said_word(const struct teller *t, enum vocabulary which, int value);
/* Of the fact `work`; empty: it says no more than the stage does. */
struct str said_work(const struct teller *t, struct str work);
struct str said_fact(const struct teller *t, enum fact_name name); /* label */
struct str said_part(const struct teller *t, const char *part); /* of a budget */
struct str said_text(const struct teller *t, const struct text *text);
/* key's text with these arguments filled in; an empty one says nothing */
struct str said_with(const struct teller *t, const char *key,
                     const struct str args[], size_t count);
#define SAID(t, key, ...)                                                      \
    said_with((t), (key), STRS(__VA_ARGS__), STRS_COUNT(__VA_ARGS__))
/* Empty where the one argument is. */
struct str said_of(const struct teller *t, const char *key, struct str arg);

/* "a, b and c": members one after the other, parted by a text. */
struct words {
    const struct teller *t;
    struct buf out;
    struct str between;
    size_t count;
};
struct words words_begin(const struct teller *t, struct str between);
struct words sentences_begin(const struct teller *t);
void words_add(struct words *w, struct str member); /* empty: none */
struct str words_end(struct words *w);
/* Filled into the text of key; empty where there are none. */
struct str words_said(struct words *w, const char *key);

/* A formula of memory/ in this language. */
struct str said_formula(const struct teller *t, struct str formula);

/* step.c: a release at which an answer becomes another */
void add_steps(const struct teller *t, const struct release_steps *steps);
/* Of a log: "it fits before 0.26.0, and not since". */
struct str turn_said(const struct teller *t, const struct release_step *s);
struct json *json_step(const struct teller *t, const struct release_step *s);
struct json *json_steps(const struct teller *t,
                        const struct release_steps *steps);

/* shown.c: values as people read them */
struct str shown_number(const struct teller *t, enum unit unit, int64_t n);
struct str shown_count(const struct teller *t, int64_t n);
struct str shown_bytes(const struct teller *t, int64_t n);
struct str shown_span(const struct teller *t, enum unit unit, struct span s);
/* Of hundredths, as max_concurrency has them; as a ratio. */
struct str shown_hundredths(const struct teller *t, struct span s);
struct span ratio_of_hundredths(struct span s);
struct str shown_fact(const struct teller *t, const struct fact *f);
/* "Your own reports: 2 worked, 1 failed."; empty: there are none. */
struct str shown_own(const struct teller *t, const struct own_success *own);
struct str shown_rate(const struct teller *t, const struct success *s);
/* s cut in its middle to at most columns, cleaned for a terminal, one line */
struct str shown_short(const struct teller *t, struct str s, size_t columns);

/* One line each; empty where there is nothing to say. */
struct str shown_lines(const struct teller *t, uint32_t first,
                       uint32_t last); /* "line 12", "lines 12 to 40" */
struct str shown_times(const struct teller *t, const struct finding *f);
/* "engine vllm, model Qwen/Qwen2.5-7B" */
struct str shown_seen(const struct teller *t, const struct fact_list *facts);
struct str shown_kind(const struct teller *t, const struct entry *e);
/* "vllm >= 0.7.0 < 0.9.1" */
struct str shown_range(const struct teller *t, const struct version_range *r);
struct str shown_stored_rate(const struct teller *t, const struct rate *rate);
/* The same of a dead end, whose counts are of failures. */
struct str shown_failure(const struct teller *t, const struct rate *rate);

/* ---- parts of a report ---- */

/* What an answer that is too long does without, the last first (`spare` of a
 * block). */
enum spare { SPARE_NEVER, SPARE_BARS, SPARE_DOUBT, SPARE_HOLDERS,
             SPARE_DEAD_END, SPARE_THIRD_FIX, SPARE_REMARK, SPARE_NEXT_DEAD_END,
             SPARE_QUESTION,
             SPARE_DETAIL, SPARE_NEXT_REMARK, SPARE_FOLLOWER, SPARE_HOW };

/* amount.c: two amounts in the unit of the larger; short_by is empty where
 * there is enough. */
struct comparison {
    struct str need, have, short_by;
};
struct comparison amounts_compared(const struct teller *t, enum unit unit,
                                   int64_t need, int64_t have);
/* In three digits, or as this answer has written it before. */
struct str amount_said(const struct teller *t, int64_t bytes);
/* The text with its amounts written so. */
struct str amounts_said(const struct teller *t, struct str text);
/* A part of a whole, in the unit of the whole and without it: "0.06". */
struct str shown_part(const struct teller *t, int64_t bytes, int64_t of);
/* One end of what is not known better. */
struct str shown_end(const struct teller *t, int64_t bytes, int64_t of);

/* numbers.c */
struct str numbers_said(const struct teller *t, const struct report *rep,
                        const struct finding *f);
struct str holders_said(const struct teller *t, const struct finding *f);

/* bar.c: without bars where the numbers draw none */
const struct bars *bars_of(const struct teller *t, const struct finding *f);
const struct bars *bars_of_pair(const struct teller *t, int64_t need,
                                int64_t have);
const struct bars *bars_of_budget(const struct teller *t,
                                  const struct budget *budget, bool has_torch);

/* choice.c: what is said of a fix; empty where there is nothing to say */
bool fix_is_first_choice(const struct fix *fix);
struct str fix_verdict_words(const struct teller *t, const struct fix *fix);
/* "flag, capacity" */
struct str fix_cost(const struct teller *t, enum effort effort,
                    enum loses loses);
/* What it does. */
struct str fix_title(const struct teller *t, const struct fix *fix);
/* The same without the flag behind it, where the command shows that. */
struct str fix_action(const struct teller *t, const struct fix *fix);
/* Its command, unless a value in it is one that nobody knows. */
struct str fix_command(const struct fix *fix);
/* The sum, the condition or what is missing, in one sentence. */
struct str fix_sum(const struct teller *t, const struct fix *fix);
struct str fix_trade_off(const struct teller *t, const struct workaround *w);
struct str fix_unusable(const struct teller *t, const struct fix *fix);
struct dead_end_words {
    struct str action, why, instead;
};
struct dead_end_words dead_end_words(const struct teller *t,
                                     const struct dead_end_shown *d);
/* "Lower X. The cache is what remains of it."; whole: and what to do instead. */
struct str dead_end_said(const struct teller *t,
                         const struct dead_end_shown *d, bool is_whole);
/* Its first step, where that says more than what it is called; else empty. */
struct str fix_step(const struct teller *t, const struct fix *fix);

/* advice.c */
#define CHOSEN_MOST 64
struct chosen {
    const struct fix *at[CHOSEN_MOST];
    size_t count, first; /* the first of them stand under "Do this first" */
};
struct chosen fixes_chosen(const struct teller *t, const struct finding *f);
/* Its place among those that are shown, from 1; "-": it is none of them. */
struct str fix_number(const struct teller *t, const struct finding *f,
                      const struct fix *fix);
void add_advice(const struct teller *t, const struct report *rep,
                const struct finding *f, bool is_main);

/* answer.c: what looks like memory, and no entry knows */
struct json *json_suspects(const struct teller *t, const struct report *rep);

/* ---- json_fact.c, json_finding.c, json_shape.c: objects of the report ---- */

#define JSON(t, ...) JSON_OBJECT((t)->a, __VA_ARGS__)

const char *verdict_spelling(enum verdict v);
struct json *json_str_or_null(struct arena *a, struct str s);
struct json *json_int_or_null(const struct teller *t, bool is_known, int64_t n);
struct json *json_micro_or_null(const struct teller *t, int64_t micro);
struct json *json_truth(const struct teller *t, enum truth_fit fits);
struct json *json_word(const struct teller *t, enum vocabulary which,
                       int value);
struct json *json_strings(const struct teller *t, const struct str_list *list);
struct json *json_said(const struct teller *t, const struct text *text);
struct json *json_note(const struct teller *t, const struct note *n);
struct json *json_notes(const struct teller *t, const struct note *at,
                        size_t count);
struct json *json_fact(const struct teller *t, const struct fact *f);
struct json *json_facts(const struct teller *t, const struct fact *at,
                        size_t count);
struct json *json_amount(const struct teller *t, enum unit unit,
                         struct span s);
struct json *json_span(const struct teller *t, struct span s); /* of bytes */
struct json *json_hundredths(const struct teller *t, struct span s); /* 3.20 */
/* {"worked":1,"tried":2}; NULL: none of them tried it. */
struct json *json_maintainers(const struct teller *t, int64_t worked,
                              int64_t tried);
struct json *json_success(const struct teller *t, const struct success *s,
                          const char *worked_key);
struct json *json_estimate(const struct teller *t, const struct fix *fix);
struct json *json_needs(const struct teller *t, const struct needs *needs);
struct json *json_acts_on(const struct teller *t, const struct acts_on *what);
/* json_shape.c: by the table of its fields. */
struct json *json_shape(const struct teller *t, const struct shape *shape,
                        const void *noun);
struct json *json_range(const struct teller *t, const struct version_range *r);
struct json *json_references(const struct teller *t,
                             const struct reference *at, size_t count);
struct json *json_see_also(const struct teller *t, const struct entry *e);
struct json *json_finding(const struct teller *t, const struct finding *f);
struct json *json_kv(const struct teller *t, const struct kv *kv);
struct json *json_budget(const struct teller *t, const struct budget *b);
struct json *json_formulas(const struct teller *t, const struct formulas *f);
struct json *json_entry_object(const struct teller *t, const struct entry *e);

#endif
