/* read_corpus.c: entries/ and kb/ to a struct build.
 *
 *     entries/<component>/<slug>.yaml          an entry; its id is its path
 *     entries/<component>/<slug>.log           the entry must be found in it
 *     entries/<component>/<slug>.ok.log        the entry must not
 *     entries/<component>/<slug>.expect.json   golden report, not read here
 *     kb/engines/<id>.yaml  kb/models/<family>.yaml  kb/gpus.yaml
 *     kb/vocabulary.yaml    kb/glossary.yaml    kb/programs.yaml, kb/programs/
 *     kb/fixes/<any>.yaml   kb/causes.yaml      kb/ranking.yaml
 *     kb/lint.yaml
 *
 * Other files under entries/ are errors, since an entry with a misspelled name
 * would be silently left out. */
#include "author/build.h"
#include "author/files.h"

static struct str without_suffix(struct str s, struct str suffix) {
    return str_slice(s, 0, s.n - suffix.n);
}

static bool is_slug(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'
              || c == '.' || c == '_'))
            return false;
    }
    return s.n > 0;
}

/* True for component/slug, both of lower-case letters, digits, '-', '.',
 * '_'. */
static bool is_entry_id(struct str id) {
    struct str slug;
    struct str component = str_cut(id, '/', &slug);
    return is_slug(component) && is_slug(slug);
}

void read_entry(const struct reading *r, struct str id,
                const struct node *root, struct entry *e) {
    struct str slug;
    shape_read(r, &shape_entry, root, e);
    e->id = id;
    if (e->component.n == 0)
        e->component = str_cut(id, '/', &slug);
}

static struct str beside(struct build *d, struct str path, const char *suffix) {
    struct str base = without_suffix(path, STR(".yaml"));
    struct str other = arena_printf(d->a, "%.*s%s", STR_ARG(base), suffix);
    return file_exists(d->a, other) ? other : (struct str){0};
}

static bool is_under(struct str path, struct str dir) {
    return str_starts(path, dir) && path.n > dir.n && path.p[dir.n] == '/';
}

/* The id of a file: "vllm/x"; for a file elsewhere, its folder and its name. */
static struct str id_of(struct build *d, struct str path) {
    struct str dir = is_under(path, d->entries_dir)
                         ? d->entries_dir
                         : path_parent(path_parent(path));
    bool is_here = str_eq(dir, STR(".")) && !str_starts(path, STR("./"));
    struct str id = is_here ? path : str_slice(path, dir.n + 1, path.n);
    if (str_find_char(id, '/') == id.n)
        id = arena_printf(d->a, "draft/%.*s", STR_ARG(id));
    return without_suffix(id, STR(".yaml"));
}

const struct source *source_as_draft(struct complaints *c,
                                     const struct source *src,
                                     const struct node *root) {
    const struct node *status = node_get(root, "status");
    if (status == NULL || !str_eq(status->text, STR("draft")))
        return src;
    struct source *draft = arena_alloc(c->a, sizeof *draft);
    *draft = *src;
    draft->is_draft = true;
    complain(c, draft, status->place, CODE_draft,
             "a draft, in no index: take this line out once it is whole");
    return draft;
}

/* Of no file that holds an entry: without a source. */
static struct made read_entry_file(struct build *d, struct str path) {
    const struct source *src = build_source(d, path);
    struct made none = {.src = NULL};
    if (src == NULL)
        return none;
    struct str id = id_of(d, path);
    if (!is_entry_id(id)) {
        complain(&d->c, src, (struct place){0}, CODE_stray_file,
                 "an entry is entries/<component>/<slug>.yaml, in lower case");
        return none;
    }
    const struct node *root = yaml_read(&d->c, d->nodes, src);
    if (root == NULL)
        return none;
    src = source_as_draft(&d->c, src, root);
    if (src->is_draft && !d->options->keeps_drafts)
        return none;
    struct entry *e = arena_alloc(d->a, sizeof *e);
    struct reading r = {&d->c, src};
    size_t errors = d->c.errors;
    read_entry(&r, arena_str(d->a, id), root, e);
    return (struct made){.id = e->id, .what = e, .src = src, .node = root,
                         .is_broken = d->c.errors > errors,
                         .log_path = beside(d, path, ".log"),
                         .ok_log_path = beside(d, path, ".ok.log")};
}

static bool has_entry(struct build *d, struct str path) {
    static const char *const beside_it[] = {".expect.json", ".ok.log", ".log"};
    for (size_t i = 0; i < sizeof beside_it / sizeof *beside_it; i++) {
        struct str suffix = str_of(beside_it[i]);
        if (!str_ends(path, suffix))
            continue;
        struct str base = without_suffix(path, suffix);
        return file_exists(d->a, arena_printf(d->a, "%.*s.yaml",
                                              STR_ARG(base)));
    }
    return false;
}

/* ---- kb/ ---- */

struct kb_file;
typedef void kb_take(struct build *d, const struct kb_file *f);

enum kb_place { KB_FILE, KB_OPTIONAL, KB_FOLDER };

struct kb_part { /* a file that may have to be there, or all in a folder */
    enum kb_place place;
    const char *name;
    const struct shape *shape;
    kb_take *take; /* what was read, to the build */
};

struct kb_file {
    const struct kb_part *part;
    struct str path;
    const struct source *src;
    const struct node *root; /* NULL: after complaints, and nothing in `what` */
    void *what;              /* a struct of the shape */
};

static void kb_read(struct build *d, struct kb_file *f) {
    f->src = build_source(d, f->path);
    f->what = arena_alloc(d->a, f->part->shape->size);
    f->root = f->src != NULL ? yaml_read(&d->c, d->nodes, f->src) : NULL;
    if (f->root != NULL)
        shape_read(&(struct reading){&d->c, f->src}, f->part->shape, f->root,
                   f->what);
}

struct str act_key(struct arena *a, const struct acts_on *what) {
    if (what->flag.n == 0)
        return arena_printf(a, "kind %s", word_spelling(WORDS_ACT_KIND,
                                                        (int)what->kind));
    return arena_printf(a, "%.*s %s", STR_ARG(what->flag),
                        word_spelling(WORDS_CHANGE, (int)what->change));
}

/* Add the items of the list of that key. The id of an act is act_key(). */
static void put_all(struct build *d, enum made_kind kind,
                    const struct kb_file *f, const char *key) {
    const struct field *list = field_named(f->part->shape, str_of(key));
    const struct field *id = field_named(list->shape, STR("id"));
    size_t count = *(size_t *)(void *)((char *)f->what + list->count_at);
    char *at = *(char **)(void *)((char *)f->what + list->at);
    for (size_t i = 0; i < count; i++, at += list->shape->size) {
        struct act *act = (void *)at;
        build_put(d, kind,
                  (struct made){.id = id != NULL
                                          ? *(struct str *)(void *)(at + id->at)
                                          : act_key(d->a, &act->acts_on),
                                .what = at, .src = f->src, .at = i,
                                .node = node_item(node_get(f->root, key), i)});
    }
}

static void take_components(struct build *d, const struct kb_file *f) {
    put_all(d, MADE_COMPONENT, f, "components");
}

static void take_gpus(struct build *d, const struct kb_file *f) {
    put_all(d, MADE_GPU, f, "gpus");
}

static void take_rules(struct build *d, const struct kb_file *f) {
    put_all(d, MADE_RULE, f, "rules");
}

static void take_engine(struct build *d, const struct kb_file *f) {
    struct engine *e = f->what;
    if (f->root == NULL)
        return;
    struct str name =
        str_slice(f->path, path_parent(f->path).n + 1, f->path.n);
    e->id = arena_str(d->a, without_suffix(name, STR(".yaml")));
    for (size_t i = 0; i < e->flag_count; i++)
        e->flags[i].exists.product = e->id;
    for (size_t i = 0; i < e->option_count; i++)
        e->options[i].exists.product = e->id;
    for (size_t i = 0; i < e->default_count; i++)
        e->defaults[i].versions.product = e->id;
    build_put(d, MADE_ENGINE, (struct made){.id = e->id, .what = e,
                                            .src = f->src, .node = f->root});
}

static void take_models(struct build *d, const struct kb_file *f) {
    struct model_file *file = f->what;
    for (size_t i = 0; i < file->model_count; i++) {
        file->models[i].family = file->family;
        for (size_t k = 0; k < file->models[i].group_count; k++)
            kv_group_sum_state(&file->models[i].groups[k]);
    }
    put_all(d, MADE_MODEL, f, "models");
}

static void take_glossary(struct build *d, const struct kb_file *f) {
    d->glossary = *(const struct glossary_file *)f->what;
    glossary_settle(d);
}

static void take_programs(struct build *d, const struct kb_file *f) {
    struct programs_file *file = f->what;
    for (size_t i = 0; i < file->program_count; i++) {
        struct program *p = &file->programs[i];
        p->id = p->id.n > 0 ? p->id : p->name;
    }
    put_all(d, MADE_PROGRAM, f, "programs");
}

static void take_fixes(struct build *d, const struct kb_file *f) {
    put_all(d, MADE_FIX, f, "fixes");
    put_all(d, MADE_ACT, f, "acts");
}

/* Keep the causes of mechanisms. There must be a row for each one, so that
 * every entry has causes. */
static void keep_mechanisms(struct build *d, const struct kb_file *f) {
    const struct cause_file *file = f->what;
    const struct node *list = node_get(f->root, "mechanisms");
    for (size_t i = 0; i < file->mechanism_count; i++) {
        const struct mechanism_causes *row = &file->mechanisms[i];
        struct mechanism_causes *kept = &d->mechanisms[row->mechanism];
        if (kept->cause_count > 0)
            complain(&d->c, d->causes_src, node_item(list, i)->place,
                     CODE_duplicate_id, "`%s` has a row above",
                     word_spelling(WORDS_MECHANISM, (int)row->mechanism));
        *kept = *row;
        d->mechanism_nodes[row->mechanism] = node_item(list, i);
    }
    for (int i = 0; list != NULL && i < MECHANISM_COUNT_OF; i++)
        if (d->mechanisms[i].cause_count == 0)
            complain(&d->c, d->causes_src, list->place, CODE_unsaid,
                     "no causes of mechanism `%s`: a row for it is missing",
                     word_spelling(WORDS_MECHANISM, i));
}

static void take_causes(struct build *d, const struct kb_file *f) {
    d->causes_src = f->src;
    put_all(d, MADE_CAUSE, f, "causes");
    keep_mechanisms(d, f);
}

static void take_ranking(struct build *d, const struct kb_file *f) {
    const struct ranking_file *file = f->what;
    const struct source *src = f->src;
    bool is_there[RANKING_COUNT_OF] = {false};
    const struct node *list = node_get(f->root, "numbers");
    for (size_t i = 0; i < file->number_count; i++) {
        const struct number *n = &file->numbers[i];
        const struct node *row = node_item(list, i);
        enum ranking_number which = (enum ranking_number)0;
        bool is_known = ranking_named(n->id, &which);
        if (n->id.n > 0 && (!is_known || is_there[which])) {
            complain(&d->c, src, node_get(row, "id")->place, CODE_bad_ranking,
                     is_known ? "`%.*s` stands above"
                              : "no number of the ranking is called `%.*s`",
                     STR_ARG(n->id));
            continue;
        }
        is_there[which] = is_there[which] || is_known;
        d->corpus.ranking.micro[which] = n->micro;
        d->corpus.ranking.origin[which] = n->origin;
    }
    for (int i = 0; list != NULL && i < RANKING_COUNT_OF; i++) {
        if (is_there[i])
            continue;
        complain(&d->c, src, list->place, CODE_bad_ranking,
                 "`%s` is missing; src/corpus/ranking.def has them all",
                 ranking_spelling((enum ranking_number)i));
        break;
    }
}

static const struct kb_part kb_parts[] = {
    {KB_FILE, "vocabulary.yaml", &shape_vocabulary, take_components},
    {KB_FILE, "gpus.yaml", &shape_gpu_file, take_gpus},
    {KB_OPTIONAL, "lint.yaml", &shape_rule_file, take_rules},
    {KB_FILE, "glossary.yaml", &shape_glossary, take_glossary},
    {KB_FILE, "programs.yaml", &shape_programs, take_programs},
    {KB_FILE, "causes.yaml", &shape_cause_file, take_causes},
    {KB_FILE, "ranking.yaml", &shape_ranking_file, take_ranking},
    {KB_FOLDER, "programs", &shape_programs, take_programs},
    {KB_FOLDER, "fixes", &shape_fix_file, take_fixes},
    {KB_FOLDER, "engines", &shape_engine, take_engine},
    {KB_FOLDER, "models", &shape_model_file, take_models}};

/* ---- all files ---- */

struct files {
    struct kb_file *kb;
    size_t kb_count, kb_cap;
    struct str_list entries; /* all that is in their folder */
    const struct str_list *only; /* may be among these, too */
    struct made *made;           /* of the entries, then of the others */
};

static void find_kb(struct build *d, struct files *all) {
    for (size_t i = 0; i < sizeof kb_parts / sizeof *kb_parts; i++) {
        const struct kb_part *part = &kb_parts[i];
        struct str path = path_join(d->a, d->kb_dir, str_of(part->name));
        struct str_list list = {&path, 1};
        if (part->place == KB_FOLDER)
            list = files_under(d->a, path);
        else if (part->place == KB_OPTIONAL && !file_exists(d->a, path))
            continue;
        for (size_t k = 0; k < list.count; k++)
            if (str_ends(list.at[k], STR(".yaml")))
                *ARENA_ADD(d->a, all->kb, all->kb_count, all->kb_cap) =
                    (struct kb_file){.part = part, .path = list.at[k]};
    }
}

static void read_beneath(struct build *own, const struct files *all,
                         size_t i) {
    bool is_beneath = i < all->entries.count;
    struct str path = is_beneath ? all->entries.at[i]
                                 : all->only->at[i - all->entries.count];
    if (!is_beneath && is_under(path, own->entries_dir))
        return;
    if (!is_beneath || str_ends(path, STR(".yaml")))
        all->made[i] = read_entry_file(own, path);
    else if (!has_entry(own, path))
        complain(&own->c, source_new(own->a, path, (struct str){0}),
                 (struct place){0}, CODE_stray_file,
                 "belongs to no entry: <slug>.yaml, .log, .ok.log or "
                 ".expect.json");
}

/* Those of kb/ come first: the largest files are there. */
static void read_one(struct build *own, const void *what, size_t i) {
    const struct files *all = what;
    if (i < all->kb_count)
        kb_read(own, &all->kb[i]);
    else
        read_beneath(own, all, i - all->kb_count);
}

void build_read_files(struct build *d) {
    struct files all = {.entries = files_under(d->a, d->entries_dir),
                        .only = &d->options->only};
    size_t count = all.entries.count + all.only->count;
    all.made = arena_array(d->a, count, sizeof *all.made);
    find_kb(d, &all);
    if (all.entries.count == 0)
        complain(&d->c, source_new(d->a, d->entries_dir, (struct str){0}),
                 (struct place){0}, CODE_missing_file,
                 "no entries here; entries are <component>/<slug>.yaml");
    build_share(d, all.kb_count + count, read_one, &all);
    for (size_t i = 0; i < count; i++)
        if (all.made[i].src != NULL)
            build_put(d, MADE_ENTRY, all.made[i]);
    for (size_t i = 0; i < all.kb_count; i++)
        all.kb[i].part->take(d, &all.kb[i]);
}
