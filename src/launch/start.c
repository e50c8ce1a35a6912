/* start.c: finds the word of a shell's line that starts an engine, and where
 * the engine's own command begins.
 *
 *     exec vllm serve X                            the line itself
 *     srun --gres=gpu:4 apptainer exec --nv a.sif vllm serve X
 *                                                  behind what runs it
 *     docker run --gpus all vllm/vllm-openai -tp 2 behind the image
 *     docker compose run --rm vllm serve X         behind the service
 *     docker logs vllm                             nowhere
 */
#include "launch/workload.h"

/* True for programs that may name an engine but start none. */
static bool only_names(struct str program) {
    return STR_IS_ONE(
        program, "echo", "printf", "source", ".", "cp", "ls", "cat", "mkdir",
        "pip", "pip3", "cd", "test", "[", "[[", "grep", "sed", "curl", "wget",
        "pkill", "pgrep", "git", "kill", "tee", "rm", "ln", "hf", "read",
        "tail", "trap", "alias", "chmod", "which", "for", "case", "function");
}

static bool has_word(const struct word_list *line, size_t from, size_t to,
                     struct str word) {
    for (size_t i = from; i < to; i++)
        if (str_eq(line->at[i].text, word))
            return true;
    return false;
}

/* True for "conda run ..." or "apptainer run IMAGE". */
static bool has_run(const struct word_list *line, size_t from) {
    return has_word(line, from + 1, line->count, STR("run"));
}

/* True for programs that run the command behind their own options; conda and
 * the like only by "run". */
static bool runs_another(const struct word_list *line, size_t from) {
    struct str program = path_base(line->at[from].text);
    if (STR_IS_ONE(program, "uv", "poetry", "pixi", "conda", "mamba",
                   "micromamba"))
        return has_run(line, from);
    return STR_IS_ONE(program, "srun", "mpirun", "mpiexec", "apptainer",
                      "singularity", "enroot", "shifter", "numactl", "taskset",
                      "nice", "ionice", "stdbuf", "timeout", "env", "setsid",
                      "nohup", "uvx");
}

/* True for "vllm", "sglang.launch_server", "/app/llama-server"; false for
 * "patch_vllm.py". */
static bool is_program_of(const struct engine_words *engines, struct str word,
                          struct str engine) {
    struct str base = path_base(word);
    char next = base.n > engine.n ? base.p[engine.n] : '\0';
    return str_starts(base, engine) && !str_ends(base, STR(".py")) &&
           !str_ends(base, STR(".sh")) && !word_is_client(engines, base) &&
           (next == '\0' || next == '.' || next == '-');
}

/* True if the word names an engine. An image ("vllm-openai:latest") counts only
 * where a container is run. */
static bool names_engine(struct arena *a, const struct engine_words *engines,
                         struct str word, bool is_container) {
    struct str small = arena_lower(a, word);
    bool is_image = str_find_char(small, ':') < small.n;
    for (size_t i = 0; i < engines->names.count; i++) {
        struct str engine = engines->names.at[i];
        if ((!is_image && is_program_of(engines, small, engine)) ||
            (is_container && str_find(small, engine) < small.n))
            return true;
    }
    return false;
}

/* True for options with a value, which is no image: "-v /srv/vllm:/models". */
static bool takes_value(struct str option) {
    return STR_IS_ONE(option, "-v", "--volume", "--mount", "--name", "-e",
                      "--env", "--env-file", "-w", "--workdir", "-l",
                      "--label", "--network", "--hostname", "-u", "--user",
                      "--entrypoint", "-p", "--publish", "-f", "--file",
                      "--project-name", "--project-directory", "--profile");
}

static bool runs_images(struct str program) {
    return STR_IS_ONE(program, "docker", "podman", "nerdctl",
                      "docker-compose", "podman-compose");
}

/* True for "apptainer run IMAGE WORDS", which runs the image's program; "exec"
 * runs the words. */
static bool runs_image_itself(const struct word_list *line, size_t from) {
    return STR_IS_ONE(path_base(line->at[from].text), "apptainer",
                      "singularity") &&
           has_run(line, from);
}

/* ---- docker run, docker compose run ---- */

/* The word behind "run", "create" or "exec"; the line's end: there is none. */
static size_t behind_verb(const struct word_list *line, size_t from) {
    for (size_t i = from + 1; i < line->count; i++)
        if (STR_IS_ONE(line->at[i].text, "run", "create", "exec"))
            return i + 1;
    return line->count;
}

static bool is_compose(const struct word_list *line, size_t from) {
    return str_ends(line->at[from].text, STR("-compose")) ||
           has_word(line, from + 1, behind_verb(line, from), STR("compose"));
}

/* The service of "run --rm -e A=b SERVICE"; the line's end: another program
 * than the service's own is run. */
static size_t service_at(const struct word_list *line, size_t verb) {
    size_t i = verb;
    while (str_starts(word_at(line, i), STR("-"))) {
        if (str_starts(line->at[i].text, STR("--entrypoint")))
            return line->count;
        i += takes_value(line->at[i].text) ? 2 : 1;
    }
    return i;
}

/* Finds the start in SERVICE WORDS. The words are a command, or words for the
 * engine that the service is named after. */
static bool compose_find(struct arena *a, const struct engine_words *engines,
                         const struct word_list *line, size_t from,
                         struct start_found *out) {
    size_t service = service_at(line, behind_verb(line, from));
    if (service + 1 >= line->count)
        return false;
    struct str first = line->at[service + 1].text;
    bool is_command = names_engine(a, engines, first, false) ||
                      word_is_shell(first);
    bool is_rest = str_starts(first, STR("-")) || str_eq(first, STR("serve"));
    *out = (struct start_found){.begin = from, .named = service,
                                .from = service + 1, .is_image = true};
    return is_command ||
           (is_rest && names_engine(a, engines, line->at[service].text, true));
}

/* ---- programs that run another program ---- */

/* The last of several names: in "conda run -n vllm vllm serve" the second is
 * the program. */
static size_t last_named(struct arena *a, const struct engine_words *engines,
                         const struct word_list *line, size_t named) {
    while (names_engine(a, engines, word_at(line, named + 1), false))
        named++;
    return named;
}

/* ---- the line ---- */

/* True if a word may be an image. "exec" starts none. */
static bool may_be_image(const struct word_list *line, size_t from) {
    for (size_t i = from; i < line->count; i++)
        if (STR_IS_ONE(line->at[i].text, "docker", "podman", "apptainer",
                       "singularity", "nerdctl"))
            return !runs_images(line->at[i].text) || i + 1 == line->count ||
                   !str_eq(line->at[i + 1].text, STR("exec"));
    return false;
}

/* The first word that names an engine; the line's end: none. */
static size_t named_at(struct arena *a, const struct engine_words *engines,
                       const struct word_list *line, size_t from,
                       bool is_container) {
    for (size_t i = from; i < line->count; i++) {
        struct str word = line->at[i].text;
        if (STR_IS_ONE(word, "install", "pull", "download", "build", "add"))
            break;
        bool is_text = str_find_char(word, ' ') < word.n &&
                       !str_starts(word, STR("$("));
        if (!str_starts(word, STR("-")) && !is_text &&
            !(is_container && i > 0 && takes_value(line->at[i - 1].text)) &&
            names_engine(a, engines, word, is_container))
            return i;
    }
    return line->count;
}

bool start_find(struct arena *a, const struct engine_words *engines,
                const struct word_list *line, size_t from,
                struct start_found *out) {
    if (from == line->count || str_starts(line->at[from].text, STR("-")) ||
        only_names(line->at[from].text))
        return false;
    struct str program = line->at[from].text;
    bool is_image = runs_images(program);
    if (is_image && behind_verb(line, from) == line->count)
        return false;
    if (is_image && is_compose(line, from))
        return compose_find(a, engines, line, from, out);
    size_t named = runs_another(line, from)
                       ? named_at(a, engines, line, from, false)
                       : line->count;
    if (named < line->count) {
        named = last_named(a, engines, line, named);
        bool is_module = named >= from + 2 &&
                         str_eq(line->at[named - 1].text, STR("-m"));
        *out = (struct start_found){.begin = from, .named = named,
                                    .from = is_module ? named - 2 : named};
        return true;
    }
    named = named_at(a, engines, line, from, may_be_image(line, from));
    is_image = is_image || runs_image_itself(line, from);
    *out = (struct start_found){.begin = from, .named = named,
                                .from = is_image ? named + 1 : from,
                                .is_image = is_image};
    return named < line->count;
}
