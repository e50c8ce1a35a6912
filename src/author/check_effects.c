/* check_effects.c: the arithmetic that estimates a fix must be that of what
 * the fix changes. A flag counts for the fact that an engine says it sets. */
#include "author/desk.h"

enum { NO_FACT = -1 };

struct effect_row {
    int facts[2]; /* a flag of one of these, or NO_FACT */
    bool is_any; /* any flag: settings that are no facts as well */
    bool up, down, set;
    enum act_kind kinds[3]; /* or one of these kinds */
};

static const struct effect_row rows[EFFECT_COUNT_OF] = {
    [EFFECT_max_model_len] = {
        {FACT_max_model_len, FACT_context_length}, .down = true, .set = true},
    [EFFECT_max_num_seqs] = {
        {FACT_max_num_seqs, NO_FACT}, .down = true, .set = true},
    [EFFECT_max_num_batched_tokens] = {
        {FACT_max_num_batched_tokens, NO_FACT}, .down = true, .set = true},
    [EFFECT_gpu_memory_utilization_up] = {
        {FACT_gpu_memory_utilization, FACT_mem_fraction_static}, .up = true},
    [EFFECT_gpu_memory_utilization_down] = {
        {FACT_gpu_memory_utilization, FACT_mem_fraction_static},
        .down = true},
    [EFFECT_kv_cache_dtype] = {{FACT_kv_cache_dtype, NO_FACT}, .set = true},
    [EFFECT_tensor_parallel] = {
        {FACT_tensor_parallel, NO_FACT}, .up = true, .set = true,
        .kinds = {ACT_KIND_more_gpus}},
    [EFFECT_pipeline_parallel] = {
        {FACT_pipeline_parallel, NO_FACT}, .up = true, .set = true,
        .kinds = {ACT_KIND_more_gpus}},
    [EFFECT_decode_context_parallel] = {
        {FACT_decode_context_parallel, NO_FACT}, .up = true, .set = true},
    [EFFECT_quantization] = {
        {FACT_quantization, NO_FACT}, .is_any = true, .set = true,
        .kinds = {ACT_KIND_smaller_model}},
    [EFFECT_enforce_eager] = {{FACT_enforce_eager, NO_FACT}, .set = true},
    [EFFECT_free_other_process] = {
        {NO_FACT, NO_FACT},
        .kinds = {ACT_KIND_kill_process, ACT_KIND_wait, ACT_KIND_restart}},
    [EFFECT_expandable_segments] = {
        {FACT_expandable_segments, NO_FACT}, .set = true},
    [EFFECT_cpu_offload] = {
        {FACT_cpu_offload, NO_FACT}, .up = true, .set = true},
    [EFFECT_mem_fraction_static_up] = {
        {FACT_mem_fraction_static, NO_FACT}, .up = true},
    [EFFECT_mem_fraction_static_down] = {
        {FACT_mem_fraction_static, NO_FACT}, .down = true},
    [EFFECT_swa_full_tokens_ratio] = {
        {FACT_swa_full_tokens_ratio, NO_FACT}, .up = true, .set = true},
    [EFFECT_context_length] = {
        {FACT_context_length, NO_FACT}, .down = true, .set = true},
    [EFFECT_gpu_layers] = {
        {FACT_gpu_layers, NO_FACT}, .down = true, .set = true},
    [EFFECT_flash_attention] = {
        {FACT_flash_attention, NO_FACT}, .set = true},
    [EFFECT_batch_size] = {
        {FACT_batch_size, NO_FACT}, .is_any = true, .down = true, .set = true,
        .kinds = {ACT_KIND_code}},
    [EFFECT_gradient_checkpointing] = {
        {FACT_gradient_checkpointing, NO_FACT}, .set = true,
        .kinds = {ACT_KIND_code}},
    [EFFECT_optimizer_state] = {
        {FACT_optimizer, NO_FACT}, .set = true, .kinds = {ACT_KIND_code}},
    [EFFECT_adapters] = {
        {FACT_lora_rank, NO_FACT}, .set = true, .kinds = {ACT_KIND_code}},
    [EFFECT_shard_state] = {
        {FACT_zero_stage, NO_FACT}, .up = true, .set = true,
        .kinds = {ACT_KIND_more_gpus, ACT_KIND_code}},
    [EFFECT_host_memory] = {
        {FACT_memory_limit, FACT_host_limit}, .is_any = true, .up = true,
        .kinds = {ACT_KIND_host_memory, ACT_KIND_shm_size}},
    [EFFECT_step_size] = {
        {NO_FACT, NO_FACT}, .is_any = true, .down = true, .set = true,
        .kinds = {ACT_KIND_code}},
    [EFFECT_chunk] = {
        {NO_FACT, NO_FACT}, .is_any = true, .down = true, .set = true,
        .kinds = {ACT_KIND_code}},
    [EFFECT_vae_tiles] = {
        {NO_FACT, NO_FACT}, .is_any = true, .set = true,
        .kinds = {ACT_KIND_code}},
    [EFFECT_bigger_gpu] = {
        {NO_FACT, NO_FACT}, .kinds = {ACT_KIND_bigger_gpu}},
    [EFFECT_graph_sizes] = {
        {NO_FACT, NO_FACT}, .is_any = true, .down = true, .set = true},
    [EFFECT_shm_size] = {
        {FACT_shm_limit, NO_FACT}, .is_any = true, .up = true, .set = true,
        .kinds = {ACT_KIND_shm_size}},
    [EFFECT_raise_limit] = {
        {FACT_memory_limit, FACT_alloc_limit}, .is_any = true, .up = true,
        .set = true, .kinds = {ACT_KIND_host_memory, ACT_KIND_code}},
    [EFFECT_wired_limit] = {
        {FACT_alloc_limit, NO_FACT}, .is_any = true, .up = true, .set = true,
        .kinds = {ACT_KIND_host_memory}},
    [EFFECT_fewer_workers] = {
        {FACT_num_workers, NO_FACT}, .is_any = true, .down = true,
        .kinds = {ACT_KIND_code}},
    [EFFECT_kernel] = {
        {NO_FACT, NO_FACT}, .is_any = true, .set = true,
        .kinds = {ACT_KIND_code, ACT_KIND_upgrade}},
    [EFFECT_kernel_tile] = {
        {NO_FACT, NO_FACT}, .is_any = true, .down = true, .set = true,
        .kinds = {ACT_KIND_code}},
    [EFFECT_pool] = {
        {NO_FACT, NO_FACT}, .is_any = true, .up = true, .set = true,
        .kinds = {ACT_KIND_code, ACT_KIND_upgrade, ACT_KIND_host_memory}},
    [EFFECT_other_device] = {
        {NO_FACT, NO_FACT}, .is_any = true, .set = true},
    [EFFECT_build_jobs] = {
        {FACT_build_jobs, NO_FACT}, .is_any = true, .down = true,
        .set = true},
};

/* Variables of the allocator: they belong to no engine. */
static const char *const allocator_flags[] = {
    "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF",
    "PYTORCH_NPU_ALLOC_CONF"};

static bool is_spelling(const struct flag *f, struct str flag) {
    bool is = str_eq(f->flag, flag);
    for (size_t i = 0; i < f->aliases.count; i++)
        is = is || str_eq(f->aliases.at[i], flag);
    return is;
}

static bool row_has(const struct effect_row *row, int fact) {
    return row->facts[0] == fact || row->facts[1] == fact;
}

static bool flag_fits(const struct desk *d, const struct effect_row *row,
                      struct str flag) {
    if (row->is_any)
        return true;
    for (size_t i = 0; i < sizeof allocator_flags / sizeof *allocator_flags;
         i++)
        if (str_eq(flag, str_of(allocator_flags[i])))
            return row_has(row, FACT_expandable_segments);
    for (size_t i = 0; i < d->corpus.engine_count; i++) {
        const struct engine *e = &d->corpus.engines[i];
        for (size_t k = 0; k < e->flag_count; k++)
            if (is_spelling(&e->flags[k], flag)
                && row_has(row, (int)e->flags[k].fact))
                return true;
    }
    return false;
}

static bool change_fits(const struct effect_row *row, enum change change) {
    switch (change) {
    case CHANGE_up: return row->up;
    case CHANGE_down: return row->down;
    case CHANGE_set: return row->set;
    case CHANGE_none: return true; /* said elsewhere */
    case CHANGE_COUNT_OF: break;
    }
    return false;
}

static bool kind_fits(const struct effect_row *row, enum act_kind kind) {
    for (int i = 0; i < 3; i++)
        if (row->kinds[i] != ACT_KIND_none && row->kinds[i] == kind)
            return true;
    return kind == ACT_KIND_none;
}

void check_fix_effect(struct desk *d, const struct source *src,
                      const struct node *n, const struct workaround *w) {
    const struct node *effect = node_or(node_get(n, "effect"), n);
    const char *name = word_spelling(WORDS_EFFECT, (int)w->effect);
    const struct acts_on *what = &w->acts_on;
    const struct effect_row *row = &rows[w->effect];
    if (w->effect == EFFECT_none)
        return;
    if (what->flag.n == 0 && !kind_fits(row, what->kind))
        complain(&d->c, src, effect->place, CODE_effect_mismatch,
                 "`%s` does not estimate a fix of kind `%s`",
                 name,
                 word_spelling(WORDS_ACT_KIND, (int)what->kind));
    if (what->flag.n == 0)
        return;
    if (!flag_fits(d, row, what->flag))
        complain(&d->c, src, effect->place, CODE_effect_mismatch,
                 "`%s` does not estimate `%.*s`: no engine sets such a "
                 "fact by it", name, STR_ARG(what->flag));
    else if (!change_fits(row, what->change))
        complain(&d->c, src, effect->place, CODE_effect_mismatch,
                 "`%s` does not estimate a change `%s`",
                 name,
                 word_spelling(WORDS_CHANGE, (int)what->change));
}

void check_effects(struct desk *d) {
    for (size_t i = 0; i < d->made[MADE_ENTRY].count; i++) {
        const struct made *m = &d->made[MADE_ENTRY].at[i];
        const struct entry *e = made_entry(m);
        const struct node *list = node_get(m->node, "workarounds");
        for (size_t k = 0; k < e->workaround_count; k++)
            check_fix_effect(d, m->src, node_item(list, k), &e->workarounds[k]);
    }
}
