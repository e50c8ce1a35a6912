/* Hard cuts are joined, word wraps and neighbours are not. */
#include "reading.h"

#define OOM                                                                   \
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "\
    "GPU 0 has a total capacity of 23.69 GiB of which 1.12 GiB is free. "     \
    "Process 12345 has 22.50 GiB memory in use. Of the allocated memory "     \
    "20.10 GiB is allocated by PyTorch, and 1.90 GiB is reserved by PyTorch " \
    "but unallocated."

/* The text of the lines put together as the reader says: is_joined without a
 * blank, else with one (a hard cut at a blank has it already). */
struct glued {
    struct buf text;
};

static void glue(void *ctx, const struct line *line) {
    struct glued *g = ctx;
    bool has_blank = g->text.n == 0 || str_ends(buf_str(&g->text), STR(" ")) ||
                     str_starts(line->text, STR(" "));
    if (!line->is_joined && !has_blank)
        buf_add_char(&g->text, ' ');
    buf_add(&g->text, line->text);
}

struct job {
    struct arena arena;
    struct str input;
    struct glued glued;
};

static void read_job(void *arg) {
    struct job *j = arg;
    struct log_reader *r = log_open(&j->arena, log_tables_new(&j->arena), 0, glue, &j->glued);
    log_feed(r, j->input);
    log_end(r);
}

static bool comes_back_whole(struct str input, struct str wanted) {
    struct job j = {.input = input};
    arena_init(&j.arena, NULL, 0);
    buf_init(&j.glued.text, NULL, 0);
    assert_int_equal(arena_guard(&j.arena, read_job, &j, NULL), FAIL_NONE);
    bool is_whole = str_eq(buf_str(&j.glued.text), wanted);
    buf_free(&j.glued.text);
    arena_free(&j.arena);
    return is_whole;
}

static void put_cut(struct buf *b, struct str text, size_t width,
                    const char *quote) {
    for (size_t i = 0; i < text.n; i += width) {
        buf_add(b, str_of(quote));
        buf_add(b, str_slice(text, i, width));
        buf_add_char(b, '\n');
    }
}

/* Break at the last blank that fits, as an editor does. */
static void put_wrapped(struct buf *b, struct str text, size_t width) {
    while (text.n > width) {
        size_t n = width;
        while (n > 0 && text.p[n] != ' ')
            n--;
        buf_add(b, str_slice(text, 0, n));
        buf_add_char(b, '\n');
        text = str_slice(text, n + 1, text.n);
    }
    buf_add(b, text);
    buf_add_char(b, '\n');
}

static void hard_cuts_at_usual_widths_are_joined(void **state) {
    (void)state;
    static const size_t widths[] = {60, 72, 80, 100, 120, 132, 160, 200};
    static const char *const quotes[] = {"", "> "};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        for (size_t q = 0; q < 2; q++) {
            struct buf b;
            buf_init(&b, NULL, 0);
            put_cut(&b, STR(OOM), widths[i], quotes[q]);
            assert_true(comes_back_whole(buf_str(&b), STR(OOM)));
            buf_free(&b);
        }
    }
}

static void word_wraps_are_not_joined(void **state) {
    (void)state;
    for (size_t width = 40; width <= 200; width++) {
        struct buf b;
        buf_init(&b, NULL, 0);
        put_wrapped(&b, STR(OOM), width);
        assert_true(comes_back_whole(buf_str(&b), STR(OOM)));
        buf_free(&b);
    }
}

/* One cut, inside a number, and nothing else to go by but the width. */
static void expect_one_cut(size_t width, bool is_joined) {
    struct buf b;
    buf_init(&b, NULL, 0);
    buf_add(&b, STR("RuntimeError: "));
    buf_fill(&b, 'x', width - b.n - 2);
    buf_add(&b, STR("1.\n25 GiB free\n"));
    struct reading r = {.input = buf_str(&b)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    struct str second = is_joined ? STR("2+25 GiB free\n")
                                  : STR("2 25 GiB free\n");
    assert_true(str_ends(buf_str(&r.lines), second));
    close_reading(&r);
    buf_free(&b);
}

static void two_lines_are_joined_at_a_usual_width(void **state) {
    (void)state;
    expect_one_cut(80, true);
    expect_one_cut(120, true);
    expect_one_cut(83, false);
    expect_one_cut(250, false);
}

/* Lines as wide as each other that begin alike, or with a label, or a frame,
 * or after a wider one: each stands for itself. */
static void neighbours_stay_apart(void **state) {
    (void)state;
    static const char *const logs[][3] = {
        {"llama_kv_cache_init:      CUDA12 KV buffer size =    36.00 MiB x\n",
         "llama_kv_cache_init:      CUDA13 KV buffer size =    36.00 MiB x\n",
         "llama_kv_cache_init:      CUDA14 KV buffer size =    36.00 MiB x\n"},
        {"load_tensors: offloading 32 repeating layers to the GPU: ",
         "please wait for it here\n", "llm_load_print_meta: n_ctx = 4096\n"},
        {"this line of a log is just as wide as an old ",
         "terminal, which has eighty columns,\n",
         "Traceback (most recent call last):\n"},
        {"0.12345678 0.22345678 0.32345678 0.42345678 0.52345678\n",
         "0.62345678 0.72345678 0.82345678 0.92345678 0.12345678\n", ""},
    };
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        struct buf b;
        buf_init(&b, NULL, 0);
        for (size_t part = 0; part < 3; part++)
            buf_add(&b, str_of(logs[i][part]));
        struct reading r = {.input = buf_str(&b)};
        assert_int_equal(run_reading(&r), FAIL_NONE);
        assert_int_equal(str_find_char(buf_str(&r.lines), '+'), r.lines.n);
        close_reading(&r);
        buf_free(&b);
    }
}

/* Two lines, as wide as each other at no usual width, and a narrower one. */
static void expect_pair(const char *first, const char *second,
                        bool is_joined) {
    assert_int_equal(strlen(first), strlen(second));
    struct buf b;
    buf_init(&b, NULL, 0);
    const char *const lines[] = {first, second, "Aborted"};
    for (size_t i = 0; i < 3; i++) {
        buf_add(&b, str_of(lines[i]));
        buf_add_char(&b, '\n');
    }
    struct reading r = {.input = buf_str(&b)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    size_t plus = str_find_char(buf_str(&r.lines), '+');
    assert_int_equal(plus < buf_str(&r.lines).n, is_joined);
    close_reading(&r);
    buf_free(&b);
}

static void equal_width_by_chance_is_no_cut(void **state) {
    (void)state;
    expect_pair("worker 3 gave its last shard back and stopped",
                "restarting the other workers with new shards.", false);
    expect_pair("RuntimeError: the pool met too much fragmenta",
                "tion while 20.00 MiB were asked, 2 MiB free..", true);
    expect_pair("RuntimeError: the pool of this card holds 23.",
                "69 GiB, of which 20.00 MiB are free, and more", true);
    expect_pair("---------------------------------------------------------------"
                "------------",
                "ResourceExhaustedError                    Traceback (most recen"
                "t call last)", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_cuts_at_usual_widths_are_joined),
        cmocka_unit_test(word_wraps_are_not_joined),
        cmocka_unit_test(two_lines_are_joined_at_a_usual_width),
        cmocka_unit_test(neighbours_stay_apart),
        cmocka_unit_test(equal_width_by_chance_is_no_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
