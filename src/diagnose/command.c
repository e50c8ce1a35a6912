/* command.c: the user's command line with one setting changed.
 *
 *   vllm serve "my model" \            vllm serve "my model" \
 *     --max-model-len=131072 \   -->     --max-model-len=44224 \
 *     --port 8000                        --port 8000
 *
 * Only the value's own bytes change: quotes, order, blanks and continuations
 * stay as the user wrote them. A setting that is not there is appended, on a
 * line of its own where the command has continuations. NAME=value goes in
 * front, and into a container by -e. Of some logs only what follows the image
 * is left: its arguments are corrected all the same, and said to be no more
 * than that. Shell words are told apart by blanks, with quotes and backslashes
 * respected; nothing is expanded, nothing is run.
 */
#include "diagnose/work.h"

#define COMMAND_MAX (64 * 1024)

struct word { /* a shell word, quotes included */
    size_t from, to;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A backslash at a line's end joins lines: a blank of the shell. */
static size_t skip_blanks(struct str s, size_t at) {
    for (;;) {
        if (at < s.n && is_blank(s.p[at])) {
            at++;
        } else if (at + 1 < s.n && s.p[at] == '\\' && is_blank(s.p[at + 1])) {
            at += 2;
        } else if (at + 1 == s.n && s.p[at] == '\\') {
            return s.n;
        } else {
            return at;
        }
    }
}

static bool next_word(struct str s, size_t at, struct word *w) {
    char quote = 0;
    w->from = skip_blanks(s, at);
    size_t i = w->from;
    for (; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && quote != '\'' && i + 1 < s.n &&
            s.p[i + 1] != '\n') {
            i++;
        } else if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (is_blank(c) || c == '\\') {
            break;
        }
    }
    w->to = i < s.n ? i : s.n;
    return w->to > w->from;
}

static struct str word_text(struct str s, const struct word *w) {
    return str_slice(s, w->from, w->to - w->from);
}

static struct str unquoted(struct str s) {
    bool is_quoted = s.n >= 2 && s.p[0] == s.p[s.n - 1] &&
                     (s.p[0] == '\'' || s.p[0] == '"');
    return is_quoted ? str_slice(s, 1, s.n - 2) : s;
}

/* "--flag value", "--flag=value", "--flag": name and value. */
static void split_setting(struct str setting, struct str *name,
                          struct str *value) {
    size_t cut = 0;
    while (cut < setting.n && !is_blank(setting.p[cut]) &&
           setting.p[cut] != '=') {
        cut++;
    }
    *name = str_slice(setting, 0, cut);
    *value = str_trim(str_slice(setting, cut + 1, setting.n));
}

static bool is_variable(struct str setting) {
    size_t i = 0;
    while (i < setting.n && ((setting.p[i] >= 'A' && setting.p[i] <= 'Z') ||
                             setting.p[i] == '_' ||
                             (i > 0 && setting.p[i] >= '0' &&
                              setting.p[i] <= '9'))) {
        i++;
    }
    return i > 0 && i < setting.n && setting.p[i] == '=';
}

bool setting_is_flag(struct str setting) {
    struct str s = str_trim(setting);
    bool has_gap = str_find_char(s, '<') < s.n;
    bool is_dashed = str_starts(s, STR("--")) ||
                     (s.n > 1 && s.p[0] == '-' && s.p[1] != ' ');
    bool is_one_line = str_find_char(s, '\n') == s.n;
    bool is_alone = is_variable(s) && str_find_char(s, ' ') == s.n;
    return !has_gap && is_one_line && (is_dashed || is_alone);
}

/* ---- containers ---- */

/* "vllm/vllm-openai:v0.9.1", and no path of a file. */
static bool is_image(struct str word) {
    return word.n > 0 && word.p[0] != '/' && word.p[0] != '.' &&
           word.p[0] != '~' && word.p[0] != '-' &&
           str_find_char(word, '/') < word.n &&
           str_find_char(word, '=') == word.n;
}

bool command_is_arguments(struct str command) {
    struct word first;
    return next_word(command, 0, &first) &&
           is_image(word_text(command, &first));
}

bool command_is_image_alone(struct str command) {
    struct word first, next;
    if (!command_is_arguments(command) || !next_word(command, 0, &first)) {
        return false;
    }
    return !next_word(command, first.to, &next) ||
           command.p[next.from] != '-';
}

/* Where the options of "docker run" begin; 0: it is none. */
static size_t container_options(struct str command) {
    struct word w;
    size_t at = 0;
    for (size_t i = 0; i < 3 && next_word(command, at, &w); i++, at = w.to) {
        struct str word = word_text(command, &w);
        bool is_runner = str_eq(word, STR("docker")) ||
                         str_eq(word, STR("podman"));
        if (i == 0 && !is_runner) {
            return 0;
        }
        if (str_eq(word, STR("run"))) {
            return w.to;
        }
    }
    return 0;
}

/* ---- replacing ---- */

static bool is_spelling(struct str word, struct str name,
                        const struct str_list *spellings) {
    if (str_eq(word, name)) {
        return true;
    }
    for (size_t i = 0; spellings && i < spellings->count; i++) {
        if (str_eq(word, spellings->at[i])) {
            return true;
        }
    }
    return false;
}

static struct str spliced(struct arena *a, struct str s, size_t from,
                          size_t to, struct str what) {
    struct buf b;
    buf_init_in(&b, a, COMMAND_MAX);
    buf_add(&b, str_slice(s, 0, from));
    buf_add(&b, what);
    buf_add(&b, str_slice(s, to, s.n));
    return buf_ok(&b) ? arena_str(a, buf_str(&b)) : s;
}

/* The value inside its quotes, which stay. */
static struct str value_replaced(struct arena *a, struct str s, size_t from,
                                 size_t to, struct str value) {
    struct str old = str_slice(s, from, to - from);
    size_t quote = unquoted(old).n < old.n ? 1 : 0;
    return spliced(a, s, from + quote, to - quote, value);
}

/* "--flag=value" as one word. */
static bool replace_joined(struct arena *a, struct str s, const struct word *w,
                           struct str name, struct str value,
                           const struct str_list *spellings,
                           struct str *out) {
    struct str word = word_text(s, w);
    size_t cut = str_find_char(word, '=');
    if (cut == word.n || value.n == 0 ||
        !is_spelling(str_slice(word, 0, cut), name, spellings)) {
        return false;
    }
    *out = value_replaced(a, s, w->from + cut + 1, w->to, value);
    return true;
}

static bool replace_value(struct arena *a, struct str s, struct str name,
                          struct str value, const struct str_list *spellings,
                          struct str *out) {
    struct word w, next;
    for (size_t at = 0; next_word(s, at, &w); at = w.to) {
        if (replace_joined(a, s, &w, name, value, spellings, out)) {
            return true;
        }
        if (!is_spelling(unquoted(word_text(s, &w)), name, spellings)) {
            continue;
        }
        *out = s; /* a switch that is on already */
        if (value.n > 0 && next_word(s, w.to, &next)) {
            *out = value_replaced(a, s, next.from, next.to, value);
        } else if (value.n > 0) {
            return false;
        }
        return true;
    }
    return false;
}

bool command_value(struct str command, const struct flag *flag,
                   struct str *value) {
    struct word w, next;
    for (size_t at = 0; next_word(command, at, &w); at = w.to) {
        struct str word = word_text(command, &w);
        size_t cut = str_find_char(word, '=');
        if (is_spelling(str_slice(word, 0, cut), flag->flag,
                        &flag->aliases) && cut < word.n) {
            *value = unquoted(str_slice(word, cut + 1, word.n));
            return value->n > 0;
        }
        if (is_spelling(word, flag->flag, &flag->aliases) &&
            next_word(command, w.to, &next)) {
            *value = unquoted(word_text(command, &next));
            return true;
        }
    }
    return false;
}

/* ---- adding ---- */

/* The indent of the last continued line; empty: the command has none. */
static struct str last_indent(struct str s) {
    for (size_t i = s.n; i > 1; i--) {
        if (s.p[i - 1] == '\n' && s.p[i - 2] == '\\') {
            size_t to = i;
            while (to < s.n && (s.p[to] == ' ' || s.p[to] == '\t')) {
                to++;
            }
            return str_slice(s, i, to - i);
        }
    }
    return (struct str){NULL, 0};
}

static struct str without_tail(struct str s) {
    s = str_trim(s);
    while (s.n > 0 && s.p[s.n - 1] == '\\') {
        s = str_trim(str_slice(s, 0, s.n - 1));
    }
    return s;
}

static struct str appended(struct arena *a, struct str s, struct str setting) {
    bool is_continued = str_find(s, STR("\\\n")) < s.n;
    struct str body = without_tail(s);
    struct str indent = last_indent(body);
    struct buf b;
    buf_init_in(&b, a, COMMAND_MAX);
    buf_add(&b, body);
    buf_add(&b, is_continued ? STR(" \\\n") : STR(" "));
    buf_add(&b, indent);
    buf_add(&b, setting);
    return buf_ok(&b) ? arena_str(a, buf_str(&b)) : s;
}

struct str command_with(struct arena *a, struct str command,
                        struct str setting, const struct str_list *spellings) {
    struct str name, value, out;
    setting = str_trim(setting);
    split_setting(setting, &name, &value);
    if (replace_value(a, command, name, value, spellings, &out)) {
        return out;
    }
    size_t options = container_options(command);
    if (is_variable(setting) && options > 0) {
        return spliced(a, command, options, options,
                       arena_printf(a, " -e %.*s", STR_ARG(setting)));
    }
    if (is_variable(setting)) {
        return spliced(a, command, 0, 0,
                       arena_printf(a, "%.*s ", STR_ARG(setting)));
    }
    return appended(a, command, setting);
}
