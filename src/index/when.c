/* when.c: evaluating predicates over facts, with the semantics of SQL.
 *
 *     gpu_free < 0.5 * gpu_total AND vcmp(engine_version, '0.9.1') >= 0
 *
 * An unknown fact is NULL, and so is a value computed from it; AND, OR, IN,
 * coalesce and CASE have a value if the known part decides it. Bytes, tokens,
 * blocks, counts and booleans are integers, which become reals on overflow of
 * 64 bits; ratios and seconds are reals. A quotient by 0, and the absolute
 * value of the least integer, are NULL. The tests compare this file with
 * SQLite.
 *
 * A predicate is parsed at its first use (predicate.c) and cached.
 */
#include "corpus/version.h"
#include "index/predicate.h"
#include "index/read.h"

struct evaluation {
    const struct predicate *predicate;
    const struct fact_list *facts;
};

static struct value evaluate(const struct evaluation *q,
                             const struct expression *e);

static struct value integer(int64_t n) {
    return (struct value){.kind = VALUE_INTEGER, .integer = n};
}

static struct value real(double x) {
    return x == x ? (struct value){.kind = VALUE_REAL, .real = x}
                  : (struct value){.kind = VALUE_NULL};
}

static double real_of(struct value v) {
    return v.kind == VALUE_REAL ? v.real : (double)v.integer;
}

static enum truth truth_of(struct value v) {
    if (v.kind == VALUE_NULL)
        return TRUTH_UNKNOWN;
    return (v.kind == VALUE_REAL ? v.real != 0 : v.integer != 0) ? TRUTH_TRUE
                                                                 : TRUTH_FALSE;
}

static struct value value_of_truth(enum truth t) {
    return t == TRUTH_UNKNOWN ? (struct value){.kind = VALUE_NULL}
                              : integer(t == TRUTH_TRUE);
}

/* ---- facts ---- */

/* The sum of all facts of that name; false: none is known, or overflow. */
static bool sum_of(const struct fact_list *facts, enum fact_name name,
                   struct fact *sum) {
    bool is_known = false;
    *sum = (struct fact){.name = name, .known = true};
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->at[i].name != name || !facts->at[i].known)
            continue;
        is_known = true;
        if (!add_i64(sum->number, facts->at[i].number, &sum->number))
            return false;
    }
    return is_known;
}

/* The value of a fact: the last one, or a sum in *room. NULL: not known. */
static const struct fact *fact_of(const struct fact_list *facts,
                                  enum fact_name name, struct fact *room) {
    if (name == FACT_other_in_use)
        return sum_of(facts, name, room) ? room : NULL;
    return facts_last(facts, name);
}

static struct value value_of_fact(const struct evaluation *q, size_t i) {
    struct fact room;
    const struct fact *f = fact_of(q->facts, q->predicate->facts[i], &room);
    if (f == NULL)
        return (struct value){.kind = VALUE_NULL};
    switch (fact_unit(f->name)) {
    case UNIT_TEXT:
    case UNIT_VERSION:
        return (struct value){.kind = VALUE_TEXT, .text = f->word};
    case UNIT_RATIO:
    case UNIT_SECONDS: /* reals, since predicates have literals like 0.9 */
        return real((double)f->number / (double)UNITS_MICRO);
    case UNIT_BYTES:
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT:
    case UNIT_BOOL: break;
    }
    return integer(f->number);
}

/* ---- comparing ---- */

static int order_of_reals(double x, double y) {
    return (x > y) - (x < y);
}

static int order_of_mixed(int64_t x, double y) {
    if (y < -9223372036854775808.0)
        return 1;
    if (y >= 9223372036854775808.0)
        return -1;
    int64_t whole = (int64_t)y;
    return x != whole ? (x > whole) - (x < whole)
                      : order_of_reals((double)x, y);
}

/* The order of two numbers or two texts. */
static int order_of(struct value x, struct value y) {
    if (x.kind == VALUE_TEXT)
        return str_cmp(x.text, y.text);
    if (x.kind == VALUE_INTEGER && y.kind == VALUE_INTEGER)
        return (x.integer > y.integer) - (x.integer < y.integer);
    if (x.kind == VALUE_INTEGER)
        return order_of_mixed(x.integer, y.real);
    if (y.kind == VALUE_INTEGER)
        return -order_of_mixed(y.integer, x.real);
    return order_of_reals(x.real, y.real);
}

static struct value compare(enum operation op, struct value x,
                            struct value y) {
    if (x.kind == VALUE_NULL || y.kind == VALUE_NULL)
        return op == OP_IS ? integer(x.kind == y.kind)
                           : (struct value){.kind = VALUE_NULL};
    int order = order_of(x, y);
    bool holds = op == OP_UNEQUAL   ? order != 0
                 : op == OP_LESS    ? order < 0
                 : op == OP_AT_MOST ? order <= 0
                 : op == OP_MORE    ? order > 0
                 : op == OP_AT_LEAST ? order >= 0
                                     : order == 0;
    return integer(holds);
}

static struct value in_list(const struct evaluation *q,
                            const struct expression *e) {
    struct value x = evaluate(q, e->args);
    enum truth found = TRUTH_FALSE;
    for (const struct expression *at = e->args->next; at; at = at->next) {
        enum truth one = truth_of(compare(OP_EQUAL, x, evaluate(q, at)));
        if (one == TRUTH_TRUE)
            return integer(1);
        found = one == TRUTH_UNKNOWN ? one : found;
    }
    return value_of_truth(found);
}

/* The offset behind the UTF-8 character at i. */
static size_t next_char(struct str s, size_t i) {
    i++;
    while (i < s.n && ((unsigned char)s.p[i] & 0xC0) == 0x80)
        i++;
    return i;
}

/* % matches any text, _ one character; ASCII letters match in either case. If a
 * match behind the last % fails, the next one begins one character later. */
static bool is_like(struct str s, struct str like) {
    size_t i = 0, k = 0, again_i = 0, again_k = SIZE_MAX;
    while (i < s.n) {
        char c = k < like.n ? like.p[k] : '\0';
        if (c == '%' && k < like.n) {
            again_k = ++k;
            again_i = i;
        } else if (c == '_' && k < like.n) {
            i = next_char(s, i);
            k++;
        } else if (k < like.n && to_lower(c) == to_lower(s.p[i])) {
            i++;
            k++;
        } else if (again_k != SIZE_MAX) {
            k = again_k;
            i = again_i = next_char(s, again_i);
        } else {
            return false;
        }
    }
    while (k < like.n && like.p[k] == '%')
        k++;
    return k == like.n;
}

/* ---- arithmetic ---- */

static bool negative_i64(int64_t x, int64_t *out) {
    *out = x == INT64_MIN ? 0 : -x;
    return x != INT64_MIN;
}

static bool subtract_i64(int64_t x, int64_t y, int64_t *out) {
    int64_t less;
    if (negative_i64(y, &less))
        return add_i64(x, less, out);
    return x < 0 && add_i64(x - INT64_MIN, 0, out);
}

static bool on_integers(enum operation op, int64_t x, int64_t y,
                        int64_t *out) {
    if (op == OP_ADD)
        return add_i64(x, y, out);
    if (op == OP_SUBTRACT)
        return subtract_i64(x, y, out);
    if (op == OP_MULTIPLY)
        return mul_i64(x, y, out);
    if (y == -1)
        return negative_i64(x, out);
    *out = x / y;
    return true;
}

static double on_reals(enum operation op, double x, double y) {
    return op == OP_ADD        ? x + y
           : op == OP_SUBTRACT ? x - y
           : op == OP_MULTIPLY ? x * y
                               : x / y;
}

static struct value arithmetic(enum operation op, struct value x,
                               struct value y) {
    bool is_known = x.kind != VALUE_NULL && y.kind != VALUE_NULL &&
                    (op != OP_DIVIDE || truth_of(y) == TRUTH_TRUE);
    int64_t n;
    if (!is_known)
        return (struct value){.kind = VALUE_NULL};
    if (x.kind == VALUE_INTEGER && y.kind == VALUE_INTEGER &&
        on_integers(op, x.integer, y.integer, &n))
        return integer(n);
    return real(on_reals(op, real_of(x), real_of(y)));
}

static struct value absolute(struct value x) {
    if (x.kind == VALUE_REAL)
        return real(x.real < 0 ? -x.real : x.real);
    if (x.kind == VALUE_INTEGER && x.integer < 0 &&
        !negative_i64(x.integer, &x.integer))
        return (struct value){.kind = VALUE_NULL};
    return x;
}

/* ---- functions ---- */

static struct value extreme(const struct evaluation *q,
                            const struct expression *e) {
    struct value best = evaluate(q, e->args);
    for (const struct expression *at = e->args->next; at; at = at->next) {
        struct value next = evaluate(q, at);
        if (best.kind == VALUE_NULL || next.kind == VALUE_NULL)
            return (struct value){.kind = VALUE_NULL};
        int order = order_of(next, best);
        if (e->op == OP_MIN ? order < 0 : order > 0)
            best = next;
    }
    return best;
}

static struct value first_known(const struct evaluation *q,
                                const struct expression *e) {
    struct value x = {.kind = VALUE_NULL};
    for (const struct expression *at = e->args;
         at && x.kind == VALUE_NULL; at = at->next)
        x = evaluate(q, at);
    return x;
}

static struct value chosen(const struct evaluation *q,
                           const struct expression *e) {
    const struct expression *at = e->args;
    while (at->next && truth_of(evaluate(q, at)) != TRUTH_TRUE)
        at = at->next->next;
    return evaluate(q, at->next ? at->next : at);
}

static struct value order_of_versions(struct value x, struct value y) {
    int order = 0;
    if (x.kind == VALUE_NULL || y.kind == VALUE_NULL ||
        !version_compare(x.text, y.text, &order))
        return (struct value){.kind = VALUE_NULL};
    return integer((order > 0) - (order < 0));
}

static struct value like(struct value x, struct value y) {
    if (x.kind == VALUE_NULL || y.kind == VALUE_NULL)
        return (struct value){.kind = VALUE_NULL};
    return integer(is_like(x.text, y.text));
}

/* ---- evaluation ---- */

/* AND, OR. decides: the truth of one operand that decides the result. */
static struct value connect(const struct evaluation *q,
                            const struct expression *e, enum truth decides) {
    enum truth x = truth_of(evaluate(q, e->args));
    if (x == decides)
        return value_of_truth(x);
    enum truth y = truth_of(evaluate(q, e->args->next));
    return value_of_truth(y == decides || x != TRUTH_UNKNOWN ? y : x);
}

static struct value negated(struct value x) {
    enum truth t = truth_of(x);
    return t == TRUTH_UNKNOWN ? value_of_truth(t) : integer(t == TRUTH_FALSE);
}

static struct value evaluate(const struct evaluation *q,
                             const struct expression *e) {
    switch (e->op) {
    case OP_CONSTANT: return e->constant;
    case OP_FACT: return value_of_fact(q, e->fact);
    case OP_OR: return connect(q, e, TRUTH_TRUE);
    case OP_AND: return connect(q, e, TRUTH_FALSE);
    case OP_NOT: return negated(evaluate(q, e->args));
    case OP_IN: return in_list(q, e);
    case OP_COALESCE: return first_known(q, e);
    case OP_MIN:
    case OP_MAX: return extreme(q, e);
    case OP_CASE: return chosen(q, e);
    case OP_ABS: return absolute(evaluate(q, e->args));
    case OP_EQUAL:
    case OP_UNEQUAL:
    case OP_LESS:
    case OP_AT_MOST:
    case OP_MORE:
    case OP_AT_LEAST:
    case OP_IS:
    case OP_LIKE:
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_VCMP: break;
    }
    struct value x = evaluate(q, e->args), y = evaluate(q, e->args->next);
    if (e->op == OP_LIKE)
        return like(x, y);
    if (e->op == OP_VCMP)
        return order_of_versions(x, y);
    return e->op >= OP_ADD && e->op <= OP_DIVIDE ? arithmetic(e->op, x, y)
                                                 : compare(e->op, x, y);
}

/* Fill v->names with the facts of the predicate, unknown ones first. */
static void name_facts(const struct evaluation *q, struct verdict_when *v) {
    const struct predicate *p = q->predicate;
    enum fact_name known[PREDICATE_FACTS_MAX];
    size_t known_count = 0;
    for (size_t i = 0; i < p->fact_count; i++) {
        struct fact room;
        if (fact_of(q->facts, p->facts[i], &room) != NULL)
            known[known_count++] = p->facts[i];
        else
            v->names[v->name_count++] = p->facts[i];
    }
    for (size_t i = 0; i < known_count; i++)
        v->names[v->name_count++] = known[i];
}

struct verdict_when when_evaluate(const struct predicate *p,
                                  const struct fact_list *facts) {
    struct verdict_when v = {.truth = TRUTH_UNKNOWN};
    struct evaluation q = {p, facts};
    name_facts(&q, &v);
    v.truth = truth_of(evaluate(&q, p->root));
    return v;
}

static struct str reason(struct arena *a, const struct predicate *p) {
    return arena_printf(a, "%s: \"%.*s\"", p->why,
                        (int)(p->where.n < 60 ? p->where.n : 60), p->where.p);
}

bool when_valid(struct arena *a, struct str predicate, struct str *why) {
    struct predicate p = predicate_read(a, predicate);
    if (p.root == NULL)
        *why = reason(a, &p);
    return p.root != NULL;
}

/* ---- the cache of a report ---- */

struct known_predicate {
    struct known_predicate *next;
    struct str text;
    struct predicate is;
};

/* Most differ at their ends. */
static size_t chain_of(struct str predicate) {
    size_t end = predicate.n > 12 ? 12 : predicate.n;
    uint64_t hash = str_hash(str_from(predicate, predicate.n - end));
    return (hash + predicate.n) % PREDICATE_CHAINS;
}

static const struct predicate *predicate_of(struct reader *r,
                                           struct str predicate) {
    struct known_predicate **chain = &r->predicates[chain_of(predicate)];
    struct known_predicate *known = *chain;
    while (known != NULL && !str_eq(known->text, predicate))
        known = known->next;
    if (known == NULL) {
        known = arena_alloc(r->arena, sizeof *known);
        *known = (struct known_predicate){
            *chain, predicate, predicate_read(r->arena, predicate)};
        if (known->is.root == NULL)
            arena_raise(r->arena, FAIL_INDEX, "a predicate is damaged: %.*s",
                        STR_ARG(reason(r->arena, &known->is)));
        *chain = known;
    }
    return &known->is;
}

struct verdict_when reader_when(struct reader *r, struct str predicate,
                                const struct fact_list *facts) {
    return when_evaluate(predicate_of(r, predicate), facts);
}

int64_t reader_value(struct reader *r, const char *expression,
                     const struct fact_list *facts) {
    struct evaluation q = {predicate_of(r, str_of(expression)), facts};
    struct value v = evaluate(&q, q.predicate->root);
    return v.kind == VALUE_INTEGER ? v.integer : 0;
}
