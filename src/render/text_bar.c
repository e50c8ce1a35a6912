/* text_bar.c: the memory as bars, drawn to one scale:
 *
 *     GPU       ########%%%%%%......   47.38 GiB
 *               # weights 15.0 GiB  % others 15.94 GiB  . free 31.44 GiB
 *     needed    ==============  45.01 GiB, 13.57 GiB more than there is
 *
 * Parts come from the budget where the arithmetic knows one, else from the
 * numbers of the message. Numbers that do not add up draw nothing: a wrong
 * picture is worse than none. Other holders of the card are named below by
 * their pids, where the message has them. Glyphs differ, so it reads without
 * colour.
 */
#include "render/page.h"

#include "base/utf8.h"

#include <inttypes.h>

#define SEGMENTS_MAX 12
#define MARGIN 10       /* columns of a bar's label */
#define TOTAL_COLUMNS 12 /* kept free at the right of a bar */
#define HOLDERS_MAX 8    /* processes that are named */

struct look {
    const char *part, *glyph;
    enum ink ink;
};

static const struct look looks[] = {
    {"weights", "\u2588", INK_PLAIN},    {"activation", "\u2593", INK_WARN},
    {"kv_cache", "\u2592", INK_COMMAND}, {"non_torch", "\u259a", INK_DIM},
    {"context", "\u259a", INK_DIM},
    {"cuda_graphs", "\u259e", INK_DIM},  {"others", "\u2580", INK_BAD},
    {"rest", "\u2593", INK_WARN},
    {"left_over", "\u00b7", INK_DIM},
    {"gradients", "\u259c", INK_WARN},  {"optimizer", "\u2599", INK_COMMAND},
    {"reserve", "\u00b7", INK_DIM},      {"free", "\u2591", INK_GOOD},
    {"mine", "\u2588", INK_PLAIN},       {"unallocated", "\u2592", INK_WARN},
    {"in_use", "\u2593", INK_DIM},       {"needed", "\u2584", INK_BAD},
};

struct segment {
    const struct look *look;
    struct span bytes;
};

struct bar {
    int64_t total_bytes;
    struct segment at[SEGMENTS_MAX];
    size_t count;
};

static const struct look *look_of(const char *part) {
    size_t count = sizeof looks / sizeof *looks;
    for (size_t i = 0; i < count; i++) {
        if (str_eq(str_of(looks[i].part), str_of(part))) {
            return &looks[i];
        }
    }
    return &looks[count - 2];
}

static int64_t middle(struct span s) {
    return s.low + (s.high - s.low) / 2;
}

static void add_segment(struct bar *b, const char *part, struct span bytes) {
    bool is_drawn = bytes.known && bytes.low >= 0 && middle(bytes) > 0;
    if (is_drawn && b->count < SEGMENTS_MAX) {
        b->at[b->count++] = (struct segment){look_of(part), bytes};
    }
}

static int64_t sum_of(const struct bar *b) {
    int64_t sum = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (!add_i64(sum, middle(b->at[i].bytes), &sum)) {
            return INT64_MAX;
        }
    }
    return sum;
}

static struct span exactly(int64_t n) {
    return (struct span){true, n, n};
}

static struct span fact_span(const struct finding *f, enum fact_name name) {
    const struct fact *fact = facts_last(&f->facts, name);
    bool is_drawable = fact != NULL && fact->known && !fact_is_absurd(fact);
    return is_drawable ? exactly(fact->number) : (struct span){0};
}

/* What all other processes hold; own ones are told apart upstream. */
static struct span held_by_others(const struct finding *f) {
    struct span sum = {0};
    for (size_t i = 0; i < f->facts.count; i++) {
        const struct fact *fact = &f->facts.at[i];
        bool is_one = fact->name == FACT_other_in_use && fact->known;
        if (is_one && add_i64(sum.low, fact->number, &sum.low)) {
            sum.known = true;
        }
    }
    sum.high = sum.low;
    return sum;
}

static bool bar_of_budget(const struct finding *f, struct bar *b) {
    const struct budget *budget = &f->budget;
    if (!budget->total.known || middle(budget->total) <= 0) {
        return false;
    }
    b->total_bytes = middle(budget->total);
    const struct budget_part *free_ = NULL; /* drawn last */
    for (size_t i = 0; i < budget->count; i++) {
        const struct budget_part *part = &budget->parts[i];
        if (str_eq(str_of(part->part), STR("free"))) {
            free_ = part;
        } else {
            add_segment(b, part->part, part->bytes);
        }
    }
    if (free_ != NULL) {
        add_segment(b, "free", free_->bytes);
    }
    return b->count >= 2;
}

/* This process: what it allocated and what it only holds, or one number. */
static void add_own(const struct finding *f, struct bar *b) {
    struct span allocated = fact_span(f, FACT_pytorch_allocated);
    if (allocated.known) {
        add_segment(b, "mine", allocated);
        add_segment(b, "unallocated", fact_span(f, FACT_pytorch_unallocated));
    } else {
        add_segment(b, "mine", fact_span(f, FACT_process_in_use));
    }
}

static bool bar_of_facts(const struct finding *f, struct bar *b) {
    struct span total = fact_span(f, FACT_gpu_total);
    struct span free_ = fact_span(f, FACT_gpu_free);
    if (!total.known || !free_.known || total.low <= 0) {
        return false;
    }
    b->total_bytes = total.low;
    add_own(f, b);
    add_segment(b, "others", held_by_others(f));
    int64_t rest = total.low - free_.low - sum_of(b);
    bool is_whose = f->shortage == SHORT_FREE_AT_START && b->count == 0;
    if (rest > total.low / 200) {
        add_segment(b, is_whose ? "others" : "in_use", exactly(rest));
    }
    add_segment(b, "free", free_);
    return sum_of(b) <= total.low + total.low / 100;
}

struct want { /* what was asked for, and what there is for it */
    struct span needed, available;
};

static struct span at_start(const struct finding *f) {
    struct span total = fact_span(f, FACT_gpu_total);
    struct span share = fact_span(f, FACT_gpu_memory_utilization);
    const struct fact *printed = facts_last(&f->facts, FACT_requested_bytes);
    int64_t wanted = 0;
    if (printed != NULL && printed->known) {
        return exactly(printed->number); /* not one reckoned beside it */
    }
    bool is_known = total.known && share.known &&
                    mul_div_floor(total.low, share.low, UNITS_MICRO, &wanted);
    return is_known ? exactly(wanted) : (struct span){0};
}

static struct want want_of(const struct finding *f) {
    switch (f->shortage) {
    case SHORT_KV_POOL:
        return (struct want){fact_span(f, FACT_kv_needed),
                             fact_span(f, FACT_kv_available)};
    case SHORT_FREE_AT_START:
        return (struct want){at_start(f), fact_span(f, FACT_gpu_free)};
    case SHORT_ALLOCATION:
        return (struct want){fact_span(f, FACT_tried_alloc),
                             fact_span(f, FACT_gpu_free)};
    case SHORT_HOST:
    case SHORT_TOKENS:
    case SHORT_UNKNOWN: break;
    }
    return (struct want){0};
}

static void put_blanks(struct page *p, size_t count) {
    buf_fill(p->out, ' ', count);
}

static void put_label(struct page *p, const char *key) {
    struct str label = said(p->t, key);
    size_t width = utf8_width(label);
    page_put(p, INK_PLAIN, label);
    put_blanks(p, width < MARGIN ? MARGIN - width : 1);
}

/* Columns up to which bytes reach on this scale. */
static size_t reach(int64_t bytes, int64_t scale, size_t columns) {
    int64_t at = 0;
    bool is_sane = scale > 0 && bytes >= 0 &&
                   mul_div_floor(bytes, 2 * (int64_t)columns, scale, &at);
    size_t half = is_sane ? (size_t)(at + 1) / 2 : 0;
    return half < columns ? half : columns;
}

static size_t put_segments(struct page *p, const struct bar *b, int64_t scale,
                           size_t columns) {
    int64_t sum = 0;
    size_t from = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (!add_i64(sum, middle(b->at[i].bytes), &sum)) {
            break;
        }
        size_t to = reach(sum, scale, columns);
        struct buf cells;
        buf_init_in(&cells, p->t->a, 1024);
        for (; from < to; from++) {
            buf_add(&cells, str_of(b->at[i].look->glyph));
        }
        page_put(p, b->at[i].look->ink, settled(p->t->a, &cells));
    }
    return from;
}

static struct str legend_words(const struct teller *t,
                               const struct segment *s) {
    struct str label = said(
        t, arena_printf(t->a, "budget.%s", s->look->part).p);
    struct str args[] = {label, shown_span(t, UNIT_BYTES, s->bytes)};
    return said_with(t, "report.legend", args, 2);
}

static void put_legend(struct page *p, const struct bar *b) {
    size_t used = 0;
    for (size_t i = 0; i < b->count; i++) {
        const struct segment *s = &b->at[i];
        struct str words = legend_words(p->t, s);
        size_t width = 2 + utf8_width(words);
        if (used == 0 || used + 2 + width > p->width) {
            buf_add(p->out, used == 0 ? STR("") : STR("\n"));
            put_blanks(p, MARGIN);
            used = MARGIN + width;
        } else {
            put_blanks(p, 2);
            used += 2 + width;
        }
        page_put(p, s->look->ink, str_of(s->look->glyph));
        put_blanks(p, 1);
        page_put(p, INK_PLAIN, words);
    }
    buf_add_char(p->out, '\n');
}

static size_t bar_columns(const struct page *p) {
    return p->width - MARGIN - TOTAL_COLUMNS;
}

static void write_bar(struct page *p, const char *label, const struct bar *b,
                      int64_t scale) {
    size_t columns = bar_columns(p);
    put_label(p, label);
    size_t drawn = put_segments(p, b, scale, columns);
    put_blanks(p, columns - drawn + 1);
    page_put(p, INK_PLAIN, shown_number(p->t, UNIT_BYTES, b->total_bytes));
    buf_add_char(p->out, '\n');
    if (b->count > 1) {
        put_legend(p, b);
    }
}

static struct str want_words(const struct teller *t, const struct want *w) {
    struct str args[2] = {shown_span(t, UNIT_BYTES, w->needed), {NULL, 0}};
    bool is_short = w->available.known && w->needed.low > w->available.low;
    if (!is_short) {
        return args[0];
    }
    args[1] = shown_number(t, UNIT_BYTES, w->needed.low - w->available.low);
    return said_with(t, "report.more_than_there_is", args, 2);
}

static void write_want(struct page *p, const struct want *w, int64_t scale) {
    struct bar b = {0};
    add_segment(&b, "needed", w->needed);
    put_label(p, "report.bar_needed");
    size_t used = MARGIN + put_segments(p, &b, scale, bar_columns(p));
    struct str words = want_words(p->t, w);
    if (used + 1 + utf8_width(words) > p->width) {
        buf_add_char(p->out, '\n');
        used = 0;
        put_blanks(p, MARGIN);
    } else {
        put_blanks(p, 1);
    }
    page_put(p, INK_PLAIN, words);
    buf_add_char(p->out, '\n');
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* "Held by pid 1253: 1.08 GiB, pid 1254: 512 MiB." Who is ended is known by
 * its pid. */
static void write_holders(struct page *p, const struct finding *f) {
    struct buf list;
    buf_init_in(&list, p->t->a, (size_t)64 << 10);
    for (size_t i = 0, count = 0;
         i < f->facts.count && count < HOLDERS_MAX; i++) {
        const struct fact *fact = &f->facts.at[i];
        if (fact->name != FACT_other_in_use || fact->pid == FACT_NONE) {
            continue;
        }
        struct str pair[] = {
            arena_printf(p->t->a, "%" PRId64, fact->pid),
            shown_fact(p->t, fact)};
        buf_add(&list, count++ ? said(p->t, "report.and") : STR(""));
        buf_add(&list, said_with(p->t, "report.holder", pair, 2));
    }
    if (list.n > 0) {
        struct str words = settled(p->t->a, &list);
        page_text(p, 0, INK_PLAIN,
                  said_with(p->t, "report.held_by", &words, 1));
    }
}

static void write_bars(struct page *p, const struct finding *f) {
    struct bar gpu = {0}, from_facts = {0}, there = {0};
    struct want want = want_of(f);
    bool has_gpu = bar_of_budget(f, &gpu);
    if (!has_gpu && bar_of_facts(f, &from_facts)) {
        gpu = from_facts;
        has_gpu = gpu.count > 1;
    }
    bool has_want = want.needed.known && want.needed.low > 0;
    if (!has_gpu && !(has_want && want.available.known)) {
        return;
    }
    int64_t scale = has_want ? want.needed.low : 1;
    if (has_gpu) {
        scale = larger(scale, larger(gpu.total_bytes, sum_of(&gpu)));
        write_bar(p, "report.bar_gpu", &gpu, scale);
    } else {
        scale = larger(scale, want.available.low);
        there.total_bytes = want.available.low;
        add_segment(&there, "free", want.available);
        write_bar(p, "report.bar_available", &there, scale);
    }
    if (has_want) {
        write_want(p, &want, scale);
    }
}

void text_bars(struct page *p, const struct finding *f) {
    if (!f->is_contradictory) {
        write_bars(p, f);
    }
    write_holders(p, f);
}
