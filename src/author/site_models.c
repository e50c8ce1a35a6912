/* site_models.c: the memory of every model of the catalogue, by `fit`: its
 * cache by engine and release, and whether it fits on each GPU whose memory is
 * known. The memory for a page is freed before the next one. */
#include "author/site.h"

#include <stdlib.h>

#include "api/handles.h"
#include "corpus/fields.h"
#include "render/render.h"

/* Engines that serve models and differ in their cache, besides vLLM. */
static const char *const others[] = {"sglang", "llama.cpp", "tensorrt-llm",
                                     "tgi", "lmdeploy"};
#define OTHER_COUNT (sizeof others / sizeof *others)

static const struct fit_sheet *ask(struct making *m, const char *const *facts,
                                   const char *compare) {
    static const char *const none[] = {NULL};
    oomkb_fit_question question = {.size = sizeof question, .facts = facts,
                                   .compare = compare};
    struct fit_wishes wishes = {.machine = none, .is_verdict = true};
    return fit_sheet_of(m->a, m->kb, m->r, &question, &wishes);
}

static const struct fit *fit_of(struct making *m, const struct model *model,
                                const char *engine, struct str version,
                                const struct gpu *gpu) {
    const char *facts[5] = {
        arena_printf(m->a, "model=%.*s", STR_ARG(model->id)).p,
        arena_printf(m->a, "engine=%s", engine).p};
    size_t count = 2;
    if (version.n > 0)
        facts[count++] = arena_printf(m->a, "engine_version=%.*s",
                                      STR_ARG(version)).p;
    if (gpu != NULL)
        facts[count++] = arena_printf(m->a, "gpu_name=%.*s",
                                      STR_ARG(gpu->id)).p;
    return ask(m, facts, NULL)->fit;
}

/* ---- by engine ---- */

static bool span_is_same(struct span a, struct span b) {
    return a.known == b.known && a.low == b.low && a.high == b.high;
}

static bool is_same(const struct model_kv *a, const struct model_kv *b) {
    return str_eq(a->engine, b->engine) &&
           span_is_same(a->per_token, b->per_token) &&
           span_is_same(a->request, b->request);
}

/* True if the release loads the model and its cache is known. */
static bool is_known(const struct fit *fit) {
    return fit->kv.slope.known &&
           fit->checks[CHECK_RELEASE].verdict != VERDICT_NOT_ENOUGH;
}

static void add_kv(struct model_sheet *s, struct model_kv *kv,
                   const struct fit *fit, struct model_kv row) {
    if (!is_known(fit))
        return;
    row.per_token = fit->kv.slope;
    row.request = kv_request(&fit->kv);
    if (s->kv_count > 0 && is_same(&kv[s->kv_count - 1], &row))
        kv[s->kv_count - 1].until = row.until;
    else
        kv[s->kv_count++] = row;
}

static void find_kv(struct making *m, struct model_sheet *s) {
    struct str_list releases = memory_releases(m->a, STR("vllm"));
    struct model_kv *kv =
        arena_array(m->a, releases.count + OTHER_COUNT, sizeof *kv);
    s->kv = kv;
    for (size_t i = 0; i < releases.count; i++) {
        struct model_kv row = {.engine = STR("vLLM")};
        row.from = i > 0 ? releases.at[i] : STR("");
        row.until = i + 1 < releases.count ? releases.at[i + 1] : STR("");
        add_kv(s, kv, fit_of(m, s->model, "vllm", releases.at[i], NULL), row);
    }
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        const struct engine *e = reader_engine_by_id(m->r, str_of(others[i]));
        if (e != NULL)
            add_kv(s, kv, fit_of(m, s->model, others[i], e->newest, NULL),
                   (struct model_kv){.engine = e->name, .from = e->newest,
                                     .until = e->newest});
    }
}

/* What changed since the first release in the table. */
static void find_steps(struct making *m, struct model_sheet *s) {
    struct str_list releases = memory_releases(m->a, STR("vllm"));
    const struct engine *e = reader_engine_by_id(m->r, STR("vllm"));
    bool is_known = s->kv_count > 0 && str_eq(s->kv[0].engine, STR("vLLM"));
    if (!is_known || releases.count < 2 || e == NULL || e->newest.n == 0)
        return;
    struct str first = s->kv[0].from.n > 0 ? s->kv[0].from : releases.at[1];
    const char *facts[] = {
        arena_printf(m->a, "model=%.*s", STR_ARG(s->model->id)).p, NULL};
    s->steps = ask(m, facts, arena_printf(m->a, "engine_version=%.*s,newest",
                                          STR_ARG(first)).p)->steps;
}

/* ---- by GPU ---- */

static int by_memory(const void *a, const void *b) {
    const struct gpu *left = *(const struct gpu *const *)a;
    const struct gpu *right = *(const struct gpu *const *)b;
    if (left->total_low != right->total_low)
        return left->total_low > right->total_low ? -1 : 1;
    return str_cmp(left->id, right->id);
}

/* The GPUs of vendors that vLLM supports, whose real memory is known. */
static size_t gpus_of(struct making *m, const struct gpu **out) {
    size_t count = 0;
    for (uint32_t i = 0; i < reader_gpu_count(m->r); i++) {
        const struct gpu *gpu = reader_gpu_numbered(m->r, i);
        bool is_served = str_eq(gpu->vendor, STR("nvidia")) ||
                         str_eq(gpu->vendor, STR("amd"));
        if (is_served && gpu->total_low > 0)
            out[count++] = gpu;
    }
    qsort(out, count, sizeof *out, by_memory);
    return count;
}

static void find_gpus(struct making *m, struct model_sheet *s,
                      const struct gpu *const *gpus, size_t count) {
    struct model_on *on = arena_array(m->a, count, sizeof *on);
    for (size_t i = 0; i < count; i++)
        on[i] = (struct model_on){
            gpus[i], fit_of(m, s->model, "vllm", STR(""), gpus[i])};
    s->on = on;
    s->on_count = count;
}

/* ---- pages ---- */

static int by_id(const void *a, const void *b) {
    const struct model_sheet *left = a, *right = b;
    return str_cmp(left->model->id, right->model->id);
}

static void add_page(struct making *m, struct str name, struct str markdown,
                     const char *title, const struct model_sheet *sheet) {
    struct note note = {.key = title};
    if (sheet->model != NULL)
        note.arg[note.count++] = sheet->model->id;
    struct str words = say(m->a, m->r, m->o.lang, &note);
    struct site_words about = {words, words, true, true};
    site_add_answers(m, name, markdown, &about,
                     &(struct answer){.models = sheet});
}

struct gpus {
    const struct gpu **at;
    size_t count;
};

struct one_model {
    const struct model *model;
    const struct gpus *gpus;
};

static void add_model(struct making *m, void *arg) {
    const struct one_model *is = arg;
    struct model_sheet sheet = {.model = is->model};
    sheet.fit = fit_of(m, is->model, "vllm", STR(""), NULL);
    find_kv(m, &sheet);
    find_steps(m, &sheet);
    find_gpus(m, &sheet, is->gpus->at, is->gpus->count);
    struct str name = arena_printf(m->a, "models/%.*s",
                                   STR_ARG(model_slug(m->a, is->model)));
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        m->o.lang = (enum lang)lang;
        add_page(m, name, name, "site.model_title", &sheet);
    }
}

static void add_all(struct making *m, void *arg) {
    const struct site_models *models = arg;
    struct model_sheet all = {.all = models->at, .all_count = models->count};
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        m->o.lang = (enum lang)lang;
        add_page(m, STR("models/index"), STR("models/README"), "site.models",
                 &all);
    }
}

struct site_models site_add_models(struct making *m) {
    struct gpus gpus = {arena_array(m->a, reader_gpu_count(m->r),
                                    sizeof *gpus.at), 0};
    gpus.count = gpus_of(m, gpus.at);
    struct site_models all = {NULL, reader_model_count(m->r)};
    all.at = arena_array(m->a, all.count, sizeof *all.at);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct model *model = reader_model_numbered(m->r, i);
        struct one_model one = {model, &gpus};
        all.at[i] = (struct model_sheet){
            .model = model, .fit = fit_of(m, model, "vllm", STR(""), NULL)};
        site_apart(m, add_model, &one);
    }
    if (all.count > 0)
        qsort(all.at, all.count, sizeof *all.at, by_id);
    site_apart(m, add_all, &all);
    return all;
}
