/* test_context_ranks.c: what decode context parallelism would win: where ranks
 * keep copies, and only there. */
#include "memory/cases.h"

MODEL(latent, LATENT(61, 576));
MODEL(heads, FULL(32, 8, 128));
MODEL(windowed, SLIDING(40, 8, 256, 1024), FULL(8, 8, 256));

static struct estimate effect_of(struct arena *a, const struct model *m,
                                 const char *tp, const char *need,
                                 const char *pool) {
    struct inputs c = case_of(
        "0.11.0", m, SAID({FACT_tensor_parallel, tp},
                          {FACT_max_model_len, "163840"},
                          {FACT_max_num_batched_tokens, "2048"},
                          {FACT_kv_needed, need}, {FACT_kv_available, pool}));
    return memory_effect(a, &c, SHORT_KV_POOL,
                         EFFECT_decode_context_parallel);
}

/* 10.72 GiB on each of eight ranks: four of them keep a quarter each. */
static void ranks_share_a_latent(void **state) {
    struct estimate e = effect_of(*state, &latent, "8", "10.72 GiB",
                                  "4.00 GiB");
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 4);
    assert_holds(e.after, INT64_C(61) * 163840 / 4 * 1152);
    e = effect_of(*state, &latent, "8", "10.72 GiB", "1.00 GiB");
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH); /* 1.34 GiB at best */
}

/* Eight heads on sixteen ranks are there twice; on eight each is there once. */
static void ranks_share_copied_heads(void **state) {
    struct estimate e = effect_of(*state, &heads, "16", "2.50 GiB",
                                  "2.00 GiB");
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 2);
    e = effect_of(*state, &heads, "8", "2.50 GiB", "2.00 GiB");
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void windows_are_not_shared(void **state) {
    struct inputs c = case_of(
        "0.11.0", &windowed, SAID({FACT_tensor_parallel, "16"},
                                  {FACT_max_model_len, "131072"},
                                  {FACT_max_num_batched_tokens, "2048"},
                                  {FACT_kv_available, "0.50 GiB"}));
    struct estimate e = memory_effect(*state, &c, SHORT_KV_POOL,
                                      EFFECT_decode_context_parallel);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void an_unknown_model_is_asked_for(void **state) {
    struct estimate e = effect_of(*state, NULL, "8", "10.72 GiB", "4.00 GiB");
    assert_int_equal(e.verdict, VERDICT_UNKNOWN);
    assert_int_equal(e.needs.at[0], FACT_model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(ranks_share_a_latent),
        WITH_ARENA(ranks_share_copied_heads),
        WITH_ARENA(windows_are_not_shared),
        WITH_ARENA(an_unknown_model_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
