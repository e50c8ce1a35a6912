/* fit_cost.c: what a plan asks of who follows it: its dearest change. */
#include "memory/fit.h"

static enum loses loses_of(enum fact_name changed) {
    static const enum fact_name quality[] = {FACT_kv_cache_dtype,
                                             FACT_quantization, FACT_optimizer,
                                             FACT_lora_rank, FACT_seq_len};
    static const enum fact_name speed[] = {FACT_max_num_seqs,
                                           FACT_max_num_batched_tokens,
                                           FACT_enforce_eager,
                                           FACT_batch_size,
                                           FACT_gradient_checkpointing,
                                           FACT_offload,
                                           FACT_gpu_layers,
                                           FACT_cpu_offload,
                                           FACT_swap_space};
    for (size_t i = 0; i < sizeof quality / sizeof *quality; i++) {
        if (quality[i] == changed) {
            return LOSES_quality;
        }
    }
    for (size_t i = 0; i < sizeof speed / sizeof *speed; i++) {
        if (speed[i] == changed) {
            return LOSES_speed;
        }
    }
    return changed == FACT_max_model_len ? LOSES_capacity : LOSES_nothing;
}

enum effort fit_plan_effort(const struct fit_plan *plan) {
    return plan->tier == TIER_hardware ? EFFORT_hardware : EFFORT_flag;
}

enum loses fit_plan_loses(const struct fit_plan *plan) {
    enum loses most = LOSES_nothing;
    for (size_t i = 0; i < plan->count; i++) {
        enum loses loses = loses_of(plan->change[i].name);
        most = loses > most ? loses : most;
    }
    return most;
}
