/* model_json.c: what a model takes, as JSON: the numbers of its page, and its
 * record of the catalogue. The shape is an ABI (kb/model.schema.json). */
#include "render/fit_words.h"
#include "render/model.h"

#define SCHEMA 1

static struct json *by_engine(const struct teller *t,
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

static struct json *by_gpu(const struct teller *t,
                           const struct model_sheet *s) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < s->on_count; i++) {
        const struct gpu *gpu = s->on[i].gpu;
        const struct fit *fit = s->on[i].fit;
        struct span total = {true, gpu->total_low, gpu->total_high};
        json_push(list,
                  JSON(t, {"gpu", json_text(t->a, gpu->id)},
                       {"total_bytes", json_span(t, total)},
                       {"verdict", json_spelling(t, fit_spelling(fit->fits))},
                       {"max_model_len", json_span(t, fit->longest)},
                       {"max_concurrency",
                        json_hundredths(t, fit->concurrency)},
                       {"least_tensor_parallel",
                        json_span(t, fit->least_tensor_parallel)}));
    }
    return list;
}

static struct json *changes(const struct teller *t,
                            const struct model_sheet *s) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < s->steps.count; i++)
        json_push(list, json_step(t, &s->steps.at[i]));
    return list;
}

static struct json *row(const struct teller *t, const struct model_sheet *s) {
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

struct json *json_models(const struct teller *t, const struct model_sheet *s) {
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
             {"kv_cache", by_engine(t, s)}, {"changes", changes(t, s)},
             {"gpus", by_gpu(t, s)},
             {"gpus_engine", json_text(t->a, STR("vllm"))},
             {"gpus_engine_version", json_str_or_null(t->a, release)},
             {"formulas", json_formulas(t, &s->fit->formulas)});
    return top;
}
