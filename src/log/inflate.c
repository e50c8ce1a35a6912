/* inflate.c: gzip through zlib, zstd through libzstd, xz through liblzma, one
 * piece at a time.
 *
 *     1F 8B              gzip; members may follow each other (cat a.gz b.gz)
 *     28 B5 2F FD        zstd; frames may follow each other
 *     5x 2A 4D 18        zstd, beginning with a frame that is skipped
 *     FD 37 7A 58 5A 00  xz; streams may follow each other
 *     else               not compressed
 *
 * Nothing is decided before the first six bytes are there. Damage after the
 * first output ends the input and is reported as a truncation: what came before
 * is still a log. What follows a gzip member and is no member (the zeros of a
 * tape) is ignored, as gzip does.
 *
 * Output has pieces of at most OUT_BYTES, whatever a byte of input expands to.
 * So a decompression bomb takes time and no memory. Memory holds the window of
 * a decoder: 32 KiB for gzip, WINDOW_MAX_MIB for the others. A larger window is
 * refused: only `zstd --long` above 27 and xz with a dictionary size of its own
 * have one. */
#include "log/inflate.h"

#include "base/limits.h"

#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define MAGIC_BYTES 6
#define OUT_BYTES ((size_t)64 * 1024)
#define WINDOW_MAX_MIB (1u << (INFLATE_WINDOW_LOG2_MAX - 20))
#define XZ_MEMORY_MAX                                                         \
    (((uint64_t)WINDOW_MAX_MIB + 16) << 20) /* 16 MiB for its tables */

/* The result of a step. */
enum step { STEP_MORE, STEP_END, STEP_DAMAGED, STEP_TOO_WIDE, STEP_NO_MEMORY };

struct codec {
    const char *name;
    bool (*start)(struct inflater *i); /* false: out of memory */
    /* Decompresses from the front of *in, which it shortens, into i->out;
     * *made: bytes there. STEP_END: a member ends. */
    enum step (*step)(struct inflater *i, struct str *in, size_t *made);
    /* Behind a member: removes padding from *in. False: no member follows. */
    bool (*next)(struct inflater *i, struct str *in);
};

struct inflater {
    struct arena *a;
    bytes_fn on_bytes;
    void *ctx;
    const struct codec *codec; /* NULL: not compressed */
    char head[MAGIC_BYTES];
    size_t head_count;
    bool is_known; /* the codec was chosen by the head */
    bool is_open;  /* inside a member or frame */
    bool is_done;  /* nothing more is read */
    bool is_damaged;
    bool has_output;
    bool has_first; /* gzip: a byte that may begin the next member was read */
    z_stream gzip;
    ZSTD_DStream *zstd;
    lzma_stream xz;
    char *out;
};

struct inflater *inflate_open(struct arena *a, bytes_fn on_bytes, void *ctx) {
    struct inflater *i = arena_alloc(a, sizeof *i);
    i->a = a;
    i->on_bytes = on_bytes;
    i->ctx = ctx;
    return i;
}

/* ---- gzip ---- */

static void end_gzip(void *what) {
    inflateEnd(what);
}

static bool start_gzip(struct inflater *i) {
    if (inflateInit2(&i->gzip, 16 + MAX_WBITS) != Z_OK)
        return false;
    arena_defer(i->a, end_gzip, &i->gzip);
    return true;
}

static enum step step_gzip(struct inflater *i, struct str *in, size_t *made) {
    z_stream *z = &i->gzip;
    size_t n = in->n < UINT32_MAX ? in->n : UINT32_MAX;
    z->next_in = (z_const Bytef *)(uintptr_t)in->p;
    z->avail_in = (uInt)n;
    z->next_out = (Bytef *)i->out;
    z->avail_out = (uInt)OUT_BYTES;
    int code = inflate(z, Z_NO_FLUSH);
    *made = OUT_BYTES - z->avail_out;
    *in = str_slice(*in, n - z->avail_in, in->n);
    if (code == Z_STREAM_END)
        inflateReset(z);
    return code == Z_STREAM_END                       ? STEP_END
           : code == Z_MEM_ERROR                      ? STEP_NO_MEMORY
           : code == Z_OK || code == Z_BUF_ERROR      ? STEP_MORE
                                                      : STEP_DAMAGED;
}

/* Another member begins with 1F 8B, which may come in two pieces. */
static bool next_gzip(struct inflater *i, struct str *in) {
    static const char magic[] = "\x1f\x8b";
    if (!i->has_first && in->p[0] == magic[0]) {
        i->has_first = true;
        *in = str_slice(*in, 1, in->n);
    }
    if (in->n == 0)
        return true;
    bool is_member = i->has_first && in->p[0] == magic[1];
    struct str first = {magic, 1};
    size_t made;
    if (is_member)
        step_gzip(i, &first, &made);
    i->is_open = is_member;
    i->has_first = false;
    return is_member;
}

/* ---- zstd ---- */

static void end_zstd(void *what) {
    ZSTD_freeDStream(what);
}

static bool start_zstd(struct inflater *i) {
    i->zstd = ZSTD_createDStream();
    if (!i->zstd)
        return false;
    ZSTD_DCtx_setParameter(i->zstd, ZSTD_d_windowLogMax,
                           INFLATE_WINDOW_LOG2_MAX);
    arena_defer(i->a, end_zstd, i->zstd);
    return true;
}

static enum step step_zstd(struct inflater *i, struct str *in, size_t *made) {
    ZSTD_inBuffer source = {in->p, in->n, 0};
    ZSTD_outBuffer sink = {i->out, OUT_BYTES, 0};
    size_t code = ZSTD_decompressStream(i->zstd, &sink, &source);
    ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
    *made = sink.pos;
    *in = str_slice(*in, source.pos, in->n);
    if (error == ZSTD_error_memory_allocation)
        return STEP_NO_MEMORY;
    if (error == ZSTD_error_frameParameter_windowTooLarge)
        return STEP_TOO_WIDE;
    return ZSTD_isError(code) ? STEP_DAMAGED : code == 0 ? STEP_END : STEP_MORE;
}

static bool next_zstd(struct inflater *i, struct str *in) {
    (void)in;
    i->is_open = true;
    return true;
}

/* ---- xz ---- */

static void end_xz(void *what) {
    lzma_end(what);
}

static bool open_xz(struct inflater *i) {
    i->is_open = true;
    return lzma_stream_decoder(&i->xz, XZ_MEMORY_MAX, 0) == LZMA_OK;
}

static bool start_xz(struct inflater *i) {
    i->xz = (lzma_stream)LZMA_STREAM_INIT;
    arena_defer(i->a, end_xz, &i->xz);
    return open_xz(i);
}

static enum step step_xz(struct inflater *i, struct str *in, size_t *made) {
    lzma_stream *x = &i->xz;
    x->next_in = (const uint8_t *)in->p;
    x->avail_in = in->n;
    x->next_out = (uint8_t *)i->out;
    x->avail_out = OUT_BYTES;
    lzma_ret code = lzma_code(x, LZMA_RUN);
    *made = OUT_BYTES - x->avail_out;
    *in = str_slice(*in, in->n - x->avail_in, in->n);
    return code == LZMA_STREAM_END                       ? STEP_END
           : code == LZMA_MEM_ERROR                      ? STEP_NO_MEMORY
           : code == LZMA_MEMLIMIT_ERROR                 ? STEP_TOO_WIDE
           : code == LZMA_OK || code == LZMA_BUF_ERROR   ? STEP_MORE
                                                         : STEP_DAMAGED;
}

/* Zeros are padding, anything else begins the next stream. */
static bool next_xz(struct inflater *i, struct str *in) {
    while (in->n > 0 && in->p[0] == '\0')
        *in = str_slice(*in, 1, in->n);
    if (in->n > 0 && !open_xz(i))
        arena_raise(i->a, FAIL_MEMORY, "out of memory for xz");
    return true;
}

/* ---- all codecs ---- */

static const struct codec gzip = {"gzip", start_gzip, step_gzip, next_gzip};
static const struct codec zstd = {"zstd", start_zstd, step_zstd, next_zstd};
static const struct codec xz = {"xz", start_xz, step_xz, next_xz};

static void hand_on(struct inflater *i, struct str bytes) {
    if (bytes.n == 0)
        return;
    i->has_output = true;
    if (!i->on_bytes(i->ctx, bytes))
        i->is_done = true;
}

/* Raises if memory is short: part of a log would give another answer. Damage
 * raises only if there was no output. */
static void check(struct inflater *i, enum step step) {
    const char *name = i->codec->name;
    if (step == STEP_NO_MEMORY)
        arena_raise(i->a, FAIL_MEMORY, "out of memory for %s", name);
    if (step < STEP_DAMAGED || i->is_done)
        return;
    i->is_damaged = i->is_done = true;
    if (!i->has_output && step == STEP_TOO_WIDE)
        arena_raise(i->a, FAIL_CEILING,
                    "%s data with a window wider than %u MiB", name,
                    WINDOW_MAX_MIB);
    if (!i->has_output)
        arena_raise(i->a, FAIL_INPUT,
                    "damaged %s data, of which nothing can be read: copy the "
                    "file again",
                    name);
}

static void feed_known(struct inflater *i, struct str in) {
    size_t made = 0;
    if (!i->codec)
        hand_on(i, in);
    while (i->codec && !i->is_done &&
           (in.n > 0 || (i->is_open && made == OUT_BYTES))) {
        made = 0;
        if (!i->is_open) {
            i->is_done = !i->codec->next(i, &in);
            continue;
        }
        enum step step = i->codec->step(i, &in, &made);
        i->is_open = step != STEP_END;
        hand_on(i, (struct str){i->out, made});
        check(i, step);
    }
}

static const struct codec *codec_of(struct str head) {
    if (str_starts(head, STR("\x1f\x8b")))
        return &gzip;
    if (str_starts(head, STR("\xfd" "7zXZ\0")))
        return &xz;
    bool is_skippable = head.n >= 4 && (head.p[0] & 0xF0) == 0x50 &&
                        memcmp(head.p + 1, "\x2a\x4d\x18", 3) == 0;
    bool is_zstd = is_skippable || str_starts(head, STR("\x28\xb5\x2f\xfd"));
    return is_zstd ? &zstd : NULL;
}

/* Chooses the codec by the head, which is complete, and reads the head. */
static void choose(struct inflater *i) {
    struct str head = {i->head, i->head_count};
    i->codec = codec_of(head);
    i->is_known = true;
    i->is_open = i->codec != NULL;
    if (i->codec) {
        i->out = arena_alloc(i->a, OUT_BYTES);
        if (!i->codec->start(i))
            arena_raise(i->a, FAIL_MEMORY, "out of memory for %s",
                        i->codec->name);
    }
    feed_known(i, head);
}

void inflate_feed(struct inflater *i, struct str bytes) {
    size_t used = 0;
    while (!i->is_known && used < bytes.n) {
        i->head[i->head_count++] = bytes.p[used++];
        if (i->head_count == MAGIC_BYTES)
            choose(i);
    }
    struct str rest = str_slice(bytes, used, bytes.n);
    if (rest.n > 0 && !i->is_done)
        feed_known(i, rest);
}

bool inflate_end(struct inflater *i) {
    if (!i->is_known)
        choose(i);
    return !i->is_open && !i->is_damaged;
}
