/* remark_sizes.c: remarks on the numbers of one allocation failure, without
 * frames.
 *
 *     unused >> request, >= 4 % of GPU  fragmentation
 *     outside > 0.8 GiB and 10 %, 15 %  another process, contexts, NCCL
 *     not in tensors, not free > 25 %   held by an unknown owner
 *     allocated = 1 to 4 x request      copies of one tensor
 *     request > 20 % of the GPU         one tensor
 *     missing < 1 % of a full GPU       similar requests will follow
 *     request = 2 or 20 MiB             PyTorch's blocks for small tensors
 *     request = a printed shape         that tensor
 *     free + unused >= request          expandable segments may help
 *     temporaries + arguments           parts of a compiled program
 *
 * A remark is made only if the numbers are consistent, and for frameworks that
 * print what they hold. kb/causes.yaml has the same rules as evidence.
 */
#include <string.h>
#include "diagnose/work.h"

#define UNUSED_TIMES 4
#define OUTSIDE_LEAST (INT64_C(800) << 20)
#define OUTSIDE_PERCENT 15
#define OUTSIDE_TELLING 10 /* percent: a context and NCCL need less */
#define MOST_PERCENT 70     /* of the memory outside the framework */
#define BESIDE_PERCENT 25  /* of the GPU: more than the cache of one step */
#define UNUSED_PERCENT 4   /* of the GPU: less is rounding of blocks */
#define COPIES_MOST 4
#define COPY_LEAST_PERCENT 5
#define ONE_TENSOR_PERCENT 20
#define FULL_PERCENT 85 /* of the GPU in live tensors */

struct sizes {
    int64_t tried, total, free, allocated, unused;
    bool has_free, has_unused;
};

static bool amount(const struct finding *f, enum fact_name name,
                   int64_t *bytes) {
    const struct fact *x = facts_last(&f->facts, name);
    if (!x || x->number < 0)
        return false;
    *bytes = x->number;
    return true;
}

static bool sizes_of(const struct finding *f, struct sizes *s) {
    int64_t reserved = 0;
    *s = (struct sizes){0};
    if (!amount(f, FACT_tried_alloc, &s->tried) || s->tried == 0 ||
        !amount(f, FACT_gpu_total, &s->total) || s->total == 0 ||
        !amount(f, FACT_pytorch_allocated, &s->allocated))
        return false;
    s->has_free = amount(f, FACT_gpu_free, &s->free);
    s->has_unused = amount(f, FACT_pytorch_unallocated, &s->unused);
    if (!s->has_unused && amount(f, FACT_pytorch_reserved, &reserved) &&
        reserved >= s->allocated) {
        s->unused = reserved - s->allocated;
        s->has_unused = true;
    }
    return true;
}

static int64_t percent_of(int64_t part, int64_t whole) {
    int64_t tenths = 0;
    (void)mul_div_floor(part, 1000, whole, &tenths);
    return (tenths + 5) / 10;
}

/* False if every release with this form of the message lacks expandable
 * segments. */
static bool may_have_segments(struct diagnosis *d, const struct finding *f) {
    struct fact_list facts = facts_in_force(d, &f->facts);
    const struct fact *words = facts_last(&facts, FACT_oom_words);
    bool is_old =
        words && STR_IS_ONE(words->word, "bare", "cached", "reserved");
    struct str has_them =
        STR("vcmp(torch_version, case when device_kind = 'hip' then '2.11.0' "
            "else '2.1.0' end) >= 0");
    return !is_old &&
           when_truth(d, has_them, &facts, f->form).truth != TRUTH_FALSE;
}

static void remark_fragments(struct diagnosis *d, struct finding *f,
                             const struct sizes *s) {
    int64_t both;
    if (!s->has_unused || !add_i64(s->free, s->unused, &both) ||
        percent_of(s->unused, s->total) < UNUSED_PERCENT)
        return;
    if (s->unused / UNUSED_TIMES >= s->tried)
        remark_add_amounts(d, f, "diagnose.remark.unused", s->unused, s->tried);
    else if (s->has_free && both >= s->tried && s->free < s->tried &&
             may_have_segments(d, f))
        remark_add_amounts(d, f, "diagnose.remark.segments", both, s->tried);
}

/* The remark by owner, if the message has the memory of the process itself. */
static const char *outside_of(const struct finding *f, const struct sizes *s,
                              int64_t outside) {
    int64_t process, own;
    if (!s->has_unused || !amount(f, FACT_process_in_use, &process))
        return "diagnose.remark.outside";
    own = process - s->allocated - s->unused;
    return own >= outside / 100 * MOST_PERCENT ? "diagnose.remark.outside_own"
           : own <= outside / 100 * (100 - MOST_PERCENT)
               ? "diagnose.remark.outside_others"
               : "diagnose.remark.outside";
}

static void remark_share(struct diagnosis *d, struct finding *f,
                         const char *key, int64_t bytes,
                         const struct sizes *s) {
    remark_add(d, f, NOTE(key, write_bytes(d->a, bytes),
                          write_count(d->a, percent_of(bytes, s->total))));
}

/* The sum of the other listed processes. It has no context of this process. */
static bool sum_of_others(const struct finding *f, int64_t *sum) {
    size_t count = 0;
    *sum = 0;
    for (size_t i = 0; i < f->facts.count; i++)
        if (f->facts.at[i].name == FACT_other_in_use && f->facts.at[i].known)
            count += add_i64(*sum, f->facts.at[i].number, sum);
    return count > 0;
}

static void remark_outside(struct diagnosis *d, struct finding *f,
                           const struct sizes *s) {
    int64_t bytes, others;
    bool is_much = amount(f, FACT_outside_framework, &bytes) &&
                   bytes < s->total &&
                   percent_of(bytes, s->total) >= (bytes > OUTSIDE_LEAST
                                                       ? OUTSIDE_TELLING
                                                       : OUTSIDE_PERCENT);
    const char *key = is_much ? outside_of(f, s, bytes) : NULL;
    bool is_theirs = is_much &&
                     strcmp(key, "diagnose.remark.outside_others") == 0 &&
                     sum_of_others(f, &others) && others < bytes;
    if (is_much)
        remark_share(d, f, key, is_theirs ? others : bytes, s);
}

/* For a message without the cache and without the process: the owner of the
 * rest is unknown. */
static void remark_rest(struct diagnosis *d, struct finding *f,
                        const struct sizes *s) {
    int64_t process, rest = s->total - s->free - s->allocated;
    if (s->has_free && !s->has_unused && rest > 0 && rest < s->total &&
        !amount(f, FACT_process_in_use, &process) &&
        percent_of(rest, s->total) >= BESIDE_PERCENT)
        remark_share(d, f, "diagnose.remark.beside", rest, s);
}

/* The number of requests that the allocated memory equals within 1 %; 0:
 * none. */
static int64_t copies_in(const struct sizes *s) {
    int64_t copies = (s->allocated + s->tried / 2) / s->tried;
    int64_t off = s->allocated - copies * s->tried;
    off = off < 0 ? -off : off;
    bool is_whole = copies >= 1 && copies <= COPIES_MOST &&
                    off <= s->tried / 100;
    return is_whole ? copies : 0;
}

static void remark_tensor(struct diagnosis *d, struct finding *f,
                          const struct sizes *s) {
    int64_t percent = percent_of(s->tried, s->total);
    int64_t copies = percent >= COPY_LEAST_PERCENT ? copies_in(s) : 0;
    if (copies == 1)
        remark_add(d, f, NOTE("diagnose.remark.copy",
                              write_bytes(d->a, s->tried)));
    else if (copies > 1)
        remark_add(d, f, NOTE("diagnose.remark.copies",
                              write_count(d->a, copies)));
    const struct fact *stage = facts_last(&f->facts, FACT_stage);
    bool is_state = stage && str_eq(stage->word, STR("optimizer"));
    if (percent >= ONE_TENSOR_PERCENT && !is_state)
        remark_add(d, f, NOTE("diagnose.remark.one_tensor",
                              write_bytes(d->a, s->tried),
                              write_count(d->a, percent)));
}

/* kSmallBuffer and kLargeBuffer of c10/cuda/CUDACachingAllocator: the blocks
 * that it requests from the driver for tensors of up to 1 MiB, and of up to 10
 * MiB. */
#define BLOCK_SMALL (INT64_C(2) << 20)
#define BLOCK_LARGE (INT64_C(20) << 20)
#define TENSOR_SMALL (INT64_C(1) << 20)
#define TENSOR_LARGE (INT64_C(10) << 20)

static bool remark_block(struct diagnosis *d, struct finding *f,
                  const struct sizes *s) {
    bool is_small = s->tried == BLOCK_SMALL;
    if (!str_eq(f->entry->component, STR("pytorch")) ||
        (!is_small && s->tried != BLOCK_LARGE))
        return false;
    remark_add(d, f,
               is_small ? NOTE("diagnose.remark.block_small",
                               write_bytes(d->a, BLOCK_SMALL),
                               write_bytes(d->a, TENSOR_SMALL))
                        : NOTE("diagnose.remark.block_large",
                               write_bytes(d->a, BLOCK_LARGE),
                               write_bytes(d->a, TENSOR_SMALL),
                               write_bytes(d->a, TENSOR_LARGE)));
    return true;
}

static void remark_shape(struct diagnosis *d, struct finding *f,
                  const struct sizes *s) {
    const struct fact *tensor = facts_last(&f->facts, FACT_tensor_bytes);
    if (tensor && tensor->number == s->tried && tensor->text.n > 0)
        remark_add(d, f, NOTE("diagnose.remark.shape", tensor->text,
                              written_line(d->a, tensor->line)));
}

/* XLA prints the parts of a compiled program's memory. */
static void remark_program(struct diagnosis *d, struct finding *f) {
    int64_t whole, temp, arguments;
    if (!amount(f, FACT_compute_bytes, &whole) ||
        !amount(f, FACT_program_temp, &temp) ||
        !amount(f, FACT_program_arguments, &arguments) || whole <= 0)
        return;
    remark_add(d, f, NOTE("diagnose.remark.program", write_bytes(d->a, whole),
                          write_bytes(d->a, temp),
                          write_bytes(d->a, arguments)));
}

/* True for a server with an allocated pool: its GPU is meant to be full. */
static bool has_pool(const struct finding *f) {
    const struct fact *stage = facts_last(&f->facts, FACT_stage);
    return stage && STR_IS_ONE(stage->word, "serve", "capture", "wake");
}

/* A small request on a full GPU: the step lacks more memory than this
 * request. */
static void remark_small(struct diagnosis *d, struct finding *f,
                         const struct sizes *s) {
    int64_t missing = s->tried - s->free;
    int64_t percent = percent_of(s->allocated, s->total);
    if (!s->has_free || missing <= 0 || missing >= s->total / 100 ||
        percent < FULL_PERCENT || percent > 100 || has_pool(f))
        return;
    remark_add(d, f, NOTE("diagnose.remark.small", write_count(d->a, percent)));
}

void remark_sizes(struct diagnosis *d, struct finding *f) {
    struct sizes s;
    remark_program(d, f);
    if (sizes_of(f, &s)) {
        if (!remark_block(d, f, &s)) /* its size proves nothing more */
            remark_fragments(d, f, &s);
        remark_outside(d, f, &s);
        remark_rest(d, f, &s);
        remark_tensor(d, f, &s);
        remark_small(d, f, &s);
        remark_shape(d, f, &s);
    }
}

/* If the first fix is enough, its arithmetic includes the requests that
 * follow. */
void remarks_settle(struct finding *f) {
    bool is_enough =
        f->fix_count > 0 && fix_verdict(&f->fixes[0]) == VERDICT_ENOUGH;
    size_t kept = 0;
    for (size_t i = 0; i < f->remark_count; i++)
        if (!is_enough ||
            strcmp(f->remarks[i].key, "diagnose.remark.small") != 0)
            f->remarks[kept++] = f->remarks[i];
    f->remark_count = kept;
}
