/* pattern_text.c: translates a pattern into the text that PCRE2 compiles.
 *
 *     To serve \((?<max_model_len>(?&int))\), 5\x20GiB
 *       |     |                   |          |   |
 *       \s+   \s+                 its        \s+ unchanged
 *                                 meaning
 *
 * A run of blanks outside classes and escapes matches any run of blanks and
 * line ends. A quantifier behind it is kept (" ?" is \s*). Inside a lookbehind,
 * where lengths are fixed, it matches one blank. A macro is replaced by its
 * meaning, so that neither PCRE2 nor literals.c sees a subroutine call.
 *
 * Syntax with another meaning of blanks, or that the other files of match/
 * would have to understand, too, is refused: (?x), (*VERBS), since (*ACCEPT)
 * could end a match before its literal, quoted text (\Q), conditions, callouts
 * and comments. */
#include "base/limits.h"
#include "match/pattern_tree.h"

static const struct macro {
    const char *call, *meaning;
} macros[] = {
#define MACRO(name, meaning) {"(?&" #name ")", meaning},
#include "match/macros.def"
#undef MACRO
};

struct preparation {
    struct arena *a;
    struct str in;
    size_t at;
    char *text;
    uint32_t *place;
    size_t n, text_cap, place_cap;
    size_t depth, lookbehind; /* depth of the outermost lookbehind, 0: none */
    struct pattern_error *error;
};

static void put_char(struct preparation *p, char c, size_t place) {
    p->text = arena_grow(p->a, p->text, p->n, &p->text_cap, 1);
    p->place = arena_grow(p->a, p->place, p->n, &p->place_cap,
                          sizeof *p->place);
    p->text[p->n] = c;
    p->place[p->n++] = (uint32_t)place;
}

static void put_text(struct preparation *p, const char *text, size_t place) {
    for (; *text; text++)
        put_char(p, *text, place);
}

static void copy_to(struct preparation *p, size_t end) {
    for (; p->at < end && p->at < p->in.n; p->at++)
        put_char(p, p->in.p[p->at], p->at);
}

static bool refuse(struct preparation *p, size_t at, const char *why) {
    *p->error = (struct pattern_error){at, str_of(why)};
    return false;
}

static struct str rest_of(const struct preparation *p) {
    return str_slice(p->in, p->at, p->in.n);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t pattern_class_end(struct str s, size_t at) {
    size_t i = at + 1;
    if (i < s.n && s.p[i] == '^')
        i++;
    if (i < s.n && s.p[i] == ']') /* a first ']' is a member */
        i++;
    while (i < s.n && s.p[i] != ']') {
        if (s.p[i] == '\\') {
            i += 2;
        } else if (s.p[i] == '[' && i + 1 < s.n && s.p[i + 1] == ':') {
            size_t end = i + 2 + str_find(str_slice(s, i + 2, s.n), STR(":]"));
            i = end < s.n ? end + 2 : i + 1;
        } else {
            i++;
        }
    }
    return i < s.n ? i + 1 : s.n;
}

size_t pattern_options(struct str s, size_t at, struct str *on) {
    size_t i = at + 2;
    if (!str_starts(str_slice(s, at, 2), STR("(?")))
        return 0;
    if (i < s.n && s.p[i] == '^')
        i++;
    size_t from = i;
    while (i < s.n && str_find_char(STR("imnsxJU"), s.p[i]) < 7)
        i++;
    *on = str_slice(s, from, i - from);
    if (i < s.n && s.p[i] == '-')
        for (i++; i < s.n && str_find_char(STR("imnsxJU"), s.p[i]) < 7;)
            i++;
    return i < s.n && (s.p[i] == ')' || s.p[i] == ':') ? i : 0;
}

/* A run of blanks; the quantifier behind it, if any, is its last blank's. */
static void put_blanks(struct preparation *p) {
    size_t start = p->at, run = 0;
    while (p->at < p->in.n && is_blank(p->in.p[p->at])) {
        p->at++;
        run++;
    }
    char next = p->at < p->in.n ? p->in.p[p->at] : '\0';
    const char *one = p->lookbehind ? "\\s" : "\\s+";
    if (next == '?' || next == '*' || next == '+') {
        put_text(p, next == '+' || run > 1 ? "\\s+" : "\\s*", start);
        p->at++;
    } else if (next == '{') {
        put_text(p, "(?:", start);
        put_text(p, one, start);
        put_char(p, ')', start);
    } else {
        put_text(p, one, start);
    }
}

static bool put_macro(struct preparation *p) {
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++) {
        struct str call = str_of(macros[i].call);
        if (!str_starts(rest_of(p), call))
            continue;
        put_text(p, macros[i].meaning, p->at);
        p->at += call.n;
        return true;
    }
    return false;
}

static bool put_group(struct preparation *p) {
    static const char *const refused[] = {"(*", "(?#", "(?(", "(?C"};
    struct str rest = rest_of(p), on;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (str_starts(rest, str_of(refused[i])))
            return refuse(p, p->at, "(*VERBS), conditions, callouts and "
                                    "comments are left out of patterns here");
    if (put_macro(p))
        return true;
    if (pattern_options(p->in, p->at, &on) &&
        str_find_char(on, 'x') < on.n)
        return refuse(p, p->at, "(?x) is left out: a blank in a pattern "
                                "matches blanks");
    p->depth++;
    bool is_lookbehind =
        str_starts(rest, STR("(?<=")) || str_starts(rest, STR("(?<!"));
    if (is_lookbehind && !p->lookbehind)
        p->lookbehind = p->depth;
    copy_to(p, p->at + 1);
    return true;
}

static void close_group(struct preparation *p) {
    if (p->lookbehind == p->depth)
        p->lookbehind = 0;
    if (p->depth > 0)
        p->depth--;
    copy_to(p, p->at + 1);
}

static bool put_next(struct preparation *p) {
    char c = p->in.p[p->at];
    if (str_starts(rest_of(p), STR("\\Q")))
        return refuse(p, p->at, "\\Q is left out: escape each character");
    if (c == '\\')
        copy_to(p, p->at + 2);
    else if (c == '[')
        copy_to(p, pattern_class_end(p->in, p->at));
    else if (c == '(')
        return put_group(p);
    else if (c == ')')
        close_group(p);
    else if (is_blank(c))
        put_blanks(p);
    else
        copy_to(p, p->at + 1);
    return true;
}

/* True if the pattern has bytes beyond ASCII, or escapes for such characters.
 */
static bool needs_utf(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80)
            return true;
    return str_find(s, STR("\\x{")) < s.n || str_find(s, STR("\\p")) < s.n ||
           str_find(s, STR("\\P")) < s.n || str_find(s, STR("\\N{")) < s.n;
}

bool pattern_text_prepare(struct arena *a, struct str original,
                          struct pattern_text *out,
                          struct pattern_error *error) {
    while (original.n && original.p[original.n - 1] == '\n')
        original.n--; /* the end of a YAML block */
    struct preparation p = {.a = a, .in = original, .error = error};
    if (original.n > PATTERN_TEXT_MAX)
        return refuse(&p, PATTERN_TEXT_MAX, "longer than 16 KiB");
    if (original.n == 0)
        return refuse(&p, 0, "empty");
    while (p.at < p.in.n)
        if (!put_next(&p))
            return false;
    size_t n = p.n;
    put_char(&p, '\0', original.n);
    *out = pattern_text_prepared(a, (struct str){p.text, n},
                                 needs_utf(original));
    out->place = p.place;
    return true;
}

struct pattern_text pattern_text_prepared(struct arena *a, struct str text,
                                          bool needs_utf) {
    return (struct pattern_text){
        .text = text, .needs_utf = needs_utf,
        .tree = pattern_tree_read(a, text, needs_utf)};
}
