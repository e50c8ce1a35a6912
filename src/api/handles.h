/* handles.h: what stands behind the public header's opaque types, and the
 * helpers of api.c. For api/ and launch/.
 *
 *   oomkb         the base: index bytes, immutable; texts handed out, locked
 *   oomkb_scan    a report on its way: only the scan arena is filled
 *   oomkb_report  scan arena (what the log holds) + told (what was made of
 *                 it). An answer makes a new told beside the old one and
 *                 swaps: on failure nothing has changed.
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
    struct render_options show; /* what they say of it */
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
/* A struct that begins with uint32_t size, as far as both sides know it: n
 * bytes of known, the rest of them 0. name: "options" of oomkb_options. */
int sized_read(const void *given, void *known, size_t n, const char *name,
               oomkb_error *err);
/* OOMKB_OK, or OOMKB_ERROR_USAGE with err filled. o may be NULL. */
int settings_read(const oomkb_options *o, struct settings *out,
                  oomkb_error *err);

/* "en", "zh"; NULL: English. False for any other. */
bool lang_read(const char *lang, enum lang *out);

/* ---- errors.c ---- */
int error_set(oomkb_error *err, int code, const char *text);
int error_of(oomkb_error *err, enum fail code, const struct fault *fault);
/* An argument that may not be NULL. True: the first that is was refused. */
struct given {
    const char *name; /* NULL ends them */
    bool is_there;
};
bool error_lacks(oomkb_error *err, const struct given *all);
#define GIVEN(argument) {#argument, (argument) != NULL}
#define LACKS(err, ...)                                                        \
    error_lacks((err), (const struct given[]){__VA_ARGS__, {NULL, true}})

/* ---- texts.c: the program's words, kept until the base is closed ---- */
struct texts;
struct texts *texts_new(struct arena *a, const struct index *ix,
                        const struct allocator *from);
const char *texts_get(struct texts *t, enum lang lang, const char *key);

struct oomkb {
    struct allocator from;
    struct arena arena;
    const struct index *index; /* all of them, joined */
    const struct index **each; /* and each alone, with its kit */
    const struct scan_kit **kits;
    size_t count;
    struct str digest; /* NUL-terminated */
    struct texts *texts;
};

/* ---- base.c ---- */
struct opening {
    struct oomkb *kb;
    const char *const *paths; /* NULL among them: the built-in one */
    struct str image;         /* where paths is NULL */
    size_t count;
    const char *path; /* the one that is being opened */
};
struct str base_built_in(void); /* empty: there is none */
/* arg: a struct opening, whose kb is filled in behind its arena's guard. */
void base_open(void *arg);

/* ---- scans.c: a scan by each knowledge base, joined at its end ---- */
struct scans;
struct scans *scans_new(struct arena *a, const struct oomkb *kb,
                        uint64_t max_bytes, uint32_t threads);
void scans_feed(struct scans *s, struct str bytes);
enum log_kind scans_kind(const struct scans *s);
const struct scan_result *scans_end(struct scans *s);
/* What a few words say as a log: a message, a command. r: of kb->index. */
const struct report *text_report_of(struct arena *a, const struct oomkb *kb,
                                    struct reader *r, struct str text);

/* ---- session.c, news.c ---- */

struct told { /* one diagnosis of what was found */
    struct arena arena;
    struct report *report;
    struct str *answers; /* "fact=value", at most one per fact */
    size_t answer_count;
    struct str *asks[LANG_COUNT_OF]; /* questions.c: NULL until asked for */
};

/* What news were told: a finding is known by its id, or by its first line,
 * should what came later have changed its words. */
struct told_before {
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
    enum lang lang; /* of what goes wrong */
    struct str_list first_answers; /* of the options; in the scan arena */
    struct own_report *own;        /* the same */
    size_t own_count;
    struct machine_list machine;   /* the same */
    bool is_broken;                /* a feed failed: only freeing is left */
    struct fault fault;
    struct told *told;
    bool is_ahead; /* ended for news: to be taken back before it goes on */
    struct arena scan_before;
    struct told_before *news;
    size_t news_count, news_cap;
};

struct oomkb_scan {
    struct oomkb_report *report;
};

int session_new(const struct oomkb *kb, const struct settings *s,
                struct oomkb_report **out, oomkb_error *err);
int session_feed(struct oomkb_report *r, struct str bytes, oomkb_error *err);
int session_end(struct oomkb_report *r, oomkb_error *err);
int session_tell(struct oomkb_report *r, oomkb_error *err);
void session_forget(struct oomkb_report *r); /* what was told, if anything */
int session_finish(struct oomkb_report *r, oomkb_error *err);
int session_answer(struct oomkb_report *r, const char *fact_value,
                   oomkb_error *err);
void session_free(struct oomkb_report *r);

/* What is new since the last news, as a report in r->told; *is_news false:
 * nothing. The scan stands as if it had ended, until session_back(). */
int session_news(struct oomkb_report *r, bool is_quiet, bool *is_news,
                 oomkb_error *err);
void session_back(struct oomkb_report *r); /* also where it need not */

/* Lines of the options as facts. Raises FAIL_USAGE. */
struct machine_list machine_lines(struct arena *a, const char *const *lines);

/* ---- questions.c: question i, its sentence in that language ---- */
int question_text(struct oomkb_report *r, size_t i, enum lang lang,
                  const char **fact, const char **ask, oomkb_error *err);

/* ---- known.c: raises FAIL_USAGE where there is no such fix, entry, component;
 * where a model, a GPU or an engine that was said is no name of the knowledge
 * base; or_else: what can be said instead ---- */
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

/* ---- fit.c: the answer to a question. Raises FAIL_USAGE, FAIL_INPUT. takes_unknown: a model or a card that the
 * catalogue does not have is a number that is missing, and no fault.
 * is_verdict: without plans. ---- */
struct fit_wishes {
    const char *const *machine; /* of the options; never NULL */
    bool takes_unknown;
    bool is_verdict;
};
const struct fit_sheet *fit_sheet_of(struct arena *a, const struct oomkb *kb,
                                     struct reader *r,
                                     const oomkb_fit_question *question,
                                     const struct fit_wishes *wishes);
/* 1 it fits, 2 it is likely to, 0 it does not, -1 nobody knows. */
int fit_sheet_verdict(const struct fit_sheet *sheet);

#endif
