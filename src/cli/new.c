/* new.c: `oomkb new [FILE] [-o FILE]`: an entry drafted from an unknown log.
 *
 *     log --> diagnosis --> known: say which entry, and that was it
 *                       --> not known, or only guessed: the draft
 *
 * The draft begins at the line that the report suspects, if there is one.
 * Nothing that is there is overwritten. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/limits.h"
#include "cli/corpus.h"
#include "cli/input.h"

struct drafting {
    struct arena arena;
    struct cli *c;
    const oomkb *kb;
    char day[16];
    struct draft_source from;
    struct str known; /* the entry that knows it; empty: none */
    struct str page;
};

/* ---- what is known of it ---- */

static int write_to_buf(void *ctx, const char *bytes, size_t n) {
    struct buf *out = ctx;
    buf_add(out, (struct str){bytes, n});
    return buf_ok(out) ? 0 : 1;
}

static void require(struct drafting *d, int code, const oomkb_error *err) {
    if (code != OOMKB_OK)
        arena_raise(&d->arena, (enum fail)code, "%s", err->text);
}

static void free_text(void *text) {
    buf_free(text);
}

/* The report, as anybody else would get it. The library calls back to fill the
 * buffer, so a raise must not leave from there: it is none of the arena's. */
static struct json *report_of(struct drafting *d) {
    struct buf *text = arena_alloc(&d->arena, sizeof *text);
    oomkb_error err = {0};
    oomkb_report *report = NULL;
    oomkb_options options = {.size = sizeof options};
    buf_init(text, NULL, DRAFT_REPORT_BYTES_MAX);
    arena_defer(&d->arena, free_text, text);
    require(d, oomkb_diagnose(d->kb, d->from.log.p, d->from.log.n, &options,
                              &report, &err), &err);
    int code = oomkb_report_write(report, "json", &options, write_to_buf,
                                  text, &err);
    oomkb_report_free(report);
    require(d, code, &err);
    return json_parse(&d->arena, buf_str(text), STR("report"));
}

static bool says(struct json *object, const char *key, const char *word) {
    struct str text;
    return json_get_text(object, key, &text) && str_eq(text, str_of(word));
}

static void take_finding(struct drafting *d, struct json *finding) {
    if (!says(finding, "role", "root") ||
        !says(finding, "severity", "failure"))
        return;
    int64_t line = 0;
    if (!says(finding, "component", "unknown"))
        json_get_text(finding, "entry", &d->known);
    else if (d->from.line == 0 && json_get_int(finding, "first_line", &line))
        d->from.line = (uint32_t)line;
}

static struct str context_word(struct json *report, const char *name) {
    struct str word = {NULL, 0};
    struct json *fact = json_get(json_get(report, "context"), name);
    if (fact != NULL)
        json_get_text(fact, "value", &word);
    return word;
}

static void look_up(struct drafting *d) {
    struct json *report = report_of(d);
    struct json *findings = json_get(report, "findings");
    for (size_t i = 0; i < json_count(findings) && d->known.n == 0; i++)
        take_finding(d, json_at(findings, i));
    int64_t line = 0;
    if (json_get_int(json_at(json_get(report, "suspects"), 0), "line", &line))
        d->from.line = (uint32_t)line;
    d->from.engine = context_word(report, "engine");
    d->from.engine_version = context_word(report, "engine_version");
}

/* ---- the draft ---- */

static void draft(void *arg) {
    struct drafting *d = arg;
    look_up(d);
    if (d->known.n > 0)
        return;
    d->page = author_draft(&d->arena, &d->from);
    if (d->c->output != NULL) {
        author_write_file(&d->arena, str_of(d->c->output), d->page);
    } else {
        fwrite(d->page.p, 1, d->page.n, stdout);
    }
}

static bool is_there(const char *path) {
    FILE *in = path != NULL ? fopen(path, "rb") : NULL;
    if (in != NULL)
        fclose(in);
    return in != NULL;
}

static int read_log(struct cli *c, struct content *log) {
    const char *name = c->operand_count == 1 ? c->operands[0] : "-";
    char text[TEXT_MAX];
    bool is_whole = false;
    int status = input_read(c, name, DRAFT_LOG_BYTES_MAX, log, &is_whole);
    if (status != 0 || is_whole)
        return status;
    snprintf(text, sizeof text, "%s: longer than 64 MiB: give the part round "
             "the failure", name);
    return cli_error(c, "ceiling", text);
}

static int draft_from(struct cli *c, struct drafting *d) {
    time_t now = time(NULL);
    struct tm day;
    strftime(d->day, sizeof d->day, "%Y-%m-%d", gmtime_r(&now, &day));
    d->from.today = str_of(d->day);
    bool is_done = cli_guard(c, &d->arena, draft, d);
    bool is_known = is_done && d->known.n > 0;
    if (is_known)
        cli_remark(c, "cli.new.known", arena_str(&d->arena, d->known).p, NULL);
    arena_free(&d->arena);
    return !is_done ? STATUS_ERROR : is_known ? STATUS_NONE : STATUS_FOUND;
}

int run_new(struct cli *c) {
    if (c->operand_count > 1)
        return cli_usage(c, "cli.error.new_file", NULL, NULL);
    if (is_there(c->output))
        return cli_usage(c, "cli.error.new_there", c->output, NULL);
    struct drafting d = {.c = c, .kb = cli_kb(c)};
    struct content log = {NULL, 0};
    if (d.kb == NULL)
        return STATUS_ERROR;
    int status = read_log(c, &log);
    d.from.log = (struct str){log.p, log.n};
    if (status == 0)
        status = draft_from(c, &d);
    free(log.p);
    return status;
}
