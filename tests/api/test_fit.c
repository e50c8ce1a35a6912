/* test_fit.c: oomkb_fit_write as a stranger calls it: a model from its config,
 * arguments that are missing, and memory that ends at every single step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <oomkb/oomkb.h>

#include "base/buf.h"
#include "support/texts.h"

#define CONFIG                                                                 \
    "{\"num_hidden_layers\": 32, \"hidden_size\": 4096,"                       \
    " \"num_attention_heads\": 32, \"num_key_value_heads\": 8,"                \
    " \"vocab_size\": 128256, \"max_position_embeddings\": 8192}"

static struct arena arena; /* of the index bytes */
static oomkb *kb;

static int open_base(void **state) {
    (void)state;
    oomkb_error err;
    arena_init(&arena, NULL, 0);
    struct str image = index_of_entries(&arena, NULL, 0);
    return oomkb_open_bytes(image.p, image.n, &kb, &err);
}

static int close_base(void **state) {
    (void)state;
    oomkb_close(kb);
    arena_free(&arena);
    return 0;
}

static int take(void *ctx, const char *bytes, size_t n) {
    buf_add(ctx, (struct str){bytes, n});
    return 0;
}

static int refuse(void *ctx, const char *bytes, size_t n) {
    (void)ctx;
    (void)bytes;
    (void)n;
    return 1;
}

static const char *const facts[] = {"kv_available=1.1GiB",
                                    "engine_version=0.21.0", NULL};

static oomkb_fit_question question_new(void) {
    return (oomkb_fit_question){.size = sizeof(oomkb_fit_question),
                                .facts = facts,
                                .config = CONFIG,
                                .config_bytes = sizeof CONFIG - 1,
                                .config_name = "config.json",
                                .compare = "kv_cache_dtype=auto,fp8",
                                .sweep = "max_model_len"};
}

static void it_fits_or_it_does_not(void **state) {
    (void)state;
    static const char *const formats[] = {"text", "json", "jsonl", "markdown"};
    const char *const longer[] = {"kv_available=1GiB", "max_model_len=8193",
                                  NULL};
    oomkb_fit_question q = question_new();
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct buf out;
        buf_init(&out, NULL, 0);
        int fits = 7;
        q.facts = facts;
        q.compare = NULL;
        assert_int_equal(oomkb_fit_write(kb, &q, formats[i], NULL, take, &out,
                                         &fits, NULL),
                         OOMKB_OK);
        assert_int_equal(fits, 1);
        assert_true(out.n > 100);
        q.facts = longer;
        assert_int_equal(oomkb_fit_write(kb, &q, formats[i], NULL, take, &out,
                                         &fits, NULL),
                         OOMKB_OK);
        assert_int_equal(fits, 0);
        buf_free(&out);
    }
}

static void expect_refusal(const oomkb_fit_question *q, const char *format,
                           int code, const char *word) {
    struct buf out;
    oomkb_error err = {0};
    int fits = 7;
    buf_init(&out, NULL, 0);
    assert_int_equal(
        oomkb_fit_write(kb, q, format, NULL, take, &out, &fits, &err), code);
    assert_non_null(strstr(err.text, word));
    assert_int_equal(fits, 7);
    assert_int_equal(out.n, 0);
    buf_free(&out);
}

static int asked_with(const oomkb_fit_question *q) {
    struct buf out;
    int fits;
    buf_init(&out, NULL, 0);
    int code = oomkb_fit_write(kb, q, "json", NULL, take, &out, &fits, NULL);
    buf_free(&out);
    return code;
}

/* Flags are facts; a command has to start something (this base knows no
 * engine). A caller of before commands has a shorter struct. */
static void flags_and_commands_are_read(void **state) {
    (void)state;
    static const char *const flags[] = {"kv_available=1GiB",
                                        "--max-model-len=1k", NULL};
    static const char *const wrong[] = {"--max-model-len=x", NULL};
    oomkb_fit_question q = question_new();
    q.facts = flags;
    assert_int_equal(asked_with(&q), OOMKB_OK);
    q.command = "nginx -p 80";
    expect_refusal(&q, "json", OOMKB_ERROR_USAGE, "starts no engine");
    q.size = offsetof(oomkb_fit_question, command);
    assert_int_equal(asked_with(&q), OOMKB_OK);
    q.facts = wrong;
    expect_refusal(&q, "json", OOMKB_ERROR_USAGE, "max_model_len");
}

/* Who was built against a shorter struct goes on, and what lies behind it is
 * not looked at; who was built against a longer one, as long as it is empty. */
static void questions_are_read_by_their_size(void **state) {
    (void)state;
    oomkb_fit_question q = question_new();
    q.sweep = "nonsense";
    assert_int_equal(asked_with(&q), OOMKB_ERROR_USAGE);
    q.size = offsetof(oomkb_fit_question, sweep);
    assert_int_equal(asked_with(&q), OOMKB_OK);
    struct {
        oomkb_fit_question known;
        uint64_t from_the_future;
    } longer = {question_new(), 0};
    longer.known.size = sizeof longer;
    assert_int_equal(asked_with(&longer.known), OOMKB_OK);
    longer.from_the_future = 1;
    assert_int_equal(asked_with(&longer.known), OOMKB_ERROR_USAGE);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const char *const bad[] = {"nonsense=1", NULL};
    static const char *const bare[] = {"max_model_len", NULL};
    oomkb_fit_question q = question_new();
    expect_refusal(&q, "pdf", OOMKB_ERROR_USAGE, "markdown");
    expect_refusal(&q, NULL, OOMKB_ERROR_USAGE, "format");
    q.facts = bad;
    expect_refusal(&q, "json", OOMKB_ERROR_USAGE, "nonsense");
    q.facts = bare;
    expect_refusal(&q, "json", OOMKB_ERROR_USAGE, "fact=value");
    q = question_new();
    q.config_bytes = 5;
    expect_refusal(&q, "json", OOMKB_ERROR_INPUT, "config.json");
    q = question_new();
    q.size = 1;
    expect_refusal(&q, "json", OOMKB_ERROR_USAGE, "size");
    q = question_new();
    int fits;
    oomkb_error err;
    assert_int_equal(
        oomkb_fit_write(kb, &q, "json", NULL, refuse, NULL, &fits, &err),
        OOMKB_ERROR_IO);
    assert_int_equal(
        oomkb_fit_write(kb, NULL, "json", NULL, take, NULL, &fits, &err),
        OOMKB_ERROR_USAGE);
    assert_int_equal(
        oomkb_fit_write(kb, &q, "json", NULL, take, NULL, NULL, &err),
        OOMKB_ERROR_USAGE);
}

struct scarce { /* the n-th block, and every one after it, is refused */
    size_t left;
};

static void *get_scarce(void *ctx, size_t bytes) {
    struct scarce *s = ctx;
    if (s->left == 0) {
        return NULL;
    }
    s->left--;
    return malloc(bytes);
}

static void put_scarce(void *ctx, void *block) {
    (void)ctx;
    free(block);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    oomkb_fit_question q = question_new();
    int code = OOMKB_ERROR_MEMORY;
    size_t n = 0;
    for (; code != OOMKB_OK && n < 5000; n++) {
        struct scarce scarce = {n};
        oomkb_options o = {.size = sizeof o,
                           .get_memory = get_scarce,
                           .put_memory = put_scarce,
                           .memory_ctx = &scarce};
        struct buf out;
        int fits = 7;
        buf_init(&out, NULL, 0);
        code = oomkb_fit_write(kb, &q, "json", &o, take, &out, &fits, NULL);
        if (code != OOMKB_OK) {
            assert_int_equal(code, OOMKB_ERROR_MEMORY);
            assert_int_equal(out.n, 0);
            assert_int_equal(fits, 7);
        }
        buf_free(&out);
    }
    assert_true(n > 3);
    assert_int_equal(code, OOMKB_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_fits_or_it_does_not),
        cmocka_unit_test(flags_and_commands_are_read),
        cmocka_unit_test(questions_are_read_by_their_size),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_base, close_base);
}
