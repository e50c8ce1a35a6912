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

bool margin_find(struct str text, bool is_record, struct margin *out) {
    struct str mark = STR(".py:");
    size_t dot = str_find(text, mark), name = dot, end;
    struct cursor c = {text, dot + mark.n};
    if (dot == text.n || !cursor_digits(&c, 1, 6) ||
        (!cursor_ends(&c) && cursor_peek(&c) != ' '))
        return false;
    while (name > 0 &&
           (is_word(text.p[name - 1]) || is_any(text.p[name - 1], "-.")))
        name--;
    for (end = name; end > 0 && text.p[end - 1] == ' ';)
        end--;
    bool is_full = is_record && cursor_ends(&c) && name - end == 1;
    if (name == dot || end == 0 || (name - end < 2 && !is_full))
        return false;
    out->before = str_slice(text, 0, end);
    out->after = str_trim(cursor_rest(&c));
    return true;
}
