/* feedback_export.c: `oomkb feedback export [-o FILE]`: the user's reports as
 * YAML, counted, in the form that an entry's `success` takes:
 *
 *     vllm/kv-cache-too-small:
 *       workarounds:
 *         - id: lower-max-model-len
 *           success: {basis: reports, worked: 2, tried: 3, links: []}
 *           # 2026-11-21 worked: 8192 did
 *
 * The links are empty, which the check refuses: the address of the pull
 * request belongs there, and only its author can know it. Notes are comments,
 * for the author to read before strangers do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/feedback.h"
#include "cli/put.h"

static int by_fix(const void *x, const void *y) {
    const struct own_line *a = x, *b = y;
    int order = strcmp(a->entry, b->entry);
    order = order != 0 ? order : strcmp(a->fix, b->fix);
    return order != 0 ? order : (a->from > b->from) - (a->from < b->from);
}

static bool is_same(const struct own_line *a, const struct own_line *b) {
    return strcmp(a->entry, b->entry) == 0 && strcmp(a->fix, b->fix) == 0;
}

/* Reports of one fix, at[0] to at[n - 1]. */
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

static void put_all(struct cli *c, FILE *out, const struct overlay *o) {
    const char *head = cli_text(c, "cli.feedback.export_head");
    while (head[0] != '\0') {
        size_t n = strcspn(head, "\n");
        fprintf(out, "# %.*s\n", (int)n, head);
        head += n + (head[n] == '\n');
    }
    for (size_t i = 0; i < o->count;) {
        const struct own_line *at = &o->at[i];
        size_t n = 1;
        while (i + n < o->count && is_same(at, &o->at[i + n]))
            n++;
        if (i == 0 || strcmp(at->entry, o->at[i - 1].entry) != 0)
            fprintf(out, "%s:\n  workarounds:\n", at->entry);
        put_fix(out, at, n);
        i += n;
    }
}

static int export_to_file(struct cli *c, const struct overlay *o) {
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

int feedback_export(struct cli *c) {
    struct overlay o;
    int status = STATUS_FOUND;
    if (!overlay_open(c, &o, false))
        return STATUS_ERROR;
    feedback_warn(c, &o);
    if (o.count == 0) {
        status = cli_usage(c, "cli.feedback.none", o.path, NULL);
    } else {
        qsort(o.at, o.count, sizeof *o.at, by_fix);
        if (c->output != NULL) {
            status = export_to_file(c, &o);
        } else {
            put_all(c, stdout, &o);
        }
    }
    overlay_close(&o);
    return status;
}
