/* read_model.c: models by number and by the names that people use.
 *
 *     the whole name        exact
 *     its last part         exact for a local path, else a copy
 *     without its packing   a repack: -AWQ, -Q4_K_M.gguf, -bnb-4bit
 *     with the default tag  Ollama's default: llama3.1
 *     as words              another spelling: llama3.1:8b
 *     a run of its words    a fine-tuned model: Hermes-3-Llama-3.1-8B
 *     words and a size      the same: Llama-3.1-SauerkrautLM-8b
 *     a prefix of its tag   Ollama's variants: deepseek-r1:32b-qwen-distill
 *     its folder            the nearest folder of a path with such a name
 *
 * They are tried in this order; the first that is in the catalogue is the
 * answer. From the third on the match is marked as a guess, as is a copy. A
 * bare name in small letters is looked up with Ollama's default tag first: its
 * `deepseek-r1` is the distilled 8B, not the hub's DeepSeek-R1. A guess never
 * ignores a size or a family (model_words_identify).
 */
#include "index/model_name.h"
#include "base/limits.h"
#include "index/read.h"

/* Sums over layers are not checked for overflow, so their number is. */
static void check_layers(const struct reader *r, int64_t layers) {
    if (layers > MODEL_LAYERS_MAX)
        arena_raise(r->arena, FAIL_INDEX, "the index is damaged (a model has "
                    "more layers than there can be); build or install it "
                    "anew");
}

size_t reader_model_count(const struct reader *r) {
    return reader_count(r, SECTION_MODEL);
}

const struct model *reader_model_numbered(struct reader *r, uint32_t number) {
    struct model *m = reader_noun(r, SECTION_MODEL, number, &shape_model);
    check_layers(r, m->layers);
    for (size_t i = 0; i < m->group_count; i++)
        check_layers(r, m->groups[i].layers);
    return m;
}

/* ---- by name ---- */

static const struct model *look_up(struct reader *r, const char *form,
                                   struct str name) {
    uint32_t number;
    bool is_known = name.n > 0 &&
                    reader_number(r, SECTION_MODEL_NAME,
                                  pack_name_key(r->arena, form, name),
                                  &number);
    return is_known ? reader_model_numbered(r, number) : NULL;
}

static const struct model *by_spelling(struct reader *r,
                                       const struct model_name *name,
                                       bool *is_copy) {
    const struct model *m = look_up(r, "name", name->full);
    *is_copy = false;
    if (m == NULL) {
        m = look_up(r, "last", name->last);
        *is_copy = !name->is_path && name->full.n > name->last.n;
    }
    return m;
}

/* "llama3.1": the model that Ollama takes for a name without a tag. */
static const struct model *by_default_tag(struct reader *r,
                                          const struct model_name *name) {
    if (name->full.n > name->last.n ||
        str_find(name->last, STR(":")) < name->last.n)
        return NULL;
    return look_up(r, "name", arena_printf(r->arena, "%.*s:latest",
                                           STR_ARG(name->last)));
}

/* The longest run of words that the catalogue knows as a name. */
static const struct model *by_words(struct reader *r, struct str bare) {
    struct model_words words = model_words_of(r->arena, bare);
    for (size_t count = words.count; count > 0; count--) {
        for (size_t from = 0; from + count <= words.count; from++) {
            if (count < words.count &&
                !model_words_identify(&words, from, count))
                continue;
            const struct model *m = look_up(
                r, "words", model_words_join(r->arena, &words, from, count));
            if (m != NULL)
                return m;
        }
    }
    return NULL;
}

/* Llama-3.1-SauerkrautLM-8b: the size is apart from the family. */
static const struct model *by_words_apart(struct reader *r, struct str bare) {
    struct model_words words = model_words_of(r->arena, bare);
    size_t size = model_words_size(&words);
    for (size_t count = size; size < words.count && count > 0; count--) {
        for (size_t from = 0; from + count < size; from++) {
            if (!model_words_identify_with_size(&words, from, count, size))
                continue;
            struct str family = model_words_join(r->arena, &words, from, count);
            struct str last = model_words_join(r->arena, &words, size, 1);
            const struct model *m = look_up(
                r, "words", arena_printf(r->arena, "%.*s%.*s",
                                         STR_ARG(family), STR_ARG(last)));
            if (m != NULL)
                return m;
        }
    }
    return NULL;
}

/* deepseek-r1:32b-qwen-distill: what follows the size in a tag is a variant
 * of that size. */
static const struct model *by_tag(struct reader *r, struct str name) {
    size_t colon = str_find(name, STR(":"));
    const struct model *m = NULL;
    while (m == NULL && name.n > colon + 1) {
        m = look_up(r, "name", name);
        do {
            name.n--;
        } while (name.n > colon + 1 && name.p[name.n] != '-');
    }
    return m;
}

/* True for a bare name in small letters, as users of Ollama type it. */
static bool is_of_ollama(struct str given, const struct model_name *name) {
    given = str_trim(given);
    return name->full.n == name->last.n && str_eq(given, name->full);
}

/* /models/qwen3.6-27b-gguf/custom/Mine-IQ4_KS.gguf: the nearest folder that is
 * named like a model. */
static const struct model *by_folder(struct reader *r, struct str path) {
    const struct model *m = NULL;
    path = str_trim(path);
    for (int i = 0; m == NULL && i < MODEL_FOLDERS_MAX; i++) {
        while (path.n > 0 && path.p[path.n - 1] != '/')
            path.n--;
        if (path.n < 2)
            return NULL;
        path.n--;
        struct str ignored;
        struct model_name folder = model_name_of(r->arena, path);
        struct str bare = model_name_bare(r->arena, folder.last, &ignored);
        m = look_up(r, "last", bare);
        m = m != NULL ? m : by_words(r, bare);
    }
    return m;
}

struct model_match reader_model(struct reader *r, struct str name) {
    struct arena *a = r->arena;
    struct model_name given = model_name_of(a, name), bare = given;
    struct model_match match = {.model = NULL};
    bare.full = model_name_bare(a, given.full, &match.quantization);
    bare.last = model_name_bare(a, given.last, &match.quantization);
    bool is_packed = bare.last.n < given.last.n;
    match.model = by_spelling(r, &given, &match.is_guess);
    if (is_of_ollama(name, &given) && by_default_tag(r, &given) != NULL) {
        const struct model *first = by_default_tag(r, &given);
        match.is_guess = match.is_guess || first != match.model;
        match.model = first;
    }
    if (match.model == NULL && is_packed) {
        match.model = by_spelling(r, &bare, &match.is_guess);
        match.is_guess = true;
    }
    if (match.model == NULL) {
        match.model = by_default_tag(r, &given);
        match.is_guess = true;
    }
    if (match.model == NULL) {
        match.model = by_words(r, bare.last);
        match.is_guess = true;
    }
    if (match.model == NULL)
        match.model = by_words_apart(r, bare.last);
    if (match.model == NULL)
        match.model = by_tag(r, given.last);
    if (match.model == NULL && given.is_path)
        match.model = by_folder(r, name);
    match.is_guess = match.is_guess && match.model != NULL;
    return match;
}

/* The distance to the whole id, or to the id without its owner. */
static size_t model_distance(struct arena *a, struct str asked,
                             struct str name) {
    struct str id = arena_lower(a, name);
    struct str last = str_slice(id, str_find_char(id, '/') + 1, id.n);
    size_t whole = near_distance(asked, id);
    size_t part = near_distance(asked, last.n > 0 ? last : id);
    return part < whole ? part : whole;
}

struct near reader_models_near(struct reader *r, struct str name) {
    struct model_name given = model_name_of(r->arena, name);
    struct near near = {.count = 0};
    for (uint32_t i = 0; i < reader_count(r, SECTION_MODEL); i++) {
        const struct model *m = reader_model_numbered(r, i);
        size_t full = model_distance(r->arena, given.full, m->id);
        size_t last = model_distance(r->arena, given.last, m->id);
        for (size_t k = 0; k < m->aliases.count; k++) {
            struct str tag, bare = str_cut(m->aliases.at[k], ':', &tag);
            size_t d = model_distance(r->arena, given.last, bare);
            last = d < last ? d : last;
        }
        if (full <= near_enough(given.last) || last <= near_enough(given.last))
            near_offer(&near, m->id, full < last ? full : last);
    }
    return near;
}
