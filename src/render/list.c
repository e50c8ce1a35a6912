/* list.c: several entries, a few words each: what `oomkb list` and `oomkb
 * search` show, and the JSON index of a site. */
#include "render/parts.h"

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
    return (struct listing){.at = at, .count = count, .is_search = true,
                            .words = arena_str(a, words)};
}

/* "KV cache too small at start, failure" */
static struct str kind_of(const struct teller *t, const struct entry *e) {
    struct str words[] = {said_word(t, WORDS_MECHANISM, (int)e->mechanism),
                          said_word(t, WORDS_SEVERITY, (int)e->severity)};
    return said_with(t, "list.kind", words, 2);
}

/* An entry is an item: its id and kind, below them its title. */
void list_document(const struct teller *t, const struct listing *list,
                   struct document *d) {
    d->is_page = true;
    if (list->count == 0) {
        document_text(d, NULL, TONE_PLAIN, said(t, "list.nothing"));
    }
    struct block *under = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *e = list->at[i].entry;
        struct str folder = str_slice(e->id, 0, str_find_char(e->id, '/'));
        if (!list->is_search &&
            (under == NULL || !str_eq(under->text, folder))) {
            under = document_add(d, NULL,
                                 (struct block){.kind = BLOCK_SECTION,
                                                .text = folder,
                                                .is_implied = true});
        }
        struct block row = {.kind = BLOCK_ITEM, .text = e->id,
                            .tone = TONE_STRONG, .column_tone = TONE_DIM,
                            .column = {kind_of(t, e)}};
        struct block *item = document_add(d, under, row);
        document_text(d, item, TONE_PLAIN, said_text(t, &e->title));
        if (list->is_search) {
            document_text(d, item, TONE_DIM,
                          snippet_of(t, e, list->words, SNIPPET_COLUMNS));
        }
    }
}

struct json *json_row(const struct teller *t, const struct listing *list,
                      size_t i) {
    const struct listed *is = &list->at[i];
    const struct entry *e = is->entry;
    struct json *o =
        JSON(t, {"id", json_text(t->a, e->id)},
             {"component", json_text(t->a, e->component)},
             {"mechanism", json_word(t, WORDS_MECHANISM, (int)e->mechanism)},
             {"severity", json_word(t, WORDS_SEVERITY, (int)e->severity)},
             {"role", json_word(t, WORDS_ROLE, (int)e->role)},
             {"title", json_text(t->a, said_text(t, &e->title))});
    if (list->is_search) {
        struct str snippet = snippet_of(t, e, list->words, SNIPPET_COLUMNS);
        JSON_ADD(o, {"matched", json_bool(t->a, is->is_matched)},
                 {"score", json_micro(t->a, is->score_micro)},
                 {"snippet", json_text(t->a, snippet)});
    }
    return o;
}
