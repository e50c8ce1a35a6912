/* complain.c: collects complaints and reports them in order.
 *
 * The level of a complaint is that of its code. After COMPLAINTS_MAX
 * complaints, further ones are only counted. */
#include "author/complain.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

struct code_row {
    const char *spelling;
    enum diag_level level, of_draft;
};

static const struct code_row codes[CODE_COUNT_OF] = {
#define ERROR DIAG_ERROR, DIAG_ERROR
#define OPEN DIAG_ERROR, DIAG_WARNING
#define WARNING DIAG_WARNING, DIAG_WARNING
#define CODE(code, name, level) {#code, level},
#include "author/codes.def"
#undef CODE
#undef ERROR
#undef OPEN
#undef WARNING
};

const char *code_spelling(enum code code) {
    return codes[code].spelling;
}

enum diag_level code_level(enum code code) {
    return codes[code].level;
}

/* The first newline at that byte or behind it; text.n: none. */
static size_t line_end(struct str text, size_t at) {
    return at + str_find_char(str_slice(text, at, text.n), '\n');
}

struct source *source_new(struct arena *a, struct str path, struct str text) {
    struct source *src = arena_alloc(a, sizeof *src);
    src->path = arena_str(a, path);
    src->text = text;
    src->line_count = 1;
    for (size_t at = 0; (at = line_end(text, at)) < text.n; at++)
        src->line_count++;
    size_t *starts = arena_array(a, src->line_count, sizeof *starts);
    for (size_t at = 0, line = 1; line < src->line_count; line++)
        starts[line] = at = line_end(text, at) + 1;
    src->line_starts = starts;
    return src;
}

struct str source_line(const struct source *src, uint32_t line) {
    if (line == 0 || line > src->line_count)
        return (struct str){0};
    struct str rest = str_slice(src->text, src->line_starts[line - 1],
                                src->text.n);
    rest = str_slice(rest, 0, str_find_char(rest, '\n'));
    if (str_ends(rest, STR("\r")))
        rest.n--;
    return rest;
}

struct place source_place(const struct source *src, size_t byte) {
    size_t low = 0;
    size_t high = src->line_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (src->line_starts[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    uint32_t column = 1;
    size_t at = src->line_starts[low];
    while (at < byte && at < src->text.n) {
        uint32_t cp;
        at += utf8_next(str_slice(src->text, at, src->text.n), &cp);
        column++;
    }
    return (struct place){(uint32_t)low + 1, column, 1};
}

size_t source_byte(const struct source *src, struct place at) {
    if (at.line == 0 || at.line > src->line_count)
        return src->text.n;
    size_t byte = src->line_starts[at.line - 1];
    for (uint32_t column = 1; column < at.column && byte < src->text.n;
         column++) {
        uint32_t cp;
        byte += utf8_next(str_slice(src->text, byte, src->text.n), &cp);
    }
    return byte;
}

static void count_one(struct complaints *c, enum diag_level level) {
    if (level == DIAG_ERROR)
        c->errors++;
    else
        c->warnings++;
}

void complaints_add(struct complaints *c, const struct diag *one) {
    if (c->count < COMPLAINTS_MAX)
        *ARENA_ADD(c->a, c->list, c->count, c->cap) = *one;
}

void complain(struct complaints *c, const struct source *src, struct place at,
              enum code code, const char *format, ...) {
    enum diag_level level = src->is_draft ? codes[code].of_draft
                                          : codes[code].level;
    count_one(c, level);
    if (c->count >= COMPLAINTS_MAX)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0)
        return;
    size_t length = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    complaints_add(c, &(struct diag){
        .level = level,
        .code = codes[code].spelling,
        .path = arena_str(c->a, src->path),
        .line = at.line,
        .column = at.column,
        .width = at.width > 0 ? at.width : 1,
        .source = arena_str(c->a, source_line(src, at.line)),
        .message = arena_str(c->a, (struct str){text, length}),
    });
}

/* True for "x.yaml" and its logs: "x.log", "x.ok.log". */
static bool is_of_file(struct str path, struct str file) {
    struct str stem = file;
    if (str_ends(stem, STR(".yaml")))
        stem.n -= 4; /* the dot stays */
    return str_eq(path, file) || (stem.n < file.n && str_starts(path, stem));
}

void complaints_keep(struct complaints *c, const struct str *paths,
                     size_t count) {
    size_t kept = 0;
    c->errors = c->warnings = 0;
    for (size_t i = 0; i < c->count; i++) {
        size_t k = 0;
        while (k < count && !is_of_file(c->list[i].path, paths[k]))
            k++;
        if (k == count)
            continue;
        count_one(c, c->list[i].level);
        c->list[kept++] = c->list[i];
    }
    c->count = kept;
}

/* For qsort(). Equal diagnostics are identical, so stability does not
 * matter. */
static int diag_order(const void *left, const void *right) {
    return diag_compare(left, right);
}

void complaints_report(struct complaints *c, diag_fn on_diag, void *ctx) {
    if (c->count > 1)
        qsort(c->list, c->count, sizeof *c->list, diag_order);
    for (size_t i = 0; on_diag != NULL && i < c->count; i++)
        on_diag(ctx, &c->list[i]);
}
