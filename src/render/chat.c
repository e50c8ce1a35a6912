/* chat.c: a report as one message for a chat: 700 characters at most, one fix,
 * one question. It is safe in Slack, Discord and GitHub, which have no common
 * way to escape: a word that is markup in one of them stands in a code span.
 * There Slack still reads mentions; they are written with other characters. */
#include "render/parts.h"

#include "base/utf8.h"

#define CHARACTERS_MOST 700
#define PIECES 8
#define JOINER 0x2060 /* word joiner, without a width: @ mentions nobody */

struct post {
    const struct render *t;
    struct piece {
        struct str text;
        int weight; /* the smallest is left out first */
    } at[PIECES];
    size_t count;
};

static size_t characters(struct str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

/* Writes a character that is markup in no chat. */
static void put_safe(struct buf *out, char c) {
    switch (c) {
    case '<': buf_add(out, STR("‹")); return;
    case '>': buf_add(out, STR("›")); return;
    case '`': buf_add_char(out, '\''); return;
    case '\n': buf_add_char(out, ' '); return;
    default: buf_add_char(out, c);
    }
    if (c == '@')
        utf8_put(out, JOINER);
}

/* True if the word may be markup. A colon at its end is none. */
static bool may_act(struct str word) {
    for (size_t i = 0; i < word.n; i++)
        if (is_any(word.p[i], "*_~|<>#@[]\\:$&") &&
            (i + 1 < word.n || word.p[i] != ':'))
            return true;
    return false;
}

static void put_word(struct buf *out, struct str word, bool is_code) {
    bool is_quoted = !is_code && may_act(word);
    buf_add(out, is_quoted ? STR("`") : STR(""));
    for (size_t i = 0; i < word.n; i++)
        put_safe(out, word.p[i]);
    buf_add(out, is_quoted ? STR("`") : STR(""));
}

/* Writes prose: code spans stay, words that may be markup become code spans. */
static void put_prose(const struct render *t, struct buf *out,
                      struct str text) {
    struct str line = short_text(t, text, SIZE_MAX);
    while (line.n > 0) {
        struct str code = str_from(line, 1);
        size_t close = str_find_char(code, '`');
        if (line.p[0] == '`' && close < code.n && close > 0) {
            buf_add_char(out, '`');
            put_word(out, str_slice(code, 0, close), true);
            buf_add_char(out, '`');
            line = str_from(code, close + 1);
            continue;
        }
        size_t end = 1;
        while (line.p[0] != ' ' && end < line.n && line.p[end] != ' ' &&
               line.p[end] != '`')
            end++;
        put_word(out, str_slice(line, 0, end), false);
        line = str_from(line, end);
    }
}

static void add_piece(struct post *m, int weight, struct str text,
                      struct str behind) {
    struct buf out = buf_in(m->t->a, (size_t)64 << 10);
    put_prose(m->t, &out, text);
    if (behind.n > 0) {
        buf_add(&out, STR(" ("));
        put_prose(m->t, &out, behind);
        buf_add_char(&out, ')');
    }
    if (text.n > 0 && m->count < PIECES)
        m->at[m->count++] = (struct piece){buf_str(&out), weight};
}

/* Adds a fix. Its command is a code span; a command of several lines is left
 * out, since it has no form that is safe in all chats. */
static void add_item(struct post *m, int weight, const struct block *item) {
    struct arena *a = m->t->a;
    const struct str *columns = item->column;
    struct str both = arena_printf(
        a, "%.*s%s%.*s", STR_ARG(columns[0]),
        columns[0].n > 0 && columns[1].n > 0 ? "; " : "", STR_ARG(columns[1]));
    add_piece(m, weight, arena_printf(a, "→ %.*s", STR_ARG(item->text)), both);
    struct str words = {NULL, 0}; /* the sum, else the steps */
    for (const struct block *in = item->first; in != NULL; in = in->next) {
        bool is_better = words.n == 0 || in->spare == 0;
        bool is_line = str_find_char(in->text, '\n') == in->text.n &&
                       str_find_char(in->text, '`') == in->text.n;
        if (in->kind == BLOCK_CODE && is_line)
            add_piece(m, weight - 2, in_backquotes(a, in->text), STR(""));
        else if (in->kind == BLOCK_TEXT && is_better)
            words = in->text;
    }
    add_piece(m, weight - 3, words, STR(""));
}

/* Adds the question without the text behind it, which is about options and
 * about fixes that are not in the message. */
static void add_question(struct post *m, struct str text) {
    size_t end = str_find_char(text, '?') + 1;
    size_t wide = str_find(text, STR("？")) + STR("？").n;
    add_piece(m, 4, str_slice(text, 0, wide < end ? wide : end), STR(""));
}

/* The first question, or the first fix, in document order. */
static const struct block *first_item(const struct block *under,
                                      bool is_question) {
    const struct block *found = NULL;
    for (const struct block *b = under->first; b != NULL && found == NULL;
         b = b->next) {
        bool asks = str_eq(b->mark, STR("?"));
        bool is_one = b->kind == BLOCK_ITEM && asks == is_question &&
                      !str_eq(b->mark, STR("x"));
        found = is_one ? b : first_item(b, is_question);
    }
    return found;
}

static void gather(struct post *m, const struct document *d) {
    const struct block *fix = first_item(&d->top, false);
    const struct block *question = first_item(&d->top, true);
    struct str none = {NULL, 0};
    for (const struct block *b = d->top.first;
         b != NULL && b->kind != BLOCK_SECTION && m->count < 3; b = b->next) {
        bool is_id = b->kind == BLOCK_ID;
        if (b->kind == BLOCK_TITLE || is_id || b->kind == BLOCK_TEXT)
            add_piece(m, b->kind == BLOCK_TEXT ? 6 : 9,
                      is_id ? in_backquotes(m->t->a, b->text) : b->text,
                      is_id ? b->column[0] : none);
    }
    if (fix != NULL)
        add_item(m, 8, fix);
    if (question != NULL)
        add_question(m, question->text);
}

static bool is_long(const struct post *m) {
    size_t n = m->count; /* newlines */
    for (size_t i = 0; i < m->count; i++)
        n += characters(m->at[i].text);
    return n > CHARACTERS_MOST;
}

static void drop_lightest(struct post *m) {
    size_t least = 0;
    for (size_t i = 1; i < m->count; i++)
        least = m->at[i].weight < m->at[least].weight ? i : least;
    m->count--;
    for (size_t i = least; i < m->count; i++)
        m->at[i] = m->at[i + 1];
}

void chat_walk(const struct render *t, struct buf *out) {
    struct post m = {.t = t};
    gather(&m, t->d);
    while (m.count > 1 && is_long(&m))
        drop_lightest(&m);
    for (size_t i = 0; i < m.count; i++) {
        buf_add(out, str_trim(m.at[i].text));
        buf_add_char(out, '\n');
    }
}
