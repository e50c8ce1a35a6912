/* command.c: changes settings in the user's command line.
 *
 *   vllm serve "my model" \            vllm serve "my model" \
 *     --max-model-len=131072 \   -->     --max-model-len=44224 \
 *     --port 8000 | tee log              --port 8000 | tee log
 *
 * Only the bytes of the value change: quotes, order, blanks and continuations
 * stay as the user wrote them. A missing flag is appended to the arguments, on
 * a line of its own if the command has continuations. NAME=value goes in front
 * of the command, and into a container by -e. Options of a container or a
 * launcher are put behind that. A command that is not plain is not changed, so
 * that no second command that stood in the log is handed on.
 */
#include "diagnose/command_parts.h"

#include "base/buf.h"
#include "base/limits.h"

#include <string.h>

struct edit {
    struct argument at;
    struct str text;
};

struct edits {
    struct edit at[COMMAND_EDITS_MAX];
    size_t count;
};

struct new_setting { /* one setting */
    struct arena *a;
    const struct engine *engine;
    struct str whole, name, value; /* value empty: a switch */
};

static struct str text_of(const struct command *c, const struct argument *arg) {
    return str_slice(c->sh.text, arg->from, arg->to - arg->from);
}

static void edit_add(struct edits *e, size_t from, size_t to, struct str text) {
    if (e->count < COMMAND_EDITS_MAX)
        e->at[e->count++] = (struct edit){{from, to}, text};
}

static struct str edited(struct arena *a, struct str s, const struct edits *e) {
    size_t at = 0;
    struct buf b = buf_in(a, 0);
    for (size_t i = 0; i < e->count; i++) {
        buf_add(&b, str_slice(s, at, e->at[i].at.from - at));
        buf_add(&b, e->at[i].text);
        at = e->at[i].at.to;
    }
    buf_add(&b, str_slice(s, at, s.n));
    return arena_str(a, buf_str(&b));
}

/* ---- spellings ---- */

/* Many programs take "--max_model_len" for "--max-model-len". No program takes
 * the two for different options. */
bool command_is_alike(struct str x, struct str y) {
    if (x.n != y.n || !str_starts(x, STR("--")))
        return str_eq(x, y);
    for (size_t i = 0; i < x.n; i++) {
        char a = x.p[i] == '_' ? '-' : x.p[i];
        char b = y.p[i] == '_' ? '-' : y.p[i];
        if (a != b)
            return false;
    }
    return true;
}

bool command_flag_is(struct str word, const struct flag *flag) {
    bool is_one = command_is_alike(word, flag->flag);
    for (size_t i = 0; !is_one && i < flag->aliases.count; i++)
        is_one = command_is_alike(word, flag->aliases.at[i]);
    return is_one;
}

const struct flag *command_flag_row(const struct engine *e, struct str word) {
    for (size_t i = 0; e != NULL && i < e->flag_count; i++)
        if (command_flag_is(word, &e->flags[i]))
            return &e->flags[i];
    return NULL;
}

static bool is_spelling(struct str word, const struct new_setting *to) {
    const struct flag *flag = command_flag_row(to->engine, to->name);
    return command_is_alike(word, to->name) ||
           (flag != NULL && command_flag_is(word, flag));
}

/* True if one is "--x" and the other "--no-x". */
static bool is_opposite(struct str word, struct str name) {
    if (str_starts(name, STR("--no-"))) {
        struct str x = word;
        word = name;
        name = x;
    }
    return str_starts(word, STR("--no-")) && str_starts(name, STR("--")) &&
           str_eq(str_slice(word, 5, word.n), str_slice(name, 2, name.n));
}

/* ---- settings ---- */

static bool is_dashed(struct str word) {
    return word.n > 1 && word.p[0] == '-' &&
           !is_digit(word.p[1]) && word.p[1] != '.';
}

/* Reads the next of several settings from *at on: "A=b", "--flag", "--flag v
 * w". False: there is none, or the text is no setting. */
static bool setting_next(const struct shell *sh, size_t *at,
                         struct new_setting *to) {
    struct shell_token t = shell_next(sh, *at);
    struct str word = shell_text(sh, &t);
    bool is_variable = shell_is_assignment(word);
    if (t.kind != SHELL_WORD || (!is_variable && !is_dashed(word)))
        return false;
    size_t cut = str_find_char(word, '=');
    to->name = str_slice(word, 0, cut);
    to->value = str_slice(word, cut + 1, word.n);
    size_t from = t.from, to_end = t.to;
    struct shell_token v = shell_next(sh, t.to);
    while (!is_variable && cut == word.n && v.kind == SHELL_WORD &&
           !is_dashed(shell_text(sh, &v)) &&
           !shell_is_assignment(shell_text(sh, &v))) {
        to->value = str_slice(sh->text, to->value.n > 0
                                            ? (size_t)(to->value.p -
                                                       sh->text.p)
                                            : v.from, sh->text.n);
        to_end = v.to;
        to->value.n = to_end - (size_t)(to->value.p - sh->text.p);
        v = shell_next(sh, v.to);
    }
    to->whole = str_slice(sh->text, from, to_end - from);
    *at = to_end;
    return true;
}

bool setting_is_flag(struct str settings) {
    struct shell sh = {str_trim(settings), '\\'};
    struct new_setting to = {0};
    size_t at = 0;
    bool has_gap = str_find_char(sh.text, '<') < sh.text.n;
    bool is_one_line = str_find_char(sh.text, '\n') == sh.text.n;
    bool is_some = setting_next(&sh, &at, &to);
    while (setting_next(&sh, &at, &to)) {
    }
    return is_some && !has_gap && is_one_line &&
           shell_next(&sh, at).kind == SHELL_END;
}

/* ---- containers ---- */

/* True for the path of a program: several folders without a tag
 * ("build/bin/llama-server"), or bin/ or build/. A registry has a dot in its
 * first part: "ghcr.io/ggml-org/llama.cpp". */
static bool is_program_path(struct str word) {
    size_t cut = str_find_char(word, '/');
    struct str first = str_slice(word, 0, cut);
    struct str rest = str_slice(word, cut + 1, word.n);
    bool has_tag = str_find_char(rest, ':') < rest.n ||
                   str_find_char(rest, '@') < rest.n;
    bool is_deep = str_find_char(rest, '/') < rest.n &&
                   str_find_char(first, '.') == first.n;
    return !has_tag && (is_deep || str_eq(first, STR("bin")) ||
                        str_eq(first, STR("build")));
}

/* True for the name of an image ("vllm/vllm-openai:v0.9.1"), not for the path
 * of a file. */
static bool is_image(struct str word) {
    return word.n > 0 && word.p[0] != '/' && word.p[0] != '.' &&
           word.p[0] != '~' && word.p[0] != '-' && word.p[0] != '[' &&
           word.p[0] != '$' && str_find_char(word, '/') < word.n &&
           str_find_char(word, '=') == word.n && !is_program_path(word);
}

bool command_is_arguments(struct str command) {
    struct command c = command_parse(command);
    struct argument first;
    size_t at = 0;
    return !c.is_list && argument_next(&c, &at, &first) &&
           is_image(text_of(&c, &first));
}

bool command_is_image_alone(struct str command) {
    struct command c = command_parse(command);
    struct argument next;
    size_t at = 0;
    if (!command_is_arguments(command) || !argument_next(&c, &at, &next))
        return false;
    return !argument_next(&c, &at, &next) || c.sh.text.p[next.from] != '-';
}

/* Options that belong to a container or a launcher. */
static const struct {
    const char *flag;
    enum owner owner;
} of_others[] = {
    {"--shm-size", OWNER_CONTAINER},     {"--ipc", OWNER_CONTAINER},
    {"--gpus", OWNER_CONTAINER},         {"--memory", OWNER_CONTAINER},
    {"--memory-swap", OWNER_CONTAINER},  {"--ulimit", OWNER_CONTAINER},
    {"--mem", OWNER_SLURM},              {"--mem-per-cpu", OWNER_SLURM},
    {"--mem-per-gpu", OWNER_SLURM},      {"--gres", OWNER_SLURM},
    {"--cpus-per-task", OWNER_SLURM},    {"--exclusive", OWNER_SLURM},
    {"--nproc-per-node", OWNER_TORCHRUN}, {"--nnodes", OWNER_TORCHRUN},
};

static int owner_of(struct str name) {
    for (size_t i = 0; i < sizeof of_others / sizeof of_others[0]; i++)
        if (command_is_alike(name, str_of(of_others[i].flag)))
            return (int)of_others[i].owner;
    return -1;
}

/* ---- replacing ---- */

/* Replaces the value and keeps the quotes round it. They are replaced too if
 * the new value has its own. */
static void value_edit(struct edits *e, const struct command *c, size_t from,
                       size_t to, struct str value) {
    struct str old = str_slice(c->sh.text, from, to - from);
    bool has_quotes = shell_unquoted(value).n < value.n;
    size_t quote =
        !c->is_list && !has_quotes && shell_unquoted(old).n < old.n ? 1 : 0;
    edit_add(e, from + quote, to - quote, value);
}

/* The number of words in the value. */
static size_t words_in(struct str value) {
    struct shell sh = {value, '\\'};
    size_t count = 0;
    for (struct shell_token t = shell_next(&sh, 0); t.kind == SHELL_WORD;
         t = shell_next(&sh, t.to))
        count++;
    return count;
}

/* Replaces the value behind "--flag", or adds one if it has none. */
static void value_replace(struct edits *e, const struct command *c,
                          const struct argument *flag,
                          const struct new_setting *to) {
    struct argument next, last;
    size_t at = flag->to + c->is_list;
    bool is_there = argument_next(c, &at, &next) &&
                    next.to <= c->args_end && !is_dashed(text_of(c, &next));
    if (!is_there) {
        size_t behind = flag->to + c->is_list;
        edit_add(e, behind, behind,
                 c->is_list ? list_item(to->a, c, to->value)
                            : arena_printf(to->a, " %.*s", STR_ARG(to->value)));
        return;
    }
    last = next;
    struct argument more = next;
    while (words_in(to->value) > 1 && argument_next(c, &at, &more) &&
           more.to <= c->args_end && !is_dashed(text_of(c, &more)))
        last = more;
    value_edit(e, c, next.from, last.to, to->value);
}

/* True if the word is the flag, in one of its forms. */
static bool flag_replace(struct edits *e, const struct command *c,
                         const struct argument *arg,
                         const struct new_setting *to) {
    struct str word = text_of(c, arg);
    struct str bare = c->is_list ? word : shell_unquoted(word);
    size_t cut = str_find_char(bare, '=');
    bool is_joined = cut < bare.n;
    if (is_opposite(bare, to->name) && to->value.n == 0) {
        edit_add(e, arg->from, arg->to, to->name);
        return true;
    }
    if (!is_spelling(str_slice(bare, 0, cut), to))
        return false;
    if (is_joined && to->value.n > 0) {
        size_t quote = bare.n < word.n;
        value_edit(e, c, arg->from + quote + cut + 1, arg->to - quote,
                   to->value);
    } else if (is_joined) {
        edit_add(e, arg->from, arg->to, to->name); /* --switch=false */
    } else if (to->value.n > 0) {
        value_replace(e, c, arg, to);
    }
    return true;
}

/* Replaces every occurrence of the flag: of two, the last is in force. */
static bool flags_replace(struct edits *e, const struct command *c,
                          size_t from, size_t end,
                          const struct new_setting *to) {
    struct argument arg;
    bool is_there = false;
    for (size_t at = from; argument_next(c, &at, &arg) && arg.to <= end;) {
        if (flag_replace(e, c, &arg, to)) {
            is_there = true;
            size_t behind = e->count > 0 ? e->at[e->count - 1].at.to : 0;
            at = behind > at ? behind : at;
        }
    }
    return is_there;
}

/* ---- adding ---- */

/* The text between two lines of the command: escape, line end and indent. A
 * blank if the command is on one line. */
static struct str joint_of(const struct command *c, struct arena *a) {
    struct str s = c->sh.text;
    for (size_t i = c->args_end < s.n ? c->args_end + 1 : s.n; i > 1; i--) {
        bool is_end = s.p[i - 1] == '\n' &&
                      (s.p[i - 2] == c->sh.escape || s.p[i - 2] == '\r');
        if (is_end) {
            size_t to = i;
            while (to < s.n && (s.p[to] == ' ' || s.p[to] == '\t'))
                to++;
            return arena_printf(a, " %c\n%.*s", c->sh.escape,
                                STR_ARG(str_slice(s, i, to - i)));
        }
    }
    return STR(" ");
}

static void flag_add(struct edits *e, const struct command *c,
                     const struct new_setting *to) {
    if (c->is_list) {
        size_t behind = c->args_end + 1;
        edit_add(e, behind, behind, list_item(to->a, c, to->name));
        if (to->value.n > 0)
            edit_add(e, behind, behind, list_item(to->a, c, to->value));
        return;
    }
    struct str joint = joint_of(c, to->a);
    edit_add(e, c->args_end, c->args_end,
             arena_printf(to->a, "%.*s%.*s", STR_ARG(joint),
                          STR_ARG(to->whole)));
}

/* Puts an option of the container or the launcher. False: the command has
 * none. */
static bool owned_put(struct edits *e, const struct command *c,
                      size_t owned, const struct new_setting *to) {
    if (c->is_list || owned == 0)
        return false;
    size_t end = owned < c->program ? c->program : c->args;
    if (!flags_replace(e, c, owned, end, to))
        edit_add(e, owned, owned,
                 arena_printf(to->a, " %.*s", STR_ARG(to->whole)));
    return true;
}

static bool flag_put(struct edits *e, const struct command *c,
                     const struct new_setting *to) {
    int owner = owner_of(to->name);
    if (owner >= 0)
        return owned_put(e, c, c->owned[owner], to);
    if (!flags_replace(e, c, c->args, c->args_end, to))
        flag_add(e, c, to);
    return true;
}

/* Replaces the value of "NAME=old" in front of the program or behind -e. */
static bool variable_replace(struct edits *e, const struct command *c,
                             const struct new_setting *to) {
    struct argument arg;
    struct str begin = str_slice(to->whole, 0, to->name.n + 1);
    bool is_there = false;
    for (size_t at = 0; argument_next(c, &at, &arg) && arg.to <= c->program;) {
        struct str word = text_of(c, &arg);
        size_t skip = str_starts(word, STR("--env=")) ? 6 : 0;
        if (str_starts(str_slice(word, skip, word.n), begin)) {
            value_edit(e, c, arg.from + skip + begin.n, arg.to, to->value);
            is_there = true;
        }
    }
    return is_there;
}

static bool variable_put(struct edits *e, const struct command *c,
                         const struct new_setting *to) {
    size_t container = c->owned[OWNER_CONTAINER];
    bool has_place = !c->is_list && !shell_is_windows(&c->sh) &&
                     !c->is_mpi && !command_is_arguments(c->sh.text);
    if (!has_place || variable_replace(e, c, to))
        return has_place;
    if (container > 0)
        edit_add(e, container, container,
                 arena_printf(to->a, " -e %.*s", STR_ARG(to->whole)));
    else
        edit_add(e, c->env, c->env,
                 arena_printf(to->a, "%.*s ", STR_ARG(to->whole)));
    return true;
}

/* ---- all of it ---- */

static bool fits_in_quotes(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (strchr("\"'`$\\", s.p[i]) != NULL)
            return false;
    return true;
}

static bool change_make(struct str command, const struct new_setting *to,
                        struct str *out);

/* Changes the command inside sh -c "...". */
static bool change_inside(const struct command *c, const struct new_setting *to,
                          struct str *out) {
    struct edits e = {.count = 0};
    struct str inner = str_slice(c->sh.text, c->inner_from,
                                 c->inner_to - c->inner_from);
    if (!fits_in_quotes(to->whole) || !change_make(inner, to, &inner))
        return false;
    edit_add(&e, c->inner_from, c->inner_to, inner);
    *out = edited(to->a, str_slice(c->sh.text, 0, c->to), &e);
    return true;
}

static bool change_make(struct str command, const struct new_setting *to,
                        struct str *out) {
    struct command c = command_parse(command);
    struct edits e = {.count = 0};
    bool is_variable = !is_dashed(to->name);
    if (!c.is_plain)
        return false;
    if (c.inner_to > 0 && !command_parse(str_slice(
                              command, c.inner_from,
                              c.inner_to - c.inner_from)).is_plain)
        return false;
    if (c.inner_to > 0 && !is_variable && owner_of(to->name) < 0)
        return change_inside(&c, to, out);
    if (is_variable ? !variable_put(&e, &c, to) : !flag_put(&e, &c, to))
        return false;
    *out = edited(to->a, str_slice(command, 0, c.to), &e);
    return true;
}

bool command_with(struct arena *a, const struct engine *e, struct str command,
                  struct str settings, struct str *out) {
    struct shell sh = {str_trim(settings), '\\'};
    struct new_setting to = {.a = a, .engine = e};
    size_t at = 0;
    command = str_trim(command);
    if (!setting_is_flag(settings))
        return false;
    while (setting_next(&sh, &at, &to))
        if (!change_make(command, &to, &command))
            return false;
    *out = command;
    return true;
}

/* ---- the words of a program ---- */

/* Empty: a word has the character that quotes them. */
static struct str words_quoted(struct arena *a, const struct str_list *argv) {
    struct str all = {NULL, 0};
    for (size_t i = 0; i < argv->count; i++) {
        struct str word = argv->at[i];
        if (str_find(word, STR(LIST_QUOTE)) < word.n)
            return (struct str){NULL, 0};
        all = arena_printf(a, "%.*s" LIST_QUOTE "%.*s" LIST_QUOTE, STR_ARG(all),
                           STR_ARG(word));
    }
    return all;
}

/* The arguments end before "--". */
static struct command words_parse(struct str text) {
    struct command c = {.sh = {text, '\\'}, .is_list = true};
    struct argument arg;
    for (size_t at = 0; argument_next(&c, &at, &arg);) {
        if (c.args > 0 && str_eq(text_of(&c, &arg), STR("--")))
            break;
        c.args = c.args > 0 ? c.args : at;
        c.args_end = arg.to;
    }
    return c;
}

bool command_words_with(struct arena *a, const struct engine *e,
                        const struct str_list *argv, struct str settings,
                        struct str_list *out) {
    struct shell sh = {str_trim(settings), '\\'};
    struct new_setting to = {.a = a, .engine = e};
    struct str before = words_quoted(a, argv), text = before;
    size_t at = 0, cap = 0;
    struct argument arg;
    if (!setting_is_flag(settings) || text.n == 0)
        return false;
    while (setting_next(&sh, &at, &to)) {
        struct command c = words_parse(text);
        struct edits edits = {.count = 0};
        if (command_flag_row(e, to.name) == NULL || words_in(to.value) > 1)
            return false;
        to.value = shell_unquoted(to.value);
        if (!flags_replace(&edits, &c, c.args, c.args_end, &to))
            flag_add(&edits, &c, &to);
        text = edited(a, text, &edits);
    }
    if (str_eq(text, before))
        return false;
    struct command c = words_parse(text);
    for (at = 0; argument_next(&c, &at, &arg);)
        *ARENA_ADD(a, out->at, out->count, cap) =
            arena_str(a, text_of(&c, &arg));
    return true;
}

struct str command_shown(struct str command) {
    struct command c = command_parse(str_trim(command));
    return str_slice(c.sh.text, 0, c.to);
}

bool command_flag_next(const struct command *c, size_t *at, struct str *name,
                       struct str *value) {
    struct argument arg, next;
    while (argument_next(c, at, &arg)) {
        struct str word = shell_unquoted(text_of(c, &arg));
        size_t cut = str_find_char(word, '='), behind = *at;
        if (!is_dashed(word))
            continue;
        *name = str_slice(word, 0, cut);
        *value = shell_unquoted(str_slice(word, cut + 1, word.n));
        if (cut == word.n && argument_next(c, &behind, &next) &&
            !is_dashed(text_of(c, &next))) {
            *value = shell_unquoted(text_of(c, &next));
            *at = behind;
        }
        return true;
    }
    return false;
}

bool command_value(struct str command, const struct flag *flag,
                   struct str *value) {
    struct command c = command_parse(command);
    struct str name, found;
    for (size_t at = 0; command_flag_next(&c, &at, &name, &found);) {
        if (found.n > 0 && command_flag_is(name, flag)) {
            *value = found;
            return true;
        }
    }
    return false;
}
