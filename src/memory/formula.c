/* formula.c: numbers, sources and sentences of formulas, in one spelling. */
#include "base/limits.h"
#include "memory/amount.h"

struct str term_write(struct arena *a, struct term t) {
    struct buf b = buf_in(a, FORMULA_BYTES_MAX);
    struct str low = {0}, high = {0};
    switch (t.kind) {
    case TERM_BYTES: units_bytes(&b, t.n); break;
    case TERM_SHORT: units_short(&b, t.n); break;
    case TERM_COUNT: units_count(&b, t.n); break;
    case TERM_RATIO: units_ratio(&b, t.n); break;
    case TERM_PLAIN: buf_printf(&b, "%lld", (long long)t.n); break;
    case TERM_TEXT: return t.text;
    case TERM_SPAN:
        low = write_bytes(a, t.n);
        high = write_bytes(a, t.high);
        return str_eq(low, high) ? low
                                 : FORMULA(a, "% to %", TEXT(low), TEXT(high));
    }
    return arena_str(a, buf_str(&b));
}

struct str formula_write(struct arena *a, const char *pattern,
                         const struct term *terms) {
    if (a == NULL)
        return (struct str){0};
    struct buf b = buf_in(a, FORMULA_BYTES_MAX);
    for (; *pattern; pattern++) {
        if (*pattern == '%')
            buf_add(&b, term_write(a, *terms++));
        else
            buf_add_char(&b, *pattern);
    }
    return arena_str(a, buf_str(&b));
}

struct str write_bytes(struct arena *a, int64_t bytes) {
    return term_write(a, BYTES(bytes));
}

struct str write_count(struct arena *a, int64_t n) {
    return term_write(a, COUNT(n));
}

void formula_put(struct arena *a, struct formulas *f, struct str text) {
    if (f == NULL || text.n == 0)
        return;
    f->at = arena_grow(a, f->at, f->count, &f->cap, sizeof *f->at);
    f->at[f->count++] = text;
}

struct str formula_join(struct arena *a, struct str first, struct str second) {
    if (first.n == 0 || second.n == 0)
        return first.n == 0 ? second : first;
    return arena_printf(a, "%.*s; %.*s", STR_ARG(first), STR_ARG(second));
}

struct str write_source(struct arena *a, const struct inputs *c,
                        enum fact_name name) {
    const struct fact *f = &c->in[name];
    if (name == FACT_model) {
        bool is_given = c->model && str_eq(c->model->verified, STR("given"));
        return c->model ? arena_printf(a, "%s %.*s",
                                       is_given ? "given" : "catalogue",
                                       STR_ARG(c->model->id))
                        : (struct str){0};
    }
    if (!f->known)
        return (struct str){0};
    switch (f->source) {
    case SOURCE_LOG:
        return f->line ? arena_printf(a, "log line %u", (unsigned)f->line)
                       : STR("log");
    case SOURCE_USER: return STR("given");
    case SOURCE_MACHINE: return STR("machine");
    case SOURCE_CATALOGUE: return STR("catalogue");
    case SOURCE_DEFAULT: return STR("default");
    case SOURCE_DERIVED: return STR("derived");
    }
    return (struct str){0};
}

/* " [max_model_len: log line 7; ...]": the known ones; the model where it is
 * known and listed. */
static struct str write_sources(struct arena *a, const struct inputs *c,
                                const enum fact_name *names) {
    struct buf b = buf_in(a, FORMULA_BYTES_MAX);
    for (; *names != FACT_COUNT_OF; names++) {
        struct str source = write_source(a, c, *names);
        if (source.n == 0)
            continue;
        buf_printf(&b, "%s%s: %.*s", buf_str(&b).n ? "; " : " [",
                   fact_spelling(*names), STR_ARG(source));
    }
    if (buf_str(&b).n)
        buf_add_char(&b, ']');
    return arena_str(a, buf_str(&b));
}

struct str formula_with(struct arena *a, const struct inputs *c,
                        const enum fact_name *used, const char *pattern,
                        const struct term *terms) {
    if (c->is_silent)
        return (struct str){0};
    struct str text = formula_write(a, pattern, terms);
    return FORMULA(a, "%%", TEXT(text), TEXT(write_sources(a, c, used)));
}

void needs_add(struct needs *needs, enum fact_name name) {
    for (size_t i = 0; i < needs->count; i++)
        if (needs->at[i] == name)
            return;
    if (needs->count < sizeof needs->at / sizeof needs->at[0])
        needs->at[needs->count++] = name;
}

struct str write_margin(struct arena *a, const struct inputs *c,
                        struct span more) {
    struct span tried = span_in(c, FACT_tried_alloc);
    struct span most = span_plus(tried, span_exact(more.high));
    if (!more.known || more.high <= 0 || !most.known)
        return (struct str){0};
    return FORMULA(a,
                   "room needed at most = % that failed + % still to come = %",
                   MIDDLE(tried), BYTES(more.high), MIDDLE(most));
}
