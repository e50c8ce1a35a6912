/* tables.c: the tables that tables.h describes, by one pass over the fields for
 * the columns and one for the values. */
#include "index/tables.h"

#include "base/limits.h"

struct table {
    struct db *db;
    struct table *next;        /* of the same owner, in the order of fields */
    struct table *lists;       /* tables of the lists in it */
    const struct shape *shape; /* of a row; NULL: one value */
    const char *name;          /* "entry_workarounds" */
    const char *places[TABLE_DEPTH_MAX]; /* "number", "workarounds_at" */
    size_t place_count;
    struct statement insert;
};

/* ---- columns ---- */

struct columns {
    struct buf sql;
    size_t count;
};

static void put_column(struct columns *c, const char *prefix, const char *key,
                       const char *suffix, const char *type, const char *doc) {
    buf_printf(&c->sql, "  \"%s%s%s\" %s NOT NULL,%s%s\n", prefix, key, suffix,
               type, doc != NULL ? " -- " : "", doc != NULL ? doc : "");
    c->count++;
}

static void put_columns(struct arena *a, struct columns *c,
                        const struct shape *shape, const char *prefix) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        bool is_micro = f->type == FIELD_RATIO || f->type == FIELD_DECIMAL;
        switch (field_kind(f)) {
        case KIND_STR:
        case KIND_WORD:
            put_column(c, prefix, f->key, "", "TEXT", f->doc);
            break;
        case KIND_TEXT:
            put_column(c, prefix, f->key, "_en", "TEXT", f->doc);
            put_column(c, prefix, f->key, "_zh", "TEXT", NULL);
            break;
        case KIND_BOOL:
        case KIND_NUMBER:
            put_column(c, prefix, f->key, is_micro ? "_micro" : "", "INTEGER",
                       f->doc);
            break;
        case KIND_RANGE:
            put_column(c, prefix, f->key, "_low", "INTEGER", f->doc);
            put_column(c, prefix, f->key, "_high", "INTEGER", NULL);
            break;
        case KIND_MAP:
            put_columns(a, c, f->shape,
                        arena_printf(a, "%s%s_", prefix, f->key).p);
            break;
        case KIND_STRINGS:
        case KIND_LIST: break; /* tables of their own */
        }
    }
}

/* The key of a noun is its number, and its id is unique; the key of a list's
 * row are its places. */
static void table_create(struct table *t) {
    struct columns c = {.count = 0};
    struct arena *a = t->db->arena;
    bool is_noun = t->place_count == 1;
    buf_init_in(&c.sql, a, TABLE_SQL_BYTES_MAX);
    buf_printf(&c.sql, "CREATE TABLE \"%s\" (\n", t->name);
    for (size_t i = 0; i < t->place_count; i++)
        put_column(&c, "", t->places[i], "",
                   is_noun ? "INTEGER PRIMARY KEY" : "INTEGER", NULL);
    if (t->shape != NULL)
        put_columns(a, &c, t->shape, "");
    else
        put_column(&c, "", "value", "", "TEXT", NULL);
    buf_add(&c.sql, is_noun ? STR("  UNIQUE (id") : STR("  PRIMARY KEY ("));
    for (size_t i = 0; !is_noun && i < t->place_count; i++)
        buf_printf(&c.sql, "%s\"%s\"", i > 0 ? ", " : "", t->places[i]);
    buf_add(&c.sql, is_noun ? STR(")\n) STRICT")
                            : STR(")\n) STRICT, WITHOUT ROWID"));
    db_run(t->db, arena_str(a, buf_str(&c.sql)).p);
    buf_clear(&c.sql);
    buf_printf(&c.sql, "INSERT INTO \"%s\" VALUES(", t->name);
    for (size_t i = 0; i < c.count; i++)
        buf_add(&c.sql, i > 0 ? STR(",?") : STR("?"));
    buf_add_char(&c.sql, ')');
    t->insert.sql = arena_str(a, buf_str(&c.sql)).p;
}

/* Create the tables of its lists and of those in its mappings. Returns the link
 * for the next one. */
static struct table **lists_create(const struct table *owner,
                                   const struct shape *shape,
                                   const char *prefix, struct table **next) {
    struct arena *a = owner->db->arena;
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        enum field_kind kind = field_kind(f);
        const char *key = arena_printf(a, "%s%s", prefix, f->key).p;
        if (kind == KIND_MAP)
            next = lists_create(owner, f->shape,
                                arena_printf(a, "%s_", key).p, next);
        if (kind != KIND_LIST && kind != KIND_STRINGS)
            continue;
        struct table *t = arena_alloc(a, sizeof *t);
        *t = *owner;
        t->lists = t->next = NULL;
        t->shape = field_shape(f);
        t->name = arena_printf(a, "%s_%s", owner->name, key).p;
        t->places[t->place_count++] = arena_printf(a, "%s_at", key).p;
        table_create(t);
        if (t->shape != NULL)
            lists_create(t, t->shape, "", &t->lists);
        *next = t;
        next = &t->next;
    }
    return next;
}

struct table *table_new(struct db *db, const char *name,
                        const struct shape *shape) {
    struct table *t = arena_alloc(db->arena, sizeof *t);
    *t = (struct table){.db = db, .shape = shape, .name = name,
                        .places = {"number"}, .place_count = 1};
    table_create(t);
    lists_create(t, shape, "", &t->lists);
    return t;
}

/* ---- values ---- */

static void bind_values(struct row *row, const struct shape *shape,
                        const char *noun) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        const void *at = noun + f->at;
        const void *most = noun + f->count_at;
        switch (field_kind(f)) {
        case KIND_STR: row_bind_text(row, *(const struct str *)at); break;
        case KIND_TEXT:
            for (int lang = 0; lang < LANG_COUNT_OF; lang++)
                row_bind_text(row, ((const struct text *)at)->in[lang]);
            break;
        case KIND_WORD:
            row_bind_text(row, str_of(field_word(f, *(const int *)at)));
            break;
        case KIND_BOOL: row_bind_int(row, *(const bool *)at); break;
        case KIND_NUMBER: row_bind_int(row, *(const int64_t *)at); break;
        case KIND_RANGE:
            row_bind_int(row, *(const int64_t *)at);
            row_bind_int(row, *(const int64_t *)most);
            break;
        case KIND_MAP: bind_values(row, f->shape, at); break;
        case KIND_STRINGS:
        case KIND_LIST: break;
        }
    }
}

struct places {
    size_t at[TABLE_DEPTH_MAX];
};

static struct table *write_lists(struct table *t, struct places where,
                                 const struct shape *shape, const char *noun);

static void write_row(struct table *t, struct places where, const void *what) {
    struct row row = row_of(t->db, &t->insert);
    for (size_t i = 0; i < t->place_count; i++)
        row_bind_int(&row, (int64_t)where.at[i]);
    if (t->shape != NULL)
        bind_values(&row, t->shape, what);
    else
        row_bind_text(&row, *(const struct str *)what);
    row_write(&row);
    if (t->shape != NULL)
        write_lists(t->lists, where, t->shape, what);
}

/* t: the table of the next list. Returns the one after those of shape. */
static struct table *write_lists(struct table *t, struct places where,
                                 const struct shape *shape, const char *noun) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        enum field_kind kind = field_kind(f);
        const void *at = noun + f->at;
        const void *count_at = noun + f->count_at;
        if (kind == KIND_MAP)
            t = write_lists(t, where, f->shape, at);
        if (kind != KIND_LIST && kind != KIND_STRINGS)
            continue;
        const struct str_list *lines = at;
        bool is_lines = kind == KIND_STRINGS;
        const char *items = is_lines ? (const char *)lines->at
                                     : *(const char *const *)at;
        size_t count = is_lines ? lines->count : *(const size_t *)count_at;
        size_t size = is_lines ? sizeof *lines->at : t->shape->size;
        for (size_t i = 0; i < count; i++) {
            where.at[t->place_count - 1] = i;
            write_row(t, where, items + i * size);
        }
        t = t->next;
    }
    return t;
}

void table_write(struct table *t, size_t number, const void *noun) {
    write_row(t, (struct places){{number}}, noun);
}
