/* slot.h: a place of a template that is filled in.
 *
 *     {max_model_len}      a fact, or a tool of corpus/device.h
 *     {max_num_seqs|16}    16 is typed where nothing is known of it
 *     {memory_limit:Gi}    38Gi, or 300Mi: bytes in the program's own unit
 */
#ifndef CORPUS_SLOT_H
#define CORPUS_SLOT_H

#include "base/str.h"

struct slot {
    struct str name;
    struct str unit;     /* of bytes: G Gi GiB GB g gb; empty: none */
    struct str fallback; /* empty: none */
    size_t n;            /* bytes, braces included */
};

/* Does a slot begin at the first byte of the text? Any name will do. */
bool slot_at(struct str text, struct slot *out);

#endif
