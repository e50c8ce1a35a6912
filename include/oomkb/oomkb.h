/* oomkb.h - which known out-of-memory failure a log shows, why, and what helps.
 *
 * Part 1. The simple call
 *
 *     oomkb *kb;
 *     oomkb_report *report;
 *     oomkb_error err;
 *     if (oomkb_open(NULL, &kb, &err) != OOMKB_OK) ...
 *     if (oomkb_diagnose(kb, log, log_bytes, NULL, &report, &err) != OOMKB_OK)
 *         ...
 *     oomkb_report_write(report, "json", NULL, my_writer, my_ctx, &err);
 *     oomkb_report_free(report);
 *     oomkb_close(kb);
 *
 * Part 2. A scan fed piece by piece, answers to its questions
 * Part 3. Options
 * Part 4. Does it fit?
 *
 * Rules that hold everywhere:
 * - An oomkb never changes: any number of threads may use one. A scan or a
 *   report belongs to one thread at a time.
 * - Functions that can fail return a code and fill the caller's oomkb_error.
 *   Arguments stand in the order inputs, outputs, err. Outputs are written on
 *   success only. err may be NULL.
 * - The library never prints, exits, sets a locale, reads the environment,
 *   installs handlers, or keeps global state.
 * - Text is UTF-8; sizes are bytes; a log may hold any bytes, NUL included.
 */
#ifndef OOMKB_OOMKB_H
#define OOMKB_OOMKB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef OOMKB_API
#if defined(__GNUC__)
#define OOMKB_API __attribute__((visibility("default")))
#else
#define OOMKB_API
#endif
#endif

#define OOMKB_VERSION "0.2.0"

enum {
    OOMKB_OK = 0,
    OOMKB_ERROR_MEMORY = 1,  /* the allocator returned NULL */
    OOMKB_ERROR_CEILING = 2, /* more than max_memory_bytes, or than another
                                limit, which the text names */
    OOMKB_ERROR_USAGE = 3,   /* an argument is invalid */
    OOMKB_ERROR_IO = 4,      /* a file cannot be read; the writer failed */
    OOMKB_ERROR_INDEX = 5,   /* not an oomkb index, a newer one, or damaged */
    OOMKB_ERROR_INPUT = 6    /* damaged compressed input, or not a log */
};

typedef struct oomkb_error {
    int code;
    char text[256]; /* one line, English: what, where, what is accepted */
} oomkb_error;

typedef struct oomkb oomkb;
typedef struct oomkb_report oomkb_report;
typedef struct oomkb_scan oomkb_scan;
typedef struct oomkb_options oomkb_options;

/* ---- Part 1: the simple call ---- */

/* Open the knowledge base that is built into the library (path NULL), or an
 * index file made by `oomkb build`. The file is mapped: until oomkb_close() it
 * may be replaced (`oomkb build` renames a new one into its place) but not
 * written to or truncated. */
OOMKB_API int oomkb_open(const char *path, oomkb **kb, oomkb_error *err);
/* Open several knowledge bases as one, up to 16; a NULL path is the built-in
 * one. Findings of all are ranked together. Engines, models, GPUs and texts
 * come from the built-in one, if it is among them, else from the first. Two
 * entries with the same id are OOMKB_ERROR_USAGE; err has the id. */
OOMKB_API int oomkb_open_all(const char *const *paths, size_t count, oomkb **kb,
                             oomkb_error *err);
/* Open an index in memory; the bytes must stay unchanged until
 * oomkb_close(). */
OOMKB_API int oomkb_open_bytes(const void *bytes, size_t n, oomkb **kb,
                               oomkb_error *err);
/* Its scans and reports must be freed first. NULL is allowed. */
OOMKB_API void oomkb_close(oomkb *kb);

/* Scan a whole log and diagnose it. options may be NULL. */
OOMKB_API int oomkb_diagnose(const oomkb *kb, const void *log, size_t n,
                             const oomkb_options *options,
                             oomkb_report **report, oomkb_error *err);
OOMKB_API void oomkb_report_free(oomkb_report *report);

/* The number of findings of role root and severity failure; 0: no known failure
 * was found. */
OOMKB_API size_t oomkb_report_failures(const oomkb_report *report);
/* 1 if all of the input was read. 0: compressed data was damaged or ended
 * early, or max_input_bytes was reached; the report is on what came before.
 * *lines (lines may be NULL): the number of lines read. */
OOMKB_API int oomkb_report_is_whole(const oomkb_report *report,
                                    uint64_t *lines);

/* Called with pieces of output in order. A result other than 0 ends the call
 * with OOMKB_ERROR_IO. */
typedef int (*oomkb_writer)(void *ctx, const char *bytes, size_t n);

/* format: one of oomkb_formats(). options: language, width, colour, top,
 * redact. */
OOMKB_API int oomkb_report_write(const oomkb_report *report, const char *format,
                                 const oomkb_options *options,
                                 oomkb_writer writer, void *ctx,
                                 oomkb_error *err);

/* The memory of each card by what it is used for, from what the engine measured
 * at start and printed. Parts that no line has are marked as not printed.
 * *is_told: 0 if the log has no such line, else 1. format: any but chat. */
OOMKB_API int oomkb_memory_write(const oomkb_report *report, const char *format,
                                 const oomkb_options *options,
                                 oomkb_writer writer, void *ctx, int *is_told,
                                 oomkb_error *err);

/* ---- Part 2: streaming, refining, entries ---- */

OOMKB_API int oomkb_scan_new(const oomkb *kb, const oomkb_options *options,
                             oomkb_scan **scan, oomkb_error *err);
OOMKB_API int oomkb_scan_feed(oomkb_scan *scan, const void *bytes, size_t n,
                              oomkb_error *err);
/* Ends the scan and frees it, also on failure. */
OOMKB_API int oomkb_scan_finish(oomkb_scan *scan, oomkb_report **report,
                                oomkb_error *err);
OOMKB_API void oomkb_scan_free(oomkb_scan *scan); /* without finishing */

/* For a log that still grows: what it has shown since the last news, as a
 * report; NULL if nothing is new. Each cause is news once, even if it occurs
 * again, and only when its message is complete: further lines follow it, or
 * is_quiet is set because no input has come for a while. The report belongs to
 * the scan and is valid until the next call with this scan, which continues
 * unchanged. While there is such a report, a scan takes twice its memory. */
OOMKB_API int oomkb_scan_news(oomkb_scan *scan, int is_quiet,
                              const oomkb_report **report, oomkb_error *err);

/* Answer a question of the report ("model=Qwen/Qwen2.5-7B"). The report is
 * computed again from what the scan found; the log is not read again. On
 * failure it is unchanged. A model, a GPU or an engine that the knowledge base
 * does not have is OOMKB_ERROR_USAGE, and err has the nearest names; so is a
 * name of GPUs with different memory ("A100"), unless gpu_total is given. */
OOMKB_API int oomkb_report_answer(oomkb_report *report, const char *fact_value,
                                  oomkb_error *err);

/* The number of questions whose answers would improve the report, most useful
 * first. */
OOMKB_API size_t oomkb_report_questions(const oomkb_report *report);
/* Question i: its fact ("model", with which an answer begins) and a sentence in
 * lang ("en", "zh"; NULL: English). Both are valid until the report is answered
 * or freed. */
OOMKB_API int oomkb_report_question(oomkb_report *report, size_t i,
                                    const char *lang, const char **fact,
                                    const char **ask, oomkb_error *err);

/* For a program that starts jobs: the first failure, the expected result of a
 * restart, and the command with a change that avoids the failure. */
typedef struct oomkb_retry {
    const char *entry;       /* id; NULL: no failure was found */
    const char *fingerprint; /* equal for the same failure in another run */
    const char *outlook;     /* of a restart without changes: "again",
                                "may_pass", "unknown" */
    const char *const *argv; /* NULL-terminated; NULL: see why_not */
    const char *change;      /* the changed flags: "--max-model-len 40048" */
    const char *why_not;     /* a key of oomkb_text(); NULL: argv is set */
} oomkb_retry;
/* argv is the command that was started, NULL-terminated. Only flags are changed
 * that its engine takes and whose new value is computed to be enough. A failure
 * after the server was ready is only handled if also_late is set. Strings are
 * valid until the report is answered or freed. */
OOMKB_API int oomkb_report_retry(oomkb_report *report, const char *const *argv,
                                 int also_late, oomkb_retry *retry,
                                 oomkb_error *err);

/* One entry of the knowledge base, by id. */
OOMKB_API int oomkb_entry_write(const oomkb *kb, const char *id,
                                const char *format,
                                const oomkb_options *options,
                                oomkb_writer writer, void *ctx,
                                oomkb_error *err);

/* OOMKB_OK if the entry has a fix of that id, or a program has such a lever;
 * else OOMKB_ERROR_USAGE: err has the nearest names, or the entry's fixes. */
OOMKB_API int oomkb_fix_check(const oomkb *kb, const char *entry,
                              const char *fix, oomkb_error *err);

/* oomkb_list_write(): the entries of a component ("vllm"; NULL: all) by id, a
 * few words each. A component that the knowledge base does not have is
 * OOMKB_ERROR_USAGE. oomkb_search_write(): first the entries that a diagnosis
 * of the words finds, then those with any of the words, best first. Any text is
 * accepted, such as pasted error messages and Chinese. *count (count may be
 * NULL): the number of entries written; 0 is not an error. */
OOMKB_API int oomkb_list_write(const oomkb *kb, const char *component,
                               const char *format,
                               const oomkb_options *options,
                               oomkb_writer writer, void *ctx, size_t *count,
                               oomkb_error *err);
OOMKB_API int oomkb_search_write(const oomkb *kb, const char *words,
                                 const char *format,
                                 const oomkb_options *options,
                                 oomkb_writer writer, void *ctx,
                                 size_t *count, oomkb_error *err);

/* Lists of names: the models, GPUs, engines and components of the knowledge
 * base, and the facts that an answer can give. what: one of
 * oomkb_names_known(). */
OOMKB_API int oomkb_names_write(const oomkb *kb, const char *what,
                                const char *format,
                                const oomkb_options *options,
                                oomkb_writer writer, void *ctx, size_t *count,
                                oomkb_error *err);
/* The facts of options->machine, each with its source. */
OOMKB_API int oomkb_machine_write(const oomkb *kb, const char *format,
                                  const oomkb_options *options,
                                  oomkb_writer writer, void *ctx,
                                  oomkb_error *err);
/* NULL-terminated: "models", "gpus", "engines", "facts", "components". */
OOMKB_API const char *const *oomkb_names_known(void);

/* NULL-terminated list of format names. */
OOMKB_API const char *const *oomkb_formats(void);
/* The program's text of that key in lang ("en", "zh"); "" if there is none.
 * Valid until oomkb_close(). */
OOMKB_API const char *oomkb_text(const oomkb *kb, const char *lang,
                                 const char *key);
OOMKB_API const char *oomkb_version(void);
OOMKB_API size_t oomkb_entry_count(const oomkb *kb);
/* A hash of the contents of this knowledge base, in hex. */
OOMKB_API const char *oomkb_digest(const oomkb *kb);

/* ---- Part 3: options ---- */

/* Set size = sizeof(oomkb_options) and leave the rest zero for the defaults. */
struct oomkb_options {
    uint32_t size;
    const char *lang;       /* "en" (default) or "zh" */
    const char *input_name; /* as shown in the report; default "-" */
    /* "fact=value", NULL-terminated; they win over the log. They are refused as
     * by oomkb_report_answer(). */
    const char *const *answers;
    uint32_t width;         /* text: columns; default 80, at least 60 */
    uint32_t top;           /* fixes per finding; 0: all */
    int32_t color;          /* text: ANSI colours */
    int32_t why;            /* text: how the order of fixes was computed */
    uint64_t max_input_bytes; /* stop reading there; 0: no limit */
    uint64_t max_memory_bytes; /* of one scan and its report; 0: 256 MiB */
    void *(*get_memory)(void *ctx, size_t bytes); /* NULL: malloc */
    void (*put_memory)(void *ctx, void *block);
    void *memory_ctx;
    int32_t redact; /* reports: names of people, places and machines and tokens
                       are replaced by <path-1>, <host-1>, <user-1> ... */
    /* Fixes that this user has tried: "entry fix worked" or "entry fix failed",
     * NULL-terminated, one string per attempt. They change the order of those
     * fixes and are shown beside the reports of others. Unknown entries and
     * fixes are ignored. */
    const char *const *own_reports;
    /* Threads that scan a long log, at most 16; 0 or 1: the caller's thread
     * only. The report is the same. All of them call get_memory and put_memory,
     * never two at a time, and each may use max_memory_bytes for its
     * results. */
    uint32_t threads;
    int32_t all; /* text, Markdown: the whole report, however long */
    /* Facts of this machine, NULL-terminated: "host_total=65849260 kB",
     * "gpu_total[gpu 0]=81559 MiB", "other_in_use[gpu 0, pid 4711]=3012 MiB",
     * "engine_version[engine vllm]=0.11.0". A tab and the source may follow. A
     * fact is used if the log, or the question of oomkb_fit_write(), does not
     * have it. If the log is from another machine, none is used, and a remark
     * in the report says so. */
    const char *const *machine;
};

/* ---- Part 4: does it fit? ----
 *
 * Without a log: for a model, an engine and a card, the memory that is needed
 * and the most that fits. */

/* Set size = sizeof(oomkb_fit_question). Settings that are not given have the
 * engine's defaults, which the answer lists. */
typedef struct oomkb_fit_question {
    uint32_t size;
    /* "fact=value", NULL-terminated: model engine engine_version gpu_name
     * gpu_total gpu_count tensor_parallel max_model_len kv_available ...; and
     * concurrency, the number of concurrent requests of full length. A size
     * needs a unit (24GiB); a bare integer is bytes. A flag of the engine is
     * accepted, too: "-tp=2", "--max-model-len=32k", "--enforce-eager". */
    const char *const *facts;
    const void *config; /* a config.json or the front of a GGUF file; or NULL */
    size_t config_bytes;
    const char *config_name;    /* of that file, for errors */
    const char *compare;        /* "H100,L40S", "tensor_parallel=1,2,4"; NULL */
    const char *sweep;          /* "max_model_len"; or NULL */
    const oomkb_report *report; /* its settings and numbers are used; or NULL */
    /* A shell command that starts the engine ("vllm serve MODEL -tp 2"), or a
     * script with one; facts win over it; or NULL. */
    const char *command;
} oomkb_fit_question;

/* format: any but chat. *fits: 1: it fits, 2: it is likely to, 0: it does not,
 * -1: not known, and the JSON has what is missing. */
OOMKB_API int oomkb_fit_write(const oomkb *kb,
                              const oomkb_fit_question *question,
                              const char *format, const oomkb_options *options,
                              oomkb_writer writer, void *ctx, int *fits,
                              oomkb_error *err);

#ifdef __cplusplus
}
#endif

#endif
