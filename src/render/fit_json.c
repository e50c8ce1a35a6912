/* fit_json.c: a fit as JSON; the shape is an ABI (kb/fit.schema.json). An
 * amount is an integer when it is exact, {low, high} when it is bounded, null
 * when it is not known. weights.bytes_per_gpu is always one figure, with its
 * bounds beside it. */
#include "render/fit_words.h"

#define SCHEMA 1

static struct json *truth(const struct teller *t, enum truth_fit fits) {
    switch (fits) {
    case FIT_LIKELY:
    case FIT_UNKNOWN: return json_new_null(t->a);
    case FIT_YES: return json_bool(t->a, true);
    case FIT_NO: return json_bool(t->a, false);
    }
    return json_new_null(t->a);
}

/* `fits` cannot say that it is likely. */
static struct json *fit_word(const struct teller *t, enum truth_fit fits) {
    const char *text = fits == FIT_YES      ? "fits"
                       : fits == FIT_LIKELY ? "likely"
                       : fits == FIT_NO     ? "does_not_fit"
                                            : "unknown";
    return json_text(t->a, str_of(text));
}

static struct json *inputs(const struct teller *t, const struct fit *fit) {
    struct json *o = json_new_object(t->a);
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        const struct fact *f = &fit->c.in[n];
        if (f->known) {
            json_set(o, fact_spelling((enum fact_name)n), json_fact(t, f));
        }
    }
    return o;
}

static struct json *weights(const struct teller *t, const struct fit *fit) {
    struct json *o = json_new_object(t->a);
    bool is_known = fit->weights.known && fit->weights_bytes > 0;
    json_set(o, "bytes_per_gpu", is_known ? json_int(t->a, fit->weights_bytes)
                                          : json_new_null(t->a));
    if (is_known && fit->weights.low != fit->weights.high) {
        json_set(o, "low", json_int(t->a, fit->weights.low));
        json_set(o, "high", json_int(t->a, fit->weights.high));
    }
    return o;
}

static struct json *changes(const struct teller *t,
                            const struct fit_plan *plan) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < plan->count; i++) {
        json_push(list, json_fact(t, &plan->change[i]));
    }
    return list;
}

static struct json *plans(const struct teller *t, const struct fit *fit) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < fit->plan_count; i++) {
        const struct fit_plan *plan = &fit->plans[i];
        struct json *o = json_new_object(t->a);
        json_set(o, "rank", json_int(t->a, (int64_t)i + 1));
        json_set(o, "command", json_text(t->a, fit_changes(t, fit, plan)));
        json_set(o, "changes", changes(t, plan));
        json_set(o, "effort",
                 json_word(t, WORDS_EFFORT, (int)fit_plan_effort(plan)));
        json_set(o, "loses", json_word(t, WORDS_LOSES, (int)fit_plan_loses(plan)));
        json_set(o, "needed", json_span(t, plan->needed));
        json_set(o, "pool", json_span(t, plan->pool));
        json_set(o, "formula", json_str_or_null(t->a, plan->formula));
        json_push(list, o);
    }
    return list;
}

static struct json *share(const struct teller *t, struct span s) {
    if (!s.known || s.low == s.high) {
        return s.known ? json_micro(t->a, s.low) : json_new_null(t->a);
    }
    struct json *o = json_new_object(t->a);
    json_set(o, "low", json_micro(t->a, s.low));
    json_set(o, "high", json_micro(t->a, s.high));
    return o;
}

static struct json *inverses(const struct teller *t, const struct fit *fit) {
    struct json *o = json_new_object(t->a);
    struct str card = fit->least_gpu ? fit->least_gpu->id
                                     : (struct str){NULL, 0};
    json_set(o, "max_model_len", json_span(t, fit->longest));
    json_set(o, "max_concurrency", json_hundredths(t, fit->concurrency));
    json_set(o, "least_gpu_memory_utilization", share(t, fit->least_share));
    json_set(o, "most_gpu_memory_utilization", share(t, fit->most_share));
    json_set(o, "least_tensor_parallel",
             json_span(t, fit->least_tensor_parallel));
    json_set(o, "least_gpu", json_str_or_null(t->a, card));
    if (!fit->is_vllm) {
        json_set(o, "least_gpu_count", json_span(t, fit->least_cards));
    }
    if (fit->is_training) {
        json_set(o, "batch_size", json_span(t, fit->largest_batch));
    }
    return o;
}

static struct json *training(const struct teller *t,
                             const struct training *held) {
    struct json *o = json_new_object(t->a);
    json_set(o, "weights", json_span(t, held->weights));
    json_set(o, "gradients", json_span(t, held->gradients));
    json_set(o, "optimizer", json_span(t, held->optimizer));
    json_set(o, "activations", json_span(t, held->activations));
    json_set(o, "total", json_span(t, held->total));
    json_set(o, "host", json_span(t, held->host));
    return o;
}

static const char *const check_names[CHECK_COUNT_OF] = {
    [CHECK_HEADS] = "heads",       [CHECK_SPLIT] = "split",
    [CHECK_FLASH] = "flash_attention", [CHECK_RELEASE] = "release",
    [CHECK_RANKS] = "ranks",
    [CHECK_POSITION] = "position", [CHECK_FREE] = "free_at_start",
    [CHECK_SKU] = "kaito_sku",
};

static struct json *checks(const struct teller *t, const struct fit *fit) {
    struct json *o = json_new_object(t->a);
    for (int i = 0; i < CHECK_COUNT_OF; i++) {
        const struct fit_checked *k = &fit->checks[i];
        if (k->verdict == VERDICT_NONE) {
            continue;
        }
        struct json *one = json_new_object(t->a);
        json_set(one, "verdict",
                 json_text(t->a, str_of(verdict_spelling(k->verdict))));
        json_set(one, "asked", json_span(t, k->asked));
        json_set(one, "there", json_span(t, k->there));
        json_set(one, "bypass", json_bool(t->a, k->is_bypassed));
        json_set(o, check_names[i], one);
    }
    return o;
}

static struct json *remarks(const struct teller *t, const struct fit *fit) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < fit->remark_count; i++) {
        json_push(list, json_text(t->a, said_note(t, &fit->remarks[i])));
    }
    return list;
}

static void set_fit(const struct teller *t, struct json *o,
                    const struct fit *fit) {
    json_set(o, "inputs", inputs(t, fit));
    json_set(o, "verdict", fit_word(t, fit->fits));
    json_set(o, "kv", json_kv(t, &fit->kv));
    json_set(o, "weights", weights(t, fit));
    json_set(o, "pool", json_span(t, fit->kv.pool));
    json_set(o, "budget", json_budget(t, &fit->budget));
    json_set(o, "plan", plans(t, fit));
    json_set(o, "formulas", json_formulas(t, &fit->formulas));
    json_set(o, "inverses", inverses(t, fit));
    json_set(o, "checks", checks(t, fit));
    json_set(o, "because", fit->because.key
                               ? json_text(t->a, said_note(t, &fit->because))
                               : json_new_null(t->a));
    json_set(o, "remarks", remarks(t, fit));
    if (fit->is_training) {
        json_set(o, "training", training(t, &fit->training));
    }
}

static struct json *compared(const struct teller *t,
                             const struct fit_sheet *sheet) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct json *o = json_new_object(t->a);
        json_set(o, "fact", json_text(t->a, sheet->compared));
        json_set(o, "value", json_text(t->a, sheet->columns[i].value));
        set_fit(t, o, sheet->columns[i].fit);
        json_push(list, o);
    }
    return list;
}

static struct json *swept(const struct teller *t,
                          const struct fit_sheet *sheet) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < sheet->point_count; i++) {
        const struct fit_point *p = &sheet->points[i];
        struct json *o = json_new_object(t->a);
        json_set(o, "max_model_len", json_int(t->a, p->tokens));
        json_set(o, "bytes_per_request", json_span(t, p->bytes));
        json_set(o, "max_concurrency", json_hundredths(t, p->concurrency));
        json_set(o, "fits", truth(t, p->fits));
        json_set(o, "verdict", fit_word(t, p->fits));
        json_push(list, o);
    }
    return list;
}

struct json *json_fit(const struct teller *t, const struct fit_sheet *sheet) {
    struct json *top = json_new_object(t->a);
    json_set(top, "schema", json_int(t->a, SCHEMA));
    json_set(top, "oomkb", json_text(t->a, t->o->version));
    set_fit(t, top, sheet->fit);
    if (sheet->column_count > 0) {
        json_set(top, "compare", compared(t, sheet));
    }
    if (sheet->point_count > 0) {
        json_set(top, "sweep", swept(t, sheet));
    }
    return top;
}
