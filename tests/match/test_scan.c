/* test_scan.c: a log in, hits out: wraps, streams, pieces, messages,
 * tracebacks, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "support/corpus.h"
#include "support/patterns.h"
#include "support/sameness.h"

#define OOM                                                                \
    "CUDA out of memory\\. Tried to allocate (?<tried_alloc>(?&amount))"
#define OOM_EXTRACTS                                                       \
    {                                                                      \
        "total capacity of (?<gpu_total>(?&amount))",                      \
            "Process (?<pid>\\d+) has (?<other_in_use>(?&amount))",        \
            "and (?<pytorch_unallocated>(?&amount)) is reserved"           \
    }

static const struct pattern_spec oom_specs[] = {
    {PATTERN_SIGNATURE, OOM, OOM_EXTRACTS},
    {PATTERN_SIGNATURE, "No available memory for the cache blocks", {0}},
    {PATTERN_CONDITION, "capture_model", {0}},
    {PATTERN_CONTEXT,
     "(?<command>vllm serve (?:[^\\n\\\\]|\\\\[\\s\\S])*+)", {0}},
    {PATTERN_CONTEXT, "engine \\(v(?<engine_version>[^)\\s]+)\\) with", {0}},
    {PATTERN_STAGE, "Loading model weights took", {0}},
};
static const struct pattern_specs oom = {oom_specs, 6};

static const struct scan_result *scan(struct arena *a, const char *log) {
    return patterns_scan(a, oom, str_of(log), 0);
}

static const struct hit *only_hit(struct arena *a, const char *log) {
    const struct scan_result *r = scan(a, log);
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 1);
    return hit_of_kind(r, PATTERN_SIGNATURE, 0);
}

static void expect_capture(const struct hit *h, size_t i, enum fact_name name,
                           const char *text, uint32_t line) {
    assert_true(i < h->capture_count);
    const struct capture *c = &h->captures[i];
    if (c->name != name || !str_eq(c->text, str_of(text)) || c->line != line) {
        fail_msg("capture %zu is %s \"%.*s\" of line %u", i,
                 fact_spelling(c->name), STR_ARG(c->text), c->line);
    }
}

static void expect_lines(const struct hit *h, uint32_t first, uint32_t last,
                         uint32_t trace_first, uint32_t trace_last) {
    if (h->first_line != first || h->last_line != last ||
        h->trace_first != trace_first || h->trace_last != trace_last) {
        fail_msg("message %u-%u, traceback %u-%u", h->first_line,
                 h->last_line, h->trace_first, h->trace_last);
    }
}

/* ---- messages ---- */

static void a_message_goes_on_over_plain_lines(struct arena *a) {
    const struct hit *h = only_hit(
        a, "loading\n"
           "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
           "320.00 MiB.\n"
           "GPU 0 has a total capacity of 79.11 GiB.\n"
           "Process 389 has 5.37 GiB memory in use.\n"
           "Process 390 has 1.50 GiB memory in use.\n"
           "Of the allocated memory 43.07 GiB is allocated by PyTorch,\n"
           "and 26.44 GiB is reserved by PyTorch but unallocated.\n"
           "\n"
           "Process 99 has 1.00 GiB memory in use.\n");
    expect_lines(h, 2, 7, 2, 7);
    assert_int_equal(h->capture_count, 7);
    expect_capture(h, 0, FACT_tried_alloc, "320.00 MiB", 2);
    expect_capture(h, 1, FACT_gpu_total, "79.11 GiB", 3);
    expect_capture(h, 2, FACT_pid, "389", 4);
    expect_capture(h, 3, FACT_other_in_use, "5.37 GiB", 4);
    expect_capture(h, 4, FACT_pid, "390", 5);
    expect_capture(h, 5, FACT_other_in_use, "1.50 GiB", 5);
    expect_capture(h, 6, FACT_pytorch_unallocated, "26.44 GiB", 7);
    assert_true(str_starts(h->text, STR("CUDA out of memory.")));
    assert_true(str_ends(h->text, STR("but unallocated.")));
}

static void a_wrap_is_a_blank(struct arena *a) {
    const struct hit *h =
        only_hit(a, "x: CUDA out\n   of memory. Tried to\nallocate 320.00\n"
                    "  MiB. GPU 0 has a total\ncapacity of 79.11 GiB\n");
    expect_lines(h, 1, 5, 1, 5);
    expect_capture(h, 0, FACT_tried_alloc, "320.00 MiB", 3);
    expect_capture(h, 1, FACT_gpu_total, "79.11 GiB", 5);
}

static void two_messages_do_not_mix(struct arena *a) {
    const struct scan_result *r = scan(
        a, "A: CUDA out of memory. Tried to allocate 1.00 GiB. total capacity "
           "of 10.00 GiB B: CUDA out of memory. Tried to allocate 2.00 GiB. "
           "total capacity of 20.00 GiB\n"
           "CUDA out of memory. Tried to allocate 3.00 GiB.\n"
           "No available memory for the cache blocks\n"
           "total capacity of 30.00 GiB\n"
           "RuntimeError: CUDA out of memory. Tried to allocate 4.00 GiB.\n"
           "RuntimeError: total capacity of 40.00 GiB\n");
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 5);
    const struct hit *h = hit_of_kind(r, PATTERN_SIGNATURE, 0);
    expect_capture(h, 0, FACT_tried_alloc, "1.00 GiB", 1);
    expect_capture(h, 1, FACT_gpu_total, "10.00 GiB", 1);
    h = hit_of_kind(r, PATTERN_SIGNATURE, 1);
    expect_capture(h, 0, FACT_tried_alloc, "2.00 GiB", 1);
    expect_capture(h, 1, FACT_gpu_total, "20.00 GiB", 1);
    h = hit_of_kind(r, PATTERN_SIGNATURE, 2);
    assert_int_equal(h->capture_count, 1);
    expect_lines(h, 2, 2, 2, 2);
    expect_lines(hit_of_kind(r, PATTERN_SIGNATURE, 3), 3, 4, 3, 4);
    assert_int_equal(hit_of_kind(r, PATTERN_SIGNATURE, 4)->capture_count, 1);
}

/* Words that prove little stand in messages of others. */
static void weak_words_end_no_message(struct arena *a) {
    static const struct pattern_spec specs[] = {
        {PATTERN_SIGNATURE, OOM, OOM_EXTRACTS},
        {PATTERN_SIGNATURE, "^slab: memory", {0}},
    };
    const struct scan_result *r = patterns_scan(
        a, (struct pattern_specs){specs, 2},
        STR("CUDA out of memory. Tried to allocate 1.00 GiB.\n"
            "slab: memory allocation failed\n"
            "total capacity of 10.00 GiB\n"), 0);
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 2);
    const struct hit *h = hit_of_kind(r, PATTERN_SIGNATURE, 0);
    expect_lines(h, 1, 3, 1, 3);
    expect_capture(h, 1, FACT_gpu_total, "10.00 GiB", 3);
}

static void a_record_ends_a_message(struct arena *a) {
    const struct hit *h =
        only_hit(a, "2024-01-02 10:00:00 ERROR x: CUDA out of memory. Tried to "
                    "allocate 1.00 GiB.\n"
                    "2024-01-02 10:00:01 INFO y: total capacity of 3.00 GiB\n");
    expect_lines(h, 1, 1, 1, 1);
    assert_int_equal(h->capture_count, 1);
}

static void interleaved_ranks_keep_their_own(struct arena *a) {
    const struct scan_result *r = scan(
        a, "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to\n"
           "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to\n"
           "[rank1]: allocate 2.00 GiB. GPU 1 has a total\n"
           "[rank0]: allocate 1.00 GiB. GPU 0 has a total\n"
           "[rank0]: capacity of 10.00 GiB\n"
           "[rank1]: capacity of 20.00 GiB\n");
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 2);
    const struct hit *h = hit_of_kind(r, PATTERN_SIGNATURE, 0);
    assert_int_equal(r->streams[h->stream].rank, 0);
    expect_lines(h, 1, 5, 1, 5);
    expect_capture(h, 0, FACT_tried_alloc, "1.00 GiB", 4);
    expect_capture(h, 1, FACT_gpu_total, "10.00 GiB", 5);
    h = hit_of_kind(r, PATTERN_SIGNATURE, 1);
    assert_int_equal(r->streams[h->stream].rank, 1);
    expect_capture(h, 0, FACT_tried_alloc, "2.00 GiB", 3);
    expect_capture(h, 1, FACT_gpu_total, "20.00 GiB", 6);
}

/* ---- tracebacks ---- */

static void a_traceback_reaches_back_to_its_chain(struct arena *a) {
    const struct hit *h = only_hit(
        a, "start\n"
           "Traceback (most recent call last):\n"
           "  File \"a.py\", line 3, in f\n"
           "    return g(\n"
           "           ^^\n"
           "KeyError: 'x'\n"
           "\n"
           "During handling of the above exception, another exception "
           "occurred:\n"
           "\n"
           "Traceback (most recent call last):\n"
           "  File \"a.py\", line 9, in main\n"
           "    f()\n"
           "  [Previous line repeated 3 more times]\n"
           "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
           "1.00 GiB.\n"
           "done\n"
           "\n"
           "Traceback (most recent call last):\n"
           "  File \"b.py\", line 1, in other\n"
           "ValueError: no\n");
    expect_lines(h, 14, 15, 2, 15);
}

static void an_excerpt_begins_inside_of_frames(struct arena *a) {
    const struct hit *h = only_hit(
        a, "    self._init_cache_engine()\n"
           "  File \"worker.py\", line 269, in _init\n"
           "    self.engine = [\n"
           "                  ^\n"
           "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
           "3.44 GiB.\n");
    expect_lines(h, 5, 5, 1, 5);
}

static void frames_may_follow_their_message(struct arena *a) {
    const struct hit *h =
        only_hit(a, "torch.OutOfMemoryError: CUDA out of memory. Tried to "
                    "allocate 50.00 MiB.\n"
                    "GPU 0 has a total capacity of 23.56 GiB\n"
                    "\n"
                    "  File \"x.py\", line 855, in _prefill\n"
                    "    return self._attn(...)\n"
                    "  File \"y.py\", line 340, in _attn\n"
                    "    return f(...)\n"
                    "```\n"
                    "text\n");
    expect_lines(h, 1, 2, 1, 7);
    h = only_hit(a, "Traceback (most recent call last):\n"
                    "  File \"x.py\", line 3, in f\n"
                    "    g()\n"
                    "RuntimeError: CUDA out of memory. Tried to allocate "
                    "1.00 GiB.\n"
                    "Exception raised from malloc at x.cpp:1 (most recent "
                    "call first):\n"
                    "frame #0: c10::Error::Error() + 0x57 (0x7f in lib.so)\n"
                    "frame #1: main + 0x3 (0x7f in lib.so)\n"
                    "\n"
                    "next\n");
    expect_lines(h, 4, 4, 1, 7);
}

/* A report has headings, fences and code without its frame between them; but
 * prose between them may speak of something else. */
static void headings_may_stand_before_frames(struct arena *a) {
    const struct hit *h =
        only_hit(a, "CUDA out of memory. Tried to allocate 1.00 GiB.\n"
                    "\n"
                    "## Stack trace\n"
                    "Full log:\n"
                    "```python\n"
                    "    await process(x)\n"
                    "  File \"x.py\", line 277, in process\n"
                    "    y = f(x)\n"
                    "\n");
    expect_lines(h, 1, 1, 1, 8);
    h = only_hit(a, "CUDA out of memory. Tried to allocate 1.00 GiB.\n"
                    "\n"
                    "My other program says\n"
                    "  File \"x.py\", line 277, in process\n"
                    "    y = f(x)\n");
    expect_lines(h, 1, 1, 1, 1);
}

static void another_process_is_another_traceback(struct arena *a) {
    const struct hit *h =
        only_hit(a, "Traceback (most recent call last):\n"
                    "  File \"x.py\", line 3, in f\n"
                    "    g()\n"
                    "RuntimeError: CUDA out of memory. Tried to allocate "
                    "1.00 GiB.\n"
                    "Process EngineCore_DP0:\n"
                    "Traceback (most recent call last):\n"
                    "  File \"y.py\", line 3, in f\n");
    expect_lines(h, 4, 4, 1, 4);
    h = only_hit(a, "KeyError: 3\n"
                    "INFO 07-01 09:41:20 [core.py:1] starting\n"
                    "CUDA out of memory. Tried to allocate 1.00 GiB.\n"
                    "```\n"
                    "More words of somebody\n");
    expect_lines(h, 3, 3, 3, 3);
}

static void prefixed_tracebacks_are_one(struct arena *a) {
    const struct hit *h = only_hit(
        a, "INFO 07-01 09:41:20 [core.py:1] starting\n"
           "ERROR 07-01 09:41:21 [core.py:8] Traceback (most recent call "
           "last):\n"
           "ERROR 07-01 09:41:21 [core.py:8]   File \"w.py\", line 31, in i\n"
           "ERROR 07-01 09:41:21 [core.py:8]     raise Error(\n"
           "ERROR 07-01 09:41:21 [core.py:8] torch.OutOfMemoryError: CUDA out "
           "of memory. Tried to allocate 1.00 GiB.\n"
           "INFO 07-01 09:41:22 [core.py:9] capture_model\n");
    expect_lines(h, 5, 5, 2, 5);
}

/* A traceback longer than any window still ends where it ends. */
static void a_long_traceback_is_followed(struct arena *a) {
    struct buf log = buf_in(a, (size_t)1 << 22);
    buf_add(&log, STR("Traceback (most recent call last):\n"));
    for (int i = 0; i < 3000; i++) {
        buf_add(&log, STR("  File \"deep.py\", line 7, in recurse\n"
                          "    return recurse(n - 1)\n"));
    }
    buf_add(&log, STR("RuntimeError: CUDA out of memory. Tried to allocate "
                      "1.00 GiB.\n"));
    for (int i = 0; i < 3000; i++) {
        buf_add(&log, STR("frame #3: at::native + 0x1 (0x7f in libtorch)\n"));
    }
    buf_add(&log, STR("\n\nbye\n"));
    const struct scan_result *r = patterns_scan(a, oom, buf_str(&log), 0);
    expect_lines(hit_of_kind(r, PATTERN_SIGNATURE, 0), 6002, 6002, 5074,
                 9002); /* back 32 KiB, to a frame */
}

/* What the same process says much later belongs to no traceback of before. */
static void a_traceback_ends_where_others_talked_too_long(struct arena *a) {
    struct buf log = buf_in(a, (size_t)1 << 22);
#define SERVE "May 20 10:47:37 node7 serve[4711]: "
    buf_add(&log, STR(SERVE "Traceback (most recent call last):\n" SERVE
                            "  File \"load.py\", line 3, in load\n" SERVE
                            "OSError: no such file\n"));
    for (int i = 0; i < 1000; i++) {
        buf_add(&log, STR("May 20 10:47:37 node7 cron[9]: nothing to do in "
                          "this hour\n"));
    }
    buf_add(&log, STR(SERVE "some words\n" SERVE
                            "RuntimeError: CUDA out of memory. Tried to "
                            "allocate 1.00 GiB.\n"));
#undef SERVE
    const struct scan_result *r = patterns_scan(a, oom, buf_str(&log), 0);
    expect_lines(hit_of_kind(r, PATTERN_SIGNATURE, 0), 1005, 1005, 1005,
                 1005);
}

/* ---- what helps judge ---- */

static void context_and_stages_are_kept(struct arena *a) {
    const struct scan_result *r = scan(
        a, "$ vllm serve meta/Llama \\\n"
           "    --max-model-len 4096\n"
           "INFO: Initializing an LLM engine (v0.6.3) with config\n"
           "INFO: Loading model weights took 14 GiB\n"
           "x: CUDA out of memory. Tried to allocate 1.00 GiB.\n"
           "last words\n\n");
    assert_int_equal(hits_of_kind(r, PATTERN_CONTEXT), 2);
    const struct hit *h = hit_of_kind(r, PATTERN_CONTEXT, 0);
    assert_true(str_eq(h->command, STR("vllm serve meta/Llama \\\n"
                                       "    --max-model-len 4096")));
    expect_lines(h, 1, 2, 1, 2);
    h = hit_of_kind(r, PATTERN_CONTEXT, 1);
    expect_capture(h, 0, FACT_engine_version, "0.6.3", 3);
    assert_int_equal(hits_of_kind(r, PATTERN_STAGE), 1);
    assert_true(hit_of_kind(r, PATTERN_STAGE, 0)->order <
                hit_of_kind(r, PATTERN_SIGNATURE, 0)->order);
    assert_true(str_eq(r->last_line, STR("last words")));
    assert_int_equal(r->last_line_number, 6);
}

/* The second entry's words are there, but the condition is the first one's. */
static void nobody_asks_for_conditions_of_what_is_not_there(struct arena *a) {
    const char *log = "capture_model\n"
                      "Loading model weights took 14 GB\n"
                      "No available memory for the cache blocks\n";
    const struct scan_result *r = scan(a, log);
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 1);
    assert_int_equal(hits_of_kind(r, PATTERN_CONDITION), 0);
    assert_int_equal(hits_of_kind(r, PATTERN_STAGE), 1);
    r = scan(a, "capture_model\nLoading model weights took 14 GB\n");
    assert_int_equal(r->hits.count, 0);
}

static void of_many_the_first_and_last_are_kept(struct arena *a) {
    struct buf log = buf_in(a, (size_t)1 << 22);
    for (int i = 1; i <= 5000; i++) {
        buf_printf(&log, "step %d in capture_model\n", i);
    }
    const struct scan_result *r = patterns_scan(a, oom, buf_str(&log), 0);
    assert_int_equal(hits_of_kind(r, PATTERN_CONDITION), 0);
    buf_add(&log, STR("CUDA out of memory. Tried to allocate 2.00 GiB\n"));
    r = patterns_scan(a, oom, buf_str(&log), 0);
    assert_int_equal(hits_of_kind(r, PATTERN_CONDITION), 64);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(hit_of_kind(r, PATTERN_CONDITION, i)->first_line,
                         i < 32 ? i + 1 : 5000 - 63 + i);
    }
}

static void incidents_past_the_bound_are_counted(struct arena *a) {
    struct buf log = buf_in(a, (size_t)1 << 22);
    for (int i = 0; i < MATCH_INCIDENTS_MAX + 1; i++) {
        buf_add(&log, STR("CUDA out of memory. Tried to allocate 1 GiB\n\n"));
    }
    const struct scan_result *r = patterns_scan(a, oom, buf_str(&log), 0);
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), MATCH_INCIDENTS_MAX);
    assert_int_equal(r->uncounted, 1);
    assert_int_equal(r->uncounted_to, 2 * MATCH_INCIDENTS_MAX + 1);
    assert_int_equal(hit_of_kind(r, PATTERN_SIGNATURE, 4095)->first_line,
                     2 * 4095 + 1);
}

/* A stream that goes quiet is told last, and what it said first is kept. */
static void the_first_incidents_are_kept_whoever_ends_first(struct arena *a) {
    struct buf log = buf_in(a, (size_t)1 << 22);
    buf_add(&log, STR("[rank1]: CUDA out of memory. Tried to allocate 1 GiB\n"
                      "[rank1]: the end\n"));
    for (int i = 0; i < MATCH_INCIDENTS_MAX + 2; i++) {
        buf_add(&log, STR("CUDA out of memory. Tried to allocate 2 GiB\n\n"));
    }
    struct str image = patterns_image(a, oom);
    for (int way = SCAN_SELECTED; way <= SCAN_WHOLE; way++) {
        const struct scan_result *r = scan_so(
            a, image, buf_str(&log),
            (struct scanning){(enum scan_way)way, 4096, 1, false});
        const struct hit *first = hit_of_kind(r, PATTERN_SIGNATURE, 0);
        assert_int_equal(first->first_line, 1);
        assert_int_equal(r->streams[first->stream].rank, 1);
        assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE),
                         MATCH_INCIDENTS_MAX);
        assert_int_equal(r->uncounted, 3);
        assert_int_equal(r->uncounted_to, 3 + 2 * (MATCH_INCIDENTS_MAX + 1));
        assert_int_equal(
            hit_of_kind(r, PATTERN_SIGNATURE, MATCH_INCIDENTS_MAX - 1)
                ->first_line,
            3 + 2 * (MATCH_INCIDENTS_MAX - 2));
    }
}

/* Twice the log takes no more memory, once what may be held is held. */
static void memory_does_not_grow_with_the_log(struct arena *a) {
    size_t used[2];
    struct buf line = buf_in(a, 4096);
    buf_add(&line, STR("a quite ordinary line in capture_model of a log\n"));
    for (int k = 0; k < 2; k++) {
        const struct index *ix = index_open(a, patterns_image(a, oom));
        struct reader *reader = reader_new(ix, a);
        size_t before = a->used_bytes;
        struct scanner *s = scan_new(a, scan_rules_open(a, ix), reader, 0);
        for (int i = 0; i < 300000 * (k + 1); i++) {
            scan_feed(s, buf_str(&line));
        }
        scan_end(s);
        used[k] = a->used_bytes - before;
    }
    assert_true(used[1] <= used[0] + used[0] / 2);
    assert_true(used[1] < (size_t)32 << 20);
}

/* ---- pieces ---- */

/* What a look by several threads may still ask for is held, and no more. */
static void many_threads_hold_little_more(struct arena *a) {
    struct buf log = buf_in(a, (size_t)32 << 20);
    for (int i = 0; i < 400000; i++) {
        buf_printf(&log, i % 4000 == 0 ? "step %07d in capture_model of them\n"
                                       : "line %07d of a log: all is well with it\n",
                   i);
    }
    assert_true(buf_ok(&log) && log.n > (size_t)16 << 20);
    struct str image = patterns_image(a, oom);
    for (uint32_t threads = 1; threads <= 16; threads *= 2) {
        struct arena own;
        arena_init(&own, NULL, 0);
        scan_so(&own, image, buf_str(&log),
                (struct scanning){SCAN_SELECTED, 65536, threads, false});
        assert_true(own.used_bytes < (size_t)48 << 20);
        arena_free(&own);
    }
}

static void pieces_make_no_difference(struct arena *a) {
    struct buf log = buf_in(a, (size_t)1 << 20);
    for (int i = 0; i < 40; i++) {
        buf_printf(&log,
                   "Traceback (most recent call last):\n"
                   "  File \"x.py\", line %d, in capture_model\n"
                   "[rank%d]: OutOfMemoryError: CUDA out\nof memory. Tried to "
                   "allocate %d.00 GiB. total capacity of 9.00 GiB\n\n"
                   "RuntimeError: CUDA out of memory. Tried to allocate %d "
                   "bytes\n%*s\n",
                   i, i % 3, i, i, i * 60, "x");
    }
    const struct scan_result *whole =
        patterns_scan(a, oom, buf_str(&log), 0);
    assert_true(whole->hits.count > 40);
    static const size_t pieces[] = {1, 7, 4096};
    for (size_t k = 0; k < 3; k++) {
        const struct scan_result *cut =
            patterns_scan(a, oom, buf_str(&log), pieces[k]);
        assert_int_equal(cut->hits.count, whole->hits.count);
        for (size_t i = 0; i < cut->hits.count; i++) {
            const struct hit *x = &cut->hits.at[i], *y = &whole->hits.at[i];
            assert_int_equal(x->order, y->order);
            assert_int_equal(x->pattern, y->pattern);
            assert_int_equal(x->trace_last, y->trace_last);
            assert_int_equal(x->capture_count, y->capture_count);
            assert_true(str_eq(x->text, y->text));
        }
    }
}

/* One line of a megabyte: found at its end, once. */
static void long_lines_are_searched(struct arena *a) {
    struct buf log = buf_in(a, (size_t)4 << 20);
    for (int i = 0; i < 3; i++) {
        buf_fill(&log, 'x', 300000);
        buf_add(&log, STR(" CUDA out of memory. Tried to allocate 1.00 GiB "));
    }
    buf_add(&log, STR("\n"));
    const struct scan_result *r = patterns_scan(a, oom, buf_str(&log), 1000);
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 3);
    expect_lines(hit_of_kind(r, PATTERN_SIGNATURE, 2), 1, 1, 1, 1);
}

/* Matching on characters begins wherever the window does, and after a hundred
 * runs as machine code. */
static void characters_are_matched_anywhere(struct arena *a) {
    static const struct pattern_spec specs[] = {
        {PATTERN_SIGNATURE, "显存不足，申请 (?<tried_alloc>(?&amount))[，。]",
         {0}}};
    struct buf log = buf_in(a, (size_t)4 << 20);
    for (int i = 0; i < 150; i++) {
        buf_fill(&log, 'x', (size_t)i % 3);
        for (int k = 0; k < 3500; k++) {
            buf_add(&log, k % 100 == 7 ? STR("\xE4\xB8") : STR("显"));
        }
        buf_printf(&log, "显存不足，申请 %d GiB。\n\n", i);
    }
    const struct scan_result *r = patterns_scan(
        a, (struct pattern_specs){specs, 1}, buf_str(&log), 0);
    assert_int_equal(r->hits.count, 150);
    expect_capture(&r->hits.at[149], 0, FACT_tried_alloc, "149 GiB", 299);
}

/* Every allocation of a scan fails once: an error, no leak, no crash. */
struct failing {
    size_t left;
};

static void *failing_get(void *ctx, size_t bytes) {
    struct failing *f = ctx;
    if (f->left == 0)
        return NULL;
    f->left--;
    return malloc(bytes);
}

static void failing_put(void *ctx, void *block) {
    (void)ctx;
    free(block);
}

struct poor_scan {
    struct arena *a;
    struct str image;
    size_t hits;
};

static void scan_poorly(void *arg) {
    struct poor_scan *p = arg;
    const struct index *ix = index_open(p->a, p->image);
    struct scanner *s = scan_new(p->a, scan_rules_open(p->a, ix),
                                 reader_new(ix, p->a), 0);
    scan_feed(s, STR("Traceback (most recent call last):\n"
                     "x: CUDA out of memory. Tried to allocate 1 GiB.\n"
                     "total capacity of 2 GiB\n"
                     "vllm serve it \\\n --now\n"));
    p->hits = scan_end(s)->hits.count;
}

static void every_allocation_may_fail(struct arena *a) {
    struct str image = patterns_image(a, oom);
    enum fail code = FAIL_MEMORY;
    for (size_t n = 0; code != FAIL_NONE; n++) {
        struct failing f = {n};
        struct allocator from = {failing_get, failing_put, &f};
        struct arena poor;
        arena_init(&poor, &from, 0);
        struct poor_scan p = {&poor, image, 0};
        code = arena_guard(&poor, scan_poorly, &p, NULL);
        assert_true(code == FAIL_NONE || code == FAIL_MEMORY);
        assert_int_equal(p.hits, code == FAIL_NONE ? 2 : 0);
        arena_free(&poor);
        assert_true(n < 10000);
    }
}

static void many_streams_are_bounded(struct arena *a) {
    struct buf log = buf_in(a, (size_t)4 << 20);
    for (int i = 0; i < 1000; i++) {
        buf_printf(&log, "[rank%d]: CUDA out of memory. Tried to allocate "
                         "%d bytes\n", i, i + 1);
    }
    const struct scan_result *r = patterns_scan(a, oom, buf_str(&log), 0);
    assert_true(r->stream_count <= LOG_STREAMS_MAX);
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 1000);
}

#define IN_ARENA(name)                                                     \
    static void test_##name(void **state) {                                \
        (void)state;                                                       \
        with_arena(name);                                                  \
    }
#define TESTS(X)                                                           \
    X(a_message_goes_on_over_plain_lines)                                  \
    X(a_wrap_is_a_blank)                                                   \
    X(two_messages_do_not_mix)                                             \
    X(weak_words_end_no_message)                                           \
    X(a_record_ends_a_message)                                             \
    X(interleaved_ranks_keep_their_own)                                    \
    X(a_traceback_reaches_back_to_its_chain)                               \
    X(an_excerpt_begins_inside_of_frames)                                  \
    X(frames_may_follow_their_message)                                     \
    X(headings_may_stand_before_frames)                                    \
    X(another_process_is_another_traceback)                                \
    X(characters_are_matched_anywhere)                                     \
    X(every_allocation_may_fail)                                           \
    X(prefixed_tracebacks_are_one)                                         \
    X(a_long_traceback_is_followed)                                        \
    X(a_traceback_ends_where_others_talked_too_long)                       \
    X(context_and_stages_are_kept)                                         \
    X(nobody_asks_for_conditions_of_what_is_not_there)                     \
    X(of_many_the_first_and_last_are_kept)                                 \
    X(incidents_past_the_bound_are_counted)                                \
    X(the_first_incidents_are_kept_whoever_ends_first)                     \
    X(memory_does_not_grow_with_the_log)                                   \
    X(many_threads_hold_little_more)                                       \
    X(pieces_make_no_difference)                                           \
    X(long_lines_are_searched)                                             \
    X(many_streams_are_bounded)
TESTS(IN_ARENA)

int main(void) {
#define X(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {TESTS(X)};
#undef X
    return cmocka_run_group_tests(tests, NULL, NULL);
}
