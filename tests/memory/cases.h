/* cases.h: what the tests of memory/ share: a case from words, as a log or a
 * user would give it, and models that are short enough to check by hand. */
#ifndef TESTS_MEMORY_CASES_H
#define TESTS_MEMORY_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/memory.h"

#define GIB (INT64_C(1) << 30)
#define KIB INT64_C(1024)

struct said { /* fact = text, as printed */
    enum fact_name fact;
    const char *text;
};

static inline void say(struct inputs *c, enum fact_name name,
                       const char *text, enum fact_source source) {
    struct fact *f = &c->in[name];
    *f = (struct fact){
        .name = name, .gpu = FACT_NONE, .rank = FACT_NONE, .pid = FACT_NONE};
    fact_read(name, str_of(text), 1, f);
    f->name = name;
    f->source = source;
    f->line = source == SOURCE_LOG ? 7 : 0;
    assert_true(f->known);
}

static inline struct inputs case_vllm(const char *version,
                                           const struct model *model) {
    struct inputs c = {.engine = STR("vllm"), .model = model};
    for (int n = 0; n < FACT_COUNT_OF; n++)
        c.in[n] = (struct fact){.name = (enum fact_name)n,
                                .gpu = FACT_NONE,
                                .rank = FACT_NONE,
                                .pid = FACT_NONE};
    if (version)
        say(&c, FACT_engine_version, version, SOURCE_LOG);
    return c;
}

static inline struct inputs case_of(const char *version,
                                         const struct model *model,
                                         const struct said *said) {
    struct inputs c = case_vllm(version, model);
    for (; said->text; said++)
        say(&c, said->fact, said->text, SOURCE_LOG);
    return c;
}

#define SAID(...) ((const struct said[]){__VA_ARGS__, {FACT_engine, NULL}})
#define SAID_NOTHING ((const struct said[]){{FACT_engine, NULL}})

/* A test whose state is an arena of its own. */
static inline int arena_setup(void **state) {
    struct arena *a = malloc(sizeof *a);
    assert_non_null(a);
    arena_init(a, NULL, 0);
    *state = a;
    return 0;
}

static inline int arena_teardown(void **state) {
    arena_free(*state);
    free(*state);
    return 0;
}

#define WITH_ARENA(test)                                                       \
    cmocka_unit_test_setup_teardown(test, arena_setup, arena_teardown)

static inline void assert_holds(struct span s, int64_t value) {
    assert_true(s.known);
    if (value < s.low || value > s.high)
        fail_msg("%lld is not in [%lld, %lld]", (long long)value,
                 (long long)s.low, (long long)s.high);
}

static inline void assert_between(struct span s, int64_t low, int64_t high) {
    assert_true(s.known);
    if (s.low < low || s.high > high)
        fail_msg("[%lld, %lld] is not in [%lld, %lld]", (long long)s.low,
                 (long long)s.high, (long long)low, (long long)high);
}

#define MODEL(name, ...)                                                       \
    static struct kv_group name##_groups[] = {__VA_ARGS__};                    \
    static const struct model name = {.id = {#name, sizeof #name - 1},         \
                                      .dtype = {"bfloat16", 8},                \
                                      .layers = 32,                            \
                                      .heads = 32,                             \
                                      .hidden_size = 4096,                     \
                                      .vocab_size = 128256,                    \
                                      .params = 8030261248,                    \
                                      .embedding_params = 1050673152,          \
                                      .groups = name##_groups,                 \
                                      .group_count = sizeof name##_groups /    \
                                                     sizeof *name##_groups}

#define FULL(n, h, d)                                                          \
    { .kind = KV_full, .layers = n, .kv_heads = h, .k_dim = d, .v_dim = d }
#define SLIDING(n, h, d, w)                                                    \
    {                                                                          \
        .kind = KV_sliding, .layers = n, .kv_heads = h, .k_dim = d,            \
        .v_dim = d, .window = w                                                \
    }
#define LATENT(n, dim)                                                         \
    { .kind = KV_mla, .layers = n, .latent_dim = dim }
#define STATE(n, bytes)                                                        \
    { .kind = KV_state, .layers = n, .state_bytes = bytes }

#endif
