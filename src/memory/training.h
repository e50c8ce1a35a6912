/* training.h: what one rank of a training run holds.
 *
 *     weights | gradients | optimizer state | activations
 *
 * The first three follow from the number of parameters and are exact up to
 * what a precision leaves open; activations are an interval. */
#ifndef MEMORY_TRAINING_H
#define MEMORY_TRAINING_H

#include "memory/memory.h"

enum optimizer {
    OPTIMIZER_ADAMW,      /* two moments */
    OPTIMIZER_ADAMW_8BIT, /* two moments of a byte, with scales */
    OPTIMIZER_MOMENTUM,   /* SGD with momentum: one */
    OPTIMIZER_SGD,        /* none */
    OPTIMIZER_ADAFACTOR   /* sums of rows and columns */
};

enum precision {
    PRECISION_MIXED, /* 16-bit weights and gradients, fp32 copy and moments */
    PRECISION_HALF,  /* everything in 16 bits */
    PRECISION_FULL   /* everything in 32 bits */
};

struct training_setup {
    int64_t params;
    int64_t trainable;      /* adapters of LoRA, at least; 0: all */
    int64_t trainable_most; /* 0: as many */
    int64_t base_bits;  /* frozen weights of LoRA: 16, 8, 4; 0: as trained */
    struct span frozen; /* bytes of them, where they are known better */
    enum precision precision;
    enum optimizer optimizer;
    int64_t shard_stage; /* ZeRO 0 to 3; FSDP full shard is 3, grad op 2 */
    int64_t ranks;       /* that share; 0: 1 */
    bool offloads_optimizer, offloads_weights; /* to the host */
    bool is_checkpointed;
    bool keeps_scores;                       /* no fused attention */
    int64_t layers, hidden_size, vocab_size; /* 0: unknown */
    int64_t inner_size;    /* of the feed-forward part; 0: 4 x hidden_size */
    int64_t heads;         /* for scores alone */
    int64_t batch, tokens; /* per rank and step; 0: no activations */
};

struct training {
    struct span weights, gradients, optimizer; /* on the card, per rank */
    struct span activations;
    struct span host;  /* what is offloaded, per rank */
    struct span total; /* on the card */
};

/* f, which may be NULL, gets how each part came about. */
struct training memory_training(struct arena *a,
                                const struct training_setup *setup,
                                struct formulas *f);

/* Weights, gradients and optimizer state on the card. */
struct span training_state(const struct training *t);

/* ---- of a case ---- */

/* True if the engine trains, or a fact is known that only training has. */
bool training_is_run(const struct inputs *c);
/* What a case has of the run, the rest as memory_training() takes it:
 * AdamW, mixed precision, everything trained on one card. */
struct training_setup training_setup_of(const struct inputs *c);
/* Formulas of a run whose model is known. None if the log is not of a training
 * step. */
void training_explain(struct arena *a, const struct inputs *c,
                      struct formulas *f);
/* Backward pass or optimizer step. */
bool training_is_step(const struct inputs *c);
/* "adamw_torch_fused", "paged_adamw_8bit", "sgd" ...; false: not known. */
bool training_optimizer_named(struct str word, enum optimizer *out);
bool training_precision_named(struct str word, enum precision *out);

#endif
