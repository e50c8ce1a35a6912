/* lint.c: one file, from its bytes to its findings.
 *
 * What a file is, is told by what stands in it: `services:` is docker compose,
 * `kind:` a manifest, `model:` beside flags a config file; what is no YAML
 * mapping is a script. */
#include "launch/work.h"

#include <stdlib.h>

#include "api/handles.h"

static bool is_script(struct str path, struct str text) {
    return str_starts(text, STR("#!")) || str_ends(path, STR(".sh")) ||
           str_ends(path, STR(".sbatch")) || str_ends(path, STR(".slurm")) ||
           str_ends(path, STR(".bash"));
}

static bool is_yaml(struct str path) {
    return str_ends(path, STR(".yml")) || str_ends(path, STR(".yaml")) ||
           str_ends(path, STR(".json"));
}

static void read_script(struct lint_work *k,
                        const struct engine_words *engines,
                        struct workload_list *list) {
    struct script s = {.src = k->src, .text = k->src->text};
    script_read(k->a, &s, engines, list);
}

static void read_document(struct lint_work *k, const struct node *root,
                          const struct engine_words *engines,
                          struct workload_list *list) {
    if (!compose_read(k->a, k->src, root, engines, list) &&
        !manifest_read(k->a, k->src, root, engines, list))
        settings_read_file(k->a, k->src, root, list);
}

static void tell_unread(struct lint_work *k, const struct complaints *c) {
    const struct lint_rule *rule = rule_of_check(k, "not_read");
    if (rule == NULL || c->count == 0)
        return;
    const struct diag *d = &c->list[0];
    size_t at = source_byte(k->src, (struct place){d->line, d->column, 1});
    rule_found(k, &(struct found){.rule = rule, .at = {at, at + 1},
                                  .args = {d->message}});
    k->file->is_read = false;
}

/* False: it is no YAML; where its name says that it is, that is told. */
static bool read_yaml(struct lint_work *k, const struct engine_words *engines,
                      struct workload_list *list) {
    struct complaints c = {.a = k->a};
    struct documents all = yaml_read_foreign(&c, k->src);
    bool is_map = all.count > 0 && all.at[0]->kind == NODE_MAP;
    if (!is_yaml(k->src->path) && (!is_map || c.errors > 0))
        return false;
    for (size_t i = 0; i < all.count; i++)
        read_document(k, all.at[i], engines, list);
    if (c.errors > 0)
        tell_unread(k, &c);
    return true;
}

/* ---- what is told of each ---- */

static struct str told_of(struct lint_work *k, const struct asked *it) {
    if (it->fit == NULL)
        return it->fault;
    if (it->weights_bytes > 0)
        return fit_verdict_word(&k->teller, FIT_NO);
    struct str title = fit_title(&k->teller, it->fit);
    return title;
}

static void keep_service(struct lint_work *k, const struct asked *it) {
    struct lint_service *s =
        &k->file->services[k->file->service_count++];
    *s = (struct lint_service){
        .path = k->src->path, .name = it->w->name,
        .line = place_of_bytes(k->src, it->w->at).line,
        .is_asked = it->engine != NULL,
        .fits = it->weights_bytes > 0 ? FIT_NO
                : it->fit != NULL     ? it->fit->fits
                                      : FIT_UNKNOWN};
    if (it->engine != NULL) {
        s->engine = it->engine->id;
        s->told = told_of(k, it);
    }
}

static int by_place(const void *x, const void *y) {
    const struct diag *a = &((const struct lint_finding *)x)->diag;
    const struct diag *b = &((const struct lint_finding *)y)->diag;
    if (a->line != b->line)
        return (a->line > b->line) - (a->line < b->line);
    if (a->column != b->column)
        return (a->column > b->column) - (a->column < b->column);
    return strcmp(a->code, b->code);
}

static void ask_all(struct lint_work *k, const struct workload_list *list) {
    k->asked = arena_array(k->a, list->count + 1, sizeof *k->asked);
    k->file->services =
        arena_array(k->a, list->count + 1, sizeof *k->file->services);
    k->asked_count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        k->asked[i].w = &list->at[i];
        ask_fit(k, &k->asked[i]);
        keep_service(k, &k->asked[i]);
    }
}

struct lint_file *lint_read(struct arena *a, const struct lint_options *o,
                            struct str path, struct str text) {
    struct lint_work *k = arena_alloc(a, sizeof *k);
    struct render_options *shown = arena_alloc(a, sizeof *shown);
    struct workload_list list = {0};
    *shown = (struct render_options){.lang = o->lang};
    k->a = a;
    k->o = o;
    k->r = reader_new(o->kb->index, a);
    k->teller = (struct teller){a, k->r, shown, o->lang};
    k->src = source_new(a, path, text);
    k->file = arena_alloc(a, sizeof *k->file);
    *k->file = (struct lint_file){.path = k->src->path, .text = text,
                                  .is_read = true};
    struct engine_words engines = engines_named(k);
    if (is_script(path, text) || !read_yaml(k, &engines, &list))
        read_script(k, &engines, &list);
    ask_all(k, &list);
    rules_ask(k);
    if (k->file->finding_count > 1)
        qsort(k->file->findings, k->file->finding_count,
              sizeof *k->file->findings, by_place);
    return k->file;
}
