/* command_list.c: arguments as a list, as the file of a container holds them.
 *
 *     ["vllm", "serve", "m"]      JSON, and YAML in one line
 *     - vllm                      YAML
 *     - serve
 *
 *     ['python', 'train.py']      as Python prints a command
 *
 * No shell reads such a list: it has no operators, redirections or
 * continuations. A list with an escape, or with the text of a shell, is not
 * changed.
 */
#include "diagnose/command_parts.h"

#include <string.h>

enum form form_of(struct str text) {
    struct str s = str_trim(text);
    bool is_block = s.n > 1 && s.p[0] == '-' && s.p[1] == ' ';
    return s.n > 0 && s.p[0] == '[' ? FORM_FLOW
           : is_block               ? FORM_BLOCK
                                    : FORM_SHELL;
}

static bool list_next_flow(struct str s, size_t *at, struct argument *arg) {
    size_t i = *at;
    while (i < s.n && strchr("[, \t\r\n", s.p[i]) != NULL)
        i++;
    if (i == s.n || (s.p[i] != '"' && s.p[i] != '\'')) {
        *at = i;
        return false;
    }
    size_t end = i + 1 + str_find_char(str_slice(s, i + 1, s.n), s.p[i]);
    *arg = (struct argument){i + 1, end};
    *at = end + 1;
    return end < s.n;
}

static bool list_next_block(struct str s, size_t *at, struct argument *arg) {
    size_t from = *at;
    while (from < s.n && strchr(" \t\r\n", s.p[from]) != NULL)
        from++;
    if (from + 2 >= s.n || s.p[from] != '-' || s.p[from + 1] != ' ') {
        *at = from;
        return false;
    }
    size_t to = from + str_find_char(str_slice(s, from, s.n), '\n');
    struct str item = str_trim(str_slice(s, from + 2, to - from - 2));
    struct str inside = shell_unquoted(item);
    size_t begin = (size_t)(inside.p - s.p);
    *arg = (struct argument){begin, begin + inside.n};
    *at = to;
    return inside.n > 0;
}

bool list_next(const struct command *c, size_t *at, struct argument *arg) {
    return c->form == FORM_FLOW ? list_next_flow(c->sh.text, at, arg)
                                : list_next_block(c->sh.text, at, arg);
}

/* True for an item that is not handled: the text of a shell, "--", and
 * characters that a shell would act on if the list were pasted into it. */
static bool is_odd(struct str item) {
    bool is_active = str_find(item, STR("$(")) < item.n;
    for (size_t i = 0; i < item.n; i++)
        is_active = is_active || strchr("`\\;|&<>\"'", item.p[i]) != NULL;
    return is_active || STR_IS_ONE(item, "-c", "-lc", "--");
}

void list_read(struct command *c) {
    struct argument arg;
    size_t at = 0;
    struct str s = c->sh.text;
    bool is_plain = true;
    while (list_next(c, &at, &arg)) {
        struct str item = str_slice(s, arg.from, arg.to - arg.from);
        is_plain = is_plain && !is_odd(item);
        c->args_end = arg.to;
    }
    c->to = s.n;
    struct str rest = str_trim(str_slice(s, at, s.n));
    bool is_closed = c->form == FORM_FLOW ? str_eq(rest, STR("]"))
                                          : rest.n == 0;
    c->is_plain = is_plain && is_closed && c->args_end > 0;
}

/* True for a word that needs no quotes in a shell. */
static bool is_bare_word(struct str item) {
    for (size_t i = 0; i < item.n; i++) {
        char c = item.p[i];
        if (!is_word(c) && strchr("-./:=,@%+", c) == NULL)
            return false;
    }
    return item.n > 0;
}

struct str command_as_typed(struct arena *a, struct str text) {
    struct command c = {.sh = {text, '\\'}, .form = FORM_FLOW};
    struct argument arg;
    struct buf out;
    size_t at = 0;
    if (!str_starts(text, STR("['")))
        return text;
    list_read(&c);
    if (!c.is_plain)
        return (struct str){NULL, 0};
    buf_init_in(&out, a, text.n);
    while (list_next(&c, &at, &arg)) {
        struct str item = str_slice(text, arg.from, arg.to - arg.from);
        const char *quote = is_bare_word(item) ? "" : "'";
        buf_printf(&out, "%s%s%.*s%s", arg.from > 2 ? " " : "", quote,
                   STR_ARG(item), quote);
    }
    return buf_str(&out);
}

/* The quote for a new item: that of the last item, else `"`. A number needs it,
 * since arguments are text. */
static char quote_of(const struct command *c) {
    char last = c->args_end < c->sh.text.n ? c->sh.text.p[c->args_end] : '"';
    return last == '\'' ? '\'' : '"';
}

/* The indent of the last item of a block. */
static struct str indent_of(const struct command *c) {
    struct str s = c->sh.text;
    size_t from = c->args_end;
    while (from > 0 && s.p[from - 1] != '\n')
        from--;
    size_t to = from;
    while (to < s.n && s.p[to] != '-')
        to++;
    return str_slice(s, from, to - from);
}

struct argument list_added(struct arena *a, const struct command *c,
                           struct str name, struct str value,
                           struct str *text) {
    char q = quote_of(c);
    bool is_quoted = c->args_end < c->sh.text.n &&
                     c->sh.text.p[c->args_end] == q;
    size_t end = c->args_end + is_quoted;
    if (c->form == FORM_FLOW) {
        *text = value.n > 0 ? arena_printf(a, ", %c%.*s%c, %c%.*s%c", q,
                                           STR_ARG(name), q, q,
                                           STR_ARG(value), q)
                            : arena_printf(a, ", %c%.*s%c", q, STR_ARG(name),
                                           q);
        return (struct argument){end, end};
    }
    struct str indent = indent_of(c);
    *text = arena_printf(a, "\n%.*s- %.*s", STR_ARG(indent), STR_ARG(name));
    if (value.n > 0)
        *text = arena_printf(a, "%.*s\n%.*s- %c%.*s%c", STR_ARG(*text),
                             STR_ARG(indent), q, STR_ARG(value), q);
    return (struct argument){end, end};
}
