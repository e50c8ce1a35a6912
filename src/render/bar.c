/* bar.c: the memory as bars, drawn to one scale:
 *
 *     GPU   ██████████████████████████████████▒▒▚░░░  15.98 GiB
 *           █ tensors 13.80  ▒ cached 0.60  ▚ outside PyTorch 0.49  ░ free 1.09
 *     need  ██████                                     2.25 GiB
 *
 * Parts come from the budget where the arithmetic knows one, else from the
 * numbers of the message; where neither has them, need and have alone. Numbers
 * that do not add up draw nothing: a wrong picture is worse than none. What
 * there is takes a glyph at least. Glyphs differ, so it reads without colour.
 */
#include "render/page.h"

#include "base/utf8.h"
#include "memory/span.h"

#define INDENT 2
#define GAP 2
#define TINY 50 /* what is asked for gets a bar above 1/50 of the scale */

static const struct look {
    const char *part, *glyph;
    enum tone tone;
} looks[] = {
    {"weights", "█", TONE_PLAIN},    {"activation", "▓", TONE_WARN},
    {"kv_cache", "▒", TONE_CODE},    {"non_torch", "▚", TONE_DIM},
    {"context", "▚", TONE_DIM},      {"cuda_graphs", "▞", TONE_DIM},
    {"others", "▀", TONE_BAD},       {"rest", "▓", TONE_WARN},
    {"left_over", "·", TONE_DIM},    {"gradients", "▜", TONE_WARN},
    {"optimizer", "▙", TONE_CODE},   {"reserve", "·", TONE_DIM},
    {"free", "░", TONE_GOOD},        {"mine", "█", TONE_PLAIN},
    {"tensors", "█", TONE_PLAIN},    {"unallocated", "▒", TONE_WARN},
    {"before", "▀", TONE_BAD},        {"consumed", "█", TONE_PLAIN},
    {"not_told", "?", TONE_DIM},      {"beside", "▓", TONE_WARN},
    {"free_or_not_told", "?", TONE_DIM},     {"needed", "█", TONE_BAD},       {"in_use", "▓", TONE_DIM},
};

static const struct look *look_of(const char *part) {
    size_t i = 0;
    while (i + 1 < sizeof looks / sizeof *looks &&
           !str_eq(str_of(looks[i].part), str_of(part)))
        i++;
    return &looks[i];
}

/* ---- from facts ---- */

static struct str part_amount(const struct teller *t, struct span s,
                              int64_t total) {
    struct str ends[] = {s.low == 0 ? STR("0") : shown_end(t, s.low, total),
                         shown_end(t, s.high, total)};
    bool is_narrow =
        s.high - s.low <= s.low / 50 || str_eq(ends[0], ends[1]);
    return is_narrow ? shown_part(t, span_middle(s), total)
                     : said_with(t, "unit.between", ends, 2);
}

static void add_part(const struct teller *t, struct bar *b, const char *name,
                     struct span bytes, int64_t total) {
    bool is_drawn = bytes.known && bytes.low >= 0 && span_middle(bytes) > 0;
    if (is_drawn && b->count < BAR_PARTS) {
        const struct look *look = look_of(name);
        b->part[b->count++] =
            (struct bar_part){look->glyph, look->tone, said_part(t, look->part),
                              part_amount(t, bytes, total), span_middle(bytes)};
    }
}

static int64_t sum_of(const struct bar *b) {
    int64_t sum = 0;
    for (size_t i = 0; i < b->count; i++)
        if (!add_i64(sum, b->part[i].bytes, &sum))
            return INT64_MAX;
    return sum;
}

static struct span fact_span(const struct finding *f, enum fact_name name) {
    const struct fact *fact = facts_last(&f->facts, name);
    bool is_drawable = fact != NULL && fact->known && !fact_is_absurd(fact);
    return is_drawable ? span_exact(fact->number) : (struct span){0};
}

/* What all other processes hold; own ones are told apart upstream. */
static struct span held_by_others(const struct finding *f) {
    struct span sum = {0};
    for (size_t i = 0; i < f->facts.count; i++) {
        const struct fact *fact = &f->facts.at[i];
        bool is_one = fact->name == FACT_other_in_use && fact->known;
        if (is_one && add_i64(sum.low, fact->number, &sum.low))
            sum.known = true;
    }
    sum.high = sum.low;
    return sum;
}

/* Free memory is drawn last. */
static int64_t bar_of_budget(const struct teller *t, const struct budget *from,
                             bool has_torch, struct bar *b) {
    int64_t total = from->total.known ? span_middle(from->total) : 0;
    for (int is_last = 0; is_last < 2 && total > 0; is_last++) {
        for (size_t i = 0; i < from->count; i++) {
            const struct budget_part *part = &from->parts[i];
            if (str_eq(str_of(part->part), STR("free")) == (is_last == 1)) {
                bool is_mine = str_eq(str_of(part->part), STR("mine"));
                add_part(t, b, is_mine && has_torch ? "tensors" : part->part,
                         part->bytes, total);
            }
        }
    }
    return b->count >= 2 ? total : 0;
}

static int64_t bar_of_facts(const struct teller *t, const struct finding *f,
                            struct bar *b) {
    struct span total = fact_span(f, FACT_gpu_total);
    struct span free_ = fact_span(f, FACT_gpu_free);
    struct span tensors = fact_span(f, FACT_pytorch_allocated);
    *b = (struct bar){.count = 0};
    if (!total.known || !free_.known || total.low <= 0)
        return 0;
    if (tensors.known) {
        add_part(t, b, "tensors", tensors, total.low);
        add_part(t, b, "unallocated", fact_span(f, FACT_pytorch_unallocated),
                 total.low);
    } else {
        add_part(t, b, "mine", fact_span(f, FACT_process_in_use), total.low);
    }
    add_part(t, b, "others", held_by_others(f), total.low);
    int64_t rest = total.low - free_.low - sum_of(b);
    bool is_whose = f->shortage == SHORT_FREE_AT_START && b->count == 0;
    if (rest > total.low / 200)
        add_part(t, b, is_whose ? "others" : tensors.known ? "non_torch"
                                                           : "in_use",
                 span_exact(rest), total.low);
    add_part(t, b, "free", free_, total.low);
    bool adds_up = sum_of(b) <= total.low + total.low / 100;
    return adds_up && b->count > 1 ? total.low : 0;
}

static int64_t asked_at_start(const struct finding *f) {
    struct span total = fact_span(f, FACT_gpu_total);
    struct span share = fact_span(f, FACT_gpu_memory_utilization);
    struct span printed = fact_span(f, FACT_requested_bytes);
    int64_t wanted = 0;
    bool is_known = total.known && share.known &&
                    mul_div_floor(total.low, share.low, UNITS_MICRO, &wanted);
    return printed.known ? printed.low : is_known ? wanted : 0;
}

/* What was asked for, and what there was for it. */
static void wanted(const struct finding *f, int64_t *need, int64_t *have) {
    switch (f->shortage) {
    case SHORT_KV_POOL:
        *need = fact_span(f, FACT_kv_needed).low;
        *have = fact_span(f, FACT_kv_available).low;
        break;
    case SHORT_FREE_AT_START:
        *need = asked_at_start(f);
        *have = fact_span(f, FACT_gpu_free).low;
        break;
    case SHORT_ALLOCATION:
        *need = fact_span(f, FACT_tried_alloc).low;
        *have = fact_span(f, FACT_gpu_free).low;
        break;
    case SHORT_HOST:
    case SHORT_TOKENS:
    case SHORT_UNKNOWN: break;
    }
}

static void add_plain(const struct teller *t, struct bars *bars,
                      const char *key, const char *look, int64_t bytes,
                      struct str end) {
    struct bar *b = &bars->bar[bars->count++];
    b->label = said(t, key);
    b->end = end;
    b->count = 0;
    add_part(t, b, look, span_exact(bytes), bytes);
}

const struct bars *bars_of_pair(const struct teller *t, int64_t need,
                                int64_t have) {
    struct bars *bars = arena_alloc(t->a, sizeof *bars);
    struct comparison c = amounts_compared(t, UNIT_BYTES, need, have);
    if (need > 0 && have > 0) {
        bars->scale_bytes = need > have ? need : have;
        add_plain(t, bars, "report.bar_needed", "needed", need, c.need);
        add_plain(t, bars, "report.bar_available", "mine", have, c.have);
    }
    return bars;
}

/* The card's bar, where its parts make one. */
static void end_card(const struct teller *t, struct bars *bars, int64_t total) {
    if (total > 0) {
        bars->bar[0].label = said(t, "report.bar_gpu");
        bars->bar[0].end = shown_bytes(t, total);
        bars->count = 1;
        bars->scale_bytes = total;
    }
}

const struct bars *bars_of_budget(const struct teller *t,
                                  const struct budget *budget, bool has_torch) {
    struct bars *bars = arena_alloc(t->a, sizeof *bars);
    end_card(t, bars, bar_of_budget(t, budget, has_torch, &bars->bar[0]));
    int64_t sum = sum_of(&bars->bar[0]);
    if (bars->count > 0 && sum > bars->scale_bytes)
        bars->scale_bytes = sum;
    return bars;
}

const struct bars *bars_of(const struct teller *t, const struct finding *f) {
    struct bars *bars = arena_alloc(t->a, sizeof *bars);
    int64_t need = 0, have = 0;
    wanted(f, &need, &have);
    if (f->is_contradictory)
        return bars;
    *bars = *bars_of_budget(t, &f->budget,
                            fact_span(f, FACT_pytorch_allocated).known);
    if (bars->count == 0)
        end_card(t, bars, bar_of_facts(t, f, &bars->bar[0]));
    if (bars->count == 0)
        return bars_of_pair(t, need, have);
    if (need > bars->scale_bytes / TINY) {
        bars->scale_bytes =
            need > bars->scale_bytes ? need : bars->scale_bytes;
        add_plain(t, bars, "report.bar_needed", "needed", need,
                  shown_bytes(t, need));
    }
    return bars;
}

/* ---- drawing ---- */

/* Glyphs of each part: its share, one at least; the largest gives way. */
static size_t share_out(const struct bar *b, int64_t scale, size_t columns,
                        size_t cells[BAR_PARTS]) {
    size_t sum = 0, largest = 0;
    int64_t all = 0;
    for (size_t i = 0; i < b->count; i++) {
        int64_t to = 0;
        bool is_sane = add_i64(all, b->part[i].bytes, &all) && scale > 0 &&
                       mul_div_floor(all, 2 * (int64_t)columns, scale, &to);
        size_t end = is_sane ? (size_t)(to + 1) / 2 : columns;
        cells[i] = end > sum ? end - sum : 1;
        sum += cells[i];
        largest = cells[i] > cells[largest] ? i : largest;
    }
    while (sum > columns && cells[largest] > 1) {
        cells[largest]--;
        sum--;
    }
    return sum;
}

/* The rest of a single part behind its whole glyphs, in eighths. */
static const char *eighths(const struct bar *b, int64_t scale, size_t columns,
                           size_t *whole) {
    static const char *const marks[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int64_t n = 0;
    bool is_sane = b->count == 1 && scale > 0 &&
                   mul_div_floor(b->part[0].bytes, 8 * (int64_t)columns, scale,
                                 &n);
    if (!is_sane)
        return "";
    *whole = (size_t)(n / 8);
    return n == 0 ? marks[1] : marks[n % 8];
}

void page_amount(struct page *p, enum tone tone, int64_t amount, int64_t most,
                 size_t columns) {
    struct bar bar = {.part = {{.bytes = amount}}, .count = 1};
    struct buf row;
    size_t whole = 0;
    const char *tail = eighths(&bar, most, columns, &whole);
    buf_init_in(&row, p->t->a, 2048);
    for (size_t i = 0; i < whole; i++)
        buf_add(&row, str_of(look_of("weights")->glyph));
    buf_add(&row, str_of(tail));
    page_put(p, tone, buf_str(&row));
}

static void put_bar(struct page *p, const struct bar *b, int64_t scale,
                    size_t margin, size_t columns) {
    size_t cells[BAR_PARTS] = {0};
    size_t used = share_out(b, scale, columns, cells);
    const char *tail = eighths(b, scale, columns, &cells[0]);
    used = b->count == 1 ? cells[0] + (tail[0] != '\0') : used;
    buf_fill(p->out, ' ', INDENT);
    page_put(p, TONE_PLAIN, b->label);
    buf_fill(p->out, ' ', margin - INDENT - utf8_width(b->label));
    for (size_t i = 0; i < b->count; i++) {
        struct buf row;
        buf_init_in(&row, p->t->a, 2048);
        for (size_t k = 0; k < cells[i]; k++)
            buf_add(&row, str_of(b->part[i].glyph));
        buf_add(&row, str_of(tail));
        page_put(p, b->part[i].tone, buf_str(&row));
    }
    buf_fill(p->out, ' ', columns > used ? columns - used + GAP : GAP);
    page_put(p, TONE_PLAIN, b->end);
    buf_add_char(p->out, '\n');
}

static void put_legend(struct page *p, const struct bar *b, size_t margin) {
    size_t used = 0;
    for (size_t i = 0; i < b->count && b->count > 1; i++) {
        const struct bar_part *part = &b->part[i];
        size_t width = utf8_width(part->name) + utf8_width(part->shown) + 3;
        bool is_new = used == 0 || used + GAP + width > p->width;
        if (is_new) {
            buf_add(p->out, used > 0 ? STR("\n") : STR(""));
            used = margin;
        }
        buf_fill(p->out, ' ', is_new ? margin : GAP);
        used += width + (is_new ? 0 : GAP);
        page_put(p, part->tone, str_of(part->glyph));
        buf_add_char(p->out, ' ');
        page_put(p, TONE_PLAIN, part->name);
        buf_add_char(p->out, ' ');
        page_put(p, TONE_PLAIN, part->shown);
    }
    buf_add(p->out, used > 0 ? STR("\n") : STR(""));
}

void page_bars(struct page *p, const struct bars *bars) {
    size_t label = 0, end = 0;
    for (size_t i = 0; i < bars->count; i++) {
        size_t width = utf8_width(bars->bar[i].label);
        label = width > label ? width : label;
        width = utf8_width(bars->bar[i].end);
        end = width > end ? width : end;
    }
    size_t margin = INDENT + label + GAP;
    size_t columns = p->width - margin - end - GAP;
    columns = columns > p->width / 2 ? p->width / 2 : columns;
    for (size_t i = 0; i < bars->count; i++) {
        put_bar(p, &bars->bar[i], bars->scale_bytes, margin, columns);
        put_legend(p, &bars->bar[i], margin);
    }
}
