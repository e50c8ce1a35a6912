/* search.c: words as somebody typed or pasted them, to a query of FTS5, to
 * entries.
 *
 * A query is made of quoted phrases and nothing else, and no word holds a
 * quote: whatever was typed, it is no syntax of FTS5. Three queries are tried
 * until one finds something: every word, every word as a beginning, any word.
 * So two words narrow each other down, and a pasted message whose numbers are
 * the user's own still finds its entry.
 */
#include "base/utf8.h"
#include "index/read.h"
#include "index/search.h"

#define WORDS_MAX 48
#define WORD_BYTES_MAX 256
#define QUERY_BYTES_MAX ((size_t)64 << 10)
#define MOST_MAX 1000

enum wanted { WANTED_ALL, WANTED_ALL_BEGUN, WANTED_ANY, WANTED_COUNT_OF };

static void add_phrase(struct buf *out, const struct search_word *word,
                       enum wanted wanted) {
    buf_add_char(out, '"');
    if (word->is_han) {
        search_pairs(out, word->text, false);
    } else {
        buf_add(out, word->text);
    }
    buf_add_char(out, '"');
    uint32_t cp = 0;
    bool is_one_han = word->is_han && utf8_next(word->text, &cp) == word->text.n;
    bool is_begun = wanted == WANTED_ALL_BEGUN && !word->is_han;
    if (is_one_han || is_begun) { /* a pair that begins with it */
        buf_add_char(out, '*');
    }
}

static struct str query_of(struct arena *a, struct str words,
                           enum wanted wanted) {
    struct buf out;
    struct search_word word;
    buf_init_in(&out, a, QUERY_BYTES_MAX);
    for (size_t i = 0; i < WORDS_MAX && search_next(&words, &word); i++) {
        word.text = str_slice(word.text, 0, WORD_BYTES_MAX);
        if (out.n > 0) {
            buf_add(&out, wanted == WANTED_ANY ? STR(" OR ") : STR(" AND "));
        }
        add_phrase(&out, &word, wanted);
    }
    return buf_ok(&out) ? buf_str(&out) : (struct str){NULL, 0};
}

static struct search_hits ask(struct reader *r, struct str query,
                              size_t most) {
    struct search_hits hits = {NULL, 0};
    size_t cap = 0;
    struct row row = reader_ask(r, QUERY_search);
    row_bind_text(&row, query);
    row_bind_int(&row, (int64_t)most);
    while (row_next(&row)) {
        hits.at = arena_grow(r->arena, hits.at, hits.count, &cap,
                             sizeof *hits.at);
        struct search_hit *hit = &hits.at[hits.count++];
        hit->entry = row_number(&row);
        hit->score_micro = row_int(&row);
        if (hit->entry >= reader_count(r, SHELF_ENTRY)) {
            db_damaged(r->db, "what is searched is no entry");
        }
    }
    return hits;
}

struct search_hits reader_search(struct reader *r, struct str words,
                                 size_t most) {
    struct search_hits hits = {NULL, 0};
    most = most < MOST_MAX ? most : MOST_MAX;
    for (int wanted = 0; wanted < WANTED_COUNT_OF; wanted++) {
        struct str query = query_of(r->arena, words, (enum wanted)wanted);
        if (query.n == 0 || hits.count > 0) {
            break;
        }
        hits = ask(r, query, most);
    }
    return hits;
}

/* ---- by component ---- */

bool reader_component_known(struct reader *r, struct str component) {
    struct row row = reader_ask(r, QUERY_component_known);
    row_bind_text(&row, component);
    bool is_known = row_next(&row);
    if (is_known) {
        row_done(&row);
    }
    return is_known;
}

struct number_list reader_entries_of(struct reader *r, struct str component) {
    uint32_t *list = NULL;
    size_t count = 0, cap = 0;
    struct row row = reader_ask(r, QUERY_entries_of);
    row_bind_text(&row, component);
    while (row_next(&row)) {
        list = arena_grow(r->arena, list, count, &cap, sizeof *list);
        list[count++] = row_number(&row);
    }
    return (struct number_list){list, count};
}
