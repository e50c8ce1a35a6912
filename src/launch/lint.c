/* lint.c: one file, from its bytes to its findings.
 *
 * The kind of a file follows from its content: `services:` is docker compose,
 * `kind:` a manifest, `model:` beside flags a config file. A file that is no
 * YAML mapping is a script. */
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

static void read_document(const struct launch_file *f,
                          const struct node *root) {
    if (!compose_read(f, root) && !runtime_read(f, root) &&
        !manifest_read(f, root) && !job_read(f, root))
        settings_read_file(f, root);
}

/* Adds a finding about the file, by the rule of that check, if there is one. */
static void file_finding_add(struct lint_work *k, const char *check,
                             struct span_of_file at, struct str what,
                             struct str more) {
    const struct lint_rule *rule;
    for (size_t i = 0; (rule = lint_rule_at(k->r, i)) != NULL; i++)
        if (str_eq(rule->check, str_of(check))) {
            finding_add(k, &(struct found){.rule = rule, .at = at,
                                           .args = {what, more}});
            return;
        }
}

static void unread_finding_add(struct lint_work *k,
                               const struct complaints *c) {
    bool is_template = str_find(k->src->text, STR("{{")) < k->src->text.n;
    if (c->count == 0)
        return;
    const struct diag *d = &c->list[0];
    size_t at = source_byte(k->src, (struct place){d->line, d->column, 1});
    file_finding_add(k, is_template ? "template" : "not_read",
                     (struct span_of_file){at, at + 1, k->src}, d->message,
                     STR(""));
    k->file->is_read = false;
}

/* Adds findings about the files that this one names. */
static void remarks_to_findings(struct lint_work *k,
                                const struct remark_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct remark_of_file *r = &list->at[i];
        file_finding_add(k, r->check, r->at, r->args[0], r->args[1]);
    }
}

/* Reads YAML. False: it is no YAML. If its name is that of YAML, a finding says
 * so. */
static bool read_yaml(struct lint_work *k, const struct launch_file *f) {
    struct complaints c = {.a = k->a, .scratch = k->a};
    struct documents all = yaml_read_foreign(&c, k->src);
    bool is_map = all.count > 0 && all.at[0]->kind == NODE_MAP;
    if (!is_yaml(k->src->path) && (!is_map || c.errors > 0))
        return false;
    for (size_t i = 0; i < all.count; i++)
        read_document(f, all.at[i]);
    remarks_to_findings(k, &f->beside->remarks);
    if (c.errors > 0)
        unread_finding_add(k, &c);
    return true;
}

/* ---- services ---- */

static struct str verdict_text(struct lint_work *k, const struct target *it) {
    if (it->fit == NULL)
        return it->fault;
    if (it->weights_bytes > 0)
        return fit_verdict_word(&k->render, FIT_NO);
    struct fit shown = *it->fit;
    shown.fits = it->fits;
    struct str title = fit_title(&k->render, &shown);
    bool is_by_size = it->fits == FIT_LIKELY && it->fit->fits == FIT_UNKNOWN;
    const char *how = it->served.n > 0 ? "fit.by_served"
                      : is_by_size     ? "fit.by_size" : NULL;
    return how == NULL ? title
                       : arena_printf(k->a, "%.*s %.*s", STR_ARG(title),
                                      STR_ARG(tr(&k->render, how)));
}

static void service_add(struct lint_work *k, const struct target *it) {
    struct lint_service *s = &k->file->services[k->file->service_count++];
    *s = (struct lint_service){
        .path = k->src->path, .name = it->w->name,
        .line = place_of_bytes(it->w->at).line,
        .has_engine = it->engine != NULL,
        .fits = it->fits,
        .room = it->room};
    if (it->engine != NULL) {
        s->engine = it->engine->id;
        s->text = verdict_text(k, it);
    }
}

static int by_place(const void *x, const void *y) {
    const struct lint_finding *a = x, *b = y;
    return diag_compare(&a->diag, &b->diag);
}

/* Sorts findings and removes equal ones: services that extend one another share
 * lines. */
static void sort_findings(struct lint_file *file) {
    size_t kept = 0;
    if (file->finding_count > 1)
        qsort(file->findings, file->finding_count, sizeof *file->findings,
              by_place);
    for (size_t i = 0; i < file->finding_count; i++)
        if (kept == 0 ||
            by_place(&file->findings[kept - 1], &file->findings[i]) != 0)
            file->findings[kept++] = file->findings[i];
    file->finding_count = kept;
}

static void targets_fit(struct lint_work *k, const struct workload_list *list) {
    k->targets = arena_array(k->a, list->count + 1, sizeof *k->targets);
    k->file->services =
        arena_array(k->a, list->count + 1, sizeof *k->file->services);
    k->target_count = list->count;
    for (size_t i = 0; i < list->count; i++) {
        k->targets[i].w = &list->at[i];
        target_fit(k, &k->targets[i]);
        service_add(k, &k->targets[i]);
    }
}

static struct lint_work *begin(struct arena *a, const struct lint_options *o,
                               const struct lint_text *given) {
    struct lint_work *k = arena_alloc(a, sizeof *k);
    struct lint_options *own = arena_alloc(a, sizeof *own);
    *own = *o;
    if (own->maps == NULL)
        own->maps = config_maps_of(a, given, 1);
    k->a = a;
    k->o = own;
    k->r = reader_new(o->kb->index, a);
    k->engines = engine_words_of(a, k->r);
    k->render = (struct render){.a = a, .r = k->r, .lang = o->lang};
    k->src = source_new(a, given->path, given->text);
    k->file = arena_alloc(a, sizeof *k->file);
    *k->file = (struct lint_file){.path = k->src->path, .text = given->text,
                                  .is_read = true};
    return k;
}

struct lint_file *lint_unread(struct arena *a, const struct lint_options *o,
                              struct str path, struct str why) {
    struct lint_text nothing = {path, {NULL, 0}};
    struct lint_work *k = begin(a, o, &nothing);
    file_finding_add(k, "unreadable", (struct span_of_file){0, 0, k->src}, why,
                     STR(""));
    k->file->is_read = false;
    return k->file;
}

struct lint_file *lint_read(struct arena *a, const struct lint_options *o,
                            struct str path, struct str text) {
    struct lint_text given = {path, text};
    struct lint_work *k = begin(a, o, &given);
    struct workload_list list = {0};
    struct beside beside = {.a = k->a, .o = k->o};
    struct launch_file f = {.a = k->a, .beside = &beside, .src = k->src,
                            .engines = &k->engines, .out = &list};
    struct script s = {.src = k->src, .text = k->src->text, .beside = &beside};
    if (is_script(path, text) || !read_yaml(k, &f))
        script_read(k->a, &s, &k->engines, &list);
    targets_fit(k, &list);
    rules_check(k);
    sort_findings(k->file);
    return k->file;
}
