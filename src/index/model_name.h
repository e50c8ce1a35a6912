/* model_name.h: parsing what people write as the name of a model. The catalogue
 * is not used here: read_model.c looks the parts up in it. */
#ifndef INDEX_MODEL_NAME_H
#define INDEX_MODEL_NAME_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"

struct model_name {
    struct str full; /* in lower case: org/name; of a path its last two parts */
    struct str last; /* the last part of full */
    bool is_path;    /* a directory or file: the part before last has no
                        meaning */
};

struct model_name model_name_of(struct arena *a, struct str given);

/* The name without what repackers append: -AWQ, -GPTQ-Int4, -Q4_K_M.gguf,
 * -bnb-4bit ... *quantization is the format of the weights: vLLM's word (awq
 * gptq fp8 bitsandbytes mxfp4) if that tells the width, else the one of the
 * name (w8a8, Q4_K_M, gptq-int8); empty if nothing was appended. */
struct str model_name_bare(struct arena *a, struct str name,
                           struct str *quantization);

/* "Llama-3.1-8B-Instruct" -> llama 3.1 8b: words and numbers, without words
 * that do not change the shape (instruct, chat, hf ...). */
struct model_words {
    struct str at[MODEL_WORDS_MAX];
    size_t count; /* 0: too many words to be a name */
};
struct model_words model_words_of(struct arena *a, struct str last);
struct str model_words_join(struct arena *a, const struct model_words *w,
                            size_t from, size_t count);
/* True if words [from, from + count) identify the model: no other word is a
 * size or stands for another architecture. */
bool model_words_identify(const struct model_words *w, size_t from,
                          size_t count);
/* The index of the word that is the size; w->count: none, or several. */
size_t model_words_size(const struct model_words *w);
/* The same for words [from, from + count) and a size apart from them:
 * "Llama-3.1-SauerkrautLM-8b" has a version, a size, and a name between. */
bool model_words_identify_with_size(const struct model_words *w, size_t from,
                                    size_t count, size_t size);

#endif
