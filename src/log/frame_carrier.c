/* frame_carrier.c: frames of those who carry a log. None of them says
 * where a message of the program begins: they stand before every line. */
#include "log/frame.h"

#define JOB_LONGEST 128 /* with its step */

static bool done(struct frame *f, const struct cursor *c) {
    f->text = cursor_rest(c);
    return true;
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
    return n < s.n && n > 0 && is_any(s.p[n - 1], "-_.");
}

/* foreman's clock: "10:47:37 web.1   | " */
static void take_clock(struct cursor *c) {
    struct cursor try = *c;
    if (take_digits_and(&try, 2, ':') && take_digits_and(&try, 2, ':') &&
        take_digits_and(&try, 2, ' '))
        *c = try;
}

/* "name-1  | message"; a name of one's own needs the two blanks of padding.
 * pm2 puts a number before it: "0|name    | " */
bool frame_take_compose(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str name;
    take_clock(&c);
    if (cursor_digits(&c, 1, 4) && !cursor_char(&c, '|'))
        return false;
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

/* "May 20 10:47:37 host unit[123]: message", with "<13>" before it */
bool frame_take_syslog(struct frame *f) {
    struct cursor c = {f->text, 0};
    if (cursor_char(&c, '<') &&
        (!cursor_digits(&c, 1, 3) || !cursor_char(&c, '>')))
        return false;
    if (!take_day_and_time(&c))
        return false;
    if (cursor_char(&c, '.') && !cursor_digits(&c, 1, 6))
        return false;
    if (!cursor_char(&c, ' ') || !take_host_and_unit(f, &c, true))
        return false;
    return done(f, &c);
}

/* "<13>1 2024-05-20T10:47:37.123Z host unit 123 - - message": RFC 5424 */
bool frame_take_syslog_5424(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str time, host, unit, id;
    int64_t pid = -1;
    bool is_whole = cursor_char(&c, '<') && cursor_digits(&c, 1, 3) &&
                    cursor_text(&c, STR(">1 ")) &&
                    cursor_until(&c, " ", &time) && cursor_char(&c, ' ') &&
                    cursor_until(&c, " ", &host) && cursor_char(&c, ' ') &&
                    cursor_until(&c, " ", &unit) && cursor_char(&c, ' ');
    if (!is_whole || (!cursor_number(&c, &pid) && !cursor_char(&c, '-')) ||
        !cursor_char(&c, ' ') || !cursor_until(&c, " ", &id) ||
        !cursor_text(&c, STR(" -")))
        return false;
    cursor_char(&c, ' ');
    f->who.process = unit;
    f->who.pid = pid;
    return done(f, &c);
}

/* "<3>message": a priority and nothing else, as systemd and the kernel have it.
 * Facility and level together make less than 192. */
bool frame_take_priority(struct frame *f) {
    struct cursor c = {f->text, 0};
    int64_t priority;
    if (f->kinds != 0 || !cursor_char(&c, '<') ||
        !cursor_number(&c, &priority) || priority > 191 ||
        !cursor_char(&c, '>'))
        return false;
    return done(f, &c);
}

/* "job\tstep\t2024-05-20T10:47:37.1234567Z message": gh run view --log. */
bool frame_take_job(struct frame *f) {
    struct str head = str_slice(f->text, 0, JOB_LONGEST);
    struct cursor c = {head, str_find_char(head, '\t')};
    struct str job = str_slice(head, 0, c.at), step;
    bool is_whole = f->kinds == 0 && cursor_char(&c, '\t') &&
                    cursor_until(&c, "\t", &step) && cursor_char(&c, '\t');
    size_t time = c.at;
    c.text = f->text;
    if (!is_whole || !take_digits_and(&c, 4, '-') ||
        !take_digits_and(&c, 2, '-') || !take_digits_and(&c, 2, 'T'))
        return false;
    c.at = time;
    f->who.container = job;
    return done(f, &c);
}

/* What carriers put behind an ISO time: "app[web.1]: " (Heroku),
 * "{app=\"llm\"} " (logcli). */
static bool take_source(struct frame *f, struct cursor *c) {
    struct str name, inside;
    if (cursor_char(c, '{')) {
        if (!cursor_until(c, "}", &inside) || !cursor_text(c, STR("} ")) ||
            str_find(inside, STR("=\"")) == inside.n)
            return false;
        f->who.container = inside;
        return true;
    }
    if (!cursor_until(c, " \t[]():=\"", &name) || !cursor_char(c, '[') ||
        !cursor_until(c, " ]", &inside) || !cursor_char(c, ']') ||
        !cursor_text(c, STR(": ")) || !is_numbered(inside))
        return false;
    f->who.container = inside;
    return true;
}

/* fluentd's own file: "2024-05-20 10:47:37 +0000 kube.llm: {...}" */
static bool take_tag(struct frame *f, struct cursor *c) {
    struct str tag;
    if (!str_ends(f->text, STR("}")) || !cursor_until(c, " :={\"", &tag) ||
        !cursor_text(c, STR(": ")) || cursor_peek(c) != '{')
        return false;
    f->who.container = tag;
    return true;
}

/* "host unit[123]: message" after an ISO time: journalctl -o short-iso. */
bool frame_take_unit(struct frame *f) {
    struct cursor c = {f->text, 0};
    if (!f->has_stamp || f->who.process.n > 0)
        return false;
    if (!take_host_and_unit(f, &c, false)) {
        struct cursor tag = {f->text, 0};
        c.at = 0;
        if (f->who.container.n > 0)
            return false;
        if (!take_source(f, &c)) {
            c = tag;
            if (!take_tag(f, &c))
                return false;
        }
    }
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
