/* frame_carrier.c: frames of those who carry or paste a log. None of them says
 * where a message of the program begins: they stand before every line. */
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

static bool is_log_like(struct str s) {
    static const char *const signs[] = {"Traceback (most recent", "Error: ",
                                        "out of memory", "Out of memory"};
    if (str_starts(s, STR("  File \"")))
        return true;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (str_find(s, str_of(signs[i])) < s.n)
            return true;
    struct frame inner = {.text = s, .kinds = FRAME_QUOTE, .who = {.pid = -1}};
    frame_strip(&inner);
    return (inner.kinds & ~(unsigned)FRAME_QUOTE) != 0;
}

/* "# " before a log line in a comment; only ever the outermost frame. */
bool frame_take_hash(struct frame *f) {
    struct cursor c = {f->text, 0};
    if (f->kinds != 0 || !cursor_char(&c, '#'))
        return false;
    if (!cursor_ends(&c) && !cursor_char(&c, ' '))
        return false;
    struct str rest = cursor_rest(&c);
    if (is_block_count(rest))
        return false;
    f->is_hash = true;
    if (!f->follows_hash && !is_log_like(rest))
        return false;
    return done(f, &c);
}

static bool take_digits_and(struct cursor *c, size_t digits, char then) {
    return cursor_digits(c, digits, digits) && cursor_char(c, then);
}

/* "2024-05-20T10:47:37.123456789Z stdout F message"; P: goes on. */
bool frame_take_cri(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str zone;
    bool has_time =
        take_digits_and(&c, 4, '-') && take_digits_and(&c, 2, '-') &&
        take_digits_and(&c, 2, 'T') && take_digits_and(&c, 2, ':') &&
        take_digits_and(&c, 2, ':') && cursor_digits(&c, 2, 2) &&
        cursor_until(&c, " ", &zone) && cursor_char(&c, ' ');
    if (!has_time)
        return false;
    bool is_stderr = cursor_text(&c, STR("stderr "));
    if (!is_stderr && !cursor_text(&c, STR("stdout ")))
        return false;
    bool is_partial = cursor_char(&c, 'P');
    if (!is_partial && !cursor_char(&c, 'F'))
        return false;
    if (!cursor_ends(&c) && !cursor_char(&c, ' '))
        return false;
    f->is_partial = is_partial;
    f->is_stderr = is_stderr;
    return done(f, &c);
}

/* "[pod/name/container] message" */
bool frame_take_kubectl(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str pod, container;
    bool is_whole = cursor_text(&c, STR("[pod/")) &&
                    cursor_until(&c, "/] ", &pod) && cursor_char(&c, '/') &&
                    cursor_until(&c, "] ", &container) && cursor_char(&c, ']');
    if (!is_whole)
        return false;
    cursor_char(&c, ' ');
    f->who.pod = pod;
    f->who.container = container;
    return done(f, &c);
}

static bool is_service_name(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool is_fine = (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' ||
                       c == '_' || c == '.';
        if (!is_fine)
            return false;
    }
    return s.n > 0 && s.p[0] >= 'a' && s.p[0] <= 'z';
}

/* Compose numbers its containers: "web-1", "web_1". */
static bool is_numbered(struct str s) {
    size_t n = s.n;
    while (n > 0 && is_digit(s.p[n - 1]))
        n--;
    return n < s.n && n > 0 && (s.p[n - 1] == '-' || s.p[n - 1] == '_');
}

/* "name-1  | message"; a name of one's own needs the two blanks of padding. */
bool frame_take_compose(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str name;
    if (!cursor_until(&c, " |", &name) || !is_service_name(name))
        return false;
    size_t blanks = cursor_blanks(&c);
    if (blanks == 0 || (blanks < 2 && !is_numbered(name)) ||
        !cursor_char(&c, '|'))
        return false;
    if (!cursor_ends(&c) && !cursor_char(&c, ' '))
        return false;
    f->who.container = name;
    return done(f, &c);
}

/* "host unit[123]: " or "host kernel: "; others only where the time before
 * was syslog's own (is_sure). */
static bool take_host_and_unit(struct frame *f, struct cursor *c,
                               bool is_sure) {
    struct str host, unit;
    int64_t pid = -1;
    if (!cursor_until(c, " \t[]():=\"", &host) || !cursor_char(c, ' ') ||
        !cursor_until(c, " \t[]\":", &unit))
        return false;
    if (cursor_char(c, '[') &&
        (!cursor_number(c, &pid) || !cursor_char(c, ']')))
        return false;
    if (pid < 0 && !is_sure && !str_eq(unit, STR("kernel")))
        return false;
    if (!cursor_char(c, ':') || (!cursor_ends(c) && !cursor_char(c, ' ')))
        return false;
    f->who.process = unit;
    if (pid >= 0)
        f->who.pid = pid;
    return true;
}

static bool take_month(struct cursor *c) {
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr",
                                         "May", "Jun", "Jul", "Aug",
                                         "Sep", "Oct", "Nov", "Dec"};
    for (size_t i = 0; i < sizeof months / sizeof months[0]; i++)
        if (cursor_text(c, str_of(months[i])))
            return true;
    return false;
}

static bool take_day_and_time(struct cursor *c) {
    if (!take_month(c) || cursor_blanks(c) == 0 || !cursor_digits(c, 1, 2) ||
        cursor_blanks(c) == 0)
        return false;
    return take_digits_and(c, 2, ':') && take_digits_and(c, 2, ':') &&
           cursor_digits(c, 2, 2);
}

/* "May 20 10:47:37 host unit[123]: message" */
bool frame_take_syslog(struct frame *f) {
    struct cursor c = {f->text, 0};
    if (!take_day_and_time(&c))
        return false;
    if (cursor_char(&c, '.') && !cursor_digits(&c, 1, 6))
        return false;
    if (!cursor_char(&c, ' ') || !take_host_and_unit(f, &c, true))
        return false;
    return done(f, &c);
}

/* "host unit[123]: message" after an ISO time: journalctl -o short-iso. */
bool frame_take_unit(struct frame *f) {
    struct cursor c = {f->text, 0};
    if (!f->has_stamp || f->who.process.n > 0 ||
        !take_host_and_unit(f, &c, false))
        return false;
    f->is_record = false;
    return done(f, &c);
}

/* "[12345.678901] message", "[Mon May 20 10:47:37 2024] message" */
bool frame_take_dmesg(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str day;
    if (!cursor_char(&c, '['))
        return false;
    cursor_blanks(&c);
    bool is_whole;
    if (is_digit(cursor_peek(&c)))
        is_whole = cursor_digits(&c, 1, 10) && cursor_char(&c, '.') &&
                   cursor_digits(&c, 6, 6);
    else
        is_whole = cursor_until(&c, " ]", &day) && day.n == 3 &&
                   cursor_char(&c, ' ') && take_day_and_time(&c) &&
                   cursor_char(&c, ' ') && cursor_digits(&c, 4, 4);
    if (!is_whole || !cursor_char(&c, ']'))
        return false;
    if (!cursor_ends(&c) && !cursor_char(&c, ' '))
        return false;
    return done(f, &c);
}
