/* check_effects.c: the effect of a fix (the arithmetic that estimates it) must
 * go with what the fix changes. A flag stands for the fact that it sets in some
 * engine. */
#include "author/build.h"

struct effect_row {
    /* Words, separated by blanks: */
    const char *facts;   /* a flag of one of these; "any": also settings that
                            are not facts */
    const char *changes; /* up, down, set */
    const char *kinds;   /* or one of these kinds */
};

static const struct effect_row rows[EFFECT_COUNT_OF] = {
    [EFFECT_max_model_len] = {"max_model_len context_length", "down set", ""},
    [EFFECT_max_num_seqs] = {"max_num_seqs", "down set", ""},
    [EFFECT_max_num_batched_tokens] = {"max_num_batched_tokens",
        "down set", ""},
    [EFFECT_gpu_memory_utilization_up] = {
        "gpu_memory_utilization mem_fraction_static", "up", ""},
    [EFFECT_gpu_memory_utilization_down] = {
        "gpu_memory_utilization mem_fraction_static", "down", ""},
    [EFFECT_kv_cache_dtype] = {"kv_cache_dtype", "set", ""},
    [EFFECT_tensor_parallel] = {"tensor_parallel", "up set", "more_gpus"},
    [EFFECT_pipeline_parallel] = {"pipeline_parallel", "up set", "more_gpus"},
    [EFFECT_decode_context_parallel] = {"decode_context_parallel",
        "up set", ""},
    [EFFECT_quantization] = {"any quantization", "set", "smaller_model"},
    [EFFECT_enforce_eager] = {"enforce_eager", "set", ""},
    [EFFECT_free_other_process] = {"", "", "kill_process wait restart code"},
    [EFFECT_expandable_segments] = {"expandable_segments", "set", ""},
    [EFFECT_cpu_offload] = {"cpu_offload", "up set", ""},
    [EFFECT_mem_fraction_static_up] = {"mem_fraction_static", "up", ""},
    [EFFECT_mem_fraction_static_down] = {"mem_fraction_static", "down", ""},
    [EFFECT_swa_full_tokens_ratio] = {"swa_full_tokens_ratio", "up set", ""},
    [EFFECT_context_length] = {"context_length", "down set", ""},
    [EFFECT_gpu_layers] = {"gpu_layers", "down set", ""},
    [EFFECT_flash_attention] = {"flash_attention", "set", ""},
    [EFFECT_batch_size] = {"any batch_size", "down set", "code"},
    [EFFECT_seq_len] = {"any seq_len", "down set", "code"},
    [EFFECT_gradient_checkpointing] = {"any gradient_checkpointing", "set",
                                       "code"},
    [EFFECT_optimizer_state] = {"any optimizer", "set", "code"},
    [EFFECT_adapters] = {"any lora_rank", "set", "code"},
    [EFFECT_shard_state] = {"any zero_stage", "up set", "more_gpus code"},
    [EFFECT_offload_optimizer] = {"any", "up down set", "code"},
    [EFFECT_offload_all] = {"any", "up down set", "code"},
    [EFFECT_half_precision] = {"any", "set", "code"},
    [EFFECT_host_memory] = {"any memory_limit host_limit",
        "up", "host_memory shm_size"},
    [EFFECT_step_size] = {"any", "down set", "code"},
    [EFFECT_chunk] = {"any", "down set", "code"},
    [EFFECT_vae_tiles] = {"any", "set", "code"},
    [EFFECT_bigger_gpu] = {"", "", "bigger_gpu"},
    [EFFECT_kv_cache_memory] = {"kv_cache_memory", "up", ""},
    [EFFECT_graph_sizes] = {"any", "down set", ""},
    [EFFECT_shm_size] = {"any shm_limit", "up set", "shm_size"},
    [EFFECT_raise_limit] = {"any memory_limit alloc_limit",
        "up set", "host_memory code"},
    [EFFECT_wired_limit] = {"any alloc_limit", "up set", "host_memory"},
    [EFFECT_fewer_workers] = {"any num_workers", "down", "code"},
    [EFFECT_kernel] = {"any", "set", "code upgrade"},
    [EFFECT_kernel_tile] = {"any", "down set", "code"},
    [EFFECT_other_device] = {"any", "set", ""},
    [EFFECT_build_jobs] = {"any build_jobs", "down set", ""},
    [EFFECT_fewer_weights] = {"any", "up down set", "code smaller_model"},
};

static bool has_word(const char *words, const char *word) {
    return str_lists(str_of(words), ' ', str_of(word));
}

static bool is_spelling(const struct flag *f, struct str flag) {
    bool is = str_eq(f->flag, flag);
    for (size_t i = 0; i < f->aliases.count; i++)
        is = is || str_eq(f->aliases.at[i], flag);
    return is;
}

static bool flag_fits(const struct build *d, const struct effect_row *row,
                      struct str flag) {
    if (has_word(row->facts, "any"))
        return true;
    /* variables of the allocator belong to no engine */
    if (STR_IS_ONE(flag, "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
                   "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF"))
        return has_word(row->facts, "expandable_segments");
    for (size_t i = 0; i < d->corpus.engine_count; i++) {
        const struct engine *e = &d->corpus.engines[i];
        for (size_t k = 0; k < e->flag_count; k++)
            if (is_spelling(&e->flags[k], flag)
                && has_word(row->facts, fact_spelling(e->flags[k].fact)))
                return true;
    }
    return false;
}

void check_fix_effect(struct build *d, const struct source *src,
                      const struct node *n, const struct workaround *w) {
    struct place place = node_or(node_get(n, "effect"), n)->place;
    const char *name = word_spelling(WORDS_EFFECT, (int)w->effect);
    const struct acts_on *what = &w->acts_on;
    const struct effect_row *row = &rows[w->effect];
    const char *kind = word_spelling(WORDS_ACT_KIND, (int)what->kind);
    const char *change = word_spelling(WORDS_CHANGE, (int)what->change);
    bool has_flag = what->flag.n > 0;
    if (w->effect == EFFECT_none)
        return;
    if (!has_flag && what->kind != ACT_KIND_none
        && !has_word(row->kinds, kind))
        complain(&d->c, src, place, CODE_effect_mismatch,
                 "`%s` does not estimate a fix of kind `%s`", name, kind);
    if (has_flag && !flag_fits(d, row, what->flag))
        complain(&d->c, src, place, CODE_effect_mismatch,
                 "`%s` does not estimate `%.*s`: no engine sets such a "
                 "fact by it", name, STR_ARG(what->flag));
    else if (has_flag && what->change != CHANGE_none /* check_acts_on() */
             && !has_word(row->changes, change))
        complain(&d->c, src, place, CODE_effect_mismatch,
                 "`%s` does not estimate a change `%s`", name, change);
}

void check_effects(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    const struct node *list = node_get(m->node, "workarounds");
    for (size_t k = 0; k < e->workaround_count; k++)
        check_fix_effect(d, m->src, node_item(list, k), &e->workarounds[k]);
}
