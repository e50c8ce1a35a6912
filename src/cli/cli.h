/* cli.h: the command-line program. commands.c has the table of commands,
 * options.c reads the command line by the table of options. A command is a file
 * with a function run_<name>() that returns the exit status.
 *
 * Only cli/ owns stdin, stdout and stderr, reads the environment and exits.
 * Most files include only the public header. build, check, fmt, new and site
 * also use author, facts and run use machine, lint uses launch, mcp uses serve.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <oomkb/oomkb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/limits.h"

/* Exit status: the result of a diagnosis, or an error. */
enum status {
    STATUS_FOUND = 0, /* a root of severity failure; other commands: success */
    STATUS_NONE = 1,  /* no known failure; other commands: none, or no */
    STATUS_ERROR = 2  /* usage or input error; check, build: errors */
};

enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct machine; /* facts.c */

struct fit_option {
    const char *option, *value; /* value NULL: no value follows */
    bool is_engines;            /* a flag of the engine: "-tp",
                                   "--enforce-eager" */
};

/* The settings of the command line and of the environment. Strings belong to
 * argv. */
struct cli {
    const struct command *command;
    const char *format; /* one of oomkb_formats(); check and lint: "sarif" as
                           well; lint: "github" */
    const char *lang;   /* "en" or "zh" */
    const char *kb_paths[CLI_KBS_MAX]; /* --kb, OOMKB_DB; NULL: built-in */
    size_t kb_count;        /* 0: only the built-in one */
    const char *output;     /* -o; NULL: not given */
    const char *answers[CLI_ANSWERS_MAX + 1]; /* --set, NULL-terminated */
    size_t answer_count;
    uint32_t top;
    bool why, all, redact, follow;
    uint32_t jobs; /* threads that read logs; 0: one for each processor */
    struct fit_option fit[CLI_FIT_MAX]; /* --model, -tp ..., in order */
    size_t fit_count;
    bool wants_help, wants_version;
    bool write_docs; /* check --write-docs */
    bool is_codes;   /* check --codes */
    bool is_fix;     /* lint --fix */
    const char *env_files[CLI_ENV_FILES_MAX + 1]; /* lint --env-file */
    size_t env_file_count;
    const char *note; /* feedback --note; NULL: not given */
    bool is_undo;     /* feedback --undo */
    bool is_html;     /* site --html */
    const char *base_url, *wasm_dir; /* of site; NULL: not given */
    const char *const *own_reports; /* NULL-terminated; NULL: none; of
                                       diagnose */
    enum color_choice color;
    char **operands; /* operands, without the command's name */
    size_t operand_count;
    bool is_command_named; /* false: diagnose is the default */
    bool is_file_first;    /* `oomkb -- build`: the operand is a file */
    bool is_listing;       /* several JSON reports as one array */
    size_t listed_count, titled_count;
    bool is_item_begun, has_newline_pending; /* of the item being written */
    bool is_pipe_closed;   /* the reader has closed stdout: end without an
                              error */
    bool is_here; /* --here: use facts of the machine */
    struct machine *machine;     /* here_read(); NULL: not read */
    bool is_format_given;
    const char *report_path, *termination_path, *history_path; /* of run; NULL:
                                                                  not given */
    uint32_t apply; /* run --apply: at most so many restarts; 0: not given */
    bool is_late;   /* run --apply-late */
    oomkb *kb;    /* cli_kb() opens it */
    oomkb *words; /* the built-in knowledge base, for cli_text() */
};

/* Which commands take an option: FOR_diagnose ... */
enum command_index {
#define COMMAND(name, ...) COMMAND_##name,
#include "cli/commands.def"
};
enum command_bit {
#define COMMAND(name, ...) FOR_##name = 1 << COMMAND_##name,
#include "cli/commands.def"
};
#define FOR_ALL 0xfffffu

struct command {
    const char *name;
    const char *operands; /* as the help prints them: "[FILE]..." */
    const char *help_key; /* one line, i18n */
    const char *wrong_key; /* for another number of operands; NULL: a general
                              one */
    enum command_bit bit;
    size_t operands_least, operands_most;
    bool has_kb; /* it is called with cli.kb open */
    int (*run)(struct cli *c);
};
extern const struct command commands[]; /* ends with name NULL */
const struct command *command_named(const char *name);
/* suggest.c: the name that was meant by a misspelled word; NULL: none. */
const char *command_near(const char *word);
const char *option_near(const char *word);

/* Each command has a file. */
#define COMMAND(name, ...) int run_##name(struct cli *c);
#include "cli/commands.def"

/* diagnostics.c: writes the meaning, the reason and the fix of a code of
 * `check`. False: there is no such code. */
bool code_explain(struct cli *c, const char *spelling);

/* facts.c: reads facts of the machine, for cli_options(). program: a command
 * that is about to run, or NULL. False after an error. */
bool here_read(struct cli *c, const char *program);
void here_free(struct cli *c);
const char *const *here_facts(const struct cli *c); /* NULL: not read */

/* options.c */
struct line_reader; /* state of reading the command line */
struct option_row {
    void (*set)(struct line_reader *r, const char *value);
    size_t at;          /* offset in struct cli of the member that it sets */
    const char *name;   /* "--format" */
    char letter;        /* 'h' for -h; 0: none */
    const char *value;  /* "FORMAT", as the help prints it; NULL: takes no
                           value */
    const char *choices; /* "auto always never"; NULL: any value */
    unsigned commands;  /* FOR_... bits */
    const char *help_key;
};
extern const struct option_row option_rows[]; /* ends with name NULL */
/* The row of "--name" or "--name=value" (*value then points behind the '='),
 * of "-h" or "-oFILE"; NULL: no such option. */
const struct option_row *option_of(const char *arg, const char **value);
/* Reorders argv so that operands stand together. False after an error was
 * written to stderr (and as JSON, if that was requested). */
bool options_read(int argc, char **argv, struct cli *c);

/* texts.c: texts of the program. {0} and {1} of a text are replaced by the
 * arguments. The output is safe for a terminal, whatever they contain. */
const char *cli_text(struct cli *c, const char *key);
void cli_print(struct cli *c, const char *key, const char *arg0,
               const char *arg1); /* writes a line to stdout */

/* A number as a text: digits_of(n).text. */
struct digits {
    char text[24];
};
struct digits digits_of(int64_t n);

#define TEXT_MAX 2048 /* bytes of a line */
void fill_text(struct cli *c, const char *key, const char *arg0,
               const char *arg1, char *room, size_t size);
/* Write untrusted text safely. */
void put_safe(FILE *out, const char *text);        /* for a terminal */
void put_json_string(FILE *out, const char *text); /* with its quotes */
/* Writes words with blanks between, quoted for a shell: 'it'\''s'. */
void put_words(FILE *out, char *const *words, size_t count);
/* True if the word is in the list, which ends with NULL. */
bool is_one_of(const char *word, const char *const *list);

/* "2026-11-22 08:00:00" in local time, or "2026-11-22T08:00:00Z". */
struct moment {
    char text[32];
};
struct moment cli_now(bool is_utc);
#define DAY_BYTES 10                   /* bytes of the date at its beginning */
bool cli_is_json(const struct cli *c); /* --format json or jsonl */

/* error.c: writes `oomkb: text` to stderr, one line; under --format json also
 * {"schema":1,"error":{...}} to stdout. Each returns STATUS_ERROR. */
int cli_error(struct cli *c, const char *code, const char *text);
/* Writes only the JSON, after the reason was written to stderr. */
void cli_error_json(struct cli *c, const char *code, const char *text);
int cli_usage(struct cli *c, const char *key, const char *arg0,
              const char *arg1);
int cli_failed(struct cli *c, const oomkb_error *err);
/* Names the input if the error is about its content. */
int cli_failed_at(struct cli *c, const char *name, const oomkb_error *err);
void cli_note(const char *text); /* writes a line to stderr that is no error */
void cli_remark(struct cli *c, const char *key, const char *arg0,
                const char *arg1); /* the same, with a text of the program */
/* The exit status after an oomkb_..._write() to cli_write(): `status` after
 * success; STATUS_FOUND if stdout could not be written (cli_finish() checks
 * it); else STATUS_ERROR, with the reason on stderr. */
int cli_written(struct cli *c, int code, const oomkb_error *err, int status);

/* output.c */
/* The knowledge base; also reads facts of the machine for --here. NULL after an
 * error was written. */
oomkb *cli_kb(struct cli *c);
oomkb_options cli_options(const struct cli *c); /* width, colour, language */
/* An oomkb_writer to stdout; ctx is the struct cli. */
int cli_write(void *ctx, const char *bytes, size_t n);
void cli_separate(struct cli *c); /* writes "[" or "," before an item of a JSON
                                     array */
/* Flushes stdout. Returns status, or STATUS_ERROR if it could not be written. A
 * closed pipe is no error. */
int cli_finish(struct cli *c, int status);

#endif
