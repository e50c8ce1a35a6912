/* download.c: finds models that a script downloads, and their folders.
 *
 *     hf download Qwen/Qwen3-8B --local-dir ./model
 *     git clone https://huggingface.co/Qwen/Qwen3-8B model
 *     vllm serve ./model             serves Qwen/Qwen3-8B
 */
#include "launch/workload.h"

/* The path without "./" and the last slash: "./model/" is "model". */
static struct str bare_path(struct str path) {
    if (str_starts(path, STR("./")))
        path = str_from(path, 2);
    return str_trim_end(path, '/');
}

static struct str repository_of(struct str address) {
    static const char *const hosts[] = {"https://huggingface.co/",
                                        "git@hf.co:",
                                        "https://www.modelscope.cn/", NULL};
    for (const char *const *host = hosts; *host != NULL; host++)
        if (str_starts(address, str_of(*host)))
            return str_from(address, strlen(*host));
    return STR("");
}

/* Reads "git clone ADDRESS [FOLDER]". */
static void read_clone(const struct word_list *line, size_t from,
                       struct str *model, struct str *path) {
    for (size_t i = from + 2; i < line->count && model->n == 0; i++) {
        *model = repository_of(line->at[i].text);
        *path = word_at(line, i + 1);
        if (model->n > 0 && path->n == 0)
            str_cut(*model, '/', path);
    }
}

void download_read(struct arena *a, const struct word_list *line, size_t from,
                   struct setting_list *out) {
    struct str program = word_at(line, from), verb = word_at(line, from + 1);
    struct str model = STR(""), path = STR("");
    if (STR_IS_ONE(program, "hf", "huggingface-cli", "modelscope") &&
        str_eq(verb, STR("download"))) {
        model = OPTION_VALUE(line, "--model", "--repo-id");
        path = OPTION_VALUE(line, "--local-dir", "--local_dir");
        if (model.n == 0 && !str_starts(word_at(line, from + 2), STR("-")))
            model = word_at(line, from + 2);
    } else if (str_eq(program, STR("git")) && str_eq(verb, STR("clone"))) {
        read_clone(line, from, &model, &path);
    }
    if (model.n > 0 && path.n > 0)
        setting_add(a, out, bare_path(path), model, line->at[from].at);
}

void downloads_named(const struct setting_list *list, struct word_list *words) {
    for (size_t i = 0; i < words->count; i++) {
        struct str path = bare_path(words->at[i].text);
        const struct lint_setting *s =
            path.n > 0 ? setting_find(list, path) : NULL;
        if (s != NULL)
            words->at[i].text = s->value;
    }
}
