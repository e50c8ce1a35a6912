/* stage.c: finds the stage of the run in which the program failed.
 *
 * kb/engines/<id>.yaml has rows in order: frames, and lines that a program
 * prints as it passes a stage. The stage is, in this order:
 *
 *   1. that of the first row whose frame is in the traceback
 *   2. that of the last line passed before the failure, in the same stream or
 *      in an unknown one
 *   3. if no line was passed, that of a line of the program's other writers
 *      within a few lines below (a progress bar, a worker, the traceback of
 *      another rank)
 *   4. that of the frames of other ranks nearby, if they agree
 *
 * The engine's own rows come before PyTorch's, which match any program. But
 * PyTorch's "forward" gives way to a passed line of the engine with a more
 * specific stage.
 *
 * Without a row: weights that alone fill the card were never loaded, and
 * buffers of ZeRO are recognized by their sizes.
 *
 * A stage that a signature sets is kept.
 */
#include "diagnose/work.h"

#include <inttypes.h>

#define LATE_LINES 8 /* lines below the failure in which other writers may still
                        print */
#define NEIGHBOUR_LINES 100 /* a traceback of the same program is at most this
                               many lines away */
#define BUFFER_LEAST (INT64_C(1) << 30) /* smaller ones are tensors of a step */

struct stage_found {
    const struct stage_anchor *anchor;
    uint32_t line;
};

const struct stage_anchor *stage_row(const struct diagnosis *d,
                                     const struct hit *h) {
    const struct engine *e = reader_engine(d->r, h->owner);
    bool is_row = h->kind == PATTERN_STAGE && e && h->ordinal < e->stage_count;
    return is_row ? &e->stages[h->ordinal] : NULL;
}

/* The row, if it is of that engine and has a stage. */
static const struct stage_anchor *anchor_of(const struct diagnosis *d,
                                            const struct engine *e,
                                            const struct hit *h) {
    const struct stage_anchor *row = stage_row(d, h);
    return row && row->stage.n > 0 && reader_engine(d->r, h->owner) == e ? row
                                                                         : NULL;
}

static void frame_at(const struct diagnosis *d, const struct engine *e,
                     const struct place *p, struct stage_found *best) {
    const struct hit_run *run = &d->stage_hits;
    const struct hit *h;
    for (size_t at = TRACE_BEGIN; (h = trace_next(run, p, &at)) != NULL;) {
        const struct stage_anchor *row = anchor_of(d, e, h);
        if (row && row->is_frame && (!best->anchor || row < best->anchor))
            *best = (struct stage_found){row, h->first_line};
    }
}

static struct stage_found by_frame(const struct diagnosis *d,
                                   const struct engine *e,
                                   const struct sighting *s) {
    struct stage_found best = {NULL, 0};
    for (size_t i = 0; e && i < s->place_count; i++)
        frame_at(d, e, &s->places[i], &best);
    return best;
}

static uint64_t order_of(const struct hit *h) { return h->order; }

static size_t hits_before(const struct hit_run *run, uint64_t order) {
    return run_bound(run, order_of, order);
}

static struct stage_found by_line_passed(const struct diagnosis *d,
                                         const struct engine *e,
                                         const struct sighting *s) {
    const struct place *p = &s->places[0];
    /* A person's description stands above or below its log: all passed lines
     * belong to the run. */
    bool is_prose = facts_say(&s->facts, FACT_oom_words, "told");
    size_t count = is_prose ? d->stage_hits.count
                            : hits_before(&d->stage_hits, p->order);
    for (size_t i = e ? count : 0; i > 0; i--) {
        const struct hit *h = d->stage_hits.at[i - 1];
        const struct stage_anchor *row = anchor_of(d, e, h);
        bool is_near = h->stream == p->stream || h->stream == 0 ||
                       p->stream == 0;
        if (row && !row->is_frame && is_near)
            return (struct stage_found){row, h->first_line};
    }
    return (struct stage_found){NULL, 0};
}

/* True if both streams may belong to one program: unnamed, or with names that
 * are equal except for a rank. */
static bool may_be_one_program(const struct diagnosis *d, uint32_t x,
                               uint32_t y) {
    if (x == y || x == 0 || y == 0 || x >= d->scan->stream_count ||
        y >= d->scan->stream_count)
        return true;
    struct str a = d->scan->streams[x].process, b = d->scan->streams[y].process;
    while (a.n > 0 && is_digit(a.p[a.n - 1]))
        a.n--;
    return a.n > 0 ? str_starts(b, a) : b.n == 0;
}

static struct stage_found by_line_after(const struct diagnosis *d,
                                        const struct engine *e,
                                        const struct sighting *s) {
    const struct hit_run *run = &d->stage_hits;
    const struct place *p = &s->places[0];
    for (size_t i = e ? hits_before(run, p->order) : run->count;
         i < run->count && run->at[i]->first_line <= p->first_line + LATE_LINES;
         i++) {
        const struct hit *h = run->at[i];
        const struct stage_anchor *row = anchor_of(d, e, h);
        bool is_own_frame = row && row->is_frame && h->stream == p->stream;
        if (row && !is_own_frame && may_be_one_program(d, h->stream, p->stream))
            return (struct stage_found){row, h->first_line};
    }
    return (struct stage_found){NULL, 0};
}

/* True for a frame or the line of code below it. A single word may belong to
 * any program. */
static bool is_of_traceback(struct str text) {
    return str_starts(text, STR(" ")) || str_starts(text, STR("\t")) ||
           str_find(text, STR("File \"")) < text.n;
}

/* Ranks print at the same time, so a message may be apart from its own frames.
 * The frames of other ranks count if all of them agree. */
static struct stage_found by_neighbours(const struct diagnosis *d,
                                        const struct engine *e,
                                        const struct sighting *s) {
    const struct place *p = &s->places[0];
    struct stage_found found = {NULL, 0};
    for (size_t i = 0; i < d->stage_hits.count; i++) {
        const struct hit *h = d->stage_hits.at[i];
        const struct stage_anchor *row = anchor_of(d, e, h);
        if (!row || !row->is_frame || h->stream == p->stream ||
            !is_of_traceback(h->text) ||
            !may_be_one_program(d, h->stream, p->stream) ||
            h->first_line + NEIGHBOUR_LINES < p->first_line ||
            h->first_line > p->last_line + NEIGHBOUR_LINES)
            continue;
        if (found.anchor && !str_eq(found.anchor->stage, row->stage))
            return (struct stage_found){NULL, 0};
        found = (struct stage_found){row, h->first_line};
    }
    return found;
}

static bool is_stage(const struct stage_found *found, const char *stage) {
    return found->anchor && str_eq(found->anchor->stage, str_of(stage));
}

static bool is_past_load(const struct stage_found *found) {
    return is_stage(found, "profile") || is_stage(found, "capture") ||
           is_stage(found, "serve");
}

/* The engine whose rows give the stage: that of the log, else the one that
 * prints the message (ggml's backends: llama.cpp). */
const struct engine *engine_of_failure(const struct diagnosis *d,
                                         const struct sighting *s) {
    const struct entry *head = reader_entry_head(d->r, s->hit->owner);
    if (d->engine || head == NULL)
        return d->engine;
    struct str component = reader_component_fold(d->r, head->component);
    return reader_engine_by_id(d->r, component);
}

static struct stage_found stage_of(const struct diagnosis *d,
                                   const struct sighting *s) {
    const struct engine *torch = reader_engine_by_id(d->r, STR("pytorch"));
    const struct engine *own = engine_of_failure(d, s);
    own = own == torch ? NULL : own;
    struct stage_found frame = by_frame(d, own, s);
    if (frame.anchor)
        return frame;
    struct stage_found passed = by_line_passed(d, own, s);
    frame = by_frame(d, torch, s);
    if (frame.anchor && !(is_stage(&frame, "forward") && is_past_load(&passed)))
        return frame;
    if (!passed.anchor)
        passed = by_line_passed(d, torch, s);
    if (!passed.anchor)
        passed = by_line_after(d, own, s);
    if (!passed.anchor)
        passed = by_line_after(d, torch, s);
    return passed.anchor ? passed : by_neighbours(d, torch, s);
}

/* True if the number of ranks is known. A default counts if the whole
 * command or the whole call in code is in the log, or if nothing shows a
 * second rank. */
static bool are_ranks_known(const struct diagnosis *d,
                            const struct sighting *s) {
    const struct fact *tp = facts_last(&d->context, FACT_tensor_parallel);
    const struct fact *gpu = facts_first(&s->facts, FACT_gpu_index);
    bool is_given = tp && (tp->source != SOURCE_DEFAULT || d->command.n > 0 ||
                           facts_last(&d->context, FACT_whole_call) != NULL);
    bool is_alone = !has_ranks(d) && (!gpu || gpu->number == 0) &&
                    !facts_first(&s->facts, FACT_rank);
    return is_given || is_alone;
}

/* True if device memory was refused: an amount, or an error of the driver. */
static bool is_refusal(const struct sighting *s) {
    return facts_first(&s->facts, FACT_tried_alloc) != NULL ||
           facts_say(&s->facts, FACT_oom_words, "driver");
}

static bool is_known_model(const struct diagnosis *d,
                           const struct sighting *s) {
    const struct fact *model = fact_here(d, s, FACT_model);
    return model && reader_model(d->r, model->word).model;
}

bool engine_has_stage(const struct engine *e, const char *stage) {
    for (size_t i = 0; e && i < e->stage_count; i++)
        if (str_eq(e->stages[i].stage, str_of(stage)))
            return true;
    return false;
}

/* True if the weights take more than nine tenths of the card: a server needs
 * more than the rest, so it never loaded them. Only for models of the
 * catalogue: others may have narrower weights than their name suggests. */
static bool weights_fill_card(const struct diagnosis *d,
                              const struct sighting *s) {
    const struct fact *weights = facts_first(&s->facts, FACT_model_bytes);
    const struct fact *total = fact_here(d, s, FACT_gpu_total);
    return d->engine && is_refusal(s) && weights && is_known_model(d, s) &&
           total && are_ranks_known(d, s) &&
           !facts_last(&d->context, FACT_weights_bytes) &&
           weights->number > fact_high(total) / 10 * 9;
}

static void stage_by_weights(struct diagnosis *d, struct sighting *s,
                             const char *stage) {
    const struct fact *weights = facts_first(&s->facts, FACT_model_bytes);
    struct fact f = fact_word(FACT_stage, SOURCE_DERIVED, str_of(stage));
    f.line = s->places[0].first_line;
    f.why = arena_printf(d->a, "more than nine tenths of the card: %.*s",
                         STR_ARG(weights->formula));
    facts_add_new(d->a, &s->facts, &f);
}

/* ZeRO keeps a rank's weights, their fp32 copy and each of Adam's moments in a
 * flat buffer each. Weights of 16 bits have half the size of the other buffers.
 * So the allocated memory is 1.5, 2.5 or 3.5 times the requested buffer. */
static void stage_by_buffers(struct diagnosis *d, struct sighting *s) {
    const struct fact *next = facts_first(&s->facts, FACT_tried_alloc);
    const struct fact *held = facts_first(&s->facts, FACT_pytorch_allocated);
    bool is_zero = d->engine && str_eq(d->engine->id, STR("deepspeed"));
    if (!is_zero || !next || !held || next->number < BUFFER_LEAST)
        return;
    int64_t halves = (2 * held->number + next->number / 2) / next->number;
    int64_t off = 2 * held->number - halves * next->number;
    bool is_odd = halves % 2 == 1 && halves >= 3 && halves <= 7;
    if (!is_odd || off > next->number / 50 || -off > next->number / 50)
        return;
    struct fact f = fact_word(FACT_stage, SOURCE_DERIVED, STR("optimizer"));
    f.line = s->places[0].first_line;
    f.why = arena_printf(d->a,
                         "allocated = %" PRId64 ".5 x the request: 16-bit "
                         "weights and whole buffers of ZeRO",
                         halves / 2);
    facts_add_new(d->a, &s->facts, &f);
}

void stage_find(struct diagnosis *d, struct sighting *s) {
    if (facts_first(&s->facts, FACT_stage))
        return;
    struct stage_found found = stage_of(d, s);
    bool is_pass = is_stage(&found, "forward") ||
                   (is_stage(&found, "serve") && found.anchor->is_frame);
    /* Some servers measure the memory of a forward pass before they serve. */
    bool is_profile = is_pass && engine_has_stage(d->engine, "profile");
    if ((!found.anchor || is_profile) && weights_fill_card(d, s)) {
        /* the forward pass is then the profile run */
        stage_by_weights(d, s, is_profile ? "profile" : "load");
        return;
    }
    if (!found.anchor) {
        stage_by_buffers(d, s);
        return;
    }
    struct fact f = fact_word(
        FACT_stage, found.anchor->is_frame ? SOURCE_LOG : SOURCE_DERIVED,
        found.anchor->stage);
    f.line = found.line;
    if (!found.anchor->is_frame)
        f.why = arena_printf(d->a,
                             found.line < s->places[0].first_line
                                 ? "the last stage passed, line %" PRIu32
                                 : "said right after it, line %" PRIu32,
                             found.line);
    facts_add_new(d->a, &s->facts, &f);
}
