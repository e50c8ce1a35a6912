/* test_fold.c: folding many bytes at a time says what folding byte by byte
 * says, wherever lines and blanks fall. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "log/clean.h"
#include "match/fold.h"

#define ROUNDS 4000
#define TEXT_MAX 120

static uint32_t roll(uint64_t *seed, uint32_t sides) {
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % sides;
}

/* Letters, blanks and what folding has an eye on. */
static struct str make_text(char out[TEXT_MAX], uint64_t *seed) {
    static const char usual[] = "abzAZ09_  \t\n,}:";
    static const char odd[] = "\"[#^\\m;\x7f\x1b\r\xc3K]";
    size_t n = roll(seed, TEXT_MAX);
    uint32_t oddness = roll(seed, 3) * 20;
    for (size_t i = 0; i < n; i++)
        out[i] = roll(seed, 200) < oddness ? odd[roll(seed, sizeof odd - 1)]
                                           : usual[roll(seed, sizeof usual - 1)];
    return (struct str){out, n};
}

/* The same, byte by byte. raw: where each byte came from. */
static size_t fold_slowly(struct str text, char *out, size_t *raw) {
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = (char)fold_byte((unsigned char)text.p[i]);
        if (c == ' ' && n > 0 && out[n - 1] == ' ')
            continue;
        raw[n] = i;
        out[n++] = c;
    }
    return n;
}

static void folds_text_as_byte_by_byte(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < ROUNDS; i++) {
        char bytes[TEXT_MAX], slow[TEXT_MAX];
        size_t raw[TEXT_MAX];
        struct arena a;
        arena_init(&a, NULL, 0);
        struct folded f = {.a = &a};
        struct str text = make_text(bytes, &seed);
        size_t n = fold_slowly(text, slow, raw);
        size_t cut = roll(&seed, TEXT_MAX);
        fold_add(&f, str_slice(text, 0, cut), 0);
        fold_add(&f, str_slice(text, cut, text.n), cut < text.n ? cut : text.n);
        assert_int_equal(f.n, n);
        assert_memory_equal(f.text, slow, n);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(fold_raw(&f, k), raw[k]);
        arena_free(&a);
    }
}

/* Whatever cleaning would change, or unescaping, or end as a string. */
static bool is_odd_line(struct str line) {
    return !clean_is_plain(line) || str_find_char(line, '\\') < line.n ||
           str_find(line, STR("\",")) < line.n ||
           str_find(line, STR("\"}")) < line.n;
}

static void lines_are_whole_and_odd_ones_are_told(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < ROUNDS; i++) {
        char bytes[TEXT_MAX], slow[TEXT_MAX];
        size_t raw[TEXT_MAX];
        struct arena a;
        arena_init(&a, NULL, 0);
        struct folded f = {.a = &a};
        struct str text = make_text(bytes, &seed);
        for (size_t at = 0; at < text.n;)
            at += fold_lines(&f, str_from(text, at), at);
        size_t at = 0;
        for (size_t k = 0; k < f.line_count; k++) {
            struct str line = str_from(text, at);
            const struct folded_line *l = &f.lines[k];
            assert_int_equal(l->raw, at);
            line.n = str_find_char(line, '\n');
            if (is_odd_line(line))
                assert_false(l->is_simple);
            at += line.n + 1;
        }
        assert_true(at >= text.n);
        assert_int_equal(f.n, fold_slowly(text, slow, raw));
        assert_memory_equal(f.text, slow, f.n);
        for (size_t k = 0; k < f.line_count; k++) {
            const struct folded_line *l = &f.lines[k];
            struct str line = str_from(text, l->raw);
            for (size_t b = l->at; b < l->end; b++)
                assert_ptr_equal(fold_line_place(&f, l, line, b),
                                 text.p + raw[b]);
        }
        arena_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_text_as_byte_by_byte),
        cmocka_unit_test(lines_are_whole_and_odd_ones_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
