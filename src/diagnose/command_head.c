/* command_head.c: parses a command up to the arguments of its program.
 *
 *   A=b sudo -E nohup srun -n 2 python -u train.py --lr 1 > log 2>&1 &
 *   ^ env             ^ owned   ^ program          ^ args ^ args_end ^ to
 *
 * Variables and programs that run another program are skipped by a table. It
 * says which options of theirs take a word of their own.
 */
#include "diagnose/command_parts.h"

#include <string.h>

struct wrapper {
    const char *name;
    const char *valued;    /* short options that take a word of their own */
    unsigned positional;   /* words before the program */
    bool long_takes_value; /* "--mem 100G" */
    bool env_behind;       /* NAME=value is inserted behind it */
};

static const struct wrapper wrappers[] = {
    {"nohup", "", 0, false, false},   {"exec", "a", 0, false, false},
    {"setsid", "", 0, false, false},  {"unbuffer", "", 0, false, false},
    {"command", "", 0, false, false}, {"time", "fo", 0, false, true},
    {"sudo", "ugCpRrThD", 0, false, true},
    {"env", "uCS", 0, false, false},  {"nice", "n", 0, false, false},
    {"ionice", "cnp", 0, false, false},
    {"chrt", "", 1, false, false},    {"taskset", "", 1, false, false},
    {"numactl", "NmCp", 0, false, false},
    {"stdbuf", "ioe", 0, false, false},
    {"timeout", "sk", 1, false, false},
    {"srun", "nNpctJwAGDoeqC", 0, true, false},
    {"mpirun", "nxH", 0, true, false},
    {"mpiexec", "nxH", 0, true, false},
};

/* Options without a word of their own, in wrappers and containers whose other
 * long options have one. */
static const char *const switches[] = {
    "--exclusive", "--pty", "--label", "--unbuffered", "--overlap",
    "--overcommit", "--verbose", "--quiet", "--allow-run-as-root",
    "--oversubscribe", "--rm", "--detach", "--interactive", "--tty",
    "--privileged", "--init", "--read-only", "--publish-all",
    "--no-healthcheck", "--oom-kill-disable", NULL,
};

struct head_parser {
    struct command *c;
    struct shell_token word; /* the current word */
    size_t stop;             /* offset where the program begins; SIZE_MAX:
                                unknown */
};

static struct str word_of(const struct head_parser *w) {
    return shell_unquoted(shell_text(&w->c->sh, &w->word));
}

static struct str base_name(struct str path) {
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/' || path.p[i - 1] == '\\')
            return str_slice(path, i, path.n);
    return path;
}

static bool next_word(struct head_parser *w, size_t at) {
    w->word = shell_next(&w->c->sh, at);
    return w->word.kind == SHELL_WORD;
}

static bool is_at_stop(const struct head_parser *w) {
    return w->word.from >= w->stop;
}

/* ---- options of wrappers ---- */

static bool takes_word(struct str option, const struct wrapper *it) {
    if (str_starts(option, STR("--")))
        return it->long_takes_value &&
               str_find_char(option, '=') == option.n &&
               !str_in(option, switches);
    bool is_short = option.n == 2 || (option.n == 3 && option.p[2] == 'p');
    return is_short && strchr(it->valued, option.p[1]) != NULL;
}

/* Skips options and their values. */
static bool skip_options(struct head_parser *w, const struct wrapper *it) {
    while (!is_at_stop(w) && str_starts(word_of(w), STR("-"))) {
        bool takes = takes_word(word_of(w), it);
        if (!next_word(w, w->word.to) ||
            (takes && !is_at_stop(w) && !next_word(w, w->word.to)))
            return false;
    }
    return true;
}

static bool skip_wrapper(struct head_parser *w, const struct wrapper *it) {
    bool is_slurm = strcmp(it->name, "srun") == 0;
    if (is_slurm)
        w->c->owned[OWNER_SLURM] = w->word.to;
    w->c->is_mpi = w->c->is_mpi || strncmp(it->name, "mpi", 3) == 0;
    if (!next_word(w, w->word.to) || !skip_options(w, it))
        return false;
    for (unsigned i = 0; i < it->positional && !is_at_stop(w); i++)
        if (!next_word(w, w->word.to))
            return false;
    if (it->env_behind)
        w->c->env = w->word.from;
    return true;
}

static const struct wrapper *wrapper_named(struct str name) {
    for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++)
        if (str_eq(name, str_of(wrappers[i].name)))
            return &wrappers[i];
    return NULL;
}

/* ---- containers ---- */

/* True for switches in one word, without a value: "-it", "-d". */
static bool is_cluster_of_switches(struct str option) {
    for (size_t i = 1; i < option.n; i++)
        if (strchr("ditPq", option.p[i]) == NULL)
            return false;
    return option.n > 1 && option.p[1] != '-';
}

static bool container_takes_word(struct str option) {
    if (str_starts(option, STR("--")))
        return str_find_char(option, '=') == option.n &&
               !str_in(option, switches);
    return option.n == 2 && !is_cluster_of_switches(option);
}

/* Skips from "docker" to the image. False: the command runs no container. */
static bool skip_container(struct head_parser *w) {
    struct head_parser at = *w;
    bool is_run = next_word(&at, at.word.to);
    if (is_run && str_eq(word_of(&at), STR("container")))
        is_run = next_word(&at, at.word.to);
    if (!is_run || !str_eq(word_of(&at), STR("run")))
        return false;
    w->c->owned[OWNER_CONTAINER] = at.word.to;
    is_run = next_word(&at, at.word.to);
    while (is_run && !is_at_stop(&at) && str_starts(word_of(&at), STR("-"))) {
        bool takes = container_takes_word(word_of(&at));
        is_run = next_word(&at, at.word.to) &&
                 (!takes || is_at_stop(&at) || next_word(&at, at.word.to));
    }
    w->word = at.word;
    return is_run;
}

/* ---- the program ---- */

/* The offset behind "train.py" or "-m module" of an interpreter or a
 * launcher. */
static size_t behind_script(struct head_parser *w) {
    struct head_parser at = *w;
    size_t args = w->word.to;
    while (next_word(&at, at.word.to)) {
        struct str word = word_of(&at);
        bool is_module = str_eq(word, STR("-m")) && next_word(&at, at.word.to);
        if (is_module && (str_starts(word_of(&at), STR("torch.distributed")) ||
                          str_starts(word_of(&at), STR("accelerate"))))
            w->c->owned[OWNER_TORCHRUN] = at.word.to;
        else if (is_module || str_ends(word, STR(".py")))
            return at.word.to;
    }
    return args;
}

/* Reads `-c "..."` of a shell: the quotes hold a command of their own. */
static void shell_read(struct head_parser *w) {
    struct head_parser at = *w;
    if (!next_word(&at, at.word.to))
        return;
    struct str option = word_of(&at);
    bool is_text = option.n > 1 && option.p[0] == '-' &&
                   str_ends(option, STR("c")) && next_word(&at, at.word.to);
    if (is_text && word_of(&at).n < at.word.to - at.word.from) {
        w->c->inner_from = at.word.from + 1;
        w->c->inner_to = at.word.to - 1;
        w->c->args = at.word.to;
    } else if (is_text) {
        w->c->args = SIZE_MAX; /* one word without quotes: no setting can be
                                  added to it */
    }
}

static void program_read(struct head_parser *w) {
    struct str name = base_name(word_of(w));
    w->c->program = w->word.from;
    w->c->args = w->word.to;
    if (str_eq(name, STR("torchrun")))
        w->c->owned[OWNER_TORCHRUN] = w->word.to;
    if (str_starts(name, STR("python")) ||
        STR_IS_ONE(name, "torchrun", "accelerate", "deepspeed"))
        w->c->args = behind_script(w);
    else if (STR_IS_ONE(name, "bash", "sh", "zsh", "dash", "ash", "fish"))
        shell_read(w);
}

/* Reads what stands behind an image: a command, or arguments of the image's own
 * command. */
static void image_read(struct head_parser *w) {
    struct head_parser next = *w;
    size_t image = w->word.from;
    w->c->program = image;
    w->c->args = w->word.to;
    if (next_word(&next, next.word.to) &&
        !str_starts(word_of(&next), STR("-"))) {
        program_read(&next);
        w->c->program = image;
    }
}

/* Parses from the first word up to the program. False: there is no program. */
static bool head_read(struct head_parser *w) {
    bool is_there = next_word(w, 0);
    w->c->env = w->word.from;
    while (is_there && !is_at_stop(w)) {
        struct str name = base_name(word_of(w));
        const struct wrapper *it = wrapper_named(name);
        if (shell_is_assignment(word_of(w))) {
            is_there = next_word(w, w->word.to);
        } else if (STR_IS_ONE(name, "docker", "podman", "nerdctl") &&
                   skip_container(w)) {
            image_read(w);
            return true;
        } else if (it != NULL) {
            is_there = skip_wrapper(w, it);
        } else {
            break;
        }
    }
    if (is_there)
        program_read(w);
    return is_there;
}

/* ---- text behind the arguments ---- */

static bool is_nothing_left(const struct shell *sh, size_t at) {
    struct shell_token t = shell_next(sh, at);
    while (t.kind == SHELL_OPERATOR && sh->text.p[t.from] == '\n')
        t = shell_next(sh, t.to);
    return t.kind == SHELL_END ||
           (t.kind == SHELL_COMMENT && is_nothing_left(sh, t.to));
}

/* Accepts "tee log" behind a pipe and "true" behind `||`; false for any other
 * command. */
static bool tail_command(struct command *c, size_t at, bool is_pipe) {
    struct shell_token t = shell_next(&c->sh, at);
    struct str word = shell_text(&c->sh, &t);
    bool is_known = is_pipe ? str_eq(word, STR("tee"))
                            : str_eq(word, STR("true")) ||
                                  str_eq(word, STR(":"));
    if (t.kind != SHELL_WORD || !is_known)
        return false;
    do {
        c->to = t.to;
        t = shell_next(&c->sh, t.to);
    } while (is_pipe && (t.kind == SHELL_WORD || t.kind == SHELL_REDIRECT));
    struct str op = shell_text(&c->sh, &t);
    if (t.kind == SHELL_OPERATOR && str_eq(op, STR("&")))
        c->to = t.to;
    return is_nothing_left(&c->sh, c->to);
}

static bool tail_read(struct command *c, const struct shell_token *t) {
    struct str op = shell_text(&c->sh, t);
    if (str_eq(op, STR("&")) && is_nothing_left(&c->sh, t->to)) {
        c->to = t->to;
        return true;
    }
    if (str_eq(op, STR(";")) || str_eq(op, STR("\n")))
        return is_nothing_left(&c->sh, t->to);
    bool is_pipe = str_eq(op, STR("|")) || str_eq(op, STR("|&"));
    return (is_pipe || str_eq(op, STR("||"))) &&
           tail_command(c, t->to, is_pipe);
}

/* Reads arguments and redirections up to the first operator or comment. False:
 * the command is not plain. */
static bool rest_read(struct command *c) {
    bool is_redirected = false;
    struct shell_token t = shell_next(&c->sh, c->args);
    c->args_end = c->to = c->args;
    while (t.kind == SHELL_WORD || t.kind == SHELL_REDIRECT) {
        if (str_eq(shell_text(&c->sh, &t), STR("--")))
            return false; /* no option may follow "--" */
        is_redirected = is_redirected || t.kind == SHELL_REDIRECT;
        c->args_end = is_redirected ? c->args_end : t.to;
        c->to = t.to;
        t = shell_next(&c->sh, t.to);
    }
    switch (t.kind) {
    case SHELL_END: return true;
    case SHELL_COMMENT: return is_nothing_left(&c->sh, t.to);
    case SHELL_OPERATOR: return tail_read(c, &t);
    case SHELL_WORD:
    case SHELL_REDIRECT:
    case SHELL_CUT:
    case SHELL_ODD: break;
    }
    return false;
}

/* ---- the whole command ---- */

bool argument_next(const struct command *c, size_t *at, struct argument *arg) {
    if (c->is_list)
        return list_next(c, at, arg);
    struct shell_token t = shell_next(&c->sh, *at);
    while (t.kind == SHELL_REDIRECT)
        t = shell_next(&c->sh, t.to);
    *arg = (struct argument){t.from, t.to};
    *at = t.to;
    return t.kind == SHELL_WORD;
}

/* The escape of one Windows shell is an operator in another one and on Linux.
 * So a command of Windows is plain only if it has no such characters. */
static bool is_plain_everywhere(const struct shell *sh) {
    struct str s = sh->text;
    for (size_t i = 0; i < s.n; i++) {
        bool ends_line = s.p[i] == sh->escape && i + 1 < s.n &&
                         (s.p[i + 1] == '\n' || s.p[i + 1] == '\r');
        if (!ends_line && strchr("`^;|&'", s.p[i]) != NULL)
            return false;
    }
    return true;
}

static struct command parse_until(struct str text, size_t stop) {
    struct command c = {.sh = shell_of(text), 
                        .is_list = str_starts(str_trim(text), STR("["))};
    struct head_parser w = {.c = &c, .stop = stop};
    if (c.is_list) {
        list_read(&c);
    } else if (head_read(&w)) {
        bool has_place = c.args != SIZE_MAX;
        c.is_plain = has_place && rest_read(&c);
        bool is_more = c.inner_to > 0 && c.args_end != c.args;
        c.is_plain = c.is_plain && !is_more &&
                     (!shell_is_windows(&c.sh) || is_plain_everywhere(&c.sh));
    }
    return c;
}

struct command command_parse(struct str text) {
    return parse_until(text, SIZE_MAX);
}

static bool is_word_at(const struct shell *sh, size_t at) {
    struct shell_token t = shell_next(sh, 0);
    while (t.kind == SHELL_WORD && t.from < at)
        t = shell_next(sh, t.to);
    return t.from == at && (t.kind == SHELL_WORD || t.kind == SHELL_ODD);
}

bool command_runs(struct str text, size_t program) {
    struct command c = parse_until(text, program);
    if (c.is_list)
        return false;
    if (c.inner_to > 0 && program >= c.inner_from && program < c.inner_to) {
        struct str inner = str_slice(text, c.inner_from,
                                     c.inner_to - c.inner_from);
        return command_runs(inner, program - c.inner_from);
    }
    return c.args > 0 && c.program <= program && program < c.args &&
           is_word_at(&c.sh, program);
}
