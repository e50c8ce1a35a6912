/* known.c: checks that names from the caller are in the knowledge base. An
 * unknown name is refused with the nearest ones, since an unknown model would
 * silently be left out of the arithmetic. A knowledge base without models, GPUs
 * or engines (a company's own) refuses none of them. */
#include "api/fit_value.h"
#include "api/handles.h"
#include "base/near.h"
#include "render/render.h"

#define CARDS_NAMED 5 /* cards listed for an ambiguous name */
#define NAME_SHOWN 60
#define ID_SHOWN 80
#define FIXES_SHOWN 120

/* what: "no entry". or_else: what the caller can do instead; printed if no name
 * is near, or always if is_else. */
static _Noreturn void refuse(struct arena *a, const char *what, size_t shown,
                             struct str name, const struct near *near,
                             const char *or_else, bool is_else) {
    struct str names = near_names(a, near);
    bool has_near = near->count > 0;
    arena_raise(a, FAIL_USAGE, "%s '%.*s': %s%.*s%s%s%s", what,
                STR_ARG(str_slice(name, 0, shown)),
                has_near ? "did you mean " : "", STR_ARG(names),
                has_near ? "?" : "", has_near && is_else ? " Else " : "",
                !has_near || is_else ? or_else : "");
}

/* ---- entries, components and fixes ---- */

/* The distance from what was typed to this id, or to its last part alone, which
 * costs 1 more if a component was typed: of two equally near ids, the one of
 * that component is nearer. */
static size_t distance_to(struct str typed, struct str id) {
    struct str slug, typed_slug;
    str_cut(id, '/', &slug);
    size_t whole = near_distance(typed, id);
    bool is_slug = str_cut(typed, '/', &typed_slug).n == typed.n;
    size_t part =
        near_distance(is_slug ? typed : typed_slug, slug) + !is_slug;
    return part < whole ? part : whole;
}

void refuse_entry(struct arena *a, struct reader *r, struct str entry) {
    struct number_list all = reader_entries_of(r, (struct str){NULL, 0});
    struct near near = {.count = 0};
    for (size_t i = 0; i < all.count; i++) {
        struct str id = reader_entry(r, all.at[i])->id;
        size_t d = distance_to(entry, id);
        if (d <= near_enough(entry))
            near_offer(&near, id, d);
    }
    refuse(a, "no entry", ID_SHOWN, entry, &near,
           "`oomkb list` names them, for example vllm/kv-cache-too-small",
           false);
}

/* Ids of components are lower case, so "VLLM" is lowered first. Where a
 * component stands, `oomkb list` also takes "gpus" and the like. */
void refuse_component(struct arena *a, struct reader *r, struct str name) {
    struct str typed = arena_lower(a, name);
    struct number_list all = reader_entries_of(r, (struct str){NULL, 0});
    struct near near = {.count = 0};
    for (const char *const *n = names_known; *n != NULL; n++)
        near_weigh(&near, typed, str_of(*n));
    for (size_t i = 0; i < all.count; i++)
        near_weigh(&near, typed, reader_entry(r, all.at[i])->component);
    refuse(a, "no component", ID_SHOWN, name, &near,
           "`oomkb list components` names them", false);
}

/* "its fixes are a, b, ...": as many as FIXES_SHOWN bytes hold. */
static const char *fixes_of(struct arena *a, const struct entry *e) {
    struct str list = STR("its fixes are ");
    for (size_t i = 0; i < e->workaround_count; i++) {
        const char *comma = i > 0 ? ", " : "";
        struct str id = e->workarounds[i].id;
        if (list.n + id.n > FIXES_SHOWN)
            return arena_printf(a, "%.*s%s...", STR_ARG(list), comma).p;
        list = arena_printf(a, "%.*s%s%.*s", STR_ARG(list), comma, STR_ARG(id));
    }
    return list.p;
}

void fix_check(struct arena *a, const struct oomkb *kb, struct str entry,
               struct str fix) {
    struct reader *r = reader_new(kb->index, a);
    const struct entry *e = reader_entry_by_id(r, entry, NULL);
    struct near near = {.count = 0};
    if (e == NULL)
        refuse_entry(a, r, entry);
    for (size_t i = 0; i < e->workaround_count; i++) {
        if (str_eq(e->workarounds[i].id, fix))
            return;
        near_weigh(&near, fix, e->workarounds[i].id);
    }
    if (reader_has_lever(r, fix))
        return;
    struct str what = arena_printf(a, "%.*s has no fix", STR_ARG(e->id));
    refuse(a, what.p, NAME_SHOWN, fix, &near, fixes_of(a, e), false);
}

/* ---- models, GPUs and engines ---- */

void refuse_model(struct arena *a, struct reader *r, struct str name,
                  const char *or_else) {
    struct near near = reader_models_near(r, name);
    refuse(a, "unknown model", NAME_SHOWN, name, &near, or_else, true);
}

/* Refuse a name of cards with different memory. */
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
                STR_ARG(str_slice(name, 0, NAME_SHOWN)), STR_ARG(could_be),
                or_else);
}

void refuse_gpu(struct arena *a, struct reader *r, struct str name,
                const char *or_else) {
    struct gpu_list cards = reader_gpus_with_prefix(r, name);
    struct near near = reader_gpus_near(r, name);
    if (cards.count > 0)
        refuse_ambiguous(a, name, &cards, or_else);
    refuse(a, "unknown GPU", NAME_SHOWN, name, &near, or_else, true);
}

static void check_engine(struct arena *a, struct reader *r, struct str name) {
    struct near near = {.count = 0};
    struct str asked = arena_lower(a, name);
    if (reader_engine_by_id(r, asked) != NULL ||
        reader_component_known(r, asked))
        return;
    for (uint32_t i = 0; i < reader_engine_count(r); i++)
        near_weigh(&near, asked, reader_engine(r, i)->id);
    refuse(a, "unknown engine", NAME_SHOWN, name, &near,
           "`oomkb list engines` names them", false);
}

static bool is_gpu(struct reader *r, struct str name) {
    struct str whole;
    int64_t gib;
    return fit_slice_named(name, &whole, &gib) || reader_gpu(r, name) != NULL;
}

/* True if gpu_total is given: then the card's name need not be known. */
static bool is_total_given(const struct fact *facts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (facts[i].name == FACT_gpu_total)
            return true;
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
        if (facts[i].name == FACT_gpu_name && !is_total_given(facts, count) &&
            reader_gpus_of_total(r, 1, INT64_MAX).count > 0 &&
            !is_gpu(r, word))
            refuse_gpu(a, r, word, "say its memory, as gpu_total=24GiB");
        if (facts[i].name == FACT_engine && reader_engine_count(r) > 0)
            check_engine(a, r, word);
    }
}
