/* below.c: what stands below a failure, and whether it was in force there.
 *
 *     vllm serve m --max-model-len 8192        in force
 *     ... CUDA out of memory ...               the failure
 *     **Fix:** --gpu-memory-utilization 0.80   never was
 *
 * Above the failure, and in its own traceback, every setting counts. Below it
 * only what is whole does: a command line, or a dump of several settings,
 * since excerpts often end with the command that was run; and that only where
 * nothing whole stood above. A lone flag below is somebody's advice.
 *
 * A command that was typed at a prompt right below the failure is the next run.
 *
 * What the program prints of itself ("llama_context: n_ctx = 8192") and what a
 * shell prints of the command that died are no advice.
 *
 * What was measured, and what the thing is (model, version, card), is heard
 * wherever it stands, and a setting in the same words with it: nobody advises
 * to have measured something else.
 */
#include "diagnose/work.h"

#define DUMP_LINES 4    /* settings of one dump stand this close together */
#define DUMP_SETTINGS 3 /* so many make a dump and not a sentence */

/* ---- where the failure is ---- */

static bool is_root(const struct diagnosis *d, const struct sighting *s) {
    const struct entry *e = reader_entry_head(d->r, s->hit->owner);
    return e && e->role == ROLE_root &&
           e->severity != SEVERITY_info && e->severity != SEVERITY_recovery;
}

/* A title names the failure; the message with numbers is the failure. */
static const struct sighting *first_failure(const struct diagnosis *d) {
    const struct sighting *first = NULL;
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        if (!is_root(d, s))
            continue;
        if (s->hit->capture_count > 0)
            return s;
        first = first ? first : s;
    }
    return first;
}

static uint64_t last_order(const struct diagnosis *d) {
    uint64_t last = 0;
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        for (size_t k = 0; is_root(d, s) && k < s->place_count; k++)
            last = s->places[k].order > last ? s->places[k].order : last;
    }
    return last ? last : UINT64_MAX;
}

/* Behind the message, in its own lines: what somebody adds to it. */
static bool is_added(const struct hit *h, const struct place *p) {
    return h->order > p->order && h->first_line >= p->first_line &&
           h->first_line <= p->last_line;
}

static bool is_in_failure(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        for (size_t k = 0; is_root(d, s) && k < s->place_count; k++)
            if (hit_in_trace(h, &s->places[k]) && !is_added(h, &s->places[k]))
                return true;
    }
    return false;
}

/* A message that names a setting gives advice ("run with NCCL_DEBUG=INFO"). */
bool hit_in_message(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        for (size_t k = 0; k < s->place_count; k++)
            if (h->first_line >= s->places[k].first_line &&
                h->last_line <= s->places[k].last_line)
                return true;
    }
    return false;
}

/* ---- what is whole ---- */

bool hit_is_command_form(const struct diagnosis *d, const struct hit *h) {
    const struct pattern *p = reader_pattern(d->r, h->pattern);
    const struct engine *e = reader_engine(d->r, h->owner);
    if (!p)
        return false;
    bool has_flag = str_find(p->text, STR("--")) < p->text.n ||
                    str_find(p->text, STR("\\-\\-")) < p->text.n;
    bool has_command = e && e->command.n > 0 &&
                       str_find(p->text, e->command) < p->text.n;
    return has_flag || has_command;
}

/* A command line, or what a shell says of the one that died. */
static bool holds_command(const struct diagnosis *d, const struct hit *h) {
    const struct context_pattern *row =
        h->kind == PATTERN_CONTEXT ? context_row(d, h) : NULL;
    return row && (h->command.n > 0 || row->is_printed);
}

static bool is_in_command(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *c = &d->scan->hits.at[i];
        if (holds_command(d, c) && c->stream == h->stream && h->first_line >= c->first_line &&
            h->first_line <= c->last_line)
            return true;
    }
    return false;
}

static bool is_setting(const struct diagnosis *d, const struct hit *h,
                       enum fact_name name) {
    const struct engine *owner = reader_engine(d->r, h->owner);
    if (name == FACT_model)
        return hit_is_command_form(d, h);
    return name == FACT_expandable_segments ||
           flag_of_fact(d->engine, name) != NULL ||
           flag_of_fact(owner, name) != NULL;
}

/* The setting that a line key=value tells; -1: it is none. */
static int key_setting(const struct diagnosis *d, const struct hit *h) {
    if (h->kind != PATTERN_CONTEXT || h->capture_count == 0 ||
        hit_is_command_form(d, h))
        return -1;
    enum fact_name name = h->captures[0].name;
    return is_setting(d, h, name) ? (int)name : -1;
}

static bool is_in_dump(const struct diagnosis *d, const struct hit *h) {
    bool is_there[FACT_COUNT_OF] = {false};
    size_t count = 0;
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *x = &d->scan->hits.at[i];
        uint32_t apart = x->first_line > h->first_line
                             ? x->first_line - h->first_line
                             : h->first_line - x->first_line;
        int name = apart <= DUMP_LINES && x->stream == h->stream
                       ? key_setting(d, x) : -1;
        if (name >= 0 && !is_there[name]) {
            is_there[name] = true;
            count++;
        }
    }
    return count >= DUMP_SETTINGS;
}

static bool is_whole(const struct diagnosis *d, const struct hit *h) {
    return h->command.n > 0 || (hit_is_command_form(d, h)
                                    ? is_in_command(d, h)
                                    : is_in_dump(d, h));
}

struct failure_end failure_end_of(const struct diagnosis *d) {
    const struct sighting *first = first_failure(d);
    struct failure_end end = {first ? first->hit->order : UINT64_MAX,
                              last_order(d), false};
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->kind == PATTERN_CONTEXT && h->order <= end.last &&
            !end.has_whole_above) {
            bool is_key = h->command.n == 0 && key_setting(d, h) >= 0;
            end.has_whole_above = h->command.n > 0 ||
                                  (is_key && is_in_dump(d, h));
        }
    }
    return end;
}

bool hit_is_above(const struct diagnosis *d, const struct failure_end *end,
                  const struct hit *h) {
    return h->order <= end->last || is_in_failure(d, h);
}

/* "Maximum concurrency for 4,096 tokens per request: 0.00x": a setting that the
 * program itself measured with is no advice. */
static bool is_measured_with(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < h->capture_count; i++)
        if (!is_setting(d, h, h->captures[i].name))
            return true;
    return false;
}

/* "PS C:\\job> python train.py", "$ python train.py": typed at a prompt. */
static bool is_at_prompt(const struct hit *h) {
    struct str front = str_trim(str_slice(h->command_line, 0, h->command_at));
    char last = front.n > 0 ? front.p[front.n - 1] : '\0';
    return last == '>' || last == '$' || last == '%';
}

/* The line right below the failure is a prompt again: what is typed there is
 * the next run. */
bool hit_is_typed_next(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        for (size_t k = 0; is_root(d, s) && k < s->place_count; k++)
            if (h->first_line > s->places[k].first_line &&
                h->first_line <= s->places[k].last_line + 1 && is_at_prompt(h))
                return true;
    }
    return false;
}

/* In the line of a command that was typed next. */
static bool is_of_next_run(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *c = &d->scan->hits.at[i];
        if (c->kind == PATTERN_CONTEXT && c->command.n > 0 &&
            c->stream == h->stream && c->first_line <= h->first_line &&
            h->first_line <= c->last_line && hit_is_typed_next(d, c))
            return true;
    }
    return false;
}

/* What a run was given, and not what the machine or the program is. */
static bool is_given(enum fact_name name) {
    enum unit unit = fact_unit(name);
    return unit != UNIT_TEXT && unit != UNIT_VERSION;
}

bool hit_may_tell(const struct diagnosis *d, const struct failure_end *end,
                  const struct hit *h, enum fact_name name) {
    const struct context_pattern *row = context_row(d, h);
    if (h->order > end->last && is_given(name) && is_of_next_run(d, h))
        return false;
    if (h->order <= end->first || !is_setting(d, h, name) ||
        (row && (row->is_prose || row->is_printed)) ||
        is_in_failure(d, h) || is_measured_with(d, h))
        return true;
    return is_whole(d, h) && (h->order <= end->last || !end->has_whole_above);
}
