/* bar.c: memory as bars of one scale:
 *
 *     GPU   ██████████████████████████████████▒▒▚░░░  15.98 GiB
 *           █ tensors 13.80  ▒ cached 0.60  ▚ outside PyTorch 0.49  ░ free 1.09
 *     need  ██████                                     2.25 GiB
 *
 * Parts come from the budget of the arithmetic, else from the numbers of the
 * message; without these the bars are need and have. Numbers that do not add up
 * make no bar. A part has one glyph at least. Glyphs differ, so colour is not
 * needed. */
#include "render/text_writer.h"

#include "base/utf8.h"
#include "memory/span.h"

#define INDENT 2
#define GAP 2
#define TINY 50 /* a need below 1/50 of the scale has no bar */

static const struct part_style {
    const char *part, *glyph;
    enum tone tone;
} styles[] = {
    {"weights", "█", TONE_PLAIN},    {"activation", "▓", TONE_WARN},
    {"kv_cache", "▒", TONE_CODE},    {"non_torch", "▚", TONE_DIM},
    {"context", "▚", TONE_DIM},      {"cuda_graphs", "▞", TONE_DIM},
    {"others", "▀", TONE_BAD},       {"rest", "▓", TONE_WARN},
    {"left_over", "·", TONE_DIM},    {"gradients", "▜", TONE_WARN},
    {"optimizer", "▙", TONE_CODE},   {"reserve", "·", TONE_DIM},
    {"free", "░", TONE_GOOD},        {"mine", "█", TONE_PLAIN},
    {"tensors", "█", TONE_PLAIN},    {"unallocated", "▒", TONE_WARN},
    {"before", "▀", TONE_BAD},       {"consumed", "█", TONE_PLAIN},
    {"not_told", "?", TONE_DIM},     {"beside", "▓", TONE_WARN},
    {"needed", "█", TONE_BAD},       {"free_or_not_told", "?", TONE_DIM},
    {"in_use", "▓", TONE_DIM},
};

/* The style of a part; that of memory in use if it has none. */
static const struct part_style *style_of(const char *part) {
    size_t i = 0;
    while (i + 1 < sizeof styles / sizeof *styles &&
           !str_eq(str_of(styles[i].part), str_of(part)))
        i++;
    return &styles[i];
}

/* ---- from facts ---- */

static struct str part_amount(const struct render *t, struct span s,
                              int64_t total) {
    struct str ends[] = {s.low == 0 ? STR("0") : end_text(t, s.low, total),
                         end_text(t, s.high, total)};
    bool is_narrow = s.high - s.low <= s.low / 50 || str_eq(ends[0], ends[1]);
    return is_narrow ? part_text(t, span_middle(s), total)
                     : tr_args(t, "unit.between", ends, 2);
}

static void add_part(const struct render *t, struct bar *b, const char *name,
                     struct span bytes, int64_t total) {
    bool is_drawn = bytes.known && bytes.low >= 0 && span_middle(bytes) > 0;
    if (is_drawn && b->count < BAR_PARTS) {
        const struct part_style *style = style_of(name);
        b->part[b->count++] = (struct bar_part){
            style->glyph, style->tone, part_label(t, style->part),
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

/* The memory of all other processes. */
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

/* Fills the bar, with free memory last. Returns its scale; 0: no bar. */
static int64_t bar_of_budget(const struct render *t, const struct budget *from,
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

/* The same from the numbers of the message. */
static int64_t bar_of_facts(const struct render *t, const struct finding *f,
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

/* The amount that was asked for, and the amount that was there. */
static void find_amounts(const struct finding *f, int64_t *need,
                         int64_t *have) {
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

static void add_plain(const struct render *t, struct bars *bars,
                      const char *key, const char *part, int64_t bytes,
                      struct str end) {
    struct bar *b = &bars->bar[bars->count++];
    b->label = tr(t, key);
    b->end = end;
    b->count = 0;
    add_part(t, b, part, span_exact(bytes), bytes);
}

const struct bars *bars_of_pair(const struct render *t, int64_t need,
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

/* Completes the bar of a card; total is 0 if its parts make none. */
static void end_card(const struct render *t, struct bars *bars, int64_t total) {
    if (total > 0) {
        bars->bar[0].label = tr(t, "report.bar_gpu");
        bars->bar[0].end = bytes_text(t, total);
        bars->count = 1;
        bars->scale_bytes = total;
    }
}

struct bars *bars_of_budget(const struct render *t,
                            const struct budget *budget, bool has_torch) {
    struct bars *bars = arena_alloc(t->a, sizeof *bars);
    end_card(t, bars, bar_of_budget(t, budget, has_torch, &bars->bar[0]));
    int64_t sum = sum_of(&bars->bar[0]);
    if (bars->count > 0 && sum > bars->scale_bytes)
        bars->scale_bytes = sum;
    return bars;
}

const struct bars *bars_of(const struct render *t, const struct finding *f) {
    struct bars *bars = arena_alloc(t->a, sizeof *bars);
    int64_t need = 0, have = 0;
    find_amounts(f, &need, &have);
    if (f->is_contradictory)
        return bars;
    *bars = *bars_of_budget(t, &f->budget,
                            fact_span(f, FACT_pytorch_allocated).known);
    if (bars->count == 0)
        end_card(t, bars, bar_of_facts(t, f, &bars->bar[0]));
    if (bars->count == 0)
        return bars_of_pair(t, need, have);
    if (need > bars->scale_bytes / TINY) {
        bars->scale_bytes = need > bars->scale_bytes ? need : bars->scale_bytes;
        add_plain(t, bars, "report.bar_needed", "needed", need,
                  bytes_text(t, need));
    }
    return bars;
}

/* ---- drawing ---- */

/* The number of glyphs of each part: one at least, at the largest one's
 * expense. Returns their sum. */
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

/* The eighths behind the whole glyphs of a bar with one part. */
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

void text_amount(struct text_writer *w, enum tone tone, int64_t amount,
                 int64_t most, size_t columns) {
    struct bar bar = {.part = {{.bytes = amount}}, .count = 1};
    size_t whole = 0;
    const char *tail = eighths(&bar, most, columns, &whole);
    struct buf row = buf_in(w->t->a, 2048);
    for (size_t i = 0; i < whole; i++)
        buf_add(&row, str_of(style_of("weights")->glyph));
    buf_add(&row, str_of(tail));
    text_put(w, tone, buf_str(&row));
}

static void put_bar(struct text_writer *w, const struct bar *b, int64_t scale,
                    size_t margin, size_t columns) {
    size_t cells[BAR_PARTS] = {0};
    size_t used = share_out(b, scale, columns, cells);
    const char *tail = eighths(b, scale, columns, &cells[0]);
    used = b->count == 1 ? cells[0] + (tail[0] != '\0') : used;
    buf_fill(w->out, ' ', INDENT);
    text_put(w, TONE_PLAIN, b->label);
    buf_fill(w->out, ' ', margin - INDENT - utf8_width(b->label));
    for (size_t i = 0; i < b->count; i++) {
        struct buf row = buf_in(w->t->a, 2048);
        for (size_t k = 0; k < cells[i]; k++)
            buf_add(&row, str_of(b->part[i].glyph));
        buf_add(&row, str_of(tail));
        text_put(w, b->part[i].tone, buf_str(&row));
    }
    buf_fill(w->out, ' ', columns > used ? columns - used + GAP : GAP);
    text_put(w, TONE_PLAIN, b->end);
    buf_add_char(w->out, '\n');
}

static void put_legend(struct text_writer *w, const struct bar *b,
                       size_t margin) {
    size_t used = 0;
    for (size_t i = 0; i < b->count && b->count > 1; i++) {
        const struct bar_part *part = &b->part[i];
        size_t width = utf8_width(part->name) + utf8_width(part->shown) + 3;
        bool is_new = used == 0 || used + GAP + width > w->width;
        if (is_new) {
            buf_add(w->out, used > 0 ? STR("\n") : STR(""));
            used = margin;
        }
        buf_fill(w->out, ' ', is_new ? margin : GAP);
        used += width + (is_new ? 0 : GAP);
        text_put(w, part->tone, str_of(part->glyph));
        buf_add_char(w->out, ' ');
        text_put(w, TONE_PLAIN, part->name);
        buf_add_char(w->out, ' ');
        text_put(w, TONE_PLAIN, part->shown);
    }
    buf_add(w->out, used > 0 ? STR("\n") : STR(""));
}

void text_bars(struct text_writer *w, const struct bars *bars) {
    size_t label = 0, end = 0;
    for (size_t i = 0; i < bars->count; i++) {
        size_t width = utf8_width(bars->bar[i].label);
        label = width > label ? width : label;
        width = utf8_width(bars->bar[i].end);
        end = width > end ? width : end;
    }
    size_t margin = INDENT + label + GAP;
    size_t columns = w->width - margin - end - GAP;
    columns = columns > w->width / 2 ? w->width / 2 : columns;
    for (size_t i = 0; i < bars->count; i++) {
        put_bar(w, &bars->bar[i], bars->scale_bytes, margin, columns);
        put_legend(w, &bars->bar[i], margin);
    }
}
