/* build.c: everything that was read, by kind and by id, and as the struct
 * corpus for index/. build_settle() sorts every list by id, so the order of
 * files in a directory has no effect. */
#include "author/build.h"

#include <stdlib.h>
#include <string.h>

#include "author/files.h"
#include "base/utf8.h"

const struct source *build_source(struct build *d, struct str path) {
    struct str bytes = {0};
    const char *why;
    if (!file_read(d->a, path, &bytes, &why)) {
        struct source *none = source_new(d->a, path, (struct str){0});
        complain(&d->c, none, (struct place){0}, CODE_missing_file, "%s", why);
        return NULL;
    }
    struct source *src = source_new(d->a, path, bytes);
    if (bytes.n > YAML_BYTES_MAX) {
        complain(&d->c, src, (struct place){0}, CODE_too_large,
                 "larger than 1 MiB; one file is one known failure");
        return NULL;
    }
    for (size_t i = 0, n = 1; i < bytes.n; i += n) {
        uint32_t cp = (unsigned char)bytes.p[i];
        n = cp < 0x80 ? 1 : utf8_next(str_slice(bytes, i, 4), &cp);
        if (cp != 0xfffd || n == 3)
            continue;
        complain(&d->c, src, source_place(src, i), CODE_not_utf8,
                 "byte 0x%02x is not UTF-8",
                 (unsigned)(unsigned char)bytes.p[i]);
        return NULL;
    }
    return src;
}

void build_put(struct build *d, enum made_kind kind, struct made made) {
    struct made_list *list = &d->made[kind];
    *ARENA_ADD(d->a, list->at, list->count, list->cap) = made;
}

void build_each(struct build *d, enum made_kind kind, made_check check) {
    for (size_t i = 0; i < d->made[kind].count; i++)
        check(d, &d->made[kind].at[i]);
}

bool build_is_asked(const struct build *d, const struct made *m) {
    const struct str_list *only = &d->options->only;
    return only->count == 0 || list_has(only, m->src->path);
}

static int by_id(const void *a, const void *b) {
    const struct made *left = a;
    const struct made *right = b;
    int order = str_cmp(left->id, right->id);
    if (order == 0)
        order = str_cmp(left->src->path, right->src->path);
    if (order != 0 || left->node == NULL || right->node == NULL)
        return order;
    struct place x = left->node->place, y = right->node->place;
    return x.line != y.line ? (x.line < y.line ? -1 : 1)
                            : (x.column > y.column) - (x.column < y.column);
}

const struct made *build_find(const struct build *d, enum made_kind kind,
                             struct str id) {
    const struct made_list *list = &d->made[kind];
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(list->at[middle].id, id);
        if (order == 0)
            return &list->at[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void refuse_taken(struct build *d, const struct made_list *list) {
    for (size_t i = 1; i < list->count; i++) {
        const struct made *m = &list->at[i];
        if (m->id.n == 0 || !str_eq(m->id, list->at[i - 1].id))
            continue;
        const struct node *id = node_or(node_get(m->node, "id"), m->node);
        complain(&d->c, m->src, id != NULL ? id->place : (struct place){0},
                 CODE_duplicate_id, "`%.*s` is taken", STR_ARG(m->id));
    }
}

/* The list of a kind and its length in struct corpus. */
static const struct {
    size_t size, at, count_at; /* at: SIZE_MAX: not in the corpus */
} kinds[MADE_KIND_COUNT_OF] = {
#define KIND(type, list, count) \
    {sizeof(struct type), offsetof(struct corpus, list), \
     offsetof(struct corpus, count)}
    [MADE_ENTRY] = KIND(entry, entries, entry_count),
    [MADE_ENGINE] = KIND(engine, engines, engine_count),
    [MADE_MODEL] = KIND(model, models, model_count),
    [MADE_GPU] = KIND(gpu, gpus, gpu_count),
    [MADE_COMPONENT] = KIND(component, components, component_count),
    [MADE_CAUSE] = KIND(cause, causes, cause_count),
    [MADE_FIX] = {sizeof(struct workaround), SIZE_MAX, 0},
    [MADE_ACT] = {sizeof(struct act), SIZE_MAX, 0},
    [MADE_RULE] = KIND(lint_rule, rules, rule_count),
    [MADE_PROGRAM] = KIND(program, programs, program_count),
#undef KIND
};

/* Sort a kind and move its structs into one array, to which `what` of each then
 * points. */
static void settle(struct build *d, enum made_kind kind) {
    struct made_list *list = &d->made[kind];
    size_t size = kinds[kind].size;
    if (list->count > 1)
        qsort(list->at, list->count, sizeof *list->at, by_id);
    refuse_taken(d, list);
    char *array = arena_array(d->a, list->count, size);
    for (size_t i = 0; i < list->count; i++) {
        memcpy(array + i * size, list->at[i].what, size);
        list->at[i].what = array + i * size;
    }
    if (kinds[kind].at == SIZE_MAX)
        return;
    char *corpus = (char *)&d->corpus;
    memcpy(corpus + kinds[kind].at, &array, sizeof array);
    memcpy(corpus + kinds[kind].count_at, &list->count, sizeof list->count);
}

void build_settle(struct build *d) {
    for (int kind = 0; kind < MADE_KIND_COUNT_OF; kind++)
        settle(d, (enum made_kind)kind);
    for (size_t i = 0; i < d->corpus.engine_count; i++)
        engine_index(d->a, &d->corpus.engines[i]);
}
