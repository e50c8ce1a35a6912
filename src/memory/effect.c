/* effect.c: from the name of an effect to its arithmetic. A fix that cannot
 * touch what failed is `none`; a fix of another engine's settings too. An
 * engine whose settings work in their own way has its own table (engines.h),
 * which is asked first. */
#include "memory/effect.h"
#include "memory/training.h"

static struct estimate of_tokens_alone(const struct ask *q) {
    (void)q;
    return estimate_none(FACT_tried_tokens);
}

enum { OF_VLLM = 1, BY_THE_REST = 2 };

static const struct row {
    effect_fn *reckon;
    unsigned is; /* OF_VLLM: of another engine's setting nothing is known;
                    BY_THE_REST: gives memory to a pool that takes what is
                    left */
    enum fact_name sets; /* the setting that it is about */
} rows[EFFECT_COUNT_OF] = {
#define NO_SETTING FACT_engine
#define ROW(name, reckon, is, sets) [EFFECT_##name] = {reckon, is, sets},
    ROW(max_model_len, effect_max_model_len, OF_VLLM, FACT_max_model_len)
    ROW(max_num_seqs, effect_max_num_seqs, OF_VLLM, FACT_max_num_seqs)
    ROW(max_num_batched_tokens, effect_max_num_batched_tokens, OF_VLLM,
        FACT_max_num_batched_tokens)
    ROW(gpu_memory_utilization_up, effect_utilization_up, OF_VLLM | BY_THE_REST,
        FACT_gpu_memory_utilization)
    ROW(gpu_memory_utilization_down, effect_utilization_down, 0,
        FACT_gpu_memory_utilization)
    ROW(kv_cache_memory, effect_kv_cache_memory, OF_VLLM, FACT_kv_cache_memory)
    ROW(kv_cache_dtype, effect_kv_dtype, OF_VLLM, FACT_kv_cache_dtype)
    ROW(tensor_parallel, effect_tensor_parallel, OF_VLLM, FACT_tensor_parallel)
    ROW(pipeline_parallel, effect_pipeline_parallel, OF_VLLM,
        FACT_pipeline_parallel)
    ROW(decode_context_parallel, effect_decode_context_parallel, OF_VLLM,
        FACT_decode_context_parallel)
    ROW(quantization, effect_quantization, BY_THE_REST, NO_SETTING)
    ROW(enforce_eager, effect_enforce_eager, OF_VLLM | BY_THE_REST,
        FACT_enforce_eager)
    ROW(free_other_process, effect_free_other_process, BY_THE_REST, NO_SETTING)
    ROW(expandable_segments, effect_expandable_segments, 0,
        FACT_expandable_segments)
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
    ROW(build_jobs, effect_build_jobs, 0, FACT_build_jobs)
    ROW(fewer_weights, effect_fewer_weights, 0, NO_SETTING)
    ROW(half_precision, effect_half_precision, 0, NO_SETTING)
    ROW(batch_size, effect_training, 0, FACT_batch_size)
    ROW(seq_len, effect_seq_len, 0, FACT_seq_len)
    ROW(gradient_checkpointing, effect_training, 0, FACT_gradient_checkpointing)
    ROW(optimizer_state, effect_training, 0, FACT_optimizer)
    ROW(adapters, effect_training, 0, FACT_lora_rank)
    ROW(shard_state, effect_training, 0, FACT_zero_stage)
    ROW(offload_optimizer, effect_training, 0, FACT_offload)
    ROW(offload_all, effect_training, 0, FACT_offload)
    ROW(mem_fraction_static_up, sglang_fraction_up, 0, FACT_mem_fraction_static)
    ROW(mem_fraction_static_down, sglang_fraction_down, 0,
        FACT_mem_fraction_static)
    ROW(swa_full_tokens_ratio, of_tokens_alone, 0, FACT_swa_full_tokens_ratio)
    ROW(context_length, llama_effect, 0, FACT_context_length)
    ROW(gpu_layers, llama_effect, 0, FACT_gpu_layers)
    ROW(flash_attention, llama_effect, 0, FACT_flash_attention)
};

int effect_setting(enum effect effect) {
    enum fact_name sets = rows[effect].sets;
    return sets != NO_SETTING ? (int)sets : -1;
}

/* Another engine's setting of that name: of a step alone something is known,
 * whatever the engine is. */
static struct estimate of_another(const struct ask *q) {
    if (is_allocation(q) && q->effect == EFFECT_max_num_seqs)
        return step_scaled(q, FACT_max_num_seqs);
    if (is_allocation(q) && q->effect == EFFECT_max_num_batched_tokens)
        return effect_max_num_batched_tokens(q);
    bool is_of_weights = q->effect == EFFECT_tensor_parallel ||
                         q->effect == EFFECT_pipeline_parallel ||
                         q->effect == EFFECT_cpu_offload;
    if (is_of_weights && is_allocation(q) && stage_is(q->c, "load"))
        return rows[q->effect].reckon(q); /* they are divided alike */
    return estimate_unknown(is_pool(q) ? FACT_kv_needed : FACT_tried_alloc);
}

struct estimate effect_reckon(const struct ask *q) {
    const struct row *row = &rows[q->effect];
    effect_fn *const *own = engine_of(q->c)->effects;
    if (q->what == SHORT_TOKENS)
        return effect_of_tokens(q);
    if (own != NULL && own[q->effect] != NULL)
        return own[q->effect](q);
    bool is_state = q->effect == EFFECT_cpu_offload && training_is_step(q->c);
    if ((row->is & OF_VLLM) && !engine_of(q->c)->takes_share && !is_state)
        return of_another(q);
    if (is_pool(q) && (row->is & BY_THE_REST) && rules_pool_is_asked(q->c)) {
        struct kv_side kv = kv_side_of(q);
        struct estimate e = estimate_of_kv(&kv);
        estimate_judge(&e);
        e.verdict = VERDICT_NOT_ENOUGH; /* what failed stays as it was */
        return e;
    }
    return row->reckon ? row->reckon(q) : estimate_none(FACT_tried_alloc);
}

/* Is that what one has of a server: a length, requests, its part of a GPU? */
static bool is_capacity(enum fact_name name) {
    return name == FACT_max_model_len || name == FACT_context_length ||
           name == FACT_max_num_seqs || name == FACT_gpu_memory_utilization ||
           name == FACT_mem_fraction_static;
}

/* What a shorter length, or fewer requests at once, leave of them. */
static void put_capacity(const struct inputs *c, struct estimate *e) {
    const struct fact *then = &e->proposed;
    const struct fact *now = &c->in[then->name];
    if (then->known && is_capacity(then->name) && now->known &&
        then->number > 0 && then->number < now->number) {
        e->capacity_micro = SHARE_NONE;
        mul_div_floor(then->number, UNITS_MICRO, now->number,
                      &e->capacity_micro);
    }
}

struct estimate memory_effect(struct arena *a, const struct inputs *c,
                              enum shortage what, enum effect effect) {
    /* Tokens of a prefill whose memory was refused: no pool was short. */
    bool is_prefill = what == SHORT_TOKENS && engine_of(c)->counts_prefill &&
                      !c->in[FACT_available_tokens].known;
    struct ask q = {a, c, is_prefill ? SHORT_ALLOCATION : what, effect};
    struct estimate e = effect_reckon(&q);
    estimate_bound(&q, &e);
    put_capacity(c, &e);
    estimate_doubt(&q, &e);
    return e;
}
