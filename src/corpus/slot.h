/* slot.h: a placeholder of a template.
 *
 *     {max_model_len}      a fact, or a tool of corpus/device.h
 *     {max_num_seqs|16}    16 if the fact is not known
 *     {memory_limit:Gi}    38Gi, or 300Mi: bytes in the program's own unit
 */
#ifndef CORPUS_SLOT_H
#define CORPUS_SLOT_H

#include "base/str.h"

struct slot {
    struct str name;
    struct str unit;     /* for bytes: G Gi GiB GB g gb; empty: none */
    struct str fallback; /* empty: none */
    size_t n;            /* bytes, braces included */
};

/* True if the text begins with a slot. The name is not checked. */
bool slot_at(struct str text, struct slot *out);

#endif
