/* tools.c: five tools, a row each. A tool writes the same result twice: as text
 * for the language model, and as JSON for programs. */
#include "serve/tools.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "launch/lint.h"

#define TEXT_WIDTH 100 /* columns of the text of lint_file */

struct call {
    struct arena *a;
    oomkb *kb;
    struct json *arguments;
    oomkb_options options;
    const char *facts[MCP_FACTS_MAX + 1];
    const char *format; /* of this pass: markdown, then json */
    struct buf *out;
    oomkb_error err;
};

static int put(void *ctx, const char *bytes, size_t n) {
    buf_add(ctx, (struct str){bytes, n});
    return !buf_ok(ctx);
}

/* An argument as a C string; NULL: not given. */
static const char *text_of(struct call *c, const char *key) {
    struct str s;
    return json_get_text(c->arguments, key, &s) ? arena_str(c->a, s).p : NULL;
}

static int refuse(struct call *c, struct str text) {
    c->err.code = OOMKB_ERROR_USAGE;
    memcpy(c->err.text, text.p, text.n + 1);
    return OOMKB_ERROR_USAGE;
}

static int missing(struct call *c, const char *what) {
    return refuse(c, arena_printf(c->a, "the argument `%s` is missing", what));
}

static int diagnose_log(struct call *c) {
    struct str log;
    oomkb_report *report;
    if (!json_get_text(c->arguments, "log", &log))
        return missing(c, "log");
    int code = oomkb_diagnose(c->kb, log.p, log.n, &c->options, &report,
                              &c->err);
    if (code == OOMKB_OK) {
        code = oomkb_report_write(report, c->format, &c->options, put, c->out,
                                  &c->err);
        oomkb_report_free(report);
    }
    return code;
}

static int fit_memory(struct call *c) {
    oomkb_fit_question q = {.size = sizeof q,
                            .facts = c->facts,
                            .command = text_of(c, "command"),
                            .compare = text_of(c, "compare")};
    int fits;
    if (q.command == NULL && c->facts[0] == NULL)
        return missing(c, "command or facts");
    return oomkb_fit_write(c->kb, &q, c->format, &c->options, put, c->out,
                           &fits, &c->err);
}

static int search_entries(struct call *c) {
    const char *words = text_of(c, "words");
    if (words == NULL)
        return missing(c, "words");
    return oomkb_search_write(c->kb, words, c->format, &c->options, put,
                              c->out, NULL, &c->err);
}

static int explain_entry(struct call *c) {
    const char *id = text_of(c, "id");
    if (id == NULL)
        return missing(c, "id");
    return oomkb_entry_write(c->kb, id, c->format, &c->options, put, c->out,
                             &c->err);
}

/* lint() runs behind a guard; an error that it raises becomes the tool's. */
struct linting {
    struct call *c;
    struct str path, text;
    enum lang lang;
};

static void lint(void *arg) {
    struct linting *l = arg;
    struct call *c = l->c;
    static const char *const no_machine[] = {NULL};
    struct lint_options o = {.kb = c->kb, .lang = l->lang, .facts = c->facts,
                             .machine = no_machine};
    struct lint_file *file = lint_read(c->a, &o, l->path, l->text);
    if (strcmp(c->format, "json") == 0)
        json_write(lint_json(c->a, &file, 1), false, c->out);
    else
        lint_put_text(c->a, file, TEXT_WIDTH, c->out);
}

static int lint_file(struct call *c) {
    bool is_zh = strcmp(c->options.lang, "zh") == 0;
    struct linting l = {.c = c, .lang = is_zh ? LANG_ZH : LANG_EN};
    struct fault fault;
    if (!json_get_text(c->arguments, "path", &l.path))
        return missing(c, "path");
    if (!json_get_text(c->arguments, "text", &l.text))
        return missing(c, "text");
    if (!is_zh && strcmp(c->options.lang, "en") != 0)
        return refuse(c, STR("lang should be \"en\" or \"zh\""));
    if (l.text.n > LINT_FILE_BYTES_MAX)
        return refuse(c, STR("the file is longer than 1 MiB"));
    if (arena_guard(c->a, lint, &l, &fault) == FAIL_NONE)
        return OOMKB_OK;
    return refuse(c, str_of(fault.text));
}

/* ---- the table ---- */

#define LANG                                                                   \
    "\"lang\":{\"type\":\"string\",\"enum\":[\"en\",\"zh\"],\"default\":"      \
    "\"en\"}"
#define FACTS                                                                  \
    "\"facts\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"           \
    "\"description\":\"fact=value, such as model=Qwen/Qwen2.5-7B-Instruct, "   \
    "gpu_name=A10G, gpu_total=24GiB, max_model_len=32768\"}"
#define OBJECT(required, properties)                                           \
    "{\"type\":\"object\",\"required\":[" required "],\"properties\":{"        \
    properties "},\"additionalProperties\":false}"
#define GIVES(required) "{\"type\":\"object\",\"required\":[" required "]}"

static const struct tool {
    const char *name, *title, *description, *input, *output;
    int (*run)(struct call *c);
} tools[] = {
    {"diagnose_log", "Diagnose a log",
     "Which known out-of-memory failure a log, a traceback or a kernel "
     "message shows, why, and which fixes help, ranked, each with the "
     "arithmetic of whether it is enough. Pass the log as it is, with the "
     "command that was run if there is one. `facts` answers the questions "
     "that an earlier report asked.",
     OBJECT("\"log\"", "\"log\":{\"type\":\"string\"}," FACTS "," LANG),
     GIVES("\"findings\",\"questions\""), diagnose_log},
    {"fit_memory", "Does a model fit?",
     "Whether a model fits on a GPU with an inference engine: weights, KV "
     "cache per token by engine version, the longest context, and the "
     "cheapest change that makes it fit. Pass the command that starts the "
     "engine, or facts.",
     OBJECT("", "\"command\":{\"type\":\"string\",\"description\":\"such as "
                "vllm serve Qwen/Qwen2.5-7B-Instruct -tp 2\"}," FACTS
                ",\"compare\":{\"type\":\"string\",\"description\":\"GPUs or "
                "values of one fact, such as H100,L40S or "
                "tensor_parallel=1,2,4\"}," LANG),
     GIVES("\"inputs\""), fit_memory},
    {"search_entries", "Search known failures",
     "Known failures for a pasted message or a few words, best first.",
     OBJECT("\"words\"", "\"words\":{\"type\":\"string\"}," LANG),
     GIVES("\"entries\""), search_entries},
    {"explain_entry", "Explain a known failure",
     "One known failure whole: cause, fixes with success rates, what does not "
     "help, versions, sources.",
     OBJECT("\"id\"", "\"id\":{\"type\":\"string\",\"description\":\"such as "
                      "vllm/kv-cache-too-small\"}," LANG),
     GIVES("\"entry\""), explain_entry},
    {"lint_file", "Lint a file before its launch",
     "Whether the engines that a file starts fit, and settings that never "
     "reach them or exclude each other: docker compose, a Kubernetes manifest, "
     "an sbatch or shell script, a config file of vLLM, SGLang or llama.cpp. "
     "`facts` says what the file does not, such as gpu_name and gpu_count.",
     OBJECT("\"path\",\"text\"",
            "\"path\":{\"type\":\"string\",\"description\":\"the file's "
            "name: its extension tells what it is\"},\"text\":{\"type\":"
            "\"string\"}," FACTS "," LANG),
     GIVES("\"services\",\"diagnostics\""), lint_file},
};
#define TOOL_COUNT (sizeof tools / sizeof *tools)

static struct json *parsed(struct arena *a, const char *text) {
    return json_parse(a, str_of(text), STR("tools.c"));
}

struct json *tools_list(struct arena *a) {
    struct json *list = json_new_array(a);
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        const struct tool *t = &tools[i];
        struct json *hints =
            JSON_OBJECT(a, {"readOnlyHint", json_bool(a, true)},
                        {"openWorldHint", json_bool(a, false)});
        json_push(list, JSON_OBJECT(
            a, {"name", json_spelling(a, t->name)},
            {"title", json_spelling(a, t->title)},
            {"description", json_spelling(a, t->description)},
            {"inputSchema", parsed(a, t->input)},
            {"outputSchema", parsed(a, t->output)}, {"annotations", hints}));
    }
    return list;
}

/* ---- a call ---- */

static int take_facts(struct call *c) {
    struct json *facts = json_get(c->arguments, "facts");
    size_t n = json_count(facts);
    struct str s;
    if (facts != NULL && !json_is_list(facts))
        return refuse(c, STR("`facts` should be a list of texts, each "
                             "fact=value"));
    if (n > MCP_FACTS_MAX)
        return refuse(c, arena_printf(c->a, "`facts` holds %zu, of at most %d",
                                      n, MCP_FACTS_MAX));
    for (size_t i = 0; i < n; i++) {
        if (!json_as_text(json_at(facts, i), &s))
            return refuse(c, arena_printf(c->a, "`facts` should hold texts; "
                                          "item %zu is none", i));
        c->facts[i] = arena_str(c->a, s).p;
    }
    c->options.answers = c->facts;
    return OOMKB_OK;
}

static bool run_as(struct call *c, const struct tool *t, const char *format,
                   struct buf *out) {
    *out = buf_in(c->a, 0);
    c->format = format;
    c->out = out;
    return t->run(c) == OOMKB_OK;
}

static struct json *content_of(struct arena *a, struct str text) {
    return JSON_LIST(a, JSON_OBJECT(a, {"type", json_spelling(a, "text")},
                                    {"text", json_text(a, text)}));
}

struct json *tools_call(struct arena *a, oomkb *kb, struct str name,
                        struct json *arguments) {
    const struct tool *t = NULL;
    struct call c = {.a = a, .kb = kb, .arguments = arguments};
    struct buf text, json;
    for (size_t i = 0; i < TOOL_COUNT; i++)
        t = str_eq(name, str_of(tools[i].name)) ? &tools[i] : t;
    if (t == NULL)
        return NULL;
    const char *lang = text_of(&c, "lang");
    c.options = (oomkb_options){.size = sizeof c.options,
                                .lang = lang ? lang : "en"};
    if (take_facts(&c) == OOMKB_OK && run_as(&c, t, "markdown", &text) &&
        run_as(&c, t, "json", &json))
        return JSON_OBJECT(
            a, {"content", content_of(a, buf_str(&text))},
            {"structuredContent", json_parse(a, buf_str(&json), name)});
    return JSON_OBJECT(a, {"content", content_of(a, str_of(c.err.text))},
                       {"isError", json_bool(a, true)});
}
