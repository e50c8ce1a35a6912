/* room.c: what can be said where the catalogue does not have the model, or the
 * file names none.
 *
 *     --model /model --served-model-name gpt-oss-20b   asked by that name
 *     --model ./models/3.1-8b-instruct                 by its size: at most
 *                                                      8 x 1.3 x 10^9 x 2 bytes
 *     --model "$MODEL"                                 what the cards hold
 *
 * By another name than the path's, or by a size, nothing is said not to fit, and
 * nothing surely to fit. */
#include "launch/work.h"

#define OVER_NAME 13 / 10   /* gemma-7b has 8.5 x 10^9, Qwen3-0.6B 0.75 */
#define OF_ROOM 3 / 4       /* the rest is for one step */
#define BYTES_OF_VALUE 2    /* of a key, 16 bits */
#define PARAMS_OF_MANY 7000000000 /* from there on tables of words, which stay
                                     in 16 bits, are a fifth at most */
#define WHOLE_MICRO INT64_C(1000000)

static const struct fact *input_of(const struct asked *it,
                                   enum fact_name name) {
    const struct fact *f = it->fit != NULL ? &it->fit->c.in[name] : NULL;
    return f != NULL && f->known ? f : NULL;
}

/* Of one card that the engine may fill. */
static int64_t share_of(const struct asked *it, int64_t bytes) {
    static const enum fact_name shares[] = {FACT_gpu_memory_utilization,
                                            FACT_mem_fraction_static};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const struct fact *share = input_of(it, shares[i]);
        if (share != NULL && share->number > 0 &&
            share->number <= WHOLE_MICRO)
            return bytes / WHOLE_MICRO * share->number;
    }
    return bytes;
}

int64_t room_for_weights(const struct asked *it) {
    int64_t room = 0;
    if (it->fit == NULL || it->fit->c.model != NULL ||
        it->fits != FIT_UNKNOWN || weights_may_spill(it))
        return 0;
    return mul_i64(share_of(it, card_most(it)), cards_sharing(&it->fit->c),
                   &room)
               ? room
               : 0;
}

/* ---- by its size ---- */

/* Bytes for one token of a model without groups of heads: as many layers as
 * its width has 128s. So many parameters are 12 x width^2 x layers. */
static int64_t cache_of_token(int64_t params) {
    int64_t width = 512;
    while (width < 32768 && 12 * width * width / 128 * width < params)
        width += 64;
    return 2 * BYTES_OF_VALUE * (width / 128) * width;
}

/* Of the longest request; 0: the model's own, which nobody knows. */
static int64_t length_of(const struct asked *it) {
    const struct fact *f = input_of(it, FACT_max_model_len);
    if (f == NULL)
        f = input_of(it, FACT_context_length);
    return f != NULL && f->source != SOURCE_DEFAULT ? f->number : 0;
}

/* Tenths of a bit that a weight takes at most: 16, as engines load 32 so; where
 * a format is named 4.5 or 8.5, and 16 for a fifth. */
static int64_t bits_most(struct lint_work *k, const struct asked *it,
                         int64_t params) {
    int64_t least = bits_named(k, it);
    if (least == 0 || params < PARAMS_OF_MANY)
        return 160;
    return least <= 40 ? 70 : least <= 80 ? 100 : 160;
}

bool is_likely_by_size(struct lint_work *k, const struct asked *it) {
    const struct fact *model = input_of(it, FACT_model);
    const struct fact *total = input_of(it, FACT_gpu_total);
    const struct fact *dtype = input_of(it, FACT_dtype);
    int64_t need = 0, cache = 0, length = length_of(it);
    if (model == NULL || it->fit->c.model != NULL || length <= 0 ||
        total == NULL || it->fits != FIT_UNKNOWN ||
        (dtype != NULL && str_eq(dtype->word, STR("float32"))))
        return false;
    int64_t params = params_named(model->word) * OVER_NAME;
    int64_t ranks = it->fit->c.in[FACT_tensor_parallel].number *
                    it->fit->c.in[FACT_pipeline_parallel].number;
    int64_t least = total->ranged ? total->low : total->number;
    bool is_known = params > 0 &&
                    mul_i64(cache_of_token(params), length, &cache) &&
                    mul_i64(params, bits_most(k, it, params), &need);
    return is_known && (need / 80 + cache) / (ranks > 1 ? ranks : 1) <=
                           share_of(it, least) * OF_ROOM;
}

/* ---- by what it is called ---- */

static struct str name_served(const struct workload *w) {
    static const char *const flags[] = {"--served-model-name", "--alias"};
    for (size_t i = 0; i < w->words.count; i++) {
        struct str value, name = str_cut(w->words.at[i].text, '=', &value);
        for (size_t n = 0; n < sizeof flags / sizeof *flags; n++)
            if (str_eq(name, str_of(flags[n])))
                return value.n > 0 || i + 1 == w->words.count
                           ? value
                           : w->words.at[i + 1].text;
    }
    return (struct str){NULL, 0};
}

static struct str flag_of_model(const struct engine *e) {
    for (size_t i = 0; i < e->flag_count; i++)
        if (e->flags[i].fact == FACT_model)
            return e->flags[i].flag;
    return STR("--model");
}

const struct workload *workload_by_served(struct lint_work *k,
                                          const struct asked *it) {
    struct str served = name_served(it->w);
    const struct fact *model = input_of(it, FACT_model);
    if (it->fit == NULL || it->fit->c.model != NULL || served.n == 0 ||
        str_find_char(served, '$') < served.n ||
        reader_model(k->r, served).model == NULL ||
        (model != NULL && params_named(model->word) > 0))
        return NULL;
    struct workload *copy = arena_alloc(k->a, sizeof *copy);
    *copy = *it->w;
    copy->words = (struct word_list){0};
    bool is_put = false;
    for (size_t i = 0; i < it->w->words.count; i++) {
        struct lint_word word = it->w->words.at[i];
        bool is_model = model != NULL && str_eq(word.text, model->word);
        is_put = is_put || is_model;
        word_add(k->a, &copy->words, is_model ? served : word.text, word.at);
    }
    if (!is_put) {
        word_add(k->a, &copy->words, flag_of_model(it->engine), it->w->at);
        word_add(k->a, &copy->words, served, it->w->at);
    }
    return copy;
}
