/* command_line.c: finds the command in a line of a log.
 *
 *     user@host:~$ A=b nohup /opt/bin/vllm serve m --port 1 > log 2>&1 &
 *                  ^ begins            ^ the program was found here
 *     {"cmd": "vllm serve m --port 1", "pid": 12}
 *              ^ begins              ^ ends
 *
 * The command includes what runs the program: variables, nohup, a container's
 * runner, a shell's -c. It does not include a prompt, a time of day or prose.
 * Quotes or brackets right before the command belong to the line.
 */
#include "diagnose/command_parts.h"

#include "base/limits.h"

/* The program was found by its name. Its path begins here. */
static size_t path_begin(struct str line, size_t at) {
    if (at == 0 || !is_any(line.p[at - 1], "/\\"))
        return at;
    while (at > 0 && !is_any(line.p[at - 1], " \t\n\"'`(=|&;<>"))
        at--;
    return at;
}

/* The first word such that everything from it up to the program runs the
 * program. */
static size_t first_word(struct str line, size_t program) {
    size_t most = COMMAND_FRONT_BYTES_MAX;
    size_t at = program > most ? program - most : 0;
    for (; at < program; at++) {
        bool begins = at == 0 || is_any(line.p[at - 1], " \t\n\"'`(");
        if (begins && !is_any(line.p[at], " \t\n\"'`(") &&
            command_runs(str_slice(line, at, line.n), program - at))
            return at;
    }
    return program;
}

/* The offset of the closing quote; rest.n: there is none, or the text has
 * escaped quotes. */
static size_t quote_end(struct str rest, char quote) {
    for (size_t i = 0; i < rest.n; i++) {
        if (rest.p[i] == '\\' && i + 1 < rest.n && rest.p[i + 1] == quote)
            return rest.n;
        if (rest.p[i] == quote)
            return i;
    }
    return rest.n;
}

static size_t bracket_end(struct str rest) {
    struct shell sh = shell_of(rest);
    struct shell_token t = shell_next(&sh, 0);
    while (t.kind != SHELL_END && t.kind != SHELL_ODD && t.kind != SHELL_CUT) {
        if (t.kind == SHELL_OPERATOR && rest.p[t.from] == ')') {
            bool is_last = str_trim(str_slice(rest, t.to, rest.n)).n == 0;
            return is_last ? t.from : rest.n;
        }
        t = shell_next(&sh, t.to);
    }
    return rest.n;
}

/* True if the command continues on a line that cmd.exe or PowerShell joins. The
 * log's text does not hold that line. */
static bool is_cut_short(struct str command) {
    return str_ends(command, STR("^")) || str_ends(command, STR("`"));
}

/* The end of the command: an escape at the end of a line that continues
 * nothing, else the end of the text. */
static size_t joined_end(struct str text) {
    struct shell sh = shell_of(text);
    struct shell_token t = shell_next(&sh, 0);
    while (t.kind != SHELL_END && t.kind != SHELL_ODD && t.kind != SHELL_CUT)
        t = shell_next(&sh, t.to);
    return t.kind == SHELL_CUT ? t.from : text.n;
}

/* The offset of the Chinese prose behind a command: a full-width mark outside
 * of quotes. */
static size_t prose_begin(struct str text) {
    static const char *const marks[] = {"，", "。", "；", "：", "（", "、"};
    struct shell sh = shell_of(text);
    struct shell_token t = shell_next(&sh, 0);
    for (; t.kind == SHELL_WORD; t = shell_next(&sh, t.to)) {
        struct str word = shell_text(&sh, &t);
        size_t end = word.n;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            size_t at = str_find(word, str_of(marks[i]));
            end = at < end ? at : end;
        }
        bool is_quoted = str_find_char(word, '"') < word.n ||
                         str_find_char(word, '\'') < word.n;
        if (end < word.n && !is_quoted)
            return t.from + end;
    }
    return text.n;
}

bool command_in_line(struct str line, size_t program, struct str *command) {
    size_t from = first_word(line, path_begin(line, program));
    struct str rest = str_slice(line, from, line.n);
    rest = str_slice(rest, 0, prose_begin(rest));
    char before = from > 0 ? line.p[from - 1] : ' ';
    bool is_enclosed = is_any(before, "\"'`(");
    size_t end = joined_end(rest);
    bool is_whole = end == rest.n;
    if (is_enclosed) {
        size_t close = before == '(' ? bracket_end(rest)
                                     : quote_end(rest, before);
        is_whole = close < rest.n;
        end = is_whole ? close : end;
    }
    *command = str_trim(str_slice(rest, 0, end));
    return is_whole && !is_cut_short(*command);
}
