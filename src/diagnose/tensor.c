/* tensor.c: the bytes of a tensor whose shape and type the message prints.
 *
 *   OOM when allocating tensor with shape[64,3,512,512] and type float on ...
 *   Unable to allocate 149. GiB for an array with shape (200000, 100000) and
 *   data type float64
 *   f32[16,16384,16384]
 *
 *   64 x 3 x 512 x 512 x 4 bytes (float) = 201326592
 *
 * Without a printed type, the width follows from the request, if a whole number
 * of bytes per element gives that; else no fact is added.
 */
#include "diagnose/work.h"

#include "base/limits.h"

#include <inttypes.h>

struct shape {
    int64_t elements;
    struct str dims; /* as printed */
};

static int64_t bytes_of_type(struct str type) {
    static const struct {
        const char *name;
        int64_t bytes;
    } types[] = {
        {"float", 4},      {"float32", 4},  {"f32", 4},     {"int32", 4},
        {"s32", 4},        {"u32", 4},      {"uint32", 4},  {"double", 8},
        {"float64", 8},    {"f64", 8},      {"int64", 8},   {"s64", 8},
        {"u64", 8},        {"uint64", 8},   {"complex64", 8},
        {"complex128", 16}, {"c64", 8},     {"half", 2},    {"float16", 2},
        {"f16", 2},        {"bf16", 2},     {"bfloat16", 2}, {"int16", 2},
        {"uint16", 2},     {"int8", 1},     {"uint8", 1},   {"s8", 1},
        {"u8", 1},         {"bool", 1},     {"pred", 1},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (str_eq(type, str_of(types[i].name)))
            return types[i].bytes;
    return 0;
}

static struct str word_at(struct str text) {
    size_t n = 0;
    while (n < text.n && (is_lower(text.p[n]) || is_digit(text.p[n])))
        n++;
    return str_slice(text, 0, n);
}

/* Reads "64, 3,512]" up to the closing bracket. *rest: the text behind it. */
static bool read_dims(struct str text, char close, struct shape *out,
                      struct str *rest) {
    size_t end = str_find_char(text, close), count = 0;
    struct str dims = str_slice(text, 0, end), left = dims;
    if (end == text.n || end == 0)
        return false;
    out->elements = 1;
    out->dims = dims;
    while (left.n > 0) {
        int64_t n;
        struct str dim = str_trim(str_cut(left, ',', &left));
        if (dim.n == 0 && left.n == 0)
            break; /* "(3, )" */
        if (!str_to_int(dim, &n) || n < 0 || ++count > TENSOR_DIMS_MAX ||
            !mul_i64(out->elements, n, &out->elements))
            return false;
    }
    *rest = str_slice(text, end + 1, text.n);
    return true;
}

/* The type in "type float" or "data type float64"; empty: none. */
static struct str type_named(struct str rest) {
    struct str near = str_slice(rest, 0, 40);
    size_t at = str_find(near, STR("type "));
    return at < near.n ? word_at(str_slice(rest, at + 5, rest.n))
                       : (struct str){NULL, 0};
}

/* Finds a shape behind the words "shape[" or "shape (", else one of XLA, which
 * begins with its type: "f32[16,16384,16384]". */
static bool find_shape(struct str text, struct shape *shape, struct str *type) {
    static const char *const opens[] = {
        "shape[", "shape [", "shape (", "shape=(", "Shape:{", "f32[",
        "bf16[",  "f16[",    "f64[",    "s32[",    "u8["};
    for (size_t i = 0; i < sizeof opens / sizeof opens[0]; i++) {
        struct str open = str_of(opens[i]), rest;
        struct str before = word_at(open);
        bool is_typed = bytes_of_type(before) > 0;
        size_t at = str_find(text, open);
        bool is_cut = is_typed && at > 0 && at < text.n &&
                      is_lower(text.p[at - 1]); /* the f16[ of bf16[ */
        char last = open.p[open.n - 1];
        char close = last == '[' ? ']' : last == '(' ? ')' : '}';
        if (at < text.n && !is_cut &&
            read_dims(str_from(text, at + open.n), close, shape, &rest)) {
            *type = is_typed ? before : type_named(rest);
            return true;
        }
    }
    return false;
}

/* The bytes per element that give the request; 0: none. */
static int64_t width_by_request(const struct fact_list *facts,
                                int64_t elements) {
    const struct fact *asked = facts_first(facts, FACT_tried_alloc);
    for (int64_t width = 1; asked && width <= 8; width *= 2) {
        int64_t bytes;
        if (mul_i64(elements, width, &bytes) && bytes > 0 &&
            fact_low(asked) <= bytes && bytes <= fact_high(asked))
            return width;
    }
    return 0;
}

void tensor_derive(struct diagnosis *d, struct sighting *s) {
    struct shape shape;
    struct str type = {NULL, 0};
    struct fact f = fact_blank(FACT_tensor_bytes, SOURCE_DERIVED);
    if (!find_shape(s->hit->text, &shape, &type))
        return;
    int64_t width = type.n > 0 ? bytes_of_type(type)
                               : width_by_request(&s->facts, shape.elements);
    if (width == 0 || !mul_i64(shape.elements, width, &f.number) ||
        f.number == 0)
        return;
    f.known = true;
    f.line = s->hit->first_line;
    f.formula = arena_printf(
        d->a, "%.*s elements x %" PRId64 " bytes%s%.*s = %" PRId64,
        STR_ARG(shape.dims), width, type.n > 0 ? " of " : "", STR_ARG(type),
        f.number);
    facts_add_new(d->a, &s->facts, &f);
}
