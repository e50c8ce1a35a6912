/* digest.c: two lanes of xor, multiply and fold, as FNV does by bytes, each
 * with its own seed and odd multiplier. Words are little-endian everywhere;
 * the last one is filled up with zeros and the length is fed in front, so that
 * neither "a" + "bc" and "ab" + "c" nor "a" and "a\0" fall together. */
#include "index/digest.h"

void digest_init(struct digest *d) {
    d->lane[0] = UINT64_C(0xcbf29ce484222325);
    d->lane[1] = UINT64_C(0x9ae16a3b2f90404f);
}

static void feed(struct digest *d, uint64_t word) {
    static const uint64_t odd[2] = {UINT64_C(0x9e3779b97f4a7c15),
                                    UINT64_C(0xc2b2ae3d27d4eb4f)};
    for (int i = 0; i < 2; i++) {
        uint64_t lane = (d->lane[i] ^ word) * odd[i];
        d->lane[i] = lane ^ (lane >> 29);
    }
}

void digest_int(struct digest *d, int64_t n) { feed(d, (uint64_t)n); }

static uint64_t word_at(struct str s, size_t from) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && from + i < s.n; i++) {
        word |= (uint64_t)(unsigned char)s.p[from + i] << (8 * i);
    }
    return word;
}

void digest_str(struct digest *d, struct str s) {
    feed(d, s.n);
    for (size_t i = 0; i < s.n; i += 8) {
        feed(d, word_at(s, i));
    }
}

void digest_hex(const struct digest *d, char out[DIGEST_HEX + 1]) {
    static const char digits[] = "0123456789abcdef";
    struct digest last = *d;
    feed(&last, 0); /* so that the last word is folded in full */
    for (int i = 0; i < DIGEST_HEX; i++) {
        uint64_t lane = last.lane[i / 16];
        out[i] = digits[(lane >> (60 - 4 * (i % 16))) & 15];
    }
    out[DIGEST_HEX] = '\0';
}
