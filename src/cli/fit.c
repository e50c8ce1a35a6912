/* fit.c: `oomkb fit --model NAME --gpu NAME ...`: computes whether a model
 * fits, and what would make it fit. Every option is a fact under another name,
 * including an engine's own flags. Operands are the command that starts the
 * engine: word by word, as one argument, or in a file. Files are read here,
 * since the library reads none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"

#include "base/limits.h"

struct fit_input {
    /* "fact=value", "-tp=2", one behind the other */
    char room[CLI_FIT_BYTES_MAX];
    size_t used;
    const char *list[CLI_FIT_MAX + CLI_ANSWERS_MAX + 1];
    size_t count;
    const char *config_path, *log_path;
    struct content config, command;
    oomkb_report *report;
    oomkb_fit_question question;
};

/* Adds an option as a fact. An engine's flags keep their dashes. */
static bool add_fact(struct fit_input *q, const struct fit_option *o) {
    char *at = q->room + q->used;
    size_t left = sizeof q->room - q->used;
    const char *name = o->is_engines ? o->option : o->option + 2;
    int n = snprintf(at, left, "%s%s%s", name, o->value ? "=" : "",
                     o->value ? o->value : "");
    if (n < 0 || (size_t)n >= left)
        return false;
    q->used += (size_t)n + 1;
    q->list[q->count++] = at;
    return true;
}

static bool set_fit_option(struct fit_input *q, const struct fit_option *o) {
    if (strcmp(o->option, "--compare") == 0)
        q->question.compare = o->value;
    else if (strcmp(o->option, "--sweep") == 0)
        q->question.sweep = o->value;
    else if (strcmp(o->option, "--config") == 0)
        q->config_path = o->value;
    else if (strcmp(o->option, "--from-log") == 0)
        q->log_path = o->value;
    else
        return add_fact(q, o);
    return true;
}

/* ---- files ---- */

/* Reads the model's file. A config.json must end within the limit; of a GGUF
 * file the beginning is enough. */
static int read_config(struct cli *c, struct fit_input *q) {
    bool is_whole = false;
    int status = input_read(c, q->config_path, MODEL_FILE_BYTES_MAX, &q->config,
                              &is_whole);
    bool is_gguf = q->config.n >= 4 && memcmp(q->config.p, "GGUF", 4) == 0;
    return status != 0 || is_whole || is_gguf
               ? status
               : cli_usage(c, "cli.error.fit_file", q->config_path, NULL);
}

/* Joins words, quoted for a shell. */
static bool join_words(struct content *out, char **words, size_t count) {
    FILE *all = open_memstream(&out->p, &out->n);
    if (all != NULL)
        put_words(all, words, count);
    return all != NULL && fclose(all) == 0;
}

/* Reads the command: `fit ... -- vllm serve m`, `fit ... "vllm serve m"`, a
 * file, or "-". */
static int read_command(struct cli *c, struct fit_input *q) {
    bool is_whole = true;
    char *first = c->operands[0];
    bool is_file = c->operand_count == 1 && strpbrk(first, " \n") == NULL;
    int status = 0;
    if (is_file)
        status = input_read(c, first, FIT_COMMAND_BYTES_MAX, &q->command,
                              &is_whole);
    else if (c->operand_count == 1)
        q->question.command = first;
    else if (!join_words(&q->command, c->operands, c->operand_count))
        status = input_error(c, first, ENOMEM);
    if (q->command.p != NULL)
        q->question.command = q->command.p;
    return status != 0 || is_whole
               ? status
               : cli_usage(c, "cli.error.fit_command_file", first, NULL);
}

static int read_log(struct cli *c, struct fit_input *q) {
    oomkb_options options = cli_options(c);
    options.answers = NULL;
    return log_report_of(c, q->log_path, &options, &q->report);
}

/* ---- the command ---- */

static int fit_input_read(struct cli *c, struct fit_input *q) {
    q->question.size = sizeof q->question;
    for (size_t i = 0; i < c->fit_count; i++)
        if (!set_fit_option(q, &c->fit[i]))
            return cli_usage(c, "cli.error.fit_room", c->fit[i].option, NULL);
    for (size_t i = 0; i < c->answer_count; i++)
        q->list[q->count++] = c->answers[i];
    q->question.facts = q->list;
    int status = c->operand_count > 0 ? read_command(c, q) : 0;
    if (status == 0 && q->config_path != NULL)
        status = read_config(c, q);
    if (status == 0 && q->log_path != NULL)
        status = read_log(c, q);
    q->question.config = q->config.p;
    q->question.config_bytes = q->config.n;
    q->question.config_name = q->config_path;
    q->question.report = q->report;
    return status;
}

static int fit_write(struct cli *c, const struct fit_input *q) {
    oomkb_options options = cli_options(c);
    oomkb_error err;
    int fits = -1;
    int code = oomkb_fit_write(c->kb, &q->question, c->format, &options,
                               cli_write, c, &fits, &err);
    return cli_written(c, code, &err, fits > 0    ? STATUS_FOUND
                                      : fits == 0 ? STATUS_NONE
                                                  : STATUS_ERROR);
}

int run_fit(struct cli *c) {
    struct fit_input q = {.used = 0};
    int status = fit_input_read(c, &q);
    if (status == 0)
        status = fit_write(c, &q);
    oomkb_report_free(q.report);
    free(q.config.p);
    free(q.command.p);
    return status;
}
