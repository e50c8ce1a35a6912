/* effect.c: from the name of an effect to its arithmetic. A fix that cannot
 * touch what failed is `none`; a fix of another engine's settings too. An
 * engine whose settings work in their own way has its own table (engines.h),
 * which comes first. */
#include "memory/effect.h"
#include "memory/training.h"

static struct estimate of_tokens_only(const struct query *q) {
    (void)q;
    return estimate_none(FACT_tried_tokens);
}

enum {
    OF_VLLM = 1,    /* of another engine's setting nothing is known */
    BY_THE_REST = 2 /* gives memory to a pool that takes what is left */
};

static const struct row {
    effect_fn *reckon;
    unsigned is;
    enum fact_name sets; /* the setting that it is about */
} rows[EFFECT_COUNT_OF] = {
#define NO_SETTING FACT_engine
#define ROW(name, reckon, is, sets) [EFFECT_##name] = {reckon, is, sets},
#define SETTING(name, reckon, is) ROW(name, reckon, is, FACT_##name)
    SETTING(max_model_len, effect_max_model_len, OF_VLLM)
    SETTING(max_num_seqs, effect_max_num_seqs, OF_VLLM)
    SETTING(max_num_batched_tokens, effect_max_num_batched_tokens, OF_VLLM)
    ROW(gpu_memory_utilization_up, effect_utilization_up, OF_VLLM | BY_THE_REST,
        FACT_gpu_memory_utilization)
    ROW(gpu_memory_utilization_down, effect_utilization_down, 0,
        FACT_gpu_memory_utilization)
    SETTING(kv_cache_memory, effect_kv_cache_memory, OF_VLLM)
    SETTING(kv_cache_dtype, effect_kv_dtype, OF_VLLM)
    SETTING(tensor_parallel, effect_tensor_parallel, OF_VLLM)
    SETTING(pipeline_parallel, effect_pipeline_parallel, OF_VLLM)
    SETTING(decode_context_parallel, effect_decode_context_parallel, OF_VLLM)
    ROW(quantization, effect_quantization, BY_THE_REST, NO_SETTING)
    SETTING(enforce_eager, effect_enforce_eager, OF_VLLM | BY_THE_REST)
    ROW(free_other_process, effect_free_other_process, BY_THE_REST, NO_SETTING)
    SETTING(expandable_segments, effect_expandable_segments, 0)
    ROW(cpu_offload, effect_cpu_offload, OF_VLLM | BY_THE_REST, NO_SETTING)
    ROW(host_memory, effect_host_memory, 0, FACT_memory_limit)
    ROW(step_size, effect_step_size, 0, NO_SETTING)
    ROW(chunk, effect_chunk, 0, NO_SETTING)
    ROW(vae_tiles, effect_vae_tiles, 0, NO_SETTING)
    ROW(bigger_gpu, effect_bigger_gpu, 0, NO_SETTING)
    ROW(graph_sizes, effect_graph_sizes, 0, NO_SETTING)
    ROW(shm_size, effect_shm_size, 0, FACT_shm_limit)
    ROW(raise_limit, effect_raise_limit, 0, FACT_memory_limit)
    ROW(wired_limit, effect_wired_limit, 0, FACT_alloc_limit)
    ROW(fewer_workers, effect_fewer_workers, 0, FACT_num_workers)
    ROW(kernel, effect_kernel, 0, NO_SETTING)
    ROW(kernel_tile, effect_kernel_tile, 0, NO_SETTING)
    ROW(other_device, effect_other_device, 0, NO_SETTING)
    SETTING(build_jobs, effect_build_jobs, 0)
    ROW(fewer_weights, effect_fewer_weights, 0, NO_SETTING)
    ROW(half_precision, effect_half_precision, 0, NO_SETTING)
    SETTING(batch_size, effect_training, 0)
    SETTING(seq_len, effect_seq_len, 0)
    SETTING(gradient_checkpointing, effect_training, 0)
    ROW(optimizer_state, effect_training, 0, FACT_optimizer)
    ROW(adapters, effect_training, 0, FACT_lora_rank)
    ROW(shard_state, effect_training, 0, FACT_zero_stage)
    ROW(offload_optimizer, effect_training, 0, FACT_offload)
    ROW(offload_all, effect_training, 0, FACT_offload)
    ROW(mem_fraction_static_up, sglang_fraction_up, 0, FACT_mem_fraction_static)
    ROW(mem_fraction_static_down, sglang_fraction_down, 0,
        FACT_mem_fraction_static)
    SETTING(swa_full_tokens_ratio, of_tokens_only, 0)
    SETTING(context_length, llama_effect, 0)
    SETTING(gpu_layers, llama_effect, 0)
    SETTING(flash_attention, llama_effect, 0)
};

int effect_setting(enum effect effect) {
    enum fact_name sets = rows[effect].sets;
    return sets != NO_SETTING ? (int)sets : -1;
}

/* What another engine does with a setting of that name is known of a step
 * alone, and of weights while they load. */
static struct estimate of_other_engine(const struct query *q) {
    bool is_of_weights = q->effect == EFFECT_tensor_parallel ||
                         q->effect == EFFECT_pipeline_parallel ||
                         q->effect == EFFECT_cpu_offload;
    if (is_allocation(q) && q->effect == EFFECT_max_num_seqs)
        return step_scaled(q, FACT_max_num_seqs);
    if (is_allocation(q) &&
        (q->effect == EFFECT_max_num_batched_tokens ||
         (is_of_weights && stage_is(q->c, "load")))) /* divided alike */
        return rows[q->effect].reckon(q);
    return estimate_unknown(is_pool(q) ? FACT_kv_needed : FACT_tried_alloc);
}

struct estimate effect_compute(const struct query *q) {
    const struct row *row = &rows[q->effect];
    effect_fn *const *own = engine_of(q->c)->effects;
    bool is_state = q->effect == EFFECT_cpu_offload && training_is_step(q->c);
    if (q->what == SHORT_TOKENS)
        return effect_of_tokens(q);
    if (own != NULL && own[q->effect] != NULL)
        return own[q->effect](q);
    if ((row->is & OF_VLLM) && !engine_of(q->c)->takes_share && !is_state)
        return of_other_engine(q);
    if (is_pool(q) && (row->is & BY_THE_REST) && rules_pool_is_asked(q->c)) {
        struct kv_side kv = kv_side_of(q);
        struct estimate e = estimate_of_kv(&kv);
        estimate_judge(&e);
        e.verdict = VERDICT_NOT_ENOUGH; /* what failed stays as it was */
        return e;
    }
    return row->reckon ? row->reckon(q) : estimate_none(FACT_tried_alloc);
}

/* True for what one has of a server: a length, requests, a part of a GPU. */
static bool is_capacity(enum fact_name name) {
    static const enum fact_name names[] =
        FACTS(FACT_max_model_len, FACT_context_length, FACT_max_num_seqs,
              FACT_gpu_memory_utilization, FACT_mem_fraction_static);
    return fact_is_one(name, names);
}

/* What a shorter length, or fewer requests at once, leave of them. */
static void put_capacity(const struct inputs *c, struct estimate *e) {
    const struct fact *then = &e->proposed, *now = &c->in[then->name];
    if (then->known && is_capacity(then->name) && now->known &&
        then->number > 0 && then->number < now->number &&
        !mul_div_floor(then->number, UNITS_MICRO, now->number,
                       &e->capacity_micro))
        e->capacity_micro = SHARE_NONE;
}

struct estimate memory_effect(struct arena *a, const struct inputs *c,
                              enum shortage what, enum effect effect) {
    /* Tokens of a prefill whose memory was refused: no pool was short. */
    bool is_prefill = what == SHORT_TOKENS && engine_of(c)->counts_prefill &&
                      !c->in[FACT_available_tokens].known;
    struct query q = {a, c, is_prefill ? SHORT_ALLOCATION : what, effect};
    struct estimate e = effect_compute(&q);
    estimate_bound(&q, &e);
    put_capacity(c, &e);
    estimate_vary_defaults(&q, &e);
    return e;
}
