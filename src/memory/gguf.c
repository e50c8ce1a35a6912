/* gguf.c: the header of a GGUF file -> the shape of its caches.
 *
 *     "GGUF" version tensors pairs | key type value ... | name dims type at ...
 *
 * Only metadata and the list of tensors are read; the weights follow and are
 * not needed. Everything is a stranger's: lengths are held against what is
 * there, arrays are skipped by arithmetic, nothing is allocated by a number
 * from the file. Little-endian, versions 2 and 3 (1 had other lengths).
 */
#include "memory/gguf.h"

#include "base/limits.h"
#include "base/units.h"

struct cursor {
    struct arena *a;
    struct str left, name;
    bool is_cut; /* ran out: only asked about among the tensors */
};

enum value_type {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    BOOL,
    STRING,
    ARRAY,
    U64,
    I64,
    F64,
    TYPE_COUNT
};

static _Noreturn void refuse(const struct cursor *c, const char *why) {
    arena_raise(c->a, FAIL_INPUT, "%.*s: %s",
                (int)(c->name.n < 100 ? c->name.n : 100), c->name.p, why);
}

static uint64_t take(struct cursor *c, size_t bytes) {
    uint64_t n = 0;
    if (c->left.n < bytes) {
        c->is_cut = true;
        c->left.n = 0;
        return 0;
    }
    for (size_t i = bytes; i > 0; i--) {
        n = n << 8 | (unsigned char)c->left.p[i - 1];
    }
    c->left = str_slice(c->left, bytes, c->left.n);
    return n;
}

static struct str take_text(struct cursor *c) {
    uint64_t n = take(c, 8);
    if (n > c->left.n) {
        c->is_cut = true;
        c->left.n = 0;
        return (struct str){NULL, 0};
    }
    struct str s = str_slice(c->left, 0, (size_t)n);
    c->left = str_slice(c->left, (size_t)n, c->left.n);
    return s;
}

static void skip(struct cursor *c, uint64_t count, size_t bytes) {
    if (count > c->left.n / bytes) {
        c->is_cut = true;
        c->left.n = 0;
        return;
    }
    c->left = str_slice(c->left, (size_t)count * bytes, c->left.n);
}

static size_t size_of(uint32_t type) {
    static const size_t sizes[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4,
                                             1, 0, 0, 8, 8, 8};
    return type < TYPE_COUNT ? sizes[type] : 0;
}

/* ---- what is kept of the metadata (KEYS in gguf.h) ---- */

static const char *const key_texts[KEY_COUNT] = {
#define X(name, text) text,
    KEYS(X)
#undef X
};

static int64_t clamp(uint64_t n, uint32_t type) {
    if (type == I32) {
        n = (uint64_t)(int64_t)(int32_t)(uint32_t)n;
    }
    return n > (uint64_t)MODEL_NUMBER_MAX ? 0 : (int64_t)n;
}

static bool is_whole(uint32_t type) {
    return type < TYPE_COUNT && type != F32 && type != F64 && type != STRING &&
           type != ARRAY;
}

static void take_array(struct cursor *c, struct list *into, uint64_t *length) {
    uint32_t type = (uint32_t)take(c, 4);
    uint64_t count = take(c, 8);
    *length = count;
    if (type == STRING) {
        for (uint64_t i = 0; i < count && !c->is_cut; i++) {
            take_text(c);
        }
        return;
    }
    size_t bytes = size_of(type);
    if (bytes == 0) {
        refuse(c, "an array of a type that GGUF does not have");
    }
    if (into == NULL || count > LIST_MAX || !is_whole(type)) {
        skip(c, count, bytes);
        return;
    }
    into->is_there = true;
    for (uint64_t i = 0; i < count && !c->is_cut; i++) {
        into->at[into->count++] = clamp(take(c, bytes), type);
    }
}

static struct list *list_of(struct header *h, struct str key) {
    struct str rest;
    struct str first = str_cut(key, '.', &rest);
    if (h->architecture.n > 0 && !str_eq(first, h->architecture)) {
        return NULL;
    }
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (str_eq(rest, str_of(key_texts[i])) && !h->value[i].is_there) {
            return &h->value[i];
        }
    }
    return NULL;
}

static void take_pair(struct cursor *c, struct header *h) {
    struct str key = take_text(c);
    uint32_t type = (uint32_t)take(c, 4);
    struct list *into = key.n <= GGUF_KEY_BYTES_MAX ? list_of(h, key) : NULL;
    uint64_t length = 0;
    if (type == STRING) {
        struct str text = take_text(c);
        if (str_eq(key, STR("general.architecture"))) {
            h->architecture = text;
        } else if (str_eq(key, STR("general.name"))) {
            h->name = text;
        }
    } else if (type == ARRAY) {
        take_array(c, into, &length);
        if (str_eq(key, STR("tokenizer.ggml.tokens"))) {
            h->tokens =
                length < (uint64_t)MODEL_NUMBER_MAX ? (int64_t)length : 0;
        }
    } else if (size_of(type) > 0) {
        uint64_t n = take(c, size_of(type));
        if (str_eq(key, STR("general.file_type"))) {
            h->file_type = clamp(n, type);
        }
        if (into && is_whole(type)) {
            into->is_there = true;
            into->at[into->count++] = clamp(n, type);
        }
    } else if (!c->is_cut) {
        refuse(c, "a value of a type that GGUF does not have");
    }
}

/* ---- tensors ---- */

/* Bytes of a block of elements, by ggml's numbers. */
static bool block_of(uint32_t type, int64_t *bytes, int64_t *elements) {
    static const struct {
        uint32_t type;
        int64_t bytes, elements;
    } blocks[] = {
        {0, 4, 1},      {1, 2, 1},      {30, 2, 1},     {2, 18, 32},
        {3, 20, 32},    {6, 22, 32},    {7, 24, 32},    {8, 34, 32},
        {9, 36, 32},    {10, 84, 256},  {11, 110, 256}, {12, 144, 256},
        {13, 176, 256}, {14, 210, 256}, {15, 292, 256}, {16, 66, 256},
        {17, 74, 256},  {18, 98, 256},  {19, 50, 256},  {20, 18, 32},
        {21, 110, 256}, {22, 82, 256},  {23, 136, 256}, {24, 1, 1},
        {25, 2, 1},     {26, 4, 1},     {27, 8, 1},     {28, 8, 1},
        {29, 56, 256},  {34, 54, 256},  {35, 66, 256},  {39, 17, 32},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (blocks[i].type == type) {
            *bytes = blocks[i].bytes;
            *elements = blocks[i].elements;
            return true;
        }
    }
    return false;
}

static bool take_tensor(struct cursor *c, struct header *h) {
    take_text(c);
    uint64_t dims = take(c, 4);
    int64_t elements = 1, bytes = 0, of = 1, size;
    bool ok = dims <= 8;
    for (uint64_t i = 0; ok && i < dims; i++) {
        uint64_t n = take(c, 8);
        ok = n <= INT64_MAX && mul_i64(elements, (int64_t)n, &elements);
    }
    uint32_t type = (uint32_t)take(c, 4);
    take(c, 8);
    return ok && !c->is_cut && block_of(type, &bytes, &of) &&
           mul_div_floor(elements, bytes, of, &size) &&
           add_i64(h->params, elements, &h->params) &&
           add_i64(h->bytes, size, &h->bytes);
}

static void take_tensors(struct cursor *c, struct header *h, uint64_t count) {
    bool ok = count <= GGUF_TENSORS_MAX;
    for (uint64_t i = 0; ok && i < count; i++) {
        ok = take_tensor(c, h);
    }
    if (!ok) { /* cut, or of a type of tomorrow: then nothing is summed */
        h->params = h->bytes = 0;
    }
}

bool gguf_is_one(struct str bytes) {
    return str_starts(bytes, STR("GGUF"));
}

const struct model *gguf_model(struct arena *a, struct str bytes,
                               struct str name, int64_t *weights_bytes) {
    struct cursor c = {.a = a, .left = bytes, .name = name};
    struct header h = {.file_type = -1};
    h.value = arena_array(a, KEY_COUNT, sizeof *h.value);
    if (!gguf_is_one(bytes)) {
        refuse(&c, "not a GGUF file");
    }
    take(&c, 4);
    uint64_t version = take(&c, 4);
    if (version < 2 || version > 3) {
        refuse(&c, "a GGUF version other than 2 and 3, or big-endian");
    }
    uint64_t tensors = take(&c, 8), pairs = take(&c, 8);
    for (uint64_t i = 0; i < pairs && i < GGUF_KEYS_MAX && !c.is_cut; i++) {
        take_pair(&c, &h);
    }
    if (c.is_cut || pairs > GGUF_KEYS_MAX) {
        refuse(&c, "its metadata end in the middle");
    }
    take_tensors(&c, &h, tensors);
    *weights_bytes = h.bytes;
    const struct model *m = gguf_shape(a, &h, name);
    if (m == NULL) {
        refuse(&c, "its metadata name no number of layers or no width: it "
                   "should be the first file of a language model");
    }
    return m;
}
