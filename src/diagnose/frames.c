/* frames.c: facts from the frames of a traceback, besides the stage: the
 * operation that failed (work), what the program does (task) and which kernel
 * its attention takes (flash_attention).
 *
 *   File ".../trainer.py", line 2122, in train            task train
 *   File ".../modeling.py", line 310, in forward
 *       attn = self.self_attn(x)                          work attention
 *   File ".../functional.py", line 1843, in softmax       (work is attention)
 *
 * Rows of kb/engines/ with `set` match families of functions. The innermost
 * frame with a row for a fact sets it: in Python the last one above the
 * message. A row with `holds` also applies to what runs inside it: a
 * convolution in a VAE is work of the VAE. A traceback below its message is
 * read from its first frame on.
 *
 * The fact `frame` is the innermost frame of the program's own code.
 *
 * If no frame has the task, it follows from the stage (backward, optimizer),
 * else from frames of other ranks nearby if they agree, else from a line of the
 * log (the context), else from what the engine or the program usually does.
 */
#include "diagnose/work.h"

#define NEIGHBOUR_LINES 100 /* a traceback of the same program is at most this
                               many lines away */
#define FRAME_FOLDERS 2     /* path parts that are kept: the file and its
                               folder */

static const struct setting *frame_setting(const struct diagnosis *d,
                                           const struct hit *h,
                                           enum fact_name name) {
    const struct stage_anchor *row = stage_row(d, h);
    for (size_t i = 0; row && row->is_frame && i < row->set_count; i++)
        if (row->set[i].name == name)
            return &row->set[i];
    return NULL;
}

/* True if h is a better frame than `than`: a row with `holds` first, then a
 * frame above the message, then the one nearer to it. */
static bool is_inner(const struct diagnosis *d, const struct hit *h,
                     const struct hit *than, const struct place *p) {
    if (!than)
        return true;
    bool holds = stage_row(d, h)->holds, held = stage_row(d, than)->holds;
    if (holds != held)
        return holds;
    bool is_above = h->first_line <= p->last_line;
    bool was_above = than->first_line <= p->last_line;
    if (is_above != was_above)
        return is_above;
    return is_above && h->order >= than->order;
}

static bool fact_at_place(struct diagnosis *d, const struct place *p,
                          struct fact *f) {
    const struct hit_run *run = &d->stage_hits;
    const struct hit *best = NULL;
    const struct hit *h;
    for (size_t at = TRACE_BEGIN; (h = trace_next(run, p, &at)) != NULL;)
        if (frame_setting(d, h, f->name) && is_inner(d, h, best, p))
            best = h;
    if (best) {
        *f = fact_stated(frame_setting(d, best, f->name), best->first_line);
        f->why = STR("the innermost frame that tells it");
    }
    return best != NULL;
}

/* ---- the place in the program's own code ---- */

/* Shortens 'C:\\app\\tts\\losses.py", line 643, in loss' to "tts/losses.py:643
 * in loss". */
static struct str short_frame(struct arena *a, struct str raw) {
    size_t quote = str_find_char(raw, '"');
    struct str path = str_slice(raw, 0, quote), line, in;
    size_t from = path.n, folders = 0;
    for (; from > 0 && folders < FRAME_FOLDERS; from--) {
        bool is_cut = path.p[from - 1] == '/' || path.p[from - 1] == '\\';
        folders += is_cut ? 1 : 0;
    }
    from += folders == FRAME_FOLDERS ? 1 : 0;
    path = str_slice(path, from, path.n);
    line = str_slice(raw, quote + STR("\", line ").n, raw.n);
    in = str_slice(line, str_find_char(line, ','), line.n);
    return arena_printf(a, "%.*s:%.*s%.*s", STR_ARG(path),
                        STR_ARG(str_slice(line, 0, line.n - in.n)),
                        STR_ARG(str_slice(in, 1, in.n)));
}

static void frame_derive(struct diagnosis *d, struct sighting *s) {
    struct fact f = fact_blank(FACT_frame, SOURCE_LOG);
    struct str last = {NULL, 0};
    for (size_t i = 0; i < s->place_count && !f.known; i++) {
        const struct hit_run *run = &d->stage_hits;
        const struct hit *h;
        for (size_t at = TRACE_BEGIN;
             (h = trace_next(run, &s->places[i], &at)) != NULL;) {
            const struct capture *c = hit_capture(h, FACT_frame);
            if (c && h->first_line <= s->places[i].last_line) {
                last = c->text;
                f.line = h->first_line;
                f.known = true;
            }
        }
    }
    if (f.known)
        f.word = short_frame(d->a, last);
    sighting_add_fact(d, s, f);
}

static bool derive_by_frame(struct diagnosis *d, struct sighting *s,
                            enum fact_name name) {
    struct fact f = fact_blank(name, SOURCE_LOG);
    for (size_t i = 0; i < s->place_count; i++) {
        if (fact_at_place(d, &s->places[i], &f)) {
            facts_add_new(d->a, &s->facts, &f);
            return true;
        }
    }
    return false;
}

/* Ranks print at the same time, so a message may be apart from its frames.
 * Frames nearby set the fact if all of them agree. */
static bool derive_by_neighbours(struct diagnosis *d, struct sighting *s,
                                 enum fact_name name) {
    const struct place *p = &s->places[0];
    const struct setting *agreed = NULL;
    uint32_t line = 0;
    for (size_t i = 0; i < d->stage_hits.count; i++) {
        const struct hit *h = d->stage_hits.at[i];
        const struct setting *one = frame_setting(d, h, name);
        if (!one || h->first_line + NEIGHBOUR_LINES < p->first_line ||
            h->first_line > p->last_line + NEIGHBOUR_LINES)
            continue;
        if (agreed && !str_eq(agreed->value, one->value))
            return false;
        line = agreed ? line : h->first_line;
        agreed = one;
    }
    if (!agreed)
        return false;
    struct fact f = fact_stated(agreed, line);
    f.why = STR("the frames nearby agree");
    facts_add_new(d->a, &s->facts, &f);
    return true;
}

static void task_derive(struct diagnosis *d, struct sighting *s) {
    const struct fact *stage = facts_first(&s->facts, FACT_stage);
    const struct engine *engine = engine_of_failure(d, s);
    const struct program *program = program_of_log(d);
    struct fact f = fact_blank(FACT_task, SOURCE_DERIVED);
    f.known = true;
    if (stage && STR_IS_ONE(stage->word, "backward", "optimizer")) {
        f.word = STR("train");
        f.line = stage->line;
        f.why = arena_printf(d->a, "stage = %.*s", STR_ARG(stage->word));
    } else if (derive_by_neighbours(d, s, FACT_task) ||
               facts_last(&d->context, FACT_task)) {
        return; /* another frame or a line of the log has it */
    } else if (engine && engine->task.n > 0) {
        f.word = engine->task;
        f.why = arena_printf(d->a, "what %.*s is for", STR_ARG(engine->name));
    } else if (program && program->usual.n > 0) {
        f.word = program->usual;
        f.why = arena_printf(d->a, "what %.*s mostly does",
                             STR_ARG(program->name));
    } else {
        return;
    }
    facts_add_new(d->a, &s->facts, &f);
}

/* If no row has the stage, an operation that only a forward pass has sets it.
 * Not for an engine with stages for its passes: a server's profile run, its
 * requests. */
static void stage_derive(struct diagnosis *d, struct sighting *s) {
    const struct fact *work = facts_first(&s->facts, FACT_work);
    const struct engine *e = engine_of_failure(d, s);
    if (work && !facts_first(&s->facts, FACT_stage) &&
        !engine_has_stage(e, "profile") && !engine_has_stage(e, "serve") &&
        STR_IS_ONE(work->word, "attention", "mlp", "norm", "rope", "conv",
                   "pairs", "vae", "logits")) {
        struct fact f = fact_word(FACT_stage, SOURCE_DERIVED, STR("forward"));
        f.line = work->line;
        f.why = arena_printf(d->a, "work = %.*s", STR_ARG(work->word));
        sighting_add_fact(d, s, f);
    }
}

/* True for an entry that wraps another failure ("Engine core initialization
 * failed"). Its frames are those of that failure. */
static bool is_wrapper(struct diagnosis *d, const struct sighting *s) {
    const struct entry *e = reader_entry_head(d->r, s->hit->owner);
    return e && e->role == ROLE_wrapper;
}

void frames_derive(struct diagnosis *d, struct sighting *s) {
    if (!is_wrapper(d, s))
        frame_derive(d, s);
    if (!facts_first(&s->facts, FACT_work))
        derive_by_frame(d, s, FACT_work);
    stage_derive(d, s);
    if (!facts_first(&s->facts, FACT_task) && !derive_by_frame(d, s, FACT_task))
        task_derive(d, s);
    if (!facts_first(&s->facts, FACT_flash_attention))
        derive_by_frame(d, s, FACT_flash_attention);
}
