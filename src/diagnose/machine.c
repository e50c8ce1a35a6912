/* machine.c: facts of the machine at hand, besides those of a log.
 *
 *     gpu_total[gpu 0]=81559 MiB\tnvidia-smi
 *     other_in_use[gpu 0, pid 4711]=3012 MiB\tnvidia-smi
 *     engine_version[engine vllm]=0.11.0\tvllm-0.11.0.dist-info
 *
 * A fact of the log overrides that of the machine. If the log has another card,
 * memory size or system, it is the log of another machine: no fact of this one
 * is used, and a note says so. Values that change from moment to moment are not
 * used for a failure that is over.
 */
#include "diagnose/work.h"

/* nvidia-smi includes memory that the driver keeps. CUDA can allocate 97 to 100
 * percent of it (T4: 14.58 of 15.00 GiB, H100: 79.11 of 79.65). */
#define HANDED_OUT_PERCENT 97
#define SAME_PERCENT 4 /* a larger difference means another card or machine */

/* ---- reading ---- */

static bool owner_read(struct str word, struct machine_fact *out) {
    struct str rest, key = str_cut(str_trim(word), ' ', &rest);
    rest = str_trim(rest);
    if (str_eq(key, STR("engine")) && rest.n > 0) {
        out->engine = rest;
        return true;
    }
    if (str_eq(key, STR("gpu")))
        return str_to_int(rest, &out->fact.gpu);
    return str_eq(key, STR("pid")) && str_to_int(rest, &out->fact.pid);
}

static bool owners_read(struct str inside, struct machine_fact *out) {
    while (inside.n > 0) {
        struct str rest, word = str_cut(inside, ',', &rest);
        if (!owner_read(word, out))
            return false;
        inside = rest;
    }
    return true;
}

bool machine_fact_read(struct arena *a, struct str text,
                       struct machine_fact *out, struct str *why) {
    struct str value, origin, owners;
    struct str name = str_cut(text, '=', &value);
    enum fact_name fact;
    *out = (struct machine_fact){
        .fact = fact_blank(FACT_engine, SOURCE_MACHINE)};
    name = str_cut(name, '[', &owners);
    if (str_find_char(text, '=') == text.n) {
        *why = arena_printf(a, "'%.*s' is not fact=value", STR_ARG(text));
        return false;
    }
    if (!fact_named(str_trim(name), &fact)) {
        *why = no_such_fact(a, name);
        return false;
    }
    out->fact.name = fact;
    size_t close = str_find_char(owners, ']');
    if (owners.n > 0 && (close == owners.n ||
                         !owners_read(str_slice(owners, 0, close), out))) {
        *why = arena_printf(a, "'%.*s': in brackets stand gpu N, pid N or "
                            "engine NAME", STR_ARG(text));
        return false;
    }
    value = str_trim(str_cut(value, '\t', &origin));
    fact_read(fact, arena_str(a, value), 1, &out->fact);
    out->fact.source = SOURCE_MACHINE;
    if (out->fact.known && fact_is_absurd(&out->fact)) {
        out->fact.known = false; /* WSL prints 2^64 bytes for a process */
        out->fact.why = STR("more than any machine has");
    }
    origin = arena_str(a, str_trim(origin));
    out->fact.why = out->fact.known ? origin
                    : origin.n > 0  ? arena_printf(a, "%.*s: %.*s",
                                                   STR_ARG(origin),
                                                   STR_ARG(out->fact.why))
                                    : out->fact.why;
    return true;
}

/* ---- settling ---- */

static bool is_of_moment(enum fact_name name) {
    return name == FACT_gpu_free || name == FACT_process_in_use ||
           name == FACT_other_in_use || name == FACT_host_free ||
           name == FACT_host_used || name == FACT_host_peak ||
           name == FACT_swap_free || name == FACT_oom_kill_count ||
           name == FACT_commit_free;
}

/* Adds one fact for each name. is_split[name] is set if cards have different
 * values. Of free memory and of limits the least value is kept, since that
 * limits a job. Before a start (free_before_load) the card with the most free
 * memory counts: other jobs may run on the others. */
static void fact_merge(struct arena *a, struct fact_list *out,
                       const struct fact *f, bool *is_split) {
    for (size_t i = 0; i < out->count; i++) {
        struct fact *old = &out->at[i];
        if (old->name != f->name)
            continue;
        if (f->name == FACT_free_before_load)
            *old = f->number > old->number ? *f : *old;
        else if (f->name == FACT_gpu_free || f->name == FACT_host_limit)
            *old = f->number < old->number ? *f : *old;
        else if (!facts_same(old, f))
            is_split[f->name] = true;
        return;
    }
    struct fact one = *f;
    one.gpu = one.pid = FACT_NONE;
    facts_add(a, out, &one);
}

static void drop(struct fact_list *list, const bool *is_dropped) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        list->at[kept] = list->at[i];
        kept += !is_dropped[list->at[i].name];
    }
    list->count = kept;
}

/* Sets gpu_total to what a program can allocate: by the catalogue, else by the
 * percentage that CUDA leaves. */
static void total_settle(struct reader *r, struct fact_list *list) {
    const struct fact *name = facts_first(list, FACT_gpu_name);
    const struct gpu *gpu = name ? reader_gpu(r, name->word) : NULL;
    for (size_t i = 0; i < list->count; i++) {
        struct fact *f = &list->at[i];
        if (f->name != FACT_gpu_total)
            continue;
        int64_t least = f->number / 100 * HANDED_OUT_PERCENT;
        bool is_known = gpu && gpu->total_low > 0 &&
                        gpu->total_high >= least &&
                        gpu->total_low <= f->number;
        f->ranged = true;
        f->low = is_known ? gpu->total_low : least;
        f->high = is_known ? gpu->total_high : f->number;
        f->number = f->low + (f->high - f->low) / 2;
    }
}

struct fact_list machine_settled(struct arena *a, struct reader *r,
                                 const struct machine_list *list,
                                 struct str engine, bool is_now) {
    struct fact_list out = {0};
    bool *is_dropped = arena_array(a, FACT_COUNT_OF, sizeof *is_dropped);
    for (size_t i = 0; i < list->count; i++) {
        const struct machine_fact *m = &list->at[i];
        bool is_its = m->engine.n == 0 || str_eq(m->engine, engine);
        bool is_process = m->fact.pid != FACT_NONE;
        /* A job need not use all GPUs of a machine, unless it has one. */
        bool is_choice = m->fact.name == FACT_gpu_count && m->fact.number != 1;
        if (m->fact.name == FACT_gpu_total && !m->fact.known)
            is_dropped[FACT_gpu_name] = true; /* a slice of a card: its name
                                                 stands for more memory */
        if (m->fact.known && is_its && !is_process && !is_choice &&
            (is_now || !is_of_moment(m->fact.name)))
            fact_merge(a, &out, &m->fact, is_dropped);
    }
    if (is_dropped[FACT_gpu_name])
        is_dropped[FACT_gpu_total] = true;
    else
        total_settle(r, &out);
    drop(&out, is_dropped);
    return out;
}

/* ---- beside a log ---- */

static bool is_apart(int64_t x, int64_t y) {
    int64_t apart = x > y ? x - y : y - x, larger = x > y ? x : y;
    return apart / SAME_PERCENT > larger / 100;
}

/* Logs of WSL often show no more than Linux. */
static bool is_linux(struct str os) {
    return str_eq(os, STR("linux")) || str_eq(os, STR("wsl"));
}

static bool differs(struct diagnosis *d, const struct fact *log,
                    const struct fact *here) {
    enum unit unit = fact_unit(log->name);
    if (log->name == FACT_gpu_name) {
        const struct gpu *x = reader_gpu(d->r, log->word);
        const struct gpu *y = reader_gpu(d->r, here->word);
        return x && y && x != y;
    }
    if (log->name == FACT_os)
        return is_linux(log->word) != is_linux(here->word);
    if (unit == UNIT_TEXT || unit == UNIT_VERSION)
        return !str_starts(log->word, here->word) &&
               !str_starts(here->word, log->word); /* 2.8.0, 2.8.0+cu128 */
    return unit == UNIT_BYTES ? is_apart(log->number, here->number)
                              : log->number != here->number;
}

/* True for facts that identify a machine. Other facts may differ after a new
 * setup. */
static bool is_identity(enum fact_name name) {
    return name == FACT_gpu_name || name == FACT_gpu_total ||
           name == FACT_host_total || name == FACT_os;
}

static const struct fact *fact_of_log(const struct diagnosis *d,
                                      enum fact_name name) {
    const struct fact *f = facts_first(&d->context, name);
    for (size_t i = 0; !f && i < d->sightings.count; i++)
        f = facts_first(&d->sightings.at[i].facts, name);
    return f && f->source == SOURCE_LOG ? f : NULL;
}

static void note_difference(struct diagnosis *d, const char *key,
                            const struct fact *log, const struct fact *here) {
    d->machine_differs = NOTE(key, fact_label(d->a, log->name),
                              fact_written(d->a, log, false),
                              fact_written(d->a, here, false));
}

static bool is_of_another(struct diagnosis *d, const struct fact_list *here) {
    for (size_t i = 0; i < here->count; i++) {
        const struct fact *f = &here->at[i], *log = fact_of_log(d, f->name);
        if (is_identity(f->name) && log && differs(d, log, f)) {
            note_difference(d, "diagnose.remark.other_machine", log, f);
            return true;
        }
    }
    return false;
}

void machine_facts_add(struct diagnosis *d) {
    if (!d->answers || d->answers->machine.count == 0)
        return;
    struct str engine = d->engine ? d->engine->id : (struct str){NULL, 0};
    struct fact_list here =
        machine_settled(d->a, d->r, &d->answers->machine, engine, false);
    if (is_of_another(d, &here))
        return;
    for (size_t i = 0; i < here.count; i++) {
        const struct fact *f = &here.at[i], *log = fact_of_log(d, f->name);
        if (log && differs(d, log, f))
            note_difference(d, "diagnose.remark.machine_differs", log, f);
        if (!facts_first(&d->context, f->name))
            facts_add(d->a, &d->context, f);
    }
}
