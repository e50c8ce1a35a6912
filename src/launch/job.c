/* job.c: files that hand a shell script to a cluster, with the GPU beside it.
 *
 *     commands: [vllm serve $MODEL -tp $DSTACK_GPUS_NUM]     dstack
 *     resources: {gpu: H100:8}
 *
 *     run: vllm serve Qwen/Qwen3-8B                          SkyPilot
 *     resources: {accelerators: H100:8}
 *     envs: {MODEL: Qwen/Qwen3-8B}
 */
#include "launch/workload.h"

struct job {
    struct arena *a;
    const struct source *src;
    const struct engine_words *engines;
    struct setting_list env, keys;
};

static void add_pair(struct job *j, struct str name, struct str value,
                     const struct node *at) {
    setting_add(j->a, &j->env, name, value, node_bytes(j->src, at));
}

/* A list of NAME=value, or a map. */
static void read_env(struct job *j, const struct node *env) {
    for (size_t i = 0; env != NULL && env->kind != NODE_SCALAR &&
                       i < env->count; i++) {
        const struct node *item =
            env->kind == NODE_LIST ? env->items[i] : env->pairs[i].value;
        struct str value, name = str_cut(scalar_of(item), '=', &value);
        if (item->kind != NODE_SCALAR)
            continue;
        if (env->kind == NODE_LIST)
            add_pair(j, name, value, item);
        else
            add_pair(j, env->pairs[i].key->text, item->text, item);
    }
}

/* "H100:8", "MI300X:8", "A100-80GB:4", "24GB": the last part is a count, what
 * is no name of a GPU is passed over by who asks. */
static void read_card(struct job *j, const struct node *card) {
    struct str text = scalar_of(card), count;
    if (card == NULL || card->kind != NODE_SCALAR || text.n == 0)
        return;
    struct str name = str_cut(text, ':', &count);
    int64_t cards = 1;
    if (count.n > 0 && !str_to_int(count, &cards))
        return;
    struct span_of_file at = node_bytes(j->src, card);
    struct str number =
        arena_printf(j->a, "%lld", (long long)cards);
    setting_add(j->a, &j->keys, STR("gpu"), name, at);
    setting_add(j->a, &j->keys, STR("gpus"), number, at);
    setting_add(j->a, &j->env, STR("DSTACK_GPUS_NUM"), number, at);
    setting_add(j->a, &j->env, STR("SKYPILOT_NUM_GPUS_PER_NODE"), number, at);
}

static void read_cards(struct job *j, const struct node *resources) {
    const struct node *card = node_or(member(resources, "gpu"),
                                      member(resources, "accelerators"));
    const struct node *name = member(card, "name");
    const struct node *count = member(card, "count");
    if (card != NULL && card->kind == NODE_SCALAR) {
        read_card(j, card);
    } else if (card != NULL && card->kind == NODE_MAP && name != NULL &&
               count != NULL) {
        setting_add(j->a, &j->keys, STR("gpu"), scalar_of(name),
                    node_bytes(j->src, name));
        setting_add(j->a, &j->keys, STR("gpus"), scalar_of(count),
                    node_bytes(j->src, count));
    } else if (card != NULL && card->kind == NODE_MAP && card->count == 1 &&
               card->pairs[0].value->kind == NODE_SCALAR) {
        const struct pair *only = &card->pairs[0]; /* {H100: 8} */
        struct span_of_file at = node_bytes(j->src, only->key);
        setting_add(j->a, &j->keys, STR("gpu"), only->key->text, at);
        setting_add(j->a, &j->keys, STR("gpus"), only->value->text, at);
    }
}

static void read_script(struct job *j, const struct node *text,
                        struct workload_list *out) {
    struct script s = {.src = j->src, .text = text->text, .node = text,
                       .names = &j->env};
    size_t before = out->count;
    if (text->kind != NODE_SCALAR)
        return;
    script_read(j->a, &s, j->engines, out);
    for (size_t i = before; i < out->count; i++) {
        struct workload *w = &out->at[i];
        for (size_t n = 0; n < j->keys.count; n++)
            setting_add(j->a, &w->keys, j->keys.at[n].name,
                        j->keys.at[n].value, j->keys.at[n].at);
    }
}

bool job_read(struct beside *b, const struct source *src,
              const struct node *root, const struct engine_words *engines,
              struct workload_list *out) {
    struct job j = {.a = b->a, .src = src, .engines = engines};
    const struct node *commands = node_get(root, "commands"), *item;
    const struct node *run = node_get(root, "run");
    const struct node *resources = node_get(root, "resources");
    bool is_dstack = node_get(root, "type") != NULL && commands != NULL &&
                     commands->kind == NODE_LIST;
    bool is_sky = run != NULL && run->kind == NODE_SCALAR &&
                  resources != NULL;
    if (!is_dstack && !is_sky)
        return false;
    read_env(&j, node_or(node_get(root, "env"), node_get(root, "envs")));
    read_cards(&j, resources);
    for (size_t i = 0; is_dstack && (item = node_item(commands, i)) != NULL;
         i++)
        read_script(&j, item, out);
    if (is_sky)
        read_script(&j, run, out);
    return true;
}
