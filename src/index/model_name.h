/* model_name.h: what people write where a model is meant, taken apart. Words
 * only: which of them the catalogue knows is asked elsewhere. */
#ifndef INDEX_MODEL_NAME_H
#define INDEX_MODEL_NAME_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"

struct model_name {
    struct str full; /* in lower case: org/name; of a path its last two parts */
    struct str last; /* the last part of it */
    bool is_path;    /* a directory or file: the rest of it says nothing */
};

struct model_name model_name_of(struct arena *a, struct str given);

/* Take off what repackers add to a name: -AWQ, -GPTQ-Int4, -Q4_K_M.gguf,
 * -bnb-4bit ... Returns name when there is nothing; *quantization is how the
 * weights are stored then: vLLM's word (awq gptq fp8 bitsandbytes mxfp4) where
 * it tells the width, else the name's own (w8a8, Q4_K_M, gptq-int8). */
struct str model_name_bare(struct arena *a, struct str name,
                           struct str *quantization);

/* "Llama-3.1-8B-Instruct" -> llama 3.1 8b: words and numbers apart, without
 * the words that change no shape (instruct, chat, hf ...). */
struct model_words {
    struct str at[MODEL_WORDS_MAX];
    size_t count; /* 0: too many words to be a name */
};
struct model_words model_words_of(struct arena *a, struct str last);
struct str model_words_join(struct arena *a, const struct model_words *w,
                            size_t from, size_t count);
/* May words [from, from + count) stand for the whole name? Not when another
 * size is left over, nor a word that makes it another architecture. */
bool model_words_may_stand(const struct model_words *w, size_t from,
                           size_t count);
/* Which word is the size; count: none, or several. */
size_t model_words_size(const struct model_words *w);
/* May words [from, from + count) and the size that stands apart from them?
 * "Llama-3.1-SauerkrautLM-8b": a version, a size, and names between. */
bool model_words_may_be_apart(const struct model_words *w, size_t from,
                              size_t count, size_t size);

#endif
