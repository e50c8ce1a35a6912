/* margin.c: the place in the code that a log handler prints at the right edge.
 *
 *     ERROR    CUDA out of memory.             batch.py:47
 *              Tried to allocate 1.49 GiB. GPU 0 has ...
 *
 *     ERROR    CUDA out of memory.             batch.py:47 Tried to allocate
 *
 * Rich prints this. The message continues on the next line, or behind the place
 * if the lines were joined. Two blanks before the place tell it from a sentence
 * that names a file. One blank is enough in the first line of a record that
 * ends with the place, since a full column leaves no more. */
#include "log/margin.h"

#include "log/cursor.h"

static bool is_in_name(char c) {
    return is_word(c) || is_any(c, "-.");
}

bool margin_find(struct str text, bool is_record, struct margin *out) {
    struct str mark = STR(".py:");
    size_t dot = str_find(text, mark), name = dot;
    struct cursor c = {text, dot + mark.n};
    bool is_number = cursor_digits(&c, 1, 6) &&
                     (cursor_ends(&c) || cursor_peek(&c) == ' ');
    while (is_number && name > 0 && is_in_name(text.p[name - 1]))
        name--;
    size_t end = name;
    while (end > 0 && text.p[end - 1] == ' ')
        end--;
    bool is_full = is_record && cursor_ends(&c) && name - end == 1;
    if (!is_number || name == dot || end == 0 || (name - end < 2 && !is_full))
        return false;
    out->before = str_slice(text, 0, end);
    out->after = str_trim(cursor_rest(&c));
    return true;
}
