/* model.c: the page of a model: its KV cache by engine and release, the GPUs
 * that it fits on, the formulas, and the sources of its shape. All numbers come
 * from `fit`. */
#include "render/fit_words.h"

struct str model_slug(struct arena *a, const struct model *m) {
    struct str name, owner = str_cut(m->id, '/', &name);
    return name.n > 0 ? arena_printf(a, "%.*s--%.*s", STR_ARG(owner),
                                     STR_ARG(name))
                      : m->id;
}

static struct str amount(const struct render *t, enum unit unit,
                         struct span s) {
    return s.known ? span_text(t, unit, s) : tr(t, "fit.unknown");
}

static struct str number(const struct render *t, int64_t n) {
    return n > 0 ? count_text(t, n) : tr(t, "fit.unknown");
}

/* ---- one model ---- */

static void add_head(const struct render *t, const struct model_sheet *s) {
    const struct model *m = s->model;
    struct str slug = model_slug(t->a, m);
    document_title(t, TONE_STRONG, TR(t, "site.model_title", m->id));
    struct block *id = document_add(
        t, NULL,
        (struct block){.kind = BLOCK_ID, .text = m->id, .column = {m->family}});
    document_link(t, id, STR("README.md"), tr(t, "site.models"));
    document_link(t, id,
                  arena_printf(t->a, "../../%s/models/%.*s.md", site_other(t),
                               STR_ARG(slug)),
                  tr(t, "site.other"));
    document_link(
        t, id,
        arena_printf(t->a, "../calculator.html#model=%.*s", STR_ARG(m->id)),
        tr(t, "site.calculator"));
    document_text(t, NULL,
                  TR(t, "site.model_what", number(t, m->params),
                     number(t, m->layers),
                     amount(t, UNIT_BYTES, s->fit->weights),
                     fact_text(t, &s->fit->c.in[FACT_dtype])));
    document_text(t, NULL,
                  TR(t, "site.model_length", number(t, m->max_position)));
    struct words names = words_begin(t, tr(t, "report.comma"));
    for (size_t i = 0; i < m->aliases.count; i++)
        words_add(&names, in_backquotes(t->a, m->aliases.at[i]));
    document_toned(t, NULL, TONE_DIM, words_into(&names, "site.model_names"));
}

static struct str releases(const struct render *t, const struct model_kv *kv) {
    struct str ends[] = {kv->from, kv->until};
    if (kv->from.n > 0 && str_eq(kv->from, kv->until))
        return kv->from;
    return kv->from.n > 0 && kv->until.n > 0
               ? tr_args(t, "site.releases", ends, 2)
           : kv->from.n > 0  ? tr_args(t, "site.releases_from", ends, 2)
           : kv->until.n > 0 ? tr_args(t, "site.releases_until", ends, 2)
                             : tr(t, "site.releases_all");
}

static void add_kv(const struct render *t, const struct model_sheet *s) {
    struct block *under = document_section(t, "site.kv");
    document_text(t, under, tr(t, "site.kv_what"));
    if (s->kv_count == 0) {
        document_text(t, under, tr(t, "fit.unknown"));
        return;
    }
    struct table *table = TABLE(t, under, "site.engine", "site.release",
                                "site.per_token", "site.one_request");
    table->rows[0].cells[3] =
        TR(t, "site.one_request", number(t, s->model->max_position));
    for (size_t i = 0; i < s->kv_count; i++) {
        const struct model_kv *kv = &s->kv[i];
        ROW(t, table, kv->engine, releases(t, kv),
            amount(t, UNIT_BYTES, kv->per_token),
            amount(t, UNIT_BYTES, kv->request));
    }
}

static void add_gpus(const struct render *t, const struct model_sheet *s) {
    struct block *under = document_section(t, "site.gpus");
    document_text(t, under,
                  TR(t, "site.gpus_what",
                     s->fit->c.in[FACT_engine_version].word,
                     number(t, s->model->max_position)));
    struct table *table = TABLE(t, under, "GPU", "site.memory", "fit.verdict",
                                "site.longest", "fit.at_once", "site.ranks");
    for (size_t i = 0; i < s->on_count; i++) {
        const struct gpu *gpu = s->on[i].gpu;
        const struct fit *fit = s->on[i].fit;
        struct span total = {true, gpu->total_low, gpu->total_high};
        bool has_many = fit->concurrency.known;
        ROW(t, table, gpu->id, amount(t, UNIT_BYTES, total),
            fit_verdict_word(t, fit->fits), amount(t, UNIT_COUNT, fit->longest),
            has_many ? hundredths_text(t, fit->concurrency)
                     : tr(t, "fit.unknown"),
            amount(t, UNIT_COUNT, fit->least_tensor_parallel))
            ->tone = fit_tone(fit->fits);
    }
}

static void add_sources(const struct render *t, const struct model_sheet *s) {
    struct block *under = document_section(t, "fit.formulas");
    for (size_t i = 0; i < s->fit->formulas.count; i++)
        document_text(t, under, formula_text(t, s->fit->formulas.at[i]));
    document_toned(t, under, TONE_DIM, fit_inputs(t, s->fit));
    bool is_recalled = str_eq(s->model->verified, STR("recalled"));
    under = document_section(t, "explain.sources");
    document_toned(
        t, under, is_recalled ? TONE_WARN : TONE_PLAIN,
        tr(t, is_recalled ? "site.shape_recalled" : "site.shape_sources"));
    for (size_t i = 0; i < s->model->sources.count; i++)
        document_link(t, under, s->model->sources.at[i], STR(""));
}

/* ---- the page of all models ---- */

static void add_all(const struct render *t, const struct model_sheet *s) {
    document_title(t, TONE_STRONG, tr(t, "site.models"));
    document_text(
        t, NULL,
        TR(t, "site.models_what", count_text(t, (int64_t)s->all_count)));
    document_link(
        t, NULL, arena_printf(t->a, "../../%s/models/README.md", site_other(t)),
        tr(t, "site.other"));
    struct table *table =
        TABLE(t, NULL, "site.model", "list.column.parameters", "site.weights",
              "site.per_token", "list.column.max_model_len");
    for (size_t i = 0; i < s->all_count; i++) {
        const struct model *m = s->all[i].model;
        const struct fit *fit = s->all[i].fit;
        ROW(t, table, m->id, number(t, m->params),
            amount(t, UNIT_BYTES, fit->weights),
            amount(t, UNIT_BYTES, fit->kv.slope), number(t, m->max_position))
            ->href =
            arena_printf(t->a, "%.*s.md", STR_ARG(model_slug(t->a, m)));
    }
}

void models_document(const struct render *t, const struct model_sheet *sheet) {
    t->d->is_page = true;
    if (sheet->model == NULL) {
        add_all(t, sheet);
        return;
    }
    add_head(t, sheet);
    add_kv(t, sheet);
    add_steps(t, &sheet->steps);
    add_gpus(t, sheet);
    add_sources(t, sheet);
}

/* ---- JSON: the numbers of the page, and the model's record in the catalogue.
 * The shape is an ABI (kb/model.schema.json). ---- */
#define SCHEMA 1

static struct json *by_engine(const struct render *t,
                              const struct model_sheet *s) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < s->kv_count; i++) {
        const struct model_kv *kv = &s->kv[i];
        json_push(list,
                  JSON(t, {"engine", json_text(t->a, kv->engine)},
                       {"from", json_str_or_null(t->a, kv->from)},
                       {"until", json_str_or_null(t->a, kv->until)},
                       {"bytes_per_token", json_span(t, kv->per_token)},
                       {"bytes_per_request", json_span(t, kv->request)}));
    }
    return list;
}

static struct json *by_gpu(const struct render *t,
                           const struct model_sheet *s) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < s->on_count; i++) {
        const struct gpu *gpu = s->on[i].gpu;
        const struct fit *fit = s->on[i].fit;
        struct span total = {true, gpu->total_low, gpu->total_high};
        json_push(list,
                  JSON(t, {"gpu", json_text(t->a, gpu->id)},
                       {"total_bytes", json_span(t, total)},
                       {"verdict",
                        json_spelling(t->a, fit_spelling(fit->fits))},
                       {"max_model_len", json_span(t, fit->longest)},
                       {"max_concurrency",
                        json_hundredths(t, fit->concurrency)},
                       {"least_tensor_parallel",
                        json_span(t, fit->least_tensor_parallel)}));
    }
    return list;
}

static struct json *row(const struct render *t, const struct model_sheet *s) {
    const struct model *m = s->model;
    struct str page = arena_printf(t->a, "%.*s.json",
                                   STR_ARG(model_slug(t->a, m)));
    return JSON(t, {"id", json_text(t->a, m->id)},
                {"page", json_text(t->a, page)},
                {"params", json_int_or_null(t, m->params > 0, m->params)},
                {"weights_bytes", json_span(t, s->fit->weights)},
                {"bytes_per_token", json_span(t, s->fit->kv.slope)},
                {"max_position",
                 json_int_or_null(t, m->max_position > 0, m->max_position)});
}

struct json *json_models(const struct render *t, const struct model_sheet *s) {
    struct json *top = JSON(t, {"schema", json_int(t->a, SCHEMA)},
                            {"oomkb", json_text(t->a, t->o->version)});
    if (s->model == NULL) {
        struct json *list = json_new_array(t->a);
        for (size_t i = 0; i < s->all_count; i++)
            json_push(list, row(t, &s->all[i]));
        json_set(top, "models", list);
        return top;
    }
    struct str release = s->fit->c.in[FACT_engine_version].word;
    JSON_ADD(top, {"model", json_shape(t, &shape_model, s->model)},
             {"weights_bytes", json_span(t, s->fit->weights)},
             {"kv_cache", by_engine(t, s)},
             {"changes", json_steps(t, &s->steps)},
             {"gpus", by_gpu(t, s)},
             {"gpus_engine", json_text(t->a, STR("vllm"))},
             {"gpus_engine_version", json_str_or_null(t->a, release)},
             {"formulas", json_formulas(t, &s->fit->formulas)});
    return top;
}
