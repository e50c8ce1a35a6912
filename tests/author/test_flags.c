/* test_flags.c: the patterns that an engine's flags turn into read the values
 * that people and engines write, and nothing beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "author/build.h"
#include "match/match.h"
#include "support/corpus.h"
#include "support/patterns.h"

static struct str_list list_of(struct str *at, size_t count) {
    return (struct str_list){at, count};
}

static struct engine toy_engine(struct arena *a) {
    static struct str tp[] = {{"-tp", 3}};
    static struct str len_keys[] = {{"max_model_len", 13}};
    static struct str dtype_keys[] = {{"dtype", 5}};
    static struct str swap_keys[] = {{"swap_space", 10}};
    static struct str eager_keys[] = {{"enforce_eager", 13}};
    static const struct flag flags[] = {
        {.fact = FACT_max_model_len, .flag = {"--max-model-len", 15},
         .keys = {len_keys, 1}},
        {.fact = FACT_tensor_parallel,
         .flag = {"--tensor-parallel-size", 22}, .aliases = {tp, 1}},
        {.fact = FACT_dtype, .flag = {"--dtype", 7}, .keys = {dtype_keys, 1}},
        {.fact = FACT_swap_space, .flag = {"--swap-space", 12},
         .keys = {swap_keys, 1}, .scale = {"GiB", 3}},
        {.fact = FACT_enforce_eager, .flag = {"--enforce-eager", 15},
         .keys = {eager_keys, 1}},
        {.fact = FACT_gpu_memory_utilization,
         .flag = {"--gpu-memory-utilization", 24}},
    };
    struct flag *copy = arena_array(a, 6, sizeof *copy);
    memcpy(copy, flags, sizeof flags);
    copy[0].keys = list_of(len_keys, 1);
    struct engine e = {.id = STR("toy"), .command = STR("toy serve"),
                       .flags = copy, .flag_count = 6};
    engine_add_patterns(a, &e);
    return e;
}

static void note_captures(const struct hit *hit, enum fact_name fact,
                          struct str *found) {
    for (size_t k = 0; k < hit->capture_count; k++)
        if (hit->captures[k].name == fact)
            *found = hit->captures[k].text;
}

/* What the engine's patterns make of a line: the last capture, or setting, of
 * that fact; empty when none speaks. */
static struct str read_of(struct arena *a, const struct engine *e,
                          const char *line, enum fact_name fact) {
    struct str found = {0};
    for (size_t i = 0; i < e->context_count; i++) {
        const struct context_pattern *c = &e->contexts[i];
        struct hit hit = {0};
        if (!pattern_hit(a, c->pattern, str_of(line), &hit))
            continue;
        for (size_t k = 0; k < c->set_count; k++)
            if (c->set[k].name == fact)
                found = c->set[k].value;
        note_captures(&hit, fact, &found);
        for (size_t k = 0; k < c->extract.count; k++) {
            struct hit part = {0};
            if (pattern_hit(a, c->extract.at[k], hit.text, &part))
                note_captures(&part, fact, &found);
        }
    }
    return found;
}

static struct arena *arena_now;
static struct engine engine_now;

static void expect_setting(const char *line, enum fact_name fact,
                           const char *value) {
    struct str found = read_of(arena_now, &engine_now, line, fact);
    if (!str_eq(found, str_of(value)))
        fail_msg("%s: %s reads \"%.*s\", not \"%s\"", line,
                 fact_spelling(fact), STR_ARG(found), value);
}

static void with_engine(void (*body)(void)) {
    struct arena a;
    arena_init(&a, NULL, 0);
    arena_now = &a;
    engine_now = toy_engine(&a);
    body();
    arena_free(&a);
}

static void command_line(void) {
    expect_setting("toy serve m --max-model-len 8192", FACT_max_model_len,
                   "8192");
    expect_setting("args: --max-model-len=32k --x", FACT_max_model_len, "32k");
    expect_setting("['--max-model-len', '4096']", FACT_max_model_len, "4096");
    expect_setting("--gpu-memory-utilization .95",
                   FACT_gpu_memory_utilization, ".95");
    expect_setting("x --max-model-length 8", FACT_max_model_len, "");
    expect_setting("x ---max-model-len 8", FACT_max_model_len, "");
    expect_setting("--max-model-len \\", FACT_max_model_len, "");
}

static void short_flags(void) {
    expect_setting("toy serve m -tp 2", FACT_tensor_parallel, "2");
    expect_setting("toy serve m \\\n  --dtype half \\\n  -tp=4",
                   FACT_tensor_parallel, "4");
    expect_setting("toy serve m \\\n  --dtype half", FACT_dtype, "half");
    expect_setting("python -m toy.api_server -tp 8", FACT_tensor_parallel,
                   "8");
    expect_setting("ls -tp 2", FACT_tensor_parallel, "");
    expect_setting("toy serve m\nls -tp 2", FACT_tensor_parallel, "");
}

static void dumps(void) {
    expect_setting("non-default args: {'model': 'm', 'max_model_len': 4096}",
                   FACT_max_model_len, "4096");
    expect_setting("Engine(max_model_len=512, x=1)", FACT_max_model_len,
                   "512");
    expect_setting("with config: model='m', dtype=torch.bfloat16, x",
                   FACT_dtype, "torch.bfloat16");
    expect_setting("a tensor of dtype=float64", FACT_dtype, "");
    expect_setting("max_model_len=None", FACT_max_model_len, "");
    expect_setting("original_max_model_len=5", FACT_max_model_len, "");
    expect_setting("swap_space=4,", FACT_swap_space, "4");
}

static void switches(void) {
    expect_setting("serve --enforce-eager --x", FACT_enforce_eager, "true");
    expect_setting("serve --enforce-eager", FACT_enforce_eager, "true");
    expect_setting("serve --enforce-eager=False", FACT_enforce_eager, "False");
    expect_setting("serve --no-enforce-eager", FACT_enforce_eager, "false");
    expect_setting("enforce_eager=True,", FACT_enforce_eager, "True");
    expect_setting("serve --enforce-eagerness", FACT_enforce_eager, "");
}

static void every_one_has_a_literal(void) {
    for (size_t i = 0; i < engine_now.context_count; i++) {
        struct pattern_error error;
        struct str pattern = engine_now.contexts[i].pattern;
        if (pattern_check(arena_now, pattern, false, true, &error)
            != PATTERN_GOOD)
            fail_msg("%.*s: %.*s", STR_ARG(pattern), STR_ARG(error.message));
    }
}

static void a_command_line_is_read(void **state) {
    (void)state;
    with_engine(command_line);
}

static void short_flags_need_the_command(void **state) {
    (void)state;
    with_engine(short_flags);
}

static void dumps_are_read(void **state) {
    (void)state;
    with_engine(dumps);
}

static void switches_need_no_value(void **state) {
    (void)state;
    with_engine(switches);
}

static void patterns_can_be_found(void **state) {
    (void)state;
    with_engine(every_one_has_a_literal);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_line_is_read),
        cmocka_unit_test(short_flags_need_the_command),
        cmocka_unit_test(dumps_are_read),
        cmocka_unit_test(switches_need_no_value),
        cmocka_unit_test(patterns_can_be_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
