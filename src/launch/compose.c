/* compose.c: reads the services of a docker compose file.
 *
 *     entrypoint + command   one command line; a shell's script inside is read
 *     env_file environment   a map, or a list of NAME=value
 *     extends                a service of this file, or of another one
 *     shm_size ipc restart mem_limit gpus deploy.resources profiles
 *
 * Variables have the values of .env; one without a value stays as it is
 * written. */
#include "launch/workload.h"

#include "base/limits.h"

struct service {
    const struct launch_file *f;
    struct arena *a;
    const struct node
        *parts[LINT_EXTENDS_MAX]; /* the service, the one that it extends,
                                     ... */
    size_t part_count;
    struct workload *w;
    struct shell_script script;
};

/* The key of the service, else of one that it extends. */
static const struct node *service_member(const struct service *s,
                                         const char *key) {
    const struct node *found = NULL;
    for (size_t i = 0; found == NULL && i < s->part_count; i++)
        found = member(s->parts[i], key);
    return found;
}

/* ---- the command line ---- */

static void add_words(struct service *s, const struct node *n) {
    if (n == NULL)
        return;
    if (n->kind == NODE_LIST) {
        s->w->is_list = true;
        for (size_t i = 0; i < n->count; i++) {
            script_note(&s->script, &s->w->words, n->items[i]);
            node_word(s->f, &s->w->words, n->items[i]);
        }
    } else if (n->kind == NODE_SCALAR) {
        s->w->is_list = false;
        words_of_line(s->f, n, &s->w->words);
    }
}

static void read_command(struct service *s) {
    add_words(s, service_member(s, "entrypoint"));
    add_words(s, service_member(s, "command"));
    words_unwrap(s->f, s->w, &s->script);
}

/* ---- the environment ---- */

/* Adds the environment. A name without a value has the value of .env. */
static void add_environment(struct service *s, const struct node *part) {
    const struct node *env = member(part, "environment");
    struct env_pair p;
    for (size_t i = 0; env != NULL && i < env->count; i++) {
        if (!pair_at(env, i, &p))
            continue;
        if (p.value.n == 0)
            variable_value(s->f->scope, p.name, &p.value);
        setting_add(s->a, &s->w->env, p.name,
                    variables_filled(s->a, s->f->scope, p.value), p.at);
    }
}

/* Reads "vllm.env", or {path: vllm.env, required: false}. */
static void add_env_file(struct service *s, const struct node *item) {
    const struct node *path = node_or(member(item, "path"), item);
    const struct node *required = member(item, "required");
    bool is_required = !str_eq(scalar_of(required), STR("false"));
    if (path->kind != NODE_SCALAR)
        return;
    const struct source *src =
        env_file_open(s->f->beside, path->src, node_text(s->f, path),
                      node_bytes(path), is_required);
    if (src != NULL)
        env_file_read(s->f->beside, src, s->f->scope, &s->w->env);
}

static void add_env_files(struct service *s, const struct node *part) {
    const struct node *list = member(part, "env_file"), *item;
    if (list != NULL && list->kind == NODE_SCALAR)
        add_env_file(s, list);
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++)
        add_env_file(s, item);
}

/* Reads files first: the last setting of a name counts, so the service's own
 * overrides that of a file. */
static void read_environment(struct service *s) {
    for (size_t i = s->part_count; i > 0; i--)
        add_env_files(s, s->parts[i - 1]);
    for (size_t i = s->part_count; i > 0; i--)
        add_environment(s, s->parts[i - 1]);
}

/* ---- mounts ---- */

/* Reads "/cache/qwen3-8b:/model:ro". False: it is no mount of a path. */
static bool mount_of(struct service *s, const struct node *item,
                     struct str *host, struct str *inside) {
    if (item->kind == NODE_MAP) {
        *host = node_text(s->f, member(item, "source"));
        *inside = node_text(s->f, member(item, "target"));
        return host->n > 0 && inside->n > 1;
    }
    struct str rest;
    struct str text = node_text(s->f, item);
    while (str_find_char(text, '}') < text.n) /* ${MODELS}/qwen3-8b */
        str_cut(text, '}', &text);
    *host = str_cut(text, ':', &rest);
    *inside = str_cut(rest, ':', &rest);
    return host->n > 0 && inside->n > 1 && inside->p[0] == '/';
}

/* Replaces a model's path by its name on the host, which often names the
 * model. */
static void read_mounts(struct service *s) {
    const struct node *list = service_member(s, "volumes"), *item;
    struct str host, inside;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++)
        if (mount_of(s, item, &host, &inside))
            words_mounted(s->a, &s->w->words, host, inside);
}

/* ---- a script beside the file ---- */

/* The position of the script among the words: "./serve.sh", "/bin/bash -c
 * ./serve.sh". */
static size_t script_word(const struct word_list *words) {
    size_t i = word_is_shell(word_at(words, 0));
    while (i > 0 && str_starts(word_at(words, i), STR("-")))
        i++;
    return i;
}

/* Replaces a script beside the file by the engine's command in it. */
static void read_script(struct service *s) {
    const struct word_list *words = &s->w->words;
    size_t at = script_word(words);
    struct str path = word_at(words, at);
    if (!str_starts(path, STR(".")) || !str_ends(path, STR(".sh")))
        return;
    const struct source *src =
        beside_open(s->f->beside, s->f->src, path, words->at[at].at, false);
    if (src != NULL)
        words_of_script(s->f, s->w,
                        (struct script){.src = src, .text = src->text,
                                        .beside = s->f->beside},
                        at + 1);
}

/* ---- keys of the container ---- */

static void devices_add(struct service *s, const struct node *device) {
    const struct node *ids = member(device, "device_ids");
    node_key(s->f, s->w, "gpus", member(device, "count"));
    if (ids == NULL || ids->kind != NODE_LIST || ids->count == 0)
        return;
    struct buf all = buf_in(s->a, 4096);
    for (size_t i = 0; i < ids->count; i++)
        buf_printf(&all, "%s%.*s", i > 0 ? "," : "",
                   STR_ARG(node_text(s->f, ids->items[i])));
    setting_add(s->a, &s->w->keys, STR("devices"),
                arena_str(s->a, buf_str(&all)), node_bytes(ids->items[0]));
}

static void read_keys(struct service *s) {
    const struct node *resources = member(service_member(s, "deploy"),
                                          "resources");
    const struct node *reserved = member(resources, "reservations");
    static const char *const plain[] = {"shm_size", "ipc", "restart",
                                        "mem_limit", "gpus"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        node_key(s->f, s->w, plain[i], service_member(s, plain[i]));
    node_key(s->f, s->w, "mem_limit",
             member(member(resources, "limits"), "memory"));
    devices_add(s, node_item(member(reserved, "devices"), 0));
    s->w->group = scalar_of(node_item(service_member(s, "profiles"), 0));
    node_key(s->f, s->w, "build", service_member(s, "build"));
}

/* ---- extends ---- */

/* The service in `extends: base`, or in {service: base, file: other.yml}; NULL:
 * none. */
static const struct node *base_of(struct service *s, const struct node *part,
                                  const struct node **services) {
    const struct node *extends = member(part, "extends");
    const struct node *of_it = node_or(member(extends, "service"), extends);
    const struct node *file = member(extends, "file");
    const struct source *src = part->src;
    if (scalar_of(of_it).n == 0)
        return NULL;
    struct str name = node_text(s->f, of_it);
    if (file != NULL)
        src = beside_open(s->f->beside, src, node_text(s->f, file),
                          node_bytes(file), true);
    if (src == NULL)
        return NULL;
    const struct node *base =
        file == NULL ? pair_named(*services, name)
                     : service_elsewhere(s->f->beside, src, name, services);
    if (base == NULL)
        remark(s->f->beside, "service_missing", node_bytes(of_it), name,
               src->path);
    return base;
}

static void read_parts(struct service *s, const struct node *services,
                       const struct node *own) {
    const struct node *next = own;
    while (next != NULL && next->kind == NODE_MAP &&
           s->part_count < LINT_EXTENDS_MAX) {
        for (size_t i = 0; i < s->part_count; i++)
            if (s->parts[i] == next)
                return;
        s->parts[s->part_count++] = next;
        next = base_of(s, next, &services);
    }
}

bool compose_read(const struct launch_file *file, const struct node *root) {
    const struct node *services = node_get(root, "services");
    struct setting_list names = {0};
    struct variables scope = {&names, true};
    struct launch_file own = *file;
    const struct launch_file *f = &own;
    own.scope = &scope;
    if (services == NULL || services->kind != NODE_MAP)
        return false;
    env_files_read(f->beside, f->src, &names);
    for (size_t i = 0; i < services->count; i++) {
        const struct pair *pair = &services->pairs[i];
        if (pair->value->kind != NODE_MAP)
            continue;
        struct service s = {.f = f, .a = f->a};
        read_parts(&s, services, pair->value);
        s.w =
            workload_new(f->a, f->out, pair->key->text, node_bytes(pair->key));
        s.w->is_container = true;
        s.w->image = node_text(f, service_member(&s, "image"));
        read_environment(&s);
        read_keys(&s);
        read_command(&s);
        read_mounts(&s);
        read_script(&s);
    }
    return true;
}
