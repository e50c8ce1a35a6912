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

struct row {
    effect_fn *reckon;
    bool is_of_vllm;       /* of another engine's setting nothing is known */
    bool acts_by_the_rest; /* gives memory to a pool that takes what is left */
};

static struct estimate of_tokens_alone(const struct ask *q) {
    (void)q;
    return estimate_none(FACT_tried_tokens);
}

static const struct row rows[EFFECT_COUNT_OF] = {
    [EFFECT_max_model_len] = {.reckon = effect_max_model_len,
                              .is_of_vllm = true},
    [EFFECT_max_num_seqs] = {.reckon = effect_max_num_seqs, .is_of_vllm = true},
    [EFFECT_max_num_batched_tokens] = {.reckon = effect_max_num_batched_tokens,
                                       .is_of_vllm = true},
    [EFFECT_gpu_memory_utilization_up] = {.reckon = effect_utilization_up,
                                          .is_of_vllm = true,
                                          .acts_by_the_rest = true},
    [EFFECT_gpu_memory_utilization_down] = {.reckon = effect_utilization_down},
    [EFFECT_kv_cache_dtype] = {.reckon = effect_kv_dtype, .is_of_vllm = true},
    [EFFECT_tensor_parallel] = {.reckon = effect_tensor_parallel,
                                .is_of_vllm = true},
    [EFFECT_pipeline_parallel] = {.reckon = effect_pipeline_parallel,
                                  .is_of_vllm = true},
    [EFFECT_decode_context_parallel] = {.reckon =
                                            effect_decode_context_parallel,
                                        .is_of_vllm = true},
    [EFFECT_quantization] = {.reckon = effect_quantization,
                             .acts_by_the_rest = true},
    [EFFECT_enforce_eager] = {.reckon = effect_enforce_eager,
                              .is_of_vllm = true,
                              .acts_by_the_rest = true},
    [EFFECT_free_other_process] = {.reckon = effect_free_other_process,
                                   .acts_by_the_rest = true},
    [EFFECT_expandable_segments] = {.reckon = effect_expandable_segments},
    [EFFECT_cpu_offload] = {.reckon = effect_cpu_offload,
                            .is_of_vllm = true,
                            .acts_by_the_rest = true},
    [EFFECT_host_memory] = {.reckon = effect_host_memory},
    [EFFECT_step_size] = {.reckon = effect_step_size},
    [EFFECT_chunk] = {.reckon = effect_chunk},
    [EFFECT_vae_tiles] = {.reckon = effect_vae_tiles},
    [EFFECT_bigger_gpu] = {.reckon = effect_bigger_gpu},
    [EFFECT_graph_sizes] = {.reckon = effect_graph_sizes},
    [EFFECT_shm_size] = {.reckon = effect_shm_size},
    [EFFECT_raise_limit] = {.reckon = effect_raise_limit},
    [EFFECT_wired_limit] = {.reckon = effect_wired_limit},
    [EFFECT_fewer_workers] = {.reckon = effect_fewer_workers},
    [EFFECT_kernel] = {.reckon = effect_kernel},
    [EFFECT_kernel_tile] = {.reckon = effect_kernel_tile},
    [EFFECT_pool] = {.reckon = effect_pool},
    [EFFECT_other_device] = {.reckon = effect_other_device},
    [EFFECT_build_jobs] = {.reckon = effect_build_jobs},
    [EFFECT_batch_size] = {.reckon = effect_training},
    [EFFECT_gradient_checkpointing] = {.reckon = effect_training},
    [EFFECT_optimizer_state] = {.reckon = effect_training},
    [EFFECT_adapters] = {.reckon = effect_training},
    [EFFECT_shard_state] = {.reckon = effect_training},
    [EFFECT_mem_fraction_static_up] = {.reckon = sglang_fraction_up},
    [EFFECT_mem_fraction_static_down] = {.reckon = sglang_fraction_down},
    [EFFECT_swa_full_tokens_ratio] = {.reckon = of_tokens_alone},
    [EFFECT_context_length] = {.reckon = llama_effect},
    [EFFECT_gpu_layers] = {.reckon = llama_effect},
    [EFFECT_flash_attention] = {.reckon = llama_effect},
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
    if (row->is_of_vllm && !engine_of(q->c)->takes_share && !is_state) {
        return of_another(q);
    }
    if (is_pool(q) && row->acts_by_the_rest && rules_pool_is_asked(q->c)) {
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
