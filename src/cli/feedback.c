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

#include "base/json.h"
#include "base/utf8.h"
#include "cli/own_reports.h"

static bool is_of_fix(const struct cli *c, const struct own_line *l) {
    return str_eq(l->entry, str_of(c->operands[0])) &&
           str_eq(l->fix, str_of(c->operands[1]));
}

/* ---- adding and removing ---- */

/* Puts `more` in the place of the bytes [from, to) of the file. */
static void text_replace(struct own_reports_file *o, size_t from, size_t to,
                         struct str more) {
    struct buf text = buf_in(&o->arena, 0);
    buf_add(&text, str_slice(o->text, 0, from));
    buf_add(&text, more);
    buf_add(&text, str_from(o->text, to));
    own_reports_put(o, o->path, buf_str(&text));
}

/* The last line of the file may lack its newline; a note is put on one line. */
static void report_add(struct own_reports_file *o) {
    struct arena *a = &o->arena;
    char *const *words = o->c->operands;
    const char *note = o->c->note != NULL ? o->c->note : "";
    struct str line = arena_printf(
        a, "%.*s %s %s %s%s%s", DAY_BYTES, cli_now(false).text, words[2],
        words[0], words[1], note[0] != '\0' ? "  " : "", note);
    size_t n = o->text.n;
    bool has_end = n == 0 || o->text.p[n - 1] == '\n';
    if (line.n >= FEEDBACK_LINE_BYTES_MAX - 1) {
        o->status = cli_usage(o->c, "cli.error.note_long", NULL, NULL);
        return;
    }
    line = arena_swap(a, arena_swap(a, line, '\n', ' '), '\r', ' ');
    text_replace(o, n, n, arena_printf(a, "%s%.*s\n", has_end ? "" : "\n",
                                       STR_ARG(line)));
}

/* Removes the last report of that fix and outcome. Returns its outcome; empty
 * after an error: there is none. */
static struct str report_undo(struct own_reports_file *o, struct str outcome) {
    for (size_t i = o->count; i > 0; i--) {
        const struct own_line *l = &o->at[i - 1];
        if (is_of_fix(o->c, l) &&
            (outcome.n == 0 || str_eq(l->outcome, outcome))) {
            text_replace(o, l->from, l->to, STR(""));
            return l->outcome;
        }
    }
    o->status = cli_usage(o->c, "cli.error.nothing_to_undo", o->c->operands[0],
                          o->c->operands[1]);
    return STR("");
}

/* Writes the counts of that fix after the change. */
static void change(struct own_reports_file *o) {
    struct arena *a = &o->arena;
    struct cli *c = o->c;
    struct str outcome = str_of(c->operand_count == 3 ? c->operands[2] : "");
    int64_t counts[2] = {0, 0}; /* worked, failed */
    for (size_t i = 0; i < o->count; i++)
        if (is_of_fix(c, &o->at[i]))
            counts[str_eq(o->at[i].outcome, STR("failed"))]++;
    if (c->is_undo)
        outcome = report_undo(o, outcome);
    else
        report_add(o);
    counts[str_eq(outcome, STR("failed"))] += c->is_undo ? -1 : 1;
    if (o->status == STATUS_ERROR)
        return;
    if (cli_is_json(c)) {
        struct json *own = JSON_OBJECT(a, {"worked", json_int(a, counts[0])},
                                       {"failed", json_int(a, counts[1])});
        diagnostics_put(
            a, JSON_OBJECT(a, {"schema", json_int(a, 1)},
                           {"entry", json_spelling(a, c->operands[0])},
                           {"fix", json_spelling(a, c->operands[1])},
                           {"own", own}), false);
    } else {
        printf("%s %s\n", c->operands[0], c->operands[1]);
        cli_print(c, "rate.own", digits_of(counts[0]).text,
                  digits_of(counts[1]).text);
    }
}

/* ---- list ---- */

static void list_json(struct own_reports_file *o) {
    struct arena *a = &o->arena;
    struct json *list = json_new_array(a);
    for (size_t i = 0; i < o->count; i++) {
        const struct own_line *l = &o->at[i];
        json_push(list, JSON_OBJECT(a, {"date", json_text(a, l->date)},
                                    {"outcome", json_text(a, l->outcome)},
                                    {"entry", json_text(a, l->entry)},
                                    {"fix", json_text(a, l->fix)},
                                    {"note", json_text(a, l->note)}));
    }
    diagnostics_put(a, JSON_OBJECT(a, {"schema", json_int(a, 1)},
                                   {"file", json_spelling(a, o->path)},
                                   {"reports", list}), false);
}

/* Nothing is written before all of it is made: memory may run out. */
static void list(struct own_reports_file *o) {
    struct buf out = buf_in(&o->arena, 0);
    for (size_t i = 0; i < o->count; i++) {
        const struct own_line *l = &o->at[i];
        buf_printf(&out, "%.*s %.*s %.*s %.*s%s", STR_ARG(l->date),
                   STR_ARG(l->outcome), STR_ARG(l->entry), STR_ARG(l->fix),
                   l->note.n > 0 ? "  " : "");
        utf8_clean(&out, l->note);
        buf_add_char(&out, '\n');
    }
    if (cli_is_json(o->c)) {
        list_json(o);
    } else {
        cli_print(o->c, o->count > 0 ? "cli.feedback.kept_in"
                                     : "cli.feedback.none", o->path, NULL);
        if (out.n > 0)
            fwrite(out.p, 1, out.n, stdout);
    }
    own_reports_warn(o);
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
    int order = str_cmp(a->entry, b->entry);
    order = order != 0 ? order : str_cmp(a->fix, b->fix);
    return order != 0 ? order : (a->from > b->from) - (a->from < b->from);
}

/* Writes the reports of one fix, at[0] to at[n - 1]. */
static void put_fix(struct buf *out, const struct own_line *at, size_t n) {
    size_t worked = 0;
    for (size_t i = 0; i < n; i++)
        worked += str_eq(at[i].outcome, STR("worked"));
    buf_printf(out, "    - id: %.*s\n      success: {basis: reports, worked: "
               "%zu, tried: %zu, links: []}\n", STR_ARG(at->fix), worked, n);
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "      # %.*s %.*s%s", STR_ARG(at[i].date),
                   STR_ARG(at[i].outcome), at[i].note.n > 0 ? ": " : "");
        utf8_clean(out, at[i].note);
        buf_add_char(out, '\n');
    }
}

static void export_all(struct own_reports_file *o) {
    struct str head = str_of(cli_text(o->c, "cli.feedback.export_head"));
    own_reports_warn(o);
    if (o->count == 0) {
        o->status = cli_usage(o->c, "cli.feedback.none", o->path, NULL);
        return;
    }
    struct buf out = buf_in(&o->arena, 0);
    while (head.n > 0) {
        struct str line = str_cut(head, '\n', &head);
        buf_printf(&out, "# %.*s\n", STR_ARG(line));
    }
    qsort(o->at, o->count, sizeof *o->at, by_fix);
    for (size_t i = 0, n; i < o->count; i += n) {
        const struct own_line *at = &o->at[i];
        for (n = 1; i + n < o->count && str_eq(at->entry, at[n].entry) &&
                    str_eq(at->fix, at[n].fix);)
            n++;
        if (i == 0 || !str_eq(at->entry, o->at[i - 1].entry))
            buf_printf(&out, "%.*s:\n  workarounds:\n", STR_ARG(at->entry));
        put_fix(&out, at, n);
    }
    if (o->c->output != NULL)
        own_reports_put(o, o->c->output, buf_str(&out));
    else
        fwrite(out.p, 1, out.n, stdout);
}

static int with_reports(struct cli *c, bool is_changing,
                        void (*use)(struct own_reports_file *o)) {
    struct own_reports_file o;
    bool is_done = own_reports_open(c, &o, is_changing, use);
    arena_free(&o.arena);
    return is_done ? STATUS_FOUND : STATUS_ERROR;
}

/* ID FIX OUTCOME; to undo one, the outcome may be left out. */
static bool is_report(const struct cli *c) {
    return c->operand_count == 2
               ? c->is_undo
               : c->operand_count == 3 && STR_IS_ONE(str_of(c->operands[2]),
                                                     "worked", "failed");
}

int run_feedback(struct cli *c) {
    size_t n = c->operand_count;
    const char *first = n > 0 ? c->operands[0] : "";
    oomkb_error err;
    if (n == 1 && strcmp(first, "list") == 0)
        return with_reports(c, false, list);
    if (n == 1 && strcmp(first, "export") == 0)
        return with_reports(c, false, export_all);
    if (!is_report(c))
        return cli_usage(c, "cli.error.feedback_what", NULL, NULL);
    if (c->note != NULL && strlen(c->note) > FEEDBACK_NOTE_BYTES_MAX)
        return cli_usage(c, "cli.error.note_long", NULL, NULL);
    if (!c->is_undo && cli_kb(c) == NULL)
        return STATUS_ERROR;
    if (!c->is_undo && oomkb_fix_check(c->kb, c->operands[0], c->operands[1],
                                       &err) != OOMKB_OK)
        return cli_failed(c, &err);
    return with_reports(c, true, change);
}
