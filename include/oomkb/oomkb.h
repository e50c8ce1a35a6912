/* oomkb.h - which known out-of-memory failure a log shows, why, and what helps.
 *
 * Part 1. The simple call
 *
 *     oomkb *kb;
 *     oomkb_report *report;
 *     oomkb_error err;
 *     if (oomkb_open(NULL, &kb, &err) != OOMKB_OK) ...
 *     if (oomkb_diagnose(kb, log, log_bytes, NULL, &report, &err) != OOMKB_OK) ...
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
    OOMKB_ERROR_MEMORY = 1,  /* the allocator said no */
    OOMKB_ERROR_CEILING = 2, /* the input needs more than the set ceiling */
    OOMKB_ERROR_USAGE = 3,   /* an argument to be mended */
    OOMKB_ERROR_IO = 4,      /* a file could not be read; the writer said no */
    OOMKB_ERROR_INDEX = 5,   /* no oomkb index, a newer one, or a damaged one */
    OOMKB_ERROR_INPUT = 6    /* damaged compressed input */
};

typedef struct oomkb_error {
    int code;
    char text[256]; /* one line, English: what, where, what would be right */
} oomkb_error;

typedef struct oomkb oomkb;
typedef struct oomkb_report oomkb_report;
typedef struct oomkb_scan oomkb_scan;
typedef struct oomkb_options oomkb_options;

/* ---- Part 1: the simple call ---- */

/* Open the knowledge base that is built into the library (path NULL), or an
 * index file made by `oomkb build`. The file is read as it is needed: until
 * oomkb_close() it may be replaced (`oomkb build` renames a new one into its
 * place) but not written to or cut. */
OOMKB_API int oomkb_open(const char *path, oomkb **kb, oomkb_error *err);
/* Several as one, up to 16; NULL in paths is the built-in one. Findings of all
 * are ranked by the same rules. Engines, models, GPUs and texts are those of the
 * built-in one, if it is among them, else of the first. Two entries of one id
 * are OOMKB_ERROR_USAGE; err names it. */
OOMKB_API int oomkb_open_all(const char *const *paths, size_t count, oomkb **kb,
                             oomkb_error *err);
/* The same from memory; the bytes must stay unchanged until oomkb_close(). */
OOMKB_API int oomkb_open_bytes(const void *bytes, size_t n, oomkb **kb,
                               oomkb_error *err);
OOMKB_API void oomkb_close(oomkb *kb); /* after its scans and reports; NULL is fine */

OOMKB_API int oomkb_diagnose(const oomkb *kb, const void *log, size_t n,
                             const oomkb_options *options,
                             oomkb_report **report, oomkb_error *err);
OOMKB_API void oomkb_report_free(oomkb_report *report);

/* Findings of role root and severity failure: 0 says "no known failure". */
OOMKB_API size_t oomkb_report_failures(const oomkb_report *report);
/* Was all of the input read? 0: compressed data was damaged or ended early, or
 * max_input_bytes was reached; the report is about what came before. lines,
 * which may be NULL, gets how many were read. */
OOMKB_API int oomkb_report_is_whole(const oomkb_report *report,
                                    uint64_t *lines);

/* Called with pieces of output in order; non-zero stops it (OOMKB_ERROR_IO). */
typedef int (*oomkb_writer)(void *ctx, const char *bytes, size_t n);

/* format: one of oomkb_formats(). options: language, width, colour, top,
 * redact. */
OOMKB_API int oomkb_report_write(const oomkb_report *report, const char *format,
                                 const oomkb_options *options,
                                 oomkb_writer writer, void *ctx,
                                 oomkb_error *err);

/* Where the memory of each card went, by what the log measured while its engine
 * started; what no line names is said to be not told. *is_told: 0, no line says
 * anything of it. format: any but chat. */
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

/* For a log that still grows: what it shows since the last news, as a report,
 * or NULL when nothing is new. Each cause is news once, however often it comes
 * again, and once its message is over: lines stand behind it, or is_quiet says
 * that nothing has come for a while. The report belongs to the scan and ends
 * with its next call; the scan goes on as if nobody had asked. While a report
 * is out, a scan takes twice its memory. */
OOMKB_API int oomkb_scan_news(oomkb_scan *scan, int is_quiet,
                              const oomkb_report **report, oomkb_error *err);

/* Answer a question of the report ("model=Qwen/Qwen2.5-7B"): the report is
 * worked out anew from what the scan found; the log is not read again. On
 * failure it stays as it was: a model, a GPU or an engine that the knowledge
 * base does not know is OOMKB_ERROR_USAGE, and err names the nearest; so is a
 * name that GPUs of different memory share ("A100"), unless gpu_total is said. */
OOMKB_API int oomkb_report_answer(oomkb_report *report, const char *fact_value,
                                  oomkb_error *err);

/* What the report would need to say more, most useful first. */
OOMKB_API size_t oomkb_report_questions(const oomkb_report *report);
/* Question i: the fact it is about ("model": what an answer begins with) and
 * a sentence in lang ("en", "zh"; NULL: English). Valid until the report is
 * answered or freed. */
OOMKB_API int oomkb_report_question(oomkb_report *report, size_t i,
                                    const char *lang, const char **fact,
                                    const char **ask, oomkb_error *err);

/* For a program that starts jobs: what failed first, what the same start would
 * do, and the command changed so that it does not fail so again. */
typedef struct oomkb_retry {
    const char *entry;       /* id; NULL: no failure was found */
    const char *fingerprint; /* the same for the same failure of another run */
    const char *outlook;     /* "again", "may_pass", "unknown" */
    const char *const *argv; /* NULL-terminated; NULL: see why_not */
    const char *change;      /* what is new in it: "--max-model-len 40048" */
    const char *why_not;     /* a key of oomkb_text(); NULL: argv is there */
} oomkb_retry;
/* argv is the command that was started, NULL-terminated. Only a flag that its
 * engine takes and that is computed as enough is changed; unless also_late,
 * only where the failure came before the server was ready. Strings live until
 * the report is answered or freed. */
OOMKB_API int oomkb_report_retry(oomkb_report *report, const char *const *argv,
                                 int also_late, oomkb_retry *retry,
                                 oomkb_error *err);

/* One entry of the knowledge base, by id. */
OOMKB_API int oomkb_entry_write(const oomkb *kb, const char *id,
                                const char *format,
                                const oomkb_options *options,
                                oomkb_writer writer, void *ctx,
                                oomkb_error *err);

/* Has that entry a fix of that id? OOMKB_ERROR_USAGE when there is no such
 * entry, or no such fix in it: err names the nearest. */
OOMKB_API int oomkb_fix_check(const oomkb *kb, const char *entry,
                              const char *fix, oomkb_error *err);

/* Entries in a few words each, by id: those of a component ("vllm"; NULL: of
 * all), and those that a diagnosis of the words names, then those that hold any
 * of them, best first. Any words will do, pasted error messages and Chinese
 * included. count, which may be NULL, gets how many
 * entries were written: none is no error. A component that the knowledge base
 * does not know is OOMKB_ERROR_USAGE. */
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

/* What else has a name: the models, GPUs, engines and components that the
 * knowledge base knows, and the facts that an answer can be about. what: one of
 * oomkb_names_known(). */
OOMKB_API int oomkb_names_write(const oomkb *kb, const char *what,
                                const char *format,
                                const oomkb_options *options,
                                oomkb_writer writer, void *ctx, size_t *count,
                                oomkb_error *err);
/* The facts of options->machine, each with where it was read. */
OOMKB_API int oomkb_machine_write(const oomkb *kb, const char *format,
                                  const oomkb_options *options,
                                  oomkb_writer writer, void *ctx,
                                  oomkb_error *err);
/* NULL-terminated: "models", "gpus", "engines", "facts", "components". */
OOMKB_API const char *const *oomkb_names_known(void);

/* NULL-terminated list of format names. */
OOMKB_API const char *const *oomkb_formats(void);
/* The text of the program under key in lang ("en", "zh"); "" when there is none. Valid until oomkb_close(). */
OOMKB_API const char *oomkb_text(const oomkb *kb, const char *lang,
                                 const char *key);
OOMKB_API const char *oomkb_version(void);
OOMKB_API size_t oomkb_entry_count(const oomkb *kb);
OOMKB_API const char *oomkb_digest(const oomkb *kb); /* hex; names this knowledge base */

/* ---- Part 3: options ---- */

/* Set size = sizeof(oomkb_options) and leave the rest zero for the defaults. */
struct oomkb_options {
    uint32_t size;
    const char *lang;       /* "en" (default) or "zh" */
    const char *input_name; /* as shown in the report; default "-" */
    /* "fact=value", NULL-terminated; win over the log. Refused for what
     * oomkb_report_answer() is. */
    const char *const *answers;
    uint32_t width;         /* text: columns, default 80, 60 at least */
    uint32_t top;           /* fixes per finding, 0: all */
    int32_t color;          /* text: ANSI colours */
    int32_t why;            /* text: how each place was won */
    uint64_t max_input_bytes; /* stop reading there; 0: no end */
    uint64_t max_memory_bytes; /* of one scan and its report; 0: 256 MiB */
    void *(*get_memory)(void *ctx, size_t bytes); /* NULL: malloc */
    void (*put_memory)(void *ctx, void *block);
    void *memory_ctx;
    int32_t redact; /* reports: <path-1>, <host-1>, <user-1> ... for what names
                       people, places and machines, and for tokens */
    /* What fixes did for this user before: "entry fix worked" or "entry fix
     * failed", NULL-terminated, one string per attempt. They move the places
     * of those fixes and are shown beside the reports of others. What names no
     * entry or fix of this knowledge base says nothing. */
    const char *const *own_reports;
    /* Threads that look through a long log; 0 or 1: the caller's own alone, at
     * most 16. The report is the same. Each calls get_memory and put_memory,
     * never two at once, and may use max_memory_bytes for its notes. */
    uint32_t threads;
    int32_t all; /* text, Markdown: everything that is known, however long */
    /* What is known of the machine at hand, NULL-terminated, a fact each:
     * "host_total=65849260 kB", "gpu_total[gpu 0]=81559 MiB",
     * "other_in_use[gpu 0, pid 4711]=3012 MiB", "engine_version[engine
     * vllm]=0.11.0"; behind a tab may stand where it was read. Used where the
     * log, or the question of oomkb_fit_write(), says nothing. Where the log
     * is of another machine, nothing of it is used, and a remark says so. */
    const char *const *machine;
};

/* ---- Part 4: does it fit? ----
 *
 * Without a log: a model, an engine and a card in; what its memory takes, and
 * the most that fits, out. */

/* Set size = sizeof(oomkb_fit_question); what is not said takes the engine's
 * defaults, which the answer names. */
typedef struct oomkb_fit_question {
    uint32_t size;
    /* "fact=value", NULL-terminated: model engine engine_version gpu_name
     * gpu_total gpu_count tensor_parallel max_model_len kv_available ...; and
     * concurrency, the requests of full length at once. A size needs a unit
     * (24GiB); a bare integer is bytes. A flag as the engine spells it is a
     * fact, too: "-tp=2", "--max-model-len=32k", "--enforce-eager". */
    const char *const *facts;
    const void *config; /* a config.json, or the front of a GGUF file; or NULL */
    size_t config_bytes;
    const char *config_name;    /* of that file, for messages */
    const char *compare;        /* "H100,L40S", "tensor_parallel=1,2,4"; NULL */
    const char *sweep;          /* "max_model_len"; NULL */
    const oomkb_report *report; /* its settings and numbers count too; or NULL */
    /* A command line that starts the engine ("vllm serve MODEL -tp 2"), as a
     * shell takes it, or a script that holds one; facts win over it; or NULL. */
    const char *command;
} oomkb_fit_question;

/* format: any but chat. *fits: 1 it does, 2 it is likely to,
 * 0 it does not, -1 not known; the JSON says what is missing. */
OOMKB_API int oomkb_fit_write(const oomkb *kb,
                              const oomkb_fit_question *question,
                              const char *format, const oomkb_options *options,
                              oomkb_writer writer, void *ctx, int *fits,
                              oomkb_error *err);

#ifdef __cplusplus
}
#endif

#endif
