/* test_fit_search.c: the search for what makes it fit ends. It is told by what
 * it asks and by what it keeps, never by a clock: so many questions, so many
 * bytes of the report; where its ceiling ends it, the answer says so, and what
 * it lists then was answered so all the same. */
#include "memory/cases.h"

#include "base/limits.h"
#include "memory/fit.h"

#define MIB (INT64_C(1) << 20)
#define USUAL_MOST 350 /* of 6,500 questions about 363 models: 316 */
#define KEPT_MOST ((size_t)64 << 10)

#define STATE_OF(n)                                                            \
    {                                                                          \
        .kind = KV_state, .layers = n, .mixer = {"gdn", 3},                    \
        .conv_channels = 10240, .conv_steps = 3, .state_elements = 786432,     \
        .state_dtype = {"float32", 7}                                          \
    }

MODEL(plain, FULL(32, 8, 128));
MODEL(windowed, SLIDING(40, 8, 256, 1024), FULL(8, 8, 256));
MODEL(latent, LATENT(61, 576));
MODEL(recurrent, STATE_OF(48), FULL(16, 4, 256));

static const struct model *const models[] = {&plain, &windowed, &latent,
                                             &recurrent};

static struct fit_question asked(const struct model *m, int64_t card) {
    char bytes[32];
    struct fit_question q = {.c = case_vllm("0.21.0", m)};
    snprintf(bytes, sizeof bytes, "%lld MiB", (long long)(card / MIB));
    say(&q.c, FACT_gpu_total, bytes, SOURCE_USER);
    say(&q.c, FACT_gpu_memory_utilization, "0.9", SOURCE_USER);
    say(&q.c, FACT_max_model_len, "131072", SOURCE_USER);
    return q;
}

static void say_count(struct fit_question *q, enum fact_name name, int64_t n) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)n);
    say(&q->c, name, number, SOURCE_USER);
}

static struct fit answer_to(struct arena *a, const struct fit_question *q) {
    size_t before = a->used_bytes;
    struct fit fit = memory_fit(a, q);
    if (a->used_bytes - before > KEPT_MOST)
        fail_msg("%zu bytes kept", a->used_bytes - before);
    return fit;
}

static int64_t change_of(const struct fit_plan *plan, enum fact_name name) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->change[i].name == name)
            return plan->change[i].number;
    return 0;
}

/* Copies that take more cards than there are, ranks of every kind. */
static void test_any_number_of_ranks_is_searched_in_few_questions(
    void **state) {
    static const enum fact_name kinds[] = {
        FACT_data_parallel, FACT_tensor_parallel, FACT_pipeline_parallel};
    size_t most = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int64_t ranks = 1; ranks <= 1000000; ranks *= 4)
                for (int64_t card = 2 * GIB; card <= 32 * GIB; card *= 2) {
                    struct fit_question q = asked(models[m], card);
                    say_count(&q, kinds[k], ranks);
                    say_count(&q, FACT_gpu_count, ranks);
                    struct fit fit = answer_to(*state, &q);
                    most = fit.questions > most ? fit.questions : most;
                    assert_false(fit.is_search_cut);
                }
    assert_in_range(most, 1, USUAL_MOST);
}

/* One copy does not fit on one card: each takes more of them, and all of them
 * together are named, once. */
static void test_cards_follow_from_ranks(void **state) {
    struct fit_question q = asked(&plain, 12 * GIB);
    size_t listed = 0;
    say_count(&q, FACT_data_parallel, 32);
    say_count(&q, FACT_gpu_count, 32);
    struct fit fit = answer_to(*state, &q);
    assert_int_equal(fit.fits, FIT_NO);
    for (size_t i = 0; i < fit.plan_count; i++) {
        const struct fit_plan *plan = &fit.plans[i];
        int64_t ranks = change_of(plan, FACT_tensor_parallel) *
                        (change_of(plan, FACT_pipeline_parallel) > 0
                             ? change_of(plan, FACT_pipeline_parallel)
                             : 1);
        if (ranks > 1) {
            listed++;
            assert_int_equal(change_of(plan, FACT_gpu_count), 32 * ranks);
        }
    }
    assert_true(listed > 0);
}

/* Wherever it is cut, it says so, and lists nothing that a longer search would
 * not answer with yes. */
static void test_a_cut_search_says_so(void **state) {
    struct fit_question q = asked(&plain, 12 * GIB);
    say_count(&q, FACT_gpu_count, 4);
    say_count(&q, FACT_tensor_parallel, 4);
    struct fit whole = answer_to(*state, &q);
    assert_true(whole.questions > 3);
    for (size_t n = 1; n <= whole.questions; n++) {
        q.questions_most = n;
        struct fit cut = answer_to(*state, &q);
        bool is_told = false;
        for (size_t i = 0; i < cut.remark_count; i++)
            is_told |= strcmp(cut.remarks[i].key, FIT_REMARK_CUT) == 0;
        assert_true(cut.questions <= n);
        assert_int_equal(is_told, cut.is_search_cut);
        assert_int_equal(cut.is_search_cut, n < whole.questions);
        for (size_t i = 0; i < cut.plan_count; i++) {
            struct fit_question then = q;
            for (size_t k = 0; k < cut.plans[i].count; k++) {
                struct fact f = cut.plans[i].change[k];
                f.source = SOURCE_USER;
                then.c.in[f.name] = f;
            }
            then.is_verdict = true;
            assert_int_equal(answer_to(*state, &then).fits,
                             cut.plans[i].is_likely ? FIT_LIKELY : FIT_YES);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(test_any_number_of_ranks_is_searched_in_few_questions),
        WITH_ARENA(test_cards_follow_from_ranks),
        WITH_ARENA(test_a_cut_search_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
