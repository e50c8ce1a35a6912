/* digest.h: a hash of content. 128 bits in two lanes of 64, fed in words of
 * eight bytes, the same on every machine. It is not cryptographic: it tells
 * corpora apart and detects damage, but an attacker can make collisions. */
#ifndef INDEX_DIGEST_H
#define INDEX_DIGEST_H

#include "base/str.h"

#define DIGEST_HEX 32 /* digits */

struct digest {
    uint64_t lane[2];
};

void digest_init(struct digest *d);
void digest_int(struct digest *d, int64_t n);
void digest_str(struct digest *d, struct str s); /* feeds the length, too */
void digest_hex(const struct digest *d, char out[DIGEST_HEX + 1]);

/* A fast 32-bit checksum against damage. seed: which bytes these are, so that
 * the same bytes in another place have another checksum. */
uint32_t check_of(uint64_t seed, struct str s);

#endif
