/* cards.c: GPUs and machines in a file, as facts for `fit`.
 *
 *     device_ids: ['0', '1']    CUDA_VISIBLE_DEVICES=0,1    two GPUs
 *     gpus: 2                   --nnodes 2                  on two machines
 *     gpu: H100                 the card, if the catalogue has it */
#include "launch/work.h"

#include "api/fit_input.h"
#include "api/fit_value.h"

#define FACTS_OF_FILE 8
#define FACTS_OF_USER 64

static int64_t parts_of(struct str list) {
    int64_t count = 0;
    while (list.n > 0)
        count += str_trim(str_cut(list, ',', &list)).n > 0;
    return count;
}

struct str cards_listed(const struct workload *w, bool has_variables) {
    static const char *const variables[] = {"CUDA_VISIBLE_DEVICES",
                                            "NVIDIA_VISIBLE_DEVICES",
                                            "HIP_VISIBLE_DEVICES"};
    const struct lint_setting *s = setting_find(&w->keys, STR("devices"));
    for (size_t i = 0; s == NULL && i < 3 && has_variables; i++)
        s = setting_find(&w->env, str_of(variables[i]));
    bool is_list = s != NULL && s->value.n > 0 && is_digit(s->value.p[0]);
    return is_list ? s->value : STR("");
}

/* True if the words, or the script of a shell, use Ray as the executor. */
static bool is_over_ray(const struct workload *w) {
    struct str flag = STR("--distributed-executor-backend");
    for (size_t i = 0; i < w->words.count; i++) {
        struct str text = w->words.at[i].text;
        size_t at = str_find(text, flag);
        if (at == text.n)
            continue;
        text = str_from(text, at + flag.n);
        if (text.n == 0 && i + 1 < w->words.count)
            text = w->words.at[i + 1].text;
        while (text.n > 0 && (text.p[0] == '=' || text.p[0] == ' '))
            text = str_from(text, 1);
        if (str_starts(text, STR("ray")))
            return true;
    }
    return false;
}

/* The number of machines that one engine uses: pods of a group, --nnodes. 0:
 * unknown, as for a cluster of Ray, whose head does not list them. */
int64_t machines_of(const struct workload *w) {
    const struct lint_setting *s = setting_find(&w->keys, STR("nodes"));
    int64_t nodes = 1, number = 0;
    if (s != NULL && str_to_int(s->value, &number) && number > nodes)
        nodes = number;
    if (nodes == 1 && is_over_ray(w))
        return 0;
    for (size_t i = 0; i < w->words.count; i++) {
        struct option_word o = option_at(&w->words, i);
        if (!str_eq(o.name, STR("--nnodes")))
            continue;
        if (!str_to_int(o.value, &number))
            return 0; /* a variable without a value */
        nodes = number > nodes ? number : nodes;
    }
    return nodes;
}

/* The number of cards; 0: unknown. */
static int64_t cards_of(const struct workload *w) {
    const struct lint_setting *s = setting_find(&w->keys, STR("gpus"));
    int64_t count = parts_of(cards_listed(w, true)), number;
    if (s != NULL && str_to_int(s->value, &number) && number > 0)
        count = number;
    return mul_i64(count, machines_of(w), &count) ? count : 0;
}

static bool has_count(const char *const *facts) {
    for (; *facts != NULL; facts++)
        if (str_starts(str_of(*facts), STR("gpu_count=")))
            return true;
    return false;
}

/* Refuses an unknown card of the user, as `fit` does. Unknown cards of a file
 * are ignored. */
static void check_card(struct lint_work *k, const char *fact) {
    struct str name, key = str_cut(str_of(fact), '=', &name), whole;
    int64_t gib;
    bool is_card = str_eq(key, STR("gpu")) || str_eq(key, STR("gpu_name"));
    if (is_card && !fit_slice_named(name, &whole, &gib) &&
        reader_gpu(k->r, name) == NULL)
        refuse_gpu(k->a, k->r, name, "give its memory, as --gpu-memory 24GiB");
}

const char **facts_of(struct lint_work *k, const struct workload *w) {
    const char **list =
        arena_array(k->a, FACTS_OF_USER + FACTS_OF_FILE, sizeof *list);
    const struct lint_setting *gpu = setting_find(&w->keys, STR("gpu"));
    size_t count = 0;
    int64_t cards = cards_of(w);
    if (cards == 0 && !has_count(k->o->facts)) /* at least so many */
        cards = parts_of(OPTION_VALUE(&w->words, "-ts", "--tensor-split"));
    for (; k->o->facts[count] != NULL && count < FACTS_OF_USER; count++) {
        check_card(k, k->o->facts[count]);
        list[count] = k->o->facts[count];
    }
    if (cards > 0)
        list[count++] =
            arena_printf(k->a, "gpu_count=%lld", (long long)cards).p;
    if (gpu != NULL && reader_gpu(k->r, gpu->value) != NULL)
        list[count++] = arena_printf(k->a, "gpu_name=%.*s",
                                     STR_ARG(gpu->value)).p;
    list[count] = NULL;
    return list;
}
