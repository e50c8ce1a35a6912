/* effect.c: from the name of an effect to its arithmetic, and what all of
 * them use. A fix that cannot touch what failed is `none`; a fix of another
 * engine's settings too. */
#include "memory/effect.h"

#include "memory/budget.h"
#include "memory/formula.h"
#include "memory/llama_cpp.h"
#include "memory/rules.h"
#include "memory/sglang.h"
#include "memory/span.h"
#include "memory/training.h"

struct estimate estimate_none(enum fact_name quantity) {
    return (struct estimate){.verdict = VERDICT_NONE,
                             .quantity = quantity,
                             .share_micro = SHARE_NONE,
                             .capacity_micro = SHARE_NONE};
}

struct estimate estimate_unknown(enum fact_name quantity) {
    struct estimate e = estimate_none(quantity);
    e.verdict = VERDICT_UNKNOWN;
    return e;
}

struct estimate estimate_of_kv(const struct kv_side *kv) {
    struct estimate e = estimate_unknown(FACT_kv_needed);
    e.limit = kv->pool;
    e.before = e.after = kv->need;
    return e;
}

void estimate_judge(struct estimate *e) {
    e->verdict = span_fits(e->after, e->limit);
    e->short_by = span_at_least(span_minus(e->after, e->limit), 0);
}

struct fact propose(enum fact_name name, int64_t number) {
    return (struct fact){.name = name,
                         .source = SOURCE_DERIVED,
                         .known = true,
                         .number = number,
                         .low = number,
                         .high = number,
                         .gpu = FACT_NONE,
                         .rank = FACT_NONE,
                         .pid = FACT_NONE};
}

struct fact propose_word(enum fact_name name, struct str word) {
    struct fact f = propose(name, 0);
    f.word = word;
    return f;
}

bool stage_is(const struct memory_case *c, const char *stage) {
    const struct fact *f = &c->in[FACT_stage];
    return f->known && str_eq(f->word, str_of(stage));
}

struct kv_side kv_side_of(const struct ask *q) {
    const struct memory_case *c = q->c;
    const struct fact *tokens = &c->in[FACT_kv_tokens];
    struct kv_side kv = {.demand = demand_of(q->a, c)};
    kv.length = setting_of(c, FACT_max_model_len, 0);
    kv.need = needed_bytes(c, &kv.demand);
    kv.pool = pool_bytes(q->a, c, &kv.demand);
    kv.counts_tokens = (!kv.need.known || !kv.pool.known) &&
                       rules_is_v0(c) == ANSWER_YES && tokens->known &&
                       kv.length > 0;
    kv.pool_tokens = kv.counts_tokens ? tokens->number : 0;
    kv.has_no_pool =
        (kv.pool.known && kv.pool.high <= 0) ||
        (c->in[FACT_kv_blocks].known && c->in[FACT_kv_blocks].number <= 0);
    return kv;
}

static struct estimate estimate_of(const struct ask *q, enum effect effect) {
    switch (effect) {
    case EFFECT_max_model_len: return effect_max_model_len(q);
    case EFFECT_max_num_seqs: return effect_max_num_seqs(q);
    case EFFECT_max_num_batched_tokens: return effect_max_num_batched_tokens(q);
    case EFFECT_gpu_memory_utilization_up: return effect_utilization_up(q);
    case EFFECT_gpu_memory_utilization_down: return effect_utilization_down(q);
    case EFFECT_kv_cache_dtype: return effect_kv_dtype(q);
    case EFFECT_tensor_parallel: return effect_tensor_parallel(q);
    case EFFECT_pipeline_parallel: return effect_pipeline_parallel(q);
    case EFFECT_decode_context_parallel:
        return effect_decode_context_parallel(q);
    case EFFECT_quantization: return effect_quantization(q);
    case EFFECT_enforce_eager: return effect_enforce_eager(q);
    case EFFECT_free_other_process: return effect_free_other_process(q);
    case EFFECT_expandable_segments: return effect_expandable_segments(q);
    case EFFECT_cpu_offload: return effect_cpu_offload(q);
    case EFFECT_host_memory: return effect_host_memory(q);
    case EFFECT_step_size: return step_scaled(q, -1);
    case EFFECT_chunk: return effect_chunk(q);
    case EFFECT_vae_tiles: return effect_vae_tiles(q);
    case EFFECT_bigger_gpu: return effect_bigger_gpu(q);
    case EFFECT_graph_sizes: return effect_graph_sizes(q);
    case EFFECT_shm_size: return effect_shm_size(q);
    case EFFECT_raise_limit: return effect_raise_limit(q);
    case EFFECT_wired_limit: return effect_wired_limit(q);
    case EFFECT_fewer_workers: return effect_fewer_workers(q);
    case EFFECT_kernel: return effect_kernel(q);
    case EFFECT_kernel_tile: return effect_kernel_tile(q);
    case EFFECT_pool: return effect_pool(q);
    case EFFECT_other_device: return effect_other_device(q);
    case EFFECT_build_jobs: return effect_build_jobs(q);
    case EFFECT_batch_size:
    case EFFECT_gradient_checkpointing:
    case EFFECT_optimizer_state:
    case EFFECT_adapters:
    case EFFECT_shard_state: return effect_training(q, effect);
    case EFFECT_none:
    case EFFECT_mem_fraction_static_up: /* other engines': see memory_effect */
    case EFFECT_mem_fraction_static_down:
    case EFFECT_swa_full_tokens_ratio:
    case EFFECT_context_length:
    case EFFECT_gpu_layers:
    case EFFECT_flash_attention:
    case EFFECT_COUNT_OF: break;
    }
    return estimate_none(FACT_tried_alloc);
}

/* Settings that are vLLM's alone: of another engine nothing is known. */
static bool is_of_vllm(enum effect effect) {
    switch (effect) {
    case EFFECT_max_model_len:
    case EFFECT_max_num_seqs:
    case EFFECT_max_num_batched_tokens:
    case EFFECT_gpu_memory_utilization_up:
    case EFFECT_kv_cache_dtype:
    case EFFECT_tensor_parallel:
    case EFFECT_pipeline_parallel:
    case EFFECT_decode_context_parallel:
    case EFFECT_enforce_eager:
    case EFFECT_cpu_offload: return true;
    default: return false;
    }
}

/* TGI counts the tokens of the prefill whose memory was refused: no pool of
 * tokens was short. */
static enum shortage shortage_meant(const struct memory_case *c,
                                    enum shortage what) {
    bool is_prefill = what == SHORT_TOKENS && str_eq(c->engine, STR("tgi")) &&
                      !c->in[FACT_available_tokens].known;
    return is_prefill ? SHORT_ALLOCATION : what;
}

/* What gives memory to a pool that takes what is left. */
static bool acts_by_what_is_left(enum effect effect) {
    switch (effect) {
    case EFFECT_gpu_memory_utilization_up:
    case EFFECT_quantization:
    case EFFECT_cpu_offload:
    case EFFECT_enforce_eager:
    case EFFECT_free_other_process: return true;
    default: return false;
    }
}

struct estimate effect_reckon(const struct ask *q, enum effect effect) {
    struct estimate e;
    if (sglang_effect(q, effect, &e) || llama_effect(q, effect, &e)) {
        return e;
    }
    bool is_state = effect == EFFECT_cpu_offload && training_is_step(q->c);
    if (is_of_vllm(effect) && !rules_is_vllm(q->c) && !is_state) {
        if (q->what == SHORT_ALLOCATION && effect == EFFECT_max_num_seqs) {
            return step_scaled(q, FACT_max_num_seqs);
        }
        if (q->what == SHORT_ALLOCATION &&
            effect == EFFECT_max_num_batched_tokens) {
            return effect_max_num_batched_tokens(q);
        }
        return estimate_unknown(q->what == SHORT_KV_POOL ? FACT_kv_needed
                                                         : FACT_tried_alloc);
    }
    if (q->what == SHORT_KV_POOL && acts_by_what_is_left(effect) &&
        rules_pool_is_asked(q->c)) {
        struct kv_side kv = kv_side_of(q);
        e = estimate_of_kv(&kv);
        estimate_judge(&e);
        e.verdict = VERDICT_NOT_ENOUGH; /* what failed stays as it was */
        return e;
    }
    return estimate_of(q, effect);
}

/* Is that what one has of a server: a length, requests, its part of a GPU? */
static bool is_capacity(enum fact_name name) {
    return name == FACT_max_model_len || name == FACT_context_length ||
           name == FACT_max_num_seqs || name == FACT_gpu_memory_utilization ||
           name == FACT_mem_fraction_static;
}

/* What a shorter length, or fewer requests at once, leave of them. */
static void put_capacity(const struct memory_case *c, struct estimate *e) {
    const struct fact *then = &e->proposed;
    const struct fact *now = &c->in[then->name];
    if (then->known && is_capacity(then->name) && now->known &&
        then->number > 0 && then->number < now->number) {
        e->capacity_micro = SHARE_NONE;
        mul_div_floor(then->number, UNITS_MICRO, now->number,
                      &e->capacity_micro);
    }
}

struct estimate memory_effect(struct arena *a, const struct memory_case *c,
                              enum shortage what, enum effect effect) {
    struct ask q = {a, c, shortage_meant(c, what)};
    struct estimate e = effect_reckon(&q, effect);
    estimate_bound(&q, &e);
    put_capacity(c, &e);
    estimate_doubt(&q, effect, &e);
    return e;
}
