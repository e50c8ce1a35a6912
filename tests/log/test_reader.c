/* The same lines must come out however the bytes come in. */
#include "reading.h"

#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define LOG_TEXT                                                              \
    "INFO 06-30 13:53:19 [core.py:515] start \xE2\x82\xAC\r\n"                \
    "loading:  10%\rloading:  50%\rloading: 100%\n"                           \
    "\n"                                                                      \
    "\x1b[1;36m(W pid=7)\x1b[0;0m CUDA out of memory.\n"                      \
    "{\"log\":\"in docker\\n\",\"stream\":\"stdout\"}\n"                      \
    "RuntimeError('a.\\nB')\n"                                                \
    "last"

#define LOG_LINES                                                             \
    "1!start \xE2\x82\xAC\n"                                                  \
    "2 loading:  10%\n2 loading:  50%\n2 loading: 100%\n"                     \
    "3 \n"                                                                    \
    "4 CUDA out of memory.\n"                                                 \
    "5 in docker\n"                                                           \
    "6 RuntimeError('a.\n6 B')\n"                                             \
    "7 last\n"

/* ---- making input ---- */

static void put_unit(struct buf *out, uint32_t unit, bool is_big) {
    char low = (char)(unit & 0xFF), high = (char)(unit >> 8);
    buf_add_char(out, is_big ? high : low);
    buf_add_char(out, is_big ? low : high);
}

/* Our text has one character beyond ASCII: the euro sign. */
static void put_utf16(struct buf *out, struct str text, bool is_big,
                      bool has_mark) {
    if (has_mark)
        put_unit(out, 0xFEFF, is_big);
    for (size_t i = 0; i < text.n; i++) {
        bool is_euro = text.p[i] == '\xE2';
        put_unit(out, is_euro ? 0x20AC : (unsigned char)text.p[i], is_big);
        i += is_euro ? 2 : 0;
    }
}

static void put_gzip(struct buf *out, struct str text) {
    static unsigned char packed[1 << 16];
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
                                  Z_DEFAULT_STRATEGY),
                     Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)text.p;
    z.avail_in = (uInt)text.n;
    z.next_out = packed;
    z.avail_out = sizeof packed;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    buf_add(out, (struct str){(const char *)packed, z.total_out});
    deflateEnd(&z);
}

static void put_zstd(struct buf *out, struct str text) {
    static char packed[1 << 16];
    size_t n = ZSTD_compress(packed, sizeof packed, text.p, text.n, 3);
    assert_false(ZSTD_isError(n));
    buf_add(out, (struct str){packed, n});
}

static void put_xz(struct buf *out, struct str text) {
    static uint8_t packed[1 << 16];
    size_t n = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL,
                                             (const uint8_t *)text.p, text.n,
                                             packed, &n, sizeof packed),
                     LZMA_OK);
    buf_add(out, (struct str){(const char *)packed, n});
}

/* ---- checking it, whole and in pieces ---- */

static void expect_same(struct str input,
                        size_t (*next_chunk)(struct reading *), uint32_t seed) {
    struct reading r = {.input = input, .next_chunk = next_chunk, .seed = seed};
    expect_text(&r, LOG_LINES);
}

static void expect_in_any_pieces(struct str input) {
    expect_same(input, NULL, 0);
    expect_same(input, one_byte, 0);
    for (uint32_t seed = 1; seed <= 100; seed++)
        expect_same(input, random_chunk, seed);
}

static size_t first_half(struct reading *r) {
    size_t n = r->seed;
    r->seed = 1u << 20;
    return n;
}

static void plain_text_in_any_pieces(void **state) {
    (void)state;
    expect_in_any_pieces(STR(LOG_TEXT));
    for (uint32_t cut = 1; cut < sizeof LOG_TEXT - 1; cut++)
        expect_same(STR(LOG_TEXT), first_half, cut);
}

static void utf8_with_a_mark(void **state) {
    (void)state;
    expect_in_any_pieces(STR("\xEF\xBB\xBF" LOG_TEXT));
}

static void utf16_with_and_without_a_mark(void **state) {
    (void)state;
    for (int form = 0; form < 4; form++) {
        struct buf b;
        buf_init(&b, NULL, 0);
        put_utf16(&b, STR(LOG_TEXT), form & 1, form & 2);
        expect_in_any_pieces(buf_str(&b));
        buf_free(&b);
    }
}

static void utf16_lines_after_ascii_ones(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    buf_fill(&b, '-', 300);
    buf_add_char(&b, '\n');
    put_utf16(&b, STR("RuntimeError: no\n"), false, false);
    struct reading r = {.input = buf_str(&b)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_true(str_find(buf_str(&r.lines), STR("2 RuntimeError: no\n")) <
                r.lines.n);
    close_reading(&r);
    buf_free(&b);
}

static void gzip_members_follow_each_other(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    put_gzip(&b, str_slice(STR(LOG_TEXT), 0, 50));
    put_gzip(&b, str_slice(STR(LOG_TEXT), 50, SIZE_MAX));
    expect_in_any_pieces(buf_str(&b));
    buf_fill(&b, '\0', 512); /* a tape's padding */
    struct reading r = {.input = buf_str(&b)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_false(r.stats.truncated);
    assert_int_equal(r.stats.lines, 7);
    assert_int_equal(r.stats.bytes, sizeof LOG_TEXT - 1);
    close_reading(&r);
    buf_free(&b);
}

static void zstd_frames_follow_each_other(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    put_zstd(&b, str_slice(STR(LOG_TEXT), 0, 50));
    put_zstd(&b, str_slice(STR(LOG_TEXT), 50, SIZE_MAX));
    expect_in_any_pieces(buf_str(&b));
    struct reading r = {.input = buf_str(&b)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_false(r.stats.truncated);
    close_reading(&r);
    buf_free(&b);
}

/* pzstd and others put their own notes in front, as frames to be skipped. */
static void zstd_may_begin_with_a_skipped_frame(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    buf_add(&b, (struct str){"\x50\x2a\x4d\x18\x03\0\0\0abc", 11});
    put_zstd(&b, STR(LOG_TEXT));
    expect_in_any_pieces(buf_str(&b));
    buf_free(&b);
}

static void xz_streams_follow_each_other(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    put_xz(&b, str_slice(STR(LOG_TEXT), 0, 50));
    buf_fill(&b, '\0', 8); /* padding */
    put_xz(&b, str_slice(STR(LOG_TEXT), 50, SIZE_MAX));
    expect_in_any_pieces(buf_str(&b));
    buf_fill(&b, '\0', 4);
    struct reading r = {.input = buf_str(&b)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_false(r.stats.truncated);
    close_reading(&r);
    buf_free(&b);
}

/* A few KB that become 16 MiB: they leave as they are made. */
static void a_bomb_takes_no_memory(void **state) {
    (void)state;
    size_t n = (size_t)16 << 20;
    struct buf plain, b;
    buf_init(&plain, NULL, 0);
    buf_init(&b, NULL, 0);
    buf_fill(&plain, 'x', n);
    put_xz(&b, buf_str(&plain));
    assert_true(b.n < 16384);
    struct reading r = {.input = buf_str(&b)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_int_equal(r.stats.bytes, n);
    assert_true(r.arena.used_bytes < (size_t)2 << 20);
    close_reading(&r);
    buf_free(&plain);
    buf_free(&b);
}

static void compressed_utf16(void **state) {
    (void)state;
    struct buf wide, packed;
    buf_init(&wide, NULL, 0);
    buf_init(&packed, NULL, 0);
    put_utf16(&wide, STR(LOG_TEXT), false, true);
    put_gzip(&packed, buf_str(&wide));
    expect_in_any_pieces(buf_str(&packed));
    buf_free(&wide);
    buf_free(&packed);
}

/* ---- what is cut short or damaged ---- */

static void expect_truncated(struct str input) {
    struct reading r = {.input = input};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_true(r.stats.truncated);
    close_reading(&r);
}

static void early_ends_are_told(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    put_gzip(&b, STR(LOG_TEXT));
    for (size_t n = 3; n < b.n; n++)
        expect_truncated(str_slice(buf_str(&b), 0, n));
    buf_clear(&b);
    put_zstd(&b, STR(LOG_TEXT));
    for (size_t n = 4; n < b.n; n++)
        expect_truncated(str_slice(buf_str(&b), 0, n));
    buf_clear(&b);
    put_xz(&b, STR(LOG_TEXT));
    for (size_t n = 6; n < b.n; n++)
        expect_truncated(str_slice(buf_str(&b), 0, n));
    buf_free(&b);
}

/* A header that asks for a window of 2 GiB (zstd), of 1.5 GiB (xz). */
static void windows_too_wide_are_refused(void **state) {
    (void)state;
    struct reading zstd = {
        .input = {"\x28\xb5\x2f\xfd\x04\xa8\x01\0\0\0\0\0", 12}};
    assert_int_equal(run_reading(&zstd), FAIL_CEILING);
    close_reading(&zstd);
    static uint8_t packed[4096];
    size_t n = 0;
    lzma_options_lzma wide;
    assert_false(lzma_lzma_preset(&wide, 0));
    wide.dict_size = UINT32_C(3) << 29;
    lzma_filter chain[] = {{LZMA_FILTER_LZMA2, &wide},
                           {LZMA_VLI_UNKNOWN, NULL}};
    assert_int_equal(lzma_stream_buffer_encode(chain, LZMA_CHECK_CRC32, NULL,
                                               (const uint8_t *)"log\n", 4,
                                               packed, &n, sizeof packed),
                     LZMA_OK);
    struct reading xz = {.input = {(const char *)packed, n}};
    assert_int_equal(run_reading(&xz), FAIL_CEILING);
    close_reading(&xz);
}

static void damage_at_the_start_is_refused(void **state) {
    (void)state;
    struct reading r = {.input = STR("\x1f\x8b\x09junk junk junk junk")};
    assert_int_equal(run_reading(&r), FAIL_INPUT);
    close_reading(&r);
}

static void later_damage_keeps_what_came_before(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    put_gzip(&b, STR("kept\n"));
    buf_add(&b, STR("\x1f\x8b\x09junk junk junk junk"));
    struct reading r = {.input = buf_str(&b)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_true(r.stats.truncated);
    assert_true(str_eq(buf_str(&r.lines), STR("1 kept\n")));
    close_reading(&r);
    buf_free(&b);
}

static void max_bytes_ends_the_input(void **state) {
    (void)state;
    struct reading r = {.input = STR("one\ntwo\nthree\n"), .max_bytes = 6};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_true(str_eq(buf_str(&r.lines), STR("1 one\n2 tw\n")));
    assert_true(r.stats.truncated);
    assert_int_equal(r.stats.bytes, 6);
    close_reading(&r);
    r = (struct reading){.input = STR("one\ntwo\n"), .max_bytes = 8};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_false(r.stats.truncated);
    close_reading(&r);
}

/* ---- lines of every kind ---- */

static void empty_and_odd_endings(void **state) {
    (void)state;
    expect_lines("\n\n", "1 \n2 \n");
    expect_lines("a\r\r\n\r\nb\r", "1 a\n2 \n3 b\n");
    struct reading r = {.input = STR("")};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_int_equal(r.stats.lines, 0);
    assert_int_equal(r.lines.n, 0);
    close_reading(&r);
}

static void progress_bars_keep_their_stream(void **state) {
    (void)state;
    expect_streams("(W pid=7) a: 1%\ra: 2%\rb\nnext\n",
                   "1 {-1/7///W}a: 1%\n1 {-1/7///W}a: 2%\n1 {-1/7///W}b\n"
                   "2 next\n");
}

static void colours_and_controls_go(void **state) {
    (void)state;
    expect_lines("\x1b[1;31mred\x1b[0m \x1b]0;title\atext\b\x7f\n",
                 "1 red text\n");
    expect_lines("[1;36mred[0;0m #033[31mx#033[0m ^[[32my\n", "1 red x y\n");
    expect_lines("\\x1b[36mred\\x1b[0m\n", "1 red\n");
    expect_lines("CUDA error: out of memory^M\n  cu\n",
                 "1 CUDA error: out of memory\n2   cu\n");
    expect_lines("rate[5m] and [12] and x[0]\n",
                 "1 rate[5m] and [12] and x[0]\n");
    expect_lines("caf\xE9 \xC2\xA0ok\n", "1 caf\xEF\xBF\xBD  ok\n");
}

static void nuls_never_end_a_line(void **state) {
    (void)state;
    struct reading r = {
        .input = STR("free\0memory is low now\n\0\0\0\0x=1 y\n")};
    expect_text(&r, "1 free memory is low now\n2 x=1 y\n");
}

static void long_lines_come_in_joined_pieces(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    buf_add(&b, STR("[rank1]: "));
    for (int i = 0; i < 100000; i++)
        buf_add(&b, STR("\xE2\x82\xAC"));
    buf_add(&b, STR("\nnext\n"));
    size_t first = 0;
    for (int is_slow = 0; is_slow < 2; is_slow++) {
        struct reading r = {.input = buf_str(&b),
                            .seed = 7,
                            .next_chunk = is_slow ? random_chunk : NULL};
        assert_int_equal(run_reading(&r), FAIL_NONE);
        assert_true(r.longest <= LOG_LINE_MAX);
        assert_true(str_find(buf_str(&r.lines), STR("\xEF\xBF\xBD")) ==
                    r.lines.n);
        assert_true(str_find(buf_str(&r.lines), STR("1+\xE2\x82\xAC")) <
                    r.lines.n);
        assert_true(str_ends(buf_str(&r.lines), STR("\n2 next\n")));
        if (is_slow)
            assert_int_equal(r.lines.n, first);
        first = r.lines.n;
        close_reading(&r);
    }
    buf_free(&b);
}

static void memory_does_not_grow_with_the_input(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    size_t used[2];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++)
            buf_add(&b, STR(LOG_TEXT "\n"));
        struct reading r = {.input = buf_str(&b)};
        assert_int_equal(run_reading(&r), FAIL_NONE);
        used[round] = r.arena.used_bytes;
        close_reading(&r);
    }
    assert_int_equal(used[0], used[1]);
    buf_free(&b);
}

/* ---- seeded noise ---- */

/* Bytes that make frames, escapes and cuts likely. */
static void put_noise(struct buf *b, uint32_t *seed) {
    static const char *const bits[] = {
        "\n", "\r", "\x1b[", "\x1b]", "{\"log\":\"", "\"}", "\\n", "> ", "# ",
        "3: ", "[rank", "0]", "(W pid=", ") ", "2026-01-02T03:04:05Z ",
        "stdout P ", "ERROR 06-30 13:53:19 [a.py:1] ", "\xE2\x82", "\xFF",
        "[pod/", "Jan  2 03:04:05 h u[1]: ", "x-1 | ", "\\", "'", "[1;3",
    };
    for (int i = 0; i < 400; i++) {
        uint32_t pick = next_random(seed) % 40;
        if (pick < sizeof bits / sizeof bits[0])
            buf_add(b, str_of(bits[pick]));
        else
            buf_add_char(b, (char)next_random(seed));
    }
}

static void noise_is_read_alike_in_any_pieces(void **state) {
    (void)state;
    for (uint32_t round = 1; round <= 300; round++) {
        struct buf b;
        uint32_t seed = round;
        buf_init(&b, NULL, 0);
        put_noise(&b, &seed);
        struct reading whole = {.input = buf_str(&b)};
        struct reading pieces = {.input = buf_str(&b),
                                 .next_chunk = round % 2 ? one_byte
                                                         : random_chunk,
                                 .seed = round};
        assert_int_equal(run_reading(&whole), FAIL_NONE);
        assert_int_equal(run_reading(&pieces), FAIL_NONE);
        assert_true(str_eq(buf_str(&whole.lines), buf_str(&pieces.lines)));
        close_reading(&whole);
        close_reading(&pieces);
        buf_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_in_any_pieces),
        cmocka_unit_test(utf8_with_a_mark),
        cmocka_unit_test(utf16_with_and_without_a_mark),
        cmocka_unit_test(utf16_lines_after_ascii_ones),
        cmocka_unit_test(gzip_members_follow_each_other),
        cmocka_unit_test(zstd_frames_follow_each_other),
        cmocka_unit_test(zstd_may_begin_with_a_skipped_frame),
        cmocka_unit_test(xz_streams_follow_each_other),
        cmocka_unit_test(a_bomb_takes_no_memory),
        cmocka_unit_test(windows_too_wide_are_refused),
        cmocka_unit_test(compressed_utf16),
        cmocka_unit_test(early_ends_are_told),
        cmocka_unit_test(damage_at_the_start_is_refused),
        cmocka_unit_test(later_damage_keeps_what_came_before),
        cmocka_unit_test(max_bytes_ends_the_input),
        cmocka_unit_test(empty_and_odd_endings),
        cmocka_unit_test(progress_bars_keep_their_stream),
        cmocka_unit_test(colours_and_controls_go),
        cmocka_unit_test(nuls_never_end_a_line),
        cmocka_unit_test(long_lines_come_in_joined_pieces),
        cmocka_unit_test(memory_does_not_grow_with_the_input),
        cmocka_unit_test(noise_is_read_alike_in_any_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
