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

/* An operator, by its level: a higher one binds better. */
enum level { LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_EQUAL, LEVEL_ORDER,
             LEVEL_SUM, LEVEL_PRODUCT, LEVEL_NONE };

static const struct operator {
    struct str text; /* in small letters */
    enum operation op;
    enum level level;
    enum type takes; /* TYPE_ANY: two numbers or two texts */
} words[] = {
    {{"or", 2}, OP_OR, LEVEL_OR, TYPE_NUMBER},
    {{"and", 3}, OP_AND, LEVEL_AND, TYPE_NUMBER},
    {{"not", 3}, OP_NOT, LEVEL_EQUAL, TYPE_ANY}, /* before one of these: */
    {{"in", 2}, OP_IN, LEVEL_EQUAL, TYPE_ANY},
    {{"like", 4}, OP_LIKE, LEVEL_EQUAL, TYPE_TEXT},
    {{"between", 7}, OP_AT_LEAST, LEVEL_EQUAL, TYPE_ANY},
    {{"is", 2}, OP_IS, LEVEL_EQUAL, TYPE_ANY},
    {{"", 0}, OP_CONSTANT, LEVEL_NONE, TYPE_ANY}
}, marks[] = { /* the longer of two that begin alike is first */
    {{"==", 2}, OP_EQUAL, LEVEL_EQUAL, TYPE_ANY},
    {{"=", 1}, OP_EQUAL, LEVEL_EQUAL, TYPE_ANY},
    {{"<>", 2}, OP_UNEQUAL, LEVEL_EQUAL, TYPE_ANY},
    {{"!=", 2}, OP_UNEQUAL, LEVEL_EQUAL, TYPE_ANY},
    {{"<=", 2}, OP_AT_MOST, LEVEL_ORDER, TYPE_ANY},
    {{"<", 1}, OP_LESS, LEVEL_ORDER, TYPE_ANY},
    {{">=", 2}, OP_AT_LEAST, LEVEL_ORDER, TYPE_ANY},
    {{">", 1}, OP_MORE, LEVEL_ORDER, TYPE_ANY},
    {{"+", 1}, OP_ADD, LEVEL_SUM, TYPE_NUMBER},
    {{"-", 1}, OP_SUBTRACT, LEVEL_SUM, TYPE_NUMBER},
    {{"*", 1}, OP_MULTIPLY, LEVEL_PRODUCT, TYPE_NUMBER},
    {{"/", 1}, OP_DIVIDE, LEVEL_PRODUCT, TYPE_NUMBER},
    {{"", 0}, OP_CONSTANT, LEVEL_NONE, TYPE_ANY}};

static const struct operator *const no_operator =
    &marks[sizeof marks / sizeof *marks - 1];

struct parser {
    struct arena *a;
    struct predicate *out;
    /* The next token: a word, an operator, or the first byte of another one. */
    struct str rest, token; /* rest begins with it; empty: the end */
    const struct operator *operator; /* that it is; LEVEL_NONE: none */
    size_t depth;
};

static struct expression *read_level(struct parser *p, enum level level);

/* ---- tokens ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c) { return is_word(c) && !is_digit(c); }

/* A word of n bytes as an operator. */
static const struct operator *word_at(struct str rest, size_t n) {
    const struct operator *o = words;
    while (o->text.n > 0 &&
           (o->text.n != n || !str_eq_nocase(str_slice(rest, 0, n), o->text)))
        o++;
    return o;
}

static const struct operator *mark_at(struct str rest) {
    const struct operator *o = marks;
    char first = rest.p[0], second = rest.n > 1 ? rest.p[1] : '\0';
    bool is_comment = (first == '-' && second == '-') ||
                      (first == '/' && second == '*');
    if (is_comment || !is_any(first, "=<>!+-*/"))
        return no_operator;
    while (o->text.n > 0 &&
           (first != o->text.p[0] ||
            (o->text.n > 1 && second != o->text.p[1])))
        o++;
    return o;
}

/* Skip n bytes and blanks, and read the next token. */
static void skip(struct parser *p, size_t n) {
    struct str rest = str_from(p->rest, n);
    size_t blanks = 0, word = 0;
    while (blanks < rest.n && is_blank(rest.p[blanks]))
        blanks++;
    rest = str_from(rest, blanks);
    if (rest.n > 0 && is_name(rest.p[0]))
        while (word < rest.n && is_word(rest.p[word]))
            word++;
    p->rest = rest;
    p->operator = word > 0     ? word_at(rest, word)
                  : rest.n > 0 ? mark_at(rest)
                               : no_operator;
    size_t mark = p->operator->text.n > 0 ? p->operator->text.n : 1;
    p->token = str_slice(rest, 0, word > 0 ? word : mark);
}

/* Keep the first error, and skip the rest of the text. */
static void refuse(struct parser *p, struct str where, const char *why) {
    if (p->out->why == NULL) {
        p->out->why = why;
        p->out->where = where;
    }
    skip(p, p->rest.n);
}

static bool take(struct parser *p, struct str token) {
    bool is_next = str_eq_nocase(p->token, token);
    if (is_next)
        skip(p, p->token.n);
    return is_next;
}

/* NOT, which most operands are not behind. */
static bool take_not(struct parser *p) {
    bool is_next = p->operator->op == OP_NOT;
    if (is_next)
        skip(p, p->token.n);
    return is_next;
}

static void expect(struct parser *p, struct str token, const char *why) {
    if (!take(p, token))
        refuse(p, p->rest, why);
}

/* ---- expressions ---- */

static struct expression *make(struct parser *p, enum operation op,
                               enum type type) {
    struct expression *e = arena_alloc(p->a, sizeof *e);
    e->op = op;
    e->type = type;
    return e;
}

static struct expression *make_integer(struct parser *p, int64_t n) {
    struct expression *e = make(p, OP_CONSTANT, TYPE_NUMBER);
    e->constant = (struct value){.kind = VALUE_INTEGER, .integer = n};
    return e;
}

static void add(struct expression *to, struct expression *arg) {
    struct expression **end = &to->args;
    while (*end != NULL)
        end = &(*end)->next;
    *end = arg;
}

/* The common type of two operands; refused if there is none. */
static enum type both(struct parser *p, enum type x, enum type y) {
    if (x != TYPE_ANY && y != TYPE_ANY && x != y)
        refuse(p, p->rest, "a text and a number do not go together, up to");
    return x != TYPE_ANY ? x : y;
}

/* An operation that gives a number. y NULL: it has one operand. */
static struct expression *combine(struct parser *p, enum operation op,
                                  enum type takes, struct expression *x,
                                  struct expression *y) {
    struct expression *made = make(p, op, TYPE_NUMBER);
    enum type type = both(p, takes, x->type);
    add(made, x);
    if (y != NULL) {
        both(p, type, y->type);
        add(made, y);
    }
    return made;
}

static struct expression *negate(struct parser *p, struct expression *x) {
    return combine(p, OP_NOT, TYPE_NUMBER, x, NULL);
}

/* Expressions with commas between, in parentheses. Returns their number, and
 * their common type with *type. */
static size_t read_list(struct parser *p, struct expression *to,
                        enum type *type, const char *no_list,
                        const char *no_end) {
    size_t count = 0;
    expect(p, STR("("), no_list);
    do {
        struct expression *one = read_level(p, LEVEL_OR);
        *type = both(p, *type, one->type);
        add(to, one);
        count++;
    } while (take(p, STR(",")));
    expect(p, STR(")"), no_end);
    return count;
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
static struct expression *read_text(struct parser *p) {
    struct expression *x = make(p, OP_CONSTANT, TYPE_TEXT);
    struct str rest = p->rest;
    size_t end = 1, doubles = 0;
    while (end < rest.n && (rest.p[end] != '\'' ||
                            (end + 1 < rest.n && rest.p[end + 1] == '\''))) {
        doubles += rest.p[end] == '\'';
        end += rest.p[end] == '\'' ? 2 : 1;
    }
    struct str text = str_slice(rest, 1, end - 1);
    if (doubles > 0)
        text = without_doubles(p->a, text);
    x->constant = (struct value){.kind = VALUE_TEXT, .text = text};
    if (end >= rest.n)
        refuse(p, rest, "a quote that does not end");
    else
        skip(p, end + 1);
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

static struct expression *read_number(struct parser *p) {
    struct expression *x = make_integer(p, 0);
    struct str s = p->rest;
    struct decimal d = take_decimal(s);
    if (str_eq(str_slice(s, 0, d.n), STR(".")))
        refuse(p, STR("."), "this has no place in a predicate");
    else if (d.n < s.n && (is_word(s.p[d.n]) || s.p[d.n] == '.'))
        refuse(p, str_slice(s, 0, d.n + 1), "neither a number nor a name");
    else if (!is_exact(&d))
        refuse(p, str_slice(s, 0, d.n), "more digits than are counted");
    if (p->out->why != NULL)
        return x;
    x->constant.integer = d.digits;
    if (d.is_real)
        x->constant = value_of_decimal(d.digits, d.shift);
    skip(p, d.n);
    return x;
}

static struct expression *read_fact(struct parser *p, enum fact_name name) {
    struct predicate *out = p->out;
    struct expression *x = make(p, OP_FACT, TYPE_NUMBER);
    while (x->fact < out->fact_count && out->facts[x->fact] != name)
        x->fact++;
    if (x->fact == PREDICATE_FACTS_MAX) {
        refuse(p, p->token, "one fact more than a predicate may name");
        return x;
    }
    out->facts[x->fact] = name;
    out->fact_count += x->fact == out->fact_count ? 1 : 0;
    enum unit unit = fact_unit(name);
    if (unit == UNIT_TEXT || unit == UNIT_VERSION)
        x->type = TYPE_TEXT;
    skip(p, p->token.n);
    return x;
}

/* The rest behind CASE. CASE x WHEN y ... is not in the language. */
static struct expression *read_case(struct parser *p) {
    struct expression *x = make(p, OP_CASE, TYPE_ANY), *value;
    expect(p, STR("when"), "a CASE without WHEN");
    do {
        struct expression *condition = read_level(p, LEVEL_OR);
        both(p, condition->type, TYPE_NUMBER);
        add(x, condition);
        expect(p, STR("then"), "a WHEN without THEN");
        value = read_level(p, LEVEL_OR);
        x->type = both(p, x->type, value->type);
        add(x, value);
    } while (take(p, STR("when")));
    value = take(p, STR("else")) ? read_level(p, LEVEL_OR)
                            : make(p, OP_CONSTANT, TYPE_ANY);
    x->type = both(p, x->type, value->type);
    add(x, value);
    expect(p, STR("end"), "a CASE without END");
    return x;
}

static const struct function {
    struct str name;
    enum operation op;
    size_t least, most; /* arguments */
    enum type takes, gives;
} functions[] = {
    {{"coalesce", 8}, OP_COALESCE, 2, SIZE_MAX, TYPE_ANY, TYPE_ANY},
    {{"abs", 3}, OP_ABS, 1, 1, TYPE_NUMBER, TYPE_NUMBER},
    {{"min", 3}, OP_MIN, 2, SIZE_MAX, TYPE_ANY, TYPE_ANY},
    {{"max", 3}, OP_MAX, 2, SIZE_MAX, TYPE_ANY, TYPE_ANY},
    {{"vcmp", 4}, OP_VCMP, 2, 2, TYPE_TEXT, TYPE_NUMBER}};

static struct expression *read_word(struct parser *p) {
    struct str word = p->token;
    enum fact_name name;
    if (fact_named(word, &name))
        return read_fact(p, name);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const struct function *f = &functions[i];
        if (!take(p, f->name))
            continue;
        struct expression *x = make(p, f->op, TYPE_ANY);
        enum type type = f->takes;
        size_t count = read_list(p, x, &type,
                                 "a function without its arguments",
                                 "this has no place in a predicate");
        if (count < f->least || count > f->most)
            refuse(p, word, "not the number of arguments of this function");
        x->type = f->gives == TYPE_ANY ? type : f->gives;
        return x;
    }
    if (take(p, STR("case")))
        return read_case(p);
    if (take(p, STR("null")))
        return make(p, OP_CONSTANT, TYPE_ANY);
    if (take(p, STR("true")))
        return make_integer(p, 1);
    if (!take(p, STR("false")))
        refuse(p, word, "there is no such fact");
    return make_integer(p, 0);
}

static struct expression *read_operand(struct parser *p) {
    char c = p->rest.n > 0 ? p->rest.p[0] : '\0';
    struct expression *x;
    if (is_name(c))
        return read_word(p);
    if (c == '\'')
        return read_text(p);
    if (is_digit(c) || c == '.')
        return read_number(p);
    if (take(p, STR("("))) {
        x = read_level(p, LEVEL_OR);
        expect(p, STR(")"), "it is not closed");
        return x;
    }
    refuse(p, str_slice(p->rest, 0, 1),
           c == '\0' ? "it ends too early"
                     : "this has no place in a predicate");
    return make(p, OP_CONSTANT, TYPE_ANY);
}

static struct expression *read_signed(struct parser *p) {
    bool is_negative = false;
    for (; p->operator->level == LEVEL_SUM; skip(p, 1))
        is_negative ^= p->operator->op == OP_SUBTRACT;
    if (p->depth == PREDICATE_DEPTH_MAX)
        refuse(p, p->rest, "deeper than predicates may be");
    p->depth++;
    struct expression *x = read_operand(p);
    p->depth--;
    return is_negative ? combine(p, OP_SUBTRACT, TYPE_NUMBER,
                                 make_integer(p, 0), x)
                       : x;
}

/* ---- operators ---- */

/* The rest behind BETWEEN. x is copied, since an expression can be an argument
 * of one operation only. */
static struct expression *read_between(struct parser *p, struct expression *x) {
    struct expression *same = make(p, x->op, x->type);
    *same = *x;
    same->next = NULL;
    struct expression *least = read_level(p, LEVEL_ORDER);
    expect(p, STR("and"), "BETWEEN without AND");
    struct expression *most = read_level(p, LEVEL_ORDER);
    return combine(p, OP_AND, TYPE_NUMBER,
                   combine(p, OP_AT_LEAST, TYPE_ANY, x, least),
                   combine(p, OP_AT_MOST, TYPE_ANY, same, most));
}

static bool is_between(const struct operator *o) {
    return o->op == OP_AT_LEAST && o->level == LEVEL_EQUAL;
}

/* Read the operator that comes next, and its right operand. */
static struct expression *read_operator(struct parser *p,
                                        struct expression *x) {
    const struct operator *o = p->operator;
    bool is_not = take_not(p);
    if (is_not) {
        o = p->operator;
        if (o->op != OP_IN && o->op != OP_LIKE && !is_between(o)) {
            refuse(p, p->rest, "NOT behind a value");
            return x;
        }
    }
    skip(p, o->text.n);
    is_not = is_not || (o->op == OP_IS && take_not(p));
    if (o->op == OP_IN) {
        struct expression *made = make(p, OP_IN, TYPE_NUMBER);
        enum type type = x->type;
        add(made, x);
        read_list(p, made, &type, "IN without a list",
                  "a list that is not closed");
        x = made;
    } else if (is_between(o)) {
        x = read_between(p, x);
    } else {
        x = combine(p, o->op, o->takes, x, read_level(p, o->level + 1));
    }
    return is_not ? negate(p, x) : x;
}

/* An operand, and all operators behind it that bind at least as well. */
static struct expression *read_level(struct parser *p, enum level level) {
    size_t nots = 0;
    while (level <= LEVEL_NOT && take_not(p))
        nots++;
    struct expression *x = nots > 0 ? read_level(p, LEVEL_EQUAL)
                                    : read_signed(p);
    for (size_t i = 0; i < nots && i < 2 - nots % 2; i++)
        x = negate(p, x);
    while (p->operator->level >= level && p->operator->level < LEVEL_NONE)
        x = read_operator(p, x);
    return x;
}

struct predicate predicate_read(struct arena *a, struct str text) {
    struct predicate out = {.why = NULL};
    struct parser p = {.a = a, .out = &out, .rest = text};
    if (text.n > PREDICATE_BYTES_MAX) {
        refuse(&p, STR(""), "longer than 4096 bytes");
        return out;
    }
    skip(&p, 0);
    struct expression *x = read_level(&p, LEVEL_OR);
    both(&p, x->type, TYPE_NUMBER);
    if (p.rest.n > 0)
        refuse(&p, p.rest, "this has no place in a predicate");
    if (out.fact_count == 0)
        refuse(&p, text, "it names no fact");
    if (out.where.n == 0)
        out.where = text; /* at its end there is nothing to show */
    out.root = out.why == NULL ? x : NULL;
    return out;
}
