/* frame_label.c: labels that somebody puts before every line, and that alone
 * prove nothing:
 *
 *     3: RuntimeError: CUDA out of memory.        srun --label
 *     node7: [rank0]: Traceback (most recent ...  pdsh, as DeepSpeed calls it
 *     serve-6c9 main   File "x.py", line 3        stern
 *     train.log:812:torch.OutOfMemoryError: ...   grep -n
 *
 * "3: " may as well begin an item of a list, and "node7: " a sentence. So a
 * label has to stand before what nobody but a program begins a line with; then
 * its kind is believed for the lines that follow, for a while (reader.c).
 *
 * It refuses to learn labels by their text alone: a line's meaning must be
 * found out by what stands near, wherever reading begins.
 */
#include "log/frame.h"

#define NAME_LONGEST 63
#define LABEL_LONGEST 160 /* before its first blank */
#define BAR_WORDS 4
#define BLANKS_MOST 7 /* before a number that is set to the right */

/* ---- proof ---- */

/* "CUDA error: ", "fatal error: ", "error: " */
static bool begins_with_plain_error(struct str s) {
    size_t at = str_find(str_slice(s, 0, NAME_LONGEST), STR("rror: "));
    struct str name = str_slice(s, 0, at);
    struct str rest = str_slice(name, str_find_char(name, ' '), name.n);
    return at + 6 < s.n && at > 0 && is_any(s.p[at - 1], "eE") &&
           str_find_char(str_slice(rest, 1, rest.n), ' ') + 1 >= rest.n &&
           str_find_char(name, '|') == name.n;
}

/* "torch.OutOfMemoryError: ", "RuntimeError: " */
bool frame_begins_with_error(struct str s) {
    if (begins_with_plain_error(s))
        return true;
    size_t n = 0;
    while (n < s.n && n < NAME_LONGEST && (is_word(s.p[n]) || s.p[n] == '.'))
        n++;
    struct str name = str_slice(s, 0, n);
    return (str_ends(name, STR("Error")) || str_ends(name, STR("Exception"))) &&
           is_letter(s.p[0]) && str_starts(str_slice(s, n, 2), STR(": "));
}

/* A text that nobody but a program begins with. */
static bool is_unmistakable(struct str s) {
    struct cursor c = {s, 0};
    bool is_indented = cursor_blanks(&c) >= 2;
    if ((is_indented && cursor_text(&c, STR("File \""))) ||
        starts_with(s, STR("Traceback (most recent call last)")) ||
        starts_with(s, STR("slurmstepd: error:")) ||
        frame_begins_with_error(s))
        return true;
    struct frame inner = {.text = s, .has_label = true, .kinds = FRAME_WHO,
                          .who = {.rank = -1, .pid = -1}};
    frame_strip(&inner);
    return (inner.kinds & FRAME_RECORD) != 0 || inner.who.rank >= 0 ||
           inner.who.pid >= 0;
}

/* ---- the kinds ---- */

/* Of a machine or a pod: with a digit, which few words have. */
static bool take_name(struct cursor *c, struct str *name) {
    size_t from = c->at;
    bool has_digit = false;
    for (;; c->at++) {
        char here = cursor_peek(c);
        bool is_part = (here >= 'a' && here <= 'z') || is_digit(here) ||
                       here == '-' || here == '.';
        if (!is_part || c->at - from > NAME_LONGEST)
            break;
        has_digit = has_digit || is_digit(here);
    }
    *name = cursor_since(c, from);
    return has_digit && name->n <= NAME_LONGEST;
}

static bool take_rank(struct cursor *c, struct stream *who) {
    int64_t rank;
    cursor_blanks(c);
    if (c->at > 4 || !cursor_number(c, &rank) || rank > 99999 ||
        !cursor_text(c, STR(": ")))
        return false;
    who->rank = rank;
    return true;
}

static bool take_host(struct cursor *c, struct stream *who) {
    return take_name(c, &who->pod) && cursor_text(c, STR(": "));
}

/* A blank behind the label, but not the two of "[3]:  File". */
static void take_own_blank(struct cursor *c) {
    struct cursor behind = *c;
    if (cursor_blanks(&behind) != 2)
        cursor_char(c, ' ');
}

/* "[3] ", "[3]:", "[proc 3] ", "[worker3]:", "[node7:3]: " */
static bool take_bracket(struct cursor *c, struct stream *who) {
    struct str inside;
    if (!cursor_char(c, '[') || !cursor_until(c, "[]\"'(,/=", &inside) ||
        !cursor_char(c, ']') || inside.n > NAME_LONGEST)
        return false;
    if (cursor_char(c, ':'))
        take_own_blank(c);
    else if (!cursor_char(c, ' '))
        return false;
    size_t n = inside.n;
    while (n > 0 && is_digit(inside.p[n - 1]))
        n--;
    if (!str_to_int(str_slice(inside, n, inside.n), &who->rank))
        return false;
    who->process = str_slice(inside, 0, n);
    return true;
}

/* Without the bar at its end, and blanks before that. */
static size_t trimmed_end(struct str s, size_t end) {
    while (end > 0 && is_any(s.p[end - 1], " |"))
        end--;
    return end;
}

/* One word of "pod worker | ": letters, digits and what joins them. */
static bool take_bar_word(struct cursor *c) {
    size_t from = c->at;
    while (is_word(cursor_peek(c)) || is_any(cursor_peek(c), "-./:#@"))
        c->at++;
    return c->at > from && c->at - from <= NAME_LONGEST;
}

/* "node7 | ", "pod worker | ", "a | b | " */
static bool take_bar(struct cursor *c, struct stream *who) {
    size_t end = 0;
    for (int i = 0; i < BAR_WORDS && take_bar_word(c); i++) {
        struct cursor bar = *c;
        cursor_blanks(&bar);
        bool has_bar = bar.at > c->at && cursor_char(&bar, '|') &&
                       (cursor_ends(&bar) || cursor_char(&bar, ' '));
        if (has_bar)
            end = bar.at;
        if (!has_bar && !cursor_char(c, ' '))
            break;
        if (has_bar)
            *c = bar;
    }
    c->at = end;
    if (end > 0)
        who->container = str_slice(c->text, 0, trimmed_end(c->text, end));
    return end > 0;
}

/* stern: the pod's name ends with what Kubernetes made up. */
static bool take_two(struct cursor *c, struct stream *who) {
    struct str container;
    if (!take_name(c, &who->pod) ||
        str_find_char(who->pod, '-') == who->pod.n || !cursor_char(c, ' ') ||
        !cursor_until(c, " :=(),\"'/|", &container) || !cursor_char(c, ' '))
        return false;
    who->container = container;
    return true;
}

/* torchx: the role, and the replica's number */
static bool take_slash(struct cursor *c, struct stream *who) {
    struct str role;
    if (!is_letter(cursor_peek(c)) || !cursor_until(c, " /:.=(\"'", &role) ||
        !cursor_char(c, '/') || !cursor_number(c, &who->rank))
        return false;
    who->process = role;
    return cursor_char(c, ' ');
}

/* Of the line, by an editor, cat -n or grep -n. */
static bool take_number(struct cursor *c, struct stream *who) {
    (void)who;
    cursor_blanks(c);
    if (c->at > BLANKS_MOST || !cursor_digits(c, 1, 7))
        return false;
    if (cursor_char(c, ':'))
        return !is_digit(cursor_peek(c));
    return cursor_char(c, '\t') || cursor_text(c, STR(" | ")) ||
           cursor_text(c, STR("| ")) || cursor_text(c, STR("  "));
}

/* grep: "logs/train.log:", and the line's number */
static bool take_file(struct cursor *c, struct stream *who) {
    static const char *const ends[] = {".log", ".txt", ".out", ".err"};
    struct str name;
    if (!cursor_until(c, " :\t\"'(=", &name) || !cursor_char(c, ':'))
        return false;
    bool is_log = false;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        is_log = is_log || str_ends(name, str_of(ends[i]));
    struct cursor number = *c;
    if (cursor_digits(&number, 1, 9) && cursor_char(&number, ':'))
        *c = number;
    who->container = name;
    return is_log;
}

/* "Jan  2 ", which moreutils' ts puts before its clock. */
static void take_day(struct cursor *c) {
    struct cursor try = *c;
    struct str month;
    if (cursor_until(&try, " ", &month) && month.n == 3 &&
        cursor_blanks(&try) > 0 && cursor_digits(&try, 1, 2) &&
        cursor_char(&try, ' '))
        *c = try;
}

static bool take_clock(struct cursor *c, struct stream *who) {
    (void)who;
    take_day(c);
    bool is_in_brackets = cursor_char(c, '[');
    if (!cursor_digits(c, 2, 2) || !cursor_char(c, ':') ||
        !cursor_digits(c, 2, 2) || !cursor_char(c, ':') ||
        !cursor_digits(c, 2, 2))
        return false;
    if (cursor_any(c, ".,") && !cursor_digits(c, 1, 6))
        return false;
    return (!is_in_brackets || cursor_char(c, ']')) && cursor_char(c, ' ');
}

/* aws logs tail, behind its time: "serve/main/0123456789abcdef " */
static bool take_log_stream(struct cursor *c, struct stream *who) {
    struct str name;
    if (!is_letter(cursor_peek(c)) || !cursor_until(c, " \"'(=:", &name) ||
        str_find_char(name, '/') == name.n || !cursor_char(c, ' '))
        return false;
    who->container = name;
    return true;
}

typedef bool (*take_fn)(struct cursor *c, struct stream *who);

static const struct label_reader {
    enum frame_label kind;
    take_fn take;
} readers[] = {
    {LABEL_CLOCK, take_clock},     {LABEL_RANK, take_rank},
    {LABEL_HOST, take_host},       {LABEL_BRACKET, take_bracket},
    {LABEL_BAR, take_bar},         {LABEL_TWO, take_two},
    {LABEL_SLASH, take_slash},     {LABEL_NUMBER, take_number},
    {LABEL_FILE, take_file},       {LABEL_LOG_STREAM, take_log_stream},
};

static bool take_one(struct frame *f, const struct label_reader *r) {
    struct cursor c = {f->text, 0};
    struct stream who = f->who;
    if (!r->take(&c, &who))
        return false;
    struct str rest = cursor_rest(&c);
    bool is_sure = is_unmistakable(rest);
    bool is_believed = f->follows_label &&
                       (f->label == LABEL_ANY || f->label == r->kind);
    if (r->kind == LABEL_BAR) {
        f->bar = str_hash(str_slice(f->text, 0, c.at));
        is_believed = is_believed || f->follows_bar == BAR_ANY ||
                      f->follows_bar == f->bar;
    }
    if (!is_sure && !is_believed) {
        f->may_follow = true;
        return false;
    }
    f->is_sure_label = is_sure;
    f->has_label = true;
    f->label = r->kind;
    f->who = who;
    f->text = rest;
    return true;
}

/* Most lines begin with a word that holds neither. */
static bool may_be_label(struct str s) {
    size_t i = 0;
    while (i < s.n && i <= BLANKS_MOST && (s.p[i] == ' ' || s.p[i] == '\t'))
        i++;
    if (i > 0)
        return i < s.n && is_digit(s.p[i]);
    for (; i < s.n && i < LABEL_LONGEST && s.p[i] != ' '; i++)
        if (is_digit(s.p[i]) || s.p[i] == ':' || s.p[i] == '/')
            return true;
    struct str head = str_slice(s, 0, NAME_LONGEST);
    return i == 3 /* a month */ || str_find_char(head, '|') < head.n;
}

bool frame_take_label(struct frame *f) {
    bool is_behind_record = (f->kinds & FRAME_RECORD) != 0;
    if (f->has_label || f->has_level ||
        (is_behind_record && !f->has_stamp) ||
        (!may_be_label(f->text) && f->text.p[0] != '['))
        return false;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        bool is_log_stream = readers[i].kind == LABEL_LOG_STREAM;
        if (is_log_stream == is_behind_record && take_one(f, &readers[i]))
            return true;
    }
    return false;
}
