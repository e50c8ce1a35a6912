/* call.c: reads parts of a shell's text at another place than they stand.
 *
 *     serve() { vllm serve "$1" "${@:2}"; }     read at its calls, with their
 *     serve Qwen/Qwen3-8B -tp 2                 words; without a call once, at
 *                                               the end of the text
 *     source ../common.sh                       that file, as a part of this
 *     ssh node "vllm serve X"                   the quoted words
 *     case "$1" in                              the branch of a word that is
 *       big) MODEL=A ;;                         known; else each by itself, and
 *       *) MODEL=B ;;                           behind it what they agree on
 *     esac
 */
#include "launch/script_reader.h"

#include "base/limits.h"
#include "diagnose/shell.h"

struct choice {
    struct choice *outer;
    struct str word;         /* the word of the `case`; empty: not known */
    bool expects_pattern;    /* false: a branch is being read */
    bool is_matched;         /* a pattern of the next branch matches the word */
    bool is_live, was_found; /* is_live: the word is known and this is its
                                branch; was_found: its branch was read */
    size_t names;            /* number of variables before the branch */
    struct setting_list kept;
};

/* ---- functions ---- */

static size_t blanks_from(struct str text, size_t at) {
    size_t i = at;
    while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\t'))
        i++;
    return i;
}

/* The "}" that begins a line of the same indent; text.n: there is none. */
static size_t closing_line(struct str text, size_t open) {
    size_t begin = str_line_begin(text, open);
    size_t indent = blanks_from(text, begin) - begin;
    for (size_t at = line_end(text, open) + 1; at < text.n;
         at = line_end(text, at) + 1) {
        size_t brace = blanks_from(text, at);
        if (brace == at + indent && brace < text.n && text.p[brace] == '}')
            return brace;
    }
    return text.n;
}

/* The body behind "{". It ends on the same line, or by the indent. */
static struct text_range body_at(struct str text, size_t open) {
    size_t end = line_end(text, open);
    size_t brace = closing_at(str_slice(text, 0, end), open, '}');
    return (struct text_range){open + 1, brace < end
                                             ? brace
                                             : closing_line(text, open)};
}

/* The "{" behind "()"; text.n: there is none. */
static size_t brace_behind(struct str text, size_t at) {
    struct shell sh = {text, '\\'};
    struct shell_token t = shell_next(&sh, at + 1);
    if (t.kind != SHELL_OPERATOR || text.p[t.from] != ')')
        return text.n;
    do
        t = shell_next(&sh, t.to);
    while (t.kind == SHELL_COMMENT ||
           (t.kind == SHELL_OPERATOR && text.p[t.from] == '\n'));
    bool is_brace = t.kind == SHELL_WORD && text.p[t.from] == '{';
    return is_brace ? t.from : text.n;
}

size_t function_read(struct script_reader *w, size_t at) {
    struct str text = w->s->text;
    const struct word_list *line = &w->now.line;
    bool has_word = line->count == 2 &&
                    str_eq(line->at[0].text, STR("function"));
    size_t open = text.p[at] == '(' ? brace_behind(text, at) : at;
    if (open == text.n || (line->count != 1 && !has_word))
        return 0;
    struct function *f = ARENA_ADD(w->a, w->functions, w->function_count,
                                   w->function_cap);
    *f = (struct function){.name = line->at[line->count - 1].text,
                           .s = w->s,
                           .body = body_at(text, open)};
    return f->body.to + (f->body.to < text.n);
}

static void put_positions(struct script_reader *w) {
    static const struct lint_word nothing = {{NULL, 0}, {0, 0, NULL}};
    for (size_t i = 0; i < 9; i++) {
        const struct lint_word *arg =
            i < w->args.count ? &w->args.at[i] : &nothing;
        setting_add(w->a, &w->names, str_slice(STR("123456789"), i, 1),
                    arg->text, arg->at);
    }
}

/* Reads the body of function i with these words. The list may move meanwhile,
 * so it is not held by a pointer. */
static void read_body(struct script_reader *w, size_t i,
                      const struct word_list *args) {
    const struct script *outer = w->s;
    struct word_list old = w->args;
    int depth = w->depth;
    w->functions[i].is_called = w->functions[i].is_running = true;
    w->s = w->functions[i].s;
    w->args = *args;
    w->depth = 0;
    put_positions(w);
    walk_text(w, w->functions[i].body);
    w->functions[i].is_running = false;
    w->s = outer;
    w->args = old;
    w->depth = depth;
    put_positions(w);
}

bool function_called(struct script_reader *w, size_t at) {
    struct word_list args = {0};
    size_t i = w->function_count;
    while (i > 0 && !str_eq(w->functions[i - 1].name, w->now.line.at[at].text))
        i--;
    if (i == 0)
        return false;
    words_copy(w->a, &args, &w->now.line, at + 1);
    if (!w->functions[i - 1].is_running && w->calls < LINT_CALLS_MAX) {
        w->calls++;
        read_body(w, i - 1, &args);
    }
    return true;
}

void functions_left(struct script_reader *w) {
    for (size_t i = 0; i < w->function_count; i++)
        if (!w->functions[i].is_called && w->functions[i].s == w->whole)
            read_body(w, i, &(struct word_list){0});
}

void args_shifted(struct script_reader *w, size_t at) {
    struct word_list rest = {0};
    int64_t by = 1;
    str_to_int(word_at(&w->now.line, at + 1), &by);
    words_copy(w->a, &rest, &w->args, by > 0 ? (size_t)by : 0);
    w->args = rest;
    put_positions(w);
}

/* ---- files ---- */

/* Reads all of another text as a part of this one. */
static void walk_script(struct script_reader *w, struct script now) {
    const struct script *outer = w->s;
    struct script *s = arena_alloc(w->a, sizeof *s);
    *s = now;
    w->s = s;
    walk_text(w, (struct text_range){0, s->text.n});
    w->s = outer;
}

/* The path of a sourced file, relative to the script: "a.sh" for
 * "$(dirname "$0")/a.sh" and "$HERE/a.sh". Empty: unknown. */
static struct str path_sourced(struct str path) {
    if (str_starts(path, STR("$(")))
        path = str_from(path, closing_at(path, 1, ')') + 1);
    else if (str_starts(path, STR("$")))
        path = str_from(path, str_find_char(path, '/'));
    else if (str_starts(path, STR("/")) || str_starts(path, STR("~")))
        return STR("");
    while (str_starts(path, STR("/")))
        path = str_from(path, 1);
    return STR_HAS_ONE(path, "$", "`", " ", "*") ||
                   str_eq(path_base(path), STR("activate"))
               ? STR("")
               : path;
}

void file_sourced(struct script_reader *w, size_t at) {
    struct beside *b = w->whole->beside;
    struct str path = path_sourced(word_at(&w->now.line, at + 1));
    if (b == NULL || path.n == 0 || w->calls >= LINT_CALLS_MAX)
        return;
    bool is_env = str_ends(path_base(path), STR(".env"));
    struct span_of_file place = w->now.line.at[at + 1].at;
    const struct source *src =
        is_env ? env_file_open(b, w->s->src, path, place, false)
               : beside_open(b, w->s->src, path, place, false);
    if (src == NULL)
        return;
    w->calls++;
    walk_script(w, (struct script){.src = src, .text = src->text});
}

/* ---- quoted words ---- */

/* True if the program runs a quoted word as a command, by itself or by a shell
 * among its words. */
static bool runs_text(const struct word_list *line, size_t at) {
    struct str program = path_base(line->at[at].text);
    bool has_shell = false;
    for (size_t i = at; i < line->count; i++)
        has_shell = has_shell || word_is_shell(line->at[i].text);
    return STR_IS_ONE(program, "eval", "ssh", "tmux", "screen", "su",
                      "script") ||
           (has_shell &&
            STR_IS_ONE(program, "bash", "sh", "zsh", "dash", "nohup",
                       "setsid", "srun", "timeout", "docker", "podman",
                       "nerdctl", "kubectl", "apptainer", "singularity",
                       "wsl", "wsl.exe", "docker-compose"));
}

/* Reads the value of a variable: eval "$CMD". All words have the place of the
 * variable. */
static void walk_value(struct script_reader *w, size_t at) {
    const struct word_list *line = &w->now.line;
    struct buf text = buf_in(w->a, LINT_TEXT_BYTES_MAX);
    for (size_t i = at + 1; i < line->count; i++)
        buf_printf(&text, "%.*s ", STR_ARG(line->at[i].text));
    walk_script(w, (struct script){.src = w->s->src,
                                   .text = arena_str(w->a, buf_str(&text)),
                                   .place = &line->at[at + 1].at});
}

void quoted_walked(struct script_reader *w, size_t at) {
    const struct word_list *line = &w->now.line;
    const struct range_list *quoted = &w->now.quoted;
    bool is_eval = str_eq(line->at[at].text, STR("eval"));
    if (!runs_text(line, at))
        return;
    bool is_value = is_eval && at + 1 < line->count &&
                    (quoted->count == 0 ||
                     w->s->text.p[quoted->at[0].from] == '$');
    if (is_value)
        walk_value(w, at);
    for (size_t i = 0; i < quoted->count && !is_value; i++)
        walk_text(w, quoted->at[i]);
}

/* ---- "cat <<WORD" ---- */

/* True if the line writes to the screen, not into a file or a program. */
static bool is_shown(struct str line) {
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] == '|' ||
            (line.p[i] == '>' && (i + 1 == line.n || line.p[i + 1] != '&')))
            return false;
    return true;
}

static struct str delimiter_at(struct str text, size_t at) {
    at += 2;
    at += at < text.n && text.p[at] == '-';
    at = blanks_from(text, at);
    size_t end = at;
    while (end < text.n && strchr(" \t\n;&|>)", text.p[end]) == NULL)
        end++;
    return shell_unquoted(str_slice(text, at, end - at));
}

size_t shown_behind(const struct script_reader *w, size_t at) {
    struct str text = w->s->text, word = delimiter_at(text, at);
    const struct word_list *line = &w->now.line;
    size_t begin = str_line_begin(text, at);
    bool is_cat = str_eq(word_at(line, line->count - 1), STR("cat"));
    if (!str_starts(str_from(text, at), STR("<<")) || word.n == 0 || !is_cat ||
        text.p[at + 2] == '<' ||
        !is_shown(str_slice(text, begin, line_end(text, begin) - begin)))
        return 0;
    for (size_t i = line_end(text, at) + 1; i < text.n;
         i = line_end(text, i) + 1)
        if (str_eq(str_trim(str_slice(text, i, line_end(text, i) - i)), word))
            return line_end(text, i);
    return 0;
}

/* ---- case ---- */

static void pattern_read(struct choice *c, const struct word_list *line,
                         size_t from) {
    for (size_t i = from; i < line->count; i++) {
        struct str pattern = line->at[i].text;
        bool is_rest = str_eq(pattern, STR("*")) && !c->was_found;
        if (c->word.n > 0 && (str_eq(pattern, c->word) || is_rest))
            c->is_matched = true;
    }
}

static void begin_branch(struct script_reader *w, struct choice *c) {
    c->expects_pattern = false;
    c->is_live = c->is_matched;
    c->was_found = c->was_found || c->is_live;
    c->is_matched = false;
    c->names = w->names.count;
}

/* True for "--enforce-eager"; "--tp 2" has a value. */
static bool is_lone_flag(struct str text) {
    return text.n > 0 && text.p[0] == '-' && str_find_char(text, ' ') == text.n;
}

/* True for two different values, of which either may hold. */
static bool is_contrary(struct str old, struct str value) {
    return !str_eq(old, value) && old.n > 0 && value.n > 0 &&
           !is_lone_flag(old) && !is_lone_flag(value);
}

static void keep_of_branch(struct script_reader *w, struct choice *c,
                           const struct lint_setting *s) {
    for (size_t i = 0; i < c->kept.count; i++) {
        struct lint_setting *old = &c->kept.at[i];
        if (str_eq(old->name, s->name)) {
            if (is_contrary(old->value, s->value))
                old->value = (struct str){NULL, 0}; /* unlike an empty value */
            return;
        }
    }
    setting_add(w->a, &c->kept, s->name, s->value, s->at);
}

static void end_branch(struct script_reader *w, struct choice *c) {
    bool is_dead = c->word.n > 0 && !c->is_live;
    for (size_t i = c->names; i < w->names.count && !is_dead; i++) {
        const struct lint_setting *s = &w->names.at[i];
        if (setting_find(&w->names, s->name) == s)
            keep_of_branch(w, c, s);
    }
    w->names.count = c->names;
    c->is_live = false;
    c->expects_pattern = true;
}

static void end_choice(struct script_reader *w, struct choice *c) {
    if (!c->expects_pattern)
        end_branch(w, c);
    for (size_t i = 0; i < c->kept.count; i++) {
        const struct lint_setting *s = &c->kept.at[i];
        const struct lint_setting *old = setting_find(&w->names, s->name);
        if (s->value.p != NULL && (old == NULL || old->value.n == 0 ||
                                   c->word.n > 0))
            setting_add(w->a, &w->names, s->name, s->value, s->at);
    }
    w->now.choice = c->outer;
}

/* Reads "case WORD in". The words behind "in" are a pattern. */
static void begin_choice(struct script_reader *w,
                         const struct word_list *line) {
    struct choice *c = arena_alloc(w->a, sizeof *c);
    struct str word = word_at(line, 1);
    *c = (struct choice){.outer = w->now.choice, .expects_pattern = true,
                         .word = STR_HAS_ONE(word, "$", "`") ? STR("") : word};
    w->now.choice = c;
}

bool choice_line(struct script_reader *w, struct str operator_text) {
    const struct word_list *line = &w->now.line;
    struct str first = word_at(line, 0);
    bool begins = str_eq(first, STR("case"));
    if (begins)
        begin_choice(w, line);
    struct choice *c = w->now.choice;
    if (c != NULL && str_eq(first, STR("esac"))) {
        end_choice(w, c);
        return true;
    }
    if (c == NULL || !c->expects_pattern)
        return false;
    bool is_end = str_eq(operator_text, STR(")"));
    if (is_end || str_eq(operator_text, STR("|")))
        pattern_read(c, line, begins ? 3 : 0);
    if (is_end)
        begin_branch(w, c);
    return true;
}

void choice_branch_ends(struct script_reader *w) {
    if (w->now.choice != NULL && !w->now.choice->expects_pattern)
        end_branch(w, w->now.choice);
}

bool choice_is_live(const struct script_reader *w) {
    return w->now.choice != NULL && w->now.choice->is_live;
}
