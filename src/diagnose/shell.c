/* shell.c: words, quotes, escapes, operators, redirections and comments.
 *
 *     A=b vllm serve "my m" \        > log 2>&1 | tee x   # why
 *     ^^^ ^^^^ ^^^^^ ^^^^^^ joined   ^^^^^ ^^^^ ^ ^^^ ^   ^^^^^
 *
 * An escape at the end of a line joins the next line only if that is indented,
 * begins with a dash or ends with an escape itself: in a log the next line may
 * have another writer. <name> is a placeholder word and no redirection.
 */
#include "diagnose/shell.h"

#include <string.h>

static char at_or_nul(struct str s, size_t i) {
    return i < s.n ? s.p[i] : '\0';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* ---- which shell ---- */

static bool ends_lines_with(struct str s, char c) {
    for (size_t i = 0; i < s.n; i++) {
        size_t next = i + 1 + (at_or_nul(s, i + 1) == '\r');
        if (s.p[i] == c && next < s.n && s.p[next] == '\n')
            return true;
    }
    return false;
}

static bool has_drive(struct str s) {
    for (size_t i = 0; i + 2 < s.n; i++) {
        bool begins = i == 0 || is_blank(s.p[i - 1]) || s.p[i - 1] == '"';
        if (begins && is_letter(s.p[i]) && s.p[i + 1] == ':' &&
            s.p[i + 2] == '\\')
            return true;
    }
    return false;
}

struct shell shell_of(struct str text) {
    bool is_power = ends_lines_with(text, '`');
    bool is_cmd = ends_lines_with(text, '^') || has_drive(text);
    return (struct shell){text, is_power ? '`' : is_cmd ? '^' : '\\'};
}

bool shell_is_windows(const struct shell *sh) {
    return sh->escape != '\\';
}

/* ---- between words ---- */

/* The length of an escape with its newline; 0: none is here. */
static size_t line_end_at(const struct shell *sh, size_t at) {
    size_t next = at + 1 + (at_or_nul(sh->text, at + 1) == '\r');
    bool is_end = at_or_nul(sh->text, at) == sh->escape &&
                  at_or_nul(sh->text, next) == '\n';
    return is_end ? next + 1 - at : 0;
}

static bool is_blank_from(struct str s, size_t at) {
    while (at < s.n && (is_blank(s.p[at]) || s.p[at] == '\n'))
        at++;
    return at == s.n;
}

static bool is_continued(const struct shell *sh, size_t at) {
    size_t end = at + str_find_char(str_slice(sh->text, at, sh->text.n), '\n');
    size_t last = end > at && sh->text.p[end - 1] == '\r' ? end - 1 : end;
    return end < sh->text.n && last > at && sh->text.p[last - 1] == sh->escape;
}

static size_t skip_blanks(const struct shell *sh, size_t at) {
    struct str s = sh->text;
    for (;;) {
        size_t joint = line_end_at(sh, at);
        char next = at_or_nul(s, at + joint);
        if (is_blank(at_or_nul(s, at)))
            at++;
        else if (joint > 0 && (is_blank(next) || next == '-' ||
                               is_continued(sh, at + joint) ||
                               is_blank_from(s, at + joint)))
            at += joint;
        else if (at_or_nul(s, at) == sh->escape && at + 1 == s.n)
            return s.n;
        else
            return at;
    }
}

/* ---- words ---- */

/* The end of a placeholder such as "<model>"; `at`: none is here. */
static size_t gap_end(struct str s, size_t at) {
    size_t i = at + 1;
    while (is_letter(at_or_nul(s, i)) || is_digit(at_or_nul(s, i)) ||
           is_any(at_or_nul(s, i), "_-/."))
        i++;
    bool is_gap = at_or_nul(s, at) == '<' && is_letter(at_or_nul(s, at + 1)) &&
                  at_or_nul(s, i) == '>';
    return is_gap ? i + 1 : at;
}

static bool is_quote(const struct shell *sh, char c) {
    return c == '"' || (c == '\'' && sh->escape != '^');
}

/* True for "$(" or a backtick: the result of that command is unknown. */
static bool is_command_inside(const struct shell *sh, size_t at) {
    char c = sh->text.p[at];
    return (c == '$' && at_or_nul(sh->text, at + 1) == '(') ||
           (c == '`' && sh->escape == '\\');
}

/* True if a word without quotes ends here. */
static bool ends_word(const struct shell *sh, size_t at) {
    char c = sh->text.p[at];
    if (c == sh->escape)
        return line_end_at(sh, at) > 0 || at + 1 == sh->text.n;
    return is_blank(c) || (is_any(c, "|&;<>()\n") &&
                           gap_end(sh->text, at) == at);
}

static size_t word_end(const struct shell *sh, size_t at, bool *is_odd) {
    struct str s = sh->text;
    char quote = 0;
    size_t i = at;
    for (; i < s.n && (quote || !ends_word(sh, i)); i++) {
        char c = s.p[i];
        if (c == sh->escape && quote != '\'')
            i++;
        else if (quote != '\'' && is_command_inside(sh, i))
            *is_odd = true;
        else if (quote)
            quote = c == quote ? '\0' : quote;
        else if (is_quote(sh, c))
            quote = c;
        else if (gap_end(s, i) > i)
            i = gap_end(s, i) - 1;
    }
    *is_odd = *is_odd || quote != 0;
    return i < s.n ? i : s.n;
}

/* ---- operators ---- */

/* The length of ">", "2>", "&>>" or ">&"; 0: none is here. *is_odd is set for
 * "<<" and ">(". */
static size_t arrow_at(struct str s, size_t at, bool *is_odd) {
    size_t i = at;
    while (is_digit(at_or_nul(s, i)))
        i++;
    if (i == at && at_or_nul(s, i) == '&' && at_or_nul(s, i + 1) == '>')
        i++;
    char first = at_or_nul(s, i);
    if ((first != '<' && first != '>') || gap_end(s, i) > i)
        return 0;
    char second = at_or_nul(s, i + 1);
    *is_odd = (first == '<' && second == '<') || second == '(';
    i += second == '>' || second == '&' || second == '|' ? 2 : 1;
    return i - at;
}

static struct shell_token redirect(const struct shell *sh, size_t at,
                                   size_t arrow, bool is_odd) {
    size_t target = skip_blanks(sh, at + arrow);
    size_t to = word_end(sh, target, &is_odd);
    is_odd = is_odd || to == target;
    return (struct shell_token){is_odd ? SHELL_ODD : SHELL_REDIRECT, at,
                                to > target ? to : at + arrow};
}

static size_t operator_at(struct str s, size_t at) {
    char c = at_or_nul(s, at), next = at_or_nul(s, at + 1);
    if (!is_any(c, "|&;()\n"))
        return 0;
    bool is_double = (c == next && is_any(c, "|&;")) ||
                     (c == '|' && next == '&');
    return is_double ? 2 : 1;
}

struct shell_token shell_next(const struct shell *sh, size_t at) {
    struct str s = sh->text;
    bool is_odd = false;
    at = skip_blanks(sh, at);
    if (at >= s.n)
        return (struct shell_token){SHELL_END, s.n, s.n};
    if (s.p[at] == '#' && sh->escape != '^') {
        size_t end = at + str_find_char(str_slice(s, at, s.n), '\n');
        return (struct shell_token){SHELL_COMMENT, at, end};
    }
    size_t n = arrow_at(s, at, &is_odd);
    if (n > 0)
        return redirect(sh, at, n, is_odd);
    n = operator_at(s, at);
    if (n > 0)
        return (struct shell_token){SHELL_OPERATOR, at, at + n};
    if (line_end_at(sh, at) > 0)
        return (struct shell_token){SHELL_CUT, at, s.n};
    size_t to = word_end(sh, at, &is_odd);
    return (struct shell_token){is_odd ? SHELL_ODD : SHELL_WORD, at, to};
}

struct str shell_text(const struct shell *sh, const struct shell_token *t) {
    return str_slice(sh->text, t->from, t->to - t->from);
}

struct str shell_unquoted(struct str s) {
    bool is_quoted = s.n >= 2 && s.p[0] == s.p[s.n - 1] &&
                     (s.p[0] == '\'' || s.p[0] == '"');
    return is_quoted ? str_slice(s, 1, s.n - 2) : s;
}

bool shell_is_assignment(struct str word) {
    size_t i = 0;
    while (is_upper(at_or_nul(word, i)) || at_or_nul(word, i) == '_' ||
           (i > 0 && is_digit(at_or_nul(word, i))))
        i++;
    return i > 0 && at_or_nul(word, i) == '=';
}
