/* write_pack.c: the corpus as the pack of pack.h. */
#include <stdlib.h>
#include <string.h>

#include "index/codec.h"
#include "index/model_name.h"
#include "index/write.h"

struct writer {
    struct arena *a;
    struct pack_draft *pack;
};

static void pack_number(struct writer *w, enum section section, struct str key,
                        size_t number) {
    uint32_t n = (uint32_t)number;
    record_number(pack_add_key(w->pack, section, key), &n);
}

/* ---- nouns ---- */

static const struct field message_fields[] = {
    {.key = "id", .at = offsetof(struct message, key), .type = FIELD_LINE},
    {.key = "text", .at = offsetof(struct message, text), .type = FIELD_TEXT},
    {0}};
static const struct shape shape_message = {"message", "", message_fields,
                                           sizeof(struct message)};

const struct noun_list noun_lists[NOUN_LISTS] = {
#define NOUNS(name, section, list, count) \
    {#name, &shape_##name, section, offsetof(struct corpus, list), \
     offsetof(struct corpus, count)}
    NOUNS(engine, SECTION_ENGINE, engines, engine_count),
    NOUNS(model, SECTION_MODEL, models, model_count),
    NOUNS(gpu, SECTION_GPU, gpus, gpu_count),
    NOUNS(cause, SECTION_CAUSE, causes, cause_count),
    NOUNS(lint_rule, SECTION_RULE, rules, rule_count),
    NOUNS(program, SECTION_PROGRAM, programs, program_count),
    NOUNS(component, SECTION_COMPONENT, components, component_count),
    NOUNS(message, SECTION_MESSAGE, messages, message_count),
#undef NOUNS
};

struct nouns nouns_of(const struct corpus *c, const struct noun_list *list) {
    const char *corpus = (const char *)c;
    struct nouns nouns;
    memcpy(&nouns.at, corpus + list->at, sizeof nouns.at);
    memcpy(&nouns.count, corpus + list->count_at, sizeof nouns.count);
    return nouns;
}

struct str noun_id(const struct shape *shape, const void *noun) {
    const struct field *f = field_placed(shape->fields);
    return *(const struct str *)(const void *)((const char *)noun + f->at);
}

/* They are found by their ids, so they are sorted by them. */
static void pack_nouns(struct writer *w, const struct noun_list *list,
                       struct nouns nouns) {
    struct str last = {NULL, 0};
    for (size_t i = 0; i < nouns.count; i++) {
        const char *noun = nouns.at + i * list->shape->size;
        struct str id = noun_id(list->shape, noun);
        if (i > 0 && str_cmp(last, id) >= 0)
            arena_raise(w->a, FAIL_INDEX, "%s '%.*s' is out of order",
                        list->name, STR_ARG(id));
        codec_shape(pack_add(w->pack, list->section), list->shape,
                    (char *)noun);
        last = id;
    }
}

/* ---- names of models ---- */

static void pack_name_form(struct writer *w, const char *form,
                           struct str name, size_t model) {
    if (name.n > 0)
        pack_number(w, SECTION_MODEL_NAME,
                    pack_name_key(w->a, form, name), model);
}

/* A name with the tag :latest has no size, so it is found as a whole only, not
 * as a part of another name. */
static void pack_name(struct writer *w, struct str given, size_t model) {
    struct arena *a = w->a;
    struct model_name name = model_name_of(a, given);
    struct str quantization;
    struct str bare = model_name_bare(a, name.last, &quantization);
    struct model_words words = model_words_of(a, bare);
    pack_name_form(w, "name", name.full, model);
    pack_name_form(w, "last", name.last, model);
    if (!str_ends(name.full, STR(":latest")))
        pack_name_form(w, "words", model_words_join(a, &words, 0, words.count),
                       model);
}

static void pack_model_names(struct writer *w, const struct corpus *c) {
    for (size_t i = 0; i < c->model_count; i++) {
        struct model *m = &c->models[i];
        pack_name(w, m->id, i);
        for (size_t k = 0; k < m->aliases.count; k++)
            pack_name(w, m->aliases.at[k], i);
    }
}

/* ---- entries ---- */

/* What is written sorted by a key. */
struct keyed {
    struct str key;
    uint32_t entry;        /* of a group */
    int64_t worked, tried; /* of a fix */
};
struct keyed_list {
    struct keyed *at;
    size_t count, cap;
};

static int by_key(const void *x, const void *y) {
    const struct keyed *a = x, *b = y;
    int order = str_cmp(a->key, b->key);
    return order != 0 ? order : (a->entry > b->entry) - (a->entry < b->entry);
}

/* The end of the run of equal keys that begins at `from`. */
static size_t run_end(const struct keyed_list *list, size_t from) {
    size_t to = from;
    while (to < list->count && str_eq(list->at[to].key, list->at[from].key))
        to++;
    return to;
}

static void sort_keyed(struct keyed_list *list) {
    if (list->count > 1)
        qsort(list->at, list->count, sizeof *list->at, by_key);
}

/* Write all groups. Returns the number of each entry's group. */
static uint32_t *pack_groups(struct writer *w, const struct corpus *c) {
    uint32_t *group_of = arena_array(w->a, c->entry_count, sizeof *group_of);
    struct keyed_list list = {.count = 0};
    uint32_t group = 0;
    for (size_t i = 0; i < c->entry_count; i++) {
        const struct entry *e = &c->entries[i];
        *ARENA_ADD(w->a, list.at, list.count, list.cap) = (struct keyed){
            .key = e->same_words_as.n > 0 ? e->same_words_as : e->id,
            .entry = (uint32_t)i};
    }
    sort_keyed(&list);
    for (size_t from = 0, to; from < list.count; from = to, group++) {
        struct record *r = pack_add(w->pack, SECTION_GROUP);
        to = run_end(&list, from);
        size_t count = to - from;
        record_list(r, NULL, &count, 0);
        for (size_t i = from; i < to; i++) {
            record_number(r, &list.at[i].entry);
            group_of[list.at[i].entry] = group;
        }
    }
    return group_of;
}

static void pack_entries(struct writer *w, const struct corpus *c) {
    uint32_t *group_of = pack_groups(w, c);
    uint32_t first_pattern = 0;
    for (size_t i = 0; i < c->entry_count; i++) {
        struct entry *e = &c->entries[i];
        struct record *r = pack_add(w->pack, SECTION_ENTRY);
        record_number(r, &first_pattern);
        record_number(r, &group_of[i]);
        codec_entry_head(r, e);
        codec_entry_rest(pack_add(w->pack, SECTION_ENTRY_REST), e);
        first_pattern += (uint32_t)(e->signature_count + e->condition_count);
        pack_number(w, SECTION_ENTRY_ID, e->id, i);
    }
    for (size_t i = 0; i < c->entry_count; i++) {
        struct str_list *names = &c->entries[i].renamed_from;
        for (size_t k = 0; k < names->count; k++)
            pack_number(w, SECTION_ENTRY_ID, names->at[k], i);
    }
}

/* The sums of reader_pooled(): workarounds of a mechanism that are the same
 * fix, reports and measured only. */
static void pack_pooled(struct writer *w, const struct corpus *c) {
    struct keyed_list list = {.count = 0};
    for (size_t i = 0; i < c->entry_count; i++) {
        const struct entry *e = &c->entries[i];
        for (size_t k = 0; k < e->workaround_count; k++) {
            const struct workaround *fix = &e->workarounds[k];
            const struct rate *rate = &fix->success;
            bool is_named = fix->use.n > 0 || fix->acts_on.flag.n > 0 ||
                            fix->acts_on.kind != ACT_KIND_none;
            if (is_named && (rate->basis == BASIS_reports ||
                             rate->basis == BASIS_measured))
                *ARENA_ADD(w->a, list.at, list.count, list.cap) =
                    (struct keyed){
                        .key = pack_pooled_key(w->a, (int)e->mechanism, fix),
                        .worked = rate->worked,
                        .tried = rate->tried};
        }
    }
    sort_keyed(&list);
    for (size_t from = 0, to; from < list.count; from = to) {
        struct keyed sum = {.entry = 0};
        to = run_end(&list, from);
        for (size_t i = from; i < to; i++) {
            sum.worked += list.at[i].worked;
            sum.tried += list.at[i].tried;
        }
        struct record *r =
            pack_add_key(w->pack, SECTION_POOLED, list.at[from].key);
        record_count(r, &sum.worked);
        record_count(r, &sum.tried);
    }
}

static void pack_everywhere(struct writer *w, const struct corpus *c) {
    for (uint32_t i = 0; i < c->engine_count; i++)
        if (c->engines[i].is_everywhere)
            record_number(pack_add(w->pack, SECTION_EVERYWHERE), &i);
}

static void pack_totals(struct writer *w, const struct corpus *c) {
    struct record *r = pack_add(w->pack, SECTION_GPU_TOTAL);
    for (size_t i = 0; i < c->gpu_count; i++) {
        record_int(r, &c->gpus[i].total_low);
        record_int(r, &c->gpus[i].total_high);
    }
}

static void pack_naming(struct writer *w, const struct pattern_list *set) {
    for (size_t i = 0; i < set->count; i++)
        if (context_engine(set->at[i].context).n > 0)
            record_number(pack_add(w->pack, SECTION_NAMING), &set->at[i].id);
}

/* Without their contexts, which are with their patterns: of an engine that is
 * read for its flags a thousand of them are of no use. */
static struct engine *bare_engines(struct arena *a, const struct corpus *c) {
    struct engine *bare = arena_array(a, c->engine_count, sizeof *bare);
    for (size_t i = 0; i < c->engine_count; i++) {
        bare[i] = c->engines[i];
        bare[i].context_count = 0;
    }
    return bare;
}

/* ---- compiled patterns ---- */

static size_t common(struct str x, struct str y) {
    size_t n = 0;
    while (n < x.n && n < y.n && x.p[n] == y.p[n])
        n++;
    return n;
}

/* PCRE2 puts its tables before each pattern, so the common beginning is stored
 * once. */
static struct str common_beginning(const struct pattern_list *set) {
    struct str head = {NULL, 0};
    for (size_t i = 0; i < set->count; i++) {
        const struct str_list *code = &set->at[i].analysis.code;
        for (size_t k = 0; k < code->count; k++)
            head = head.p == NULL
                       ? code->at[k]
                       : str_slice(head, 0, common(head, code->at[k]));
    }
    return head;
}

void write_code(struct pack_draft *draft, const struct pattern_list *set) {
    struct str head = common_beginning(set);
    for (size_t i = 0; i < set->count; i++) {
        struct str_list code = set->at[i].analysis.code;
        struct record *r = pack_add(draft, SECTION_CODE);
        record_list(r, NULL, &code.count, 0);
        for (size_t k = 0; k < code.count; k++) {
            struct str rest = str_slice(code.at[k], head.n, code.at[k].n);
            record_str(r, &rest);
        }
    }
    record_str(pack_add(draft, SECTION_CODE), &head);
}

struct str index_pack(struct arena *a, const struct corpus *c,
                      const struct pattern_list *set, struct str prefilter) {
    struct writer w = {a, pack_begin(a)};
    struct ranking ranking = c->ranking;
    for (size_t i = 0; i < set->count; i++)
        codec_pattern(pack_add(w.pack, SECTION_PATTERN), &set->at[i]);
    write_code(w.pack, set);
    pack_entries(&w, c);
    struct corpus packed = *c;
    packed.engines = bare_engines(a, c);
    for (size_t i = 0; i < NOUN_LISTS; i++)
        pack_nouns(&w, &noun_lists[i], nouns_of(&packed, &noun_lists[i]));
    pack_model_names(&w, c);
    pack_everywhere(&w, c);
    pack_naming(&w, set);
    pack_totals(&w, c);
    pack_pooled(&w, c);
    codec_ranking(pack_add(w.pack, SECTION_RANKING), &ranking);
    return pack_end(w.pack, prefilter);
}
