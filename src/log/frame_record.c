/* frame_record.c: the time, level and place that a program's logger puts
 * before a message. They go; a rank among them (SGLang's "TP0") is kept in the
 * stream. A name of file and line goes only where it belongs to a prefix that
 * is repeated on each line (vLLM's) or follows a level in brackets.
 */
#include "log/frame.h"

#define LEVEL(text) {text, sizeof text - 1}

static const struct str levels[] = {
    LEVEL("DEBUG"), LEVEL("INFO"),     LEVEL("WARNING"),
    LEVEL("WARN"),  LEVEL("ERROR"),    LEVEL("CRITICAL"),
    LEVEL("FATAL"), LEVEL("TRACE"),    LEVEL("NOTICE"),
};

static bool take_level(struct cursor *c) {
    if (!is_any(cursor_peek(c), "DIWECFTN"))
        return false;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct cursor try = *c;
        if (cursor_text(&try, levels[i]) && !is_word(cursor_peek(&try))) {
            *c = try;
            return true;
        }
    }
    return false;
}

static bool done(struct frame *f, const struct cursor *c) {
    f->text = cursor_rest(c);
    f->is_record = true;
    return true;
}

struct stamp {
    bool has_t, has_zone;
    size_t fraction_digits;
};

static bool take_clock(struct cursor *c) {
    return cursor_digits(c, 2, 2) && cursor_char(c, ':') &&
           cursor_digits(c, 2, 2) && cursor_char(c, ':') &&
           cursor_digits(c, 2, 2);
}

static bool take_zone(struct cursor *c) {
    if (cursor_char(c, 'Z') || cursor_text(c, STR(" UTC")))
        return true;
    struct cursor try = *c;
    cursor_char(&try, ' ');
    if (!cursor_any(&try, "+-") || !cursor_digits(&try, 2, 2))
        return false;
    cursor_char(&try, ':');
    if (!cursor_digits(&try, 2, 2))
        return false;
    *c = try;
    return true;
}

static bool take_date(struct cursor *c) {
    if (!cursor_digits(c, 4, 4) || !cursor_any(c, "-/") ||
        !cursor_digits(c, 2, 2) || !cursor_any(c, "-/"))
        return false;
    return cursor_digits(c, 2, 2);
}

/* "2024-05-20 10:47:37,123", "2024-05-20T10:47:37.123456Z" */
static bool take_time(struct cursor *c, struct stamp *s) {
    *s = (struct stamp){0};
    if (!take_date(c))
        return false;
    s->has_t = cursor_peek(c) == 'T';
    if (!cursor_any(c, "T -") || !take_clock(c))
        return false;
    struct cursor try = *c;
    if (cursor_any(&try, ".,")) {
        size_t from = try.at;
        if (cursor_digits(&try, 1, 9)) {
            s->fraction_digits = try.at - from;
            *c = try;
        }
    }
    s->has_zone = take_zone(c);
    return true;
}

/* A carrier's clock: it stamps every line, so a record it is not. */
static bool is_carriers(const struct stamp *s) {
    return s->has_t && s->has_zone && s->fraction_digits > 6;
}

static void note_stamp(struct frame *f, const struct stamp *s) {
    bool was_record = f->is_record;
    f->has_stamp = true;
    f->is_record = was_record || !is_carriers(s);
}

bool frame_take_stamp(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct stamp s;
    if (!is_digit(cursor_peek(&c)) || !take_time(&c, &s))
        return false;
    if (!cursor_ends(&c) && !cursor_any(&c, " \t") &&
        !cursor_text(&c, STR(": ")))
        return false;
    f->text = cursor_rest(&c);
    note_stamp(f, &s);
    return true;
}

/* SGLang: " TP0", " DP0 TP1 EP1" before the bracket. */
static bool take_places(struct cursor *c, struct stream *who) {
    size_t from = c->at + 1;
    while (cursor_char(c, ' ')) {
        struct str name;
        int64_t number;
        size_t start = c->at;
        while (is_letter(cursor_peek(c)) || cursor_peek(c) == '_')
            c->at++;
        name = str_slice(c->text, start, c->at - start);
        if (!str_ends(name, STR("P")) || name.n > 12 ||
            !cursor_number(c, &number))
            return false;
        if (str_eq(name, STR("TP")))
            who->rank = number;
    }
    if (c->at > from)
        who->process = str_slice(c->text, from, c->at - from);
    return true;
}

/* TensorRT-LLM: "05/20/2024-10:47:37" */
static bool take_american_time(struct cursor *c, struct stamp *s) {
    *s = (struct stamp){0};
    return cursor_digits(c, 2, 2) && cursor_char(c, '/') &&
           cursor_digits(c, 2, 2) && cursor_char(c, '/') &&
           cursor_digits(c, 4, 4) && cursor_char(c, '-') && take_clock(c);
}

bool frame_take_stamp_in_brackets(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct stream who = f->who;
    struct stamp s;
    if (!cursor_char(&c, '[') || !is_digit(cursor_peek(&c)))
        return false;
    struct cursor try = c;
    if (!take_time(&try, &s)) {
        try = c;
        if (!take_american_time(&try, &s))
            return false;
    }
    if (!take_places(&try, &who) || !cursor_char(&try, ']'))
        return false;
    if (!cursor_ends(&try) && !cursor_char(&try, ' ') &&
        cursor_peek(&try) != '[')
        return false;
    f->who = who;
    f->text = cursor_rest(&try);
    note_stamp(f, &s);
    return true;
}

/* "W0520 10:47:37.123456  4711 file.cc:12] message": file and line stay. */
bool frame_take_glog(struct frame *f) {
    struct cursor c = {f->text, 0};
    bool is_whole = cursor_any(&c, "IWEF") && cursor_digits(&c, 4, 4) &&
                    cursor_char(&c, ' ') && take_clock(&c) &&
                    cursor_char(&c, '.') && cursor_digits(&c, 3, 9) &&
                    cursor_blanks(&c) > 0;
    if (!is_whole)
        return false;
    struct cursor try = c;
    if (cursor_digits(&try, 1, 10) && cursor_blanks(&try) > 0)
        c = try;
    return done(f, &c);
}

/* "ERROR 06-30 13:53:19 [core.py:515] " or, older, "INFO 01-11 15:51:18
 * llm_engine.py:275] ": on every line of a record, and before tracebacks whose
 * indentation must stay. */
bool frame_take_vllm(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str source;
    bool is_whole = take_level(&c) && cursor_char(&c, ' ') &&
                    cursor_digits(&c, 2, 2) && cursor_char(&c, '-') &&
                    cursor_digits(&c, 2, 2) && cursor_char(&c, ' ') &&
                    take_clock(&c) && cursor_char(&c, ' ');
    if (!is_whole)
        return false;
    cursor_char(&c, '[');
    if (!cursor_until(&c, " ]", &source) || !cursor_char(&c, ']') ||
        str_find_char(source, ':') == source.n)
        return false;
    f->prefix = str_slice(c.text, 0, c.at);
    f->repeats_surely = true;
    if (!cursor_ends(&c) && !cursor_char(&c, ' '))
        return false;
    return done(f, &c);
}

static bool take_logger_name(struct cursor *c) {
    size_t from = c->at;
    while (is_word(cursor_peek(c)) || cursor_peek(c) == '.')
        c->at++;
    return c->at > from;
}

/* "INFO:     message" (uvicorn), "ERROR:name:message" (Python's root),
 * "INFO 2024-..." and "[INFO|file.py:12] 2024-... >> " before a time. */
bool frame_take_level(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str place;
    if (cursor_char(&c, '[')) {
        if (!take_level(&c) || !cursor_char(&c, '|') ||
            !cursor_until(&c, "] ", &place) || !cursor_text(&c, STR("] ")))
            return false;
        f->has_stamp = true;
        return done(f, &c);
    }
    if (!take_level(&c))
        return false;
    struct cursor time = c;
    struct stamp s;
    if (cursor_char(&time, ' ') && take_time(&time, &s)) {
        cursor_char(&c, ' ');
        return done(f, &c);
    }
    if (!cursor_char(&c, ':'))
        return false;
    if (cursor_blanks(&c) >= 3)
        return done(f, &c);
    if (!take_logger_name(&c) || !cursor_char(&c, ':') ||
        cursor_peek(&c) == ':')
        return false;
    return done(f, &c);
}

/* "- name - ERROR - ", "- ERROR - " */
static bool take_dashed_level(struct cursor *c) {
    struct str name;
    if (!cursor_text(c, STR("- ")))
        return false;
    struct cursor try = *c;
    if (take_level(&try) && cursor_text(&try, STR(" - "))) {
        *c = try;
        return true;
    }
    return cursor_until(c, " ", &name) && cursor_text(c, STR(" - ")) &&
           take_level(c) && cursor_text(c, STR(" - "));
}

/* "| ERROR    | module:function:12 - " */
static bool take_barred_level(struct cursor *c) {
    struct str place;
    if (!cursor_text(c, STR("| ")) || !take_level(c))
        return false;
    cursor_blanks(c);
    return cursor_text(c, STR("| ")) && cursor_until(c, " ", &place) &&
           cursor_text(c, STR(" - "));
}

/* "[ERROR] ", "[  INFO ] " */
static bool take_bracketed_level(struct cursor *c) {
    if (!cursor_char(c, '['))
        return false;
    cursor_blanks(c);
    if (!take_level(c))
        return false;
    cursor_blanks(c);
    if (!cursor_char(c, ']'))
        return false;
    cursor_char(c, ' ');
    return true;
}

/* "ERROR message", "ERROR: message", ">> message" */
static bool take_plain_level(struct cursor *c) {
    if (cursor_text(c, STR(">> ")))
        return true;
    cursor_blanks(c);
    if (!take_level(c))
        return false;
    cursor_char(c, ':');
    return cursor_blanks(c) > 0;
}

bool frame_take_level_after_stamp(struct frame *f) {
    static bool (*const forms[])(struct cursor *) = {
        take_dashed_level, take_barred_level, take_bracketed_level,
        take_plain_level,
    };
    if (!f->has_stamp || f->has_level)
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct cursor c = {f->text, 0};
        if (forms[i](&c)) {
            f->has_level = true;
            return done(f, &c);
        }
    }
    return false;
}

/* "[engine.py:12:step] " after a time or level. */
bool frame_take_source(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str file;
    if (!f->has_stamp || !cursor_char(&c, '[') ||
        !cursor_until(&c, ":] ", &file) || !cursor_char(&c, ':') ||
        str_find_char(file, '.') == file.n || !cursor_digits(&c, 1, 6))
        return false;
    if (cursor_char(&c, ':')) {
        struct str function;
        if (!cursor_until(&c, "] ", &function))
            return false;
    }
    if (!cursor_text(&c, STR("] ")))
        return false;
    return done(f, &c);
}

/* "time=2024-... level=INFO source=... msg=...": the rest are the message's
 * own pairs. */
bool frame_take_logfmt(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct str time, level;
    bool is_whole = cursor_text(&c, STR("time=")) &&
                    cursor_until(&c, " ", &time) &&
                    cursor_text(&c, STR(" level=")) &&
                    cursor_until(&c, " ", &level) && cursor_char(&c, ' ');
    return is_whole && done(f, &c);
}
