/* inflate.c: gzip through zlib, zstd through libzstd, xz through liblzma, one
 * piece at a time.
 *
 *     1F 8B              gzip; members may follow each other (cat a.gz b.gz)
 *     28 B5 2F FD        zstd; frames may follow each other
 *     5x 2A 4D 18        zstd, beginning with a frame that is skipped
 *     FD 37 7A 58 5A 00  xz; streams may follow each other
 *     else               as it is
 *
 * The first six bytes are held back until they tell. Damage after the first
 * output ends the input and is reported as a truncation: what came before is
 * still a log. What follows a whole gzip member and is no member (the zeros of
 * a tape) is ignored, as gzip does.
 *
 * Output leaves in pieces of OUT_BYTES however much a byte of input makes, so a
 * bomb takes time and no memory. What it holds is a decoder's window: 32 KiB of
 * gzip, WINDOW_MAX of the others. It refuses wider windows, which only
 * `zstd --long` above 27 and xz with a dictionary of its own ask for, and
 * nested compression.
 */
#include "log/inflate.h"

#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define MAGIC_BYTES 6
#define OUT_BYTES ((size_t)64 * 1024)
#define WINDOW_LOG_MAX 27
#define WINDOW_MAX_MIB (1u << (WINDOW_LOG_MAX - 20))
#define XZ_MEMORY_MAX (((uint64_t)WINDOW_MAX_MIB + 16) << 20) /* and its tables */

enum packing {
    PACKING_UNKNOWN, PACKING_NONE, PACKING_GZIP, PACKING_ZSTD, PACKING_XZ
};

struct inflater {
    struct arena *a;
    bytes_fn on_bytes;
    void *ctx;
    enum packing packing;
    unsigned char head[MAGIC_BYTES]; /* of the input; then of a next member */
    size_t head_count;
    bool is_open;    /* inside a member or frame */
    bool is_done;    /* nothing more is read */
    bool is_damaged;
    bool has_output;
    z_stream gzip;
    ZSTD_DStream *zstd;
    lzma_stream xz;
    unsigned char *out;
};

struct inflater *inflate_open(struct arena *a, bytes_fn on_bytes, void *ctx) {
    struct inflater *i = arena_alloc(a, sizeof *i);
    i->a = a;
    i->on_bytes = on_bytes;
    i->ctx = ctx;
    return i;
}

static void end_gzip(void *what) {
    inflateEnd(what);
}

static void end_zstd(void *what) {
    ZSTD_freeDStream(what);
}

static void start_gzip(struct inflater *i) {
    if (inflateInit2(&i->gzip, 16 + MAX_WBITS) != Z_OK)
        arena_raise(i->a, FAIL_MEMORY, "out of memory for gzip");
    arena_defer(i->a, end_gzip, &i->gzip);
}

static void start_zstd(struct inflater *i) {
    i->zstd = ZSTD_createDStream();
    if (!i->zstd)
        arena_raise(i->a, FAIL_MEMORY, "out of memory for zstd");
    ZSTD_DCtx_setParameter(i->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    arena_defer(i->a, end_zstd, i->zstd);
}

static void end_xz(void *what) {
    lzma_end(what);
}

static void open_xz(struct inflater *i) {
    if (lzma_stream_decoder(&i->xz, XZ_MEMORY_MAX, 0) != LZMA_OK)
        arena_raise(i->a, FAIL_MEMORY, "out of memory for xz");
    i->is_open = true;
}

static void start_xz(struct inflater *i) {
    i->xz = (lzma_stream)LZMA_STREAM_INIT;
    arena_defer(i->a, end_xz, &i->xz);
    open_xz(i);
}

static void hand_on(struct inflater *i, struct str bytes) {
    if (bytes.n == 0)
        return;
    i->has_output = true;
    if (!i->on_bytes(i->ctx, bytes))
        i->is_done = true;
}

static void give_up(struct inflater *i, const char *format_name,
                    bool is_too_wide) {
    i->is_damaged = i->is_done = true;
    if (i->has_output)
        return;
    if (is_too_wide)
        arena_raise(i->a, FAIL_CEILING,
                    "%s data with a window wider than %u MiB", format_name,
                    WINDOW_MAX_MIB);
    arena_raise(i->a, FAIL_INPUT,
                "damaged %s data, of which nothing can be read: copy the file "
                "again",
                format_name);
}

/* What could not be held is no damage: half a log has another answer. */
static void check_memory(struct inflater *i, bool is_out,
                         const char *format_name) {
    if (is_out)
        arena_raise(i->a, FAIL_MEMORY, "out of memory for %s", format_name);
}

static bool is_magic(const struct inflater *i, const char *magic, size_t n) {
    return i->head_count >= n && memcmp(i->head, magic, n) == 0;
}

static struct str made(const struct inflater *i, size_t n) {
    return (struct str){(const char *)i->out, n};
}

/* Decompress until `in` is used up or a member ends; returns bytes used. */
static size_t run_gzip(struct inflater *i, struct str in) {
    z_stream *z = &i->gzip;
    size_t used = in.n < UINT32_MAX ? in.n : UINT32_MAX;
    z->next_in = (z_const Bytef *)(uintptr_t)in.p;
    z->avail_in = (uInt)used;
    i->is_open = true;
    int code = Z_OK;
    do {
        z->next_out = i->out;
        z->avail_out = (uInt)OUT_BYTES;
        code = inflate(z, Z_NO_FLUSH);
        hand_on(i, made(i, OUT_BYTES - z->avail_out));
    } while (code == Z_OK && !i->is_done &&
             (z->avail_in > 0 || z->avail_out == 0));
    check_memory(i, code == Z_MEM_ERROR, "gzip");
    if (code == Z_STREAM_END) {
        i->is_open = false;
        inflateReset(z);
    } else if (code != Z_OK && code != Z_BUF_ERROR && !i->is_done) {
        give_up(i, "gzip", false);
    }
    return used - z->avail_in;
}

/* Between members: gather two bytes that say whether another one follows. */
static size_t next_member(struct inflater *i, struct str in) {
    size_t used = 0;
    while (used < in.n && i->head_count < 2)
        i->head[i->head_count++] = (unsigned char)in.p[used++];
    if (i->head_count < 2)
        return used;
    if (!is_magic(i, "\x1f\x8b", 2)) {
        i->is_done = true;
        return used;
    }
    char magic[2] = {'\x1f', '\x8b'};
    i->head_count = 0;
    run_gzip(i, (struct str){magic, 2});
    return used;
}

static void feed_gzip(struct inflater *i, struct str in) {
    while (in.n > 0 && !i->is_done) {
        size_t used = i->is_open ? run_gzip(i, in) : next_member(i, in);
        in = str_slice(in, used, in.n);
    }
}

static void feed_zstd(struct inflater *i, struct str in) {
    ZSTD_inBuffer source = {in.p, in.n, 0};
    bool is_full = false;
    while ((source.pos < source.size || is_full) && !i->is_done) {
        ZSTD_outBuffer sink = {i->out, OUT_BYTES, 0};
        size_t code = ZSTD_decompressStream(i->zstd, &sink, &source);
        hand_on(i, made(i, sink.pos));
        check_memory(i, ZSTD_getErrorCode(code) ==
                            ZSTD_error_memory_allocation, "zstd");
        if (ZSTD_isError(code)) {
            if (!i->is_done)
                give_up(i, "zstd",
                        ZSTD_getErrorCode(code) ==
                            ZSTD_error_frameParameter_windowTooLarge);
            return;
        }
        i->is_open = code != 0;
        is_full = i->is_open && sink.pos == sink.size;
    }
}

/* Between streams: zeros are padding, anything else begins the next. */
static size_t next_xz(struct inflater *i, struct str in) {
    size_t used = 0;
    while (used < in.n && in.p[used] == '\0')
        used++;
    if (used < in.n)
        open_xz(i);
    return used;
}

static size_t run_xz(struct inflater *i, struct str in) {
    lzma_stream *x = &i->xz;
    x->next_in = (const uint8_t *)in.p;
    x->avail_in = in.n;
    lzma_ret code = LZMA_OK;
    do {
        x->next_out = i->out;
        x->avail_out = OUT_BYTES;
        code = lzma_code(x, LZMA_RUN);
        hand_on(i, made(i, OUT_BYTES - x->avail_out));
    } while (code == LZMA_OK && !i->is_done &&
             (x->avail_in > 0 || x->avail_out == 0));
    check_memory(i, code == LZMA_MEM_ERROR, "xz");
    if (code == LZMA_STREAM_END)
        i->is_open = false;
    else if (code != LZMA_OK && code != LZMA_BUF_ERROR && !i->is_done)
        give_up(i, "xz", code == LZMA_MEMLIMIT_ERROR);
    return in.n - x->avail_in;
}

static void feed_xz(struct inflater *i, struct str in) {
    while (in.n > 0 && !i->is_done) {
        size_t used = i->is_open ? run_xz(i, in) : next_xz(i, in);
        in = str_slice(in, used, in.n);
    }
}

static void feed_known(struct inflater *i, struct str bytes) {
    switch (i->packing) {
    case PACKING_UNKNOWN:
    case PACKING_NONE: hand_on(i, bytes); return;
    case PACKING_GZIP: feed_gzip(i, bytes); return;
    case PACKING_ZSTD: feed_zstd(i, bytes); return;
    case PACKING_XZ: feed_xz(i, bytes); return;
    }
}

static enum packing packing_of(const struct inflater *i) {
    bool is_skippable = i->head_count >= 4 && (i->head[0] & 0xF0) == 0x50 &&
                        memcmp(i->head + 1, "\x2a\x4d\x18", 3) == 0;
    if (is_magic(i, "\x1f\x8b", 2))
        return PACKING_GZIP;
    if (is_magic(i, "\x28\xb5\x2f\xfd", 4) || is_skippable)
        return PACKING_ZSTD;
    if (is_magic(i, "\xfd" "7zXZ\0", 6))
        return PACKING_XZ;
    return PACKING_NONE;
}

static void start(struct inflater *i) {
    if (i->packing != PACKING_NONE)
        i->out = arena_alloc(i->a, OUT_BYTES);
    if (i->packing == PACKING_GZIP)
        start_gzip(i);
    if (i->packing == PACKING_ZSTD)
        start_zstd(i);
    if (i->packing == PACKING_XZ)
        start_xz(i);
}

/* The head is as long as it gets: choose, and read it. */
static void choose(struct inflater *i) {
    i->packing = packing_of(i);
    start(i);
    unsigned char head[MAGIC_BYTES];
    size_t n = i->head_count;
    memcpy(head, i->head, n);
    i->head_count = 0;
    i->is_open = i->packing != PACKING_NONE;
    feed_known(i, (struct str){(const char *)head, n});
}

void inflate_feed(struct inflater *i, struct str bytes) {
    size_t used = 0;
    if (i->packing == PACKING_UNKNOWN) {
        while (used < bytes.n && i->head_count < MAGIC_BYTES)
            i->head[i->head_count++] = (unsigned char)bytes.p[used++];
        if (i->head_count < MAGIC_BYTES)
            return;
        choose(i);
    }
    struct str rest = str_slice(bytes, used, bytes.n);
    if (rest.n > 0 && !i->is_done)
        feed_known(i, rest);
}

bool inflate_end(struct inflater *i) {
    if (i->packing == PACKING_UNKNOWN)
        choose(i);
    bool is_whole = i->packing == PACKING_NONE || !i->is_open;
    return is_whole && !i->is_damaged;
}
