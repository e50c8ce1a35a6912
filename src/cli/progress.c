/* progress.c: one line on stderr that is redrawn, and erased at the end.
 *
 *     [#########...............]  38 %  1.1 of 2.9 GiB  512 MiB/s  4 s left
 *     1.1 GiB  512 MiB/s                            a pipe: no size, no end
 *
 * Bytes are those of the input: of a compressed file the compressed ones, whose
 * number is known. On a narrow terminal parts are left out, in this order: bar,
 * size, rate, time left.
 *
 * Nothing is drawn in the first second, if stderr is no terminal or a dumb one,
 * or while the input is typed. There are no colours.
 */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/cli.h"

#define AFTER_MS 1000
#define EVERY_MS 200
#define WIDTH_DEFAULT 80
#define PART_MAX 64
#define LINE_MAX_BYTES 512
#define BAR_LEAST 10
#define BAR_MOST 40

int64_t clock_ms(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_watched(bool is_typed) {
    const char *terminal = getenv("TERM");
    bool is_dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
    return !is_dumb && !is_typed && isatty(STDERR_FILENO) == 1;
}

static uint64_t bytes_left(int in) {
    struct stat about;
    if (fstat(in, &about) != 0 || !S_ISREG(about.st_mode))
        return 0;
    off_t at = lseek(in, 0, SEEK_CUR);
    return at >= 0 && at < about.st_size ? (uint64_t)(about.st_size - at) : 0;
}

struct progress progress_begin_all(struct cli *c, bool is_typed,
                                   uint64_t all_bytes) {
    return (struct progress){.c = c,
                             .is_watched = is_watched(is_typed),
                             .began_ms = clock_ms(),
                             .all_bytes = all_bytes};
}

struct progress progress_begin(struct cli *c, int in) {
    return progress_begin_all(c, isatty(in) == 1, bytes_left(in));
}

/* ---- parts of the line ---- */

/* Writes "1.1 GiB": tenths, in the largest unit with a digit before the
 * point. */
static void put_size(char room[PART_MAX], uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    uint64_t tenths = bytes / 102; /* about 1024 / 10 */
    while (unit + 1 < sizeof units / sizeof *units && tenths >= 10240) {
        tenths /= 1024;
        unit++;
    }
    if (tenths >= 100)
        snprintf(room, PART_MAX, "%" PRIu64 " %s", tenths / 10, units[unit]);
    else
        snprintf(room, PART_MAX, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
                 tenths % 10, units[unit]);
}

static void put_time_left(struct cli *c, char room[PART_MAX],
                          uint64_t seconds) {
    char time[PART_MAX];
    if (seconds < 60)
        snprintf(time, sizeof time, "%" PRIu64 " s", seconds);
    else
        snprintf(time, sizeof time, "%" PRIu64 ":%02d min", seconds / 60,
                 (int)(seconds % 60));
    fill_text(c, "cli.progress.left", time, "", room, PART_MAX);
}

struct parts {
    char percent[PART_MAX], size[PART_MAX], rate[PART_MAX], left[PART_MAX];
};

static void put_parts(const struct progress *p, int64_t now,
                      struct parts *out) {
    uint64_t ms = (uint64_t)(now - p->began_ms);
    uint64_t rate = p->done_bytes / ms * 1000 + p->done_bytes % ms * 1000 / ms;
    *out = (struct parts){0};
    put_size(out->size, p->done_bytes);
    put_size(out->rate, rate);
    strcat(out->rate, "/s");
    if (p->all_bytes == 0 || rate == 0)
        return;
    /* a file may grow while it is read */
    uint64_t all = p->all_bytes > p->done_bytes ? p->all_bytes : p->done_bytes;
    char whole[PART_MAX];
    snprintf(out->percent, PART_MAX, "%" PRIu64 " %%",
             p->done_bytes / (all / 100 + 1));
    put_size(whole, all);
    char size[PART_MAX];
    fill_text(p->c, "cli.progress.of", out->size, whole, size, sizeof size);
    memcpy(out->size, size, sizeof size);
    put_time_left(p->c, out->left, (all - p->done_bytes) / rate);
}

/* ---- the line ---- */

static size_t width_of_stderr(void) {
    struct winsize size;
    bool is_known =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : WIDTH_DEFAULT;
}

static void add_part(char *line, const char *part) {
    if (part[0] != '\0') {
        strcat(line, line[0] != '\0' ? "  " : "");
        strcat(line, part);
    }
}

static void add_bar(const struct progress *p, char *line, size_t columns) {
    size_t cells = columns - 2 < BAR_MOST ? columns - 2 : BAR_MOST;
    size_t full = (size_t)(p->done_bytes / (p->all_bytes / cells + 1));
    char bar[BAR_MOST + 3] = "[";
    memset(bar + 1, '.', cells);
    memset(bar + 1, '#', full < cells ? full : cells);
    bar[cells + 1] = ']';
    add_part(line, bar);
}

/* Joins the parts that fit, each with two blanks before it. */
static void lay_out(const struct progress *p, struct parts *parts,
                    size_t width, char line[LINE_MAX_BYTES]) {
    char *const least_first[] = {parts->size, parts->rate, parts->left,
                                 parts->percent};
    char *const in_order[] = {parts->percent, parts->size, parts->rate,
                              parts->left};
    size_t used = 0;
    for (size_t i = 0; i < 4; i++)
        used += in_order[i][0] != '\0' ? utf8_width(str_of(in_order[i])) + 2
                                       : 0;
    for (size_t i = 0; i < 4 && used > width + 2; i++) {
        used -= least_first[i][0] != '\0'
                    ? utf8_width(str_of(least_first[i])) + 2 : 0;
        least_first[i][0] = '\0';
    }
    line[0] = '\0';
    if (p->all_bytes > 0 && used + BAR_LEAST <= width)
        add_bar(p, line, width - used);
    for (size_t i = 0; i < 4; i++)
        add_part(line, in_order[i]);
}

static void draw(struct progress *p, int64_t now) {
    struct parts parts;
    char line[LINE_MAX_BYTES];
    put_parts(p, now, &parts);
    /* the last column stays free: some terminals wrap there */
    lay_out(p, &parts, width_of_stderr() - 1, line);
    size_t columns = utf8_width(str_of(line));
    int over = columns < p->columns ? (int)(p->columns - columns) : 0;
    fprintf(stderr, "\r%s%*s", line, over, "");
    fflush(stderr);
    p->columns = columns + (size_t)over;
}

void progress_add(struct progress *p, size_t n) {
    p->done_bytes += n;
    if (!p->is_watched || n == 0)
        return;
    int64_t now = clock_ms();
    if (now - p->began_ms >= AFTER_MS && now - p->drawn_ms >= EVERY_MS) {
        p->drawn_ms = now;
        draw(p, now);
    }
}

void progress_end(struct progress *p) {
    if (p->columns > 0)
        fprintf(stderr, "\r%*s\r", (int)p->columns, "");
    p->columns = 0;
}
