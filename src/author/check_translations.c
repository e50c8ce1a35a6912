/* check_translations.c: a text in two languages.
 *
 * English and Chinese are written natively, so the wording is free. These parts
 * must be the same:
 *
 *   `code spans`   the same ones
 *   --flags        the same ones
 *   numbers        the same ones, thousands commas aside. 15 wan is 150,000,
 *                  and a small number may be a word in either language
 *
 * glossary.c checks the terms of both.
 */
#include "author/build.h"

#include "base/limits.h"

struct tokens {
    struct str at[TRANSLATION_TOKENS_MAX];
    size_t count;
};

static void add_token(struct tokens *t, struct str token) {
    if (token.n > 0 && t->count < TRANSLATION_TOKENS_MAX)
        t->at[t->count++] = token;
}

static bool has_token(const struct tokens *t, struct str token) {
    for (size_t i = 0; i < t->count; i++)
        if (str_eq(t->at[i], token))
            return true;
    return false;
}

/* ---- code spans and flags ---- */

static void spans_of(struct str text, struct tokens *out) {
    struct str rest;
    str_cut(text, '`', &rest);
    while (rest.n > 0) {
        struct str span = str_cut(rest, '`', &rest);
        add_token(out, span);
        str_cut(rest, '`', &rest);
    }
}

static void flags_of(struct str text, struct tokens *out) {
    for (size_t i = 0; i + 2 < text.n; i++) {
        bool begins = text.p[i] == '-' && text.p[i + 1] == '-'
                      && is_letter(text.p[i + 2])
                      && (i == 0 || (!is_word(text.p[i - 1])
                                     && text.p[i - 1] != '-'));
        if (!begins)
            continue;
        size_t end = i + 2;
        while (end < text.n && (is_word(text.p[end]) || text.p[end] == '-'))
            end++;
        add_token(out, str_slice(text, i, end - i));
        i = end;
    }
}

/* ---- numbers ---- */

static bool follows(struct str text, size_t at, const char *word) {
    while (at < text.n && (text.p[at] == ' ' || text.p[at] == '\n'))
        at++;
    return str_starts(str_slice(text, at, text.n), str_of(word));
}

/* The number of zeros that a word behind a number stands for. */
static size_t zeros_behind(struct str text, size_t at) {
    static const struct {
        const char *word;
        size_t zeros;
    } scales[] = {{"\xe4\xb8\x87", 4}, {"\xe4\xba\xbf", 8},
                  {"\xe6\x88\x90", 1}, {"thousand", 3}, {"million", 6},
                  {"billion", 9}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (follows(text, at, scales[i].word))
            return scales[i].zeros;
    return 0;
}

/* The digits without commas; "12.85" with 4 zeros is "128500". */
static struct str written_out(struct arena *a, struct str number,
                              size_t zeros) {
    char *out = arena_array(a, number.n + zeros, 1);
    size_t n = 0;
    size_t point = str_find_char(number, '.');
    size_t behind = point < number.n ? number.n - point - 1 : 0;
    bool is_moved = zeros > 0 && behind <= zeros;
    for (size_t i = 0; i < number.n; i++)
        if (number.p[i] != ',' && !(is_moved && number.p[i] == '.'))
            out[n++] = number.p[i];
    for (size_t i = behind; is_moved && i < zeros; i++)
        out[n++] = '0';
    return (struct str){out, n};
}

static size_t number_end(struct str text, size_t at) {
    while (at < text.n) {
        bool joins = (text.p[at] == '.' || text.p[at] == ',')
                     && at + 1 < text.n && is_digit(text.p[at + 1]);
        if (!is_digit(text.p[at]) && !joins)
            break;
        at++;
    }
    return at;
}

static void numbers_of(struct arena *a, struct str text, struct tokens *out) {
    for (size_t i = 0; i < text.n; i++) {
        if (!is_digit(text.p[i]))
            continue;
        bool is_inside = i > 0 && (is_word(text.p[i - 1])
                                   || text.p[i - 1] == '.'
                                   || text.p[i - 1] == '{'); /* {0} */
        size_t end = number_end(text, i);
        if (!is_inside)
            add_token(out, written_out(a, str_slice(text, i, end - i),
                                       zeros_behind(text, end)));
        i = end - 1;
    }
}

/* ---- small numbers as words ---- */

#define SPELLED_MOST 12

static const char *const english[SPELLED_MOST + 1] = {
    "no zero none", "one first once single a January alone",
    "two second twice both double pair half February", "three third March",
    "four fourth quarter April", "five fifth May", "six sixth June",
    "seven seventh July", "eight eighth August", "nine ninth September",
    "ten tenth October tenths", "eleven eleventh November",
    "twelve twelfth dozen December"};
static const char *const chinese[SPELLED_MOST + 1] = {
    "\xe9\x9b\xb6 \xe6\xb2\xa1 \xe4\xb8\x8d", "\xe4\xb8\x80 \xe5\x8d\x95",
    "\xe4\xba\x8c \xe4\xb8\xa4 \xe5\x8f\x8c \xe5\x8d\x8a \xe9\x83\xbd",
    "\xe4\xb8\x89", "\xe5\x9b\x9b", "\xe4\xba\x94", "\xe5\x85\xad",
    "\xe4\xb8\x83", "\xe5\x85\xab", "\xe4\xb9\x9d", "\xe5\x8d\x81",
    "\xe5\x8d\x81\xe4\xb8\x80", "\xe5\x8d\x81\xe4\xba\x8c"};

static bool has_word(struct str text, struct str word, bool is_english) {
    for (size_t i = 0; i + word.n <= text.n; i++) {
        if (!str_eq_nocase(str_slice(text, i, word.n), word))
            continue;
        bool is_whole = (i == 0 || !is_letter(text.p[i - 1]))
                        && (i + word.n == text.n
                            || !is_letter(text.p[i + word.n]));
        if (!is_english || is_whole)
            return true;
    }
    return false;
}

/* True if the text has the number as a word. */
static bool spells_number(struct str text, struct str number, bool is_english) {
    int64_t value;
    if (!str_to_int(number, &value) || value < 0 || value > SPELLED_MOST)
        return false;
    struct str words = str_of((is_english ? english : chinese)[value]);
    while (words.n > 0)
        if (has_word(text, str_cut(words, ' ', &words), is_english))
            return true;
    return false;
}

/* ---- one text ---- */

struct versions {
    struct build *d;
    struct str en, zh;
    const struct source *src; /* of the Chinese */
    const struct node *node;
};

static void complain_of(const struct versions *v, enum code code,
                        const char *what, struct str token, bool is_in_en) {
    complain(&v->d->c, v->src, v->node->place, code,
             "%s `%.*s` stands in the %s only", what, STR_ARG(token),
             is_in_en ? "English" : "Chinese");
}

static void compare(const struct versions *v, enum code code,
                    const char *what, const struct tokens *en,
                    const struct tokens *zh) {
    bool is_number = code == CODE_translation_number;
    for (size_t i = 0; i < en->count; i++)
        if (!has_token(zh, en->at[i])
            && !(is_number && spells_number(v->zh, en->at[i], false)))
            complain_of(v, code, what, en->at[i], true);
    for (size_t i = 0; i < zh->count; i++)
        if (!has_token(en, zh->at[i])
            && !(is_number && spells_number(v->en, zh->at[i], true)))
            complain_of(v, code, what, zh->at[i], false);
}

static bool compare_all(const struct versions *v) {
    struct tokens t[2];
    size_t errors = v->d->c.errors;
    t[0].count = t[1].count = 0;
    spans_of(v->en, &t[0]);
    spans_of(v->zh, &t[1]);
    compare(v, CODE_translation_code, "code", &t[0], &t[1]);
    if (v->d->c.errors > errors)
        return false; /* flags and numbers in the code would differ, too */
    t[0].count = t[1].count = 0;
    flags_of(v->en, &t[0]);
    flags_of(v->zh, &t[1]);
    compare(v, CODE_translation_code, "the flag", &t[0], &t[1]);
    t[0].count = t[1].count = 0;
    numbers_of(v->d->a, v->en, &t[0]);
    numbers_of(v->d->a, v->zh, &t[1]);
    compare(v, CODE_translation_number, "the number", &t[0], &t[1]);
    return v->d->c.errors == errors;
}

void check_pair(struct build *d, struct text_node en, struct text_node zh) {
    struct versions v = {d, en.node->text, zh.node->text, zh.src, zh.node};
    compare_all(&v);
}

/* Check every mapping with en and zh below this node. */
static void walk(struct build *d, const struct source *src,
                 const struct node *n) {
    const struct node *en = node_get(n, "en");
    const struct node *zh = node_get(n, "zh");
    if (en != NULL && zh != NULL && en->kind == NODE_SCALAR
        && zh->kind == NODE_SCALAR) {
        check_pair(d, (struct text_node){src, en}, (struct text_node){src, zh});
        return;
    }
    for (size_t i = 0; i < n->count; i++)
        walk(d, src, node_child(n, i));
}

void check_translations(struct build *d, const struct made *m) {
    if (m->node != NULL)
        walk(d, m->src, m->node);
}
