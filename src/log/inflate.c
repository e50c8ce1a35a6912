/* inflate.c: gzip through zlib, zstd through libzstd, one piece at a time.
 *
 *     1F 8B        gzip; members may follow each other (cat a.gz b.gz)
 *     28 B5 2F FD  zstd; frames may follow each other
 *     else         as it is
 *
 * The first four bytes are held back until they tell. Damage after the first
 * output ends the input and is reported as a truncation: what came before is
 * still a log. What follows a whole gzip member and is no member (the zeros of
 * a tape) is ignored, as gzip does. It refuses nested compression.
 */
#include "log/inflate.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define MAGIC_BYTES 4
#define OUT_BYTES ((size_t)64 * 1024)

enum packing { PACKING_UNKNOWN, PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

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
    arena_defer(i->a, end_zstd, i->zstd);
}

static void hand_on(struct inflater *i, struct str bytes) {
    if (bytes.n == 0)
        return;
    i->has_output = true;
    if (!i->on_bytes(i->ctx, bytes))
        i->is_done = true;
}

static void give_up(struct inflater *i, const char *format_name) {
    i->is_damaged = i->is_done = true;
    if (!i->has_output)
        arena_raise(i->a, FAIL_INPUT,
                    "damaged %s data: not a byte can be read", format_name);
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
    if (code == Z_STREAM_END) {
        i->is_open = false;
        inflateReset(z);
    } else if (code != Z_OK && code != Z_BUF_ERROR && !i->is_done) {
        give_up(i, "gzip");
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
        if (ZSTD_isError(code)) {
            if (!i->is_done)
                give_up(i, "zstd");
            return;
        }
        i->is_open = code != 0;
        is_full = i->is_open && sink.pos == sink.size;
    }
}

static void feed_known(struct inflater *i, struct str bytes) {
    switch (i->packing) {
    case PACKING_UNKNOWN:
    case PACKING_NONE: hand_on(i, bytes); return;
    case PACKING_GZIP: feed_gzip(i, bytes); return;
    case PACKING_ZSTD: feed_zstd(i, bytes); return;
    }
}

/* The head is as long as it gets: choose, and read it. */
static void choose(struct inflater *i) {
    i->packing = PACKING_NONE;
    if (is_magic(i, "\x1f\x8b", 2))
        i->packing = PACKING_GZIP;
    else if (is_magic(i, "\x28\xb5\x2f\xfd", 4))
        i->packing = PACKING_ZSTD;
    if (i->packing != PACKING_NONE)
        i->out = arena_alloc(i->a, OUT_BYTES);
    if (i->packing == PACKING_GZIP)
        start_gzip(i);
    if (i->packing == PACKING_ZSTD)
        start_zstd(i);
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
