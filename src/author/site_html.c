/* site_html.c: pages for a browser: an answer, or a template of web/, in the
 * frame of web/page.html.
 *
 *     index.html  404.html             both languages
 *     <lang>/index.html                an introduction, and all entries
 *     <lang>/search.html  log.html  calculator.html
 *     <lang>/<folder>/<slug>.html      beside its Markdown and JSON
 *
 * The policy (CSP) of a page allows only what its kind needs, and nothing from
 * other hosts.
 */
#include "author/site.h"

#include "api/handles.h"
#include "author/files.h"
#include "base/utf8.h"
#include "corpus/fields.h"
#include "index/digest.h"

#define DESCRIPTION_BYTES 300

enum runs { RUNS_NOTHING, RUNS_SEARCH, RUNS_ENGINE };

#define POLICY "default-src 'none'; style-src 'self'; img-src 'self'; " \
               "form-action 'self'; base-uri 'none'"

static const char *const policies[] = {
    [RUNS_NOTHING] = POLICY,
    [RUNS_SEARCH] = POLICY "; script-src 'self'; connect-src 'self'",
    [RUNS_ENGINE] = POLICY "; script-src 'self' 'wasm-unsafe-eval'; "
                           "connect-src 'self'; worker-src 'self'",
};

struct framed {
    struct str path;
    struct site_words words;
    enum runs runs;
    const char *script; /* of web/; NULL: none */
    bool is_root;       /* without a language: the start, 404.html */
    struct str body;
};

/* The root relative to a page: "../../". */
static struct str way_up(struct making *m, const struct framed *f) {
    struct str way = {NULL, 0};
    for (size_t i = 0; i < f->path.n; i++)
        if (f->path.p[i] == '/')
            way = arena_printf(m->a, "%.*s../", STR_ARG(way));
    /* shown at any unknown address, so its links are absolute */
    return str_eq(f->path, STR("404.html"))
               ? arena_printf(m->a, "%.*s/", STR_ARG(m->wishes->base_url))
               : way;
}

struct str site_address(struct making *m, struct str path) {
    struct str index = STR("index.html");
    path = str_ends(path, index) ? str_slice(path, 0, path.n - index.n) : path;
    return arena_printf(m->a, "%.*s/%.*s", STR_ARG(m->wishes->base_url),
                        STR_ARG(path));
}

/* The links to "en/vllm/x.html" in each language. */
static struct str alternates(struct making *m, const struct framed *f) {
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    struct str rest;
    str_cut(f->path, '/', &rest);
    for (int lang = 0; lang < LANG_COUNT_OF && !f->is_root; lang++) {
        const char *name = lang_name((enum lang)lang);
        struct str other = arena_printf(m->a, "%s/%.*s", name, STR_ARG(rest));
        buf_printf(&out, "<link rel=\"alternate\" hreflang=\"%s\" "
                   "href=\"%.*s\">\n", name, STR_ARG(site_address(m, other)));
    }
    return buf_str(&out);
}

/* The name of the same page in another format. Of a folder's page the Markdown
 * is README.md. */
static struct str other_format(struct making *m, const struct framed *f,
                               const char *suffix) {
    bool is_readme = str_ends(f->path, STR("index.html")) &&
                     str_eq(str_of(suffix), STR(".md"));
    struct str stem = f->path;
    stem = str_slice(stem, 0, stem.n - STR(".html").n);
    size_t slash = stem.n;
    while (slash > 0 && stem.p[slash - 1] != '/')
        slash--;
    return is_readme
               ? STR("README.md")
               : arena_printf(m->a, "%.*s%s",
                              STR_ARG(str_slice(stem, slash, stem.n)), suffix);
}

static struct str other_formats(struct making *m, const struct framed *f) {
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    if (f->words.has_markdown)
        buf_printf(&out, " \u00b7 <a href=\"%.*s\" type=\"text/markdown\">"
                   "Markdown</a>", STR_ARG(other_format(m, f, ".md")));
    if (f->words.has_json)
        buf_printf(&out, " \u00b7 <a href=\"%.*s\" "
                   "type=\"application/json\">JSON</a>",
                   STR_ARG(other_format(m, f, ".json")));
    return buf_str(&out);
}

/* The address of the page in the other language, relative to this page. */
static struct str other_page(struct making *m, const struct framed *f,
                             struct str up) {
    const char *other = lang_name(m->o.lang == LANG_ZH ? LANG_EN : LANG_ZH);
    struct str rest;
    str_cut(f->path, '/', &rest);
    return f->is_root ? arena_printf(m->a, "%.*s%s/index.html", STR_ARG(up),
                                     other)
                      : arena_printf(m->a, "%.*s%s/%.*s", STR_ARG(up), other,
                                     STR_ARG(rest));
}

static struct str without_code(struct making *m, struct str text) {
    struct buf out = buf_in(m->a, text.n + 16);
    while (text.n > 0)
        buf_add(&out, str_cut(text, '`', &text));
    return buf_str(&out);
}

static struct str short_of(struct making *m, struct str text) {
    size_t n = utf8_cut(text, DESCRIPTION_BYTES);
    return html_plain(m->a, without_code(m, str_slice(text, 0, n)));
}

static void add_framed(struct making *m, const struct framed *f) {
    struct str up = way_up(m, f);
    const char *lang = lang_name(m->o.lang);
    struct str script = {NULL, 0};
    if (f->script != NULL)
        script = arena_printf(m->a, "<script src=\"%.*s%s\" "
                              "type=\"module\"></script>\n", STR_ARG(up),
                              f->script);
    const struct html_slot slots[] = {
        {"lang", str_of(lang)},
        {"policy", str_of(policies[f->runs])},
        {"page_title", html_plain(m->a, without_code(m, f->words.title))},
        {"page_about", short_of(m, f->words.description)},
        {"address", site_address(m, f->path)},
        {"alternates", alternates(m, f)},
        {"script", script},
        {"root", up},
        {"other_lang", str_of(lang_name(m->o.lang == LANG_ZH ? LANG_EN
                                                             : LANG_ZH))},
        {"other_page", other_page(m, f, up)},
        {"body", f->body},
        {"twins", other_formats(m, f)},
        {"version", m->o.version},
        {"digest", str_slice(m->o.digest, 0, 12)},
    };
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    html_fill(m->a, m->r, m->o.lang, web_template("page.html"), slots,
              sizeof slots / sizeof *slots, &out);
    site_add(m, f->path, &out);
}

static struct str answer_html(struct making *m, const struct answer *answer,
                              bool is_part) {
    struct render_options o = m->o;
    o.is_part = is_part;
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    format_write(format_named(STR("html")), m->a, m->r, answer, &o, &out);
    return buf_str(&out);
}

void site_html_answer(struct making *m, struct str path,
                      const struct site_words *words,
                      const struct answer *answer) {
    struct framed f = {.path = path, .words = *words};
    f.body = answer_html(m, answer, false);
    add_framed(m, &f);
}

/* The options of a list: "<option>A10</option>..." */
static struct str options_of(struct making *m, bool is_model) {
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    size_t count = is_model ? reader_model_count(m->r) : reader_gpu_count(m->r);
    for (uint32_t i = 0; i < count; i++) {
        struct str id = is_model ? reader_model_numbered(m->r, i)->id
                                 : reader_gpu_numbered(m->r, i)->id;
        buf_printf(&out, "<option>%.*s</option>\n",
                   STR_ARG(html_plain(m->a, id)));
    }
    return buf_str(&out);
}

/* The engines of `fit` that serve models. */
static struct str engine_options(struct making *m) {
    static const char *const ids[] = {"vllm", "sglang", "llama.cpp", "ollama",
                                      "tensorrt-llm", "tgi", "lmdeploy", "mlx",
                                      "exllama", "transformers"};
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const struct engine *e = reader_engine_by_id(m->r, str_of(ids[i]));
        struct str name = e != NULL ? e->name : str_of(ids[i]);
        buf_printf(&out, "<option value=\"%s\">%.*s</option>\n", ids[i],
                   STR_ARG(html_plain(m->a, name)));
    }
    return buf_str(&out);
}

/* A template of web/ with its slots filled in. */
static struct str body_of(struct making *m, const char *template,
                          struct str root, struct str inner) {
    const struct html_slot slots[] = {
        {"root", root},
        {"lang", str_of(lang_name(m->o.lang))},
        {"inner", inner},
        {"model_options", options_of(m, true)},
        {"gpu_options", options_of(m, false)},
        {"engine_options", engine_options(m)},
        {"has_engine", str_of(m->wishes->wasm_dir.n > 0 ? "yes" : "no")}};
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    html_fill(m->a, m->r, m->o.lang, web_template(template), slots,
              sizeof slots / sizeof *slots, &out);
    return buf_str(&out);
}

static struct str words_of(struct making *m, const char *key) {
    struct note note = {.key = key};
    return say(m->a, m->r, m->o.lang, &note);
}

void site_html_language(struct making *m, const struct listing *list) {
    const struct {
        const char *name, *title, *about, *script;
        enum runs runs;
    } tools[] = {
        {"search", "site.search", "site.search_what", "search.js",
         RUNS_SEARCH},
        {"log", "site.log", "site.log_what", "log.js", RUNS_ENGINE},
        {"calculator", "site.calculator", "site.calculator_what",
         "calculator.js", RUNS_ENGINE},
    };
    const char *lang = lang_name(m->o.lang);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        const char *name = tools[i].name;
        struct framed f = {
            .path = arena_printf(m->a, "%s/%s.html", lang, name),
            .words = {.title = words_of(m, tools[i].title),
                      .description = words_of(m, tools[i].about)},
            .runs = tools[i].runs,
            .script = tools[i].script};
        f.body = body_of(m, arena_printf(m->a, "%s.html", name).p, STR("../"),
                         STR(""));
        add_framed(m, &f);
    }
    struct listing all = *list;
    all.contents = CONTENTS_LANGUAGE;
    struct answer answer = {.list = &all};
    struct framed f = {.path = arena_printf(m->a, "%s/index.html", lang),
                       .words = {words_of(m, "site.home"),
                                 words_of(m, "site.home_what"), true, true}};
    f.body = body_of(m, "start.html", STR("../"),
                     answer_html(m, &answer, true));
    add_framed(m, &f);
}

/* True for a file that the browser runs or loads for that. */
static bool is_run(struct str name) {
    return !str_starts(name, STR("cli.")) &&
           (str_ends(name, STR(".mjs")) || str_ends(name, STR(".wasm")) ||
            str_ends(name, STR(".gz")));
}

/* The files of the package, below wasm/. Returns those that a service worker
 * caches, as items of a JavaScript list. */
static struct str add_wasm(struct making *m) {
    struct str dir = m->wishes->wasm_dir;
    struct str_list files = {NULL, 0};
    struct buf names = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    if (dir.n > 0)
        files = files_under(m->a, dir);
    for (size_t i = 0; i < files.count; i++) {
        struct str bytes = {NULL, 0}, path = files.at[i];
        struct str name = str_slice(path, dir.n + 1, path.n);
        const char *why = NULL;
        if (!file_read(m->a, path, &bytes, &why))
            arena_raise(m->a, FAIL_IO, "%.*s: %s", STR_ARG(path), why);
        struct buf out = buf_in(m->a, FILE_BYTES_MAX);
        buf_add(&out, bytes);
        site_add(m, arena_printf(m->a, "wasm/%.*s", STR_ARG(name)), &out);
        if (is_run(name))
            buf_printf(&names, "\"wasm/%.*s\", ", STR_ARG(name));
    }
    return buf_str(&names);
}

/* web/engine.js loads it. */
#define CLIENT "client.mjs"

void site_html_check(struct arena *a, const struct site_wishes *wishes) {
    struct str dir = wishes->wasm_dir;
    if (dir.n > 0 && !file_exists(a, path_join(a, dir, STR(CLIENT))))
        arena_raise(a, FAIL_USAGE, "%.*s: no " CLIENT ": `make wasm` makes "
                    "the package", STR_ARG(dir));
}

static void add_both(struct making *m, const char *path,
                     const char *template) {
    struct framed f = {.path = str_of(path), .is_root = true};
    struct str inner = {NULL, 0}, up = way_up(m, &f);
    for (int lang = LANG_COUNT_OF - 1; lang >= 0; lang--) {
        m->o.lang = (enum lang)lang; /* English last: the frame's */
        struct str body = body_of(m, template, up, STR(""));
        inner = arena_printf(m->a, "<div lang=\"%s\">\n%.*s</div>\n%.*s",
                             lang_name(m->o.lang), STR_ARG(body),
                             STR_ARG(inner));
    }
    f.words.title = words_of(m, "site.home");
    f.words.description = words_of(m, "site.home_what");
    f.body = inner;
    add_framed(m, &f);
}

/* A hash of all pages and scripts, by which a browser recognizes a stale
 * cache. */
static struct str edition_of(struct making *m) {
    struct digest d;
    char hex[DIGEST_HEX + 1];
    digest_init(&d);
    for (size_t i = 0; i < m->pages.count; i++)
        digest_str(&d, m->pages.at[i].bytes);
    for (size_t i = 0; i < web_file_count(); i++)
        digest_str(&d, web_file(i).bytes);
    digest_hex(&d, hex);
    return arena_str(m->a, str_of(hex));
}

static void add_file(struct making *m, const struct web_file *file,
                     const struct html_slot *slots, size_t slot_count) {
    struct buf out = buf_in(m->a, FILE_BYTES_MAX);
    if (str_eq(file->name, STR("offline.js")))
        html_fill(m->a, m->r, LANG_EN, file->bytes, slots, slot_count, &out);
    else
        buf_add(&out, file->bytes);
    site_add(m, file->name, &out);
}

void site_html_root(struct making *m) {
    add_both(m, "index.html", "start.html");
    add_both(m, "404.html", "missing.html");
    struct str names = add_wasm(m);
    const struct html_slot slots[] = {{"edition", edition_of(m)},
                                      {"engine_files", names}};
    for (size_t i = 0; i < web_file_count(); i++) {
        struct web_file file = web_file(i);
        if (!file.is_template)
            add_file(m, &file, slots, 2);
    }
}
