/* model_name.c: parsing names of models as people write them.
 *
 *     /data/models--Qwen--Qwen2.5-7B-Instruct/snapshots/0a1b...
 *     unsloth/Qwen2.5-7B-Instruct-bnb-4bit      qwen2.5:7b-instruct-q4_K_M
 *     .\models\Qwen2.5-7B-Instruct-Q4_K_M-00001-of-00002.gguf
 *
 * Three steps: remove the path (model_name_of), remove the packing
 * (model_name_bare), split into words (model_words_of). A part of the words may
 * identify the model; the words left over decide whether it does, so that a
 * size or a family in the name is never ignored. Everything is compared in
 * lower case.
 */
#include "index/model_name.h"

#include "base/buf.h"
#include "base/limits.h"

static bool is_separator(char c) {
    return c == '-' || c == '_' || c == '.' || c == ':' || c == ' ' ||
           c == '/' || c == '+' || c == '@';
}

/* ---- the path ---- */

static struct str trimmed(struct str s) {
    s = str_trim(s);
    while (s.n > 0 && (s.p[0] == '\'' || s.p[0] == '"'))
        s = str_slice(s, 1, s.n);
    while (s.n > 0 && (s.p[s.n - 1] == '\'' || s.p[s.n - 1] == '"' ||
                       s.p[s.n - 1] == '/' || s.p[s.n - 1] == '\\'))
        s = str_slice(s, 0, s.n - 1);
    return s;
}

/* The offset of the last `count` parts of a path. */
static size_t last_parts_at(struct str s, int count) {
    size_t at = s.n;
    while (at > 0 && (s.p[at - 1] != '/' || --count > 0))
        at--;
    return at;
}

/* The part of a path before /snapshots. */
static struct str before_snapshots(struct str s) {
    size_t at = str_find(s, STR("/snapshots"));
    struct str left = str_slice(s, 0, at);
    return at < s.n ? str_slice(left, last_parts_at(left, 1), left.n)
                    : (struct str){NULL, 0};
}

/* Hugging Face's cache writes org/name as models--org--name, ModelScope's as
 * org--name. */
static bool of_hub_cache(struct arena *a, struct str s, struct str *full) {
    size_t at = str_find(s, STR("models--"));
    struct str rest, part = before_snapshots(s);
    bool is_marked = at < s.n && (at == 0 || s.p[at - 1] == '/');
    if (is_marked) {
        part = str_slice(s, at + 8, s.n);
        part = str_cut(part, '/', &rest);
    }
    size_t cut = str_find(part, STR("--"));
    if (!is_marked && (part.n == 0 || cut == part.n))
        return false;
    *full = cut == part.n
                ? part
                : arena_printf(a, "%.*s/%.*s", (int)cut, part.p,
                               (int)(part.n - cut - 2), part.p + cut + 2);
    return true;
}

static size_t count_of(struct str s, char c) {
    size_t count = 0;
    for (size_t i = 0; i < s.n; i++)
        count += s.p[i] == c;
    return count;
}

/* ModelScope writes a dot as ___: Qwen2___5-7B-Instruct. */
static struct str with_dots_of_modelscope(struct arena *a, struct str s) {
    struct buf b = buf_in(a, MODEL_NAME_BYTES_MAX + 1);
    while (s.n > 0) {
        size_t at = str_find(s, STR("___"));
        buf_add(&b, str_slice(s, 0, at));
        if (at < s.n)
            buf_add_char(&b, '.');
        s = str_slice(s, at < s.n ? at + 3 : at, s.n);
    }
    return arena_str(a, buf_str(&b));
}

struct model_name model_name_of(struct arena *a, struct str given) {
    struct str s = trimmed(given);
    if (s.n > MODEL_NAME_BYTES_MAX)
        s = str_slice(s, s.n - MODEL_NAME_BYTES_MAX, MODEL_NAME_BYTES_MAX);
    s = arena_swap(a, arena_lower(a, s), '\\', '/');
    s = with_dots_of_modelscope(a, s);
    struct model_name name = {.full = s};
    if (!of_hub_cache(a, s, &name.full)) {
        bool is_local = s.n > 0 && (s.p[0] == '/' || s.p[0] == '.' ||
                                    s.p[0] == '~');
        name.is_path = is_local || count_of(s, '/') > 1;
        name.full = str_slice(s, last_parts_at(s, 2), s.n);
    }
    name.last = str_slice(name.full, last_parts_at(name.full, 1), name.full.n);
    return name;
}

/* ---- the packing ---- */

/* How precisely a packing tells the width of weights, in ascending order. */
enum detail {
    DETAIL_NONE, DETAIL_FORMAT, DETAIL_BITS, DETAIL_METHOD, DETAIL_ALL
};

struct packing {
    struct str suffix; /* after a separator, in lower case */
    struct str quantization;
    enum detail detail;
};

#define PACKING(suffix, quantization, detail)                                  \
    {{suffix, sizeof suffix - 1},                                              \
     {quantization, sizeof quantization - 1},                                  \
     detail}

/* A longer suffix comes before a shorter one that it ends in. */
static const struct packing packings[] = {
    PACKING("unsloth-bnb-4bit", "bitsandbytes", DETAIL_METHOD),
    PACKING("bnb-4bit", "bitsandbytes", DETAIL_METHOD),
    PACKING("bnb-8bit", "bitsandbytes-8bit", DETAIL_ALL),
    PACKING("bnb", "bitsandbytes", DETAIL_METHOD),
    PACKING("gptq-4b-128g", "gptq", DETAIL_METHOD),
    PACKING("gptq-4bit-128g", "gptq", DETAIL_METHOD),
    PACKING("gptq-int8", "gptq-int8", DETAIL_ALL),
    PACKING("gptq-8bit", "gptq-int8", DETAIL_ALL),
    PACKING("gptq-int3", "gptq-int3", DETAIL_ALL),
    PACKING("gptq", "gptq", DETAIL_METHOD),
    PACKING("awq", "awq", DETAIL_METHOD),
    PACKING("autoround", "auto-round", DETAIL_METHOD),
    PACKING("fp8-dynamic", "fp8", DETAIL_METHOD),
    PACKING("fp8-block", "fp8", DETAIL_METHOD),
    PACKING("fp8-kv", "fp8", DETAIL_METHOD),
    PACKING("fp8", "fp8", DETAIL_METHOD),
    PACKING("nvfp4", "nvfp4", DETAIL_METHOD),
    PACKING("mxfp4", "mxfp4", DETAIL_METHOD),
    PACKING("fp4", "nvfp4", DETAIL_METHOD),
    PACKING("quantized.w4a16", "w4a16", DETAIL_METHOD),
    PACKING("quantized.w8a16", "w8a16", DETAIL_METHOD),
    PACKING("quantized.w8a8", "w8a8", DETAIL_METHOD),
    PACKING("w4a16", "w4a16", DETAIL_METHOD),
    PACKING("w4a16-g128", "w4a16", DETAIL_METHOD),
    PACKING("w8a16", "w8a16", DETAIL_METHOD),
    PACKING("w8a8", "w8a8", DETAIL_METHOD),
    PACKING("int4", "int4", DETAIL_BITS),
    PACKING("int8", "int8", DETAIL_BITS),
    PACKING("4bits", "4bit", DETAIL_BITS),
    PACKING("4bit", "4bit", DETAIL_BITS),
    PACKING("8bit", "8bit", DETAIL_BITS),
    PACKING("gguf", "gguf", DETAIL_FORMAT),
    PACKING("i1", "gguf", DETAIL_FORMAT),
    PACKING("exl2", "exl2", DETAIL_FORMAT),
    PACKING("mlx", "", DETAIL_NONE),
    PACKING("bf16", "", DETAIL_NONE),
    PACKING("fp16", "", DETAIL_NONE),
    PACKING("f16", "", DETAIL_NONE),
    PACKING("latest", "", DETAIL_NONE),
};

/* True if s ends in a separator and the suffix. *left: what is before them. */
static bool ends_in(struct str s, struct str suffix, struct str *left) {
    if (s.n < suffix.n + 2 || !str_ends(s, suffix) ||
        !is_separator(s.p[s.n - suffix.n - 1]))
        return false;
    *left = str_slice(s, 0, s.n - suffix.n - 1);
    return true;
}

/* True if s ends in a type of llama.cpp: q4_k_m, iq2_xxs, q8_0, q4_1. */
static bool ends_in_ggml_type(struct str s, struct str *left,
                              struct str *type) {
    for (size_t at = s.n; at > 1; at--) {
        if (!is_separator(s.p[at - 1]))
            continue;
        struct str word = str_slice(s, at, s.n);
        struct str rest = str_starts(word, STR("i"))
                              ? str_slice(word, 1, word.n) : word;
        bool is_type = rest.n >= 4 && rest.n <= 8 && rest.p[0] == 'q' &&
                       rest.p[1] >= '1' && rest.p[1] <= '8' && rest.p[2] == '_';
        if (is_type) {
            *left = str_slice(s, 0, at - 1);
            *type = word;
            return true;
        }
    }
    return false;
}

/* s without the number of a part: -00001-of-00003. */
static struct str without_part(struct str s) {
    const size_t n = sizeof "-00001-of-00003" - 1;
    bool is_part = s.n > n && str_eq(str_slice(s, s.n - 9, 4), STR("-of-"));
    return is_part ? str_slice(s, 0, s.n - n) : s;
}

static bool take_packing(struct arena *a, struct str *name,
                         struct packing *found) {
    struct str left, type;
    if (ends_in_ggml_type(*name, &left, &type)) {
        struct str copy = arena_str(a, type);
        for (size_t i = 0; i < copy.n; i++) { /* as llama.cpp prints it */
            char *p = (char *)copy.p + i;
            *p = is_lower(*p) ? (char)(*p - 'a' + 'A') : *p;
        }
        *found = (struct packing){type, copy, DETAIL_ALL};
        *name = left;
        return true;
    }
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
        if (ends_in(*name, packings[i].suffix, &left)) {
            *found = packings[i];
            *name = left;
            return true;
        }
    }
    return false;
}

/* A packing with one more word behind it: "-nvfp4-fast", "-int4-mixed". */
static bool take_packing_before_word(struct arena *a, struct str *name,
                                     struct packing *found) {
    size_t at = name->n;
    while (at > 0 && is_lower(name->p[at - 1]))
        at--;
    if (at == name->n || at < 2 || !is_separator(name->p[at - 1]))
        return false;
    struct str front = str_slice(*name, 0, at - 1);
    if (!take_packing(a, &front, found) || found->detail == DETAIL_NONE)
        return false;
    *name = front;
    return true;
}

struct str model_name_bare(struct arena *a, struct str name,
                           struct str *quantization) {
    struct str left = name;
    enum detail best = DETAIL_NONE;
    struct packing found;
    *quantization = (struct str){NULL, 0};
    if (ends_in(left, STR("safetensors"), &left) ||
        ends_in(left, STR("gguf"), &left)) {
        left = without_part(left);
        *quantization = str_ends(name, STR("gguf")) ? STR("gguf")
                                                    : *quantization;
    }
    while (take_packing(a, &left, &found) ||
           take_packing_before_word(a, &left, &found)) {
        if (found.detail > best) {
            best = found.detail;
            *quantization = found.quantization;
        }
    }
    return left;
}

/* ---- the words ---- */

/* True for words on tuning or file format, which do not change the shape. */
static bool is_shape_neutral(struct str word) {
    return STR_IS_ONE(word, "instruct", "chat", "it", "base", "hf", "pt",
                      "inst", "text");
}

/* True for words of another architecture, another size or other weights. */
static bool is_other_model(struct str word) {
    static const char *const list[] = {
        "vl",      "llava",     "onevision", "vision",   "video",
        "audio",   "omni",      "moe",       "distill",  "distilled",
        "draft",   "eagle",     "medusa",    "adapter",
        "e",       "embed",     "embedding", "reranker", "reward",
        "clip",    "mini",      "nano",      "tiny",     "small",
        "medium",  "large",     "xl",        "micro",    "pro",
        "max",     "next",      "flash",     "air",      "lite",
        "plus",    "turbo",     "coder",     "code",     "math",
        "mamba",   "tts",       "asr",       "ocr",      "nemo",
        "nemotron", "minitron", "pruned",    "sparse",   "scout",
        "maverick", "n",        "h",         "multimodal", "speculator",
        /* weights in a format that is not among the packings: "int4fp8" */
        "int",     "fp",        "nf",        "nvfp",     "mxfp",
        "awq",     "gptq",      "bit",       "bits",     NULL};
    return str_in(word, list);
}

/* True for a size: 7b, 0.5b, 8x (of 8x7b), 16e, 270m. */
static bool is_size(struct str word) {
    char end = word.n > 1 ? word.p[word.n - 1] : '\0';
    return is_digit(word.p[0]) && (end == 'b' || end == 'm' || end == 'x' ||
                                   end == 'e' || end == 't');
}

/* True for a decimal point between digits, or a '_' in its place. */
static bool is_point(struct str s, size_t at) {
    return (s.p[at] == '.' || s.p[at] == '_') && at > 0 && at + 1 < s.n &&
           is_digit(s.p[at + 1]);
}

static size_t letters_length(struct str s) {
    size_t n = 0;
    while (n < s.n && is_lower(s.p[n]))
        n++;
    return n;
}

/* "2_5" is 2.5 in names that cannot have a dot; "2_5_7b" is 2.5 and 7b. */
static size_t number_length(struct str s) {
    bool has_point = false;
    size_t n = 0;
    while (n < s.n && (is_digit(s.p[n]) ||
                       (is_point(s, n) && !(has_point && s.p[n] == '_')))) {
        has_point = has_point || !is_digit(s.p[n]);
        n++;
    }
    return n;
}

/* The word at the front of s: letters, or a number with its letter. */
static size_t word_length(struct str s) {
    size_t n = letters_length(s);
    if (n > 0)
        return n;
    n = number_length(s);
    bool has_letter = n > 0 && n < s.n && is_lower(s.p[n]);
    bool is_one = n + 1 >= s.n || !is_lower(s.p[n + 1]);
    if (has_letter && is_one)
        n++;
    return n > 0 ? n : 1;
}

struct model_words model_words_of(struct arena *a, struct str last) {
    struct model_words words = {.count = 0};
    for (size_t at = 0; at < last.n;) {
        struct str s = str_slice(last, at, last.n);
        size_t n = is_separator(s.p[0]) ? 0 : word_length(s);
        struct str word = str_slice(s, 0, n);
        at += n > 0 ? n : 1;
        if (n == 0 || is_shape_neutral(word))
            continue;
        if (words.count == MODEL_WORDS_MAX) {
            words.count = 0;
            return words;
        }
        words.at[words.count++] = arena_swap(a, word, '_', '.');
    }
    return words;
}

struct str model_words_join(struct arena *a, const struct model_words *w,
                            size_t from, size_t count) {
    struct buf joined = buf_in(a, (size_t)4 * MODEL_NAME_BYTES_MAX);
    for (size_t i = from; i < from + count; i++) {
        buf_add(&joined, w->at[i]);
        buf_add_char(&joined, ' ');
    }
    return arena_str(a, buf_str(&joined));
}

/* True for a version or date behind the name: 0324, v 0.3. A context length
 * (128k) is not one. */
static bool is_release(const struct model_words *w, size_t i) {
    if (i >= w->count)
        return false;
    struct str word = w->at[i];
    bool is_v = str_eq(word, STR("v")) && i + 1 < w->count;
    char first = is_v ? w->at[i + 1].p[0] : word.p[0];
    return is_digit(first) && word.p[word.n - 1] != 'k';
}

size_t model_words_size(const struct model_words *w) {
    size_t found = w->count;
    for (size_t i = 0; i < w->count; i++) {
        if (is_size(w->at[i])) {
            if (found < w->count)
                return w->count;
            found = i;
        }
    }
    return found;
}

bool model_words_identify_with_size(const struct model_words *w, size_t from,
                                    size_t count, size_t size) {
    bool has_number = false;
    for (size_t i = 0; i < w->count; i++) {
        bool is_inside = (i >= from && i < from + count) || i == size;
        if (!is_inside && (is_digit(w->at[i].p[0]) || is_other_model(w->at[i])))
            return false;
        has_number = has_number || (is_inside && i != size &&
                                    is_digit(w->at[i].p[0]));
    }
    return has_number;
}

bool model_words_identify(const struct model_words *w, size_t from,
                          size_t count) {
    bool has_number = false;
    for (size_t i = 0; i < w->count; i++) {
        bool is_inside = i >= from && i < from + count;
        has_number = has_number || (is_inside && is_digit(w->at[i].p[0]));
        if (!is_inside && (is_size(w->at[i]) || is_other_model(w->at[i])))
            return false;
    }
    return count > 1 && has_number && !is_release(w, from + count);
}
