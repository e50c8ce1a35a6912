/* frame_mark.c: what people and files put before the lines of a log that they
 * paste: "> " of mail, and the marks of comments.
 *
 *     # torch.OutOfMemoryError: CUDA out of     proved: nobody else writes this
 *     # memory. Tried to allocate 2.00 GiB      believed: the line before
 *                                               began with "# " as well
 *     |  0   N/A   4711   C   python  812MiB |  a table's row: left alone
 *
 * A mark alone proves nothing: a comment of code and an item of a list begin
 * so. What repeats on neighbouring lines is a prefix, whatever it was meant as.
 */
#include "log/frame.h"

static bool done(struct frame *f, const struct cursor *c) {
    f->text = cursor_rest(c);
    return true;
}

/* "> ", ">> ", "> > "; but ">>> " is Python's prompt. */
bool frame_take_quote(struct frame *f) {
    struct cursor c = {f->text, 0};
    if (!cursor_char(&c, '>'))
        return false;
    cursor_char(&c, '>');
    if (cursor_peek(&c) == '>')
        return false;
    if (!cursor_ends(&c) && !cursor_char(&c, ' '))
        return false;
    return done(f, &c);
}

/* "# GPU blocks: 123" is vLLM's own text. */
static bool is_block_count(struct str s) {
    struct cursor c = {s, 0};
    struct str word;
    return cursor_until(&c, " ", &word) && cursor_text(&c, STR(" blocks:"));
}

static bool has_frame(struct str s) {
    struct frame inner = {.text = s, .kinds = FRAME_QUOTE, .who = {.pid = -1}};
    frame_strip(&inner);
    return (inner.kinds & ~(unsigned)FRAME_QUOTE) != 0;
}

/* Behind "# ", which few write before anything but a comment or a log. */
static bool is_log_like(struct str s) {
    static const char *const signs[] = {"Traceback (most recent", "Error: ",
                                        "out of memory", "Out of memory"};
    if (str_starts(s, STR("  File \"")))
        return true;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (str_find(s, str_of(signs[i])) < s.n)
            return true;
    return has_frame(s);
}

/* Behind any other mark, which code, tables and lists begin with as well. */
static bool is_surely_log(struct str s) {
    return str_starts(s, STR("  File \"")) ||
           str_starts(s, STR("Traceback (most recent call last)")) ||
           frame_begins_with_error(s) || has_frame(s);
}

static const struct str marks[] = {
    {"#", 1},  {"//", 2}, {"--", 2}, {"*", 1},   {"|", 1},   {";", 1},
    {"%", 1},  {"!", 1},  {"::", 2}, {";;", 2},  {"///", 3}, {"rem", 3},
    {"REM", 3}, {"##", 2},
};

static bool may_be_mark(char c) {
    return !is_letter(c) || c == 'r' || c == 'R';
}

/* Behind blanks: of which the mark has some where a block is indented. */
static bool take_mark_itself(struct cursor *c, struct str *mark) {
    cursor_blanks(c);
    if (!may_be_mark(cursor_peek(c)))
        return false;
    for (size_t i = 0; c->at < MARK_MOST && i < sizeof marks / sizeof marks[0];
         i++) {
        struct cursor try = *c;
        bool is_whole = cursor_text(&try, marks[i]) &&
                        (cursor_ends(&try) || cursor_char(&try, ' '));
        if (is_whole) {
            *c = try;
            *mark = marks[i];
            return true;
        }
    }
    return false;
}

/* A table's row: "|  0  N/A  1234  C  python  812MiB |". Quoted, it has one
 * more bar. */
static bool is_row(struct str rest) {
    struct str row = str_trim(rest);
    return str_ends(row, STR("|")) && row.p[0] != '|' && row.p[0] != '+';
}

/* A mark that ends its line has no blank behind it. */
static struct str trimmed(struct str mark) {
    while (mark.n > 0 && mark.p[mark.n - 1] == ' ')
        mark.n--;
    return mark;
}

static uint64_t packed(struct str s) {
    uint64_t sum = s.n;
    for (size_t i = 0; i < s.n && i < MARK_MOST; i++)
        sum = sum << 8 | (unsigned char)s.p[i];
    return sum;
}

/* "# ", "// ", "rem ", "  | " before a log line in a comment; only ever the
 * outermost frame. What the line before began with as well is a mark; and so
 * is what stands before a line that only a program writes. */
bool frame_take_mark(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str mark;
    if (f->kinds != 0 || !take_mark_itself(&c, &mark))
        return false;
    struct str rest = cursor_rest(&c);
    bool is_hash = mark.p[0] == '#', is_bar = mark.p[0] == '|';
    bool is_indented = f->text.p[0] == ' ' || f->text.p[0] == '\t';
    if ((is_hash && is_block_count(rest)) || (is_bar && is_row(rest)))
        return false;
    f->mark = packed(trimmed(str_slice(f->text, 0, c.at)));
    bool is_believed = f->follows_mark == MARK_ANY ||
                       f->follows_mark == f->mark;
    bool is_proved = is_hash ? !is_indented && is_log_like(rest)
                             : (!is_indented || is_bar) && is_surely_log(rest);
    if (!is_believed && !is_proved) {
        f->may_follow = true;
        f->mark_columns = (uint32_t)c.at;
        return false;
    }
    return done(f, &c);
}
