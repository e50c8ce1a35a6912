/* predicate.c: reading a predicate by recursive descent.
 *
 *     gpu_free < 0.5 * gpu_total AND vcmp(engine_version, '0.9.1') >= 0
 *
 * The language is a part of SQL's expressions, with its precedence:
 *
 *     OR
 *     AND
 *     NOT
 *     = == <> !=  IS [NOT]  [NOT] IN (...)  [NOT] LIKE  [NOT] BETWEEN ... AND
 *     < <= > >=
 *     + -
 *     * /
 *     - +, as signs
 *     facts, numbers, 'texts', NULL, TRUE, FALSE, CASE, (...), functions
 *
 * A text is compared with texts only, and a truth value is a number. A
 * predicate that breaks these rules is refused here, so an evaluation cannot
 * fail.
 */
#include "index/predicate.h"

#include <string.h>

enum type { TYPE_ANY, TYPE_NUMBER, TYPE_TEXT }; /* any: NULL */

struct typed {
    struct expression *e;
    enum type type;
};

enum key {
    KEY_NONE, KEY_OR, KEY_AND, KEY_NOT, KEY_IS, KEY_IN, KEY_LIKE, KEY_BETWEEN,
    KEY_CASE, KEY_WHEN, KEY_THEN, KEY_ELSE, KEY_END, KEY_NULL, KEY_TRUE,
    KEY_FALSE, KEY_COUNT_OF
};

static const struct str keys[KEY_COUNT_OF] = {
    {"", 0},     {"or", 2},   {"and", 3},     {"not", 3},  {"is", 2},
    {"in", 2},   {"like", 4}, {"between", 7}, {"case", 4}, {"when", 4},
    {"then", 4}, {"else", 4}, {"end", 3},     {"null", 4}, {"true", 4},
    {"false", 5}};

enum level { LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_EQUAL, LEVEL_ORDER,
             LEVEL_SUM, LEVEL_PRODUCT, LEVEL_SIGN };

static const struct sign {
    struct str text;
    enum operation op;
    enum level level;
    bool is_of_numbers;
} signs[] = { /* the longer of two that begin alike is first */
    {{"==", 2}, OP_EQUAL, LEVEL_EQUAL, false},
    {{"=", 1}, OP_EQUAL, LEVEL_EQUAL, false},
    {{"<>", 2}, OP_UNEQUAL, LEVEL_EQUAL, false},
    {{"!=", 2}, OP_UNEQUAL, LEVEL_EQUAL, false},
    {{"<=", 2}, OP_AT_MOST, LEVEL_ORDER, false},
    {{"<", 1}, OP_LESS, LEVEL_ORDER, false},
    {{">=", 2}, OP_AT_LEAST, LEVEL_ORDER, false},
    {{">", 1}, OP_MORE, LEVEL_ORDER, false},
    {{"+", 1}, OP_ADD, LEVEL_SUM, true},
    {{"-", 1}, OP_SUBTRACT, LEVEL_SUM, true},
    {{"*", 1}, OP_MULTIPLY, LEVEL_PRODUCT, true},
    {{"/", 1}, OP_DIVIDE, LEVEL_PRODUCT, true}};

struct token {
    struct str rest; /* the text from here on; empty: its end */
    struct str word; /* a name or a keyword, else empty */
    enum key key;
    const struct sign *sign; /* an operator, or NULL */
};

struct parser {
    struct arena *a;
    struct predicate *out;
    struct token next;
    size_t depth;
};

static struct typed read_level(struct parser *p, enum level level);

static struct typed read_or(struct parser *p) {
    return read_level(p, LEVEL_OR);
}

/* ---- tokens ---- */

static enum key key_of(struct str word) {
    for (int i = 1; i < KEY_COUNT_OF; i++)
        if (word.n == keys[i].n && str_eq_nocase(word, keys[i]))
            return (enum key)i;
    return KEY_NONE;
}

static const struct sign *sign_at(struct str rest) {
    if (str_starts(rest, STR("--")) || str_starts(rest, STR("/*")))
        return NULL;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (rest.p[0] == signs[i].text.p[0] && str_starts(rest, signs[i].text))
            return &signs[i];
    return NULL;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Skip n bytes and blanks, and read the next token. */
static void pass(struct parser *p, size_t n) {
    struct str rest = str_from(p->next.rest, n);
    size_t blanks = 0, end = 0;
    while (blanks < rest.n && is_blank(rest.p[blanks]))
        blanks++;
    rest = str_from(rest, blanks);
    p->next = (struct token){.rest = rest};
    if (rest.n == 0)
        return;
    if (is_digit(rest.p[0]) || !is_word(rest.p[0])) {
        p->next.sign = sign_at(rest);
        return;
    }
    while (end < rest.n && is_word(rest.p[end]))
        end++;
    p->next.word = str_slice(rest, 0, end);
    p->next.key = key_of(p->next.word);
}

static char next_char(const struct parser *p) {
    return p->next.rest.n > 0 ? p->next.rest.p[0] : '\0';
}

/* Keep the first error, and skip the rest of the text. */
static void refuse(struct parser *p, struct str where, const char *why) {
    if (p->out->why == NULL) {
        p->out->why = why;
        p->out->where = where;
    }
    pass(p, p->next.rest.n);
}

static bool take_key(struct parser *p, enum key key) {
    bool is_next = p->next.key == key;
    if (is_next)
        pass(p, p->next.word.n);
    return is_next;
}

static bool take_char(struct parser *p, char c) {
    bool is_next = next_char(p) == c;
    if (is_next)
        pass(p, 1);
    return is_next;
}

static void expect_char(struct parser *p, char c, const char *why) {
    if (!take_char(p, c))
        refuse(p, p->next.rest, why);
}

static void expect_key(struct parser *p, enum key key, const char *why) {
    if (!take_key(p, key))
        refuse(p, p->next.rest, why);
}

/* ---- expressions ---- */

static struct typed make(struct parser *p, enum operation op, enum type type) {
    struct expression *e = arena_alloc(p->a, sizeof *e);
    e->op = op;
    return (struct typed){e, type};
}

static struct typed make_integer(struct parser *p, int64_t n) {
    struct typed x = make(p, OP_CONSTANT, TYPE_NUMBER);
    x.e->constant = (struct value){.kind = VALUE_INTEGER, .integer = n};
    return x;
}

static void add(struct typed *to, struct typed arg) {
    struct expression **end = &to->e->args;
    while (*end != NULL)
        end = &(*end)->next;
    *end = arg.e;
}

/* The common type of two operands; refused if there is none. */
static enum type both(struct parser *p, enum type x, enum type y) {
    if (x != TYPE_ANY && y != TYPE_ANY && x != y)
        refuse(p, p->next.rest,
               "a text and a number do not go together, up to");
    return x != TYPE_ANY ? x : y;
}

static struct typed combine(struct parser *p, enum operation op, struct typed x,
                            struct typed y) {
    struct typed made = make(p, op, TYPE_NUMBER);
    both(p, x.type, y.type);
    add(&made, x);
    add(&made, y);
    return made;
}

static struct typed combine_numbers(struct parser *p, enum operation op,
                                    struct typed x, struct typed y) {
    both(p, x.type, TYPE_NUMBER);
    both(p, y.type, TYPE_NUMBER);
    return combine(p, op, x, y);
}

static struct typed negate(struct parser *p, struct typed x) {
    struct typed made = make(p, OP_NOT, TYPE_NUMBER);
    both(p, x.type, TYPE_NUMBER);
    add(&made, x);
    return made;
}

static struct typed nothing(struct parser *p, struct str where,
                            const char *why) {
    refuse(p, where, why);
    return make(p, OP_CONSTANT, TYPE_ANY);
}

/* ---- operands ---- */

/* A text whose doubled quotes are made single. */
static struct str without_doubles(struct arena *a, struct str s) {
    char *text = arena_alloc(a, s.n);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i += s.p[i] == '\'' ? 2 : 1)
        text[n++] = s.p[i];
    return (struct str){text, n};
}

/* 'it''s': up to a quote that is not doubled. */
static struct typed read_text(struct parser *p) {
    struct typed x = make(p, OP_CONSTANT, TYPE_TEXT);
    struct str rest = p->next.rest;
    size_t end = 1, doubles = 0;
    while (end < rest.n && (rest.p[end] != '\'' ||
                            (end + 1 < rest.n && rest.p[end + 1] == '\''))) {
        doubles += rest.p[end] == '\'';
        end += rest.p[end] == '\'' ? 2 : 1;
    }
    struct str text = str_slice(rest, 1, end - 1);
    if (doubles > 0)
        text = without_doubles(p->a, text);
    x.e->constant = (struct value){.kind = VALUE_TEXT, .text = text};
    if (end >= rest.n)
        refuse(p, rest, "a quote that does not end");
    else
        pass(p, end + 1);
    return x;
}

#define EXACT_POWER 22 /* the greatest power of 10 that a double holds */

/* A decimal of few digits is a quotient of two numbers that a double holds
 * exactly, so it is the nearest double. */
static struct value value_of_decimal(int64_t digits, int shift) {
    double power = 1;
    for (int i = 0; i < (shift < 0 ? -shift : shift); i++)
        power *= 10;
    return (struct value){.kind = VALUE_REAL,
                          .real = shift < 0 ? (double)digits / power
                                            : (double)digits * power};
}

static size_t take_digits(struct str s, size_t n, int64_t *digits) {
    for (; n < s.n && is_digit(s.p[n]); n++)
        *digits = *digits > INT64_MAX / 10 - 1
                      ? INT64_MAX
                      : *digits * 10 + (s.p[n] - '0');
    return n;
}

struct decimal { /* digits * 10^shift */
    int64_t digits;
    int shift;
    bool is_real;
    size_t n; /* bytes of it */
};

static struct decimal take_decimal(struct str s) {
    struct decimal d = {.n = 0};
    int64_t power = 0;
    d.n = take_digits(s, 0, &d.digits);
    size_t whole = d.n;
    if (d.n < s.n && s.p[d.n] == '.') {
        d.n = take_digits(s, d.n + 1, &d.digits);
        d.shift = -(int)(d.n - whole - 1);
    }
    if (d.n + 1 < s.n && (s.p[d.n] == 'e' || s.p[d.n] == 'E') &&
        is_digit(s.p[d.n + 1]))
        d.n = take_digits(s, d.n + 1, &power);
    d.is_real = d.n > whole;
    d.shift += power <= EXACT_POWER ? (int)power : EXACT_POWER + 1;
    return d;
}

static bool is_exact(const struct decimal *d) {
    if (!d->is_real)
        return d->digits < INT64_MAX;
    return d->digits < INT64_C(1) << 53 && d->shift <= EXACT_POWER &&
           d->shift >= -EXACT_POWER;
}

static struct typed read_number(struct parser *p) {
    struct typed x = make_integer(p, 0);
    struct str s = p->next.rest;
    struct decimal d = take_decimal(s);
    if (str_eq(str_slice(s, 0, d.n), STR(".")))
        refuse(p, STR("."), "this has no place in a predicate");
    else if (d.n < s.n && (is_word(s.p[d.n]) || s.p[d.n] == '.'))
        refuse(p, str_slice(s, 0, d.n + 1), "neither a number nor a name");
    else if (!is_exact(&d))
        refuse(p, str_slice(s, 0, d.n), "more digits than are counted");
    if (p->out->why != NULL)
        return x;
    x.e->constant.integer = d.digits;
    if (d.is_real)
        x.e->constant = value_of_decimal(d.digits, d.shift);
    pass(p, d.n);
    return x;
}

static struct typed read_fact(struct parser *p, struct str word) {
    struct predicate *out = p->out;
    struct typed x = make(p, OP_FACT, TYPE_NUMBER);
    enum fact_name name;
    if (!fact_named(word, &name)) {
        refuse(p, word, "there is no such fact");
        return x;
    }
    while (x.e->fact < out->fact_count && out->facts[x.e->fact] != name)
        x.e->fact++;
    if (x.e->fact == PREDICATE_FACTS_MAX) {
        refuse(p, word, "one fact more than a predicate may name");
        return x;
    }
    out->facts[x.e->fact] = name;
    out->fact_count += x.e->fact == out->fact_count ? 1 : 0;
    enum unit unit = fact_unit(name);
    if (unit == UNIT_TEXT || unit == UNIT_VERSION)
        x.type = TYPE_TEXT;
    pass(p, word.n);
    return x;
}

/* The rest behind CASE. CASE x WHEN y ... is not in the language. */
static struct typed read_case(struct parser *p) {
    struct typed x = make(p, OP_CASE, TYPE_ANY);
    expect_key(p, KEY_WHEN, "a CASE without WHEN");
    do {
        struct typed condition = read_or(p);
        both(p, condition.type, TYPE_NUMBER);
        add(&x, condition);
        expect_key(p, KEY_THEN, "a WHEN without THEN");
        struct typed value = read_or(p);
        x.type = both(p, x.type, value.type);
        add(&x, value);
    } while (take_key(p, KEY_WHEN));
    struct typed value = take_key(p, KEY_ELSE) ? read_or(p)
                                              : make(p, OP_CONSTANT, TYPE_ANY);
    x.type = both(p, x.type, value.type);
    add(&x, value);
    expect_key(p, KEY_END, "a CASE without END");
    return x;
}

static const struct function {
    const char *name;
    enum operation op;
    size_t least, most; /* arguments */
    enum type takes, gives;
} functions[] = {
    {"coalesce", OP_COALESCE, 2, SIZE_MAX, TYPE_ANY, TYPE_ANY},
    {"abs", OP_ABS, 1, 1, TYPE_NUMBER, TYPE_NUMBER},
    {"min", OP_MIN, 2, SIZE_MAX, TYPE_ANY, TYPE_ANY},
    {"max", OP_MAX, 2, SIZE_MAX, TYPE_ANY, TYPE_ANY},
    {"vcmp", OP_VCMP, 2, 2, TYPE_TEXT, TYPE_NUMBER}};

static const struct function *function_named(struct str word) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (str_eq_nocase(word, str_of(functions[i].name)))
            return &functions[i];
    return NULL;
}

static struct typed read_call(struct parser *p, const struct function *f,
                              struct str word) {
    struct typed x = make(p, f->op, TYPE_ANY);
    enum type type = f->takes;
    size_t count = 0;
    expect_char(p, '(', "a function without its arguments");
    do {
        struct typed arg = read_or(p);
        type = both(p, type, arg.type);
        add(&x, arg);
        count++;
    } while (take_char(p, ','));
    expect_char(p, ')', "this has no place in a predicate");
    if (count < f->least || count > f->most)
        refuse(p, word, "not the number of arguments of this function");
    x.type = f->gives == TYPE_ANY ? type : f->gives;
    return x;
}

static struct typed read_word(struct parser *p, struct str word) {
    const struct function *f = function_named(word);
    if (f != NULL) {
        pass(p, word.n);
        return read_call(p, f, word);
    }
    if (take_key(p, KEY_CASE))
        return read_case(p);
    if (take_key(p, KEY_NULL))
        return make(p, OP_CONSTANT, TYPE_ANY);
    if (take_key(p, KEY_TRUE))
        return make_integer(p, 1);
    if (take_key(p, KEY_FALSE))
        return make_integer(p, 0);
    return read_fact(p, word);
}

static struct typed read_inside(struct parser *p) {
    if (p->depth == PREDICATE_DEPTH_MAX)
        return nothing(p, p->next.rest, "deeper than predicates may be");
    p->depth++;
    char c = next_char(p);
    struct typed x;
    if (p->next.word.n > 0) {
        x = read_word(p, p->next.word);
    } else if (c == '\'') {
        x = read_text(p);
    } else if (is_digit(c) || c == '.') {
        x = read_number(p);
    } else if (take_char(p, '(')) {
        x = read_or(p);
        expect_char(p, ')', "it is not closed");
    } else {
        x = nothing(p, str_slice(p->next.rest, 0, 1),
                    c == '\0' ? "it ends too early"
                              : "this has no place in a predicate");
    }
    p->depth--;
    return x;
}

static struct typed read_signed(struct parser *p) {
    bool is_negative = false;
    while (p->next.sign && p->next.sign->level == LEVEL_SUM) {
        is_negative ^= p->next.sign->op == OP_SUBTRACT;
        pass(p, 1);
    }
    struct typed x = read_inside(p);
    if (!is_negative)
        return x;
    return combine_numbers(p, OP_SUBTRACT, make_integer(p, 0), x);
}

/* ---- operators ---- */

static struct typed read_list(struct parser *p, struct typed x) {
    struct typed made = make(p, OP_IN, TYPE_NUMBER);
    enum type type = x.type;
    add(&made, x);
    expect_char(p, '(', "IN without a list");
    do {
        struct typed one = read_or(p);
        type = both(p, type, one.type);
        add(&made, one);
    } while (take_char(p, ','));
    expect_char(p, ')', "a list that is not closed");
    return made;
}

/* A copy, since an expression can be an argument of one operation only. */
static struct typed again(struct parser *p, struct typed x) {
    struct typed copy = make(p, x.e->op, x.type);
    *copy.e = *x.e;
    copy.e->next = NULL;
    return copy;
}

static struct typed read_between(struct parser *p, struct typed x) {
    struct typed same = again(p, x);
    struct typed least = read_level(p, LEVEL_ORDER);
    expect_key(p, KEY_AND, "BETWEEN without AND");
    struct typed most = read_level(p, LEVEL_ORDER);
    return combine(p, OP_AND, combine(p, OP_AT_LEAST, x, least),
                   combine(p, OP_AT_MOST, same, most));
}

static struct typed read_like(struct parser *p, struct typed x) {
    struct typed y = read_level(p, LEVEL_ORDER);
    both(p, x.type, TYPE_TEXT);
    both(p, y.type, TYPE_TEXT);
    return combine(p, OP_LIKE, x, y);
}

/* Read IS, IN, LIKE or BETWEEN. False: none of them follows. */
static bool read_test(struct parser *p, struct typed *x) {
    if (take_key(p, KEY_IS)) {
        bool is_not = take_key(p, KEY_NOT);
        struct typed test =
            combine(p, OP_IS, *x, read_level(p, LEVEL_ORDER));
        *x = is_not ? negate(p, test) : test;
        return true;
    }
    bool is_not = take_key(p, KEY_NOT), is_test = true;
    if (take_key(p, KEY_IN))
        *x = read_list(p, *x);
    else if (take_key(p, KEY_LIKE))
        *x = read_like(p, *x);
    else if (take_key(p, KEY_BETWEEN))
        *x = read_between(p, *x);
    else
        is_test = false;
    if (is_not && is_test)
        *x = negate(p, *x);
    else if (is_not)
        refuse(p, p->next.rest, "NOT behind a value");
    return is_test;
}

/* The level of the operator that comes next; -1: none does. */
static int next_level(const struct parser *p) {
    enum key key = p->next.key;
    return p->next.sign != NULL                       ? (int)p->next.sign->level
           : key == KEY_OR                            ? LEVEL_OR
           : key == KEY_AND                           ? LEVEL_AND
           : key >= KEY_NOT && key <= KEY_BETWEEN ? LEVEL_EQUAL
                                                      : -1;
}

/* Read the operator that comes next, of that level, and its right operand.
 * False: it is a NOT that stands wrong. */
static bool read_operator(struct parser *p, enum level level,
                          struct typed *x) {
    const struct sign *sign = p->next.sign;
    if (level == LEVEL_OR || level == LEVEL_AND) {
        pass(p, p->next.word.n);
        *x = combine_numbers(p, level == LEVEL_OR ? OP_OR : OP_AND, *x,
                             read_level(p, level + 1));
        return true;
    }
    if (sign == NULL)
        return read_test(p, x);
    pass(p, sign->text.n);
    struct typed y = read_level(p, level + 1);
    *x = sign->is_of_numbers ? combine_numbers(p, sign->op, *x, y)
                             : combine(p, sign->op, *x, y);
    return true;
}

/* An operand, and all operators behind it that bind at least as well. */
static struct typed read_level(struct parser *p, enum level level) {
    size_t nots = 0;
    while (level <= LEVEL_NOT && take_key(p, KEY_NOT))
        nots++;
    struct typed x = nots > 0 ? read_level(p, LEVEL_EQUAL) : read_signed(p);
    if (nots > 0)
        x = negate(p, x);
    if (nots > 0 && nots % 2 == 0)
        x = negate(p, x);
    for (int next = next_level(p); next >= (int)level; next = next_level(p))
        if (!read_operator(p, (enum level)next, &x))
            break;
    return x;
}

struct predicate predicate_read(struct arena *a, struct str text) {
    struct predicate out = {.why = NULL};
    struct parser p = {.a = a, .out = &out, .next = {.rest = text}};
    if (text.n > PREDICATE_BYTES_MAX) {
        refuse(&p, STR(""), "longer than 4096 bytes");
        return out;
    }
    pass(&p, 0);
    struct typed x = read_or(&p);
    both(&p, x.type, TYPE_NUMBER);
    if (p.next.rest.n > 0)
        refuse(&p, p.next.rest, "this has no place in a predicate");
    if (out.fact_count == 0)
        refuse(&p, text, "it names no fact");
    if (out.where.n == 0)
        out.where = text; /* at its end there is nothing to show */
    out.root = out.why == NULL ? x.e : NULL;
    return out;
}
