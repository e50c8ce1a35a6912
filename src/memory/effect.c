/* effect.c: from the name of an effect to its arithmetic. A fix that cannot
 * touch what failed is `none`; a fix of another engine's settings too. An
 * engine whose settings work in their own way has its own table (engines.h),
 * which is asked first. */
#include "memory/effect.h"

#include "memory/engines.h"
#include "memory/llama_cpp.h"
#include "memory/rules.h"
#include "memory/sglang.h"
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
} rows[EFFECT_COUNT_OF] = {
    [EFFECT_max_model_len] = {effect_max_model_len, OF_VLLM},
    [EFFECT_max_num_seqs] = {effect_max_num_seqs, OF_VLLM},
    [EFFECT_max_num_batched_tokens] = {effect_max_num_batched_tokens, OF_VLLM},
    [EFFECT_gpu_memory_utilization_up] = {effect_utilization_up,
                                          OF_VLLM | BY_THE_REST},
    [EFFECT_gpu_memory_utilization_down] = {effect_utilization_down, 0},
    [EFFECT_kv_cache_dtype] = {effect_kv_dtype, OF_VLLM},
    [EFFECT_tensor_parallel] = {effect_tensor_parallel, OF_VLLM},
    [EFFECT_pipeline_parallel] = {effect_pipeline_parallel, OF_VLLM},
    [EFFECT_decode_context_parallel] = {effect_decode_context_parallel,
                                        OF_VLLM},
    [EFFECT_quantization] = {effect_quantization, BY_THE_REST},
    [EFFECT_enforce_eager] = {effect_enforce_eager, OF_VLLM | BY_THE_REST},
    [EFFECT_free_other_process] = {effect_free_other_process, BY_THE_REST},
    [EFFECT_expandable_segments] = {effect_expandable_segments, 0},
    [EFFECT_cpu_offload] = {effect_cpu_offload, OF_VLLM | BY_THE_REST},
    [EFFECT_host_memory] = {effect_host_memory, 0},
    [EFFECT_step_size] = {effect_step_size, 0},
    [EFFECT_chunk] = {effect_chunk, 0},
    [EFFECT_vae_tiles] = {effect_vae_tiles, 0},
    [EFFECT_bigger_gpu] = {effect_bigger_gpu, 0},
    [EFFECT_graph_sizes] = {effect_graph_sizes, 0},
    [EFFECT_shm_size] = {effect_shm_size, 0},
    [EFFECT_raise_limit] = {effect_raise_limit, 0},
    [EFFECT_wired_limit] = {effect_wired_limit, 0},
    [EFFECT_fewer_workers] = {effect_fewer_workers, 0},
    [EFFECT_kernel] = {effect_kernel, 0},
    [EFFECT_kernel_tile] = {effect_kernel_tile, 0},
    [EFFECT_other_device] = {effect_other_device, 0},
    [EFFECT_build_jobs] = {effect_build_jobs, 0},
    [EFFECT_fewer_weights] = {effect_fewer_weights, 0},
    [EFFECT_half_precision] = {effect_half_precision, 0},
    [EFFECT_batch_size] = {effect_training, 0},
    [EFFECT_seq_len] = {effect_seq_len, 0},
    [EFFECT_gradient_checkpointing] = {effect_training, 0},
    [EFFECT_optimizer_state] = {effect_training, 0},
    [EFFECT_adapters] = {effect_training, 0},
    [EFFECT_shard_state] = {effect_training, 0},
    [EFFECT_offload_optimizer] = {effect_training, 0},
    [EFFECT_offload_all] = {effect_training, 0},
    [EFFECT_mem_fraction_static_up] = {sglang_fraction_up, 0},
    [EFFECT_mem_fraction_static_down] = {sglang_fraction_down, 0},
    [EFFECT_swa_full_tokens_ratio] = {of_tokens_alone, 0},
    [EFFECT_context_length] = {llama_effect, 0},
    [EFFECT_gpu_layers] = {llama_effect, 0},
    [EFFECT_flash_attention] = {llama_effect, 0},
};

/* Another engine's setting of that name: of a step alone something is known,
 * whatever the engine is. */
static struct estimate of_another(const struct ask *q) {
    if (is_allocation(q) && q->effect == EFFECT_max_num_seqs) {
        return step_scaled(q, FACT_max_num_seqs);
    }
    if (is_allocation(q) && q->effect == EFFECT_max_num_batched_tokens) {
        return effect_max_num_batched_tokens(q);
    }
    bool is_of_weights = q->effect == EFFECT_tensor_parallel ||
                         q->effect == EFFECT_pipeline_parallel ||
                         q->effect == EFFECT_cpu_offload;
    if (is_of_weights && is_allocation(q) && stage_is(q->c, "load")) {
        return rows[q->effect].reckon(q); /* they are divided alike */
    }
    return estimate_unknown(is_pool(q) ? FACT_kv_needed : FACT_tried_alloc);
}

struct estimate effect_reckon(const struct ask *q) {
    const struct row *row = &rows[q->effect];
    effect_fn *const *own = engine_of(q->c)->effects;
    if (q->what == SHORT_TOKENS) {
        return effect_of_tokens(q);
    }
    if (own != NULL && own[q->effect] != NULL) {
        return own[q->effect](q);
    }
    bool is_state = q->effect == EFFECT_cpu_offload && training_is_step(q->c);
    if ((row->is & OF_VLLM) && !engine_of(q->c)->takes_share && !is_state) {
        return of_another(q);
    }
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
