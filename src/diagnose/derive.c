/* derive.c: facts that follow from the numbers of one failure and from the
 * failures beside it.
 *
 *   outside_framework  total - free - what the allocator holds
 *   others_in_use      total - free - this process - ranks of its own job;
 *                      0 if it is below 64 MiB, which is rounding
 *   own_ranks          listed processes that are ranks of this job
 *   victim             the process that a kill names, and what it held
 *   siblings           ranks or GPUs that failed in one event
 *   attempts           earlier failures of the same kind and rank
 *   shares_host_memory the GPU has no memory of its own
 *
 * Each fact carries its formula. A fact that cannot be computed is left out.
 */
#include "diagnose/work.h"

#include <inttypes.h>

#define ROUNDING_BYTES (INT64_C(64) << 20) /* rounding errors of four printed
                                       amounts */
#define PIDS_APART 32  /* pids of workers of one parent differ by at most this
                          much */
#define SIZE_PER_MILLE 20 /* sizes of ranks differ by at most this much */
#define TOGETHER_LINES 400 /* lines between ranks that fail in one event */

static const struct fact *fact_of(const struct sighting *s, enum fact_name n) {
    return facts_first(&s->facts, n);
}

/* Subtracts y from x, including the ends of the interval. */
static void fact_subtract(struct fact *x, const struct fact *y) {
    x->number -= y->number;
    x->low -= fact_high(y);
    x->high -= fact_low(y);
}

/* Memory in use on the card; known false: not in the message. */
static struct fact in_use_of(const struct sighting *s, enum fact_name name) {
    const struct fact *total = fact_of(s, FACT_gpu_total);
    const struct fact *free = fact_of(s, FACT_gpu_free);
    if (!total || !free || free->number > total->number)
        return fact_blank(name, SOURCE_DERIVED);
    struct fact f = fact_number(name, SOURCE_DERIVED, total->number);
    f.ranged = true;
    f.low = fact_low(total);
    f.high = fact_high(total);
    f.gpu = total->gpu;
    f.line = total->line;
    fact_subtract(&f, free);
    return f;
}

static void clamp_at_zero(struct fact *f) {
    f->number = f->number < ROUNDING_BYTES ? 0 : f->number;
    f->low = f->low < 0 ? 0 : f->low;
    f->high = f->high < f->number ? f->number : f->high;
}

static void outside_derive(struct diagnosis *d, struct sighting *s) {
    const struct fact *reserved = fact_of(s, FACT_pytorch_reserved);
    const struct fact *allocated = fact_of(s, FACT_pytorch_allocated);
    const struct fact *rest = fact_of(s, FACT_pytorch_unallocated);
    struct fact f = in_use_of(s, FACT_outside_framework);
    if (!f.known || !(reserved || (allocated && rest)))
        return;
    int64_t used = f.number;
    fact_subtract(&f, reserved ? reserved : allocated);
    if (!reserved)
        fact_subtract(&f, rest);
    if (f.number < -ROUNDING_BYTES)
        return; /* the numbers contradict each other */
    clamp_at_zero(&f);
    f.formula = arena_printf(
        d->a, "%" PRId64 " in use - %" PRId64
        " held by the framework's allocator", used, used - f.number);
    sighting_add_fact(d, s, f);
}

/* ---- ranks of this job ---- */

static int64_t own_pid(const struct diagnosis *d, const struct sighting *s) {
    const struct fact *own = fact_of(s, FACT_process_in_use);
    if (own && own->pid != FACT_NONE && own->why.n > 0)
        return own->pid; /* the log lists the process under this pid */
    return stream_of_number(d, s->places[0].stream)->pid;
}

static bool is_pid_of_job(const struct diagnosis *d, int64_t pid) {
    for (size_t i = 0; i < d->scan->stream_count; i++)
        if (d->scan->streams[i].pid == pid)
            return true;
    return false;
}

bool has_ranks(const struct diagnosis *d) {
    static const enum fact_name names[] = {
        FACT_tensor_parallel, FACT_pipeline_parallel, FACT_data_parallel,
        FACT_ranks_least};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct fact *f = facts_last(&d->context, names[i]);
        if (f && f->source != SOURCE_DEFAULT && f->number > 1)
            return true;
    }
    return false;
}

static bool is_similar_size(const struct fact *x, const struct fact *y) {
    int64_t apart = x->number > y->number ? x->number - y->number
                                          : y->number - x->number;
    return y->number > ROUNDING_BYTES &&
           apart <= y->number / 1000 * SIZE_PER_MILLE;
}

static bool are_near(int64_t x, int64_t y) {
    return x != FACT_NONE && y != FACT_NONE && x != y &&
           x - y <= PIDS_APART && y - x <= PIDS_APART;
}

/* True if another listed process has the same size and a pid nearby: a launcher
 * starts such processes. */
static bool has_duplicate(const struct sighting *s, const struct fact *listed) {
    for (size_t i = 0; i < s->facts.count; i++) {
        const struct fact *other = &s->facts.at[i];
        if (other->name == FACT_other_in_use && other->known &&
            other->number == listed->number &&
            are_near(other->pid, listed->pid))
            return true;
    }
    return false;
}

/* True for one of three or more processes with neighbouring pids that a
 * launcher started: all of one size, or beside the failed process, or with no
 * process named as the failed one. */
static bool is_in_row(const struct sighting *s, const struct fact *listed,
                      int64_t pid) {
    size_t near = 0, duplicates = 0;
    for (size_t i = 0; i < s->facts.count; i++) {
        const struct fact *other = &s->facts.at[i];
        bool is_near = other->name == FACT_other_in_use && other->known &&
                       are_near(other->pid, listed->pid);
        near += is_near;
        duplicates += is_near && other->number == listed->number;
    }
    return near >= 2 && (duplicates >= 2 || are_near(pid, listed->pid) ||
                         fact_of(s, FACT_process_in_use) == NULL);
}

static bool is_own_rank(const struct diagnosis *d, const struct sighting *s,
                        const struct fact *listed) {
    const struct fact *own = fact_of(s, FACT_process_in_use);
    int64_t pid = own_pid(d, s);
    if (listed->pid != FACT_NONE && is_pid_of_job(d, listed->pid))
        return true;
    if (is_in_row(s, listed, pid))
        return true;
    if (!has_ranks(d) && !has_duplicate(s, listed))
        return false;
    return are_near(pid, listed->pid) || (own && is_similar_size(listed, own));
}

static size_t own_ranks_derive(struct diagnosis *d, struct sighting *s,
                         int64_t *bytes) {
    size_t listed = 0;
    struct fact f = fact_blank(FACT_own_ranks, SOURCE_DERIVED);
    *bytes = 0;
    for (size_t i = 0; i < s->facts.count; i++) {
        const struct fact *other = &s->facts.at[i];
        if (other->name == FACT_other_in_use && other->known) {
            listed++;
            if (is_own_rank(d, s, other) &&
                add_i64(*bytes, other->number, bytes))
                f.number++;
        }
    }
    f.known = listed > 0;
    f.line = s->hit->first_line;
    f.formula = STR("of the listed processes, by their pids and sizes");
    sighting_add_fact(d, s, f);
    return listed;
}

/* ---- others ---- */

/* True if the memory in use was counted before the program allocated any. */
static bool is_at_start(const struct sighting *s) {
    return facts_say(&s->facts, FACT_stage, "load") &&
           !fact_of(s, FACT_tried_alloc) && !fact_of(s, FACT_pytorch_allocated);
}

/* Memory of a process besides its tensors: a context, its libraries, and
 * allocations before the first count. */
#define AT_START_MOST (INT64_C(1) << 30)

static struct fact others_listed(const struct sighting *s) {
    struct fact f = fact_blank(FACT_others_in_use, SOURCE_DERIVED);
    for (size_t i = 0; i < s->facts.count; i++) {
        const struct fact *other = &s->facts.at[i];
        if (other->name != FACT_other_in_use || !other->known ||
            !add_i64(f.number, other->number, &f.number))
            continue;
        f.known = f.ranged = true;
        f.low += fact_low(other);
        f.high += fact_high(other);
        f.gpu = other->gpu;
        f.line = other->line;
    }
    return f;
}

/* The memory of this process. NULL if it is less than its own tensors: in a
 * container the driver may print 0 bytes. */
static const struct fact *own_use(const struct sighting *s) {
    const struct fact *own = fact_of(s, FACT_process_in_use);
    const struct fact *held = fact_of(s, FACT_pytorch_allocated);
    return own && held && fact_high(own) < fact_low(held) ? NULL : own;
}

/* A process in a container does not know its pid on the host, so the message
 * lists it as one of the others. It is the only one with the size of its
 * tensors and a context. */
static void find_own_by_size(struct sighting *s) {
    const struct fact *held = fact_of(s, FACT_pytorch_allocated);
    struct fact *own = NULL;
    size_t like = 0;
    if (held == NULL || fact_of(s, FACT_process_in_use) != NULL)
        return;
    for (size_t i = 0; i < s->facts.count; i++) {
        struct fact *f = &s->facts.at[i];
        int64_t above = f->number - held->number;
        if (f->name == FACT_other_in_use && f->known && above >= 0 &&
            above < AT_START_MOST) {
            own = f;
            like++;
        }
    }
    if (like == 1)
        own->name = FACT_process_in_use;
}

static void others_derive(struct diagnosis *d, struct sighting *s) {
    find_own_by_size(s);
    int64_t ranks;
    size_t listed = own_ranks_derive(d, s, &ranks);
    const struct fact *own = own_use(s);
    struct fact f = in_use_of(s, FACT_others_in_use);
    int64_t used = f.number;
    if (f.known && own) {
        fact_subtract(&f, own);
        f.formula = arena_printf(
            d->a, "%" PRId64 " in use - %" PRId64 " this process - %" PRId64
            " its ranks", used, own->number, ranks);
    } else if (f.known && is_at_start(s)) {
        f.low = f.low > AT_START_MOST ? f.low - AT_START_MOST : 0;
        f.formula = STR("in use before this process loaded anything");
    } else if (listed > 0 && fact_of(s, FACT_own_process_listed)) {
        f = others_listed(s);
        f.formula = STR("the listed processes");
    } else {
        return; /* the memory of this process is not known */
    }
    f.number -= ranks;
    f.low -= ranks;
    f.high -= ranks;
    if (f.number >= -ROUNDING_BYTES) {
        clamp_at_zero(&f);
        sighting_add_fact(d, s, f);
    }
}

static void victim_derive(struct diagnosis *d, struct sighting *s) {
    static const enum fact_name parts[] = {FACT_host_rss, FACT_file_rss,
                                           FACT_shmem_rss};
    const struct fact *name = fact_of(s, FACT_process_name);
    struct fact rss = fact_blank(FACT_victim_rss, SOURCE_DERIVED);
    if (!facts_say(&s->facts, FACT_device_kind, "host"))
        return;
    if (name && name->word.n > 0) {
        struct fact f = fact_word(FACT_victim, SOURCE_DERIVED, name->word);
        f.line = name->line;
        f.formula = STR("the process that the message names");
        sighting_add_fact(d, s, f);
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const struct fact *part = fact_of(s, parts[i]);
        if (part && add_i64(rss.number, part->number, &rss.number)) {
            rss.known = true;
            rss.line = rss.line ? rss.line : part->line;
        }
    }
    if (rss.known && fact_of(s, FACT_host_rss)) {
        rss.formula = STR("anonymous, file and shared pages of that process");
        sighting_add_fact(d, s, rss);
    }
}

/* ---- other failures of the log ---- */

static int64_t gpu_of(const struct sighting *s) {
    const struct fact *f = fact_of(s, FACT_gpu_index);
    return f ? f->number : FACT_NONE;
}

static bool is_same_rank(const struct diagnosis *d, const struct sighting *x,
                         const struct sighting *y) {
    return gpu_of(x) == gpu_of(y) &&
           stream_of_number(d, x->places[0].stream)->rank ==
               stream_of_number(d, y->places[0].stream)->rank;
}

static bool is_first_of_rank(const struct diagnosis *d,
                             const struct sighting *s,
                             const struct sighting *x) {
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *y = &d->sightings.at[i];
        if (y == x)
            return true;
        if (y->head == s->head && lines_apart(s, y) <= TOGETHER_LINES &&
            is_same_rank(d, x, y))
            return false;
    }
    return true;
}

static void neighbours_derive(struct diagnosis *d, struct sighting *s) {
    struct fact siblings = fact_blank(FACT_siblings, SOURCE_DERIVED);
    struct fact attempts = fact_blank(FACT_attempts, SOURCE_DERIVED);
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *x = &d->sightings.at[i];
        if (x->head != s->head)
            continue;
        if (x < s && is_same_rank(d, x, s))
            attempts.number++;
        if (lines_apart(s, x) <= TOGETHER_LINES && is_first_of_rank(d, s, x))
            siblings.number++;
    }
    siblings.known = siblings.number > 1;
    siblings.line = attempts.line = s->hit->first_line;
    siblings.formula = STR("ranks or GPUs with this message, close together");
    sighting_add_fact(d, s, siblings);
    attempts.known = attempts.number > 0;
    attempts.formula = STR("the same message of the same rank above, with "
                           "other numbers");
    sighting_add_fact(d, s, attempts);
}

/* Bytes per parameter: 2 for the weight and 2 for the gradient in 16 bits, 4
 * for each of Adam's two moments. */
#define FULL_STATE 12

static bool trains_all(const struct diagnosis *d, const struct sighting *s) {
    static const enum fact_name partly[] = {
        FACT_lora_rank, FACT_quantization, FACT_zero_stage, FACT_optimizer,
        FACT_offload};
    const struct fact *task = fact_here(d, s, FACT_task);
    const struct fact *what = facts_last(&d->context, FACT_trained);
    bool is_training = task && str_eq(task->word, STR("train")) &&
                       (!what || str_eq(what->word, STR("all")));
    for (size_t i = 0; i < sizeof partly / sizeof *partly; i++)
        is_training = is_training && !fact_here(d, s, partly[i]);
    return is_training;
}

/* The training state: of the parameters that the log counts as trained, else of
 * all. */
static void full_state_derive(struct diagnosis *d, struct sighting *s) {
    const struct fact *all = facts_last(&s->facts, FACT_model_params);
    const struct fact *trained = fact_here(d, s, FACT_trainable_params);
    const struct fact *of = trained ? trained : all;
    struct fact f = fact_blank(FACT_full_state_bytes, SOURCE_DERIVED);
    f.known = of && trains_all(d, s) &&
              mul_i64(of->number, FULL_STATE, &f.number);
    f.formula = trained ? STR("12 bytes for each parameter that Adam trains")
                        : STR("12 bytes for each parameter, if Adam trains "
                              "all of them");
    sighting_add_fact(d, s, f);
}

/* The number of parameters: the catalogue's, else the one in the model's
 * name. */
static void model_params_derive(struct diagnosis *d, struct sighting *s) {
    const struct fact *model = fact_here(d, s, FACT_model);
    struct fact f = fact_blank(FACT_model_params, SOURCE_DERIVED);
    if (!model)
        return;
    struct model_match m = reader_model(d->r, model->word);
    struct fact packing = fact_of_quantization(&m);
    if (packing.known && !fact_here(d, s, FACT_quantization))
        sighting_add_fact(d, s, packing);
    if (!fact_of(s, FACT_model) && facts_last(&d->context, FACT_model_params))
        return;
    f.number = m.model && !m.is_guess ? m.model->params
                                      : params_named(model->word);
    f.formula = m.model && !m.is_guess ? STR("the catalogue's count")
                                       : STR("the size in the model's name");
    f.known = f.number > 0;
    sighting_add_fact(d, s, f);
}

/* The weights on one GPU. Not computed if a ZeRO stage is known (stage 3
 * spreads the weights over a number of ranks that is not known), nor if a part
 * is kept on the host. */
static void model_bytes_derive(struct diagnosis *d, struct sighting *s) {
    const struct fact *params = fact_here(d, s, FACT_model_params);
    struct fact f = fact_blank(FACT_model_bytes, SOURCE_DERIVED);
    struct inputs c;
    if (!params)
        return;
    inputs_fill(d, &s->facts, &c);
    if (c.in[FACT_zero_stage].known || c.in[FACT_cpu_offload].number > 0)
        return;
    struct span bytes = memory_weights_of(&c, params->number);
    f.known = bytes.known;
    f.number = bytes.low;
    f.formula = arena_printf(
        d->a, "%" PRId64 " parameters x width / ranks of TP and PP",
        params->number);
    sighting_add_fact(d, s, f);
}

/* True if the GPU uses the host's memory: by its name, else by a total that
 * only such GPUs have. */
static bool is_unified(struct diagnosis *d, const struct sighting *s) {
    const struct fact *name = fact_here(d, s, FACT_gpu_name);
    const struct fact *total = fact_of(s, FACT_gpu_total);
    const struct gpu *gpu = name ? reader_gpu(d->r, name->word) : NULL;
    if (gpu || !total)
        return gpu && gpu->is_unified;
    struct gpu_list gpus =
        reader_gpus_of_total(d->r, fact_low(total), fact_high(total));
    size_t unified = 0;
    for (size_t i = 0; i < gpus.count; i++)
        unified += gpus.at[i]->is_unified;
    return unified > 0 && unified == gpus.count;
}

static void shared_memory_derive(struct diagnosis *d, struct sighting *s) {
    struct fact f = fact_blank(FACT_shares_host_memory, SOURCE_DERIVED);
    if (fact_here(d, s, f.name) || !is_unified(d, s))
        return;
    f.known = true;
    f.number = 1;
    f.formula = STR("the catalogue: this GPU uses the host's memory");
    facts_add_new(d->a, &s->facts, &f);
}

void model_size_derive(struct diagnosis *d, struct sighting *s) {
    model_params_derive(d, s);
    model_bytes_derive(d, s);
}

void failure_derive(struct diagnosis *d, struct sighting *s) {
    shared_memory_derive(d, s);
    full_state_derive(d, s);
    free_memory_derive(d, s);
    free_before_load_derive(d, s);
    outside_derive(d, s);
    smi_derive(d, s);
    others_derive(d, s);
    victim_derive(d, s);
    tasks_derive(d, s);
    neighbours_derive(d, s);
    tensor_derive(d, s);
    run_time_derive(d, s);
    growth_derive(d, s);
}
