/* diag.c: the format of a diagnostic.
 *
 *     entries/vllm/x.yaml:12:5: error: unknown key "titel" [E003]
 *         titel:
 *         ^~~~~
 *
 * Columns count characters, as the YAML reader does. The caret line keeps tabs
 * and has two blanks for a wide character, so that it is aligned in a terminal.
 */
#include "base/diag.h"

#include "base/json.h"
#include "base/utf8.h"

const char *diag_level_word(enum diag_level level) {
    switch (level) {
    case DIAG_ERROR: return "error";
    case DIAG_WARNING: return "warning";
    case DIAG_NOTE: return "note";
    }
    return "error";
}

enum diag_level diag_level_named(struct str word) {
    return str_eq(word, STR("error"))     ? DIAG_ERROR
           : str_eq(word, STR("warning")) ? DIAG_WARNING
                                          : DIAG_NOTE;
}

int diag_compare(const struct diag *x, const struct diag *y) {
    int order = str_cmp(x->path, y->path);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0)
        order = (x->column > y->column) - (x->column < y->column);
    if (order == 0)
        order = str_cmp(str_of(x->code), str_of(y->code));
    return order != 0 ? order : str_cmp(x->message, y->message);
}

static void put_blanks(struct buf *out, struct str character, uint32_t cp) {
    if (cp == '\t')
        buf_add_char(out, '\t');
    else
        buf_fill(out, ' ', utf8_width(character));
}

static void put_caret(const struct diag *d, struct buf *out) {
    size_t i = 0, n;
    uint32_t cp;
    for (uint32_t column = 1; column < d->column && i < d->source.n; column++) {
        n = utf8_next(str_slice(d->source, i, 4), &cp);
        put_blanks(out, str_slice(d->source, i, n), cp);
        i += n;
    }
    buf_add_char(out, '^');
    i += utf8_next(str_slice(d->source, i, 4), &cp);
    for (uint32_t under = 1; under < d->width && i < d->source.n; under++) {
        n = utf8_next(str_slice(d->source, i, 4), &cp);
        buf_fill(out, '~', utf8_width(str_slice(d->source, i, n)));
        i += n;
    }
    buf_add_char(out, '\n');
}

void diag_format(const struct diag *d, struct buf *out) {
    utf8_clean(out, d->path);
    if (d->line)
        buf_printf(out, ":%u", d->line);
    if (d->line && d->column)
        buf_printf(out, ":%u", d->column);
    buf_printf(out, ": %s: ", diag_level_word(d->level));
    utf8_clean(out, d->message);
    if (d->code)
        buf_printf(out, " [%s]", d->code);
    buf_add_char(out, '\n');
    if (!d->source.n)
        return;
    buf_add(out, STR("    "));
    utf8_clean(out, d->source);
    buf_add(out, d->column ? STR("\n    ") : STR("\n"));
    if (d->column)
        put_caret(d, out);
}

struct json *diag_json(struct arena *a, const struct diag *d) {
    return JSON_OBJECT(a, {"path", json_text(a, d->path)},
                       {"line", json_int(a, d->line)},
                       {"column", json_int(a, d->column)},
                       {"width", json_int(a, d->width)},
                       {"level", json_spelling(a, diag_level_word(d->level))},
                       {"code", json_spelling(a, d->code)},
                       {"message", json_text(a, d->message)});
}
