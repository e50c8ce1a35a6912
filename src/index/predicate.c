/* predicate.c: the tokens of a predicate, and the facts in it.
 *
 * Only these tokens are allowed: facts, keywords and functions of the lists
 * below, numbers, 'quoted text', operators, balanced parentheses. So a
 * predicate cannot contain a second statement, a sub-select, a comment, a
 * parameter or a quoted name. SQLite checks the grammar.
 */
#include "index/predicate.h"

#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_among(struct str word, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (str_eq_nocase(word, str_of(list[i])))
            return true;
    }
    return false;
}

static bool is_keyword(struct str word) {
    static const char *const list[] = {
        "and",  "or",   "not",  "in",   "between", "is",   "null", "like",
        "case", "when", "then", "else", "end",     "true", "false"};
    return is_among(word, list, sizeof list / sizeof list[0]);
}

bool predicate_has_function(struct str word) {
    static const char *const list[] = {"coalesce", "abs", "min", "max",
                                       "vcmp"};
    return is_among(word, list, sizeof list / sizeof list[0]);
}

static void refuse(struct predicate *w, struct str where, const char *why) {
    w->why = why;
    w->where = where;
}

/* Append the word to the SQL, if that is wanted. */
static void put_word(struct buf *sql, struct str word) {
    if (sql != NULL)
        buf_add(sql, word);
}

static void put_fact(struct buf *sql, size_t ordinal) {
    if (sql != NULL)
        buf_printf(sql, "?%zu", ordinal + 1);
}

static void add_fact(struct predicate *w, struct str word, struct buf *sql) {
    enum fact_name name;
    if (!fact_named(word, &name)) {
        refuse(w, word, "there is no such fact");
        return;
    }
    size_t at = 0;
    while (at < w->fact_count && w->facts[at] != name)
        at++;
    if (at == PREDICATE_FACTS_MAX) {
        refuse(w, word, "one fact more than a predicate may name");
        return;
    }
    w->facts[at] = name;
    w->fact_count += at == w->fact_count ? 1 : 0;
    put_fact(sql, at);
}

static size_t take_name(struct predicate *w, struct str s, struct buf *sql) {
    size_t n = 0;
    while (n < s.n && is_word(s.p[n]))
        n++;
    struct str word = str_slice(s, 0, n);
    struct str rest = str_trim(str_slice(s, n, s.n));
    bool is_called = rest.n > 0 && rest.p[0] == '(';
    if (predicate_has_function(word)) {
        if (!is_called)
            refuse(w, word, "a function without its arguments");
        put_word(sql, word);
    } else if (is_keyword(word)) {
        put_word(sql, word);
    } else {
        add_fact(w, word, sql);
    }
    return n;
}

/* 'it''s': up to a quote that is not doubled. */
static size_t take_text(struct predicate *w, struct str s) {
    size_t n = 1;
    while (n < s.n && (s.p[n] != '\'' ||
                       (n + 1 < s.n && s.p[n + 1] == '\'')))
        n += s.p[n] == '\'' ? 2 : 1;
    if (n >= s.n)
        refuse(w, s, "a quote that does not end");
    return n + 1;
}

static size_t take_number(struct predicate *w, struct str s) {
    size_t n = 0;
    while (n < s.n && (is_digit(s.p[n]) || s.p[n] == '.'))
        n++;
    if (n + 1 < s.n && (s.p[n] == 'e' || s.p[n] == 'E') &&
        is_digit(s.p[n + 1])) {
        n++;
        while (n < s.n && is_digit(s.p[n]))
            n++;
    }
    if (n < s.n && is_word(s.p[n]))
        refuse(w, str_slice(s, 0, n + 1), "neither a number nor a name");
    return n;
}

static size_t take_operator(struct predicate *w, struct str s) {
    static const char *const pairs[] = {"<=", ">=", "<>", "!=", "==", "||"};
    static const char singles[] = "=<>+-*/%,";
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (str_starts(s, str_of(pairs[i])))
            return 2;
    }
    bool is_comment = str_starts(s, STR("--")) || str_starts(s, STR("/*"));
    if (is_comment || s.p[0] == '\0' || strchr(singles, s.p[0]) == NULL)
        refuse(w, str_slice(s, 0, 1), "this has no place in a predicate");
    return 1;
}

/* A token that is not a name. */
static size_t take_sign(struct predicate *w, struct str s) {
    char c = s.p[0];
    if (is_blank(c))
        return 1;
    if (c == '\'')
        return take_text(w, s);
    if (is_digit(c) || (c == '.' && s.n > 1 && is_digit(s.p[1])))
        return take_number(w, s);
    return take_operator(w, s);
}

/* A closing parenthesis must match an open one, so that the predicate cannot
 * end the parentheses that when.c puts round it. */
static bool take_parenthesis(struct predicate *w, struct str s, int *depth) {
    if (s.p[0] == '(') {
        ++*depth;
    } else if (s.p[0] == ')' && --*depth < 0) {
        refuse(w, str_slice(s, 0, 1), "it closes what was not opened");
    }
    return s.p[0] == '(' || s.p[0] == ')';
}

/* Append a sign; the first member of an IN list gets same() round it. */
static void put_sign(struct predicate *w, struct str sign, struct buf *sql) {
    bool is_open = w->list == LIST_NEXT && sign.p[0] == '(';
    bool is_member = w->list == LIST_OPEN &&
                     (sign.p[0] == '\'' || is_digit(sign.p[0]));
    put_word(sql, is_member ? STR("same(") : STR(""));
    put_word(sql, sign);
    put_word(sql, is_member ? STR(")") : STR(""));
    if (!is_blank(sign.p[0]))
        w->list = is_open ? LIST_OPEN : LIST_NONE;
}

static size_t take_word(struct predicate *w, struct str s, int *depth,
                        struct buf *sql) {
    if (is_word(s.p[0]) && !is_digit(s.p[0])) {
        size_t n = take_name(w, s, sql);
        bool is_in = str_eq_nocase(str_slice(s, 0, n), STR("in"));
        w->list = is_in ? LIST_NEXT : LIST_NONE;
        return n;
    }
    size_t n = take_parenthesis(w, s, depth) ? 1 : take_sign(w, s);
    put_sign(w, str_slice(s, 0, n), sql);
    return n;
}

struct predicate predicate_read(struct str text, struct buf *sql) {
    struct predicate w = {.why = NULL};
    int depth = 0;
    if (text.n > PREDICATE_BYTES_MAX)
        refuse(&w, STR(""), "longer than 4096 bytes");
    for (size_t at = 0; at < text.n && w.why == NULL;)
        at += take_word(&w, str_slice(text, at, text.n), &depth, sql);
    if (w.why == NULL && depth > 0)
        refuse(&w, STR("("), "it is not closed");
    if (w.why == NULL && w.fact_count == 0)
        refuse(&w, text, "it names no fact");
    return w;
}
