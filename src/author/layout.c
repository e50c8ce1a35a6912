/* layout.c: the layout of an entry by `oomkb fmt`.
 *
 *     keys       in the order of corpus/fields.h, indented by two blanks
 *     texts      en and zh on lines of their own
 *     mappings   {flag: --x, change: down} if no value has a blank and it fits
 *                the line; else one key per line. The same for lists of words
 *     values     plain, quoted only if they would be read as something else;
 *                folded (>-) at 120 columns; several lines as they are (|)
 *     defaults   left out: `effect: none` of a fix without `use`, the folder's
 *                component
 *
 * Comments are kept: one on its own line stays above its key or item, one
 * behind a value stays on that line. The result is parsed again and compared,
 * so the layout never changes the meaning of a file. */
#include "author/read.h"

#include <string.h>

#include "base/utf8.h"
#include "corpus/fields.h"

enum { COLUMNS = 120 };

struct comment {
    struct str text;
    uint32_t line, above; /* above: the line of its key; 0: behind a value */
    bool is_put;
};

struct line { /* of the source */
    bool is_inside;      /* an inner line of a scalar */
    bool begins;         /* a key or an item begins here */
    uint32_t end_column; /* behind the last scalar that ends here; 0: none */
};

struct layout {
    struct arena *a;
    const struct source *src;
    struct str component; /* the folder's */
    struct buf out;
    struct line *lines; /* by number */
    struct comment *comments;
    size_t comment_count, comment_cap;
    const struct node *anchored[16]; /* anchors that were written */
    size_t anchored_count;
};

/* ---- comments ---- */

static void mark(struct layout *l, const struct node *n) {
    for (size_t i = 0; n->kind == NODE_LIST && i < n->count; i++) {
        l->lines[n->items[i]->place.line].begins = true;
        mark(l, n->items[i]);
    }
    for (size_t i = 0; n->kind == NODE_MAP && i < n->count; i++) {
        l->lines[n->pairs[i].key->place.line].begins = true;
        mark(l, n->pairs[i].key);
        mark(l, n->pairs[i].value);
    }
    if (n->kind != NODE_SCALAR)
        return;
    for (uint32_t k = n->place.line + 1; k < n->end_line; k++)
        l->lines[k].is_inside = true;
    struct line *end = &l->lines[n->end_line];
    if (n->style != NODE_BLOCK && n->end_column > end->end_column)
        end->end_column = n->end_column;
}

static struct str line_of(const struct layout *l, uint32_t line) {
    struct str rest = str_slice(l->src->text, l->src->line_starts[line - 1],
                                l->src->text.n);
    return str_slice(rest, 0, str_find_char(rest, '\n'));
}

static void find_comments(struct layout *l) {
    uint32_t count = (uint32_t)l->src->line_count;
    for (uint32_t k = 1; k <= count; k++) {
        struct line *is = &l->lines[k];
        struct str text = line_of(l, k);
        size_t from = 0;
        if (is->is_inside)
            continue;
        if (is->end_column > 0)
            from = source_byte(l->src, (struct place){k, is->end_column, 1}) -
                   l->src->line_starts[k - 1];
        while (from < text.n && !(text.p[from] == '#' &&
                                  (from == 0 || text.p[from - 1] == ' ')))
            from++;
        if (from >= text.n)
            continue;
        bool is_alone = str_trim(str_slice(text, 0, from)).n == 0;
        uint32_t above = is_alone ? k + 1 : 0;
        while (is_alone && above <= count && !l->lines[above].begins)
            above++;
        *ARENA_ADD(l->a, l->comments, l->comment_count, l->comment_cap) =
            (struct comment){str_trim(str_slice(text, from, text.n)), k, above,
                             false};
    }
}

static void put_above(struct layout *l, uint32_t line, size_t indent) {
    for (size_t i = 0; i < l->comment_count; i++) {
        struct comment *c = &l->comments[i];
        if (c->above != line || c->is_put)
            continue;
        buf_fill(&l->out, ' ', indent);
        buf_printf(&l->out, "%.*s\n", STR_ARG(c->text));
        c->is_put = true;
    }
}

static void put_behind(struct layout *l, uint32_t from, uint32_t to) {
    for (size_t i = 0; i < l->comment_count; i++) {
        struct comment *c = &l->comments[i];
        if (c->above == 0 && c->line >= from && c->line <= to && !c->is_put) {
            buf_printf(&l->out, " %.*s", STR_ARG(c->text));
            c->is_put = true;
        }
    }
}

/* True if there is a comment that could not be kept if these lines became
 * one. */
static bool has_comment(const struct layout *l, uint32_t from, uint32_t to) {
    for (size_t i = 0; i < l->comment_count; i++) {
        const struct comment *c = &l->comments[i];
        if (c->above > 0 ? c->above > from && c->above <= to
                         : c->line >= from && c->line < to)
            return true;
    }
    return false;
}

static uint32_t last_line(const struct node *n) {
    uint32_t last = n->kind != NODE_SCALAR   ? n->place.line
                    : n->style == NODE_BLOCK ? n->end_line - 1
                                             : n->end_line;
    for (size_t i = 0; i < n->count; i++) {
        uint32_t line = last_line(node_child(n, i));
        last = line > last ? line : last;
    }
    return last;
}

/* ---- scalars ---- */

static bool is_among(struct str s, const char *chars) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\0' || strchr(chars, s.p[i]) == NULL)
            return false;
    return s.n > 0;
}

/* True if YAML readers may take it for a number, a date, a boolean or null. */
static bool looks_typed(struct str s) {
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off",
                                        "true", "false", "null", "~", "=",
                                        "<<", ".inf", ".nan", NULL};
    return str_in_nocase(s, words) ||
           (strchr("0123456789+-.", s.p[0]) != NULL &&
            is_among(s, "0123456789abcdefABCDEFxo_.:+-TZ"));
}

/* True if a plain scalar would end here: a comment or a value begins, or the
 * flow mapping or list continues. */
static bool ends_plain(char c, char next, bool in_flow) {
    bool is_mark = in_flow && strchr(",[]{}?", c) != NULL;
    return is_mark || (unsigned char)c < ' ' || (c == ' ' && next == '#') ||
           (c == ':' && (next == ' ' ||
                         (in_flow && strchr(",[]{}?", next) != NULL)));
}

static bool is_plain(struct str s, bool in_flow) {
    if (s.n == 0 || s.p[0] == ' ' || s.p[s.n - 1] == ' ' ||
        s.p[s.n - 1] == ':' || strchr(",[]{}#&*!|>'\"%@`", s.p[0]) != NULL)
        return false;
    if (strchr("-?:", s.p[0]) != NULL && (s.n == 1 || s.p[1] == ' '))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (ends_plain(s.p[i], i + 1 < s.n ? s.p[i + 1] : ' ', in_flow))
            return false;
    return !str_starts(s, STR("---")) && !str_starts(s, STR("..."));
}

static void put_quoted(struct buf *out, struct str s) {
    bool has_control = false, has_marks = false;
    for (size_t i = 0; i < s.n; i++) {
        has_control = has_control || (unsigned char)s.p[i] < ' ';
        has_marks = has_marks || s.p[i] == '"' || s.p[i] == '\\';
    }
    char quote = has_marks && !has_control ? '\'' : '"';
    buf_add_char(out, quote);
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if ((unsigned char)c < ' ') {
            buf_printf(out, "\\x%02x", (unsigned)(unsigned char)c);
            continue;
        }
        if (has_control && (c == '"' || c == '\\'))
            buf_add_char(out, '\\');
        if (c == '\'' && quote == '\'')
            buf_add_char(out, '\'');
        buf_add_char(out, c);
    }
    buf_add_char(out, quote);
}

/* Write a scalar on one line. */
static void put_token(struct buf *out, const struct node *n, struct str s,
                      bool in_flow) {
    bool is_typed = s.n > 0 && n->style != NODE_PLAIN && looks_typed(s);
    if (s.n == 0 && n->style == NODE_PLAIN && !in_flow)
        return;
    if (is_plain(s, in_flow) && !is_typed)
        buf_add(out, s);
    else
        put_quoted(out, s);
}

/* Write a literal block (|) with this indent. */
static void put_lines(struct layout *l, struct str s, size_t indent) {
    bool ends = str_ends(s, STR("\n"));
    bool ends_twice = str_ends(s, STR("\n\n"));
    buf_printf(&l->out, "|%s%s", s.p[0] == ' ' || s.p[0] == '\n' ? "2" : "",
               ends_twice ? "+" : ends ? "" : "-");
    while (s.n > 0) {
        struct str line = str_cut(s, '\n', &s);
        buf_add_char(&l->out, '\n');
        if (line.n > 0)
            buf_fill(&l->out, ' ', indent);
        buf_add(&l->out, line);
    }
}

/* Bytes of s for one line: up to the last single blank that fits, else the
 * first. */
static size_t fold_at(struct str s, size_t columns) {
    size_t best = s.n;
    if (utf8_width(s) <= columns)
        return s.n;
    for (size_t i = 1; i + 1 < s.n; i++) {
        if (s.p[i] != ' ' || s.p[i - 1] == ' ' || s.p[i + 1] == ' ')
            continue;
        if (best < s.n && utf8_width(str_slice(s, 0, i)) > columns)
            return best;
        best = i;
    }
    return best;
}

static void put_folded(struct layout *l, struct str s, size_t indent) {
    buf_add(&l->out, STR(">-"));
    while (s.n > 0) {
        size_t n = fold_at(s, COLUMNS - indent);
        buf_add_char(&l->out, '\n');
        buf_fill(&l->out, ' ', indent);
        buf_add(&l->out, str_slice(s, 0, n));
        s = n < s.n ? str_slice(s, n + 1, s.n) : str_slice(s, s.n, 0);
    }
}

static bool has_byte(struct str s, char c) {
    return str_find_char(s, c) < s.n;
}

static size_t column_of(const struct layout *l) {
    size_t from = l->out.n;
    while (from > 0 && l->out.p[from - 1] != '\n')
        from--;
    return utf8_width(str_slice(buf_str(&l->out), from, l->out.n));
}

/* Write a scalar behind "key:" or "-". indent: of further lines. Its comment
 * goes behind its first line. */
static void put_scalar(struct layout *l, const struct node *n, bool is_text,
                       size_t indent) {
    struct str s = is_text ? str_trim(n->text) : n->text;
    struct buf token = buf_in(l->a, LAYOUT_BYTES_MAX);
    put_token(&token, n, s, false);
    bool is_long = column_of(l) + 1 + utf8_width(buf_str(&token)) > COLUMNS;
    bool has_odd = has_byte(s, '\r') || has_byte(s, '\t');
    bool may_fold = is_long && s.p[0] != ' ' && s.p[s.n - 1] != ' ' &&
                    has_byte(s, ' ') && !has_odd;
    if (token.n > 0)
        buf_add_char(&l->out, ' ');
    if (has_byte(s, '\n') && str_trim(s).n > 0 && !has_byte(s, '\r'))
        put_lines(l, s, indent);
    else if (!has_byte(s, '\n') && may_fold)
        put_folded(l, s, indent);
    else
        buf_add(&l->out, buf_str(&token));
}

/* ---- mappings and lists ---- */

/* Write a mapping or list on one line. False: it should not be on one. */
static bool put_flow(struct buf *out, const struct node *n) {
    bool is_map = n->kind == NODE_MAP;
    if (n->anchor != NULL)
        return false;
    if (n->kind == NODE_SCALAR) {
        put_token(out, n, n->text, true);
        return n->text.n > 0 && !has_byte(n->text, ' ') &&
               !has_byte(n->text, '\n');
    }
    buf_add_char(out, is_map ? '{' : '[');
    for (size_t i = 0; i < n->count; i++) {
        buf_add(out, i > 0 ? STR(", ") : STR(""));
        if (is_map)
            put_token(out, n->pairs[i].key, n->pairs[i].key->text, true);
        buf_add(out, is_map ? STR(": ") : STR(""));
        if (!put_flow(out, is_map ? n->pairs[i].value : n->items[i]))
            return false;
    }
    buf_add_char(out, is_map ? '}' : ']');
    return true;
}

static bool put_if_short(struct layout *l, const struct node *n,
                         const struct shape *shape) {
    bool is_list_of_maps = n->kind == NODE_LIST && n->count > 0 &&
                           n->items[0]->kind == NODE_MAP &&
                           node_get(n->items[0], "introduced") == NULL;
    bool is_text = node_get(n, "en") != NULL || node_get(n, "zh") != NULL;
    struct buf flow = buf_in(l->a, LAYOUT_BYTES_MAX);
    if (n->kind == NODE_SCALAR || is_text || is_list_of_maps ||
        shape == &shape_workaround ||
        has_comment(l, n->place.line, last_line(n)) || !put_flow(&flow, n) ||
        column_of(l) + 1 + utf8_width(buf_str(&flow)) > COLUMNS)
        return false;
    buf_add_char(&l->out, ' ');
    buf_add(&l->out, buf_str(&flow));
    return true;
}

static void put_map(struct layout *l, const struct node *n,
                    const struct shape *shape, bool is_text, size_t indent,
                    bool is_begun);

static void put_list(struct layout *l, const struct node *n,
                     const struct shape *shape, size_t indent);

/* Write a value behind "key:" or "-" and its newline. line: of the key. */
static void put_value(struct layout *l, uint32_t line, const struct node *n,
                      const struct shape *shape, bool is_text, size_t indent) {
    size_t from = l->out.n;
    for (size_t i = 0; i < l->anchored_count; i++)
        if (l->anchored[i] == n) {
            buf_printf(&l->out, " *%s\n", n->anchor);
            return;
        }
    if (n->anchor != NULL && l->anchored_count < 16) {
        l->anchored[l->anchored_count++] = n;
        buf_printf(&l->out, " &%s", n->anchor);
    }
    bool is_one = n->kind == NODE_SCALAR || put_if_short(l, n, shape);
    if (n->kind == NODE_SCALAR)
        put_scalar(l, n, is_text, indent);
    if (is_one) {
        struct str put = str_slice(buf_str(&l->out), from, l->out.n);
        struct str first = arena_str(l->a, put), rest;
        first = str_cut(first, '\n', &rest);
        l->out.n = from + first.n;
        put_behind(l, line, last_line(n));
        buf_printf(&l->out, "%s%.*s\n", rest.n > 0 ? "\n" : "",
                   STR_ARG(rest));
        return;
    }
    put_behind(l, line, n->place.line > line ? n->place.line - 1 : line);
    buf_add_char(&l->out, '\n');
    if (n->kind == NODE_MAP)
        put_map(l, n, shape, is_text, indent, false);
    else
        put_list(l, n, shape, indent);
}

static void put_list(struct layout *l, const struct node *n,
                     const struct shape *shape, size_t indent) {
    for (size_t i = 0; i < n->count; i++) {
        const struct node *item = n->items[i];
        put_above(l, item->place.line, indent);
        buf_fill(&l->out, ' ', indent);
        buf_add_char(&l->out, '-');
        size_t from = l->out.n;
        bool is_known = item->anchor != NULL;
        if (item->kind == NODE_MAP && !is_known &&
            !put_if_short(l, item, shape)) {
            l->out.n = from;
            buf_add_char(&l->out, ' ');
            put_map(l, item, shape, false, indent + 2, true);
            continue;
        }
        l->out.n = from;
        put_value(l, item->place.line, item, shape, false, indent + 2);
    }
}

static bool is_commented(const struct layout *l, uint32_t line) {
    for (size_t i = 0; i < l->comment_count; i++)
        if (l->comments[i].above == line ||
            (l->comments[i].above == 0 && l->comments[i].line == line))
            return true;
    return false;
}

/* True if the value is the default, which is left out. */
static bool is_default(const struct layout *l, const struct shape *shape,
                       const struct node *map, const struct pair *p) {
    struct str key = p->key->text;
    if (p->value->kind != NODE_SCALAR || is_commented(l, p->key->place.line))
        return false;
    if (shape == &shape_workaround && str_eq(key, STR("effect")))
        return str_eq(p->value->text, STR("none")) &&
               node_get(map, "use") == NULL;
    return shape == &shape_entry && str_eq(key, STR("component")) &&
           str_eq(p->value->text, l->component);
}

/* The order of a key: its row in the shape; unknown keys last. In a text
 * English comes first. */
static size_t rank_of(const struct shape *shape, bool is_text,
                      struct str key) {
    size_t rank = 0;
    if (is_text)
        return !str_eq(key, STR("en"));
    for (const struct field *f = shape->fields; f->key != NULL; f++, rank++)
        if (str_eq(str_of(f->key), key))
            return rank;
    return rank;
}

static struct pair *in_order(struct layout *l, const struct node *n,
                             const struct shape *shape, bool is_text) {
    struct pair *list = arena_array(l->a, n->count, sizeof *list);
    for (size_t i = 0; i < n->count; i++) {
        size_t at = i;
        struct pair p = n->pairs[i];
        for (; (shape != NULL || is_text) && at > 0 &&
               rank_of(shape, is_text, list[at - 1].key->text) >
                   rank_of(shape, is_text, p.key->text); at--)
            list[at] = list[at - 1];
        list[at] = p;
    }
    return list;
}

/* is_begun: its first key follows a "- ". */
static void put_map(struct layout *l, const struct node *n,
                    const struct shape *shape, bool is_text, size_t indent,
                    bool is_begun) {
    struct pair *pairs = in_order(l, n, shape, is_text);
    for (size_t i = 0; i < n->count; i++) {
        struct pair *p = &pairs[i];
        const struct field *f =
            shape != NULL ? field_named(shape, p->key->text) : NULL;
        if (is_default(l, shape, n, p))
            continue;
        if (!is_begun) {
            put_above(l, p->key->place.line, indent);
            buf_fill(&l->out, ' ', indent);
        }
        is_begun = false;
        put_token(&l->out, p->key, p->key->text, true);
        buf_add_char(&l->out, ':');
        put_value(l, p->key->place.line, p->value,
                  f != NULL ? f->shape : NULL,
                  is_text || (f != NULL && f->type == FIELD_TEXT), indent + 2);
    }
}

/* ---- comparing the result ---- */

static bool is_equivalent(const struct layout *l, const struct node *a,
                          const struct node *b, const struct shape *shape) {
    if (a->kind != b->kind)
        return false;
    if (a->kind == NODE_SCALAR)
        return str_eq(str_trim(a->text), str_trim(b->text));
    size_t left_out = 0;
    for (size_t i = 0; a->kind == NODE_MAP && i < a->count; i++) {
        const struct pair *p = &a->pairs[i];
        const struct field *f =
            shape != NULL ? field_named(shape, p->key->text) : NULL;
        const struct node *other = node_get(b, arena_str(l->a, p->key->text).p);
        bool is_left_out = other == NULL && is_default(l, shape, a, p);
        left_out += is_left_out;
        if (!is_left_out &&
            (other == NULL ||
             !is_equivalent(l, p->value, other, f != NULL ? f->shape : NULL)))
            return false;
    }
    for (size_t i = 0; a->kind == NODE_LIST && i < a->count; i++)
        if (i >= b->count || !is_equivalent(l, a->items[i], b->items[i], shape))
            return false;
    return a->count == b->count + left_out;
}

struct str layout_entry(struct arena *a, const struct source *src,
                        const struct node *root, struct str component) {
    struct layout l = {.a = a, .src = src, .component = component};
    struct complaints none = {.a = a, .scratch = a};
    l.out = buf_in(a, LAYOUT_BYTES_MAX);
    l.lines = arena_array(a, src->line_count + 2, sizeof *l.lines);
    mark(&l, root);
    find_comments(&l);
    put_above(&l, root->place.line, 0); /* of the whole file */
    put_map(&l, root, &shape_entry, false, 0, false);
    put_above(&l, (uint32_t)src->line_count + 1, 0);
    struct str text = buf_str(&l.out);
    bool is_whole = buf_ok(&l.out);
    for (size_t i = 0; i < l.comment_count; i++)
        is_whole = is_whole && l.comments[i].is_put;
    const struct node *again =
        yaml_read(&none, a, source_new(a, src->path, text));
    return is_whole && again != NULL
                   && is_equivalent(&l, root, again, &shape_entry)
               ? text : src->text;
}
