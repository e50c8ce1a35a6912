/* One message in every frame it may come in. */
#include "log/frame_rows.h"
#include "log/record.h"
#include "reading.h"

#include <stdio.h>

#define SAID "CUDA out of memory. Tried to allocate 2.00 GiB."

struct framed {
    const char *input, *expected;
};

static const struct framed carried[] = {
    {SAID "\n", "1 " SAID "\n"},
    {"{\"log\":\"" SAID "\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-02T03:"
     "04:05.1Z\"}\n",
     "1 " SAID "\n"},
    {"2026-01-02T03:04:05.123456789Z stdout F " SAID "\n", "1 " SAID "\n"},
    {"2026-01-02T03:04:05.123456789+08:00 stderr F " SAID "\n",
     "1 " SAID "\n"},
    {"[pod/llm-0/server] " SAID "\n", "1 {-1/-1/llm-0/server/}" SAID "\n"},
    {"llm-1  | " SAID "\n", "1 {-1/-1//llm-1/}" SAID "\n"},
    {"server     | " SAID "\n", "1 {-1/-1//server/}" SAID "\n"},
    {"Jan  2 03:04:05 box llm[77]: " SAID "\n", "1 {-1/77///llm}" SAID "\n"},
    {"Jan 12 03:04:05 box kernel: [12345.678901] " SAID "\n",
     "1 {-1/-1///kernel}" SAID "\n"},
    {"2026-01-02T03:04:05+0000 box llm[77]: " SAID "\n",
     "1 {-1/77///llm}" SAID "\n"},
    {"[12345.678901] " SAID "\n", "1 " SAID "\n"},
    {"[Fri Jan  2 03:04:05 2026] " SAID "\n", "1 " SAID "\n"},
    {"2026-01-02T03:04:05.1234567Z " SAID "\n", "1 " SAID "\n"},
    {"> " SAID "\n", "1 " SAID "\n"},
    {">> " SAID "\n", "1 " SAID "\n"},
    {"> > " SAID "\n", "1 " SAID "\n"},
    {"# " SAID "\n", "1 " SAID "\n"},
    {"<3>" SAID "\n", "1 " SAID "\n"},
    {"<3>[   12.345678] " SAID "\n", "1 " SAID "\n"},
};

/* Marks are believed behind a line that began so, or before what only a program
 * writes. */
static const struct framed quoted[] = {
    {"// one\n// two\n", "1 // one\n2 two\n"},
    {"rem one\nrem\nrem  two\n", "1 rem one\n2 \n3  two\n"},
    {"  | one\n  | two\n", "1   | one\n2 two\n"},
    {"-- one\n# two\n", "1 -- one\n2 # two\n"},
    {"// one\ntwo\n// three\n", "1 // one\n2 two\n3 // three\n"},
    {"* RuntimeError: no\n", "1 RuntimeError: no\n"},
    {"// Traceback (most recent call last):\n",
     "1!Traceback (most recent call last):\n"},
    {"| a | b |\n| c | d |\n", "1 | a | b |\n2 | c | d |\n"},
    {"| |  0  C  python |\n| |  1  C  python |\n",
     "1 | |  0  C  python |\n2 |  1  C  python |\n"},
    {"a | b | RuntimeError: no\n", "1 RuntimeError: no\n"},
    {"pod worker | CUDA error: no\n",
     "1 CUDA error: no\n"},
    {"pod worker | one\npod worker | two\n",
     "1 pod worker | one\n2 two\n"},
};

/* Where a handler sets the place in the code at the right edge. */
static const struct framed with_margin[] = {
    {"ERROR    CUDA out of memory.        batch.py:47\n"
     "         Tried to allocate 2.00 GiB.\n",
     "1 ERROR    CUDA out of memory.\n2          Tried to allocate 2.00 GiB.\n"},
    {"ERROR    CUDA out of memory.        batch.py:47 Tried to\n",
     "1 ERROR    CUDA out of memory.\n1 Tried to\n"},
    {"2026-01-02 03:04:05,123 ERROR " SAID " a-b.c.py:4711\n",
     "1!" SAID "\n"},
    {SAID "  batch.py:47\n", "1 " SAID "\n"},
    {"it failed in batch.py:47\n", "1 it failed in batch.py:47\n"},
    {"it failed  batch.py:47: bad\n", "1 it failed  batch.py:47: bad\n"},
    {"  batch.py:47\n", "1   batch.py:47\n"},
    {"it failed  (batch.py:47)\n", "1 it failed  (batch.py:47)\n"},
    {"it failed  .py:47\n", "1 it failed  .py:47\n"},
};

static const struct framed said_by[] = {
    {"[rank0]: " SAID "\n", "1 {0/-1///}" SAID "\n"},
    {"[rank 3] " SAID "\n", "1 {3/-1///}" SAID "\n"},
    {"[Rank 3]: " SAID "\n", "1 {3/-1///}" SAID "\n"},
    {"rank12: " SAID "\n", "1 {12/-1///}" SAID "\n"},
    {"[default5]:" SAID "\n", "1 {5/-1///}" SAID "\n"},
    {"[1,6]<stderr>:" SAID "\n", "1 {6/-1///}" SAID "\n"},
    {"(pid=123) " SAID "\n", "1 {-1/123///}" SAID "\n"},
    {"(RayWorkerWrapper pid=402, ip=192.0.2.7) " SAID "\n",
     "1 {-1/402///RayWorkerWrapper}" SAID "\n"},
    {"(EngineCore_DP0 pid=645) " SAID "\n",
     "1 {-1/645///EngineCore_DP0}" SAID "\n"},
    {"(VllmWorker rank=1 pid=645) " SAID "\n",
     "1 {1/645///VllmWorker}" SAID "\n"},
    {"(raylet) " SAID "\n", "1 {-1/-1///raylet}" SAID "\n"},
    {"[2026-01-02 03:04:05 DP1 TP3] " SAID "\n",
     "1!{3/-1///DP1 TP3}" SAID "\n"},
};

static const char *const recorded[] = {
    "ERROR 06-30 13:53:19 [core.py:515] " SAID "\n",
    "ERROR 06-30 13:53:19 core.py:515] " SAID "\n",
    "2026-01-02 03:04:05,123 - llm.worker - ERROR - " SAID "\n",
    "2026-01-02 03:04:05,123 - ERROR - " SAID "\n",
    "2026-01-02 03:04:05,123 ERROR " SAID "\n",
    "2026/01/02 03:04:05 " SAID "\n",
    "[2026-01-02 03:04:05] " SAID "\n",
    "[2026-01-02T03:04:05Z] " SAID "\n",
    "[2026-01-02 03:04:05,123] [ERROR] [engine.py:12:step] " SAID "\n",
    "2026-01-02 03:04:05.123 | ERROR    | llm.run:step:12 - " SAID "\n",
    "2026-01-02T03:04:05.123456Z ERROR " SAID "\n",
    "[ERROR|trainer.py:12] 2026-01-02 03:04:05,123 >> " SAID "\n",
    "E0102 03:04:05.123456  4711 " SAID "\n",
    "ERROR:    " SAID "\n",
    "ERROR:llm.worker:" SAID "\n",
    "[01/02/2026-03:04:05] " SAID "\n",
    "{\"level\":\"error\",\"message\":\"" SAID "\"}\n",
    "{\"ts\":1.5,\"msg\":\"" SAID "\"}\n",
    "{\"timestamp\":\"x\",\"fields\":{\"message\":\"" SAID "\"}}\n",
    "{\"level\":\"error\",\"message\":\"\\u001b[31m" SAID "\\u001b[0m\"}\n",
};

/* Is the sample of the row all that goes, and does the row take a part? */
static bool takes_sample(const struct frames *frames, size_t row,
                         const char *message) {
    char line[256];
    int n = snprintf(line, sizeof line, "%s%s", frame_rows[row].sample,
                     message);
    struct str whole = {line, (size_t)n};
    struct frame f = {.frames = frames, .whole = whole, .text = whole,
                      .who = {.rank = -1, .pid = -1}};
    frame_strip(&f);
    return (f.rows >> row & 1) != 0 && str_eq(f.text, str_of(message));
}

static void every_row_takes_its_sample(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct frames *frames = frames_new(&a);
    for (size_t i = 0; frame_rows[i].name != NULL; i++)
        if (!takes_sample(frames, i, "torch.OutOfMemoryError: " SAID) &&
            !takes_sample(frames, i, "{\"message\": \"" SAID "\"}"))
            fail_msg("%s: \"%s\"", frame_rows[i].name, frame_rows[i].sample);
    arena_free(&a);
}

/* In an object of each shape, with the key for the '?'. */
static void expect_key(const char *shape, const char *key, const char *lines) {
    char line[256];
    const char *place = strchr(shape, '?');
    snprintf(line, sizeof line, "%.*s%s%s\n", (int)(place - shape), shape, key,
             place + 1);
    expect_lines(line, lines);
}

static void every_key_of_json_is_read(void **state) {
    (void)state;
    static const struct {
        const char *shape, *lines;
    } of_role[RECORD_ROLES] = {
        [RECORD_MESSAGE] = {"{\"?\":\"" SAID "\"}", "1!" SAID "\n"},
        [RECORD_TIMED_MESSAGE] = {"{\"ts\":7,\"?\":\"" SAID "\"}",
                                  "1!" SAID "\n"},
        [RECORD_TIME] = {"{\"?\":7,\"line\":\"" SAID "\"}",
                         "1!" SAID "\n"},
        [RECORD_PROSE] = {"{\"msg\":\"failed\",\"?\":\"" SAID "\"}",
                          "1!failed\n1 " SAID "\n"},
        [RECORD_NEST] = {"{\"?\":{\"msg\":\"" SAID "\"}}",
                         "1!" SAID "\n"},
    };
    for (int role = 0; role < RECORD_ROLES; role++)
        for (size_t i = 0; record_keys[role][i] != NULL; i++)
            expect_key(of_role[role].shape, record_keys[role][i],
                       of_role[role].lines);
}

static void carriers_leave_the_message(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++)
        expect_streams(carried[i].input, carried[i].expected);
}

static void a_place_at_the_right_edge_goes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof with_margin / sizeof with_margin[0]; i++)
        expect_lines(with_margin[i].input, with_margin[i].expected);
}

static void what_repeats_is_a_prefix(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof quoted / sizeof quoted[0]; i++)
        expect_lines(quoted[i].input, quoted[i].expected);
}

static void ranks_and_processes_name_the_stream(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof said_by / sizeof said_by[0]; i++)
        expect_streams(said_by[i].input, said_by[i].expected);
}

static void loggers_begin_a_record(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++)
        expect_streams(recorded[i], "1!" SAID "\n");
}

static void frames_nest(void **state) {
    (void)state;
    expect_streams("{\"log\":\"(Worker_TP1 pid=9) ERROR 06-30 13:53:19 "
                   "[core.py:515] " SAID "\\n\",\"stream\":\"stderr\"}\n",
                   "1!{-1/9///Worker_TP1}" SAID "\n");
    expect_streams("> [pod/a/b] 2026-01-02T03:04:05Z [rank1]: " SAID "\n",
                   "1!{1/-1/a/b/}" SAID "\n");
    expect_streams("{\"log\":\"{\\\"message\\\":\\\"" SAID
                   "\\\",\\\"level\\\":\\\"x\\\"}\\n\",\"stream\":\"x\"}\n",
                   "1!" SAID "\n");
}

static void what_is_set_in_below_a_carrier_goes_on(void **state) {
    (void)state;
    expect_streams("Aug 01 18:01:30 node7 kernel: Killed process 9 (cicc)\n"
                   "    total-vm:10kB\n"
                   "\tanon-rss:7kB\n"
                   "not set in\n"
                   "  set in below nothing carried\n",
                   "1 {-1/-1///kernel}Killed process 9 (cicc)\n"
                   "2 {-1/-1///kernel}    total-vm:10kB\n"
                   "3 {-1/-1///kernel}\tanon-rss:7kB\n"
                   "4 not set in\n"
                   "5   set in below nothing carried\n");
}

static void a_record_broken_by_hand_goes_on(void **state) {
    (void)state;
    expect_streams("(EngineCore pid=81) ValueError: the longest request\n"
                   "  (16384) needs 3.0 GiB, above the\n"
                   "  0.18 GiB of the cache.\n"
                   "Started server\n"
                   "  set in below nothing\n",
                   "1 {-1/81///EngineCore}ValueError: the longest request\n"
                   "2 {-1/81///EngineCore}  (16384) needs 3.0 GiB, above the\n"
                   "3 {-1/81///EngineCore}  0.18 GiB of the cache.\n"
                   "4 Started server\n"
                   "5   set in below nothing\n");
    /* a traceback of the process that prints without a name */
    expect_streams("Traceback (most recent call last):\n"
                   "  File \"serve.py\", line 3, in main\n"
                   "(EngineCore pid=81) shutting down\n"
                   "    run(server)\n"
                   "(EngineCore pid=81) done\n"
                   "  File \"run.py\", line 9, in run\n",
                   "1!Traceback (most recent call last):\n"
                   "2   File \"serve.py\", line 3, in main\n"
                   "3 {-1/81///EngineCore}shutting down\n"
                   "4     run(server)\n"
                   "5 {-1/81///EngineCore}done\n"
                   "6   File \"run.py\", line 9, in run\n");
}

static void text_that_looks_like_a_frame_stays(void **state) {
    (void)state;
    static const char *const texts[] = {
        "# GPU blocks: 123, # CPU blocks: 456",
        "# of retries: 3",
        "// of retries",
        "* one",
        "ls | grep x",
        "<3 hugs",
        "<500>x",
        ">>> import torch",
        "(raylet 7) is not a frame",
        "3: not a rank without proof",
        "model | size",
        "|   0  N/A  N/A     12345      C   python   20480MiB |",
        "[real] brackets: kept",
        "{\"error\":7,\"messages\":[\"x\"]}",
        "GPU 0 has a total capacity of 23.69 GiB",
        "ERROR: Could not install packages due to an OSError",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct reading r = {.input = str_of(texts[i])};
        assert_int_equal(run_reading(&r), FAIL_NONE);
        struct str out = str_slice(buf_str(&r.lines), 2, r.lines.n - 3);
        assert_true(str_eq(out, r.input));
        close_reading(&r);
    }
}

static void one_record_of_vllm_begins_once(void **state) {
    (void)state;
    expect_lines("ERROR 06-30 13:53:19 [core.py:515] first\n"
                 "ERROR 06-30 13:53:19 [core.py:515]     indented\n"
                 "ERROR 06-30 13:53:20 [core.py:515] next\n",
                 "1!first\n2     indented\n3!next\n");
}

static void tracebacks_are_records_and_keep_indentation(void **state) {
    (void)state;
    expect_lines("[rank0]: Traceback (most recent call last):\n"
                 "[rank0]:   File \"x.py\", line 1, in f\n",
                 "1!Traceback (most recent call last):\n"
                 "2   File \"x.py\", line 1, in f\n");
}

static void slurm_labels_are_believed_after_proof(void **state) {
    (void)state;
    expect_streams("3: before proof\n3: Traceback (most recent call last):\n"
                   "4: RuntimeError: x\n",
                   "1 3: before proof\n"
                   "2!{3/-1///}Traceback (most recent call last):\n"
                   "3 {4/-1///}RuntimeError: x\n");
}

static void carriers_cuts_are_joined(void **state) {
    (void)state;
    expect_streams("2026-01-02T03:04:05.1Z stdout P (W pid=1) CUDA out of me\n"
                   "2026-01-02T03:04:05.1Z stderr F other\n"
                   "2026-01-02T03:04:05.1Z stdout F mory: 1\n"
                   "2026-01-02T03:04:05.1Z stdout F next\n",
                   "1 {-1/1///W}CUDA out of me\n2 other\n"
                   "3+{-1/1///W}mory: 1\n4 next\n");
    expect_lines("{\"log\":\"CUDA out of me\",\"stream\":\"stdout\"}\n"
                 "{\"log\":\"mory\\n\",\"stream\":\"stdout\"}\n"
                 "{\"log\":\"next\\n\",\"stream\":\"stdout\"}\n",
                 "1 CUDA out of me\n2+mory\n3 next\n");
}

static void json_of_several_lines_keeps_its_number(void **state) {
    (void)state;
    expect_lines("{\"msg\":\"failed\",\"traceback\":\"Traceback (most recent "
                 "call last):\\n  File \\\"x\\\"\"}\nnext\n",
                 "1!failed\n1!Traceback (most recent call last):\n"
                 "1   File \"x\"\n2 next\n");
}

static void what_is_no_log_is_named(void **state) {
    (void)state;
    struct reading r = {.input = STR("PK\x03\x04\n\nCUDA out of memory\n")};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_int_equal(r.stats.kind, LOG_KIND_zip);
    assert_int_equal(r.stats.lines, 0);
    close_reading(&r);
}

static void a_log_inside_a_json_string_is_read(void **state) {
    (void)state;
    expect_lines("{\"id\": 7, \"stderr\": \"one\\n\\t\\\"two\\\"\\n\"}\n",
                 "1 {\"id\": 7, \"stderr\": \"\n1 one\n1 \t\"two\"\n1 \"}\n");
    expect_lines("  \"body\": \"\\u4e2d\\nRuntimeError: no\",\n",
                 "1   \"body\": \"\n1 \xE4\xB8\xAD\n1 RuntimeError: no\n1 \",\n");
    expect_lines("  \"one\": \"of one line\"\n", "1   \"one\": \"of one line\"\n");
    expect_lines("  \"path\": \"C:\\new\\node\"\n",
                 "1   \"path\": \"C:\\new\\node\"\n");
    expect_lines("\"log\": \"cut of", "1 \"log\": \"cut of\n");
    expect_lines("\"log\": \"one\\ntwo", "1 \"log\": \"\n1 one\n1 two\n");
}

static void messages_inside_repr_are_unfolded(void **state) {
    (void)state;
    expect_lines("RuntimeError('CUDA out of memory.\\nTried to \\'x\\'')\n",
                 "1 RuntimeError('CUDA out of memory.\n1 Tried to 'x'')\n");
    expect_lines("x = 'Traceback (most recent call last):\\n  File'\n",
                 "1 x = 'Traceback (most recent call last):\n1   File'\n");
    expect_lines("open C:\\new\\node failed\n",
                 "1 open C:\\new\\node failed\n");
    expect_lines("dir\\name stays\n", "1 dir\\name stays\n");
    expect_lines("error=\"out of memory\\nggml_gallocr_reserve_n: failed\"\n",
                 "1 error=\"out of memory\n1 ggml_gallocr_reserve_n: failed\"\n");
}

static void ranks_interleave(void **state) {
    (void)state;
    struct reading r = {.input = STR("[rank1]: a\n[rank0]: b\n[rank1]: c\n")};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_int_equal(log_stream_count(r.reader), 3);
    assert_int_equal(log_streams(r.reader)[1].rank, 1);
    assert_int_equal(log_streams(r.reader)[2].rank, 0);
    close_reading(&r);
}

static void streams_are_bounded(void **state) {
    (void)state;
    struct buf input;
    buf_init(&input, NULL, 0);
    for (int i = 0; i < 3 * LOG_STREAMS_MAX; i++)
        buf_printf(&input, "(W pid=%d) hello\n", i);
    struct reading r = {.input = buf_str(&input)};
    assert_int_equal(run_reading(&r), FAIL_NONE);
    assert_int_equal(log_stream_count(r.reader), LOG_STREAMS_MAX);
    close_reading(&r);
    buf_free(&input);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_takes_its_sample),
        cmocka_unit_test(every_key_of_json_is_read),
        cmocka_unit_test(a_place_at_the_right_edge_goes),
        cmocka_unit_test(carriers_leave_the_message),
        cmocka_unit_test(what_repeats_is_a_prefix),
        cmocka_unit_test(ranks_and_processes_name_the_stream),
        cmocka_unit_test(loggers_begin_a_record),
        cmocka_unit_test(frames_nest),
        cmocka_unit_test(text_that_looks_like_a_frame_stays),
        cmocka_unit_test(one_record_of_vllm_begins_once),
        cmocka_unit_test(tracebacks_are_records_and_keep_indentation),
        cmocka_unit_test(slurm_labels_are_believed_after_proof),
        cmocka_unit_test(what_is_set_in_below_a_carrier_goes_on),
        cmocka_unit_test(a_record_broken_by_hand_goes_on),
        cmocka_unit_test(carriers_cuts_are_joined),
        cmocka_unit_test(json_of_several_lines_keeps_its_number),
        cmocka_unit_test(what_is_no_log_is_named),
        cmocka_unit_test(a_log_inside_a_json_string_is_read),
        cmocka_unit_test(messages_inside_repr_are_unfolded),
        cmocka_unit_test(ranks_interleave),
        cmocka_unit_test(streams_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
