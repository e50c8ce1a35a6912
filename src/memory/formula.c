/* formula.c: numbers, sources and sentences of formulas, in one spelling. */
#include "memory/formula.h"

#include "memory/span.h"

#define TEXT_MAX 4096

static struct str write(struct arena *a, void (*put)(struct buf *, int64_t),
                        int64_t n) {
    struct buf b;
    buf_init_in(&b, a, TEXT_MAX);
    put(&b, n);
    return arena_str(a, buf_str(&b));
}

struct str write_bytes(struct arena *a, int64_t bytes) {
    return write(a, units_bytes, bytes);
}

struct str write_short(struct arena *a, int64_t bytes) {
    return write(a, units_short, bytes);
}

struct str write_as(struct arena *a, int64_t bytes, int64_t like) {
    int64_t unit = 1;
    if (bytes < like / 1000 || bytes > like) {
        return write_short(a, bytes);
    }
    while (unit <= like / 1024) {
        unit *= 1024;
    }
    int64_t thousandths = 0;
    if (!mul_div_floor(bytes, 1000, unit, &thousandths)) {
        return write_short(a, bytes);
    }
    long long hundredths = (thousandths + 5) / 10;
    return arena_printf(a, "%lld.%02lld", hundredths / 100, hundredths % 100);
}

struct str write_count(struct arena *a, int64_t n) {
    return write(a, units_count, n);
}

struct str write_ratio(struct arena *a, int64_t micro) {
    return write(a, units_ratio, micro);
}

struct str write_bytes_span(struct arena *a, struct span s) {
    struct str low = write_bytes(a, s.low), high = write_bytes(a, s.high);
    if (str_eq(low, high)) {
        return low;
    }
    return arena_printf(a, "%.*s to %.*s", STR_ARG(low), STR_ARG(high));
}

void formula_put(struct arena *a, struct formulas *f, struct str text) {
    if (f == NULL || text.n == 0) {
        return;
    }
    f->at = arena_grow(a, f->at, f->count, &f->cap, sizeof *f->at);
    f->at[f->count++] = text;
}

struct str formula_join(struct arena *a, struct str first, struct str second) {
    if (first.n == 0 || second.n == 0) {
        return first.n == 0 ? second : first;
    }
    return arena_printf(a, "%.*s; %.*s", STR_ARG(first), STR_ARG(second));
}

struct str write_source(struct arena *a, const struct memory_case *c,
                        enum fact_name name) {
    const struct fact *f = &c->in[name];
    if (name == FACT_model) {
        bool is_given = c->model && str_eq(c->model->verified, STR("given"));
        return c->model
                   ? arena_printf(a, "%s %.*s", is_given ? "given" : "catalogue",
                                  STR_ARG(c->model->id))
                   : (struct str){0};
    }
    if (!f->known) {
        return (struct str){0};
    }
    switch (f->source) {
    case SOURCE_LOG:
        return f->line ? arena_printf(a, "log line %u", (unsigned)f->line)
                       : STR("log");
    case SOURCE_USER: return STR("given");
    case SOURCE_CATALOGUE: return STR("catalogue");
    case SOURCE_DEFAULT: return STR("default");
    case SOURCE_DERIVED: return STR("derived");
    }
    return (struct str){0};
}

struct str write_sources(struct arena *a, const struct memory_case *c,
                         const enum fact_name *names) {
    struct buf b;
    buf_init_in(&b, a, TEXT_MAX);
    for (; *names != FACT_COUNT_OF; names++) {
        struct str source = write_source(a, c, *names);
        if (source.n == 0) {
            continue;
        }
        buf_printf(&b, "%s%s: %.*s", buf_str(&b).n ? "; " : " [",
                   fact_spelling(*names), STR_ARG(source));
    }
    if (buf_str(&b).n) {
        buf_add_char(&b, ']');
    }
    return arena_str(a, buf_str(&b));
}

void needs_add(struct needs *needs, enum fact_name name) {
    for (size_t i = 0; i < needs->count; i++) {
        if (needs->at[i] == name) {
            return;
        }
    }
    if (needs->count < sizeof needs->at / sizeof needs->at[0]) {
        needs->at[needs->count++] = name;
    }
}

struct str write_margin(struct arena *a, const struct memory_case *c,
                        struct span more) {
    struct span tried = span_of_fact(&c->in[FACT_tried_alloc]);
    struct span most = span_plus(tried, span_exact(more.high));
    if (!more.known || more.high <= 0 || !most.known) {
        return (struct str){0};
    }
    struct str t = write_bytes(a, span_middle(tried));
    struct str m = write_bytes(a, more.high);
    struct str v = write_bytes(a, span_middle(most));
    return arena_printf(a,
                        "room needed at most = %.*s that failed + %.*s still "
                        "to come = %.*s",
                        STR_ARG(t), STR_ARG(m), STR_ARG(v));
}
