/* list.c: several entries, a few words each, in every format: what `oomkb
 * list` and `oomkb search` show, and the index of a site.
 *
 * JSON: {"schema":1,"entries":[{id, component, mechanism, severity, role,
 * title}]}; a search adds matched, score and snippet. JSON lines: an entry per line. */
#include "render/page.h"
#include "render/sheet.h"

#include "base/utf8.h"

#define SCHEMA 1
#define SNIPPET_COLUMNS 160
#define SEARCH_MOST 20

struct listing list_entries(struct arena *a, struct reader *r,
                            struct str component) {
    struct number_list numbers = reader_entries_of(r, component);
    struct listed *at = arena_array(a, numbers.count, sizeof *at);
    for (size_t i = 0; i < numbers.count; i++) {
        at[i].entry = reader_entry(r, numbers.at[i]);
    }
    return (struct listing){.at = at, .count = numbers.count};
}

static bool is_among(const struct listed *list, size_t count,
                     const struct entry *e) {
    for (size_t i = 0; i < count; i++) {
        if (str_eq(list[i].entry->id, e->id)) {
            return true;
        }
    }
    return false;
}

struct listing search_entries(struct arena *a, struct reader *r,
                              struct str words, const struct report *matched) {
    struct search_hits hits = reader_search(r, words, SEARCH_MOST);
    size_t most = hits.count + matched->finding_count, count = 0;
    struct listed *at = arena_array(a, most, sizeof *at);
    for (size_t i = 0; i < matched->finding_count; i++) {
        const struct entry *e = matched->findings[i].entry;
        bool is_known = !str_eq(e->component, STR("unknown"));
        if (is_known && !is_among(at, count, e)) {
            at[count++] = (struct listed){.entry = e, .is_matched = true};
        }
    }
    size_t matched_count = count;
    for (size_t i = 0; i < hits.count; i++) {
        const struct entry *e = reader_entry(r, hits.at[i].entry);
        if (!is_among(at, matched_count, e)) {
            at[count++] = (struct listed){e, hits.at[i].score_micro, false};
        }
    }
    return (struct listing){at, count, true, arena_str(a, words)};
}

/* "KV cache too small at start, failure" */
static struct str kind_of(const struct teller *t, const struct entry *e) {
    struct str words[] = {said_word(t, WORDS_MECHANISM, (int)e->mechanism),
                          said_word(t, WORDS_SEVERITY, (int)e->severity)};
    return said_with(t, "list.kind", words, 2);
}

/* ---- text ---- */

/* The id at the left edge, always alone in its line's first word. */
static void write_id(struct page *p, struct str id, struct str kind) {
    size_t used = utf8_width(id) + utf8_width(kind);
    page_put(p, INK_STRONG, id);
    if (used + 2 <= p->width) {
        buf_fill(p->out, ' ', p->width - used);
        page_put(p, INK_DIM, kind);
        buf_add_char(p->out, '\n');
    } else {
        buf_add_char(p->out, '\n');
        page_text(p, 4, INK_DIM, kind);
    }
}

void text_list(struct arena *a, struct reader *r, const struct listing *list,
               const struct render_options *o, struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct page p = page_open(&t, out);
    if (list->count == 0) {
        page_text(&p, 0, INK_PLAIN, said(&t, "list.nothing"));
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *e = list->at[i].entry;
        write_id(&p, e->id, kind_of(&t, e));
        page_text(&p, 4, INK_PLAIN, said_text(&t, &e->title));
        if (list->is_search) {
            page_text(&p, 4, INK_DIM,
                      snippet_of(&t, e, list->words, SNIPPET_COLUMNS));
        }
    }
}

/* ---- JSON ---- */

static struct json *word(const struct teller *t, enum vocabulary which,
                         int value) {
    return json_text(t->a, str_of(word_spelling(which, value)));
}

static struct json *json_row(const struct teller *t,
                             const struct listing *list, size_t i) {
    const struct entry *e = list->at[i].entry;
    struct json *o = json_new_object(t->a);
    json_set(o, "id", json_text(t->a, e->id));
    json_set(o, "component", json_text(t->a, e->component));
    json_set(o, "mechanism", word(t, WORDS_MECHANISM, (int)e->mechanism));
    json_set(o, "severity", word(t, WORDS_SEVERITY, (int)e->severity));
    json_set(o, "role", word(t, WORDS_ROLE, (int)e->role));
    json_set(o, "title", json_text(t->a, said_text(t, &e->title)));
    if (list->is_search) {
        json_set(o, "matched", json_bool(t->a, list->at[i].is_matched));
        json_set(o, "score", json_micro(t->a, list->at[i].score_micro));
        json_set(o, "snippet",
                 json_text(t->a, snippet_of(t, e, list->words,
                                            SNIPPET_COLUMNS)));
    }
    return o;
}

void json_list(struct arena *a, struct reader *r, const struct listing *list,
               const struct render_options *o, struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct json *top = json_new_object(a);
    struct json *entries = json_new_array(a);
    for (size_t i = 0; i < list->count; i++) {
        json_push(entries, json_row(&t, list, i));
    }
    json_set(top, "schema", json_int(a, SCHEMA));
    json_set(top, "entries", entries);
    json_write(top, true, out);
    buf_add_char(out, '\n');
}

void jsonl_list(struct arena *a, struct reader *r, const struct listing *list,
                const struct render_options *o, struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    for (size_t i = 0; i < list->count; i++) {
        json_write(json_row(&t, list, i), false, out);
        buf_add_char(out, '\n');
    }
}

/* ---- Markdown ---- */

static void write_item(struct sheet *s, const struct listing *list, size_t i) {
    const struct entry *e = list->at[i].entry;
    sheet_raw(s, "- ");
    if (s->t->o->is_site) {
        sheet_raw(s, "[");
        sheet_put(s, said_text(s->t, &e->title));
        buf_printf(s->out, "](%.*s.md)", STR_ARG(e->id));
    } else {
        sheet_span(s, e->id);
        sheet_raw(s, " \u2014 ");
        sheet_put(s, said_text(s->t, &e->title));
    }
    sheet_raw(s, " \u00b7 ");
    sheet_put(s, kind_of(s->t, e));
    sheet_raw(s, "\n");
    if (list->is_search) {
        sheet_raw(s, "  - ");
        sheet_put(s, snippet_of(s->t, e, list->words, SNIPPET_COLUMNS));
        sheet_raw(s, "\n");
    }
}

void markdown_list(struct arena *a, struct reader *r,
                   const struct listing *list, const struct render_options *o,
                   struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct sheet s = {&t, out};
    struct str folder = {NULL, 0};
    if (o->is_site) {
        sheet_heading(&s, 1, said(&t, "list.all"));
        sheet_text(&s, said(&t, "list.what"));
    }
    if (list->count == 0) {
        sheet_text(&s, said(&t, "list.nothing"));
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *e = list->at[i].entry;
        struct str in = str_slice(e->id, 0, str_find_char(e->id, '/'));
        if (!list->is_search && !str_eq(in, folder)) {
            folder = in;
            sheet_heading(&s, 2, folder);
            sheet_blank(&s);
        }
        write_item(&s, list, i);
    }
}
