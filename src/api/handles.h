/* handles.h: the structs behind the public header's opaque types, and the
 * helpers of api.c. For api/ and launch/.
 *
 *   oomkb         the knowledge base: index bytes, immutable
 *   oomkb_scan    a report that is not finished: only the scan arena is used
 *   oomkb_report  the scan arena (what the log has) and the current version
 *                 (the diagnosis). An answer makes a new version beside the old
 *                 one, then they are swapped: on failure nothing has changed.
 */
#ifndef API_HANDLES_H
#define API_HANDLES_H

#include <oomkb/oomkb.h>

#include "base/snapshot.h"
#include "diagnose/diagnose.h"
#include "match/match.h"
#include "render/render.h"

/* ---- settings.c ---- */

struct settings { /* oomkb_options, checked and with its defaults */
    struct render_options show; /* options of the output */
    struct str input_name;
    const char *const *answers, *const *own_reports, *const *machine; /* never
                                                                        NULL */
    uint32_t threads;
    uint64_t max_input_bytes;
    size_t max_memory_bytes;
    bool has_allocator;
    struct allocator from;
};

extern const struct allocator standard_allocator; /* malloc and free */
/* Copy a caller's struct that begins with `uint32_t size` to known, which has n
 * bytes. Members that the caller does not have are 0. name: for errors, without
 * its prefix ("options"). */
int sized_read(const void *given, void *known, size_t n, const char *name,
               oomkb_error *err);
/* OOMKB_OK, or OOMKB_ERROR_USAGE with err filled. o may be NULL. */
int settings_read(const oomkb_options *o, struct settings *out,
                  oomkb_error *err);

/* "en" or "zh"; NULL: English. False for other words. */
bool lang_read(const char *lang, enum lang *out);

/* ---- errors.c ---- */
int error_set(oomkb_error *err, int code, const char *text);
int error_of(oomkb_error *err, enum fail code, const struct fault *fault);
/* Arguments that must not be NULL. LACKS() is true, and err is set, if one is:
 * if (LACKS(err, GIVEN(kb), GIVEN(scan))) return OOMKB_ERROR_USAGE; */
struct given {
    const char *name; /* NULL ends the list */
    bool is_there;
};
bool error_lacks(oomkb_error *err, const struct given *all);
#define GIVEN(argument) {#argument, (argument) != NULL}
#define LACKS(err, ...)                                                        \
    error_lacks((err), (const struct given[]){__VA_ARGS__, {NULL, true}})

struct oomkb {
    struct allocator from;
    struct arena arena;
    const struct index *index; /* all indexes joined */
    const struct index **each; /* each index, with its compiled patterns */
    const struct scan_rules **rules;
    size_t count;
    struct str digest; /* NUL-terminated */
};

/* ---- base.c ---- */
struct opening {
    struct oomkb *kb;
    const char *const *paths; /* a NULL path: the built-in index */
    struct str image;         /* used if paths is NULL */
    size_t count;
    const char *path; /* the one being opened, for errors */
};
struct str base_built_in(void); /* empty: there is none */
/* For arena_guard(). arg: a struct opening, whose kb is filled in. */
void base_open(void *arg);
/* A text of the program, valid until the base is closed; "": no such text. */
const char *base_text(const struct oomkb *kb, enum lang lang, const char *key);

/* ---- scans.c: a scan for each knowledge base, joined at the end ---- */
struct scans;
struct scans *scans_new(struct arena *a, const struct oomkb *kb,
                        uint64_t max_bytes, uint32_t threads);
void scans_feed(struct scans *s, struct str bytes);
enum log_kind scans_kind(const struct scans *s);
const struct scan_result *scans_end(struct scans *s);
/* The report on a short text, such as a message or a command, as a log. r: a
 * reader of kb->index. */
const struct report *text_report_of(struct arena *a, const struct oomkb *kb,
                                    struct reader *r, struct str text);

/* ---- session.c, news.c ---- */

struct report_version { /* one diagnosis of what the scan found */
    struct arena arena;
    struct report *report;
    struct str *answers; /* "fact=value", at most one per fact */
    size_t answer_count;
    struct str *asks[LANG_COUNT_OF]; /* questions.c: NULL until needed */
};

/* A finding that was reported as news. It is recognized by its id, or by its
 * first line, since later lines may change the id. */
struct reported {
    char id[20];
    uint32_t first_line;
};

struct oomkb_report {
    const struct oomkb *kb;
    struct allocator from;
    struct snapshot_allocator memory; /* of scan */
    size_t max_memory_bytes;
    struct arena scan;
    struct scans *scans;
    const struct scan_result *found;
    struct str input_name;
    enum lang lang; /* of errors */
    struct str_list first_answers; /* of the options; in the scan arena */
    struct own_report *own;        /* of the options; in the scan arena */
    size_t own_count;
    struct machine_list machine;   /* of the options; in the scan arena */
    bool is_broken;                /* an error: it can only be freed */
    struct fault fault;            /* that error */
    struct report_version *current; /* NULL: not finished */
    bool has_snapshot; /* ended for news: must be rolled back first */
    struct arena scan_saved;      /* of the snapshot */
    struct reported *news;
    size_t news_count, news_cap;
};

struct oomkb_scan {
    struct oomkb_report *report;
};

int session_new(const struct oomkb *kb, const struct settings *s,
                struct oomkb_report **out, oomkb_error *err);
int session_feed(struct oomkb_report *r, struct str bytes, oomkb_error *err);
int session_end(struct oomkb_report *r, oomkb_error *err);
int session_diagnose(struct oomkb_report *r, oomkb_error *err);
void session_drop_report(struct oomkb_report *r); /* frees r->current, if any */
int session_finish(struct oomkb_report *r, oomkb_error *err);
int session_answer(struct oomkb_report *r, const char *fact_value,
                   oomkb_error *err);
void session_free(struct oomkb_report *r);

/* What is new since the last news, as a report in r->current; *is_news false:
 * nothing. The scan is ended until session_rollback(). */
int session_news(struct oomkb_report *r, bool is_quiet, bool *is_news,
                 oomkb_error *err);
void session_rollback(struct oomkb_report *r); /* nothing without a snapshot */

/* Lines of options->machine as facts. Raises FAIL_USAGE. */
struct machine_list machine_lines(struct arena *a, const char *const *lines);

/* ---- questions.c: the fact and the sentence of question i ---- */
int question_text(struct oomkb_report *r, size_t i, enum lang lang,
                  const char **fact, const char **ask, oomkb_error *err);

/* ---- known.c: raises FAIL_USAGE for a fix, an entry, a component, a model, a
 * GPU or an engine that the knowledge base does not have. or_else: what the
 * caller can do instead ---- */
_Noreturn void refuse_entry(struct arena *a, struct reader *r,
                            struct str entry);
_Noreturn void refuse_component(struct arena *a, struct reader *r,
                                struct str name);
void fix_check(struct arena *a, const struct oomkb *kb, struct str entry,
               struct str fix);
void check_known(struct arena *a, struct reader *r, const struct fact *facts,
                 size_t count);
_Noreturn void refuse_model(struct arena *a, struct reader *r, struct str name,
                            const char *or_else);
_Noreturn void refuse_gpu(struct arena *a, struct reader *r, struct str name,
                          const char *or_else);

/* ---- fit.c: the answer to a question. Raises FAIL_USAGE, FAIL_INPUT. ---- */
struct fit_wishes {
    const char *const *machine; /* options->machine, never NULL */
    bool takes_unknown; /* an unknown model or card is not an error: its numbers
                           are missing */
    bool is_verdict;    /* the verdict only, without plans */
};
const struct fit_sheet *fit_sheet_of(struct arena *a, const struct oomkb *kb,
                                     struct reader *r,
                                     const oomkb_fit_question *question,
                                     const struct fit_wishes *wishes);
/* 1: it fits, 2: it is likely to, 0: it does not, -1: not known. */
int fit_sheet_verdict(const struct fit_sheet *sheet);

#endif
