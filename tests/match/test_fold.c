/* test_fold.c: folding many bytes at a time says what folding byte by byte
 * says, wherever lines and blanks fall; so does looking for words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "log/clean.h"
#include "match/fold.h"
#include "match/starts.h"

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
        arena_free(&a);
    }
}

static bool is_start(struct str s, size_t at) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return s.p[at] != ' ' && strchr(letters, s.p[at - 1]) == NULL;
}

static void words_are_found_by_their_first_bytes(void **state) {
    (void)state;
    static struct starts w;
    static char bytes[3 * STARTS_STRETCH + FOLD_SLACK];
    uint64_t seed = 3;
    struct str text = {bytes, 2 * STARTS_STRETCH + 77};
    for (size_t i = 0; i < text.n; i++)
        bytes[i] = "ab_7 :]"[roll(&seed, 7)];
    for (size_t at = 0; at < text.n; at = starts_end(at)) {
        size_t told = 0, stand = 0;
        starts_note(&w, text, at);
        for (size_t p = starts_first(&w, "ab_"); p != 0; p = starts_next(&w, p))
            told += p > 0 && memcmp(bytes + p, "ab_", 3) == 0 && is_start(text, p);
        for (size_t p = at > 0 ? at : 1; p < starts_end(at) && p < text.n; p++)
            stand += memcmp(bytes + p, "ab_", 3) == 0 && is_start(text, p);
        assert_true(stand > 0 || at == 2 * STARTS_STRETCH);
        assert_int_equal(told, stand);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_text_as_byte_by_byte),
        cmocka_unit_test(lines_are_whole_and_odd_ones_are_told),
        cmocka_unit_test(words_are_found_by_their_first_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
