/* run_watch.c: scans the output of a command as a log. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "cli/run.h"

#define ODD_LEAST 64 /* binary: more control characters than this, and more
                        than */
#define ODD_SHARE 20 /* one in so many bytes */

void watch_add(struct watch *w, const char *text, size_t n) {
    if (w->scan == NULL || n == 0)
        return;
    if (oomkb_scan_feed(w->scan, text, n, NULL) != OOMKB_OK) {
        oomkb_scan_free(w->scan);
        w->scan = NULL;
    }
}

void watch_begin(struct watch *w, oomkb *kb, const oomkb_options *options,
                 char *const *argv) {
    *w = (struct watch){.scan = NULL};
    oomkb_scan *scan;
    oomkb_error err;
    if (oomkb_scan_new(kb, options, &scan, &err) == OOMKB_OK)
        w->scan = scan;
    char *line = NULL;
    size_t n = 0, count = 0;
    FILE *made = open_memstream(&line, &n);
    while (argv[count] != NULL)
        count++;
    if (made == NULL)
        return;
    fputs("$ ", made);
    put_words(made, argv, count);
    fputs("\n", made);
    if (fclose(made) == 0)
        watch_add(w, line, n);
    free(line);
}

/* Keeps an unfinished line. False: it is too long, or out of memory. */
static bool line_keep(struct watched_line *rest, const char *bytes, size_t n) {
    if (rest->n + n > RUN_REST_BYTES_MAX)
        return false;
    if (rest->cap == 0) {
        rest->p = malloc(RUN_REST_BYTES_MAX);
        rest->cap = rest->p != NULL ? RUN_REST_BYTES_MAX : 0;
    }
    if (rest->n + n > rest->cap)
        return false;
    memcpy(rest->p + rest->n, bytes, n);
    rest->n += n;
    return true;
}

static void line_flush(struct watch *w, struct watched_line *rest) {
    watch_add(w, rest->p, rest->n);
    rest->n = 0;
}

/* True for text. Binary output, such as an archive for a pipe, has no lines and
 * would be slow to scan. */
static bool is_text(const char *bytes, size_t n) {
    size_t odd = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char b = (unsigned char)bytes[i];
        odd += b < ' ' && (b < '\t' || b > '\r') && b != 0x1b;
    }
    return odd <= ODD_LEAST || odd <= n / ODD_SHARE;
}

void watch_output(void *ctx, int stream, const char *bytes, size_t n) {
    struct watch *w = ctx;
    struct watched_line *rest = &w->rest[stream];
    size_t whole = n;
    if (!is_text(bytes, n))
        return;
    while (whole > 0 && bytes[whole - 1] != '\n')
        whole--;
    if (whole > 0) {
        line_flush(w, rest);
        watch_add(w, bytes, whole);
    }
    if (!line_keep(rest, bytes + whole, n - whole)) {
        line_flush(w, rest);
        watch_add(w, bytes + whole, n - whole);
    }
}

static void end_line(struct watch *w, struct watched_line *rest) {
    if (rest->n > 0) {
        line_flush(w, rest);
        watch_add(w, "\n", 1);
    }
    free(rest->p);
    *rest = (struct watched_line){.p = NULL};
}

void watch_end_lines(struct watch *w) {
    for (int i = 0; i < CHILD_STREAMS; i++)
        end_line(w, &w->rest[i]);
}

oomkb_report *watch_end(struct watch *w) {
    oomkb_report *report = NULL;
    if (w->scan != NULL &&
        oomkb_scan_finish(w->scan, &report, NULL) != OOMKB_OK)
        report = NULL;
    w->scan = NULL;
    return report;
}
