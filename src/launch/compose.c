/* compose.c: the services of a docker compose file.
 *
 *     entrypoint + command   one command line; a shell's script inside is read
 *     environment            a map, or a list of NAME=value
 *     extends                a service of the same file; of another file it is
 *                            a gap
 *     shm_size ipc restart mem_limit gpus deploy.resources profiles
 *
 * A variable that nobody gives a value stays as it is written. */
#include "launch/workload.h"

struct service {
    struct arena *a;
    const struct source *src;
    const struct node *node;
    const struct node *base; /* that it extends, in this file; NULL: none */
    const struct engine_words *engines;
    struct workload *w;
    const struct node *script; /* of `bash -c`; NULL: none */
    size_t script_at;
};

static const struct variables compose = {NULL, true};

/* A key of the service, else of the one that it extends. */
static const struct node *of(const struct service *s, const char *key) {
    const struct node *own = member(s->node, key);
    return own != NULL || s->base == NULL ? own : member(s->base, key);
}

static struct str text_of(struct service *s, const struct node *n) {
    return variables_filled(s->a, &compose, scalar_of(n));
}

/* ---- the command line ---- */

static bool is_shell(struct str word) {
    static const char *const shells[] = {"bash", "sh", "dash", "ash", "zsh"};
    struct str rest = word;
    while (str_find_char(rest, '/') < rest.n)
        str_cut(rest, '/', &rest);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (str_eq(rest, str_of(shells[i])))
            return true;
    return false;
}

/* -c, -lc, -ec: a script follows. */
static bool is_script_option(struct str word) {
    return word.n >= 2 && word.n <= 5 && word.p[0] == '-' &&
           word.p[word.n - 1] == 'c' && word.p[1] != '-';
}

static bool script_is_next(const struct service *s) {
    const struct word_list *words = &s->w->words;
    if (s->script != NULL || words->count < 2 ||
        !is_script_option(words->at[words->count - 1].text))
        return false;
    for (size_t i = 0; i < words->count; i++)
        if (is_shell(words->at[i].text))
            return true;
    return false;
}

static void add_item(struct service *s, const struct node *item) {
    if (item == NULL || item->kind != NODE_SCALAR)
        return;
    if (script_is_next(s)) {
        s->script = item;
        s->script_at = s->w->words.count;
    }
    struct str text = text_of(s, item);
    if (text.n > 0)
        word_add(s->a, &s->w->words, text, node_bytes(s->src, item));
}

static void add_words(struct service *s, const struct node *n) {
    if (n == NULL)
        return;
    if (n->kind == NODE_LIST) {
        s->w->is_list = true;
        for (size_t i = 0; i < n->count; i++)
            add_item(s, n->items[i]);
    } else if (n->kind == NODE_SCALAR) {
        s->w->is_list = false;
        words_of_line(s->a, s->src, n, &compose, &s->w->words);
    }
}

static void read_command(struct service *s) {
    add_words(s, of(s, "entrypoint"));
    add_words(s, of(s, "command"));
    if (s->script != NULL)
        words_unwrap(s->a, s->w, s->engines, s->script, s->script_at, true);
}

/* ---- the environment ---- */

static void add_pair(struct service *s, struct str pair,
                     const struct node *at) {
    struct str value, name = str_cut(pair, '=', &value);
    setting_add(s->a, &s->w->env, name, variables_filled(s->a, &compose, value),
                node_bytes(s->src, at));
}

static void add_environment(struct service *s, const struct node *of_service) {
    const struct node *env = member(of_service, "environment");
    for (size_t i = 0; env != NULL && i < env->count; i++) {
        if (env->kind == NODE_LIST)
            add_pair(s, scalar_of(env->items[i]), env->items[i]);
        else if (env->kind == NODE_MAP)
            setting_add(s->a, &s->w->env, env->pairs[i].key->text,
                        text_of(s, env->pairs[i].value),
                        node_bytes(s->src, env->pairs[i].value->kind ==
                                               NODE_SCALAR
                                       ? env->pairs[i].value
                                       : env->pairs[i].key));
    }
}

/* The last of a name counts: its own. */
static void read_environment(struct service *s) {
    if (s->base != NULL)
        add_environment(s, s->base);
    add_environment(s, s->node);
}

/* ---- what is mounted ---- */

/* "/cache/qwen3-8b:/model:ro": the container's path; false: it is no mount. */
static bool mount_of(struct service *s, const struct node *item,
                     struct str *host, struct str *inside) {
    if (item->kind == NODE_MAP) {
        *host = text_of(s, member(item, "source"));
        *inside = text_of(s, member(item, "target"));
        return host->n > 0 && inside->n > 1;
    }
    struct str rest;
    struct str text = text_of(s, item);
    while (str_find_char(text, '}') < text.n) /* ${MODELS}/qwen3-8b */
        str_cut(text, '}', &text);
    *host = str_cut(text, ':', &rest);
    *inside = str_cut(rest, ':', &rest);
    return host->n > 0 && inside->n > 1 && inside->p[0] == '/';
}

/* A model's path by its name on the host, which says more. */
static void read_mounts(struct service *s) {
    const struct node *list = of(s, "volumes"), *item;
    struct str host, inside;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++) {
        if (!mount_of(s, item, &host, &inside))
            continue;
        for (size_t n = 0; n < s->w->words.count; n++) {
            struct lint_word *word = &s->w->words.at[n];
            struct str behind = str_slice(word->text, inside.n, word->text.n);
            if (str_starts(word->text, inside) &&
                (behind.n == 0 || behind.p[0] == '/'))
                word->text = arena_printf(s->a, "%.*s%.*s", STR_ARG(host),
                                          STR_ARG(behind));
        }
    }
}

/* ---- what runs it ---- */

static void take_key(struct service *s, const char *name,
                     const struct node *n) {
    struct str text = text_of(s, n);
    if (text.n > 0)
        setting_add(s->a, &s->w->keys, str_of(name), text,
                    node_bytes(s->src, n));
}

static void take_devices(struct service *s, const struct node *device) {
    const struct node *ids = member(device, "device_ids");
    const struct node *count = member(device, "count");
    take_key(s, "gpus", count);
    if (ids == NULL || ids->kind != NODE_LIST || ids->count == 0)
        return;
    struct buf all;
    buf_init_in(&all, s->a, 4096);
    for (size_t i = 0; i < ids->count; i++)
        buf_printf(&all, "%s%.*s", i > 0 ? "," : "",
                   STR_ARG(text_of(s, ids->items[i])));
    setting_add(s->a, &s->w->keys, STR("devices"),
                arena_str(s->a, buf_str(&all)),
                node_bytes(s->src, ids->items[0]));
}

static void read_keys(struct service *s) {
    const struct node *deploy = of(s, "deploy");
    const struct node *resources = member(deploy, "resources");
    const struct node *reserved = member(resources, "reservations");
    static const char *const plain[] = {"shm_size", "ipc", "restart",
                                        "mem_limit", "gpus"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        take_key(s, plain[i], of(s, plain[i]));
    take_key(s, "mem_limit", member(member(resources, "limits"), "memory"));
    take_devices(s, node_item(member(reserved, "devices"), 0));
    const struct node *profile = node_item(of(s, "profiles"), 0);
    s->w->group = scalar_of(profile);
    take_key(s, "build", of(s, "build"));
}

/* extends: base, or {service: base}, of the same file. */
static const struct node *base_of(const struct node *services,
                                  const struct node *service) {
    const struct node *extends = member(service, "extends");
    const struct node *name = member(extends, "service");
    bool is_elsewhere = member(extends, "file") != NULL;
    struct str base = scalar_of(name != NULL ? name : extends);
    for (size_t i = 0; i < services->count && !is_elsewhere; i++)
        if (base.n > 0 && str_eq(services->pairs[i].key->text, base) &&
            services->pairs[i].value != service &&
            services->pairs[i].value->kind == NODE_MAP)
            return services->pairs[i].value;
    return NULL;
}

bool compose_read(struct arena *a, const struct source *src,
                  const struct node *root, const struct engine_words *engines,
                  struct workload_list *out) {
    const struct node *services = node_get(root, "services");
    if (services == NULL || services->kind != NODE_MAP)
        return false;
    for (size_t i = 0; i < services->count; i++) {
        const struct pair *pair = &services->pairs[i];
        if (pair->value->kind != NODE_MAP)
            continue;
        struct service s = {.a = a, .src = src, .node = pair->value,
                            .base = base_of(services, pair->value),
                            .engines = engines};
        s.w = workload_new(a, out, src, pair->key->text,
                           node_bytes(src, pair->key));
        s.w->is_container = true;
        s.w->image = text_of(&s, of(&s, "image"));
        read_environment(&s);
        read_keys(&s);
        read_command(&s);
        read_mounts(&s);
    }
    return true;
}
