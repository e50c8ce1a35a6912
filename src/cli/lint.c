/* lint.c: `oomkb lint FILE...`: files that start an engine, before they do.
 *
 *     --gpu NAME --gpus N     the machine, where a file does not say it
 *     --fix                   only what would put it right, as a unified diff
 *     --format                text, json, sarif, github
 *
 * Exit status: 0 clean, 1 an error or a warning, 2 a file that cannot be read
 * or, without any finding, a service of which nobody can tell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/corpus.h"
#include "cli/input.h"
#include "launch/lint.h"
#include "base/limits.h"

#define FACTS_MAX (CLI_FIT_MAX + CLI_ANSWERS_MAX + 1)

struct linting {
    struct arena arena;
    struct cli *c;
    const oomkb *kb;
    const char *facts[FACTS_MAX];
    struct lint_file **files;
    size_t count, cap;
    size_t verdicts[4]; /* by enum truth_fit */
    size_t findings;    /* errors and warnings */
    bool has_unread;
};

static enum lang lang_of(const struct cli *c) {
    return strcmp(c->lang, "zh") == 0 ? LANG_ZH : LANG_EN;
}

static void take_facts(struct linting *l) {
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

static void count_file(struct linting *l, const struct lint_file *file) {
    for (size_t i = 0; i < file->service_count; i++)
        if (file->services[i].is_asked)
            l->verdicts[file->services[i].fits]++;
    for (size_t i = 0; i < file->finding_count; i++)
        l->findings += file->findings[i].diag.level != DIAG_NOTE;
    l->has_unread = l->has_unread || !file->is_read;
}

static void read_file(struct linting *l, const char *name) {
    static const char *const nothing[] = {NULL};
    const char *const *machine = cli_options(l->c).machine;
    struct content content = {0};
    bool is_whole = false;
    struct lint_options o = {
        .kb = l->kb,
        .lang = lang_of(l->c),
        .facts = l->facts,
        .machine = machine != NULL ? machine : nothing};
    int status = input_read(l->c, name, LINT_FILE_BYTES_MAX, &content, &is_whole);
    if (status == 0 && !is_whole)
        status = cli_usage(l->c, "cli.error.lint_file", name, NULL);
    if (status == 0) {
        struct str text =
            arena_str(&l->arena, (struct str){content.p, content.n});
        l->files = arena_grow(&l->arena, l->files, l->count, &l->cap,
                              sizeof *l->files);
        l->files[l->count] = lint_read(&l->arena, &o, str_of(name), text);
        count_file(l, l->files[l->count++]);
    }
    free(content.p);
    l->has_unread = l->has_unread || status != 0;
}

/* ---- for programs ---- */

static enum diag_level level_of(struct str word) {
    return str_eq(word, STR("error"))     ? DIAG_ERROR
           : str_eq(word, STR("warning")) ? DIAG_WARNING
                                          : DIAG_NOTE;
}

static void write_sarif(struct linting *l) {
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
        rules.at = arena_grow(&l->arena, rules.at, rules.count, &cap,
                              sizeof *rules.at);
        rules.at[rules.count++] = (struct sarif_rule){
            rule->id, what, rest.n > 0 ? rest : what, level_of(rule->level)};
    }
    diagnostics_write_sarif(l->c, &all, &rules);
}

/* ---- for people ---- */

static void write_text(struct linting *l) {
    uint32_t width = cli_options(l->c).width;
    struct buf out;
    buf_init_in(&out, &l->arena, LINT_OUTPUT_BYTES_MAX);
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

static void sum_up(struct linting *l) {
    size_t asked = l->verdicts[FIT_YES] + l->verdicts[FIT_LIKELY] +
                   l->verdicts[FIT_NO] + l->verdicts[FIT_UNKNOWN];
    struct arena *a = &l->arena;
    const char *services = arena_printf(a, "%zu", asked).p;
    const char *findings = arena_printf(a, "%zu", l->findings).p;
    cli_remark(l->c, asked == 0 ? "cli.lint.none" : "cli.lint.sum", services,
               findings);
}

static void lint(void *arg) {
    struct linting *l = arg;
    take_facts(l);
    for (size_t i = 0; i < l->c->operand_count; i++)
        read_file(l, l->c->operands[i]);
    if (strcmp(l->c->format, "sarif") == 0)
        write_sarif(l);
    else if (cli_is_json(l->c))
        diagnostics_put(&l->arena, lint_json(&l->arena, l->files, l->count));
    else
        write_text(l);
    sum_up(l);
}

static int status_of(const struct linting *l) {
    if (l->findings > 0 && !l->has_unread)
        return STATUS_NONE;
    return l->has_unread || l->verdicts[FIT_UNKNOWN] > 0 ? STATUS_ERROR
                                                         : STATUS_FOUND;
}

int run_lint(struct cli *c) {
    bool is_format = strcmp(c->format, "text") == 0 ||
                     strcmp(c->format, "sarif") == 0 ||
                     strcmp(c->format, "github") == 0 ||
                     strcmp(c->format, "json") == 0;
    if (!is_format)
        return cli_usage(c, "cli.error.lint_format", c->format, NULL);
    if (c->operand_count == 0)
        return cli_usage(c, "cli.error.lint_files", NULL, NULL);
    struct linting l = {.c = c, .kb = cli_kb(c)};
    if (l.kb == NULL || (c->is_here && !here_read(c, NULL)))
        return STATUS_ERROR;
    bool is_done = cli_guard(c, &l.arena, lint, &l);
    int status = is_done ? status_of(&l) : STATUS_ERROR;
    arena_free(&l.arena);
    here_forget(c);
    return status;
}
