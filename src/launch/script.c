/* script.c: shell text as commands that may start an engine.
 *
 *     MODEL=Qwen/Qwen3-8B                  a name, kept for the lines below
 *     ARGS=(--max-model-len 8192)          a list, the same
 *     exec vllm serve $MODEL "${ARGS[@]}" "$@"
 *
 * Words are cut as diagnose/shell.h cuts them; what they stand for is filled in
 * here. Both branches of an `if` are read, one behind the other, and loops
 * once: a name has the last value that a line above gives it. Nothing is run.
 * */
#include "launch/workload.h"

#include "diagnose/shell.h"

struct array { /* NAME=(...) */
    struct str name;
    struct word_list words;
};

struct walk {
    struct arena *a;
    const struct script *s;
    const struct engine_words *engines;
    struct workload_list *out;
    struct str text; /* of the script, $$ still in it */
    struct setting_list names, env; /* env: exported, or in front */
    struct setting_list keys;       /* #SBATCH */
    struct setting_list downloads;  /* folder: what was fetched into it */
    struct array *arrays;
    size_t array_count, array_cap;
    struct word_list line; /* the command being read */
    int depth;             /* of if, case, while: what may not run */
};

/* ---- places ---- */

static struct span_of_file bytes_of(const struct walk *w, size_t from,
                                    size_t to) {
    const struct node *node = w->s->node;
    if (node == NULL)
        return (struct span_of_file){from, to, w->s->src};
    size_t begin = source_byte(node->src, node_place_at(node, from));
    size_t last = source_byte(node->src, node_place_at(node, to - 1));
    return (struct span_of_file){begin, last + 1, node->src};
}

/* ---- words ---- */

/* What stands for \x inside such quotes ('\0': none). */
static void put_escape(struct buf *out, char quote, char next) {
    bool is_kept = quote == '"' && strchr("\"\\$`\n", next) == NULL;
    if (is_kept)
        buf_add_char(out, '\\');
    if (next != '\n')
        buf_add_char(out, next);
}

/* Quotes and escapes taken away. */
static struct str without_quotes(struct arena *a, struct str word,
                                 bool *is_literal) {
    struct buf out;
    char quote = '\0';
    buf_init_in(&out, a, word.n + 1);
    *is_literal = word.n > 0 && word.p[0] == '\'';
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        bool is_quote = quote != '\0' ? c == quote : c == '"' || c == '\'';
        if (is_quote)
            quote = quote != '\0' ? '\0' : c;
        else if (c == '\\' && quote != '\'' && i + 1 < word.n)
            put_escape(&out, quote, word.p[++i]);
        else
            buf_add_char(&out, c);
    }
    return arena_str(a, buf_str(&out));
}

static struct str filled(const struct walk *w, struct str text) {
    struct variables here = {&w->names, false};
    if (w->s->compose != NULL) /* compose first, then the shell */
        text = variables_filled(w->a, w->s->compose, text);
    return variables_filled(w->a, &here, text);
}

/* "${ARGS[@]}", "$@": a list in one word; NULL: it is none. */
static const struct word_list *list_named(const struct walk *w,
                                          struct str word) {
    static const struct word_list nothing = {0};
    while (word.n > 0 && (word.p[0] == '$' || word.p[0] == '{'))
        word = str_from(word, 1);
    if (str_eq(word, STR("@")) || str_eq(word, STR("@}")) ||
        str_eq(word, STR("*")))
        return w->s->args != NULL ? w->s->args : &nothing;
    size_t cut = str_find(word, STR("[@]"));
    if (cut == word.n)
        return NULL;
    for (size_t i = w->array_count; i > 0; i--)
        if (str_eq(w->arrays[i - 1].name, str_slice(word, 0, cut)))
            return &w->arrays[i - 1].words;
    return &nothing;
}

/* : "${NAME:=value}" gives NAME its value for the lines below. */
static void keep_default(struct walk *w, struct str word, struct str value,
                         struct span_of_file at) {
    struct str rest, inner = str_from(word, 2);
    struct str name = str_cut(inner, '=', &rest);
    if (!str_starts(word, STR("${")) || !str_ends(word, STR("}")) ||
        name.n == inner.n)
        return;
    name.n -= str_ends(name, STR(":"));
    for (size_t i = 0; i < name.n; i++)
        if (!is_word(name.p[i]))
            return;
    setting_add(w->a, &w->names, name, value, at);
}

static void add_word(struct walk *w, const struct shell_token *t,
                     struct word_list *out) {
    struct str given = str_slice(w->text, t->from, t->to - t->from);
    struct span_of_file at = bytes_of(w, t->from, t->to);
    bool is_literal = false;
    struct str bare = without_quotes(w->a, given, &is_literal);
    struct str compose = w->s->compose != NULL && str_starts(bare, STR("$$"))
                             ? str_from(bare, 1)
                             : bare;
    const struct word_list *list =
        str_starts(compose, STR("$")) ? list_named(w, compose) : NULL;
    if (list != NULL) {
        words_copy(w->a, out, list, 0);
        return;
    }
    struct str text = is_literal ? bare : filled(w, bare);
    keep_default(w, bare, text, at);
    if (str_starts(given, STR("$")) && str_find_char(text, ' ') < text.n)
        words_split(w->a, out, text, at); /* without quotes round it */
    else if (text.n > 0 || given.p[0] == '"' || given.p[0] == '\'')
        word_add(w->a, out, text, at);
}

/* ---- one command ---- */

/* "NAME=..." in any letters. */
static size_t assigned(struct str word) {
    size_t n = 0;
    while (n < word.n && is_word(word.p[n]) && (n > 0 || !is_digit(word.p[0])))
        n++;
    return n > 0 && n < word.n && word.p[n] == '=' ? n : 0;
}

static void keep_name(struct walk *w, const struct lint_word *word,
                      bool is_exported) {
    size_t n = assigned(word->text);
    struct str name = str_slice(word->text, 0, n);
    struct str value = str_from(word->text, n + 1);
    const struct lint_setting *old = setting_find(&w->names, name);
    if (w->depth > 0 && old != NULL && old->value.n > 0)
        return;
    setting_add(w->a, &w->names, name, value, word->at);
    if (is_exported)
        setting_add(w->a, &w->env, name, value, word->at);
}

/* What is no command of its own. */
static size_t words_before(const struct word_list *line) {
    size_t i = 0;
    while (i < line->count &&
           STR_IS_ONE(line->at[i].text, "then", "else", "do", "{", "!", "if",
                      "elif", "while", "time", "exec", "nohup", "sudo"))
        i++;
    return i;
}

/* Programs that name an engine and start none. */
static bool only_names(struct str program) {
    return STR_IS_ONE(
        program, "echo", "printf", "source", ".", "cp", "ls", "cat", "mkdir",
        "pip", "pip3", "cd", "test", "[", "[[", "grep", "sed", "curl", "wget",
        "pkill", "git", "kill", "tee", "rm", "ln", "hf", "read", "local",
        "tail", "trap", "alias", "chmod", "which", "for", "case", "conda");
}

/* "vllm", "sglang.launch_server", "/app/llama-server"; no "patch_vllm.py". */
static bool is_program_of(struct str word, struct str engine) {
    struct str base = path_base(word);
    char next = base.n > engine.n ? base.p[engine.n] : '\0';
    return str_starts(base, engine) && !str_ends(base, STR(".py")) &&
           !str_ends(base, STR(".sh")) && !word_is_client(base) &&
           (next == '\0' || next == '.' || next == '-');
}

/* An image ("vllm-openai:latest") runs by what runs containers alone. */
static bool names_engine(const struct walk *w, struct str word,
                         bool is_container) {
    struct str small = arena_lower(w->a, word);
    for (size_t i = 0; i < w->engines->count; i++) {
        struct str engine = w->engines->at[i];
        bool is_image = str_find_char(small, ':') < small.n;
        if ((!is_image && is_program_of(small, engine)) ||
            (is_container && str_find(small, engine) < small.n))
            return true;
    }
    return false;
}

/* "docker run -v /srv/vllm:/models": the value of an option, no image. */
static bool is_value(const struct word_list *line, size_t i) {
    return i > 0 &&
           STR_IS_ONE(line->at[i - 1].text, "-v", "--volume", "--mount",
                      "--name", "-e", "--env", "--env-file", "-w", "--workdir",
                      "-l", "--label", "--network", "--hostname", "-u",
                      "--user", "--entrypoint");
}

/* With an image, which its own arguments follow. */
static bool starts_image(const struct word_list *line, size_t from) {
    return from < line->count &&
           STR_IS_ONE(line->at[from].text, "docker", "podman", "nerdctl");
}

/* "docker run", "podman container exec": what follows may start; "docker logs",
 * "docker compose -p vllm up" does not. */
static bool starts_nothing(const struct word_list *line, size_t from) {
    for (size_t i = from + 1; i < line->count; i++) {
        if (STR_IS_ONE(line->at[i].text, "run", "create", "exec"))
            return false;
        if (str_eq(line->at[i].text, STR("compose")))
            return true;
    }
    return true;
}

/* Inside an image of any name, which "exec" does not start. */
static bool may_be_image(const struct word_list *line, size_t from) {
    for (size_t i = from; i < line->count; i++)
        if (STR_IS_ONE(line->at[i].text, "docker", "podman", "apptainer",
                       "singularity", "nerdctl"))
            return !starts_image(line, i) || i + 1 == line->count ||
                   !str_eq(line->at[i + 1].text, STR("exec"));
    return false;
}

/* The word of the command that names an engine; its end: none starts one. */
static size_t engine_word(const struct walk *w, size_t from) {
    const struct word_list *line = &w->line;
    bool is_container = may_be_image(line, from);
    if (from == line->count || str_starts(line->at[from].text, STR("-")) ||
        only_names(line->at[from].text) ||
        (starts_image(line, from) && starts_nothing(line, from)))
        return line->count;
    for (size_t i = from; i < line->count; i++) {
        struct str word = line->at[i].text;
        if (STR_IS_ONE(word, "install", "pull", "download", "build", "add"))
            break;
        if (!str_starts(word, STR("-")) &&
            !(is_container && is_value(line, i)) &&
            names_engine(w, word, is_container))
            return i;
    }
    return line->count;
}

/* "-v /srv/Qwen3-8B:/model", "--volume=..." in front of the image. */
static void take_mount(struct walk *w, struct workload *it, size_t i) {
    struct option_said o = option_at(&w->line, i);
    struct str rest, host = str_cut(o.value, ':', &rest);
    if (STR_IS_ONE(o.name, "-v", "--volume"))
        words_mounted(w->a, &it->words, host, str_cut(rest, ':', &rest));
}

static void keep_command(struct walk *w, size_t from, size_t named) {
    size_t begin = from;
    struct workload *it = workload_new(w->a, w->out, w->line.at[named].text,
                                       w->line.at[named].at);
    if (starts_image(&w->line, from)) {
        it->image = w->line.at[named].text;
        from = named + 1;
    }
    for (size_t i = begin; i < from; i++) { /* the program that runs */
        struct option_said o = option_at(&w->line, i);
        if (str_eq(o.name, STR("--entrypoint")) && o.value.n > 0)
            word_add(w->a, &it->words, o.value, w->line.at[i].at);
    }
    words_copy(w->a, &it->words, &w->line, from);
    downloads_named(&w->downloads, &it->words);
    for (size_t i = begin; i < named; i++)
        take_mount(w, it, i);
    settings_copy(w->a, &it->env, &w->env);
    settings_copy(w->a, &it->keys, &w->keys);
}

static void count_depth(struct walk *w) {
    struct str first = w->line.count > 0 ? w->line.at[0].text
                                         : (struct str){0};
    w->depth += STR_IS_ONE(first, "if", "case", "while", "for", "until");
    w->depth -= w->depth > 0 && STR_IS_ONE(first, "fi", "esac", "done");
}

static void end_command(struct walk *w) {
    struct word_list *line = &w->line;
    count_depth(w);
    size_t from = words_before(line), names = w->env.count;
    bool is_export = from < line->count &&
                     str_eq(line->at[from].text, STR("export"));
    size_t at = from + is_export;
    while (at < line->count && assigned(line->at[at].text) > 0)
        at++;
    bool is_alone = at == line->count;
    for (size_t i = from + is_export; i < at; i++)
        keep_name(w, &line->at[i], is_export || !is_alone);
    size_t named = is_export ? line->count : engine_word(w, at);
    download_read(w->a, line, at, &w->downloads);
    if (named < line->count)
        keep_command(w, at, named);
    if (!is_export && !is_alone)
        w->env.count = names; /* in front of one command: of it alone */
    line->count = 0;
}

/* ---- lists ---- */

/* The words up to ")", as NAME's. */
static size_t read_array(struct walk *w, struct shell *sh, size_t at,
                         struct str name, bool adds) {
    struct word_list words = {0};
    struct shell_token t;
    for (t = shell_next(sh, at); t.kind != SHELL_END; t = shell_next(sh, t.to)) {
        struct str text = shell_text(sh, &t);
        if (t.kind == SHELL_OPERATOR && str_eq(text, STR(")")))
            break;
        if (t.kind == SHELL_WORD || t.kind == SHELL_ODD)
            add_word(w, &t, &words);
    }
    struct array *old = NULL;
    for (size_t i = 0; i < w->array_count; i++)
        old = str_eq(w->arrays[i].name, name) ? &w->arrays[i] : old;
    if (old == NULL) {
        old = ARENA_ADD(w->a, w->arrays, w->array_count, w->array_cap);
        *old = (struct array){.name = name};
    }
    if (adds)
        words_copy(w->a, &old->words, &words, 0);
    else
        old->words = words;
    return t.kind == SHELL_END ? t.from : t.to;
}

/* "ARGS=" or "ARGS+=" at the end of the line so far. */
static struct str array_begun(struct walk *w, bool *adds) {
    struct str last = w->line.count > 0
                          ? w->line.at[w->line.count - 1].text
                          : (struct str){0};
    *adds = str_ends(last, STR("+="));
    size_t cut = last.n - (*adds ? 2 : 1);
    return str_ends(last, STR("=")) && last.n > 1 ? str_slice(last, 0, cut)
                                                  : (struct str){0};
}

/* ---- #SBATCH ---- */

static void take_sbatch(struct walk *w, struct str option, struct str value,
                        struct span_of_file at) {
    struct str last = value, rest, card;
    if (STR_IS_ONE(option, "--gres", "--gpus", "--gpus-per-node",
                   "--gpus-per-task", "-G")) {
        int64_t n;
        while (str_find_char(last, ':') < last.n) {
            card = str_cut(last, ':', &rest);
            if (!str_eq(card, STR("gpu"))) /* gpu:h100:2 */
                setting_add(w->a, &w->keys, STR("gpu"), card, at);
            last = rest;
        }
        setting_add(w->a, &w->keys, STR("gpus"),
                    str_to_int(last, &n) ? last : STR("1"), at);
    } else if (str_eq(option, STR("--mem"))) {
        setting_add(w->a, &w->keys, STR("mem_limit"), value, at);
    }
}

static void read_comment(struct walk *w, const struct shell_token *t) {
    struct str text = str_slice(w->text, t->from, t->to - t->from), rest;
    if (!str_starts(text, STR("#SBATCH ")))
        return;
    text = str_trim(str_from(text, 8));
    size_t cut = str_find_char(text, '=');
    size_t blank = str_find_char(text, ' ');
    struct str option = str_slice(text, 0, cut < blank ? cut : blank);
    rest = str_trim(str_from(text, option.n + 1));
    rest = str_cut(rest, ' ', &text);
    take_sbatch(w, option, rest, bytes_of(w, t->from, t->to));
}

/* ---- the text ---- */

void script_read(struct arena *a, const struct script *s,
                 const struct engine_words *engines,
                 struct workload_list *out) {
    struct walk *w = arena_alloc(a, sizeof *w);
    *w = (struct walk){.a = a, .s = s, .engines = engines, .out = out,
                       .text = s->text};
    if (s->names != NULL)
        settings_copy(a, &w->names, s->names);
    struct shell sh = {s->text, '\\'};
    struct shell_token t;
    bool adds;
    for (t = shell_next(&sh, 0); t.kind != SHELL_END;
         t = shell_next(&sh, t.to)) {
        struct str text = shell_text(&sh, &t);
        if (t.kind == SHELL_COMMENT) {
            read_comment(w, &t);
        } else if (t.kind == SHELL_CUT) {
            t.to = t.from + 2; /* the next line goes on all the same */
        } else if (t.kind == SHELL_OPERATOR) {
            struct str name = str_eq(text, STR("(")) ? array_begun(w, &adds)
                                                     : (struct str){0};
            if (name.n > 0) {
                w->line.count--;
                t.to = read_array(w, &sh, t.to, name, adds);
            } else {
                end_command(w);
            }
        } else if (t.kind == SHELL_WORD || t.kind == SHELL_ODD) {
            if (t.to > t.from)
                add_word(w, &t, &w->line);
        }
        if (t.to <= t.from)
            t.to = t.from + 1;
    }
    end_command(w);
}

void words_of_line(struct arena *a, const struct node *scalar,
                   const struct variables *scope, struct word_list *out) {
    struct script s = {.src = scalar->src,
                       .text = scalar->text,
                       .node = scalar,
                       .compose = scope->is_compose ? scope : NULL};
    struct walk w = {.a = a, .s = &s, .text = scalar->text};
    struct shell sh = {scalar->text, '\\'};
    if (scope->names != NULL && !scope->is_compose)
        w.names = *scope->names;
    struct shell_token t;
    for (t = shell_next(&sh, 0); t.kind != SHELL_END; t = shell_next(&sh, t.to)) {
        if (t.kind == SHELL_WORD || t.kind == SHELL_ODD)
            add_word(&w, &t, out);
        if (t.to <= t.from)
            t.to = t.from + 1;
    }
}

/* Of several starts the one that takes the arguments, else the first. */
static const struct workload *start_chosen(const struct workload_list *list,
                                           const struct word_list *args) {
    for (size_t i = 0; args->count > 0 && i < list->count; i++) {
        const struct word_list *words = &list->at[i].words;
        for (size_t k = 0; k < words->count; k++)
            if (words->at[k].at.from == args->at[0].at.from &&
                str_eq(words->at[k].text, args->at[0].text))
                return &list->at[i];
    }
    return list->count > 0 ? &list->at[0] : NULL;
}

void words_unwrap(const struct launch_file *f, struct workload *w,
                  const struct node *script, size_t script_at,
                  const struct variables *compose) {
    struct workload_list found = {0};
    struct word_list args = {0};
    words_copy(f->a, &args, &w->words, script_at + 2); /* $0, then $@ */
    struct script s = {.src = script->src,
                       .text = script->text,
                       .node = script,
                       .args = &args,
                       .names = &w->env,
                       .compose = compose};
    script_read(f->a, &s, f->engines, &found);
    const struct workload *start = start_chosen(&found, &args);
    if (start == NULL)
        return;
    w->words = start->words;
    w->is_list = args.count > 0;
    settings_copy(f->a, &w->env, &start->env);
}
