/* names.c: what the knowledge base has names for, beside its entries: models,
 * GPUs, engines, facts and components, each as a table that is built once and
 * written in every format. The first column is the name that the options take.
 *
 * JSON: {"schema":1,"models":[{"name":..., "parameters":...}]}, a number as a
 * number; what is not known is left out. JSON lines: an object per line. */
#include "render/names.h"

#include "base/utf8.h"
#include "render/page.h"

#define SCHEMA 1
#define COLUMNS_MAX 4
#define BETWEEN 2 /* blanks between columns */
#define LAST_MIN 20 /* columns for words that wrap */

struct cell {
    struct str text; /* empty: not known */
    int64_t number;
    bool is_number;
};

struct names {
    const char *what;
    const char *columns[COLUMNS_MAX]; /* keys of JSON, and of list.column.* */
    size_t column_count, row_count, cap;
    struct cell *cells; /* row by row */
};

/* ---- the tables ---- */

static struct cell word(struct str text) {
    return (struct cell){.text = text};
}

static struct cell count_of(const struct teller *t, int64_t n) {
    return (struct cell){shown_number(t, UNIT_COUNT, n), n, true};
}

/* 0: not known. */
static struct cell number(const struct teller *t, int64_t n) {
    return n > 0 ? count_of(t, n) : (struct cell){.is_number = true};
}

/* "7.62B" */
static struct cell billions(const struct teller *t, int64_t n) {
    int64_t hundredths = (n + 5000000) / 10000000;
    struct cell c = number(t, n);
    if (n > 0) {
        c.text = arena_printf(t->a, "%lld.%02lldB",
                              (long long)(hundredths / 100),
                              (long long)(hundredths % 100));
    }
    return c;
}

static void add_row(const struct teller *t, struct names *n,
                    const struct cell *row) {
    size_t count = n->row_count++ * n->column_count;
    for (size_t i = 0; i < n->column_count; i++) {
        n->cells = arena_grow(t->a, n->cells, count + i, &n->cap,
                              sizeof *n->cells);
        n->cells[count + i] = row[i];
    }
}

static void add_models(const struct teller *t, struct names *n) {
    for (uint32_t i = 0; i < reader_model_count(t->r); i++) {
        const struct model *m = reader_model_numbered(t->r, i);
        add_row(t, n, (struct cell[]){word(m->id),
                                      billions(t, m->params),
                                      number(t, m->max_position)});
    }
}

static void add_gpus(const struct teller *t, struct names *n) {
    for (uint32_t i = 0; i < reader_gpu_count(t->r); i++) {
        const struct gpu *gpu = reader_gpu_numbered(t->r, i);
        add_row(t, n, (struct cell[]){word(gpu->id),
                                      number(t, gpu->nominal_gb),
                                      word(gpu->vendor)});
    }
}

static void add_engines(const struct teller *t, struct names *n) {
    for (uint32_t i = 0; i < reader_engine_count(t->r); i++) {
        const struct engine *e = reader_engine(t->r, i);
        add_row(t, n, (struct cell[]){word(e->id), word(e->name),
                                      word(e->newest)});
    }
}

static void add_facts(const struct teller *t, struct names *n) {
    for (int i = 0; i < FACT_COUNT_OF; i++) {
        enum fact_name name = (enum fact_name)i;
        add_row(t, n, (struct cell[]){
                          word(str_of(fact_spelling(name))),
                          word(str_of(unit_spelling(fact_unit(name)))),
                          word(said_fact(t, name))});
    }
}

static void add_components(const struct teller *t, struct names *n) {
    struct component_list list = reader_components(t->r);
    for (size_t i = 0; i < list.count; i++) {
        const struct component_row *c = &list.at[i];
        add_row(t, n, (struct cell[]){word(c->id), word(c->name),
                                      count_of(t, c->entries),
                                      word(c->folds_into)});
    }
}

static const struct {
    const char *what;
    const char *columns[COLUMNS_MAX + 1];
    void (*add)(const struct teller *t, struct names *n);
} tables[] = {
    {"models", {"name", "parameters", "max_model_len"}, add_models},
    {"gpus", {"name", "memory_gb", "vendor"}, add_gpus},
    {"engines", {"name", "title", "newest"}, add_engines},
    {"facts", {"name", "unit", "title"}, add_facts},
    {"components", {"name", "title", "entries", "folds_into"},
     add_components},
};

const char *const names_known[] = {"models", "gpus",       "engines",
                                   "facts",  "components", NULL};

static bool names_of(const struct teller *t, struct str what,
                     struct names *n) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (str_eq(str_of(tables[i].what), what)) {
            *n = (struct names){.what = tables[i].what};
            while (tables[i].columns[n->column_count] != NULL) {
                n->columns[n->column_count] =
                    tables[i].columns[n->column_count];
                n->column_count++;
            }
            tables[i].add(t, n);
            return true;
        }
    }
    return false;
}

/* ---- text ---- */

static struct str title_of(const struct teller *t, const struct names *n,
                           size_t column) {
    return said(t, arena_printf(t->a, "list.column.%s",
                                n->columns[column]).p);
}

/* Row 0 is that of titles. */
static struct str shown_at(const struct teller *t, const struct names *n,
                           size_t row, size_t column) {
    return row == 0 ? title_of(t, n, column)
                    : n->cells[(row - 1) * n->column_count + column].text;
}

static bool is_right(const struct names *n, size_t column) {
    return n->row_count > 0 && n->cells[column].is_number;
}

/* The name, and what is said of it on a line below: a table would not fit. */
static void write_stacked(const struct teller *t, const struct names *n,
                          struct buf *out) {
    for (size_t row = 1; row <= n->row_count; row++) {
        buf_add(out, shown_at(t, n, row, 0));
        const char *before = "\n    ";
        for (size_t i = 1; i < n->column_count; i++) {
            struct str text = shown_at(t, n, row, i);
            if (text.n > 0) {
                buf_printf(out, "%s%.*s", before, STR_ARG(text));
                before = ", ";
            }
        }
        buf_add_char(out, '\n');
    }
}

/* The last column wraps, where it holds words. */
static void write_line(const struct teller *t, const struct names *n,
                       size_t row, const size_t *widths, struct buf *out) {
    size_t owed = 0; /* blanks before what comes next */
    size_t last = n->column_count - 1, indent = 0;
    struct str_list lines = wrap_text(t->a, shown_at(t, n, row, last),
                                      widths[last], widths[last]);
    for (size_t i = 0; i < n->column_count; i++) {
        struct str text = shown_at(t, n, row, i);
        text = i == last && lines.count > 0 ? lines.at[0] : text;
        size_t fill = widths[i] - utf8_width(text);
        size_t before = is_right(n, i) ? fill : 0;
        if (text.n > 0) {
            buf_fill(out, ' ', owed + before);
            buf_add(out, text);
            owed = 0;
        }
        owed += BETWEEN + (text.n > 0 ? fill - before : widths[i]);
        indent += i < last ? widths[i] + BETWEEN : 0;
    }
    buf_add_char(out, '\n');
    for (size_t i = 1; i < lines.count; i++) {
        buf_fill(out, ' ', indent);
        buf_add(out, lines.at[i]);
        buf_add_char(out, '\n');
    }
}

static void write_text(const struct teller *t, const struct names *n,
                       struct buf *out) {
    size_t widths[COLUMNS_MAX] = {0}, all = 0;
    size_t room = t->o->width > 0 ? t->o->width : 80;
    for (size_t i = 0; i < n->column_count; i++) {
        for (size_t row = 0; row <= n->row_count; row++) {
            size_t width = utf8_width(shown_at(t, n, row, i));
            widths[i] = width > widths[i] ? width : widths[i];
        }
        all += widths[i] + (i > 0 ? BETWEEN : 0);
    }
    size_t last = n->column_count - 1;
    if (all > room && all - widths[last] + LAST_MIN <= room &&
        !is_right(n, last)) {
        widths[last] -= all - room;
        all = room;
    }
    if (all > room) {
        write_stacked(t, n, out);
        return;
    }
    for (size_t row = 0; row <= n->row_count; row++) {
        write_line(t, n, row, widths, out);
    }
}

/* ---- Markdown ---- */

static void write_markdown(const struct teller *t, const struct names *n,
                           struct buf *out) {
    for (size_t row = 0; row <= n->row_count; row++) {
        for (size_t i = 0; i < n->column_count; i++) {
            struct str text = shown_at(t, n, row, i);
            buf_printf(out, i == 0 && row > 0 ? "| `%.*s` " : "| %.*s ",
                       STR_ARG(text));
        }
        buf_add(out, STR("|\n"));
        for (size_t i = 0; row == 0 && i < n->column_count; i++) {
            buf_add(out, is_right(n, i) ? STR("| ---: ") : STR("| --- "));
        }
        buf_add(out, row == 0 ? STR("|\n") : STR(""));
    }
}

/* ---- JSON ---- */

static struct json *row_json(const struct teller *t, const struct names *n,
                             size_t row) {
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < n->column_count; i++) {
        const struct cell *c = &n->cells[row * n->column_count + i];
        if (c->text.n > 0) {
            json_set(o, n->columns[i], c->is_number
                                           ? json_int(t->a, c->number)
                                           : json_text(t->a, c->text));
        }
    }
    return o;
}

static void write_jsonl(const struct teller *t, const struct names *n,
                        struct buf *out) {
    for (size_t row = 0; row < n->row_count; row++) {
        json_write(row_json(t, n, row), false, out);
        buf_add_char(out, '\n');
    }
}

static void write_json(const struct teller *t, const struct names *n,
                       struct buf *out) {
    struct json *top = json_new_object(t->a), *rows = json_new_array(t->a);
    for (size_t row = 0; row < n->row_count; row++) {
        json_push(rows, row_json(t, n, row));
    }
    json_set(top, "schema", json_int(t->a, SCHEMA));
    json_set(top, n->what, rows);
    json_write(top, true, out);
    buf_add_char(out, '\n');
}

static const struct {
    const char *name;
    void (*write)(const struct teller *t, const struct names *n,
                  struct buf *out);
} formats_of_names[] = {{"text", write_text},
                        {"json", write_json},
                        {"jsonl", write_jsonl},
                        {"markdown", write_markdown}};

size_t names_write(struct arena *a, struct reader *r, struct str what,
                   struct str format, const struct render_options *o,
                   struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct names n;
    if (!names_of(&t, what, &n)) {
        arena_raise(a, FAIL_USAGE, "no list of '%.*s': models, gpus, engines, "
                                   "facts or components",
                    (int)(what.n < 80 ? what.n : 80), what.p);
    }
    for (size_t i = 0; i < sizeof formats_of_names / sizeof *formats_of_names;
         i++) {
        if (str_eq(str_of(formats_of_names[i].name), format)) {
            formats_of_names[i].write(&t, &n, out);
            return n.row_count;
        }
    }
    arena_raise(a, FAIL_USAGE, "a list of %s is text, json, jsonl or markdown",
                n.what);
}
