/* feedback.c: `oomkb feedback ID FIX worked|failed`: reports of fixes.
 *
 *     feedback ID FIX worked [--note TEXT]   adds a report
 *     feedback ID FIX [worked] --undo        removes the last such report
 *     feedback list                          writes the reports
 *     feedback export [-o FILE]              writes them for a pull request
 *
 * Reports are kept in the user's own file (own_reports.h). diagnose reads it,
 * so the order of those fixes changes at once. Nothing is sent anywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/own_reports.h"

/* ---- adding and removing ---- */

/* Adds a report. The last line of the file may lack its newline; a note is put
 * on one line. */
static bool report_add(struct cli *c, struct own_reports_file *o) {
    const char *note = c->note != NULL ? c->note : "";
    if (o->bytes > 0 && o->text[o->bytes - 1] != '\n')
        o->text[o->bytes++] = '\n';
    char *line = o->text + o->bytes;
    int n =
        snprintf(line, FEEDBACK_LINE_BYTES_MAX, "%.*s %s %s %s%s%s", DAY_BYTES,
                 cli_now(false).text, c->operands[2], c->operands[0],
                 c->operands[1], note[0] != '\0' ? "  " : "", note);
    if (n < 0 || n >= FEEDBACK_LINE_BYTES_MAX - 1) {
        cli_usage(c, "cli.error.note_long", NULL, NULL);
        return false;
    }
    for (int i = 0; i < n; i++)
        line[i] = line[i] == '\n' || line[i] == '\r' ? ' ' : line[i];
    line[n] = '\n';
    return file_put(c, o->path, o->text, o->bytes + (size_t)n + 1);
}

static bool is_named(const struct cli *c, const struct own_line *l) {
    return strcmp(l->entry, c->operands[0]) == 0 &&
           strcmp(l->fix, c->operands[1]) == 0 &&
           (c->operand_count < 3 || strcmp(l->outcome, c->operands[2]) == 0);
}

static bool report_undo(struct cli *c, struct own_reports_file *o) {
    size_t i = o->count;
    while (i > 0 && !is_named(c, &o->at[i - 1]))
        i--;
    if (i == 0) {
        cli_usage(c, "cli.error.nothing_to_undo", c->operands[0],
                  c->operands[1]);
        return false;
    }
    const struct own_line *l = &o->at[i - 1];
    memmove(o->text + l->from, o->text + l->to, o->bytes - l->to);
    return file_put(c, o->path, o->text, o->bytes - (l->to - l->from));
}

/* Writes the counts of that fix after the change. */
static int counts_write(struct cli *c) {
    struct own_reports_file o;
    int64_t counts[2] = {0, 0};
    if (!own_reports_open(c, &o, false))
        return STATUS_ERROR;
    for (size_t i = 0; i < o.count; i++)
        if (strcmp(o.at[i].entry, c->operands[0]) == 0 &&
            strcmp(o.at[i].fix, c->operands[1]) == 0)
            counts[strcmp(o.at[i].outcome, "failed") == 0]++;
    own_reports_close(&o);
    if (cli_is_json(c)) {
        fputs("{\"schema\":1,\"entry\":", stdout);
        put_json_string(stdout, c->operands[0]);
        fputs(",\"fix\":", stdout);
        put_json_string(stdout, c->operands[1]);
        printf(",\"own\":{\"worked\":%s,\"failed\":%s}}\n",
               digits_of(counts[0]).text, digits_of(counts[1]).text);
    } else {
        printf("%s %s\n", c->operands[0], c->operands[1]);
        cli_print(c, "rate.own", digits_of(counts[0]).text,
                  digits_of(counts[1]).text);
    }
    return STATUS_FOUND;
}

static int change(struct cli *c) {
    oomkb_error err;
    struct own_reports_file o;
    oomkb *kb = c->is_undo ? NULL : cli_kb(c);
    if (!c->is_undo && kb == NULL)
        return STATUS_ERROR;
    if (!c->is_undo && oomkb_fix_check(kb, c->operands[0], c->operands[1],
                                       &err) != OOMKB_OK)
        return cli_failed(c, &err);
    if (!own_reports_open(c, &o, true))
        return STATUS_ERROR;
    bool is_done = c->is_undo ? report_undo(c, &o) : report_add(c, &o);
    own_reports_close(&o);
    return is_done ? counts_write(c) : STATUS_ERROR;
}

/* ---- list ---- */

static void put_own_json(const struct own_line *l) {
    const char *const keys[] = {"date", "outcome", "entry", "fix", "note"};
    const char *const values[] = {l->date, l->outcome, l->entry, l->fix,
                                  l->note};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        printf("%s\"%s\":", i > 0 ? "," : "{", keys[i]);
        put_json_string(stdout, values[i]);
    }
    fputs("}", stdout);
}

static int list(struct cli *c) {
    struct own_reports_file o;
    if (!own_reports_open(c, &o, false))
        return STATUS_ERROR;
    bool is_json = cli_is_json(c);
    if (is_json) {
        fputs("{\"schema\":1,\"file\":", stdout);
        put_json_string(stdout, o.path);
        fputs(",\"reports\":[", stdout);
    } else {
        cli_print(c, o.count > 0 ? "cli.feedback.kept_in"
                                 : "cli.feedback.none", o.path, NULL);
    }
    for (size_t i = 0; i < o.count; i++) {
        const struct own_line *l = &o.at[i];
        if (is_json) {
            fputs(i > 0 ? "," : "", stdout);
            put_own_json(l);
            continue;
        }
        printf("%s %s %s %s", l->date, l->outcome, l->entry, l->fix);
        fputs(l->note[0] != '\0' ? "  " : "", stdout);
        put_safe(stdout, l->note);
        fputc('\n', stdout);
    }
    fputs(is_json ? "]}\n" : "", stdout);
    own_reports_warn(&o);
    own_reports_close(&o);
    return STATUS_FOUND;
}

/* ---- export ---- */

/* Writes the user's reports as YAML, with counts in the form of an entry's
 * `success`:
 *
 *     vllm/kv-cache-too-small:
 *       workarounds:
 *         - id: lower-max-model-len
 *           success: {basis: reports, worked: 2, tried: 3, links: []}
 *           # 2026-11-21 worked: 8192 did
 *
 * The list of links is empty, which `check` refuses: the author has to add the
 * address of the pull request. Notes are comments, for the author to read
 * before they are published.
 */
static int by_fix(const void *x, const void *y) {
    const struct own_line *a = x, *b = y;
    int order = strcmp(a->entry, b->entry);
    order = order != 0 ? order : strcmp(a->fix, b->fix);
    return order != 0 ? order : (a->from > b->from) - (a->from < b->from);
}

/* Writes the reports of one fix, at[0] to at[n - 1]. */
static void put_fix(FILE *out, const struct own_line *at, size_t n) {
    size_t worked = 0;
    for (size_t i = 0; i < n; i++)
        worked += strcmp(at[i].outcome, "worked") == 0;
    fprintf(out, "    - id: %s\n      success: {basis: reports, worked: %zu, "
            "tried: %zu, links: []}\n", at->fix, worked, n);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "      # %s %s%s", at[i].date, at[i].outcome,
                at[i].note[0] != '\0' ? ": " : "");
        put_safe(out, at[i].note);
        fputc('\n', out);
    }
}

static void put_all(struct cli *c, FILE *out,
                    const struct own_reports_file *o) {
    const char *head = cli_text(c, "cli.feedback.export_head");
    while (head[0] != '\0') {
        size_t n = strcspn(head, "\n");
        fprintf(out, "# %.*s\n", (int)n, head);
        head += n + (head[n] == '\n');
    }
    for (size_t i = 0; i < o->count;) {
        const struct own_line *at = &o->at[i];
        size_t n = 1;
        while (i + n < o->count && strcmp(at->entry, at[n].entry) == 0 &&
               strcmp(at->fix, at[n].fix) == 0)
            n++;
        if (i == 0 || strcmp(at->entry, o->at[i - 1].entry) != 0)
            fprintf(out, "%s:\n  workarounds:\n", at->entry);
        put_fix(out, at, n);
        i += n;
    }
}

static int export_to_file(struct cli *c, const struct own_reports_file *o) {
    char *bytes = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&bytes, &n);
    if (out == NULL)
        return cli_error(c, "memory", "out of memory for the export");
    put_all(c, out, o);
    bool is_whole = !ferror(out);
    is_whole = fclose(out) == 0 && is_whole;
    if (!is_whole) {
        free(bytes);
        return cli_error(c, "memory", "out of memory for the export");
    }
    bool is_put = file_put(c, c->output, bytes, n);
    free(bytes);
    return is_put ? STATUS_FOUND : STATUS_ERROR;
}

static int export_all(struct cli *c) {
    struct own_reports_file o;
    int status = STATUS_FOUND;
    if (!own_reports_open(c, &o, false))
        return STATUS_ERROR;
    own_reports_warn(&o);
    if (o.count == 0) {
        status = cli_usage(c, "cli.feedback.none", o.path, NULL);
    } else {
        qsort(o.at, o.count, sizeof *o.at, by_fix);
        if (c->output != NULL)
            status = export_to_file(c, &o);
        else
            put_all(c, stdout, &o);
    }
    own_reports_close(&o);
    return status;
}

int run_feedback(struct cli *c) {
    size_t n = c->operand_count;
    const char *first = n > 0 ? c->operands[0] : "";
    if (n == 1 && strcmp(first, "list") == 0)
        return list(c);
    if (n == 1 && strcmp(first, "export") == 0)
        return export_all(c);
    bool is_whole = n == 3 || (n == 2 && c->is_undo);
    if (!is_whole || (n == 3 && !STR_IS_ONE(str_of(c->operands[2]), "worked",
                                           "failed")))
        return cli_usage(c, "cli.error.feedback_what", NULL, NULL);
    if (c->note != NULL && strlen(c->note) > FEEDBACK_NOTE_BYTES_MAX)
        return cli_usage(c, "cli.error.note_long", NULL, NULL);
    return change(c);
}
