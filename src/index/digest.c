/* digest.c: two lanes of xor, multiply and fold, as FNV does by bytes, each
 * with its own seed and odd multiplier. Words are little-endian everywhere;
 * the last one is padded with zeros and the length is fed first, so that
 * neither "a" + "bc" and "ab" + "c" nor "a" and "a\0" collide. A checksum uses
 * the same step on eight lanes in turn and folds them. */
#include "index/digest.h"

#define CHECK_LANES 8

static const uint64_t odd[4] = {
    UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f),
    UINT64_C(0xff51afd7ed558ccd), UINT64_C(0xd6e8feb86659fd93)};

void digest_init(struct digest *d) {
    d->lane[0] = UINT64_C(0xcbf29ce484222325);
    d->lane[1] = UINT64_C(0x9ae16a3b2f90404f);
}

static uint64_t mixed(uint64_t lane, uint64_t word, uint64_t by) {
    lane = (lane ^ word) * by;
    return lane ^ (lane >> 29);
}

static void feed(struct digest *d, uint64_t word) {
    for (int i = 0; i < 2; i++)
        d->lane[i] = mixed(d->lane[i], word, odd[i]);
}

void digest_int(struct digest *d, int64_t n) { feed(d, (uint64_t)n); }

/* Compilers turn this into one load if the machine allows that. */
static uint64_t whole_word(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 |
           (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static uint64_t word_at(struct str s, size_t from) {
    if (s.n - from >= 8)
        return whole_word(s.p + from);
    uint64_t word = 0;
    for (size_t i = 0; from + i < s.n; i++)
        word |= (uint64_t)(unsigned char)s.p[from + i] << (8 * i);
    return word;
}

void digest_str(struct digest *d, struct str s) {
    feed(d, s.n);
    for (size_t i = 0; i < s.n; i += 8)
        feed(d, word_at(s, i));
}

void digest_hex(const struct digest *d, char out[DIGEST_HEX + 1]) {
    static const char digits[] = "0123456789abcdef";
    struct digest last = *d;
    feed(&last, 0); /* folds the last word completely */
    for (int i = 0; i < DIGEST_HEX; i++) {
        uint64_t lane = last.lane[i / 16];
        out[i] = digits[(lane >> (60 - 4 * (i % 16))) & 15];
    }
    out[DIGEST_HEX] = '\0';
}

uint32_t check_of(uint64_t seed, struct str s) {
    uint64_t lane[CHECK_LANES] = {seed, seed, seed, seed,
                                  seed, seed, seed, seed};
    size_t i = 0;
    for (; s.n - i >= 8 * CHECK_LANES; i += 8 * CHECK_LANES) {
        const char *p = s.p + i; /* unrolled: the lanes run in parallel */
        lane[0] = mixed(lane[0], whole_word(p), odd[0]);
        lane[1] = mixed(lane[1], whole_word(p + 8), odd[1]);
        lane[2] = mixed(lane[2], whole_word(p + 16), odd[2]);
        lane[3] = mixed(lane[3], whole_word(p + 24), odd[3]);
        lane[4] = mixed(lane[4], whole_word(p + 32), odd[0]);
        lane[5] = mixed(lane[5], whole_word(p + 40), odd[1]);
        lane[6] = mixed(lane[6], whole_word(p + 48), odd[2]);
        lane[7] = mixed(lane[7], whole_word(p + 56), odd[3]);
    }
    uint64_t sum = mixed(s.n, seed, odd[0]);
    for (; i < s.n; i += 8)
        sum = mixed(sum, word_at(s, i), odd[1]);
    for (size_t k = 0; k < CHECK_LANES; k++)
        sum = mixed(sum, lane[k], odd[k % 4]);
    return (uint32_t)(sum ^ sum >> 32);
}
