/* options.c: the command line by the one table of options, and the
 * environment behind it: LC_ALL, LC_MESSAGES, LANG for the language, OOMKB_DB
 * for the knowledge base. What is said on the line wins. */
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"

#include "base/limits.h"

#define SARIF "sarif"   /* of check and lint */
#define GITHUB "github" /* of lint */

#define FOR_SHOWN                                                              \
    (FOR_DIAGNOSE | FOR_EXPLAIN | FOR_LIST | FOR_SEARCH | FOR_FIT | FOR_FACTS | \
     FOR_MEMORY)
#define FOR_MACHINE (FOR_FIT | FOR_LINT) /* what no file says */

#define FIT(name, value, key) {OPTION_FIT, name, 0, value, NULL, FOR_FIT, key}

const struct option_row option_rows[] = {
    {OPTION_FORMAT, "--format", 0, "FORMAT", NULL,
     FOR_SHOWN | FOR_VERSION | FOR_FEEDBACK | FOR_CHECK | FOR_RUN | FOR_LINT,
     "cli.option.format"},
    {OPTION_LANG, "--lang", 0, "LANG", "en zh", FOR_ALL, "cli.option.lang"},
    {OPTION_SET, "--set", 0, "FACT=VALUE", NULL,
     FOR_DIAGNOSE | FOR_FIT | FOR_RUN | FOR_MEMORY | FOR_LINT,
     "cli.option.set"},
    {OPTION_HERE, "--here", 0, NULL, NULL,
     FOR_DIAGNOSE | FOR_FIT | FOR_LINT | FOR_MEMORY,
     "cli.option.here"},
    {OPTION_TOP, "--top", 0, "N", NULL, FOR_DIAGNOSE, "cli.option.top"},
    {OPTION_WHY, "--why", 0, NULL, NULL, FOR_DIAGNOSE, "cli.option.why"},
    {OPTION_ALL, "--all", 0, NULL, NULL, FOR_DIAGNOSE | FOR_FIT | FOR_RUN,
     "cli.option.all"},
    {OPTION_COLOR, "--color", 0, "WHEN", "auto always never",
     FOR_SHOWN | FOR_RUN, "cli.option.color"},
    {OPTION_REDACT, "--redact", 0, NULL, NULL, FOR_DIAGNOSE | FOR_RUN | FOR_MEMORY,
     "cli.option.redact"},
    {OPTION_FOLLOW, "--follow", 'f', NULL, NULL, FOR_DIAGNOSE,
     "cli.option.follow"},
    {OPTION_JOBS, "--jobs", 'j', "N", NULL, FOR_DIAGNOSE, "cli.option.jobs"},
    {OPTION_KB, "--kb", 0, "FILE", NULL,
     FOR_SHOWN | FOR_VERSION | FOR_SITE | FOR_NEW | FOR_FEEDBACK | FOR_RUN |
         FOR_LINT,
     "cli.option.kb"},
    {OPTION_OUTPUT, "--output", 'o', "FILE", NULL,
     FOR_BUILD | FOR_SITE | FOR_NEW | FOR_FEEDBACK, "cli.option.output"},
    {OPTION_HELP, "--help", 'h', NULL, NULL, FOR_ALL, "cli.option.help"},
    {OPTION_VERSION, "--version", 0, NULL, NULL, FOR_ALL,
     "cli.option.version"},
    {OPTION_WRITE_DOCS, "--write-docs", 0, NULL, NULL, FOR_CHECK,
     "cli.option.write_docs"},
    {OPTION_CODES, "--codes", 0, NULL, NULL, FOR_CHECK, "cli.option.codes"},
    {OPTION_NOTE, "--note", 0, "TEXT", NULL, FOR_FEEDBACK, "cli.option.note"},
    {OPTION_ENV_FILE, "--env-file", 0, "FILE", NULL, FOR_LINT,
     "cli.option.env_file"},
    {OPTION_FIX, "--fix", 0, NULL, NULL, FOR_LINT, "cli.option.fix"},
    {OPTION_UNDO, "--undo", 0, NULL, NULL, FOR_FEEDBACK, "cli.option.undo"},
    {OPTION_APPLY, "--apply", 0, "N", NULL, FOR_RUN, "cli.option.apply"},
    {OPTION_APPLY_LATE, "--apply-late", 0, NULL, NULL, FOR_RUN,
     "cli.option.apply_late"},
    {OPTION_HISTORY, "--history", 0, "FILE", NULL, FOR_RUN,
     "cli.option.history"},
    {OPTION_REPORT, "--report", 0, "FILE", NULL, FOR_RUN, "cli.option.report"},
    {OPTION_TERMINATION_LOG, "--termination-log", 0, "FILE", NULL, FOR_RUN,
     "cli.option.termination_log"},
    {OPTION_HTML, "--html", 0, NULL, NULL, FOR_SITE, "cli.option.html"},
    {OPTION_BASE_URL, "--base-url", 0, "URL", NULL, FOR_SITE,
     "cli.option.base_url"},
    {OPTION_WASM, "--wasm", 0, "DIR", NULL, FOR_SITE, "cli.option.wasm"},
    FIT("--model", "NAME", "cli.option.fit_model"),
    FIT("--config", "FILE", "cli.option.fit_config"),
    FIT("--engine", "NAME", "cli.option.fit_engine"),
    FIT("--engine-version", "V", "cli.option.fit_engine_version"),
    {OPTION_FIT, "--gpu", 0, "NAME", NULL, FOR_MACHINE, "cli.option.fit_gpu"},
    {OPTION_FIT, "--gpu-memory", 0, "SIZE", NULL, FOR_MACHINE,
     "cli.option.fit_gpu_memory"},
    {OPTION_FIT, "--gpus", 0, "N", NULL, FOR_MACHINE, "cli.option.fit_gpus"},
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
    {0, NULL, 0, NULL, NULL, 0, NULL},
};

/* Where we are on the line, and the first thing that is wrong with it. */
struct reading {
    struct cli *c;
    int argc, at;
    char **argv;
    uint64_t seen; /* bits of option ids: judged once the command is known */
    const char *wrong_key, *wrong_arg, *wrong_more;
};

static void complain(struct reading *r, const char *key, const char *arg,
                     const char *more) {
    if (r->wrong_key == NULL) {
        r->wrong_key = key;
        r->wrong_arg = arg;
        r->wrong_more = more;
    }
}

/* Is word one of the words in list, which blanks part? */
static bool is_listed(const char *list, const char *word) {
    size_t n = strlen(word);
    while (*list != '\0') {
        size_t length = strcspn(list, " ");
        if (length == n && memcmp(list, word, n) == 0)
            return true;
        list += length;
        list += strspn(list, " ");
    }
    return false;
}

static bool is_format(const char *word) {
    for (const char *const *f = oomkb_formats(); *f != NULL; f++) {
        if (strcmp(*f, word) == 0)
            return true;
    }
    return false;
}

/* A number from least to most; else key is what is wrong with it. */
static uint32_t number_of(struct reading *r, const char *value, uint32_t least,
                          uint32_t most, const char *key) {
    char *end = NULL;
    unsigned long n = strtoul(value, &end, 10);
    bool is_number = value[0] >= '0' && value[0] <= '9' && *end == '\0';
    if (!is_number || n < least || n > most) {
        complain(r, key, value, "");
        return least;
    }
    return (uint32_t)n;
}

static uint32_t jobs_of(struct reading *r, const char *value) {
    return strcmp(value, "auto") == 0
               ? 0
               : number_of(r, value, 0, JOBS_MAX, "cli.error.jobs");
}

static void take_answer(struct reading *r, const char *value) {
    struct cli *c = r->c;
    if (strchr(value, '=') == NULL) {
        complain(r, "cli.error.set", value, "");
    } else if (c->answer_count == CLI_ANSWERS_MAX) {
        complain(r, "cli.error.too_many_set", value, "");
    } else {
        c->answers[c->answer_count++] = value;
    }
}

/* "built-in" is the one inside. */
static void take_kb(struct reading *r, const char *value) {
    struct cli *c = r->c;
    if (c->kb_count == CLI_KBS_MAX) {
        complain(r, "cli.error.too_many_kb", value, "");
        return;
    }
    c->kb_paths[c->kb_count++] = strcmp(value, "built-in") == 0 ? NULL : value;
}

static void take_env_file(struct reading *r, const char *value) {
    struct cli *c = r->c;
    if (c->env_file_count == CLI_ENV_FILES_MAX)
        complain(r, "cli.error.too_many_env_files", value, "");
    else
        c->env_files[c->env_file_count++] = value;
}

static void take_color(struct cli *c, const char *value) {
    c->color = value[1] == 'u'   ? COLOR_AUTO
               : value[1] == 'l' ? COLOR_ALWAYS
                                 : COLOR_NEVER;
}

static void take_fit(struct reading *r, const char *option,
                     const char *value, bool is_engines) {
    struct cli *c = r->c;
    if (c->fit_count == CLI_FIT_MAX) {
        complain(r, "cli.error.fit_room", option, "");
        return;
    }
    c->fit[c->fit_count++] = (struct fit_option){option, value, is_engines};
}

/* `oomkb fit ... -tp 2`: any flag may be the engine's. */
static bool is_fit(const struct reading *r) {
    return r->c->operand_count > 0 &&
           strcmp(r->c->operands[0], "fit") == 0 && !r->c->is_file_first;
}

static bool is_run(const struct reading *r) {
    return r->c->operand_count > 0 &&
           strcmp(r->c->operands[0], "run") == 0 && !r->c->is_file_first;
}

static bool is_value(const char *word) {
    return word[0] != '-' || (word[1] >= '0' && word[1] <= '9');
}

static void take_flag(struct reading *r, const char *arg) {
    bool has_value = strchr(arg, '=') == NULL && r->at < r->argc &&
                     is_value(r->argv[r->at]);
    take_fit(r, arg, has_value ? r->argv[r->at++] : NULL, true);
}

static void take(struct reading *r, const struct option_row *row,
                 const char *value) {
    struct cli *c = r->c;
    if (row->choices != NULL && !is_listed(row->choices, value)) {
        complain(r, "cli.error.choice", row->name, row->choices);
        return;
    }
    r->seen |= UINT64_C(1) << row->id;
    switch (row->id) {
    case OPTION_FORMAT:
        if (!is_format(value) && strcmp(value, SARIF) != 0 &&
            strcmp(value, GITHUB) != 0) {
            complain(r, "cli.error.format", value, "");
            return;
        }
        c->format = value;
        c->is_format_said = true;
        return;
    case OPTION_LANG: c->lang = value; return;
    case OPTION_SET: take_answer(r, value); return;
    case OPTION_TOP:
        c->top = number_of(r, value, 1, TOP_MAX, "cli.error.top");
        return;
    case OPTION_WHY: c->why = true; return;
    case OPTION_ALL: c->all = true; return;
    case OPTION_COLOR: take_color(c, value); return;
    case OPTION_KB: take_kb(r, value); return;
    case OPTION_OUTPUT: c->output = value; return;
    case OPTION_HELP: c->wants_help = true; return;
    case OPTION_VERSION: c->wants_version = true; return;
    case OPTION_REDACT: c->redact = true; return;
    case OPTION_FOLLOW: c->follow = true; return;
    case OPTION_WRITE_DOCS: c->write_docs = true; return;
    case OPTION_CODES: c->is_codes = true; return;
    case OPTION_FIX: c->is_fix = true; return;
    case OPTION_ENV_FILE: take_env_file(r, value); return;
    case OPTION_JOBS: c->jobs = jobs_of(r, value); return;
    case OPTION_NOTE: c->note = value; return;
    case OPTION_UNDO: c->is_undo = true; return;
    case OPTION_HERE: c->is_here = true; return;
    case OPTION_APPLY:
        c->apply = number_of(r, value, 1, APPLY_MAX, "cli.error.apply");
        return;
    case OPTION_APPLY_LATE: c->is_late = true; return;
    case OPTION_HISTORY: c->history_path = value; return;
    case OPTION_REPORT: c->report_path = value; return;
    case OPTION_TERMINATION_LOG: c->termination_path = value; return;
    case OPTION_HTML: c->is_html = true; return;
    case OPTION_BASE_URL: c->base_url = value; return;
    case OPTION_WASM: c->wasm_dir = value; return;
    case OPTION_FIT: take_fit(r, row->name, value, false); return;
    }
}

/* The row of "--name" or "--name=value" (*value then points behind the '='),
 * of "-h" or "-oFILE"; NULL: no such option. */
static const struct option_row *row_of(const char *arg, const char **value) {
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

static void read_option(struct reading *r, const char *arg) {
    const char *value = NULL;
    const struct option_row *row = row_of(arg, &value);
    bool is_its = row != NULL && (arg[1] == '-' || row->commands & FOR_FIT);
    if (is_fit(r) && !is_its) {
        take_flag(r, arg);
    } else if (row == NULL) {
        const char *near = option_near(arg);
        complain(r, near != NULL ? "cli.error.option_near"
                                 : "cli.error.unknown_option",
                 arg, near != NULL ? near : "");
    } else if (row->value == NULL && value != NULL) {
        complain(r, "cli.error.takes_no_value", row->name, "");
    } else if (row->value != NULL && value == NULL && r->at == r->argc) {
        complain(r, "cli.error.needs_value", row->name, row->value);
    } else {
        if (row->value != NULL && value == NULL)
            value = r->argv[r->at++];
        take(r, row, value);
    }
}

/* Operands move to the front of argv[1..]; everything behind -- is one, and
 * everything behind the first word of a command that `fit` is asked about. */
static void read_line(struct reading *r) {
    bool only_operands = false;
    struct cli *c = r->c;
    c->operands = r->argv + 1;
    while (r->at < r->argc) {
        char *arg = r->argv[r->at++];
        if (only_operands || arg[0] != '-' || arg[1] == '\0') {
            only_operands = only_operands || is_fit(r) || is_run(r);
            /* a command's words */
            c->operands[c->operand_count++] = arg;
        } else if (strcmp(arg, "--") == 0) {
            only_operands = true;
            c->is_file_first = c->operand_count == 0;
        } else {
            read_option(r, arg);
        }
    }
    c->operands[c->operand_count] = NULL; /* as an argv ends */
}

static bool is_said(const struct reading *r, const struct option_row *o) {
    if (o->id != OPTION_FIT)
        return (r->seen & UINT64_C(1) << o->id) != 0;
    for (size_t i = 0; i < r->c->fit_count; i++) {
        if (r->c->fit[i].option == o->name)
            return true;
    }
    return false;
}

static void find_command(struct reading *r, const char *first) {
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
    bool is_lint = c->command->bit == FOR_LINT;
    if ((is_github || (is_sarif && c->command->bit != FOR_CHECK)) && !is_lint)
        complain(r, "cli.error.format", c->format, "");
    for (const struct option_row *o = option_rows; o->name != NULL; o++) {
        bool is_its = (o->commands & (unsigned)c->command->bit) != 0;
        if (!is_its && is_said(r, o))
            complain(r, "cli.error.not_for", o->name, c->command->name);
    }
}

static const char *said_by(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static const char *lang_of_environment(void) {
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = said_by(names[i]);
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
    struct reading r = {.c = c, .argc = argc, .at = 1, .argv = argv};
    read_line(&r);
    if (c->kb_count == 0 && said_by("OOMKB_DB") != NULL)
        take_kb(&r, said_by("OOMKB_DB"));
    bool may_name_command = c->operand_count > 0 && !c->is_file_first;
    find_command(&r, may_name_command ? c->operands[0] : NULL);
    if (r.wrong_key != NULL) {
        cli_usage(c, r.wrong_key, r.wrong_arg, r.wrong_more);
        return false;
    }
    return true;
}
