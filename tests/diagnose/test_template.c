/* Filling {fact}s: proposed before printed, and never the value that failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/work.h"

static struct arena arena;
static struct fact_list known;
static struct flag offload = {.fact = FACT_cpu_offload};
static struct flag flags[] = {
    {.fact = FACT_max_num_seqs, .try_down = {"16", 2}},
    {.fact = FACT_max_model_len, .try_down = {"8192", 4}}};
static struct engine engine = {.flags = &offload, .flag_count = 1};
static struct engine server = {.flags = flags, .flag_count = 2};

static void know(enum fact_name name, const char *text) {
    struct fact f = fact_blank(name, SOURCE_LOG);
    fact_read(name, str_of(text), 1, &f);
    facts_add(&arena, &known, &f);
}

static enum change going; /* which way the fix moves its setting */

static int open_arena(void **state) {
    (void)state;
    arena_init(&arena, NULL, 0);
    know(FACT_max_model_len, "131072");
    know(FACT_est_max_model_len, "44,224");
    know(FACT_gpu_memory_utilization, "0.90");
    know(FACT_gpu_free, "2.50 GiB");
    know(FACT_tried_alloc, "300.00 MiB");
    return 0;
}

static int close_arena(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static void expect_filled(const char *template, int acted_on,
                          const struct fact *proposed, bool is_command,
                          const char *want) {
    bool has_gap = false;
    struct filling f = {.facts = &known, .proposed = proposed,
                        .acted_on = acted_on, .is_command = is_command,
                        .engine = &engine, .has_gap = &has_gap,
                        .change = going};
    struct str got = template_fill(&arena, str_of(template), &f);
    assert_string_equal(arena_str(&arena, got).p, want);
    assert_int_equal(has_gap, strstr(want, is_command ? "MAX_MODEL_LEN" : "<")
                                  != NULL);
}

static void printed_values_are_filled_in(void **state) {
    (void)state;
    expect_filled("--max-model-len {est_max_model_len}", -1, NULL, true,
                  "--max-model-len 44224");
    expect_filled("share {gpu_memory_utilization}", -1, NULL, false,
                  "share 0.9");
}

static void bytes_are_bare_in_commands(void **state) {
    (void)state;
    expect_filled("{gpu_free}", -1, NULL, true, "2684354560");
    expect_filled("{gpu_free}", -1, NULL, false, "2.50 GiB");
}

static void bytes_are_written_in_the_unit_of_the_slot(void **state) {
    (void)state;
    expect_filled("--limits=memory={gpu_free:Gi}", -1, NULL, true,
                  "--limits=memory=3Gi");
    expect_filled("--mem={tried_alloc:G}", -1, NULL, true, "--mem=300M");
    expect_filled("-m {tried_alloc:g}", -1, NULL, true, "-m 300m");
    expect_filled("{max_num_seqs:G|16}", -1, NULL, true, "16");
    expect_filled("{gpu_free:x}", -1, NULL, true, "{gpu_free:x}");
}

static void a_flag_gets_its_own_unit(void **state) {
    struct fact p = fact_blank(FACT_cpu_offload, SOURCE_DERIVED);
    (void)state;
    p.known = true;
    p.number = INT64_C(3) << 29;
    offload.scale = STR("GiB");
    expect_filled("--cpu-offload-gb {cpu_offload}", FACT_cpu_offload, &p,
                  true, "--cpu-offload-gb 1.5");
    expect_filled("{cpu_offload}", FACT_cpu_offload, &p, false, "1.50 GiB");
}

static void proposals_win(void **state) {
    struct fact p = fact_blank(FACT_max_model_len, SOURCE_DERIVED);
    (void)state;
    p.known = true;
    p.number = 65536;
    expect_filled("--max-model-len {max_model_len}", FACT_max_model_len, &p,
                  true, "--max-model-len 65536");
}

/* A number that is typed stands where nothing is known. */
static void a_typed_number_gives_way(void **state) {
    struct fact p = fact_blank(FACT_max_model_len, SOURCE_DERIVED);
    const char *fix = "--max-model-len {max_model_len|8192}";
    (void)state;
    p.known = true;
    p.number = 65536;
    expect_filled(fix, FACT_max_model_len, &p, true, "--max-model-len 65536");
    going = CHANGE_down;
    expect_filled(fix, FACT_max_model_len, NULL, true, "--max-model-len 65536");
    going = CHANGE_up;
    expect_filled(fix, FACT_max_model_len, NULL, true,
                  "--max-model-len 262144");
    expect_filled("{max_num_seqs|16}", FACT_max_num_seqs, NULL, true, "16");
    expect_filled("{gpu_memory_utilization|0.97}",
                  FACT_gpu_memory_utilization, NULL, true, "0.95");
    going = CHANGE_down;
    expect_filled("{gpu_memory_utilization}", FACT_gpu_memory_utilization,
                  NULL, true, "0.85");
    going = CHANGE_up;
    expect_filled("{gpu_memory_utilization|0.95}", -1, NULL, true, "0.9");
    expect_filled("{max_num_seqs|}", FACT_max_num_seqs, NULL, true,
                  "{max_num_seqs|}");
    going = CHANGE_none;
}

static struct str first_try(const char *template, enum fact_name acted_on,
                            enum change change, const char *want) {
    struct str value = STR("");
    bool has_gap = false;
    struct filling f = {.facts = &known, .acted_on = (int)acted_on,
                        .is_command = true, .engine = &server,
                        .has_gap = &has_gap, .change = change,
                        .first_try = &value};
    struct str got = template_fill(&arena, str_of(template), &f);
    assert_string_equal(arena_str(&arena, got).p, want);
    return value;
}

/* Only where the log does not show the value in force. */
static void a_first_value_stands_for_one_that_nobody_knows(void **state) {
    const char *seqs = "--max-num-seqs {max_num_seqs}";
    (void)state;
    struct str value = first_try(seqs, FACT_max_num_seqs, CHANGE_down,
                                 "--max-num-seqs 16");
    assert_true(str_eq(value, STR("16")));
    value = first_try(seqs, FACT_max_num_seqs, CHANGE_up,
                      "--max-num-seqs MAX_NUM_SEQS");
    assert_int_equal(value.n, 0);
    value = first_try("--max-model-len {max_model_len}", FACT_max_model_len,
                      CHANGE_down, "--max-model-len 65536");
    assert_int_equal(value.n, 0);
}

static void the_value_that_failed_is_not_advised(void **state) {
    (void)state;
    expect_filled("--max-model-len {max_model_len}", FACT_max_model_len, NULL,
                  true, "--max-model-len MAX_MODEL_LEN");
}

static void unknown_facts_stay_readable(void **state) {
    (void)state;
    expect_filled("{max_num_seqs} of {gpu_free}", -1, NULL, false,
                  "<max_num_seqs> of 2.50 GiB");
}

static void other_braces_are_left_alone(void **state) {
    (void)state;
    expect_filled("docker ps --format '{{.Names}}' {} {nonsense} {", -1, NULL,
                  true, "docker ps --format '{{.Names}}' {} {nonsense} {");
}

/* Last: from here on the device is known. */
static void tools_are_those_of_the_maker(void **state) {
    (void)state;
    expect_filled("{gpu_choose}=1", -1, NULL, true, "CUDA_VISIBLE_DEVICES=1");
    know(FACT_device_kind, "hip");
    expect_filled("{gpu_processes}", -1, NULL, true, "rocm-smi --showpids");
    expect_filled("{gpu_choose}=1", -1, NULL, true, "HIP_VISIBLE_DEVICES=1");
    know(FACT_device_kind, "tpu");
    expect_filled("{gpu_list}", -1, NULL, true, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_values_are_filled_in),
        cmocka_unit_test(bytes_are_bare_in_commands),
        cmocka_unit_test(bytes_are_written_in_the_unit_of_the_slot),
        cmocka_unit_test(a_flag_gets_its_own_unit),
        cmocka_unit_test(proposals_win),
        cmocka_unit_test(a_typed_number_gives_way),
        cmocka_unit_test(a_first_value_stands_for_one_that_nobody_knows),
        cmocka_unit_test(the_value_that_failed_is_not_advised),
        cmocka_unit_test(unknown_facts_stay_readable),
        cmocka_unit_test(other_braces_are_left_alone),
        cmocka_unit_test(tools_are_those_of_the_maker),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
