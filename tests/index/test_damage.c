/* Whatever is done to the bytes of an index, the answer is an error, or right:
 * never a crash. Run under a sanitizer to see what it is worth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/read.h"
#include "support/corpus.h"

#define FLIPS 500

/* Everything there is to read. */
static void read_all(struct arena *a, struct str image) {
    static const char *const names[] = {"Qwen/Qwen2.5-7B-Instruct", "gpt2",
                                        "me/qwen3-8b-sft", "no-such-9b"};
    struct index *ix = index_open(a, image);
    struct reader *r = reader_new(ix, a);
    struct workaround lower = {
        .acts_on = {STR("--max-model-len"), CHANGE_down, 0}};
    for (uint32_t i = 0; i < index_entry_count(ix) && i < 10; i++) {
        const struct entry *e = reader_entry(r, i);
        reader_entry_by_id(r, e->id, NULL);
        reader_group(r, i);
    }
    for (uint32_t i = 0; i < index_pattern_count(ix) && i < 20; i++) {
        reader_pattern(r, i);
    }
    for (uint32_t i = 0; i < reader_engine_count(r); i++) {
        reader_engine(r, i);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        reader_model(r, str_of(names[i]));
    }
    reader_gpu(r, STR("A100 80GB"));
    reader_gpus_of_total(r, 0, INT64_MAX);
    reader_component_fold(r, STR("ggml-metal"));
    reader_message(r, LANG_EN, STR("report.do_first"));
    reader_pooled(r, MECHANISM_kv_cache_startup, &lower);
    reader_cause(r, STR("limit_below_need"));
    reader_ranking(r);
    reader_search(r, STR("kv cache 显存"), 10);
    reader_entries_of(r, STR("vllm"));
}

struct attempt {
    struct arena arena;
    struct str image;
};

static void run_attempt(void *arg) {
    struct attempt *attempt = arg;
    read_all(&attempt->arena, attempt->image);
}

/* The image is copied to a block of its own size: a sanitizer sees its end. */
static enum fail read_damaged(struct str image, struct fault *fault) {
    struct attempt attempt;
    char *copy = malloc(image.n ? image.n : 1);
    assert_non_null(copy);
    if (image.n > 0) {
        memcpy(copy, image.p, image.n);
    }
    attempt.image = (struct str){copy, image.n};
    arena_init(&attempt.arena, NULL, (size_t)64 << 20);
    enum fail code =
        arena_guard(&attempt.arena, run_attempt, &attempt, fault);
    arena_free(&attempt.arena);
    free(copy);
    return code;
}

static void expect_refusal(struct str image, const char *words) {
    struct fault fault = {FAIL_NONE, ""};
    assert_int_equal(read_damaged(image, &fault), FAIL_INDEX);
    if (strstr(fault.text, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", fault.text, words);
    }
}

static struct str copy_of(struct arena *a, struct str s) {
    return arena_str(a, s);
}

static void put(struct str s, size_t at, unsigned char byte) {
    ((char *)s.p)[at] = (char)byte;
}

static void name_what_is_wrong(struct arena *a) {
    struct str image = tiny_image(a);
    struct fault fault;
    assert_int_equal(read_damaged(image, &fault), FAIL_NONE);
    expect_refusal(STR(""), "not an oomkb index");
    expect_refusal(STR("CUDA out of memory"), "not an oomkb index");
    struct str newer = copy_of(a, image);
    put(newer, 63, INDEX_SCHEMA + 1);
    expect_refusal(newer, "newer oomkb");
    struct str foreign = copy_of(a, image);
    put(foreign, 68, 0);
    expect_refusal(foreign, "not an oomkb index");
    expect_refusal(str_slice(image, 0, image.n - 4096), "damaged");
}

static void refuse_what_is_cut_short(struct arena *a) {
    struct str image = tiny_image(a);
    struct fault fault;
    for (size_t n = 0; n < image.n; n += n < 200 ? 1 : 509) {
        enum fail code = read_damaged(str_slice(image, 0, n), &fault);
        if (code != FAIL_INDEX) {
            fail_msg("cut at %zu it is %d", n, (int)code);
        }
    }
    for (size_t n = 4096; n < image.n; n += 4096) {
        assert_int_equal(read_damaged(str_slice(image, 0, n), &fault),
                         FAIL_INDEX);
    }
}

static size_t tables_of(struct arena *a, struct str image) {
    return index_open(a, image)->tables.n;
}

static void refuse_other_tables(struct arena *a) {
    struct str image = tiny_image(a);
    size_t tables = tables_of(a, image);
    for (size_t at = 4096; at < tables; at += 997) {
        struct str bad = copy_of(a, image);
        put(bad, at, (unsigned char)(bad.p[at] ^ 16));
        expect_refusal(bad, "tables are not what was written");
    }
    image_mend_checks(image, tables);
    struct fault fault;
    assert_int_equal(read_damaged(image, &fault), FAIL_NONE);
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

static void survive_flipped_bytes(struct arena *a) {
    struct str image = tiny_image(a);
    uint64_t seed = 0x6f6f6d6b62;
    size_t tables = tables_of(a, image);
    int refused = 0;
    for (int i = 0; i < FLIPS; i++) {
        struct str bad = copy_of(a, image);
        int count = 1 + (int)(next_random(&seed) % 8);
        for (int k = 0; k < count; k++) {
            put(bad, next_random(&seed) % bad.n,
                (unsigned char)next_random(&seed));
        }
        if (i % 2 == 0) {
            image_mend_checks(bad, tables);
        }
        struct fault fault = {FAIL_NONE, ""};
        enum fail code = read_damaged(bad, &fault);
        if (code != FAIL_NONE && code != FAIL_INDEX) {
            fail_msg("flip %d is %d: %s", i, (int)code, fault.text);
        }
        refused += code == FAIL_INDEX;
    }
    assert_true(refused > FLIPS / 20); /* else nothing was hit */
}

/* The headers of pages are where a page is most hurt. */
static void survive_hurt_pages(struct arena *a) {
    struct str image = tiny_image(a);
    uint64_t seed = 0x70616765;
    size_t tables = tables_of(a, image);
    for (size_t page = 0; page < image.n; page += 4096) {
        for (size_t at = page ? 0 : 100; at < (page ? 16u : 116u); at++) {
            struct str bad = copy_of(a, image);
            put(bad, page + at, (unsigned char)next_random(&seed));
            if (page < tables) {
                image_mend_checks(bad, tables);
            }
            struct fault fault = {FAIL_NONE, ""};
            enum fail code = read_damaged(bad, &fault);
            if (code != FAIL_NONE && code != FAIL_INDEX) {
                fail_msg("byte %zu of page %zu is %d: %s", at, page / 4096,
                         (int)code, fault.text);
            }
        }
    }
}

static void wrong_is_named(void **state) {
    (void)state;
    with_arena(name_what_is_wrong);
}
static void cuts_are_refused(void **state) {
    (void)state;
    with_arena(refuse_what_is_cut_short);
}
static void other_tables_are_refused(void **state) {
    (void)state;
    with_arena(refuse_other_tables);
}
static void flips_are_survived(void **state) {
    (void)state;
    with_arena(survive_flipped_bytes);
}
static void pages_are_survived(void **state) {
    (void)state;
    with_arena(survive_hurt_pages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_is_named),
        cmocka_unit_test(cuts_are_refused),
        cmocka_unit_test(other_tables_are_refused),
        cmocka_unit_test(flips_are_survived),
        cmocka_unit_test(pages_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
