/* after_failure.c: decides whether a setting below a failure was in force.
 *
 *     vllm serve m --max-model-len 8192        in force
 *     ... CUDA out of memory ...               the failure
 *     **Fix:** --gpu-memory-utilization 0.80   never in force
 *
 * Above the failure, and in its own traceback, every setting counts. Below the
 * failure a setting counts only in a command line or in a dump of several
 * settings, and only if neither stands above: excerpts often end with the
 * command that was run. A single flag below is advice that somebody gives.
 *
 * A command that was typed at a prompt right below the failure is the next run.
 *
 * Lines that only the program prints ("llama_context: n_ctx = 8192"), and the
 * command that a shell prints when its process dies, are no advice.
 *
 * Measurements and identities (model, version, card) count anywhere in the log,
 * and so does a setting that is captured together with a measurement: advice
 * does not contain measurements.
 */
#include "diagnose/work.h"

#define DUMP_LINES 4    /* the settings of one dump are at most this many lines
                           apart */
#define DUMP_SETTINGS 3 /* a dump has at least this many settings; a sentence
                           has fewer */

/* ---- where the failure is ---- */

static bool is_root(const struct diagnosis *d, const struct sighting *s) {
    const struct entry *e = reader_entry_head(d->r, s->hit->owner);
    return e && e->role == ROLE_root &&
           e->severity != SEVERITY_info && e->severity != SEVERITY_recovery;
}

/* The first root with captures, else the first root: a title names the failure,
 * its message has the numbers. */
static const struct sighting *first_failure(const struct diagnosis *d) {
    const struct sighting *first = NULL;
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        if (is_root(d, s) && s->hit->capture_count > 0)
            return s;
        first = !first && is_root(d, s) ? s : first;
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

/* True if it stands after the message in the message's own lines: text that
 * somebody added. */
static bool is_appended(const struct hit *h, const struct place *p) {
    return h->order > p->order && h->first_line >= p->first_line &&
           h->first_line <= p->last_line;
}

static bool is_in_failure(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        for (size_t k = 0; is_root(d, s) && k < s->place_count; k++)
            if (hit_in_trace(h, &s->places[k]) &&
                !is_appended(h, &s->places[k]))
                return true;
    }
    return false;
}

/* A setting inside a failure message is advice ("run with NCCL_DEBUG=INFO"). */
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

/* ---- command lines and dumps ---- */

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

/* True for a command line, and for the command that a shell prints when its
 * process dies. */
static bool holds_command(const struct diagnosis *d, const struct hit *h) {
    const struct context_pattern *row =
        h->kind == PATTERN_CONTEXT ? context_row(d, h) : NULL;
    return row && (h->command.n > 0 || row->is_printed);
}

static bool stands_in(const struct hit *h, const struct hit *command) {
    return h->stream == command->stream &&
           h->first_line >= command->first_line &&
           h->first_line <= command->last_line;
}

static bool is_in_command(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < d->scan->hits.count; i++)
        if (stands_in(h, &d->scan->hits.at[i]) &&
            holds_command(d, &d->scan->hits.at[i]))
            return true;
    return false;
}

static bool is_setting(const struct diagnosis *d, const struct hit *h,
                       enum fact_name name) {
    const struct engine *owner = reader_engine(d->r, h->owner);
    if (name == FACT_model)
        return hit_is_command_form(d, h);
    return name == FACT_expandable_segments ||
           engine_flag_of(d->engine, name) != NULL ||
           engine_flag_of(owner, name) != NULL;
}

/* The setting in a line key=value; -1: the line has none. */
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

/* True if the line has a measurement as well: "Maximum concurrency for 4,096
 * tokens per request: 0.00x". The program used that setting, so it is no
 * advice. */
static bool is_measured_with(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < h->capture_count; i++)
        if (!is_setting(d, h, h->captures[i].name))
            return true;
    return false;
}

/* True if the command stands behind a prompt: "PS C:\\job> python train.py", "$
 * python train.py". */
static bool is_at_prompt(const struct hit *h) {
    struct str front = str_trim(str_slice(h->command_line, 0, h->command_at));
    char last = front.n > 0 ? front.p[front.n - 1] : '\0';
    return last == '>' || last == '$' || last == '%';
}

/* A prompt right below the failure begins the next run. */
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

/* True if it is in the command line of the next run. */
static bool is_of_next_run(const struct diagnosis *d, const struct hit *h) {
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *c = &d->scan->hits.at[i];
        if (c->kind == PATTERN_CONTEXT && c->command.n > 0 &&
            stands_in(h, c) && hit_is_typed_next(d, c))
            return true;
    }
    return false;
}

/* True for settings of a run. Texts and versions identify the machine or the
 * program. */
static bool is_run_setting(enum fact_name name) {
    enum unit unit = fact_unit(name);
    return unit != UNIT_TEXT && unit != UNIT_VERSION;
}

bool hit_may_set(const struct diagnosis *d, const struct failure_end *end,
                 const struct hit *h, enum fact_name name) {
    const struct context_pattern *row = context_row(d, h);
    if (h->order > end->last && is_run_setting(name) && is_of_next_run(d, h))
        return false;
    if (h->order <= end->first || !is_setting(d, h, name) ||
        (row && (row->is_prose || row->is_printed)) ||
        is_in_failure(d, h) || is_measured_with(d, h))
        return true;
    return is_whole(d, h) && (h->order <= end->last || !end->has_whole_above);
}
