/* fit_json.c: a fit as JSON; the shape is an ABI (kb/fit.schema.json). An
 * amount is an integer when it is exact, {low, high} when it is bounded, null
 * when it is not known. weights.bytes_per_gpu is always one number, with its
 * bounds beside it. */
#include "render/fit_words.h"

#define SCHEMA 1

static struct json *inputs(const struct render *t, const struct fit *fit) {
    struct json *o = json_new_object(t->a);
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        const struct fact *f = &fit->c.in[n];
        if (f->known)
            json_set(o, fact_spelling((enum fact_name)n), json_fact(t, f));
    }
    return o;
}

static struct json *weights(const struct render *t, const struct fit *fit) {
    bool is_known = fit->weights.known && fit->weights_bytes > 0;
    bool is_open = is_known && fit->weights.low != fit->weights.high;
    return JSON(
        t, {"bytes_per_gpu", json_int_or_null(t, is_known, fit->weights_bytes)},
        {"low", is_open ? json_int(t->a, fit->weights.low) : NULL},
        {"high", is_open ? json_int(t->a, fit->weights.high) : NULL});
}

static struct json *plans(const struct render *t, const struct fit *fit) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < fit->plan_count; i++) {
        const struct fit_plan *plan = &fit->plans[i];
        int effort = (int)fit_plan_effort(plan);
        int loses = (int)fit_plan_loses(plan);
        json_push(
            list,
            JSON(t, {"rank", json_int(t->a, (int64_t)i + 1)},
                 {"command", json_text(t->a, fit_changes(t, fit, plan))},
                 {"changes", json_facts(t, plan->change, plan->count)},
                 {"effort", json_word(t, WORDS_EFFORT, effort)},
                 {"loses", json_word(t, WORDS_LOSES, loses)},
                 {"verdict",
                  json_spelling(t->a, fit_spelling(plan->is_likely ? FIT_LIKELY
                                                                   : FIT_YES))},
                 {"needed", json_span(t, plan->needed)},
                 {"pool", json_span(t, plan->pool)},
                 {"formula", json_str_or_null(t->a, plan->formula)}));
    }
    return list;
}

static struct json *inverses(const struct render *t, const struct fit *fit) {
    struct str card = fit->least_gpu ? fit->least_gpu->id : STR("");
    return JSON(
        t, {"max_model_len", json_span(t, fit->longest)},
        {"max_concurrency", json_hundredths(t, fit->concurrency)},
        {"least_gpu_memory_utilization",
         json_amount(t, UNIT_RATIO, fit->least_share)},
        {"most_gpu_memory_utilization",
         json_amount(t, UNIT_RATIO, fit->most_share)},
        {"least_tensor_parallel", json_span(t, fit->least_tensor_parallel)},
        {"least_gpu", json_str_or_null(t->a, card)},
        {"least_gpu_count",
         fit->is_vllm ? NULL : json_span(t, fit->least_cards)},
        {"batch_size",
         fit->is_training ? json_span(t, fit->largest_batch) : NULL});
}

static struct json *training(const struct render *t,
                             const struct training *held) {
    return JSON(t, {"weights", json_span(t, held->weights)},
                {"gradients", json_span(t, held->gradients)},
                {"optimizer", json_span(t, held->optimizer)},
                {"activations", json_span(t, held->activations)},
                {"total", json_span(t, held->total)},
                {"host", json_span(t, held->host)});
}

static struct json *checks(const struct render *t, const struct fit *fit) {
    struct json *o = json_new_object(t->a);
    for (int i = 0; i < CHECK_COUNT_OF; i++) {
        const struct fit_checked *k = &fit->checks[i];
        if (k->verdict != VERDICT_NONE)
            json_set(o, fit_checks[i].name,
                     JSON(t,
                          {"verdict",
                           json_spelling(t->a, verdict_spelling(k->verdict))},
                          {"asked", json_span(t, k->asked)},
                          {"there", json_span(t, k->there)},
                          {"bypass", json_bool(t->a, k->is_bypassed)}));
    }
    return o;
}

static void set_fit(const struct render *t, struct json *o,
                    const struct fit *fit) {
    struct json *because = json_text(t->a, note_text(t, &fit->because));
    JSON_ADD(o, {"inputs", inputs(t, fit)},
             {"verdict", json_spelling(t->a, fit_spelling(fit->fits))},
             {"kv", json_kv(t, &fit->kv)}, {"weights", weights(t, fit)},
             {"kept_per_request", json_span(t, kv_request(&fit->kv))},
             {"pool", json_span(t, fit->kv.pool)},
             {"budget", json_budget(t, &fit->budget)}, {"plan", plans(t, fit)},
             {"formulas", json_formulas(t, &fit->formulas)},
             {"inverses", inverses(t, fit)}, {"checks", checks(t, fit)},
             {"because", fit->because.key ? because : json_new_null(t->a)},
             {"remarks", json_notes(t, fit->remarks, fit->remark_count)},
             {"training",
              fit->is_training ? training(t, &fit->training) : NULL});
}

static struct json *compared(const struct render *t,
                             const struct fit_sheet *sheet) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct fit_column *column = &sheet->columns[i];
        struct json *o = JSON(t, {"fact", json_text(t->a, sheet->compared)},
                              {"value", json_text(t->a, column->value)});
        set_fit(t, o, column->fit);
        json_push(list, o);
    }
    return list;
}

static struct json *swept(const struct render *t,
                          const struct fit_sheet *sheet) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < sheet->point_count; i++) {
        const struct fit_point *p = &sheet->points[i];
        json_push(list,
                  JSON(t, {"max_model_len", json_int(t->a, p->tokens)},
                       {"bytes_per_request", json_span(t, p->bytes)},
                       {"max_concurrency", json_hundredths(t, p->concurrency)},
                       {"fits", json_truth(t, p->fits)},
                       {"verdict",
                        json_spelling(t->a, fit_spelling(p->fits))}));
    }
    return list;
}

struct json *json_fit(const struct render *t, const struct fit_sheet *sheet) {
    struct json *top = JSON(t, {"schema", json_int(t->a, SCHEMA)},
                            {"oomkb", json_text(t->a, t->o->version)});
    set_fit(t, top, sheet->fit);
    JSON_ADD(top,
             {"compare", sheet->column_count > 0 ? compared(t, sheet) : NULL},
             {"changes", str_eq(sheet->compared, STR("engine_version"))
                             ? json_steps(t, &sheet->steps)
                             : NULL},
             {"sweep", sheet->point_count > 0 ? swept(t, sheet) : NULL});
    return top;
}
