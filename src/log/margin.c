/* margin.c: the place in the code that a log handler sets at the right edge.
 *
 *     ERROR    CUDA out of memory.             batch.py:47
 *              Tried to allocate 1.49 GiB. GPU 0 has ...
 *
 *     ERROR    CUDA out of memory.             batch.py:47 Tried to allocate
 *
 * Rich writes so; the message goes on under its first line, or behind the
 * place where somebody joined the lines. Two blanks before the place tell it
 * from a sentence that names a file; of a record's line that ends with it, one
 * does, for a full column leaves no more.
 */
#include "log/margin.h"

#include "log/cursor.h"

static size_t end_of_number(struct str text, size_t at) {
    size_t end = at;
    while (end < text.n && end - at < 6 && is_digit(text.p[end]))
        end++;
    bool is_over = end == text.n || text.p[end] == ' ';
    return end > at && is_over ? end : 0;
}

static size_t begin_of_name(struct str text, size_t dot) {
    size_t at = dot;
    while (at > 0 && (is_word(text.p[at - 1]) || is_any(text.p[at - 1], "-.")))
        at--;
    return at;
}

static size_t blanks_before(struct str text, size_t at) {
    size_t n = 0;
    while (n < at && text.p[at - n - 1] == ' ')
        n++;
    return n;
}

bool margin_find(struct str text, bool is_record, struct margin *out) {
    struct str mark = STR(".py:");
    size_t dot = str_find(text, mark);
    size_t end = dot < text.n ? end_of_number(text, dot + mark.n) : 0;
    if (end == 0)
        return false;
    size_t name = begin_of_name(text, dot);
    size_t blanks = blanks_before(text, name);
    bool is_full = is_record && end == text.n && blanks == 1;
    if (name == dot || blanks == name || (blanks < 2 && !is_full))
        return false;
    out->before = str_slice(text, 0, name - blanks);
    out->after = str_trim(str_slice(text, end, text.n));
    return true;
}
