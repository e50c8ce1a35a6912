/* new.c: `oomkb new [FILE] [-o FILE]`: drafts an entry from an unknown log.
 *
 *     log --> diagnosis --> known: writes the entry's name and ends
 *                       --> not known, or only suspected: the draft
 *
 * The draft begins at the line of the report's suspect, if there is one. An
 * existing file is not overwritten. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/limits.h"
#include "cli/corpus.h"
#include "cli/input.h"

struct drafting {
    struct arena arena;
    struct cli *c;
    const oomkb *kb;
    struct draft_source from;
    struct str known; /* the entry of a known failure; empty: none */
    struct str page;
};

/* ---- diagnosis ---- */

static void free_report(void *held) {
    oomkb_report_free(*(oomkb_report **)held);
}

/* The report on the log. The arena frees it. */
static const struct report *report_of(struct drafting *d) {
    oomkb_report **held = arena_alloc(&d->arena, sizeof *held);
    oomkb_error err = {0};
    *held = NULL;
    arena_defer(&d->arena, free_report, held);
    int code = oomkb_diagnose(d->kb, d->from.log.p, d->from.log.n, NULL, held,
                              &err);
    if (code != OOMKB_OK)
        arena_raise(&d->arena, (enum fail)code, "%s", err.text);
    return (*held)->current->report;
}

static void finding_use(struct drafting *d, const struct finding *f) {
    if (f->role != ROLE_root || f->entry->severity != SEVERITY_failure)
        return;
    if (!str_eq(f->entry->component, STR("unknown")))
        d->known = f->entry->id;
    else if (d->from.line == 0)
        d->from.line = f->first_line;
}

static void diagnosis_use(struct drafting *d) {
    const struct report *report = report_of(d);
    for (size_t i = 0; i < report->finding_count && d->known.n == 0; i++)
        finding_use(d, &report->findings[i]);
    if (report->suspect_count > 0)
        d->from.line = report->suspects[0].first_line;
    for (size_t i = 0; i < report->context.count; i++) {
        const struct fact *f = &report->context.at[i];
        if (f->known && f->name == FACT_engine)
            d->from.engine = f->word;
        if (f->known && f->name == FACT_engine_version)
            d->from.engine_version = f->word;
    }
}

/* ---- the draft ---- */

static void draft(void *arg) {
    struct drafting *d = arg;
    diagnosis_use(d);
    if (d->known.n > 0)
        return;
    d->page = author_draft(&d->arena, &d->from);
    if (d->c->output != NULL)
        author_write_file(&d->arena, str_of(d->c->output), d->page);
    else
        fwrite(d->page.p, 1, d->page.n, stdout);
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
    struct moment now = cli_now(true);
    d->from.today = (struct str){now.text, DAY_BYTES};
    bool is_done = cli_guard(c, &d->arena, draft, d);
    bool is_known = is_done && d->known.n > 0;
    if (is_known)
        cli_remark(c, "cli.new.known", arena_str(&d->arena, d->known).p, NULL);
    arena_free(&d->arena);
    return !is_done ? STATUS_ERROR : is_known ? STATUS_NONE : STATUS_FOUND;
}

int run_new(struct cli *c) {
    if (is_there(c->output))
        return cli_usage(c, "cli.error.new_there", c->output, NULL);
    struct drafting d = {.c = c, .kb = c->kb};
    struct content log = {NULL, 0};
    int status = read_log(c, &log);
    d.from.log = (struct str){log.p, log.n};
    if (status == 0)
        status = draft_from(c, &d);
    free(log.p);
    return status;
}
