/* start.c: what names an engine and starts none.
 *
 *     vllm bench serve --model X       asks a server that runs
 *     python -m sglang.bench_serving   the same
 *     llama-server --version           says a word and ends
 *     ollama list                      asks its server
 *     docker run vllm-image sleep 9    a program that is none of the image's
 */
#include "launch/work.h"

static bool is_among(struct str word, const char *const *list) {
    for (; *list != NULL; list++)
        if (str_eq(word, str_of(*list)))
            return true;
    return false;
}

static struct str base_name(struct str path) {
    while (str_find_char(path, '/') < path.n)
        str_cut(path, '/', &path);
    return path;
}

bool word_is_client(struct str word) {
    static const char *const parts[] = {"bench_serving", "benchmark_serving",
                                        "mini_lb", "router"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (str_find(word, str_of(parts[i])) < word.n)
            return true;
    return false;
}

/* Of the word and the one before it. */
static bool says_no_start(struct str before, struct str word) {
    static const char *const alone[] = {"--version", "--help", NULL};
    static const char *const asks[] = {"list", "ls", "ps", "pull", "push", "rm",
                                       "show", "stop", "cp", "create", NULL};
    return is_among(word, alone) ||
           (str_eq(before, STR("-m")) && word_is_client(word)) ||
           (str_eq(before, STR("bench")) && str_eq(word, STR("serve"))) ||
           (str_eq(base_name(before), STR("ollama")) &&
            is_among(word, asks));
}

bool workload_starts_none(const struct workload *w) {
    struct str before = {NULL, 0};
    for (size_t i = 0; i < w->words.count; i++) {
        if (says_no_start(before, w->words.at[i].text))
            return true;
        before = w->words.at[i].text;
    }
    return false;
}

/* What an image's own program takes as its first word: a verb, a model. */
bool word_is_of_image(struct lint_work *k, struct str word) {
    static const char *const verbs[] = {"serve", "server", NULL};
    bool is_path = word.n > 0 && word.p[0] == '/';
    return is_among(base_name(word), verbs) || reader_model(k->r, word).model != NULL ||
           (!is_path && str_find_char(word, '/') < word.n);
}
