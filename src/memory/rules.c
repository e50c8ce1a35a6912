/* rules.c: the table of releases.
 *
 * V0 is the first engine (until 0.10.x); V1 came beside it in 0.7.0, became
 * the default in 0.8.0 and the only one in 0.11.0. Logs between them differ
 * by what only one of the two prints: "# CPU blocks" and "maximum number of
 * tokens that can be stored" are V0's, "KV cache is needed" is V1's.
 *
 * Windows in V1, by commit:
 *
 *     0.7.0   93a00d7dd  every layer is of full length
 *     0.8.3   3a5f0afcd  #14097: the check charges windows cut, then
 *                        unify_hybrid_kv_cache_specs makes the pool whole
 *     0.9.1   f8a1a2d10  #17996: groups; the pool keeps windows cut
 *     0.10.0  9a9fda142  #19351: chunks are cut as well
 *     0.10.1  8aa1485fc  #21761: chunks are whole again unless asked
 *
 * A build of main is numbered by commits since the last tag: 0.9.1 was tagged
 * 274 commits behind 0.9.0, so 0.9.1.dev287 is younger than 0.9.1. Where rows
 * meet inside 0.9.1.dev the number of the commit is the boundary.
 *
 * Every release on the package index from 0.6.3.post1 to 0.33.0 was asked
 * itself (tests/data/oracle/vllm.jsonl, docs/ORACLES.md): 0.26.0 is the first
 * in which a window outlives two steps (max_in_flight_tokens, #47728).
 *
 * From 0.8.3 on (#14097) the pool never hands out one block, the null block.
 * The check at start counted it until 0.29.0 (#47272), so that a request of
 * all blocks was let in and waited for ever (#35541).
 *
 * Hybrids cache prefixes by default from 0.28.0 on (is_prefix_caching_supported
 * in config/model.py says no until 0.27.0), and then in mode "align"
 * (model_executor/models/config.py). A checkpoint's kv_cache_scheme sets the
 * type of the cache from 0.15.0 on (attention/layer.py).
 *
 * Sources: vllm/v1/core/kv_cache_utils.py, v1/kv_cache_interface.py,
 * v1/worker/gpu_worker.py, worker/worker.py, worker/cache_engine.py,
 * engine/arg_utils.py of the releases named; #33698, #36030 and #47728 for
 * the changes between them.
 */
#include "corpus/version.h"
#include "memory/engines.h"
#include "memory/kv.h"

#define GROUPS_FROM "0.9.1.dev201"    /* f8a1a2d10, #17996 */
#define FREE_CHECK_FROM "0.9.1.dev230" /* 2d8476e46, #18974 */

#define V0 true
#define V1 false
#define IN NULL_IN
#define OUT NULL_OUT
#define WHOLE WINDOWS_WHOLE
#define CUT WINDOWS_CUT
#define LAYERS NEED_LAYERS
#define FIRST NEED_FIRST_GROUP
#define GROUPS NEED_GROUPS
#define HEADS_256 LATENT_SPREAD_PADDED
#define HEADS LATENT_SPREAD
#define PAD LATENT_PADDED
#define ROW LATENT_PLAIN

static const struct kv_rules rows[] = {
    /* from, until, engine, windows charged, kept, chunks, need, latent,
     * all stages, spread, by requests, steps, null block */
    {"0", "0.7.0", V0, WHOLE, WHOLE, WHOLE, LAYERS, HEADS_256, 0, 100, 0, 1, 0},
    {"0.7.0", "0.7.1", V0, WHOLE, WHOLE, WHOLE, LAYERS, HEADS, 0, 100, 0, 1, 0},
    {"0.7.1", "0.7.2", V0, WHOLE, WHOLE, WHOLE, LAYERS, ROW, 0, 100, 0, 1, 0},
    {"0.7.2", "0.8.0", V0, WHOLE, WHOLE, WHOLE, LAYERS, PAD, 0, 100, 0, 1, 0},
    {"0.8.0", "0.11.0", V0, WHOLE, WHOLE, WHOLE, LAYERS, ROW, 0, 100, 0, 1, 0},
    {"0.7.0", "0.8.3", V1, WHOLE, WHOLE, WHOLE, LAYERS, ROW, 0, 100, 0, 1, 0},
    {"0.8.3", GROUPS_FROM, V1, CUT, WHOLE, WHOLE, LAYERS, ROW, 0, 100, 0, 1, IN},
    {GROUPS_FROM, "0.10.0", V1, CUT, CUT, WHOLE, LAYERS, ROW, 0, 100, 0, 1, IN},
    {"0.10.0", "0.12.0", V1, CUT, CUT, CUT, LAYERS, ROW, 0, 100, 0, 1, IN},
    {"0.12.0", "0.14.0", V1, CUT, CUT, CUT, LAYERS, ROW, 0, 125, 0, 1, IN},
    {"0.14.0", "0.17.0", V1, CUT, CUT, CUT, FIRST, ROW, 1, 125, 0, 1, IN},
    {"0.17.0", "0.18.0", V1, CUT, CUT, CUT, FIRST, ROW, 0, 125, 0, 1, IN},
    {"0.18.0", "0.19.0", V1, CUT, CUT, CUT, FIRST, ROW, 0, 150, 0, 1, IN},
    {"0.19.0", "0.20.1", V1, CUT, CUT, CUT, GROUPS, ROW, 0, 150, 0, 1, IN},
    {"0.20.1", "0.26.0", V1, CUT, CUT, CUT, GROUPS, ROW, 0, 150, 1, 1, IN},
    {"0.26.0", "0.29.0", V1, CUT, CUT, CUT, GROUPS, ROW, 0, 150, 1, 2, IN},
    {"0.29.0", "", V1, CUT, CUT, CUT, GROUPS, ROW, 0, 150, 1, 2, OUT},
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* Is the version in [from, until)? "" has no end. */
static enum answer is_between(const struct inputs *c, const char *from,
                              const char *until) {
    const struct fact *f = &c->in[FACT_engine_version];
    struct str version = f->known ? f->word : STR("");
    int after_from, after_until = -1;
    if (!version_compare(version, str_of(from), &after_from))
        return ANSWER_MAYBE;
    if (*until)
        version_compare(version, str_of(until), &after_until);
    return after_from >= 0 && after_until < 0 ? ANSWER_YES : ANSWER_NO;
}

bool rules_pool_is_asked(const struct inputs *c) {
    const struct fact *asked = &c->in[FACT_kv_cache_memory];
    return asked->known && asked->number > 0 && engine_of(c)->takes_share;
}

/* "max seq len (32768) is larger than ... stored in KV cache (21904)". */
static bool has_v0_refusal(const struct inputs *c) {
    const struct fact *tokens = &c->in[FACT_kv_tokens];
    const struct fact *length = &c->in[FACT_max_model_len];
    return tokens->known && tokens->source == SOURCE_LOG && length->known &&
           tokens->number < length->number && !c->in[FACT_kv_needed].known;
}

/* d4d93db2c (#13726) sends cards below 8.0 back to V0 ("7.5" is, "10.3" is
 * not); d7fbc6dda (#24022) lifts it. Models with recurrent layers go there,
 * too, unless VLLM_USE_V1 is set: is_v1_compatible, then has_inner_state in
 * engine/arg_utils.py, until 0.10.1.1. */
static enum answer is_sent_to_v0(const struct inputs *c) {
    if (model_has(c->model, KV_state))
        return is_between(c, "0.8.0", "0.10.2");
    const struct gpu *gpu = c->gpu;
    bool is_before_ampere = gpu != NULL && gpu->compute_capability.n > 1 &&
                            str_eq(gpu->vendor, STR("nvidia")) &&
                            gpu->compute_capability.p[0] < '8' &&
                            gpu->compute_capability.p[1] == '.';
    return is_before_ampere ? is_between(c, "0.8.0", "0.10.2") : ANSWER_NO;
}

enum answer rules_is_v0(const struct inputs *c) {
    if (is_between(c, "0.11.0", "") == ANSWER_YES ||
        c->in[FACT_kv_needed].known)
        return ANSWER_NO;
    if (is_between(c, "0", "0.8.0") == ANSWER_YES ||
        c->in[FACT_cpu_blocks].known || has_v0_refusal(c) ||
        is_sent_to_v0(c) == ANSWER_YES)
        return ANSWER_YES;
    return is_between(c, "0.8.0", "0.11.0") == ANSWER_YES ? ANSWER_NO
                                                          : ANSWER_MAYBE;
}

struct rules_list rules_of(const struct inputs *c) {
    struct rules_list list = {.count = 0};
    enum answer v0 = rules_is_v0(c);
    for (size_t i = 0; engine_of(c)->takes_share && i < ROW_COUNT; i++)
        if (v0 != (rows[i].is_v0 ? ANSWER_NO : ANSWER_YES) &&
            is_between(c, rows[i].from, rows[i].until) != ANSWER_NO)
            list.at[list.count++] = &rows[i];
    return list;
}

static enum answer either(enum answer a, enum answer b) {
    if (a == ANSWER_YES || b == ANSWER_YES)
        return ANSWER_YES;
    return a == ANSWER_MAYBE || b == ANSWER_MAYBE ? ANSWER_MAYBE : ANSWER_NO;
}

enum answer rules_charge_others(const struct inputs *c) {
    enum answer always =
        either(is_between(c, "0", "0.3.1"), is_between(c, "0.6.4", "0.6.5"));
    enum answer v0 = rules_is_v0(c);
    enum answer in_v1 = is_between(c, "0.7.0", FREE_CHECK_FROM);
    if (v0 == ANSWER_YES || in_v1 == ANSWER_NO)
        return always;
    return either(always, v0 == ANSWER_NO ? in_v1 : ANSWER_MAYBE);
}

enum answer rules_check_free(const struct inputs *c) {
    return rules_is_v0(c) == ANSWER_YES ? ANSWER_NO
                                        : is_between(c, FREE_CHECK_FROM, "");
}

enum answer rules_count_null_block(const struct inputs *c) {
    struct rules_list list = rules_of(c);
    size_t counting = 0;
    for (size_t i = 0; i < list.count; i++)
        counting += list.at[i]->null == NULL_IN;
    return counting == 0            ? ANSWER_NO
           : counting == list.count ? ANSWER_YES
                                    : ANSWER_MAYBE;
}

#define X(name, from, until)                                                   \
    enum answer rules_##name(const struct inputs *c) {                         \
        return is_between(c, from, until);                                     \
    }
RULES_BY_RELEASE(X)
#undef X

enum answer rules_take_cache_scheme(const struct inputs *c) {
    return engine_of(c)->takes_share ? is_between(c, "0.15.0", "") : ANSWER_NO;
}
