/* write_search.c: every entry as four columns of words. What is stored is
 * derived from texts that the digest has already seen, so it is not part of
 * the digest. */
#include "corpus/fields.h"
#include "index/search.h"
#include "index/write.h"

#define COLUMN_BYTES_MAX ((size_t)4 << 20)

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
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        add_text(out, text->in[lang]);
    }
}

static void add_messages(struct buf *out, const struct entry *e) {
    for (size_t i = 0; i < e->signature_count; i++) {
        add_text(out, e->signatures[i].sample);
    }
}

static void add_flags(struct buf *out, const struct entry *e) {
    for (size_t i = 0; i < e->workaround_count; i++) {
        add_text(out, e->workarounds[i].acts_on.flag);
        add_text(out, e->workarounds[i].command);
    }
    for (size_t i = 0; i < e->dead_end_count; i++) {
        add_text(out, e->dead_ends[i].acts_on.flag);
    }
}

struct columns {
    struct buf title, message, body, fixes;
};

/* Every public text, where it belongs. */
static void add_value(void *ctx, const struct field *f, const char *path,
                      size_t ordinal, const void *value) {
    struct columns *c = ctx;
    struct str field = str_of(path);
    bool is_fix = str_starts(field, STR("workarounds")) ||
                  str_starts(field, STR("dead_ends"));
    (void)ordinal;
    if (f->type == FIELD_TEXT) {
        add_both(str_eq(field, STR("title")) ? &c->title
                 : is_fix                    ? &c->fixes
                                             : &c->body,
                 value);
    }
}

static void bind_column(struct row *row, const struct buf *column) {
    if (!buf_ok(column)) {
        arena_raise(row->db->arena, FAIL_CEILING,
                    "an entry has more than %zu bytes of text",
                    COLUMN_BYTES_MAX);
    }
    row_bind_text(row, buf_str(column));
}

static void write_one(struct writer *w, struct entry *e, size_t number) {
    struct columns c;
    struct buf *all[] = {&c.title, &c.message, &c.body, &c.fixes};
    struct row row = row_of(w->db, INSERT_search);
    for (size_t i = 0; i < 4; i++) {
        buf_init_in(all[i], w->db->arena, COLUMN_BYTES_MAX);
    }
    add_text(&c.title, e->id);
    add_text(&c.title, e->component);
    add_messages(&c.message, e);
    add_flags(&c.fixes, e);
    shape_visit(&shape_entry, e, add_value, &c);
    for (size_t i = 0; i < e->hardware_count; i++) {
        add_text(&c.body, e->hardware[i].name);
    }
    add_text(&c.body, str_of(word_spelling(WORDS_MECHANISM,
                                           (int)e->mechanism)));
    row_bind_int(&row, (int64_t)number);
    for (size_t i = 0; i < 4; i++) {
        bind_column(&row, all[i]);
    }
    row_write(&row);
}

void write_search(struct writer *w, const struct corpus *c) {
    for (size_t i = 0; i < c->entry_count; i++) {
        write_one(w, &c->entries[i], i);
    }
    /* one segment: smaller, and the same however the rows came in */
    db_run(w->db, "INSERT INTO search(search) VALUES('optimize')");
}
