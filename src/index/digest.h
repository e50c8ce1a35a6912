/* digest.h: a name for content. 128 bits in two lanes of 64, fed in words of
 * eight bytes, the same on every machine. It tells corpora and damaged bytes
 * apart; it does not stand against somebody who wants two to collide. */
#ifndef INDEX_DIGEST_H
#define INDEX_DIGEST_H

#include "base/str.h"

#define DIGEST_HEX 32 /* digits */

struct digest {
    uint64_t lane[2];
};

void digest_init(struct digest *d);
void digest_int(struct digest *d, int64_t n);
void digest_str(struct digest *d, struct str s); /* its length counts, too */
void digest_hex(const struct digest *d, char out[DIGEST_HEX + 1]);

/* Bytes that are not what was written are told by 32 bits, at the speed of
 * memory. seed: what they are; the same bytes elsewhere are others. */
uint32_t check_of(uint64_t seed, struct str s);

#endif
