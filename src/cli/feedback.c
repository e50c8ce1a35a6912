/* feedback.c: `oomkb feedback ID FIX worked|failed`: what a fix did here.
 *
 *     feedback ID FIX worked [--note TEXT]   kept
 *     feedback ID FIX [worked] --undo        the last such one taken back
 *     feedback list                          what was kept
 *     feedback export [-o FILE]              for a pull request
 *
 * Kept in the user's own file (overlay.h), which diagnose reads: the places of
 * those fixes move at once. Nothing is sent anywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/feedback.h"
#include "base/limits.h"
#include "cli/put.h"

static bool is_outcome(const char *word) {
    return strcmp(word, "worked") == 0 || strcmp(word, "failed") == 0;
}

/* ---- keeping one ---- */

/* The last line may lack its newline; a note is one line. */
static bool report_add(struct cli *c, const struct overlay *o) {
    char day[16], line[FEEDBACK_LINE_BYTES_MAX];
    const char *note = c->note != NULL ? c->note : "";
    cli_today(day);
    int n = snprintf(line, sizeof line, "%s %s %s %s%s%s", day,
                     c->operands[2], c->operands[0], c->operands[1],
                     note[0] != '\0' ? "  " : "", note);
    if (n < 0 || n >= (int)sizeof line - 1) {
        cli_usage(c, "cli.error.note_long", NULL, NULL);
        return false;
    }
    for (int i = 0; i < n; i++)
        line[i] = line[i] == '\n' || line[i] == '\r' ? ' ' : line[i];
    line[n++] = '\n';
    char *whole = malloc(o->bytes + 1 + (size_t)n);
    if (whole == NULL) {
        cli_error(c, "memory", "out of memory for the reports");
        return false;
    }
    size_t at = o->bytes;
    if (at > 0) {
        memcpy(whole, o->text, at);
        if (whole[at - 1] != '\n')
            whole[at++] = '\n';
    }
    memcpy(whole + at, line, (size_t)n);
    bool is_kept = overlay_write(c, o, whole, at + (size_t)n);
    free(whole);
    return is_kept;
}

static bool is_asked(const struct cli *c, const struct own_line *l) {
    return strcmp(l->entry, c->operands[0]) == 0 &&
           strcmp(l->fix, c->operands[1]) == 0 &&
           (c->operand_count < 3 || strcmp(l->outcome, c->operands[2]) == 0);
}

static bool report_undo(struct cli *c, const struct overlay *o) {
    size_t i = o->count;
    while (i > 0 && !is_asked(c, &o->at[i - 1]))
        i--;
    if (i == 0) {
        cli_usage(c, "cli.error.nothing_to_undo", c->operands[0],
                  c->operands[1]);
        return false;
    }
    const struct own_line *l = &o->at[i - 1];
    char *whole = malloc(o->bytes + 1);
    if (whole == NULL) {
        cli_error(c, "memory", "out of memory for the reports");
        return false;
    }
    memcpy(whole, o->text, l->from);
    memcpy(whole + l->from, o->text + l->to, o->bytes - l->to);
    bool is_kept = overlay_write(c, o, whole, o->bytes - (l->to - l->from));
    free(whole);
    return is_kept;
}

/* How it stands now with that fix. */
static int say_balance(struct cli *c) {
    struct overlay o;
    char worked[24], failed[24];
    size_t counts[2] = {0, 0};
    if (!overlay_open(c, &o, false))
        return STATUS_ERROR;
    for (size_t i = 0; i < o.count; i++) {
        if (strcmp(o.at[i].entry, c->operands[0]) == 0 &&
            strcmp(o.at[i].fix, c->operands[1]) == 0)
            counts[strcmp(o.at[i].outcome, "failed") == 0]++;
    }
    overlay_close(&o);
    snprintf(worked, sizeof worked, "%zu", counts[0]);
    snprintf(failed, sizeof failed, "%zu", counts[1]);
    if (cli_is_json(c)) {
        fputs("{\"schema\":1,\"entry\":", stdout);
        put_json_string(stdout, c->operands[0]);
        fputs(",\"fix\":", stdout);
        put_json_string(stdout, c->operands[1]);
        printf(",\"own\":{\"worked\":%s,\"failed\":%s}}\n", worked, failed);
    } else {
        printf("%s %s\n", c->operands[0], c->operands[1]);
        cli_say(c, "rate.own", worked, failed);
    }
    return STATUS_FOUND;
}

static int change(struct cli *c) {
    oomkb_error err;
    struct overlay o;
    oomkb *kb = c->is_undo ? NULL : cli_kb(c);
    if (!c->is_undo && kb == NULL)
        return STATUS_ERROR;
    if (!c->is_undo && oomkb_fix_check(kb, c->operands[0], c->operands[1],
                                       &err) != OOMKB_OK)
        return cli_failed(c, &err);
    if (!overlay_open(c, &o, true))
        return STATUS_ERROR;
    bool is_done = c->is_undo ? report_undo(c, &o) : report_add(c, &o);
    overlay_close(&o);
    return is_done ? say_balance(c) : STATUS_ERROR;
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
    struct overlay o;
    if (!overlay_open(c, &o, false))
        return STATUS_ERROR;
    bool is_json = cli_is_json(c);
    if (is_json) {
        fputs("{\"schema\":1,\"file\":", stdout);
        put_json_string(stdout, o.path);
        fputs(",\"reports\":[", stdout);
    } else {
        cli_say(c, o.count > 0 ? "cli.feedback.kept_in"
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
    feedback_warn(c, &o);
    overlay_close(&o);
    return STATUS_FOUND;
}

void feedback_warn(struct cli *c, const struct overlay *o) {
    char count[24];
    snprintf(count, sizeof count, "%zu", o->unreadable);
    if (o->unreadable > 0)
        cli_remark(c, "cli.feedback.unreadable", o->path, count);
}

int run_feedback(struct cli *c) {
    size_t n = c->operand_count;
    const char *first = n > 0 ? c->operands[0] : "";
    if (n == 1 && strcmp(first, "list") == 0)
        return list(c);
    if (n == 1 && strcmp(first, "export") == 0)
        return feedback_export(c);
    bool is_whole = n == 3 || (n == 2 && c->is_undo);
    if (!is_whole || (n == 3 && !is_outcome(c->operands[2])))
        return cli_usage(c, "cli.error.feedback_what", NULL, NULL);
    if (c->note != NULL && strlen(c->note) > FEEDBACK_NOTE_BYTES_MAX)
        return cli_usage(c, "cli.error.note_long", NULL, NULL);
    return change(c);
}
