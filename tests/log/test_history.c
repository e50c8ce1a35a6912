/* test_history.c: what is read again of a long log are its beginning, its end and
 * the text around a failure, each line whole, as itself and once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "log/log.h"

#define LOG_BYTES ((size_t)24 << 20)
#define PIECE ((uint64_t)64 * 1024)
#define LONG_LINE ((size_t)700 * 1024) /* longer than any that is held */
#define KEEPS 3

struct again {
    struct log_reader *reader;
    struct str log;
    uint64_t *line_at; /* place of each line; behind the last one the end */
    size_t line_count;
    unsigned char *seen; /* how often, by line */
    uint64_t keeps[KEEPS];
};

static uint32_t roll(uint64_t *seed, uint32_t sides) {
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % sides;
}

static void make_log(struct again *g, uint64_t seed) {
    char *text = malloc(LOG_BYTES + LONG_LINE + 256);
    size_t n = 0, cap = LOG_BYTES / 8;
    g->line_at = calloc(cap, sizeof *g->line_at);
    while (n < LOG_BYTES) {
        g->line_at[g->line_count] = n;
        n += (size_t)sprintf(text + n, "line %zu ", g->line_count++);
        size_t fill = roll(&seed, 40000) == 0 ? LONG_LINE : roll(&seed, 120);
        memset(text + n, 'x', fill);
        n += fill;
        text[n++] = '\n';
    }
    g->line_at[g->line_count] = n;
    g->seen = calloc(g->line_count, 1);
    g->log = (struct str){text, n};
}

static void on_line(void *ctx, const struct line *line) {
    struct again *g = ctx;
    size_t number = line->number - 1;
    char begin[32];
    assert_true(number < g->line_count);
    if (line->is_joined)
        return; /* a piece of a long line */
    snprintf(begin, sizeof begin, "line %zu ", number);
    assert_int_equal(line->place, g->line_at[number]);
    assert_true(str_starts(line->text, str_of(begin)));
    g->seen[number]++;
}

static void on_end(void *ctx) {
    (void)ctx;
}

static void on_first_read(void *ctx, const struct line *line) {
    (void)ctx;
    (void)line;
}

/* Marks now and then, so that some of the text is read and some is not. */
static void look(void *ctx, struct str text, uint64_t place, size_t from,
                 size_t to, struct log_marks *marks) {
    (void)ctx;
    (void)text;
    if ((place + to) % 3 == 0)
        *ARENA_ADD(marks->a, marks->at, marks->count, marks->cap) =
            (struct log_mark){from, 100, 5000};
}

static uint64_t never_waits(void *ctx) {
    (void)ctx;
    return 0;
}

static bool is_piece_kept(const struct again *g, uint64_t piece) {
    uint64_t pieces = (g->log.n + PIECE - 1) / PIECE;
    bool is_kept = piece * PIECE < HISTORY_HEAD_BYTES_MAX ||
                   piece + HISTORY_TAIL_BYTES_MAX / PIECE >= pieces;
    for (size_t i = 0; i < KEEPS; i++) {
        uint64_t kept = g->keeps[i] / PIECE;
        is_kept = is_kept || (piece + 4 >= kept && piece <= kept + 1);
    }
    return is_kept;
}

/* All pieces that it stands in are kept, and the byte before it as well. */
static bool is_line_kept(const struct again *g, size_t line) {
    uint64_t from = g->line_at[line], to = g->line_at[line + 1];
    bool is_kept = true;
    for (uint64_t i = from > 0 ? (from - 1) / PIECE : 0; i * PIECE < to; i++)
        is_kept = is_kept && is_piece_kept(g, i);
    return is_kept;
}

static void read_log(struct again *g, struct arena *a, uint64_t seed,
                     bool is_all) {
    struct log_selector selector = {.ctx = g, .at_once = 1, .look = look,
                                    .pause = never_waits, .whole = on_end,
                                    .gap = on_end};
    g->reader = log_open(a, log_tables_new(a), 0, on_first_read, g);
    log_prescan(g->reader, &selector);
    for (size_t at = 0, n, kept = 0; at < g->log.n; at += n) {
        n = 1 + roll(&seed, 600000);
        log_feed(g->reader, str_slice(g->log, at, n));
        while (is_all && kept < KEEPS && g->keeps[kept] + (1 << 20) < at)
            log_keep(g->reader, g->keeps[kept++]);
    }
    log_end(g->reader);
    assert_int_equal(log_stats(g->reader).lines, g->line_count);
    log_again(g->reader, is_all, on_line, on_end, g);
}

static void expect_kept_lines(uint64_t seed, bool is_all) {
    struct again g = {.keeps = {5 << 20, (7 << 20) + 77, (9 << 20) + 4242}};
    struct arena a;
    arena_init(&a, NULL, 0);
    make_log(&g, seed);
    read_log(&g, &a, seed, is_all);
    for (size_t i = 0; i < g.line_count; i++) {
        bool is_little = g.line_at[i + 1] <= 32 * 1024 ||
                         g.line_at[i] > g.log.n - 16 * 1024;
        int expected = is_all ? is_line_kept(&g, i) : is_little;
        if (g.seen[i] != expected)
            fail_msg("line %zu was read %d times", i, g.seen[i]);
    }
    arena_free(&a);
    free((char *)(uintptr_t)g.log.p);
    free(g.line_at);
    free(g.seen);
}

static void a_long_log_has_head_tail_and_zones(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++)
        expect_kept_lines(seed, true);
}

static void a_healthy_log_has_little_of_both_ends(void **state) {
    (void)state;
    expect_kept_lines(5, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_log_has_head_tail_and_zones),
        cmocka_unit_test(a_healthy_log_has_little_of_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
