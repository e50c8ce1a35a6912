/* list.c: entries, a few lines each: `oomkb list`, `oomkb search`, and the JSON
 * index of a site. */
#include "render/parts.h"
#include "base/utf8.h"

#define SNIPPET_COLUMNS 160
#define SEARCH_MOST 20

/* ---- the snippet of a search ----
 *
 * The place in the entry's texts, the cause first, that has one of the words.
 * The index has stems and pairs but no places, so the texts are searched here.
 * Without such a place (an inflected word) it is the beginning of the cause. */
#define WORDS_MAX 48
#define BEFORE_BYTES 60 /* shown before the word */

/* The offset of the word in the text, in any case; text.n: it is not there. */
static size_t find_word(struct str text, struct str word) {
    for (size_t at = 0; at + word.n <= text.n; at++)
        if (str_eq_nocase(str_slice(text, at, word.n), word))
            return at;
    return text.n;
}

/* The offset of the first of the words that the text has. False: none. */
static bool find_words(struct str text, struct str words, size_t *at) {
    for (size_t i = 0; words.n > 0 && i < WORDS_MAX;) {
        struct str word = str_cut(words, ' ', &words);
        if (word.n <= 1)
            continue;
        *at = find_word(text, word);
        if (*at < text.n)
            return true;
        i++;
    }
    return false;
}

/* The offset where the snippet begins: behind a blank, or at a character. */
static size_t begin_near(struct str text, size_t at) {
    size_t from = at > BEFORE_BYTES ? at - BEFORE_BYTES : 0;
    while (from > 0 && from < at &&
           ((unsigned char)text.p[from] & 0xc0) == 0x80)
        from++;
    for (size_t i = from; from > 0 && i < at; i++)
        if (text.p[i] == ' ')
            return i + 1;
    return from;
}

static struct str cut_out(const struct render *t, struct str text, size_t at) {
    size_t from = begin_near(text, at), end = from, used = 0;
    while (end < text.n && used < SNIPPET_COLUMNS) {
        struct utf8_char c = utf8_char_at(text, end);
        used += c.columns;
        end += c.n;
    }
    while (end < text.n && end > at && text.p[end] != ' ' &&
           ((unsigned char)text.p[end - 1] & 0x80) == 0 &&
           text.p[end - 1] != ' ')
        end--; /* no part of a word at the end */
    struct str piece = str_trim(str_slice(text, from, end - from));
    return arena_printf(t->a, "%s%.*s%s", from > 0 ? "\u2026" : "",
                        STR_ARG(piece), end < text.n ? "\u2026" : "");
}

/* The i-th text of the entry; {NULL, 0}: no more. */
static struct str text_at(const struct render *t, const struct entry *e,
                          size_t i) {
    if (i-- == 0)
        return localized(t, &e->root_cause);
    if (i < 2 * e->workaround_count) {
        const struct workaround *w = &e->workarounds[i / 2];
        return localized(t, i % 2 == 0 ? &w->action : &w->how);
    }
    i -= 2 * e->workaround_count;
    if (i < 2 * e->dead_end_count) {
        const struct dead_end *d = &e->dead_ends[i / 2];
        return localized(t, i % 2 == 0 ? &d->action : &d->why);
    }
    i -= 2 * e->dead_end_count;
    return i < e->signature_count ? e->signatures[i].sample : STR("");
}

static struct str snippet_of(const struct render *t, const struct entry *e,
                             struct str words) {
    size_t most = 1 + 2 * (e->workaround_count + e->dead_end_count) +
                  e->signature_count;
    for (size_t i = 0; i < most; i++) {
        struct str text = short_text(t, text_at(t, e, i), SIZE_MAX);
        size_t at = 0;
        if (find_words(text, words, &at))
            return cut_out(t, text, at);
    }
    return cut_out(t, short_text(t, text_at(t, e, 0), SIZE_MAX), 0);
}

struct listing list_entries(struct arena *a, struct reader *r,
                            struct str component) {
    struct number_list numbers = reader_entries_of(r, component);
    struct listed *at = arena_array(a, numbers.count, sizeof *at);
    for (size_t i = 0; i < numbers.count; i++)
        at[i].entry = reader_entry(r, numbers.at[i]);
    return (struct listing){.at = at, .count = numbers.count};
}

static bool is_among(const struct listed *list, size_t count,
                     const struct entry *e) {
    for (size_t i = 0; i < count; i++)
        if (str_eq(list[i].entry->id, e->id))
            return true;
    return false;
}

struct listing search_entries(struct arena *a, struct reader *r,
                              struct str words, const struct report *matched) {
    struct search_hits hits = reader_search(r, words, SEARCH_MOST);
    size_t most = hits.count + matched->finding_count, count = 0;
    struct listed *at = arena_array(a, most, sizeof *at);
    for (size_t i = 0; i < matched->finding_count; i++) {
        const struct finding *f = &matched->findings[i];
        const struct entry *e = f->entry;
        /* A person's words are not a message: they are found by the search. */
        bool is_message = !str_eq(e->component, STR("unknown")) &&
                          !facts_say(&f->facts, FACT_oom_words, "told");
        if (is_message && !is_among(at, count, e))
            at[count++] = (struct listed){.entry = e, .is_matched = true};
    }
    size_t matched_count = count;
    for (size_t i = 0; i < hits.count; i++) {
        const struct entry *e = reader_entry(r, hits.at[i].entry);
        if (!is_among(at, matched_count, e))
            at[count++] = (struct listed){e, hits.at[i].score_micro, false};
    }
    return (struct listing){.at = at, .count = count, .is_search = true,
                            .words = arena_str(a, words)};
}

/* An entry is an item: its id and kind ("KV cache too small at start,
 * failure"), below them its title. */
void list_document(const struct render *t, const struct listing *list) {
    t->d->is_page = true;
    if (list->contents != CONTENTS_NONE) {
        contents_document(t, list);
        return;
    }
    if (list->count == 0)
        document_text(t, NULL, tr(t, "list.nothing"));
    struct block *under = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *e = list->at[i].entry;
        struct str folder = str_slice(e->id, 0, str_find_char(e->id, '/'));
        if (!list->is_search &&
            (under == NULL || !str_eq(under->text, folder)))
            under = document_add(t, NULL,
                                 (struct block){.kind = BLOCK_SECTION,
                                                .text = folder,
                                                .is_implied = true});
        struct str kind =
            TR(t, "list.kind", word_text(t, WORDS_MECHANISM, (int)e->mechanism),
               word_text(t, WORDS_SEVERITY, (int)e->severity));
        struct block row = {.kind = BLOCK_ITEM, .text = e->id,
                            .tone = TONE_STRONG, .column_tone = TONE_DIM,
                            .column = {kind}};
        struct block *item = document_add(t, under, row);
        document_text(t, item, localized(t, &e->title));
        if (list->is_search)
            document_toned(t, item, TONE_DIM, snippet_of(t, e, list->words));
    }
}

struct json *json_row(const struct render *t, const struct listing *list,
                      size_t i) {
    const struct listed *is = &list->at[i];
    const struct entry *e = is->entry;
    struct json *o =
        JSON(t, {"id", json_text(t->a, e->id)},
             {"component", json_text(t->a, e->component)},
             {"mechanism", json_word(t, WORDS_MECHANISM, (int)e->mechanism)},
             {"severity", json_word(t, WORDS_SEVERITY, (int)e->severity)},
             {"role", json_word(t, WORDS_ROLE, (int)e->role)},
             {"title", json_text(t->a, localized(t, &e->title))});
    if (list->is_search) {
        struct str snippet = snippet_of(t, e, list->words);
        JSON_ADD(o, {"matched", json_bool(t->a, is->is_matched)},
                 {"score", json_micro(t->a, is->score_micro)},
                 {"snippet", json_text(t->a, snippet)});
    }
    return o;
}
