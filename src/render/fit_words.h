/* fit_words.h: the sentences about a fit; empty: there is nothing to write.
 * Used by render/ and launch/. */
#ifndef RENDER_FIT_WORDS_H
#define RENDER_FIT_WORDS_H

#include "render/parts.h"

/* "meta-llama/Llama-3.1-8B on RTX 4090, vLLM 0.21.0: it fits" */
struct str fit_title(const struct render *t, const struct fit *fit);
enum tone fit_tone(enum truth_fit fits); /* fit.c */
struct str fit_verdict_word(const struct render *t, enum truth_fit fits);
/* The need of one request, and the room. */
struct str fit_numbers(const struct render *t, const struct fit *fit);
/* The largest part of the GPU's memory, unless it surely fits. */
struct str fit_tightest(const struct render *t, const struct fit *fit);
/* Of several requests at once: the number asked for, the number that fits. */
struct str fit_asked(const struct render *t, const struct fit *fit);
/* "To tell, oomkb needs: ..." */
struct str fit_needs(const struct render *t, const struct fit *fit);
/* The budget, with the names that its parts have in this engine. */
struct budget fit_parts(const struct render *t, const struct fit *fit);
/* The text of a key with the amounts of a check. */
struct str fit_check_text(const struct render *t, const char *key,
                          const struct fit_checked *k, enum unit unit);
/* A sentence for each check of the engine that fails or has a remark. */
#define FIT_FAILED_MOST (2 * CHECK_COUNT_OF)
size_t fit_failed(const struct render *t, const struct fit *fit,
                  struct str lines[FIT_FAILED_MOST]);
/* All memory of a training step. */
struct span fit_held(const struct fit *fit);
/* "--max-model-len 4096", "--kv-cache-dtype fp8 --gpu-memory-..." */
struct str fit_changes(const struct render *t, const struct fit *fit,
                       const struct fit_plan *plan);
/* "max_model_len 8,192 (given), block_size 16 (default)" */
struct str fit_inputs(const struct render *t, const struct fit *fit);

#endif
