/* names.c: tables of the names in the knowledge base: models, GPUs, engines,
 * facts and components. The first column is the name that options take.
 *
 * JSON: {"schema":1,"models":[{"name":..., "parameters":...}]}; unknown values
 * are left out. JSON lines: an object per line. Of the machine at hand each row
 * is a fact as in a report. */
#include "base/limits.h"
#include "diagnose/machine.h"
#include "render/parts.h"

#define SCHEMA 1

/* ---- the tables ---- */

static struct cell word(struct str text) {
    return (struct cell){.text = text};
}

static struct cell count_of(const struct render *t, int64_t n) {
    return (struct cell){count_text(t, n), n, true};
}

/* 0: unknown. */
static struct cell number(const struct render *t, int64_t n) {
    return n > 0 ? count_of(t, n) : (struct cell){.is_number = true};
}

/* "7.62B" */
static struct cell billions(const struct render *t, int64_t n) {
    int64_t hundredths = (n + 5000000) / 10000000;
    struct cell c = number(t, n);
    if (n > 0)
        c.text = arena_printf(t->a, "%lld.%02lldB",
                              (long long)(hundredths / 100),
                              (long long)(hundredths % 100));
    return c;
}

static void add_row(const struct render *t, struct names *n,
                    const struct cell *row) {
    size_t count = n->row_count++ * n->column_count;
    for (size_t i = 0; i < n->column_count; i++)
        *ARENA_ADD(t->a, n->cells, count, n->cap) = row[i];
}

static void add_models(const struct render *t, struct names *n) {
    for (uint32_t i = 0; i < reader_model_count(t->r); i++) {
        const struct model *m = reader_model_numbered(t->r, i);
        add_row(t, n, (struct cell[]){word(m->id),
                                      billions(t, m->params),
                                      number(t, m->max_position)});
    }
}

static void add_gpus(const struct render *t, struct names *n) {
    for (uint32_t i = 0; i < reader_gpu_count(t->r); i++) {
        const struct gpu *gpu = reader_gpu_numbered(t->r, i);
        add_row(t, n, (struct cell[]){word(gpu->id),
                                      number(t, gpu->nominal_gb),
                                      word(gpu->vendor)});
    }
}

static void add_engines(const struct render *t, struct names *n) {
    for (uint32_t i = 0; i < reader_engine_count(t->r); i++) {
        const struct engine *e = reader_engine(t->r, i);
        add_row(t, n, (struct cell[]){word(e->id), word(e->name),
                                      word(e->newest)});
    }
}

static void add_facts(const struct render *t, struct names *n) {
    for (int i = 0; i < FACT_COUNT_OF; i++) {
        enum fact_name name = (enum fact_name)i;
        add_row(t, n, (struct cell[]){
                          word(str_of(fact_spelling(name))),
                          word(str_of(unit_spelling(fact_unit(name)))),
                          word(label_text(t, name))});
    }
}

static void add_components(const struct render *t, struct names *n) {
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
    const char *columns[NAMES_COLUMNS + 1];
    void (*add)(const struct render *t, struct names *n);
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

const struct names *names_of(struct arena *a, struct reader *r, enum lang lang,
                             struct str what) {
    struct render t = {.a = a, .r = r, .lang = lang};
    struct names *n = arena_alloc(a, sizeof *n);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (str_eq(str_of(tables[i].what), what)) {
            *n = (struct names){.what = tables[i].what,
                                .columns = tables[i].columns};
            while (n->columns[n->column_count] != NULL)
                n->column_count++;
            tables[i].add(&t, n);
            return n;
        }
    }
    arena_raise(a, FAIL_USAGE, "no list of '%.*s': models, gpus, engines, "
                               "facts or components",
                (int)(what.n < 80 ? what.n : 80), what.p);
}

/* "GPU 0, PID 4711"; empty for a fact of the whole machine. */
static struct str owner_of(const struct render *t,
                           const struct machine_fact *m) {
    const struct fact *f = &m->fact;
    struct buf b = buf_in(t->a, OWNER_BYTES_MAX);
    if (f->gpu != FACT_NONE)
        buf_printf(&b, "GPU %lld", (long long)f->gpu);
    if (f->pid != FACT_NONE)
        buf_printf(&b, "%sPID %lld", b.n ? ", " : "", (long long)f->pid);
    if (m->engine.n > 0)
        buf_printf(&b, "%s%.*s", b.n ? ", " : "", STR_ARG(m->engine));
    return arena_str(t->a, buf_str(&b));
}

const struct names *names_of_machine(struct arena *a, struct reader *r,
                                     enum lang lang,
                                     const struct machine_list *list) {
    struct render t = {.a = a, .r = r, .lang = lang};
    struct names *n = arena_alloc(a, sizeof *n);
    static const char *const columns[] = {"title", "value", "of", "read_from"};
    *n = (struct names){.what = "facts", .machine = list, .column_count = 4,
                        .columns = columns};
    for (size_t i = 0; i < list->count; i++) {
        const struct fact *f = &list->at[i].fact;
        add_row(&t, n, (struct cell[]){
                           word(label_text(&t, f->name)),
                           word(f->known ? fact_text(&t, f) : f->text),
                           word(owner_of(&t, &list->at[i])), word(f->why)});
    }
    return n;
}

/* ---- the answer ---- */

void names_document(const struct render *t, const struct names *n) {
    const char *titles[NAMES_COLUMNS + 1] = {NULL};
    struct str cells[NAMES_COLUMNS];
    for (size_t i = 0; i < n->column_count; i++)
        titles[i] = arena_printf(t->a, "list.column.%s", n->columns[i]).p;
    struct table *table = document_table(t, NULL, titles);
    for (size_t row = 0; row < n->row_count; row++) {
        for (size_t i = 0; i < n->column_count; i++)
            cells[i] = n->cells[row * n->column_count + i].text;
        table_add(t, table, cells);
    }
}

struct json *names_row(const struct render *t, const struct names *n,
                       size_t row) {
    if (n->machine != NULL)
        return json_fact(t, &n->machine->at[row].fact);
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < n->column_count; i++) {
        const struct cell *c = &n->cells[row * n->column_count + i];
        if (c->text.n > 0)
            json_set(o, n->columns[i], c->is_number
                                           ? json_int(t->a, c->number)
                                           : json_text(t->a, c->text));
    }
    return o;
}

struct json *names_json(const struct render *t, const struct names *n) {
    struct json *rows = json_new_array(t->a);
    for (size_t row = 0; row < n->row_count; row++)
        json_push(rows, names_row(t, n, row));
    return JSON(t, {"schema", json_int(t->a, SCHEMA)}, {n->what, rows});
}
