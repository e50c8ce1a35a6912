/* cli.h: the program round the library. commands.c has the one table of
 * commands, options.c reads the command line by the one table of
 * options; a command is a file with a `run` that returns the exit status.
 *
 * Only cli/ owns stdin, stdout and stderr, reads the environment and exits.
 * All of it but build.c, check.c (author), facts.c and run (machine) speaks to
 * the public header alone.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <oomkb/oomkb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/limits.h"

/* Exit status: the answer of a diagnosis, or that there is none. */
enum status {
    STATUS_FOUND = 0, /* a root of severity failure; other commands: done */
    STATUS_NONE = 1,  /* no known failure; check, build: something is wrong */
    STATUS_ERROR = 2  /* usage or input error */
};

enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct machine; /* facts.c */

struct fit_option {
    const char *option, *value; /* value NULL: none stands behind it */
    bool is_engines;            /* its own flag: "-tp", "--enforce-eager" */
};

/* What the command line and the environment say. Strings are argv's. */
struct cli {
    const struct command *command;
    const char *format; /* one of oomkb_formats(); check and lint: "sarif" as
                           well; lint: "github" */
    const char *lang;   /* "en" or "zh" */
    const char *kb_paths[CLI_KBS_MAX]; /* --kb, OOMKB_DB; NULL: built-in */
    size_t kb_count;        /* 0: the built-in one */
    const char *output;     /* -o; NULL: not said */
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
    const char *note; /* feedback --note; NULL: not said */
    bool is_undo;     /* feedback --undo */
    bool is_html;     /* site --html */
    const char *base_url, *wasm_dir; /* of site; NULL: not said */
    const char *const *own_reports; /* NULL-terminated, or NULL: diagnose's */
    enum color_choice color;
    char **operands; /* what is no option, the command's name taken off */
    size_t operand_count;
    bool is_command_named; /* false: diagnose, by default */
    bool is_file_first;    /* `oomkb -- build`: that operand is a file */
    bool is_listing;       /* several JSON reports as one array */
    size_t listed_count, titled_count;
    bool is_item_begun, owes_newline; /* of the item being written */
    bool is_pipe_closed;   /* nobody reads on: go quietly */
    bool is_here; /* --here: facts of the machine count, too */
    struct machine *machine;     /* here_read(); NULL: not read */
    bool is_format_said;
    const char *report_path, *termination_path, *history_path; /* of run; NULL:
                                                                  not said */
    uint32_t apply; /* run --apply: restarts at most; 0: not said */
    bool is_late;   /* run --apply-late */
    oomkb *kb;    /* cli_kb() opens it */
    oomkb *words; /* the built-in one, for cli_text() */
};

/* Which commands take an option: FOR_diagnose ... */
enum command_index {
#define COMMAND(name, operands, most, help_key) COMMAND_##name,
#include "cli/commands.def"
};
enum command_bit {
#define COMMAND(name, operands, most, help_key)                                \
    FOR_##name = 1 << COMMAND_##name,
#include "cli/commands.def"
};
#define FOR_ALL 0xfffffu

struct command {
    const char *name;
    const char *operands; /* as the help shows them: "[FILE]..." */
    const char *help_key; /* one line, i18n */
    enum command_bit bit;
    size_t operands_most;
    int (*run)(struct cli *c);
};
extern const struct command commands[]; /* ends with name NULL */
const struct command *command_named(const char *name);
/* suggest.c: the name that a slip of the hand made this word of; NULL: none. */
const char *command_near(const char *word);
const char *option_near(const char *word);

/* One file each. */
#define COMMAND(name, operands, most, help_key) int run_##name(struct cli *c);
#include "cli/commands.def"

/* diagnostics.c: what a code of `check` means, why, and how to put it right.
 * False: there is no such code. */
bool code_explain(struct cli *c, const char *spelling);

/* facts.c: what is known of the machine, for cli_options(). program: a command
 * that is about to run, or NULL. False after an error. */
bool here_read(struct cli *c, const char *program);
void here_forget(struct cli *c);
const char *const *here_facts(const struct cli *c); /* NULL: not read */

/* options.c */
struct reading; /* of the command line */
struct option_row {
    void (*take)(struct reading *r, const char *value);
    size_t at;          /* of what it sets, in struct cli */
    const char *name;   /* "--format" */
    char letter;        /* 'h' for -h; 0: none */
    const char *value;  /* "FORMAT", as the help shows it; NULL: takes none */
    const char *choices; /* "auto always never"; NULL: free */
    unsigned commands;  /* FOR_... bits */
    const char *help_key;
};
extern const struct option_row option_rows[]; /* ends with name NULL */
/* Reorders argv so that operands stand together. False after it has said on
 * stderr (and as JSON, if that was asked for) what is wrong. */
bool options_read(int argc, char **argv, struct cli *c);

/* say.c: texts of the program. key's {0} {1} are filled with args; output is
 * safe for a terminal whatever the args hold. */
const char *cli_text(struct cli *c, const char *key);
void cli_say(struct cli *c, const char *key, const char *arg0,
             const char *arg1); /* to stdout, with a newline */

/* A number as a text: digits_of(n).text. */
struct digits {
    char text[24];
};
struct digits digits_of(int64_t n);

#define TEXT_MAX 2048 /* bytes of a line */
void fill_text(struct cli *c, const char *key, const char *arg0,
               const char *arg1, char *room, size_t size);
/* What others chose, safely. */
void put_safe(FILE *out, const char *text);        /* for a terminal */
void put_json_string(FILE *out, const char *text); /* with its quotes */
/* Words as a shell reads them again, with blanks between: 'it'\''s'. */
void put_words(FILE *out, char *const *words, size_t count);
/* Is it one of these? NULL ends them. */
bool is_one_of(const char *word, const char *const *list);

/* "2026-11-22 08:00:00" in local time, or "2026-11-22T08:00:00Z". */
struct moment {
    char text[32];
};
struct moment cli_now(bool is_utc);
#define DAY_BYTES 10                   /* of its front */
bool cli_is_json(const struct cli *c); /* json or jsonl was asked for */

/* error.c: `oomkb: text` on stderr, one line; under --format json also
 * {"schema":1,"error":{...}} on stdout. Return STATUS_ERROR. */
int cli_error(struct cli *c, const char *code, const char *text);
/* The same for who asked for JSON only: stderr has the reason already. */
void cli_error_json(struct cli *c, const char *code, const char *text);
int cli_usage(struct cli *c, const char *key, const char *arg0,
              const char *arg1);
int cli_failed(struct cli *c, const oomkb_error *err);
/* Names the input, where it is about what stands in there. */
int cli_failed_at(struct cli *c, const char *name, const oomkb_error *err);
void cli_note(const char *text); /* a line on stderr that is no error */
void cli_remark(struct cli *c, const char *key, const char *arg0,
                const char *arg1); /* the same, of the program's texts */
/* What became of an oomkb_..._write() to cli_write(): status, where it went
 * well or the reader has gone; else STATUS_ERROR, and it is said why. */
int cli_written(struct cli *c, int code, const oomkb_error *err, int status);

/* output.c */
/* The knowledge base, with what --here reads; NULL after an error was said. */
oomkb *cli_kb(struct cli *c);
oomkb_options cli_options(const struct cli *c); /* width, colour, language */
/* An oomkb_writer to stdout; ctx is the struct cli. */
int cli_write(void *ctx, const char *bytes, size_t n);
void cli_separate(struct cli *c); /* before each item of a JSON array */
/* Flush stdout; status, or STATUS_ERROR when it could not be written. A
 * closed pipe is no error. */
int cli_finish(struct cli *c, int status);

#endif
