/* options.c: reads the command line by the table of options, and the
 * environment: LC_ALL, LC_MESSAGES, LANG for the language, OOMKB_DB for the
 * knowledge base. The command line overrides the environment. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cli/input.h"

#define SARIF "sarif"   /* of check and lint */
#define GITHUB "github" /* of lint */

#define FOR_SHOWN                                                              \
    (FOR_diagnose | FOR_explain | FOR_list | FOR_search | FOR_fit |            \
     FOR_facts | FOR_memory)
#define FOR_MACHINE (FOR_fit | FOR_lint) /* options that describe the machine */

/* The state of reading the line, and its first error. */
struct line_reader {
    struct cli *c;
    int argc, at;
    char **argv;
    const struct option_row *row; /* row of the current option */
    uint64_t seen; /* bits of the rows that were given: checked once the command
                      is known */
    const char *error_key, *error_arg, *error_more;
};

static void set_error(struct line_reader *r, const char *key, const char *arg,
                      const char *more) {
    if (r->error_key == NULL) {
        r->error_key = key;
        r->error_arg = arg;
        r->error_more = more;
    }
}

/* Reads a number from least to most; else `key` is the error. */
static uint32_t number_of(struct line_reader *r, const char *value,
                          uint32_t least, uint32_t most, const char *key) {
    char *end = NULL;
    unsigned long n = strtoul(value, &end, 10);
    bool is_number = is_digit(value[0]) && *end == '\0';
    if (!is_number || n < least || n > most) {
        set_error(r, key, value, "");
        return least;
    }
    return (uint32_t)n;
}

/* ---- setting an option ---- */

static void set_flag(struct line_reader *r, const char *value) {
    (void)value;
    *(bool *)((char *)r->c + r->row->at) = true;
}

static void set_text(struct line_reader *r, const char *value) {
    *(const char **)((char *)r->c + r->row->at) = value;
}

static void set_format(struct line_reader *r, const char *value) {
    static const char *const others[] = {SARIF, GITHUB, NULL};
    if (!is_one_of(value, oomkb_formats()) && !is_one_of(value, others)) {
        set_error(r, "cli.error.format", value, "");
        return;
    }
    r->c->format = value;
    r->c->is_format_given = true;
}

static void set_jobs(struct line_reader *r, const char *value) {
    r->c->jobs = strcmp(value, "auto") == 0
                     ? 0
                     : number_of(r, value, 0, JOBS_MAX, "cli.error.jobs");
}

static void set_top(struct line_reader *r, const char *value) {
    r->c->top = number_of(r, value, 1, TOP_MAX, "cli.error.top");
}

static void set_apply(struct line_reader *r, const char *value) {
    r->c->apply = number_of(r, value, 1, APPLY_MAX, "cli.error.apply");
}

/* Adds a value to a list of at most `most`; else `key` is the error. */
static void add_value(struct line_reader *r, const char *value,
                      const char **list, size_t *count, size_t most,
                      const char *key) {
    if (*count == most)
        set_error(r, key, value, "");
    else
        list[(*count)++] = value;
}

static void add_answer(struct line_reader *r, const char *value) {
    struct cli *c = r->c;
    if (strchr(value, '=') == NULL)
        set_error(r, "cli.error.set", value, "");
    else
        add_value(r, value, c->answers, &c->answer_count, CLI_ANSWERS_MAX,
                  "cli.error.too_many_set");
}

/* Adds a knowledge base. "built-in" is NULL. */
static void add_kb(struct line_reader *r, const char *value) {
    add_value(r, value, r->c->kb_paths, &r->c->kb_count, CLI_KBS_MAX,
              "cli.error.too_many_kb");
    const char **last = &r->c->kb_paths[r->c->kb_count - 1];
    *last = strcmp(value, "built-in") == 0 ? NULL : *last;
}

static void add_env_file(struct line_reader *r, const char *value) {
    add_value(r, value, r->c->env_files, &r->c->env_file_count,
              CLI_ENV_FILES_MAX, "cli.error.too_many_env_files");
}

static void set_color(struct line_reader *r, const char *value) {
    r->c->color = value[1] == 'u'   ? COLOR_AUTO
                  : value[1] == 'l' ? COLOR_ALWAYS
                                    : COLOR_NEVER;
}

static void add_fit_option(struct line_reader *r, const char *option,
                           const char *value, bool is_engines) {
    struct cli *c = r->c;
    if (c->fit_count == CLI_FIT_MAX) {
        set_error(r, "cli.error.fit_room", option, "");
        return;
    }
    c->fit[c->fit_count++] = (struct fit_option){option, value, is_engines};
}

static void set_fit(struct line_reader *r, const char *value) {
    add_fit_option(r, r->row->name, value, false);
}

#define FLAG(field) set_flag, offsetof(struct cli, field)
#define TEXT(field) set_text, offsetof(struct cli, field)
#define FIT(name, value, key) {set_fit, 0, name, 0, value, NULL, FOR_fit, key}

const struct option_row option_rows[] = {
    {set_format, 0, "--format", 0, "FORMAT", NULL,
     FOR_SHOWN | FOR_version | FOR_feedback | FOR_check | FOR_run | FOR_lint,
     "cli.option.format"},
    {TEXT(lang), "--lang", 0, "LANG", "en zh", FOR_ALL, "cli.option.lang"},
    {add_answer, 0, "--set", 0, "FACT=VALUE", NULL,
     FOR_diagnose | FOR_fit | FOR_run | FOR_memory | FOR_lint,
     "cli.option.set"},
    {FLAG(is_here), "--here", 0, NULL, NULL,
     FOR_diagnose | FOR_fit | FOR_lint | FOR_memory, "cli.option.here"},
    {set_top, 0, "--top", 0, "N", NULL, FOR_diagnose, "cli.option.top"},
    {FLAG(why), "--why", 0, NULL, NULL, FOR_diagnose, "cli.option.why"},
    {FLAG(all), "--all", 0, NULL, NULL, FOR_diagnose | FOR_fit | FOR_run,
     "cli.option.all"},
    {set_color, 0, "--color", 0, "WHEN", "auto always never",
     FOR_SHOWN | FOR_run, "cli.option.color"},
    {FLAG(redact), "--redact", 0, NULL, NULL,
     FOR_diagnose | FOR_run | FOR_memory, "cli.option.redact"},
    {FLAG(follow), "--follow", 'f', NULL, NULL, FOR_diagnose,
     "cli.option.follow"},
    {set_jobs, 0, "--jobs", 'j', "N", NULL, FOR_diagnose, "cli.option.jobs"},
    {add_kb, 0, "--kb", 0, "FILE", NULL,
     FOR_SHOWN | FOR_version | FOR_site | FOR_new | FOR_feedback | FOR_run |
         FOR_lint,
     "cli.option.kb"},
    {TEXT(output), "--output", 'o', "FILE", NULL,
     FOR_build | FOR_site | FOR_new | FOR_feedback, "cli.option.output"},
    {FLAG(wants_help), "--help", 'h', NULL, NULL, FOR_ALL, "cli.option.help"},
    {FLAG(wants_version), "--version", 0, NULL, NULL, FOR_ALL,
     "cli.option.version"},
    {FLAG(write_docs), "--write-docs", 0, NULL, NULL, FOR_check,
     "cli.option.write_docs"},
    {FLAG(is_codes), "--codes", 0, NULL, NULL, FOR_check, "cli.option.codes"},
    {TEXT(note), "--note", 0, "TEXT", NULL, FOR_feedback, "cli.option.note"},
    {add_env_file, 0, "--env-file", 0, "FILE", NULL, FOR_lint,
     "cli.option.env_file"},
    {FLAG(is_fix), "--fix", 0, NULL, NULL, FOR_lint, "cli.option.fix"},
    {FLAG(is_undo), "--undo", 0, NULL, NULL, FOR_feedback, "cli.option.undo"},
    {set_apply, 0, "--apply", 0, "N", NULL, FOR_run, "cli.option.apply"},
    {FLAG(is_late), "--apply-late", 0, NULL, NULL, FOR_run,
     "cli.option.apply_late"},
    {TEXT(history_path), "--history", 0, "FILE", NULL, FOR_run,
     "cli.option.history"},
    {TEXT(report_path), "--report", 0, "FILE", NULL, FOR_run,
     "cli.option.report"},
    {TEXT(termination_path), "--termination-log", 0, "FILE", NULL, FOR_run,
     "cli.option.termination_log"},
    {FLAG(is_html), "--html", 0, NULL, NULL, FOR_site, "cli.option.html"},
    {TEXT(base_url), "--base-url", 0, "URL", NULL, FOR_site,
     "cli.option.base_url"},
    {TEXT(wasm_dir), "--wasm", 0, "DIR", NULL, FOR_site, "cli.option.wasm"},
    FIT("--model", "NAME", "cli.option.fit_model"),
    FIT("--config", "FILE", "cli.option.fit_config"),
    FIT("--engine", "NAME", "cli.option.fit_engine"),
    FIT("--engine-version", "V", "cli.option.fit_engine_version"),
    {set_fit, 0, "--gpu", 0, "NAME", NULL, FOR_MACHINE, "cli.option.fit_gpu"},
    {set_fit, 0, "--gpu-memory", 0, "SIZE", NULL, FOR_MACHINE,
     "cli.option.fit_gpu_memory"},
    {set_fit, 0, "--gpus", 0, "N", NULL, FOR_MACHINE, "cli.option.fit_gpus"},
    FIT("--tp", "N", "cli.option.fit_tp"),
    FIT("--pp", "N", "cli.option.fit_pp"),
    FIT("--dp", "N", "cli.option.fit_dp"),
    FIT("--dtype", "TYPE", "cli.option.fit_dtype"),
    FIT("--quantization", "HOW", "cli.option.fit_quantization"),
    FIT("--kv-cache-dtype", "TYPE", "cli.option.fit_kv_cache_dtype"),
    FIT("--block-size", "N", "cli.option.fit_block_size"),
    FIT("--max-model-len", "N", "cli.option.fit_max_model_len"),
    FIT("--max-num-seqs", "N", "cli.option.fit_max_num_seqs"),
    FIT("--max-num-batched-tokens", "N",
        "cli.option.fit_max_num_batched_tokens"),
    FIT("--gpu-memory-utilization", "X",
        "cli.option.fit_gpu_memory_utilization"),
    FIT("--kv-available", "SIZE", "cli.option.fit_kv_available"),
    FIT("--concurrency", "N", "cli.option.fit_concurrency"),
    FIT("--compare", "LIST", "cli.option.fit_compare"),
    FIT("--sweep", "WHAT", "cli.option.fit_sweep"),
    FIT("--from-log", "FILE", "cli.option.fit_from_log"),
    {NULL, 0, NULL, 0, NULL, NULL, 0, NULL},
};

/* True if the command is this one. Any other flag of `oomkb fit ... -tp 2` may
 * be the engine's. */
static bool is_command(const struct line_reader *r, const char *command) {
    return r->c->operand_count > 0 &&
           strcmp(r->c->operands[0], command) == 0 && !r->c->is_file_first;
}

static bool is_value(const char *word) {
    return word[0] != '-' || is_digit(word[1]);
}

static void add_engine_flag(struct line_reader *r, const char *arg) {
    bool has_value = strchr(arg, '=') == NULL && r->at < r->argc &&
                     is_value(r->argv[r->at]);
    add_fit_option(r, arg, has_value ? r->argv[r->at++] : NULL, true);
}

static void set_option(struct line_reader *r, const struct option_row *row,
                       const char *value) {
    if (row->choices != NULL &&
        !str_lists(str_of(row->choices), ' ', str_of(value))) {
        set_error(r, "cli.error.choice", row->name, row->choices);
        return;
    }
    r->seen |= UINT64_C(1) << (row - option_rows);
    r->row = row;
    row->set(r, value);
}

const struct option_row *option_of(const char *arg, const char **value) {
    size_t n = strcspn(arg, "=");
    for (const struct option_row *o = option_rows; o->name != NULL; o++) {
        bool is_long = strlen(o->name) == n && memcmp(o->name, arg, n) == 0;
        bool is_short = o->letter != 0 && arg[1] == o->letter &&
                        (arg[2] == '\0' || o->value != NULL);
        if (is_long) {
            *value = arg[n] == '=' ? arg + n + 1 : NULL;
            return o;
        }
        if (is_short && arg[1] != '-') {
            *value = arg[2] != '\0' ? arg + 2 : NULL;
            return o;
        }
    }
    return NULL;
}

static void read_option(struct line_reader *r, const char *arg) {
    const char *value = NULL;
    const struct option_row *row = option_of(arg, &value);
    bool is_its = row != NULL && (arg[1] == '-' || row->commands & FOR_fit);
    if (is_command(r, "fit") && !is_its) {
        add_engine_flag(r, arg);
    } else if (row == NULL) {
        const char *near = option_near(arg);
        set_error(r, near != NULL ? "cli.error.option_near"
                                  : "cli.error.unknown_option",
                  arg, near != NULL ? near : "");
    } else if (row->value == NULL && value != NULL) {
        set_error(r, "cli.error.takes_no_value", row->name, "");
    } else if (row->value != NULL && value == NULL && r->at == r->argc) {
        set_error(r, "cli.error.needs_value", row->name, row->value);
    } else {
        if (row->value != NULL && value == NULL)
            value = r->argv[r->at++];
        set_option(r, row, value);
    }
}

/* Moves operands to the front of argv[1..]. Everything behind -- is an operand,
 * and everything behind the first word of a command for `fit` or `run`. */
static void read_line(struct line_reader *r) {
    bool only_operands = false;
    struct cli *c = r->c;
    c->operands = r->argv + 1;
    while (r->at < r->argc) {
        char *arg = r->argv[r->at++];
        if (only_operands || arg[0] != '-' || arg[1] == '\0') {
            only_operands = only_operands || is_command(r, "fit") ||
                            is_command(r, "run");
            /* words of a command */
            c->operands[c->operand_count++] = arg;
        } else if (strcmp(arg, "--") == 0) {
            only_operands = true;
            c->is_file_first = c->operand_count == 0;
        } else {
            read_option(r, arg);
        }
    }
    c->operands[c->operand_count] = NULL; /* argv ends with NULL */
}

static void find_command(struct line_reader *r, const char *first) {
    struct cli *c = r->c;
    c->command = first != NULL ? command_named(first) : NULL;
    c->is_command_named = c->command != NULL;
    if (c->is_command_named) {
        c->operands++;
        c->operand_count--;
    } else {
        c->command = command_named("diagnose");
    }
    bool is_sarif = strcmp(c->format, SARIF) == 0;
    bool is_github = strcmp(c->format, GITHUB) == 0;
    bool is_lint = c->command->bit == FOR_lint;
    if ((is_github || (is_sarif && c->command->bit != FOR_check)) && !is_lint)
        set_error(r, "cli.error.format", c->format, "");
    for (const struct option_row *o = option_rows; o->name != NULL; o++) {
        bool is_its = (o->commands & (unsigned)c->command->bit) != 0;
        if (!is_its && (r->seen & UINT64_C(1) << (o - option_rows)) != 0)
            set_error(r, "cli.error.not_for", o->name, c->command->name);
    }
}

static const char *environment_value(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static const char *lang_of_environment(void) {
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = environment_value(names[i]);
        if (value != NULL)
            return strncmp(value, "zh", 2) == 0 ? "zh" : "en";
    }
    return "en";
}

bool options_read(int argc, char **argv, struct cli *c) {
    c->format = "text";
    c->jobs = 1;
    c->lang = lang_of_environment();
    c->command = command_named("diagnose");
    struct line_reader r = {.c = c, .argc = argc, .at = 1, .argv = argv};
    read_line(&r);
    if (c->kb_count == 0 && environment_value("OOMKB_DB") != NULL)
        add_kb(&r, environment_value("OOMKB_DB"));
    bool may_name_command = c->operand_count > 0 && !c->is_file_first;
    find_command(&r, may_name_command ? c->operands[0] : NULL);
    if (r.error_key != NULL) {
        cli_usage(c, r.error_key, r.error_arg, r.error_more);
        return false;
    }
    return true;
}
