/* inputs.c: what neither the log nor the user gives, from the catalogue and the
 * engine's defaults. Each value carries its source, so that a reader can tell
 * a measurement from an assumption. A default that changed between releases
 * is a range where the version is unknown, or nothing at all where it is no
 * number. What is given is never replaced, but for impossible numbers. */
#include "memory/engines.h"
#include "memory/kv.h"

static bool is_open(const struct inputs *c, enum fact_name name) {
    return !c->in[name].known;
}

/* ---- defaults of the engine ---- */

static bool read_default(const struct engine_default *d, struct fact *out) {
    *out = fact_blank(d->fact, SOURCE_DEFAULT);
    fact_read(d->fact, d->value, 1, out);
    out->name = d->fact;
    out->source = SOURCE_DEFAULT;
    out->why = d->source;
    out->ranged = false;
    out->low = out->high = out->number;
    return out->known;
}

/* Another release's default beside the one already taken. */
static void widen(struct fact *taken, const struct fact *other) {
    bool same =
        taken->number == other->number && str_eq(taken->word, other->word);
    if (same || !taken->known)
        return;
    enum unit unit = fact_unit(taken->name);
    if (unit == UNIT_TEXT || unit == UNIT_VERSION || unit == UNIT_BOOL) {
        taken->known = false;
        return;
    }
    taken->ranged = true;
    taken->low = other->number < taken->low ? other->number : taken->low;
    taken->high = other->number > taken->high ? other->number : taken->high;
    taken->number = other->number; /* rows stand in the order of releases */
}

static void take_default(struct inputs *c, const struct engine_default *d,
                         bool *is_ours) {
    const struct fact *version = &c->in[FACT_engine_version];
    struct str v = version->known ? version->word : (struct str){0};
    struct fact f;
    bool is_stated = !is_open(c, d->fact) && !is_ours[d->fact];
    if (is_stated || version_in_range(&d->versions, v) == RANGE_OUTSIDE ||
        !read_default(d, &f))
        return;
    if (is_ours[d->fact])
        widen(&c->in[d->fact], &f);
    else
        c->in[d->fact] = f;
    is_ours[d->fact] = true;
}

/* ---- the catalogue ---- */

static void take_word(struct inputs *c, enum fact_name name, struct str word) {
    if (!is_open(c, name) || word.n == 0)
        return;
    c->in[name] = fact_word(name, SOURCE_CATALOGUE, word);
    c->in[name].why = c->model->id;
}

static void take_total(struct inputs *c) {
    if (!is_open(c, FACT_gpu_total) || c->gpu->total_low <= 0)
        return;
    struct fact *f = &c->in[FACT_gpu_total];
    *f = fact_blank(FACT_gpu_total, SOURCE_CATALOGUE);
    f->why = c->gpu->id;
    f->known = f->ranged = true;
    f->low = c->gpu->total_low;
    f->high = c->gpu->total_high;
    f->number = f->low + (f->high - f->low) / 2;
}

/* No arithmetic is done with what cannot be: what a log prints so is a slip; of
 * what a user gives, the largest possible amount is taken, so that a length
 * that never fits does not count as one that was not given. */
static void bound(struct inputs *c) {
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        struct fact *f = &c->in[n];
        if (!fact_is_absurd(f))
            continue;
        f->known = f->source == SOURCE_USER;
        f->why = STR("more than any machine has");
        f->ranged = false;
        f->number = f->low = f->high =
            f->number < 0 ? -fact_most(f->name) : fact_most(f->name);
    }
}

void memory_complete(struct inputs *c, const struct engine *engine,
                     struct arena *a) {
    const struct model *m = c->model;
    bound(c);
    bool *is_ours = arena_array(a, FACT_COUNT_OF, sizeof *is_ours);
    bool is_its = engine != NULL && str_eq(engine->id, c->engine);
    for (size_t i = 0; is_its && i < engine->default_count; i++)
        take_default(c, &engine->defaults[i], is_ours);
    if (m) {
        take_word(c, FACT_dtype, m->dtype);
        take_word(c, FACT_quantization, m->quantization);
    }
    if (m && is_open(c, FACT_max_model_len) && m->max_position > 0 &&
        engine_of(c)->is_named) {
        c->in[FACT_max_model_len] =
            fact_number(FACT_max_model_len, SOURCE_CATALOGUE, m->max_position);
        c->in[FACT_max_model_len].why = m->id;
    }
    if (c->gpu)
        take_total(c);
    if (is_open(c, FACT_kv_available) && rules_pool_is_asked(c)) {
        /* asked for by its size, it is that pool: nothing is measured */
        c->in[FACT_kv_available] = c->in[FACT_kv_cache_memory];
        c->in[FACT_kv_available].name = FACT_kv_available;
    }
}

int64_t setting_of(const struct inputs *c, enum fact_name name,
                   int64_t otherwise) {
    const struct fact *f = &c->in[name];
    return f->known && f->number > 0 ? f->number : otherwise;
}

int64_t tensor_ranks(const struct inputs *c) {
    return setting_of(c, FACT_tensor_parallel, 1);
}

int64_t pipeline_ranks(const struct inputs *c) {
    return setting_of(c, FACT_pipeline_parallel, 1);
}

bool is_on(const struct inputs *c, enum fact_name name) {
    return c->in[name].known && c->in[name].number != 0;
}

bool is_off(const struct inputs *c, enum fact_name name) {
    return c->in[name].known && c->in[name].number == 0;
}

bool word_is(const struct inputs *c, enum fact_name name, const char *word) {
    return c->in[name].known && str_eq_nocase(c->in[name].word, str_of(word));
}

void inputs_forget(struct inputs *c, const enum fact_name *names) {
    for (; *names != FACT_COUNT_OF; names++)
        c->in[*names].known = false;
}

/* sources: a bit for each that counts. */
static enum fact_name first_from(const struct inputs *c,
                                 const enum fact_name *names,
                                 unsigned sources) {
    while (*names != FACT_COUNT_OF &&
           !(c->in[*names].known && (sources >> c->in[*names].source & 1)))
        names++;
    return *names;
}

enum fact_name inputs_first_known(const struct inputs *c,
                                  const enum fact_name *names) {
    return first_from(c, names, ~0u);
}

struct span first_known(const struct inputs *c, const enum fact_name *names) {
    enum fact_name name = inputs_first_known(c, names);
    return name != FACT_COUNT_OF ? span_in(c, name) : span_none();
}

bool inputs_knows_any(const struct inputs *c, const enum fact_name *names) {
    return inputs_first_known(c, names) != FACT_COUNT_OF;
}

bool inputs_states_any(const struct inputs *c, const enum fact_name *names) {
    return first_from(c, names, ~(1u << SOURCE_DEFAULT)) != FACT_COUNT_OF;
}

bool inputs_prints_any(const struct inputs *c, const enum fact_name *names) {
    return first_from(c, names, 1u << SOURCE_LOG) != FACT_COUNT_OF;
}

bool has_part(struct str word, const char *part) {
    struct str p = str_of(part);
    for (size_t i = 0; i + p.n <= word.n; i++)
        if (str_eq_nocase(str_slice(word, i, p.n), p))
            return true;
    return false;
}

bool inputs_states_pool(const struct inputs *c) {
    return inputs_knows_any(
        c, FACT_LIST(FACT_kv_available, FACT_kv_blocks, FACT_kv_bytes));
}

bool inputs_is_eager(const struct inputs *c) {
    return is_on(c, FACT_enforce_eager);
}

bool model_has(const struct model *m, enum kv_kind kind) {
    for (size_t i = 0; m != NULL && i < m->group_count; i++)
        if (m->groups[i].kind == kind)
            return true;
    return false;
}

bool kv_kind_is_window(enum kv_kind kind) {
    return kind == KV_sliding || kind == KV_chunked;
}

bool model_has_windows(const struct model *m) {
    return model_has(m, KV_sliding) || model_has(m, KV_chunked);
}

bool kv_kind_grows(enum kv_kind kind) {
    return kind == KV_full || kind == KV_mla || kind == KV_indexer;
}
