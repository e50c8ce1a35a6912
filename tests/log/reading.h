/* reading.h: feed bytes, get the lines that came out as one text to compare:
 *
 *     "1 text\n2+text\n3!text\n"     + joined, ! a record, blank neither
 *
 * with "{rank/pid/pod/container/process}" before the text where a stream is
 * named. */
#ifndef TESTS_LOG_READING_H
#define TESTS_LOG_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "log/log.h"

struct reading {
    struct arena arena;
    struct log_reader *reader;
    struct buf lines;
    struct log_stats stats;
    struct str input;
    uint64_t max_bytes;
    size_t (*next_chunk)(struct reading *); /* NULL: all at once */
    uint32_t seed;
    bool names_streams;
    size_t longest;
};

static inline void note_line(void *ctx, const struct line *line) {
    struct reading *r = ctx;
    buf_printf(&r->lines, "%u%c", line->number,
               line->is_joined   ? '+'
               : line->is_record ? '!'
                                 : ' ');
    if (r->names_streams && line->stream != 0) {
        const struct stream *s = &log_streams(r->reader)[line->stream];
        buf_printf(&r->lines, "{%lld/%lld/%.*s/%.*s/%.*s}", (long long)s->rank,
                   (long long)s->pid, STR_ARG(s->pod), STR_ARG(s->container),
                   STR_ARG(s->process));
    }
    if (line->text.n > r->longest)
        r->longest = line->text.n;
    buf_add(&r->lines, line->text);
    buf_add_char(&r->lines, '\n');
}

static inline void read_all(void *ctx) {
    struct reading *r = ctx;
    r->reader = log_open(&r->arena, log_tables_new(&r->arena), r->max_bytes, note_line, r);
    struct str rest = r->input;
    while (rest.n > 0) {
        size_t n = r->next_chunk ? r->next_chunk(r) : rest.n;
        log_feed(r->reader, str_slice(rest, 0, n));
        rest = str_slice(rest, n, rest.n);
    }
    log_end(r->reader);
    r->stats = log_stats(r->reader);
}

/* Fill r->input (and what else is wanted) before; close_reading() after. */
static inline enum fail run_reading(struct reading *r) {
    arena_init(&r->arena, NULL, 0);
    buf_init(&r->lines, NULL, 0);
    return arena_guard(&r->arena, read_all, r, NULL);
}

static inline void close_reading(struct reading *r) {
    buf_free(&r->lines);
    arena_free(&r->arena);
}

static inline void expect_text(struct reading *r, const char *expected) {
    assert_int_equal(run_reading(r), FAIL_NONE);
    buf_add_char(&r->lines, '\0');
    assert_string_equal(r->lines.p, expected);
    close_reading(r);
}

static inline void expect_lines(const char *input, const char *expected) {
    struct reading r = {.input = str_of(input)};
    expect_text(&r, expected);
}

/* The same, and who says each line. */
static inline void expect_streams(const char *input, const char *expected) {
    struct reading r = {.input = str_of(input), .names_streams = true};
    expect_text(&r, expected);
}

static inline size_t one_byte(struct reading *r) {
    (void)r;
    return 1;
}

static inline uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static inline size_t random_chunk(struct reading *r) {
    return 1 + next_random(&r->seed) % 700;
}

#endif
