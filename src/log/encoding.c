/* encoding.c: UTF-8 and both byte orders of UTF-16, recognized by a byte order
 * mark or by the NULs among the first 256 bytes.
 *
 *     "E\0r\0r\0"  UTF-16, low byte first: NULs at odd offsets
 *     "\0E\0r\0r"  UTF-16, high byte first: NULs at even offsets
 *
 * The first bytes are held back until there are 256 or the input ends, so that
 * the result does not depend on how the input was cut. UTF-8 is handed on as it
 * is; clean.c removes bad bytes. An input whose first bytes show that it is no
 * log (kind.c) is not handed on.
 */
#include "log/encoding.h"

#include "base/limits.h"
#include "base/utf8.h"

#define PROBE_BYTES KIND_BYTES

enum encoding { ENCODING_UNKNOWN, ENCODING_UTF8, ENCODING_LE, ENCODING_BE };

struct decoder {
    bytes_fn on_bytes;
    void *ctx;
    enum encoding encoding;
    enum log_kind kind; /* only a log is handed on */
    char probe[PROBE_BYTES];
    size_t probe_count;
    bool has_half; /* `half` is the first byte of a pair */
    unsigned char half;
    uint32_t high; /* a high surrogate without its low one; 0: none */
    struct buf out;
};

struct decoder *encoding_open(struct arena *a, bytes_fn on_bytes, void *ctx) {
    struct decoder *d = arena_alloc(a, sizeof *d);
    d->on_bytes = on_bytes;
    d->ctx = ctx;
    d->out = buf_in(a, ENCODING_BYTES_MAX);
    return d;
}

/* Without a byte order mark, a text is UTF-16 if 40 % or more of its pairs have
 * a NUL on one side, and at most 5 % on the other. */
static enum encoding guess(struct str s) {
    size_t nuls[2] = {0, 0}, pairs = s.n / 2;
    for (size_t i = 0; i < pairs * 2; i++)
        nuls[i % 2] += s.p[i] == '\0';
    for (size_t side = 0; side < 2; side++) {
        bool is_wide = pairs >= 2 && nuls[side] * 5 >= pairs * 2 &&
                       nuls[1 - side] * 20 <= pairs;
        if (is_wide)
            return side == 1 ? ENCODING_LE : ENCODING_BE;
    }
    return ENCODING_UTF8;
}

static void flush(struct decoder *d) {
    if (d->out.n > 0)
        d->on_bytes(d->ctx, buf_str(&d->out));
    buf_clear(&d->out);
}

static void put_unit(struct decoder *d, uint32_t unit) {
    bool is_low = unit >= 0xDC00 && unit <= 0xDFFF;
    if (d->high && is_low) {
        utf8_put(&d->out,
                 0x10000 + ((d->high - 0xD800) << 10) + (unit - 0xDC00));
        d->high = 0;
        return;
    }
    if (d->high)
        utf8_put(&d->out, d->high); /* alone: U+FFFD */
    d->high = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
    if (!d->high)
        utf8_put(&d->out, unit);
}

static void feed_wide(struct decoder *d, struct str bytes) {
    for (size_t i = 0; i < bytes.n; i++) {
        unsigned char byte = (unsigned char)bytes.p[i];
        if (!d->has_half) {
            d->half = byte;
            d->has_half = true;
            continue;
        }
        d->has_half = false;
        uint32_t low = d->encoding == ENCODING_LE ? d->half : byte;
        uint32_t top = d->encoding == ENCODING_LE ? byte : d->half;
        put_unit(d, top << 8 | low);
        if (d->out.n > ENCODING_BYTES_MAX - 16)
            flush(d);
    }
    flush(d);
}

static void feed_known(struct decoder *d, struct str bytes) {
    if (d->kind != LOG_KIND_LOG)
        return;
    switch (d->encoding) {
    case ENCODING_UNKNOWN:
    case ENCODING_UTF8:
        if (bytes.n > 0)
            d->on_bytes(d->ctx, bytes);
        return;
    case ENCODING_LE:
    case ENCODING_BE: feed_wide(d, bytes); return;
    }
}

static void choose(struct decoder *d) {
    struct str head = {d->probe, d->probe_count};
    size_t mark = 2;
    if (str_starts(head, STR("\xFF\xFE"))) {
        d->encoding = ENCODING_LE;
    } else if (str_starts(head, STR("\xFE\xFF"))) {
        d->encoding = ENCODING_BE;
    } else {
        mark = str_starts(head, STR("\xEF\xBB\xBF")) ? 3 : 0;
        d->kind = log_kind_of(str_slice(head, mark, head.n));
        d->encoding = mark ? ENCODING_UTF8 : guess(head);
    }
    feed_known(d, str_slice(head, mark, head.n));
}

void encoding_feed(struct decoder *d, struct str bytes) {
    size_t used = 0;
    if (d->encoding == ENCODING_UNKNOWN) {
        while (used < bytes.n && d->probe_count < PROBE_BYTES)
            d->probe[d->probe_count++] = bytes.p[used++];
        if (d->probe_count < PROBE_BYTES)
            return;
        choose(d);
    }
    feed_known(d, str_slice(bytes, used, bytes.n));
}

void encoding_end(struct decoder *d) {
    if (d->encoding == ENCODING_UNKNOWN)
        choose(d);
    if (d->high || d->has_half)
        utf8_put(&d->out, 0xFFFD);
    d->high = 0;
    d->has_half = false;
    flush(d);
}

enum log_kind encoding_kind(const struct decoder *d) {
    return d->kind;
}
