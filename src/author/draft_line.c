/* draft_line.c: finding the line of a log that an entry should match.
 *
 *     1  the line that the caller gives
 *     2  the first line with words of a failure and of memory: later failures
 *        follow from it
 *     3  the last exception, since causes are printed before their effects
 *
 * Component: the module that raised it, else the package of the last frame
 * before it. Only certain names are used: none is better than a wrong one. */
#include "author/draft.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "log/log.h"

static const char *const memory_words[] = {
    "memory", "oom", "alloc", "vram", "hbm", "swap", "显存", "内存", NULL};
static const char *const failure_words[] = {
    "error", "exception", "fail", "fatal", "cannot", "can't", "could not",
    "unable", "abort", "panic", "terminate", "exhaust", "exceed", "refused",
    "insufficient", "not enough", "out of memory", "killed", "错误", "失败",
    "异常", "不足", NULL};

/* Packages and their components. */
static const struct package {
    const char *name, *component;
} packages[] = {
    {"vllm", "vllm"}, {"sglang", "sglang"}, {"lmdeploy", "lmdeploy"},
    {"tensorrt_llm", "tensorrt-llm"}, {"TensorRT-LLM", "tensorrt-llm"},
    {"llama_cpp", "llama.cpp"}, {"ollama", "ollama"},
    {"exllamav2", "exllama"}, {"mlc_llm", "mlc-llm"}, {"mlx", "mlx"},
    {"onnxruntime", "onnxruntime"}, {"ONNXRuntimeError", "onnxruntime"},
    {"openvino", "openvino"}, {"ctranslate2", "ctranslate2"},
    {"torch", "pytorch"}, {"transformers", "transformers"},
    {"accelerate", "accelerate"}, {"bitsandbytes", "bitsandbytes"},
    {"deepspeed", "deepspeed"}, {"megatron", "megatron"}, {"jax", "jax"},
    {"jaxlib", "jax"}, {"tensorflow", "tensorflow"}, {"paddle", "paddle"},
    {"mindspore", "mindspore"}, {"cupy", "cupy"}, {"rmm", "rmm"},
    {"numba", "numba"}, {"triton", "triton"}, {"diffusers", "diffusers"},
    {"comfy", "comfyui"}, {"ray", "ray"}, {"numpy", "numpy"},
};

struct search {
    struct arena *a;
    uint32_t at;
    struct draft_line named, memory, exception;
    struct str component; /* of the last frame */
};

/* ---- words of a line ---- */

/* The beginning of s in small letters; low has DRAFT_LINE_BYTES_MAX bytes. */
static struct str lowered(struct str s, char *low) {
    size_t n = s.n < DRAFT_LINE_BYTES_MAX ? s.n : DRAFT_LINE_BYTES_MAX;
    for (size_t i = 0; i < n; i++)
        low[i] = to_lower(s.p[i]);
    return (struct str){low, n};
}

static struct str shortened(struct str s) {
    return str_trim(str_slice(s, 0, utf8_cut(s, DRAFT_LINE_BYTES_MAX)));
}

static bool is_name_char(char c) {
    return is_word(c) || c == '.';
}

/* True for "module.SomeError: words". */
static bool is_exception(struct str line) {
    size_t n = 0;
    while (n < line.n && is_name_char(line.p[n]))
        n++;
    struct str name = str_slice(line, 0, n);
    return n < line.n && line.p[n] == ':' &&
           (str_ends(name, STR("Error")) || str_ends(name, STR("Exception")));
}

/* ---- components ---- */

static struct str component_named(struct str name) {
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (str_eq(name, str_of(packages[i].name)))
            return str_of(packages[i].component);
    return (struct str){NULL, 0};
}

/* "cupy.cuda.memory.OutOfMemoryError: ...", "[TensorRT-LLM][ERROR] ..." */
static struct str component_of_line(struct str line) {
    struct str found = {NULL, 0};
    for (size_t i = 0; i < line.n && found.n == 0; i++) {
        bool begins = is_name_char(line.p[i]) &&
                      (i == 0 || line.p[i - 1] == ' ' ||
                       line.p[i - 1] == '[');
        size_t end = i;
        while (begins && end < line.n && line.p[end] != '.' &&
               (is_name_char(line.p[end]) || line.p[end] == '-'))
            end++;
        bool is_module = end < line.n &&
                         (line.p[end] == '.' || line.p[end] == ']');
        if (begins && is_module)
            found = component_named(str_slice(line, i, end - i));
    }
    return found;
}

/* File ".../site-packages/NAME/..." */
static struct str component_of_frame(struct str line) {
    struct str mark = STR("-packages/");
    size_t at = str_find(line, mark);
    if (at == line.n)
        return (struct str){NULL, 0};
    struct str rest = str_slice(line, at + mark.n, line.n);
    return component_named(str_cut(rest, '/', &rest));
}

/* ---- the search ---- */

static struct draft_line remember(struct search *s, struct str text,
                                  uint32_t number) {
    struct str component = component_of_line(text);
    return (struct draft_line){
        .text = arena_str(s->a, shortened(text)),
        .number = number,
        .component = component.n > 0 ? component : s->component};
}

static void on_line(void *ctx, const struct line *line) {
    struct search *s = ctx;
    struct str text = str_trim(line->text);
    if (text.n == 0 || line->is_joined)
        return;
    struct str frame = component_of_frame(text);
    s->component = frame.n > 0 ? frame : s->component;
    if (s->at != 0 && line->number == s->at && s->named.number == 0)
        s->named = remember(s, text, line->number);
    char small[DRAFT_LINE_BYTES_MAX];
    struct str low = lowered(text, small);
    bool is_failure = str_has(low, failure_words);
    if (is_exception(text))
        s->exception = remember(s, text, line->number);
    if (is_failure && str_has(low, memory_words) &&
        !str_starts(text, STR("File \"")) && s->memory.number == 0)
        s->memory = remember(s, text, line->number);
}

static void read_lines(struct arena *a, struct str log,
                       void (*on)(void *ctx, const struct line *line),
                       void *ctx) {
    struct log_reader *r = log_open(a, log_tables_new(a), 0, on, ctx);
    log_feed(r, log);
    log_end(r);
}

struct draft_line draft_line_find(struct arena *a, struct str log,
                                  uint32_t at) {
    struct search s = {.a = a, .at = at};
    read_lines(a, log, on_line, &s);
    if (s.named.number != 0)
        return s.named;
    return s.memory.number != 0 ? s.memory : s.exception;
}

/* ---- healthy lines around it ---- */

#define AROUND_LINES 500

struct surroundings {
    struct arena *a;
    uint32_t around;
    struct draft_lines found;
};

static void on_neighbour(void *ctx, const struct line *line) {
    struct surroundings *s = ctx;
    uint32_t apart = line->number > s->around ? line->number - s->around
                                              : s->around - line->number;
    char small[DRAFT_LINE_BYTES_MAX];
    struct str text = str_trim(line->text);
    bool is_healthy = apart > 0 && apart <= AROUND_LINES && text.n > 0 &&
                      !str_has(lowered(text, small), failure_words);
    if (!is_healthy)
        return;
    struct draft_lines *found = &s->found;
    *ARENA_ADD(s->a, found->at, found->count, found->cap) = (struct draft_line){
        .text = arena_str(s->a, shortened(text)), .number = line->number};
}

struct draft_lines draft_healthy(struct arena *a, struct str log,
                                 uint32_t around) {
    struct surroundings s = {.a = a, .around = around};
    read_lines(a, log, on_neighbour, &s);
    return s.found;
}
