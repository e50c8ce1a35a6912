/* test_hostile.c: an index that somebody made to hurt. Its checks are right,
 * what stands behind them is not: in a part of the records of the shipped index
 * a byte is another, and each record is sealed again. Whoever reads there (scan,
 * diagnosis, arithmetic, every format) says that the index is damaged or gives
 * an answer; under a sanitizer nothing else goes unseen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <oomkb/oomkb.h>

#include "base/buf.h"
#include "index/read.h"
#include "support/corpus.h"

#define MEMORY_BYTES ((uint64_t)64 << 20)

static const char *const logs[] = {
    "examples/vllm-long-context.log",
    "entries/deepspeed/optimizer-states.log",
    "entries/deepspeed/fastgen-kv-blocks.log",
    "entries/llama.cpp/kv-cache.log",
    "entries/llama.cpp/compute-buffer.log",
};
#define LOGS (sizeof logs / sizeof logs[0])

struct hostile {
    struct str whole; /* the file as it is */
    char *bytes;      /* a block of its own size: a sanitizer sees its end */
    size_t pack_at;
    struct pack pack;
    struct str log[LOGS];
    uint64_t seed;
    int refused, answered;
};

static uint64_t next(struct hostile *h) {
    h->seed ^= h->seed << 13;
    h->seed ^= h->seed >> 7;
    return h->seed ^= h->seed << 17;
}

static uint32_t word_at(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static void put_word(char *p, uint32_t n) {
    for (int i = 0; i < 4; i++) {
        p[i] = (char)(n >> (8 * i));
    }
}

/* ---- hurting ---- */

/* Where numbers, lengths and words of a vocabulary hurt most. */
static char worse(struct hostile *h, char byte) {
    static const unsigned char edges[] = {0, 1, 2, 0x7e, 0x7f, 0x80, 0xff};
    switch (next(h) % 4) {
    case 0: return (char)edges[next(h) % sizeof edges];
    case 1: return (char)(byte ^ (1 << next(h) % 8));
    case 2: return (char)(byte + (next(h) % 2 ? 1 : -1));
    default: return (char)next(h);
    }
}

/* One byte, or a number as large as they get. */
static void hurt(struct hostile *h, char *p, size_t n) {
    size_t at = next(h) % n;
    if (next(h) % 8 > 0 || n - at < 10) {
        p[at] = worse(h, p[at]);
        return;
    }
    for (size_t i = 0; i < 9; i++) {
        p[at + i] = (char)(0x80 | next(h));
    }
    p[at + 9] = 1;
}

static void hurt_record(struct hostile *h, enum section section, uint32_t i) {
    const char *ends = (const char *)h->pack.sections[section].ends + 4 * i;
    uint32_t from = word_at(ends) + 4, to = word_at(ends + 4);
    char *p = h->bytes + h->pack_at + from;
    if (to > from) {
        hurt(h, p, to - from);
        put_word(p - 4, pack_record_check(section, i,
                                          (struct str){p, to - from}));
    }
}

/* Of every section one record of so many. */
static void hurt_records(struct hostile *h) {
    uint64_t few = next(h) % 2 ? 8 : 64;
    memcpy(h->bytes, h->whole.p, h->whole.n);
    for (int section = 0; section < SECTION_COUNT_OF; section++) {
        for (uint32_t i = 0; i < h->pack.sections[section].count; i++) {
            if (next(h) % few == 0) {
                hurt_record(h, (enum section)section, i);
            }
        }
    }
}

/* ---- reading it all the same ---- */

static int take(void *ctx, const char *bytes, size_t n) {
    buf_clear(ctx);
    buf_add(ctx, (struct str){bytes, n});
    return 0;
}

static bool expect_sane(struct hostile *h, int code, const oomkb_error *err) {
    bool is_refused = code == OOMKB_ERROR_INDEX || code == OOMKB_ERROR_USAGE ||
                      code == OOMKB_ERROR_MEMORY;
    if (code != OOMKB_OK && !is_refused) {
        fail_msg("code %d: %s", code, err->text);
    }
    h->refused += code == OOMKB_ERROR_INDEX;
    h->answered += code == OOMKB_OK;
    return code == OOMKB_OK;
}

static void write_report(struct hostile *h, const oomkb *kb,
                         const oomkb_report *report, struct buf *out) {
    static const char *const formats[] = {"text", "json", "markdown"};
    static const char *const facts[] = {"gpu_name=H100", NULL};
    oomkb_error err = {0};
    int fits;
    oomkb_options o = {.size = sizeof o, .lang = next(h) % 2 ? "en" : "zh",
                       .why = 1, .max_memory_bytes = MEMORY_BYTES};
    oomkb_fit_question q = {.size = sizeof q, .facts = facts,
                            .report = report, .sweep = "max_model_len"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        int code = oomkb_report_write(report, formats[i], &o, take, out, &err);
        expect_sane(h, code, &err);
    }
    expect_sane(h,
                oomkb_fit_write(kb, &q, formats[next(h) % 3], &o, take, out,
                                &fits, &err),
                &err);
}

static void read_all(struct hostile *h, const oomkb *kb, struct buf *out) {
    oomkb_error err = {0};
    oomkb_options o = {.size = sizeof o, .max_memory_bytes = MEMORY_BYTES};
    struct str log = h->log[next(h) % LOGS];
    oomkb_report *report = NULL;
    if (expect_sane(h, oomkb_diagnose(kb, log.p, log.n, &o, &report, &err),
                    &err)) {
        write_report(h, kb, report, out);
        oomkb_report_free(report);
    }
    expect_sane(h, oomkb_entry_write(kb, "vllm/kv-cache-too-small", "json",
                                     NULL, take, out, &err), &err);
    expect_sane(h, oomkb_list_write(kb, "deepspeed", "markdown", NULL, take,
                                    out, NULL, &err), &err);
    oomkb_text(kb, "zh", "report.nothing");
}

static void try_once(struct hostile *h, struct buf *out) {
    oomkb *kb = NULL;
    oomkb_error err = {0};
    hurt_records(h);
    int code = oomkb_open_bytes(h->bytes, h->whole.n, &kb, &err);
    if (expect_sane(h, code, &err)) {
        read_all(h, kb, out);
        oomkb_close(kb);
    }
}

/* ---- the test ---- */

static void open_whole(struct arena *a, struct hostile *h) {
    h->whole = file_bytes(a, SHIPPED_INDEX);
    h->bytes = malloc(h->whole.n);
    assert_non_null(h->bytes);
    struct index *ix = index_open(a, h->whole);
    h->pack_at = ix->tables.n;
    h->pack = ix->pack;
    for (size_t i = 0; i < LOGS; i++) {
        h->log[i] = file_bytes(a, logs[i]);
    }
}

static void try_often(struct arena *a) {
    struct hostile h = {.seed = 0x686f7374696c65};
    int tries = (int)cases_asked(120, 1200);
    struct buf out;
    buf_init(&out, NULL, 0);
    open_whole(a, &h);
    for (int i = 0; i < tries; i++) {
        try_once(&h, &out);
    }
    buf_free(&out);
    free(h.bytes);
    assert_true(h.refused > tries / 4);  /* else nothing was hurt */
    assert_true(h.answered > tries / 4); /* else nothing was read */
}

static void a_hostile_index_does_no_harm(void **state) {
    (void)state;
    with_arena(try_often);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hostile_index_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
