/* lint.c: `oomkb lint FILE...`: checks files that start an engine.
 *
 *     --gpu NAME --gpus N     the machine, if a file does not name it
 *     --env-file FILE         values of ${NAME}; else .env beside the file
 *     --fix                   only the fixes, as a unified diff
 *     --format                text, json, sarif, github
 *
 * Exit status: 0 no findings, 1 an error or a warning, 2 a file that cannot be
 * read or, without any finding, a service whose verdict is unknown. */
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/corpus.h"
#include "cli/input.h"
#include "launch/lint.h"
#include "base/limits.h"

#define FACTS_MAX (CLI_FIT_MAX + CLI_ANSWERS_MAX + 1)

struct lint_run {
    struct arena arena;
    struct cli *c;
    const oomkb *kb;
    const char *facts[FACTS_MAX];
    struct lint_options options;
    struct lint_text *texts; /* the files that were read */
    size_t text_count, text_cap;
    struct lint_file **files;
    size_t count, cap;
    size_t verdicts[4]; /* by enum truth_fit */
    size_t findings;    /* errors and warnings */
    bool has_unread;
};

static enum lang lang_of(const struct cli *c) {
    return strcmp(c->lang, "zh") == 0 ? LANG_ZH : LANG_EN;
}

static void facts_add(struct lint_run *l) {
    struct cli *c = l->c;
    size_t count = 0;
    for (size_t i = 0; i < c->fit_count; i++)
        l->facts[count++] =
            arena_printf(&l->arena, "%s=%s", c->fit[i].option + 2,
                         c->fit[i].value).p;
    for (size_t i = 0; i < c->answer_count; i++)
        l->facts[count++] = c->answers[i];
    l->facts[count] = NULL;
}

static void add_file(struct lint_run *l, struct lint_file *file) {
    *ARENA_ADD(&l->arena, l->files, l->count, l->cap) = file;
    for (size_t i = 0; i < file->service_count; i++)
        if (file->services[i].has_engine)
            l->verdicts[file->services[i].fits]++;
    for (size_t i = 0; i < file->finding_count; i++)
        l->findings += file->findings[i].diag.level != DIAG_NOTE;
    l->has_unread = l->has_unread || !file->is_read;
}


/* ---- reading ---- */

/* Reads a file that another one names: only a regular file, up to the limit for
 * linted files. */
static bool read_beside(void *arg, struct arena *a, struct str path,
                        struct str *text) {
    struct content content = {0};
    struct stat about;
    bool is_whole = false;
    (void)arg;
    bool is_read =
        stat(path.p, &about) == 0 && S_ISREG(about.st_mode) &&
        input_load(path.p, LINT_FILE_BYTES_MAX, &content, &is_whole) == 0 &&
        is_whole;
    if (is_read)
        *text = arena_str(a, (struct str){content.p, content.n});
    free(content.p);
    return is_read;
}

/* Reports a file that cannot be read: on stderr, and as a finding unless the
 * format is text. */
static void report_unread(struct lint_run *l, const char *name, int number) {
    char message[TEXT_MAX];
    if (number != 0)
        input_error_text(l->c, name, number, message, sizeof message);
    else
        fill_text(l->c, "cli.error.lint_file", name, NULL, message,
                  sizeof message);
    cli_note(message);
    l->has_unread = true;
    if (strcmp(l->c->format, "text") != 0)
        add_file(l, lint_unread(&l->arena, &l->options, str_of(name),
                                str_of(message)));
}

static void read_file(struct lint_run *l, const char *name) {
    struct content content = {0};
    bool is_whole = false;
    int number = input_load(name, LINT_FILE_BYTES_MAX, &content, &is_whole);
    if (number == 0 && is_whole) {
        *ARENA_ADD(&l->arena, l->texts, l->text_count, l->text_cap) =
            (struct lint_text){
                str_of(name),
                arena_str(&l->arena, (struct str){content.p, content.n})};
    } else {
        report_unread(l, name, number);
    }
    free(content.p);
}

static void read_files(struct lint_run *l) {
    static const char *const nothing[] = {NULL};
    const char *const *machine = cli_options(l->c).machine;
    l->options = (struct lint_options){
        .kb = l->kb,
        .lang = lang_of(l->c),
        .facts = l->facts,
        .machine = machine != NULL ? machine : nothing,
        .open = read_beside,
        .env_files = l->c->env_files};
    for (size_t i = 0; i < l->c->operand_count; i++)
        read_file(l, l->c->operands[i]);
    l->options.maps = config_maps_of(&l->arena, l->texts, l->text_count);
    for (size_t i = 0; i < l->text_count; i++)
        add_file(l, lint_read(&l->arena, &l->options, l->texts[i].path,
                              l->texts[i].text));
}

/* ---- for programs ---- */

static void write_sarif(struct lint_run *l) {
    struct diagnostics all = {.a = &l->arena};
    struct sarif_rules rules = {0};
    const struct lint_rule *rule;
    size_t cap = 0;
    for (size_t n = 0; n < l->count; n++)
        for (size_t i = 0; i < l->files[n]->finding_count; i++)
            diagnostics_add(&all, &l->files[n]->findings[i].diag);
    for (size_t i = 0;
         (rule = lint_rule_of(&l->arena, l->kb, i)) != NULL; i++) {
        struct str text = rule->text.in[lang_of(l->c)];
        struct str rest, what = str_cut(text, '\n', &rest);
        *ARENA_ADD(&l->arena, rules.at, rules.count, cap) = (struct sarif_rule){
            rule->id, what, rest.n > 0 ? rest : what,
            diag_level_named(rule->level)};
    }
    diagnostics_write_sarif(l->c, &all, &rules);
}

/* ---- for people ---- */

static void write_text(struct lint_run *l) {
    uint32_t width = cli_options(l->c).width;
    struct buf out = buf_in(&l->arena, LINT_OUTPUT_BYTES_MAX);
    for (size_t n = 0; n < l->count; n++) {
        if (l->c->is_fix)
            buf_add(&out, lint_patch(&l->arena, l->files[n]));
        else if (strcmp(l->c->format, "github") == 0)
            lint_put_github(l->files[n], &out);
        else
            lint_put_text(&l->arena, l->files[n], width > 0 ? width : 80,
                          &out);
    }
    if (out.n > 0)
        fwrite(out.p, 1, out.n, stdout);
}

static void sums_write(struct lint_run *l) {
    size_t services = l->verdicts[FIT_YES] + l->verdicts[FIT_LIKELY] +
                      l->verdicts[FIT_NO] + l->verdicts[FIT_UNKNOWN];
    if (services == 0 && l->has_unread)
        return; /* no file with a service could be read */
    cli_remark(l->c, services == 0 ? "cli.lint.none" : "cli.lint.sum",
               digits_of((int64_t)services).text,
               digits_of((int64_t)l->findings).text);
}

static void lint(void *arg) {
    struct lint_run *l = arg;
    facts_add(l);
    read_files(l);
    if (strcmp(l->c->format, "sarif") == 0)
        write_sarif(l);
    else if (cli_is_json(l->c))
        diagnostics_put(&l->arena, lint_json(&l->arena, l->files, l->count),
                        true);
    else
        write_text(l);
    sums_write(l);
}

static int status_of(const struct lint_run *l) {
    if (l->findings > 0 && !l->has_unread)
        return STATUS_NONE;
    return l->has_unread || l->verdicts[FIT_UNKNOWN] > 0 ? STATUS_ERROR
                                                         : STATUS_FOUND;
}

int run_lint(struct cli *c) {
    if (!STR_IS_ONE(str_of(c->format), "text", "sarif", "github", "json"))
        return cli_usage(c, "cli.error.lint_format", c->format, NULL);
    for (size_t i = 0; i < c->env_file_count; i++)
        if (access(c->env_files[i], R_OK) != 0)
            return input_error(c, c->env_files[i], errno);
    struct lint_run l = {.c = c, .kb = c->kb};
    bool is_done = cli_guard(c, &l.arena, lint, &l);
    int status = is_done ? status_of(&l) : STATUS_ERROR;
    arena_free(&l.arena);
    return status;
}
