/* known.c: is what somebody says of model, GPU or engine a name that the
 * knowledge base has? What is no such name is refused with the nearest ones: a
 * value that says nothing would silently be left out of the arithmetic. A
 * knowledge base without any such names (a company's own) refuses none. */
#include "api/fit_value.h"
#include "api/handles.h"

#define CARDS_NAMED 5 /* of those that a name could mean */

static int shown(struct str name) {
    return (int)(name.n < 60 ? name.n : 60);
}

void refuse_model(struct arena *a, struct reader *r, struct str name,
                  const char *or_else) {
    struct near near = reader_models_near(r, name);
    struct str names = near_names(a, &near);
    arena_raise(a, FAIL_USAGE, "unknown model '%.*s': %s%.*s%s%s",
                shown(name), name.p, near.count > 0 ? "did you mean " : "",
                STR_ARG(names), near.count > 0 ? "? Else " : "", or_else);
}

/* Cards of several sizes that the name could be. */
static _Noreturn void refuse_ambiguous(struct arena *a, struct str name,
                                       const struct gpu_list *cards,
                                       const char *or_else) {
    struct str could_be = STR("");
    for (size_t i = 0; i < cards->count && i < CARDS_NAMED; i++)
        could_be = arena_printf(a, "%.*s%s%.*s", STR_ARG(could_be),
                                i > 0 ? ", " : "",
                                STR_ARG(cards->at[i]->id));
    arena_raise(a, FAIL_USAGE,
                "'%.*s' is the name of GPUs with different memory (%.*s): say "
                "which, or %s",
                shown(name), name.p, STR_ARG(could_be), or_else);
}

void refuse_gpu(struct arena *a, struct reader *r, struct str name,
                const char *or_else) {
    struct gpu_list cards = reader_gpus_begun(r, name);
    struct near near = reader_gpus_near(r, name);
    if (cards.count > 0)
        refuse_ambiguous(a, name, &cards, or_else);
    struct str names = near_names(a, &near);
    arena_raise(a, FAIL_USAGE, "unknown GPU '%.*s': %s%.*s%s%s", shown(name),
                name.p, near.count > 0 ? "did you mean " : "",
                STR_ARG(names), near.count > 0 ? "? Else " : "", or_else);
}

static void check_engine(struct arena *a, struct reader *r, struct str name) {
    struct near near = {.count = 0};
    struct str asked = arena_lower(a, name);
    bool is_known = reader_engine_by_id(r, asked) != NULL ||
                    reader_component_known(r, asked);
    for (uint32_t i = 0; i < reader_engine_count(r); i++) {
        struct str id = reader_engine(r, i)->id;
        size_t d = near_distance(asked, id);
        if (d <= near_enough(asked))
            near_offer(&near, id, d);
    }
    if (!is_known) {
        struct str names = near_names(a, &near);
        arena_raise(a, FAIL_USAGE, "unknown engine '%.*s': %s%.*s%s",
                    shown(name), name.p,
                    near.count > 0 ? "did you mean "
                                   : "`oomkb list engines` names them",
                    STR_ARG(names), near.count > 0 ? "?" : "");
    }
}

static bool is_gpu(struct reader *r, struct str name) {
    struct str whole;
    int64_t gib;
    return fit_slice_named(name, &whole, &gib) || reader_gpu(r, name) != NULL;
}

/* The memory of a card is said: then its name need not tell it. */
static bool is_total_said(const struct fact *facts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (facts[i].name == FACT_gpu_total)
            return true;
    }
    return false;
}

void check_known(struct arena *a, struct reader *r, const struct fact *facts,
                 size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct str word = facts[i].word;
        if (facts[i].name == FACT_model && reader_model_count(r) > 0 &&
            reader_model(r, word).model == NULL)
            refuse_model(a, r, word, "leave it out; `oomkb list models` names "
                                     "those that are known");
        if (facts[i].name == FACT_gpu_name && !is_total_said(facts, count) &&
            reader_gpus_of_total(r, 1, INT64_MAX).count > 0 &&
            !is_gpu(r, word))
            refuse_gpu(a, r, word, "say its memory, as gpu_total=24GiB");
        if (facts[i].name == FACT_engine && reader_engine_count(r) > 0)
            check_engine(a, r, word);
    }
}
