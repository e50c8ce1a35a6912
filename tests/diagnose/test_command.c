/* The user's command line with one setting changed: only the value's bytes
 * move, whatever the quoting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/work.h"

static struct arena arena;

static int open_arena(void **state) {
    (void)state;
    arena_init(&arena, NULL, 0);
    return 0;
}

static int close_arena(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static void expect_command(const char *before, const char *setting,
                           const char *after) {
    struct str names[] = {STR("--max_model_len"), STR("-tp")};
    struct str_list spellings = {names, 2};
    struct str got = command_with(&arena, str_of(before), str_of(setting),
                                  &spellings);
    assert_string_equal(arena_str(&arena, got).p, after);
}

static void a_value_is_replaced(void **state) {
    (void)state;
    expect_command("vllm serve m --max-model-len 131072 --port 8000",
                   "--max-model-len 44224",
                   "vllm serve m --max-model-len 44224 --port 8000");
    expect_command("vllm serve m --max-model-len=131072",
                   "--max-model-len 44224",
                   "vllm serve m --max-model-len=44224");
}

static void other_spellings_are_found(void **state) {
    (void)state;
    expect_command("vllm serve m --max_model_len 9 --x 1",
                   "--max-model-len 4",
                   "vllm serve m --max_model_len 4 --x 1");
    expect_command("vllm serve m -tp 1", "--tensor-parallel-size 2",
                   "vllm serve m -tp 2");
}

static void quotes_stay(void **state) {
    (void)state;
    expect_command("vllm serve 'my --max-model-len m' --max-model-len \"9\"",
                   "--max-model-len 4",
                   "vllm serve 'my --max-model-len m' --max-model-len \"4\"");
    expect_command("vllm serve m --max-model-len='9'", "--max-model-len 4",
                   "vllm serve m --max-model-len='4'");
}

static void continuations_stay(void **state) {
    (void)state;
    expect_command("vllm serve m \\\n    --max-model-len 9 \\\n    --port 1",
                   "--max-model-len 4",
                   "vllm serve m \\\n    --max-model-len 4 \\\n    --port 1");
    expect_command("vllm serve m \\\n    --port 1 \\\n",
                   "--enforce-eager",
                   "vllm serve m \\\n    --port 1 \\\n    --enforce-eager");
}

static void what_is_missing_is_appended(void **state) {
    (void)state;
    expect_command("vllm serve m", "--max-model-len 4",
                   "vllm serve m --max-model-len 4");
    expect_command("vllm serve m --enforce-eager", "--enforce-eager",
                   "vllm serve m --enforce-eager");
}

static void variables_go_in_front(void **state) {
    (void)state;
    expect_command("python train.py", "NAME=value",
                   "NAME=value python train.py");
    expect_command("NAME=old python train.py", "NAME=value",
                   "NAME=value python train.py");
}

static void containers_take_variables_by_an_option(void **state) {
    (void)state;
    expect_command("docker run --gpus all vllm/vllm-openai --port 1", "A=b",
                   "docker run -e A=b --gpus all vllm/vllm-openai --port 1");
    expect_command("podman container run i/m --port 1", "A=b",
                   "podman container run -e A=b i/m --port 1");
    expect_command("docker ps", "A=b", "A=b docker ps");
}

static void what_follows_an_image_is_known_for_it(void **state) {
    (void)state;
    assert_true(command_is_arguments(STR("vllm/vllm-openai:v1 \\\n --x 1")));
    assert_false(command_is_arguments(STR("vllm serve org/model --x 1")));
    assert_false(command_is_arguments(STR("/usr/bin/python3 -m vllm")));
    assert_false(command_is_arguments(STR("docker run vllm/vllm-openai")));
    assert_false(command_is_image_alone(STR("i/m:v1 \\\n --x 1")));
    assert_true(command_is_image_alone(STR("i/m:v1")));
    assert_true(command_is_image_alone(STR("i/m:v1 from the registry")));
}

static void odd_commands_do_no_harm(void **state) {
    (void)state;
    expect_command("", "--max-model-len 4", " --max-model-len 4");
    expect_command("vllm 'unclosed --max-model-len", "--max-model-len 4",
                   "vllm 'unclosed --max-model-len --max-model-len 4");
    expect_command("vllm --max-model-len", "--max-model-len 4",
                   "vllm --max-model-len --max-model-len 4");
}

static void only_settings_stand_on_a_command_line(void **state) {
    (void)state;
    assert_true(setting_is_flag(STR("--max-model-len 4096")));
    assert_true(setting_is_flag(STR("PYTORCH_ALLOC_CONF=x:True")));
    assert_false(setting_is_flag(STR("--max-model-len <max_model_len>")));
    assert_false(setting_is_flag(STR("nvidia-smi --format=csv")));
    assert_false(setting_is_flag(STR("sync; echo 3")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_replaced),
        cmocka_unit_test(other_spellings_are_found),
        cmocka_unit_test(quotes_stay),
        cmocka_unit_test(continuations_stay),
        cmocka_unit_test(what_is_missing_is_appended),
        cmocka_unit_test(variables_go_in_front),
        cmocka_unit_test(containers_take_variables_by_an_option),
        cmocka_unit_test(what_follows_an_image_is_known_for_it),
        cmocka_unit_test(odd_commands_do_no_harm),
        cmocka_unit_test(only_settings_stand_on_a_command_line),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
