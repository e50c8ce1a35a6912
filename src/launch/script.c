/* script.c: finds commands in a shell script that may start an engine.
 *
 *     MODEL=Qwen/Qwen3-8B                  a variable, kept for the lines below
 *     ARGS=(--max-model-len 8192)          an array, kept as well
 *     exec vllm serve $MODEL "${ARGS[@]}" "$@"
 *
 * Words are split by diagnose/shell.h; variables are filled in here. Both
 * branches of an `if` are read, one behind the other, and loops once: a
 * variable has the last value of a line above. Nothing is run. */
#include "launch/script_reader.h"

#include "base/limits.h"
#include "diagnose/shell.h"

/* ---- places ---- */

static struct span_of_file bytes_of(const struct script_reader *w, size_t from,
                                    size_t to) {
    const struct node *node = w->s->node;
    if (w->s->place != NULL)
        return *w->s->place;
    if (node == NULL)
        return (struct span_of_file){from, to, w->s->src};
    size_t begin = source_byte(node->src, node_place_at(node, from));
    size_t last = source_byte(node->src, node_place_at(node, to - 1));
    return (struct span_of_file){begin, last + 1, node->src};
}

/* ---- words ---- */

/* Writes the text of \x within these quotes ('\0': none). */
static void put_escape(struct buf *out, char quote, char next) {
    bool is_kept = quote == '"' && strchr("\"\\$`\n", next) == NULL;
    if (is_kept)
        buf_add_char(out, '\\');
    if (next != '\n')
        buf_add_char(out, next);
}

/* The word without quotes and escapes. */
static struct str without_quotes(struct arena *a, struct str word,
                                 bool *is_literal) {
    char quote = '\0';
    struct buf out = buf_in(a, word.n + 1);
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

static struct str filled(const struct script_reader *w, struct str text) {
    struct variables here = {&w->names, false};
    if (w->s->compose != NULL) /* compose first, then the shell */
        text = variables_filled(w->a, w->s->compose, text);
    return variables_filled(w->a, &here, text);
}

static const struct word_list *args_from(const struct script_reader *w,
                                         struct str word) {
    struct word_list *rest = arena_alloc(w->a, sizeof *rest);
    struct str number = str_trim_end(str_from(word, 2), '}');
    int64_t first = 0;
    *rest = (struct word_list){0};
    if (str_to_int(number, &first) && first > 0)
        words_copy(w->a, rest, &w->args, (size_t)first - 1);
    return rest;
}

/* The list that a word stands for ("${ARGS[@]}", "$@"); NULL: no list. */
static const struct word_list *list_named(const struct script_reader *w,
                                          struct str word) {
    static const struct word_list nothing = {0};
    while (word.n > 0 && (word.p[0] == '$' || word.p[0] == '{'))
        word = str_from(word, 1);
    if (STR_IS_ONE(word, "@", "@}", "*", "*}"))
        return &w->args;
    if (str_starts(word, STR("@:"))) /* "${@:2}" */
        return args_from(w, word);
    size_t cut = str_find(word, STR("[@]"));
    if (cut == word.n)
        return NULL;
    for (size_t i = w->array_count; i > 0; i--)
        if (str_eq(w->arrays[i - 1].name, str_slice(word, 0, cut)))
            return &w->arrays[i - 1].words;
    return &nothing;
}

/* Sets the variable of : "${NAME:=value}" for the lines below. */
static void default_keep(struct script_reader *w, struct str word,
                         struct str value, struct span_of_file at) {
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

/* Keeps the ranges of quoted words, which may be commands, and of "$(...)" in
 * an assignment. */
static void keep_ranges(struct script_reader *w, const struct shell_token *t) {
    struct str given = str_slice(w->s->text, t->from, t->to - t->from);
    struct shell_command *now = &w->now;
    size_t name = str_find(given, STR("=\"$("));
    char quote = given.n > 2 ? given.p[0] : '\0';
    if ((quote == '"' || quote == '\'') && given.p[given.n - 1] == quote)
        *ARENA_ADD(w->a, now->quoted.at, now->quoted.count, now->quoted.cap) =
            (struct text_range){t->from + 1, t->to - 1};
    if (name < given.n && str_ends(given, STR(")\"")))
        *ARENA_ADD(w->a, now->printed.at, now->printed.count,
                   now->printed.cap) =
            (struct text_range){t->from + name + 4, t->to - 2};
}

static void add_word(struct script_reader *w, const struct shell_token *t,
                     struct word_list *out) {
    struct str given = str_slice(w->s->text, t->from, t->to - t->from);
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
    default_keep(w, bare, text, at);
    if (str_starts(given, STR("$")) && str_find_char(text, ' ') < text.n)
        words_split(w->a, out, text, at); /* without quotes, the shell splits
                                             it */
    else if (text.n > 0 || given.p[0] == '"' || given.p[0] == '\'')
        word_add(w->a, out, text, at);
}

/* ---- one command ---- */

/* The length of NAME in "NAME=..."; 0: no assignment. */
static size_t assigned(struct str word) {
    size_t n = 0;
    while (n < word.n && is_word(word.p[n]) && (n > 0 || !is_digit(word.p[0])))
        n++;
    return n > 0 && n < word.n && word.p[n] == '=' ? n : 0;
}

static void keep_name(struct script_reader *w, const struct lint_word *word,
                      bool is_exported) {
    size_t n = assigned(word->text);
    struct str name = str_slice(word->text, 0, n);
    struct str value = str_from(word->text, n + 1);
    const struct lint_setting *old = setting_find(&w->names, name);
    if (w->depth > 0 && old != NULL && old->value.n > 0 && !choice_is_live(w))
        return;
    setting_add(w->a, &w->names, name, value, word->at);
    if (is_exported)
        setting_add(w->a, &w->env, name, value, word->at);
}

/* The number of words before the command: keywords, and programs that run
 * it. */
static size_t words_before(const struct word_list *line) {
    size_t i = 0;
    while (STR_IS_ONE(word_at(line, i), "then", "else", "do", "{", "!", "if",
                      "elif", "while", "time", "exec", "nohup", "sudo"))
        i++;
    return i;
}

/* Replaces paths by the mount in "-v /srv/Qwen3-8B:/model" or
 * "--volume=...". */
static void mount_read(struct script_reader *w, struct workload *it, size_t i) {
    struct option_word o = option_at(&w->now.line, i);
    struct str rest, host = str_cut(o.value, ':', &rest);
    if (STR_IS_ONE(o.name, "-v", "--volume"))
        words_mounted(w->a, &it->words, host, str_cut(rest, ':', &rest));
}

/* Adds the program of --entrypoint, and the variables of one command. */
static void front_read(struct script_reader *w, struct workload *it,
                       const struct start_found *found) {
    const struct word_list *line = &w->now.line;
    for (size_t i = found->begin; i < found->from; i++) {
        struct option_word o = option_at(line, i);
        if (str_eq(o.name, STR("--entrypoint")) && o.value.n > 0)
            word_add(w->a, &it->words, o.value, line->at[i].at);
        if (!found->is_image && assigned(line->at[i].text) > 0)
            setting_add(w->a, &it->env, o.name, o.value, line->at[i].at);
    }
}

/* True if the same command is there already, by another call of a function. */
static bool is_there(const struct script_reader *w, const struct workload *it) {
    for (size_t i = 0; i + 1 < w->out->count; i++) {
        const struct workload *old = &w->out->at[i];
        bool is_same = old->at.src == it->at.src &&
                       old->at.from == it->at.from &&
                       old->words.count == it->words.count;
        for (size_t n = 0; is_same && n < it->words.count; n++)
            is_same = str_eq(old->words.at[n].text, it->words.at[n].text);
        if (is_same)
            return true;
    }
    return false;
}

static void keep_command(struct script_reader *w,
                         const struct start_found *found) {
    const struct lint_word *named = &w->now.line.at[found->named];
    struct workload *it = workload_new(w->a, w->out, named->text, named->at);
    if (found->is_image)
        it->image = named->text;
    settings_copy(w->a, &it->env, &w->env);
    settings_copy(w->a, &it->keys, &w->keys);
    front_read(w, it, found);
    words_copy(w->a, &it->words, &w->now.line, found->from);
    downloads_named(&w->downloads, &it->words);
    for (size_t i = found->begin; i < found->named; i++)
        mount_read(w, it, i);
    if (is_there(w, it))
        w->out->count--;
}

static void count_depth(struct script_reader *w) {
    struct str first = word_at(&w->now.line, 0);
    w->depth += STR_IS_ONE(first, "if", "case", "while", "for", "until");
    w->depth -= w->depth > 0 && STR_IS_ONE(first, "fi", "esac", "done");
}

/* The first name of "export A=b" or "local -r A=b"; `from`: it is neither. */
static size_t names_begin(const struct word_list *line, size_t from,
                          bool *is_export) {
    struct str first = word_at(line, from);
    *is_export = str_eq(first, STR("export"));
    if (!*is_export && !STR_IS_ONE(first, "local", "declare", "readonly",
                                   "typeset"))
        return from;
    do
        from++;
    while (str_starts(word_at(line, from), STR("-")));
    return from;
}

/* Reads a program and its words. */
static void run_line(struct script_reader *w, size_t at) {
    struct start_found found;
    struct str program = w->now.line.at[at].text;
    if (STR_IS_ONE(program, "source", ".")) {
        file_sourced(w, at);
    } else if (str_eq(program, STR("shift"))) {
        args_shifted(w, at);
    } else if (!function_called(w, at)) {
        download_read(w->a, &w->now.line, at, &w->downloads);
        if (!str_eq(program, STR("eval")) &&
            start_find(w->a, w->engines, &w->now.line, at, &found))
            keep_command(w, &found);
        else
            quoted_walked(w, at);
    }
}

static void end_command(struct script_reader *w, struct str operator_text) {
    struct word_list *line = &w->now.line;
    bool is_export, is_part = choice_line(w, operator_text);
    count_depth(w);
    size_t from = words_before(line), names = w->env.count;
    size_t first = names_begin(line, from, &is_export), at = first;
    while (assigned(word_at(line, at)) > 0)
        at++;
    bool is_alone = at == line->count, is_declared = first > from;
    for (size_t i = first; i < at && !is_part; i++)
        keep_name(w, &line->at[i], is_export || !is_alone);
    for (size_t i = 0; i < w->now.printed.count && is_alone && !is_part; i++)
        walk_text(w, w->now.printed.at[i]);
    if (!is_alone && !is_declared && !is_part)
        run_line(w, at);
    if (!is_export && !is_alone)
        w->env.count = names; /* assignments in front of a command are for it
                                 only */
    line->count = w->now.quoted.count = w->now.printed.count = 0;
}

/* ---- lists ---- */

/* Adds the words from `at` on; of an array up to its ")". Returns the last
 * token. */
static struct shell_token read_words(struct script_reader *w,
                                     const struct shell *sh, size_t at,
                                     bool is_array, struct word_list *out) {
    struct shell_token t;
    for (t = shell_next(sh, at); t.kind != SHELL_END;
         t = shell_next(sh, t.to > t.from ? t.to : t.from + 1)) {
        if (is_array && t.kind == SHELL_OPERATOR &&
            str_eq(shell_text(sh, &t), STR(")")))
            break;
        if (t.kind == SHELL_WORD || t.kind == SHELL_ODD)
            add_word(w, &t, out);
    }
    return t;
}

/* Reads the words up to ")" into the array. */
static size_t read_array(struct script_reader *w, struct shell *sh, size_t at,
                         struct str name, bool adds) {
    struct word_list words = {0};
    struct shell_token t = read_words(w, sh, at, true, &words);
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

/* The name in "ARGS=" or "ARGS+=" at the end of the line so far; empty:
 * none. */
static struct str array_begun(struct script_reader *w, bool *adds) {
    struct str last = word_at(&w->now.line, w->now.line.count - 1);
    *adds = str_ends(last, STR("+="));
    size_t cut = last.n - (*adds ? 2 : 1);
    return str_ends(last, STR("=")) && last.n > 1 ? str_slice(last, 0, cut)
                                                  : STR("");
}

/* ---- #SBATCH ---- */

static void sbatch_read(struct script_reader *w, struct str option,
                        struct str value, struct span_of_file at) {
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

static void read_comment(struct script_reader *w, const struct shell_token *t) {
    struct str text = str_slice(w->s->text, t->from, t->to - t->from), rest;
    if (!str_starts(text, STR("#SBATCH ")))
        return;
    text = str_trim(str_from(text, 8));
    size_t cut = str_find_char(text, '=');
    size_t blank = str_find_char(text, ' ');
    struct str option = str_slice(text, 0, cut < blank ? cut : blank);
    rest = str_trim(str_from(text, option.n + 1));
    rest = str_cut(rest, ' ', &text);
    sbatch_read(w, option, rest, bytes_of(w, t->from, t->to));
}

/* ---- the text ---- */

/* Reads an operator and the list or function that it opens. Returns its end. */
static size_t read_operator(struct script_reader *w, struct shell *sh,
                            const struct shell_token *t) {
    bool adds, is_open = str_eq(shell_text(sh, t), STR("("));
    struct str name = is_open ? array_begun(w, &adds) : STR("");
    if (name.n > 0) {
        w->now.line.count--;
        return read_array(w, sh, t->to, name, adds);
    }
    size_t behind = is_open ? function_read(w, t->from) : 0;
    if (behind > 0) {
        w->now.line.count = 0;
        return behind;
    }
    end_command(w, shell_text(sh, t));
    if (str_eq(shell_text(sh, t), STR(";;")))
        choice_branch_ends(w);
    return t->to;
}

/* Reads a word, or the body behind "function name {". Returns its end. */
static size_t read_word(struct script_reader *w, const struct shell_token *t) {
    bool is_brace = w->now.line.count == 2 &&
                    str_eq(w->now.line.at[0].text, STR("function")) &&
                    str_eq(str_slice(w->s->text, t->from, t->to - t->from),
                           STR("{"));
    size_t behind = is_brace ? function_read(w, t->from) : 0;
    if (behind > 0) {
        w->now.line.count = 0;
        return behind;
    }
    keep_ranges(w, t);
    add_word(w, t, &w->now.line);
    return t->to;
}

/* Extends the token over all of "$((8 * 1024))". */
static void take_sum(const struct script_reader *w, struct shell_token *t) {
    struct str text = str_from(w->s->text, t->from);
    size_t end = str_find(text, STR("))"));
    if (!str_starts(text, STR("$((")) || end == text.n)
        return;
    t->kind = SHELL_WORD;
    t->to = t->from + end + 2;
}

static void read_tokens(struct script_reader *w, struct text_range at) {
    struct shell sh = {str_slice(w->s->text, 0, at.to), '\\'};
    struct shell_token t;
    for (t = shell_next(&sh, at.from); t.kind != SHELL_END;
         t = shell_next(&sh, t.to)) {
        take_sum(w, &t);
        if (t.kind == SHELL_COMMENT)
            read_comment(w, &t);
        else if (t.kind == SHELL_CUT)
            t.to = t.from + 2; /* the command continues on the next line */
        else if (t.kind == SHELL_OPERATOR)
            t.to = read_operator(w, &sh, &t);
        else if (t.kind == SHELL_ODD && shown_behind(w, t.from) > 0)
            t.to = shown_behind(w, t.from);
        else if ((t.kind == SHELL_WORD || t.kind == SHELL_ODD) &&
                 t.to > t.from)
            t.to = read_word(w, &t);
        if (t.to <= t.from)
            t.to = t.from + 1;
    }
    end_command(w, STR(""));
}

void walk_text(struct script_reader *w, struct text_range at) {
    struct shell_command outer = w->now;
    if (w->nesting == LINT_NESTING_MAX || at.from >= at.to)
        return;
    w->nesting++;
    w->now = (struct shell_command){0};
    read_tokens(w, at);
    w->nesting--;
    w->now = outer;
}

void script_read(struct arena *a, const struct script *s,
                 const struct engine_words *engines,
                 struct workload_list *out) {
    struct script_reader *w = arena_alloc(a, sizeof *w);
    *w = (struct script_reader){.a = a, .s = s, .whole = s, .engines = engines,
                                .out = out};
    if (s->names != NULL)
        settings_copy(a, &w->names, s->names);
    if (s->args != NULL)
        w->args = *s->args;
    walk_text(w, (struct text_range){0, s->text.n});
    functions_left(w);
}

void words_of_line(const struct launch_file *f, const struct node *scalar,
                   struct word_list *out) {
    struct script s = {.src = scalar->src, .text = scalar->text,
                       .node = scalar, .compose = f->scope};
    struct script_reader w = {.a = f->a, .s = &s};
    struct shell sh = {scalar->text, '\\'};
    read_words(&w, &sh, 0, false, out);
}

/* Of several starts the one that uses the arguments, else the first. */
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

bool words_of_script(const struct launch_file *f, struct workload *w,
                     struct script s, size_t args_from) {
    struct workload_list found = {0};
    struct word_list args = {0};
    words_copy(f->a, &args, &w->words, args_from);
    s.args = &args;
    s.names = &w->env;
    script_read(f->a, &s, f->engines, &found);
    const struct workload *start = start_chosen(&found, &args);
    if (start == NULL)
        return false;
    w->words = start->words;
    settings_copy(f->a, &w->env, &start->env);
    return true;
}

void script_note(struct shell_script *s, const struct word_list *words,
                 const struct node *item) {
    bool has_shell = false;
    for (size_t i = 0; i < words->count; i++)
        has_shell = has_shell || word_is_shell(words->at[i].text);
    if (s->text == NULL && has_shell &&
        word_is_script_option(words->at[words->count - 1].text))
        *s = (struct shell_script){item, words->count};
}

void words_unwrap(const struct launch_file *f, struct workload *w,
                  const struct shell_script *script) {
    size_t args_from = script->at + 2; /* $0, then $@ */
    bool has_args = args_from < w->words.count;
    if (script->text != NULL &&
        words_of_script(f, w,
                        (struct script){.src = script->text->src,
                                        .text = script->text->text,
                                        .node = script->text,
                                        .compose = f->scope},
                        args_from))
        w->is_list = has_args;
}
