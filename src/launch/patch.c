/* patch.c: writes the edits of one file as a unified diff, with three lines of
 * context.
 *
 * Lines that an edit touches are removed whole and added changed. Hunks whose
 * contexts meet are joined. No texts are compared: the edits determine the
 * diff. */
#include "launch/lint.h"
#include "base/limits.h"
#include "base/plain.h"

#include <stdlib.h>

#define CONTEXT 3

struct lines {
    struct arena *a;
    struct str text;
    const struct lint_edit **edits; /* in order of position, without overlaps */
    size_t edit_count;
};

static int by_place(const void *x, const void *y) {
    const struct lint_edit *a = *(const struct lint_edit *const *)x;
    const struct lint_edit *b = *(const struct lint_edit *const *)y;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

static void gather_edits(struct lines *l, const struct lint_file *file) {
    const struct lint_edit **list;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < file->finding_count; i++)
        count += file->findings[i].edit_count;
    list = arena_array(l->a, count + 1, sizeof *list);
    count = 0;
    for (size_t i = 0; i < file->finding_count; i++)
        for (size_t n = 0; n < file->findings[i].edit_count; n++)
            list[count++] = &file->findings[i].edits[n];
    if (count > 1)
        qsort(list, count, sizeof *list, by_place);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || list[i]->from >= list[kept - 1]->to)
            list[kept++] = list[i];
    l->edits = list;
    l->edit_count = kept;
}

/* The offset behind the newline. */
static size_t line_end(struct str text, size_t at) {
    size_t end = at + str_find_char(str_from(text, at), '\n');
    return end < text.n ? end + 1 : text.n;
}

static void put_lines(struct buf *out, char sign, struct str text) {
    while (text.n > 0) {
        size_t end = line_end(text, 0);
        struct str line = str_slice(text, 0, end);
        buf_add_char(out, sign);
        buf_add(out, line);
        if (!str_ends(line, STR("\n")))
            buf_add(out, STR("\n\\ No newline at end of file\n"));
        text = str_from(text, end);
    }
}

/* Applies the i-th edit and those on the same lines: [*begin, *end) becomes
 * *made. Returns the number of the next edit. */
static size_t group_of(struct lines *l, size_t i, size_t *begin, size_t *end,
                       struct str *added) {
    struct buf out = buf_in(l->a, LINT_PATCH_BYTES_MAX);
    *begin = str_line_begin(l->text, l->edits[i]->from);
    size_t at = *begin;
    do {
        const struct lint_edit *e = l->edits[i++];
        bool is_whole = e->to > e->from && l->text.p[e->to - 1] == '\n' &&
                        e->text.n == 0;
        buf_add(&out, str_slice(l->text, at, e->from - at));
        buf_add(&out, e->text);
        at = e->to;
        *end = is_whole ? e->to : line_end(l->text, e->to);
    } while (i < l->edit_count && l->edits[i]->from < *end);
    buf_add(&out, str_slice(l->text, at, *end - at));
    *added = arena_str(l->a, buf_str(&out));
    return i;
}

static size_t lines_back(struct str text, size_t at, size_t least) {
    for (int i = 0; i < CONTEXT && at > least; i++)
        at = str_line_begin(text, at - 1);
    return at;
}

static size_t lines_forward(struct str text, size_t at) {
    for (int i = 0; i < CONTEXT && at < text.n; i++)
        at = line_end(text, at);
    return at;
}

static size_t line_count(struct str text) {
    return plain_count(text, '\n') + (text.n > 0 && !str_ends(text, STR("\n")));
}

/* Writes one hunk: from the i-th edit on, as long as contexts meet. */
static size_t put_hunk(struct lines *l, size_t i, size_t *done, int64_t *shift,
                       struct buf *out) {
    struct buf body;
    size_t begin, end, old = 0, new = 0;
    struct str added;
    body = buf_in(l->a, LINT_PATCH_BYTES_MAX);
    size_t first = lines_back(
        l->text, str_line_begin(l->text, l->edits[i]->from), *done);
    size_t at = first;
    do {
        i = group_of(l, i, &begin, &end, &added);
        struct str unchanged = str_slice(l->text, at, begin - at);
        struct str removed = str_slice(l->text, begin, end - begin);
        put_lines(&body, ' ', unchanged);
        put_lines(&body, '-', removed);
        put_lines(&body, '+', added);
        old += line_count(unchanged) + line_count(removed);
        new += line_count(unchanged) + line_count(added);
        at = end;
    } while (i < l->edit_count &&
             lines_back(l->text,
                        str_line_begin(l->text, l->edits[i]->from),
                        at) <= lines_forward(l->text, at));
    size_t stop = lines_forward(l->text, at);
    struct str tail = str_slice(l->text, at, stop - at);
    put_lines(&body, ' ', tail);
    old += line_count(tail);
    new += line_count(tail);
    size_t number = plain_count(str_slice(l->text, 0, first), '\n') + 1;
    buf_printf(out, "@@ -%zu,%zu +%lld,%zu @@\n", number, old,
               (long long)((int64_t)number + *shift), new);
    buf_add(out, buf_str(&body));
    *shift += (int64_t)new - (int64_t)old;
    *done = stop;
    return i;
}

struct str lint_patch(struct arena *a, const struct lint_file *file) {
    struct lines l = {.a = a, .text = file->text};
    size_t done = 0;
    int64_t shift = 0;
    gather_edits(&l, file);
    if (l.edit_count == 0)
        return STR("");
    struct buf out = buf_in(a, LINT_PATCH_BYTES_MAX);
    bool is_below = !str_starts(file->path, STR("/"));
    buf_printf(&out, "--- %s%.*s\n+++ %s%.*s\n", is_below ? "a/" : "",
               STR_ARG(file->path), is_below ? "b/" : "",
               STR_ARG(file->path));
    for (size_t i = 0; i < l.edit_count;)
        i = put_hunk(&l, i, &done, &shift, &out);
    return arena_str(a, buf_str(&out));
}
