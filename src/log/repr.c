/* repr.c: RuntimeError('CUDA out of memory.\nTried ...') and the like.
 *
 * A backslash and an n are a newline where text goes on as text does after
 * one: with a blank, a capital, a quote, another escape, the name of a function
 * and its colon ("ggml_gallocr_reserve_n: "), or the end. They are not where
 * they stand in a path (C:\new, D:\nvidia\bin): the word they stand in has a
 * drive before them. One sure newline vouches for the others of its line,
 * whatever follows them. Deeper quoting doubles the backslashes; a run of them
 * counts as one.
 */
#include "log/repr.h"

#include <string.h>

#include "log/cursor.h"

#define PATH_BYTES 260 /* as long as Windows lets a path be */

static size_t run_of_backslashes(struct str s, size_t at) {
    size_t n = 0;
    while (at + n < s.n && s.p[at + n] == '\\')
        n++;
    return n;
}

/* Is there "X:\" in the word that ends before `at`? */
static bool is_in_path(struct str s, size_t at) {
    size_t from = at, least = at > PATH_BYTES ? at - PATH_BYTES : 0;
    while (from > least && s.p[from - 1] != ' ' && s.p[from - 1] != '"' &&
           s.p[from - 1] != '\'')
        from--;
    bool has_drive = from + 2 <= s.n && is_letter(s.p[from]) &&
                     s.p[from + 1] == ':' && from + 2 < s.n &&
                     s.p[from + 2] == '\\';
    return has_drive;
}

/* "alloc_tensor_range: ", as llama.cpp begins its lines. */
static bool begins_with_function(struct str s, size_t at) {
    size_t end = at;
    bool has_underscore = false;
    while (end < s.n && is_word(s.p[end])) {
        has_underscore = has_underscore || s.p[end] == '_';
        end++;
    }
    return has_underscore && end + 1 < s.n && s.p[end] == ':' &&
           s.p[end + 1] == ' ';
}

static bool is_sure(struct str s, size_t after) {
    if (after >= s.n)
        return true;
    char c = s.p[after];
    return c == ' ' || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           strchr("'\"\\`[<(*-|", c) != NULL || begins_with_function(s, after);
}

static bool has_sure_newline(struct str s) {
    size_t i = str_find_char(s, '\\');
    while (i < s.n) {
        size_t run = run_of_backslashes(s, i);
        bool is_newline = i + run < s.n && s.p[i + run] == 'n';
        if (is_newline && !is_in_path(s, i) && is_sure(s, i + run + 1))
            return true;
        size_t next = i + (run ? run : 1);
        i = next + str_find_char(str_slice(s, next, s.n), '\\');
    }
    return false;
}

/* What the escape at `at` stands for; '\0': leave it as it is. */
static char meaning(struct str s, size_t at, size_t run) {
    char c = at + run < s.n ? s.p[at + run] : '\0';
    if (c == '\'' || c == '"')
        return c;
    if ((c == 'n' || c == 't' || c == 'r') && !is_in_path(s, at))
        return c == 'n' ? '\n' : ' ';
    return '\0';
}

bool repr_unfold(struct str s, struct buf *out) {
    if (!has_sure_newline(s))
        return false;
    buf_clear(out);
    size_t i = 0;
    while (i < s.n) {
        size_t run = run_of_backslashes(s, i);
        if (run == 0) {
            size_t plain = str_find_char(str_slice(s, i, s.n), '\\');
            buf_add(out, str_slice(s, i, plain));
            i += plain;
            continue;
        }
        char c = meaning(s, i, run);
        if (c != '\0')
            buf_add_char(out, c);
        else
            buf_add(out, str_slice(s, i, run));
        i += run + (c != '\0' ? 1 : 0);
    }
    return true;
}
