/* repr.c: RuntimeError('CUDA out of memory.\nTried ...') and the like.
 *
 * "\n" is surely a newline if a new line may begin behind it: with a blank, a
 * capital, a digit, a quote, another escape, an opening mark, the name of a
 * function and its colon ("ggml_gallocr_reserve_n: "), or if the text ends. It
 * is none in a path (C:\new, D:\nvidia\bin): in a word that begins with a
 * drive. If one "\n" of a line is surely a newline, all others outside paths
 * are. Deeper quoting doubles the backslashes; a run of them counts as one.
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

/* True if the word that holds `at` begins with "X:\". */
static bool is_in_path(struct str s, size_t at) {
    size_t from = at, least = at > PATH_BYTES ? at - PATH_BYTES : 0;
    while (from > least && s.p[from - 1] != ' ' && s.p[from - 1] != '"' &&
           s.p[from - 1] != '\'')
        from--;
    return from + 2 < s.n && is_letter(s.p[from]) && s.p[from + 1] == ':' &&
           s.p[from + 2] == '\\';
}

/* True for "alloc_tensor_range: ", the beginning of a line of llama.cpp. */
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

/* The character that the escape at `at` stands for; '\0': it is kept. */
static char unescaped(struct str s, size_t at, size_t run) {
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
        char c = unescaped(s, i, run);
        if (c != '\0')
            buf_add_char(out, c);
        else
            buf_add(out, str_slice(s, i, run));
        i += run + (c != '\0' ? 1 : 0);
    }
    return true;
}
