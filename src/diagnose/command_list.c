/* command_list.c: arguments as a list, as the file of a container holds them.
 *
 *     ["vllm", "serve", "m"]      JSON, and YAML in one line
 *     ['python', 'train.py']      as Python prints a command
 *
 * No shell reads such a list: it has no operators, redirections or
 * continuations. A list with an escape, or with the text of a shell, is not
 * changed.
 */
#include "diagnose/command_parts.h"

#include <string.h>

bool list_next(const struct command *c, size_t *at, struct argument *arg) {
    struct str s = c->sh.text;
    size_t i = *at;
    while (i < s.n && strchr("[, \t\r\n", s.p[i]) != NULL)
        i++;
    if (i == s.n || !is_any(s.p[i], "\"'" LIST_QUOTE)) {
        *at = i;
        return false;
    }
    size_t end = i + 1 + str_find_char(str_slice(s, i + 1, s.n), s.p[i]);
    *arg = (struct argument){i + 1, end};
    *at = end + 1;
    return end < s.n;
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
    c->is_plain = is_plain && str_eq(rest, STR("]")) && c->args_end > 0;
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
    struct command c = {.sh = {text, '\\'}, .is_list = true};
    struct argument arg;
    size_t at = 0;
    if (!str_starts(text, STR("['")))
        return text;
    list_read(&c);
    if (!c.is_plain)
        return (struct str){NULL, 0};
    struct buf out = buf_in(a, text.n);
    while (list_next(&c, &at, &arg)) {
        struct str item = str_slice(text, arg.from, arg.to - arg.from);
        const char *quote = is_bare_word(item) ? "" : "'";
        buf_printf(&out, "%s%s%.*s%s", arg.from > 2 ? " " : "", quote,
                   STR_ARG(item), quote);
    }
    return buf_str(&out);
}

struct str list_item(struct arena *a, const struct command *c,
                     struct str word) {
    char q = c->sh.text.p[c->args_end]; /* the closing quote of the last item */
    return arena_printf(a, ", %c%.*s%c", q, STR_ARG(word), q);
}
