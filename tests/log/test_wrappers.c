/* test_wrappers.c: every wrapper that logs come in, round several failures.
 * Framed, framed by two ranks in turn, wrapped before or behind the frame, at
 * blanks or inside of words: the text that comes out is what went in, and one
 * stream says it. */
#include "reading.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what is said ---- */

static const char *const failures[] = {
    "Traceback (most recent call last):\n"
    "  File \"/opt/app/train.py\", line 88, in <module>\n"
    "    loss.backward()\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
    "GPU 0 has a total capacity of 23.69 GiB of which 1.12 GiB is free. "
    "Including non-PyTorch memory, this process has 22.50 GiB memory in use.",

    "Traceback (most recent call last):\n"
    "ValueError: To serve at least one request with the models's max seq len "
    "(32768), (8.0 GiB KV cache is needed, which is larger than the available "
    "KV cache memory (5.31 GiB). Based on the available memory, the estimated "
    "maximum model length is 21744.",

    "Traceback (most recent call last):\n"
    "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory "
    "while trying to allocate 17179869184 bytes.\n"
    "BufferAssignment OOM Debugging.",

    "Traceback (most recent call last):\n"
    "RuntimeError: Not enough memory. Please try to increase "
    "--mem-fraction-static.\n"
    "Killed",
};

/* ---- who says it ---- */

enum form {
    PREFIX, /* %d: the rank */
    JSON_OF /* %s: the line, escaped */
};

struct wrapper {
    const char *name;
    enum form form;
    const char *before; /* may hold one %d */
    bool names;         /* with another number it is another stream */
};

static const struct wrapper wrappers[] = {
    {"SGLang", PREFIX, "[2026-01-01 00:00:00 TP%d] ", true},
    {"SGLang, data parallel", PREFIX, "[2026-01-01 00:00:00 DP%d TP0] ", true},
    {"SGLang, all", PREFIX, "[2026-01-01 00:00:00 DP0 PP1 TP%d EP2] ", true},
    {"SGLang, pipeline", PREFIX, "[2026-01-01 00:00:00 PP%d] ", true},
    {"torchrun", PREFIX, "[default%d]:", true},
    {"PyTorch", PREFIX, "[rank%d]: ", true},
    {"PyTorch without a blank", PREFIX, "[rank%d]:", true},
    {"Megatron", PREFIX, "[Rank %d] ", true},
    {"Lightning", PREFIX, "[rank: %d] ", true},
    {"a logger's clock", PREFIX, "[2026-01-01 00:00:00] ", false},
    {"a clock alone", PREFIX, "00:00:00 ", false},
    {"vLLM's core", PREFIX, "(EngineCore_%d pid=123) ", true},
    {"vLLM's core, data parallel", PREFIX, "(EngineCore_DP%d pid=7) ", true},
    {"vLLM's worker", PREFIX, "(Worker_TP%d pid=12) ", true},
    {"vLLM's record", PREFIX,
     "(EngineCore_%d pid=1) ERROR 01-01 00:00:00 [core.py:515] ", true},
    {"Ray", PREFIX, "(RayWorkerWrapper pid=40%d, ip=10.0.0.2) ", true},
    {"Ray without a name", PREFIX, "(pid=40%d) ", true},
    {"SkyPilot", PREFIX, "(worker1, rank=%d, pid=1234, ip=10.0.0.2) ", true},
    {"pdsh", PREFIX, "node%d: ", true},
    {"pdsh with a domain", PREFIX, "worker-%d.gpu.example.com: ", true},
    {"pdsh and PyTorch", PREFIX, "10.0.0.12: [rank%d]: ", true},
    {"srun", PREFIX, "%d: ", true},
    {"srun, set to the right", PREFIX, " %d: ", true},
    {"mpirun", PREFIX, "[1,%d]<stderr>:", true},
    {"mpirun 5", PREFIX, "[prterun-node1-77@1,%d]<stderr>: ", true},
    {"SageMaker", PREFIX, "[1,mpirank:%d,algo-1]<stderr>:", true},
    {"Horovod", PREFIX, "[%d]<stderr>:", true},
    {"MPICH", PREFIX, "[%d] ", true},
    {"kubectl", PREFIX, "[pod/llm-%d/server] ", true},
    {"kubectl with times", PREFIX,
     "[pod/llm-%d/server] 2026-01-01T00:00:00.123456789Z ", true},
    {"stern", PREFIX, "llm-%d server ", true},
    {"docker compose", PREFIX, "web-%d  | ", true},
    {"docker compose with times", PREFIX,
     "web-%d  | 2026-01-01T00:00:00.123456789Z ", true},
    {"foreman", PREFIX, "00:00:00 web.%d   | ", true},
    {"pm2", PREFIX, "%d|llm     | ", false},
    {"CRI", PREFIX, "2026-01-01T00:00:00.123456789Z stderr F ", false},
    {"journald", PREFIX, "Jan 01 00:00:00 host llm[77%d]: ", true},
    {"journald, ISO", PREFIX, "2026-01-01T00:00:00+0000 host llm[7%d]: ", true},
    {"syslog", PREFIX, "<13>Jan 01 00:00:00 host llm[77%d]: ", true},
    {"syslog 5424", PREFIX,
     "<13>1 2026-01-01T00:00:00.123Z host llm 77%d - - ", true},
    {"GitHub Actions", PREFIX, "2026-01-01T00:00:00.1234567Z ", false},
    {"gh run view", PREFIX, "gpu-%d\tRun tests\t2026-01-01T00:00:00.1234567Z ",
     true},
    {"Heroku", PREFIX, "2026-01-01T00:00:00.123456+00:00 app[web.%d]: ", true},
    {"aws logs tail", PREFIX, "2026-01-01T00:00:00.123000+00:00 llm/main/0a%d ",
     true},
    {"logcli", PREFIX, "2026-01-01T00:00:00Z {app=\"llm\", pod=\"x-%d\"} ",
     true},
    {"a quote", PREFIX, "> ", false},
    {"a comment", PREFIX, "# ", false},
    {"grep", PREFIX, "logs/train-%d.log:", true},
    {"torchx", PREFIX, "trainer/%d ", true},
    {"docker", JSON_OF,
     "{\"log\":\"%s\\n\",\"stream\":\"stderr\",\"time\":\"2026\"}", false},
    {"fluentd", JSON_OF,
     "{\"log\":\"%s\",\"stream\":\"stderr\",\"kubernetes\":{\"pod_name\":"
     "\"p\"}}", false},
    {"journalctl -o json", JSON_OF,
     "{\"MESSAGE\":\"%s\",\"_PID\":\"7\",\"PRIORITY\":\"3\"}", false},
    {"CloudWatch", JSON_OF,
     "{\"timestamp\":1767225600000,\"message\":\"%s\",\"logStreamName\":"
     "\"s\"}", false},
    {"CloudWatch Insights", JSON_OF,
     "{\"@timestamp\":\"2026-01-01 00:00:00.000\",\"@message\":\"%s\"}", false},
    {"Datadog", JSON_OF,
     "{\"ddsource\":\"python\",\"service\":\"llm\",\"status\":\"error\","
     "\"message\":\"%s\"}", false},
    {"Datadog's export", JSON_OF,
     "{\"id\":\"x\",\"attributes\":{\"message\":\"%s\",\"host\":\"h\"}}",
     false},
    {"Google Cloud", JSON_OF, "{\"textPayload\":\"%s\",\"insertId\":\"x\"}",
     false},
    {"Loki", JSON_OF, "{\"line\":\"%s\",\"timestamp\":\"2026\"}", false},
    {"Elastic", JSON_OF, "{\"_index\":\"x\",\"_source\":{\"message\":\"%s\"}}",
     false},
    {"OpenTelemetry", JSON_OF,
     "{\"body\":{\"stringValue\":\"%s\"},\"severityText\":\"ERROR\"}", false},
    {"Splunk", JSON_OF, "{\"preview\":false,\"result\":{\"_raw\":\"%s\"}}",
     false},
    {"Azure", JSON_OF, "{\"TimeGenerated\":\"x\",\"LogEntry\":\"%s\"}", false},
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void put_number(struct buf *out, const char *before, int number) {
    const char *place = strstr(before, "%d");
    if (place == NULL) {
        buf_add(out, str_of(before));
        return;
    }
    buf_add(out, (struct str){before, (size_t)(place - before)});
    buf_printf(out, "%d%s", number, place + 2);
}

static void put_escaped(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"' || s.p[i] == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, s.p[i]);
    }
}

static void put_framed(struct buf *out, const struct wrapper *w, int number,
                       struct str line) {
    if (w->form == PREFIX) {
        put_number(out, w->before, number);
        buf_add(out, line);
    } else {
        const char *place = strstr(w->before, "%s");
        buf_add(out, (struct str){w->before, (size_t)(place - w->before)});
        put_escaped(out, line);
        buf_add(out, str_of(place + 2));
    }
    buf_add_char(out, '\n');
}

/* ---- wrapped ---- */

struct cut {
    const char *name;
    size_t width; /* 0: none */
    bool is_hard;
};

static const struct cut cuts[] = {
    {"whole", 0, false},       {"folded at 80", 80, false},
    {"folded at 100", 100, false}, {"folded at 120", 120, false},
    {"cut at 80", 80, true},   {"cut at 100", 100, true},
    {"cut at 120", 120, true},
};

/* The most of line that fits; what is taken and what is left. */
static struct str take_piece(const struct cut *cut, struct str *line) {
    struct str piece = *line;
    size_t n = cut->width;
    if (n == 0 || line->n <= n) {
        *line = STR("");
        return piece;
    }
    while (!cut->is_hard && n > 0 && line->p[n] != ' ')
        n--;
    piece = str_slice(*line, 0, n);
    *line = str_slice(*line, n + !cut->is_hard, line->n);
    return piece;
}

static void put_cut(struct buf *out, const struct cut *cut, struct str text) {
    while (text.n > 0) {
        struct str line = str_cut(text, '\n', &text);
        do {
            buf_add(out, take_piece(cut, &line));
            buf_add_char(out, '\n');
        } while (line.n > 0);
    }
}

static void put_all_framed(struct buf *out, const struct wrapper *w,
                           struct str text) {
    while (text.n > 0)
        put_framed(out, w, 3, str_cut(text, '\n', &text));
}

/* ---- what comes out ---- */

struct heard {
    struct log_reader *reader;
    struct buf text;  /* lines apart by '\n', but for those joined */
    struct buf other; /* of whoever else speaks */
    uint32_t stream, other_stream;
    bool is_begun, is_other_begun;
};

static void put_line(struct buf *to, const struct line *line) {
    if (to->n > 0 && !line->is_joined)
        buf_add_char(to, '\n');
    buf_add(to, line->text);
}

static void hear(void *ctx, const struct line *line) {
    struct heard *h = ctx;
    if (!h->is_begun) {
        h->stream = line->stream;
        h->is_begun = true;
    } else if (line->stream != h->stream && !h->is_other_begun) {
        h->other_stream = line->stream;
        h->is_other_begun = true;
    }
    put_line(line->stream == h->stream ? &h->text : &h->other, line);
}

struct listening {
    struct arena arena;
    struct str input;
    struct heard heard;
};

static void listen(void *arg) {
    struct listening *l = arg;
    l->heard.reader = log_open(&l->arena, log_tables_new(&l->arena), 0, hear, &l->heard);
    log_feed(l->heard.reader, l->input);
    log_end(l->heard.reader);
}

static void hear_all(struct listening *l, struct str input) {
    *l = (struct listening){.input = input};
    arena_init(&l->arena, NULL, 0);
    buf_init(&l->heard.text, NULL, 0);
    buf_init(&l->heard.other, NULL, 0);
    assert_int_equal(arena_guard(&l->arena, listen, l, NULL), FAIL_NONE);
}

static void close_listening(struct listening *l) {
    buf_free(&l->heard.text);
    buf_free(&l->heard.other);
    arena_free(&l->arena);
}

/* As a pattern sees it: a blank is any run of blanks and newlines. */
static struct str words_of(struct str s, struct buf *out) {
    buf_clear(out);
    for (size_t i = 0; i < s.n; i++) {
        bool is_blank = s.p[i] == ' ' || s.p[i] == '\n';
        if (!is_blank)
            buf_add_char(out, s.p[i]);
        else if (out->n > 0 && out->p[out->n - 1] != ' ')
            buf_add_char(out, ' ');
    }
    return str_trim(buf_str(out));
}

static bool says_the_same(struct str got, struct str wanted) {
    struct buf x, y;
    buf_init(&x, NULL, 0);
    buf_init(&y, NULL, 0);
    bool is_same = str_eq(words_of(got, &x), words_of(wanted, &y));
    buf_free(&x);
    buf_free(&y);
    return is_same;
}

static void expect_whole(struct str input, const char *failure,
                         const char *how, const char *who) {
    struct listening l;
    hear_all(&l, input);
    struct str got = buf_str(&l.heard.text);
    if (!says_the_same(got, str_of(failure)) || l.heard.other.n > 0)
        fail_msg("%s, %s:\n%.*s-- read as --\n%.*s\n-- and --\n%.*s", who, how,
                 STR_ARG(input), STR_ARG(got), STR_ARG(buf_str(&l.heard.other)));
    close_listening(&l);
}

/* ---- tests ---- */

typedef void (*dress_fn)(struct buf *out, const struct wrapper *w,
                         const struct cut *cut, struct str failure);

static void play(dress_fn dress, const struct wrapper *w) {
    for (size_t c = 0; c < COUNT(cuts); c++) {
        for (size_t f = 0; f < COUNT(failures); f++) {
            struct buf b;
            buf_init(&b, NULL, 0);
            dress(&b, w, &cuts[c], str_of(failures[f]));
            expect_whole(buf_str(&b), failures[f], cuts[c].name, w->name);
            buf_free(&b);
        }
    }
}

static void cut_then_frame(struct buf *out, const struct wrapper *w,
                           const struct cut *cut, struct str failure) {
    struct buf wrapped;
    buf_init(&wrapped, NULL, 0);
    put_cut(&wrapped, cut, failure);
    put_all_framed(out, w, buf_str(&wrapped));
    buf_free(&wrapped);
}

static void frame_then_cut(struct buf *out, const struct wrapper *w,
                           const struct cut *cut, struct str failure) {
    struct buf framed;
    buf_init(&framed, NULL, 0);
    put_all_framed(&framed, w, failure);
    put_cut(out, cut, buf_str(&framed));
    buf_free(&framed);
}

static void what_was_wrapped_and_then_framed_is_whole(void **state) {
    (void)state;
    for (size_t w = 0; w < COUNT(wrappers); w++)
        play(cut_then_frame, &wrappers[w]);
}

/* A tab has no width of its own, and a '#' is a comment's on each line. */
static bool is_wrapped_ever(const struct wrapper *w) {
    return strchr(w->before, '\t') == NULL && w->before[0] != '#';
}

static void what_was_framed_and_then_wrapped_is_whole(void **state) {
    (void)state;
    for (size_t w = 0; w < COUNT(wrappers); w++) {
        if (wrappers[w].form == PREFIX && is_wrapped_ever(&wrappers[w]))
            play(frame_then_cut, &wrappers[w]);
    }
}

/* The lines of two failures, each under its number, in turn. */
static void put_in_turn(struct buf *out, const struct wrapper *w,
                        struct str first, struct str second) {
    while (first.n > 0 || second.n > 0) {
        if (first.n > 0)
            put_framed(out, w, 3, str_cut(first, '\n', &first));
        if (second.n > 0)
            put_framed(out, w, 4, str_cut(second, '\n', &second));
    }
}

static void ranks_are_told_apart(void **state) {
    (void)state;
    for (size_t w = 0; w < COUNT(wrappers); w++) {
        if (!wrappers[w].names)
            continue;
        struct buf b;
        struct listening l;
        buf_init(&b, NULL, 0);
        put_in_turn(&b, &wrappers[w], str_of(failures[0]),
                    str_of(failures[3]));
        hear_all(&l, buf_str(&b));
        if (!says_the_same(buf_str(&l.heard.text), str_of(failures[0])) ||
            !says_the_same(buf_str(&l.heard.other), str_of(failures[3])))
            fail_msg("%s mixes its ranks:\n%.*s-- and --\n%.*s",
                     wrappers[w].name, STR_ARG(buf_str(&l.heard.text)),
                     STR_ARG(buf_str(&l.heard.other)));
        close_listening(&l);
        buf_free(&b);
    }
}

/* Labels prove nothing alone: these stay. */
static void labels_without_proof_stay(void **state) {
    (void)state;
    static const char *const texts[] = {
        "node7: nothing that a program alone begins with",
        "12:no line of a log", "[3] an item of a list", "gpt-2 model is used",
        "a1 | a table", "notes.log:see there", "10:47:37 was the time",
        "gpt-2/3 of it", "  12  13  14",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct listening l;
        hear_all(&l, str_of(texts[i]));
        assert_true(str_eq(buf_str(&l.heard.text), str_of(texts[i])));
        close_listening(&l);
    }
}

/* Who is not named does not go on with whoever spoke last. */
static void short_lines_are_nobodys(void **state) {
    (void)state;
    expect_streams("[rank0]: torch.OutOfMemoryError: CUDA out of memory.\n"
                   "the launcher says so\n",
                   "1 {0/-1///}torch.OutOfMemoryError: CUDA out of memory.\n"
                   "2 the launcher says so\n");
    expect_streams("[rank0]: a line that is rather long, but shorter than one "
                   "near, stands here\n"
                   "a launcher's own line, which shows how wide the terminal "
                   "or the file may well be\n",
                   "1 {0/-1///}a line that is rather long, but shorter than "
                   "one near, stands here\n"
                   "2 a launcher's own line, which shows how wide the terminal "
                   "or the file may well be\n");
}

static void the_next_record_of_a_second_is_its_own(void **state) {
    (void)state;
    expect_lines("[2026-01-01 00:00:00 TP0] Load weight begin.\n"
                 "[2026-01-01 00:00:00 TP0] Load weight end.\n",
                 "1!Load weight begin.\n2!Load weight end.\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_wrapped_and_then_framed_is_whole),
        cmocka_unit_test(what_was_framed_and_then_wrapped_is_whole),
        cmocka_unit_test(ranks_are_told_apart),
        cmocka_unit_test(labels_without_proof_stay),
        cmocka_unit_test(short_lines_are_nobodys),
        cmocka_unit_test(the_next_record_of_a_second_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
