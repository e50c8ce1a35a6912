/* write_search.c: the full-text table: every entry as four columns of words. */
#include "corpus/fields.h"
#include "base/limits.h"
#include "index/search.h"
#include "index/write.h"

static void add_text(struct buf *out, struct str text) {
    struct search_word word;
    while (search_next(&text, &word)) {
        if (word.is_han) {
            search_pairs(out, word.text, true);
        } else {
            buf_add(out, word.text);
        }
        buf_add_char(out, ' ');
    }
}

static void add_both(struct buf *out, const struct text *text) {
    for (int lang = 0; lang < LANG_COUNT_OF; lang++)
        add_text(out, text->in[lang]);
}

static void add_messages(struct buf *out, const struct entry *e) {
    for (size_t i = 0; i < e->signature_count; i++)
        add_text(out, e->signatures[i].sample);
}

static void add_flags(struct buf *out, const struct entry *e) {
    for (size_t i = 0; i < e->workaround_count; i++) {
        add_text(out, e->workarounds[i].acts_on.flag);
        add_text(out, e->workarounds[i].command);
    }
    for (size_t i = 0; i < e->dead_end_count; i++)
        add_text(out, e->dead_ends[i].acts_on.flag);
}

static void add_texts(struct buf *out, const struct shape *shape,
                      const char *noun);

/* Every public text of a field. */
static void add_field(struct buf *out, const struct field *f,
                      const char *noun) {
    const void *at = noun + f->at, *count_at = noun + f->count_at;
    if (f->type == FIELD_TEXT)
        add_both(out, at);
    else if (f->type == FIELD_MAP)
        add_texts(out, f->shape, at);
    size_t count = f->type == FIELD_LIST ? *(const size_t *)count_at : 0;
    for (size_t i = 0; i < count; i++)
        add_texts(out, f->shape,
                  *(const char *const *)at + i * f->shape->size);
}

static void add_texts(struct buf *out, const struct shape *shape,
                      const char *noun) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1))
        add_field(out, f, noun);
}

enum column { COLUMN_TITLE, COLUMN_MESSAGE, COLUMN_BODY, COLUMN_FIXES };

static enum column column_of(const struct field *f) {
    struct str key = str_of(f->key);
    bool is_fix = str_eq(key, STR("workarounds")) ||
                  str_eq(key, STR("dead_ends"));
    return str_eq(key, STR("title")) ? COLUMN_TITLE
           : is_fix                  ? COLUMN_FIXES
                                     : COLUMN_BODY;
}

static void write_one(struct row *row, struct buf columns[COLUMN_FIXES + 1],
                      const struct entry *e, size_t number) {
    for (size_t i = 0; i <= COLUMN_FIXES; i++)
        buf_clear(&columns[i]);
    add_text(&columns[COLUMN_TITLE], e->id);
    add_text(&columns[COLUMN_TITLE], e->component);
    add_messages(&columns[COLUMN_MESSAGE], e);
    add_flags(&columns[COLUMN_FIXES], e);
    for (const struct field *f = field_placed(shape_entry.fields); f != NULL;
         f = field_placed(f + 1))
        add_field(&columns[column_of(f)], f, (const char *)e);
    for (size_t i = 0; i < e->hardware_count; i++)
        add_text(&columns[COLUMN_BODY], e->hardware[i].name);
    add_text(&columns[COLUMN_BODY],
             str_of(word_spelling(WORDS_MECHANISM, (int)e->mechanism)));
    row_bind_int(row, (int64_t)number);
    for (size_t i = 0; i <= COLUMN_FIXES; i++) {
        buf_check(&columns[i], "the text of an entry");
        row_bind_text(row, buf_str(&columns[i]));
    }
    row_write(row);
}

/* rowid is the entry's number; the table is contentless, so that texts are
 * stored once. Words are stems; a run of Han characters is stored as its pairs
 * and its last character ("显存不足" as "显存 存不 不足 足"). */
void write_search(struct db *db, const struct corpus *c) {
    struct buf columns[COLUMN_FIXES + 1];
    for (size_t i = 0; i <= COLUMN_FIXES; i++)
        columns[i] = buf_in(db->arena, SEARCH_COLUMN_BYTES_MAX);
    db_run(db,
           "CREATE VIRTUAL TABLE search USING fts5(\n"
           "  title,   -- the id and both titles\n"
           "  message, -- samples: what the program prints\n"
           "  body,    -- every other public text, both languages\n"
           "  fixes,   -- fixes and dead ends: texts, flags, commands\n"
           "  content = '', "
           "tokenize = 'porter unicode61 remove_diacritics 2')");
    struct row row =
        db_query(db, "INSERT INTO search(rowid, title, message, body, fixes) "
                     "VALUES(?,?,?,?,?)");
    for (size_t i = 0; i < c->entry_count; i++)
        write_one(&row, columns, &c->entries[i], i);
    /* one segment: smaller, and independent of the order of rows */
    db_run(db, "INSERT INTO search(search) VALUES('optimize')");
}
