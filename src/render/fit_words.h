/* fit_words.h: a fit in words, sentence by sentence. Private to render/. Empty
 * texts say nothing. */
#ifndef RENDER_FIT_WORDS_H
#define RENDER_FIT_WORDS_H

#include "render/parts.h"

/* "meta-llama/Llama-3.1-8B on RTX 4090, vLLM 0.21.0: it fits" */
struct str fit_title(const struct teller *t, const struct fit *fit);
enum tone fit_tone(enum truth_fit fits); /* fit.c */
struct str fit_verdict_word(const struct teller *t, enum truth_fit fits);
/* What one request needs, what there is. */
struct str fit_numbers(const struct teller *t, const struct fit *fit);
/* What takes most of the GPU, where it does not fit for certain. */
struct str fit_tightest(const struct teller *t, const struct fit *fit);
/* Several requests at once: how many were asked for, how many fit. */
struct str fit_asked(const struct teller *t, const struct fit *fit);
/* "To tell, oomkb needs: ..." */
struct str fit_needs(const struct teller *t, const struct fit *fit);
/* The budget, its parts by the name that they have in this engine. */
struct budget fit_parts(const struct teller *t, const struct fit *fit);
/* A check in the words of a key: what was asked, what there is. */
struct str fit_check_said(const struct teller *t, const char *key,
                          const struct fit_checked *k, enum unit unit);
/* The engine's checks that fail or deserve a word, a sentence each. */
#define FIT_FAILED_MOST (2 * CHECK_COUNT_OF)
size_t fit_failed(const struct teller *t, const struct fit *fit,
                  struct str lines[FIT_FAILED_MOST]);
/* All that a training step holds. */
struct span fit_held(const struct fit *fit);
/* "--max-model-len 4096", "--kv-cache-dtype fp8 --gpu-memory-..." */
struct str fit_changes(const struct teller *t, const struct fit *fit,
                       const struct fit_plan *plan);
/* "max_model_len 8,192 (given), block_size 16 (default)" */
struct str fit_inputs(const struct teller *t, const struct fit *fit);

#endif
