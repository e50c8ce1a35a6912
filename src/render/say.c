/* say.c: keys and notes to words, in the language of this call. The words
 * stand in i18n/<lang>.yaml and reach us through the index. A text that is
 * missing in one language falls back to English, then to its key: a gap is
 * seen, never fatal. Facts in arguments become their labels. Nothing is
 * cleaned here; whoever writes does that. */
#include "render/parts.h"

#include "base/utf8.h"

#define SAID_MAX ((size_t)1 << 20)
#define SUMMARY_CHARACTERS 280

struct str say_key(struct reader *r, enum lang lang, const char *key) {
    struct str text = reader_message(r, lang, str_of(key));
    if (text.n == 0 && lang != LANG_EN) {
        text = reader_message(r, LANG_EN, str_of(key));
    }
    return text;
}

struct str settled(struct arena *a, const struct buf *b) {
    if (!buf_ok(b)) {
        arena_raise(a, FAIL_MEMORY, "out of memory for a text of %zu bytes",
                    b->n);
    }
    return arena_str(a, buf_str(b));
}

static struct str say_member(struct reader *r, enum lang lang,
                             const char *group, const char *word);

/* An argument, its facts by their labels, its list in this language. */
static void add_argument(struct reader *r, enum lang lang, struct str arg,
                         struct buf *out) {
    while (arg.n > 0) {
        enum fact_name name;
        struct str rest = str_slice(arg, 1, arg.n), after;
        struct str word = str_cut(rest, NOTE_FACT, &after);
        if (arg.p[0] == NOTE_AND) {
            buf_add(out, say_key(r, lang, "report.and"));
        } else if (arg.p[0] == NOTE_FACT && fact_named(word, &name)) {
            buf_add(out, say_member(r, lang, "fact", fact_spelling(name)));
            rest = after;
        } else {
            buf_add_char(out, arg.p[0]);
        }
        arg = rest;
    }
}

struct saying { /* who speaks to whom */
    struct reader *r;
    enum lang lang;
};

/* Copy text to out with {0}..{5} replaced; a placeholder without an argument
 * gives nothing. */
static void fill(const struct saying *to, struct str text,
                 const struct str *args, size_t count, struct buf *out) {
    for (size_t i = 0; i < text.n; i++) {
        bool is_placeholder = text.p[i] == '{' && i + 2 < text.n &&
                              text.p[i + 1] >= '0' && text.p[i + 1] <= '9' &&
                              text.p[i + 2] == '}';
        if (!is_placeholder) {
            buf_add_char(out, text.p[i]);
            continue;
        }
        size_t which = (size_t)(text.p[i + 1] - '0');
        if (which < count) {
            add_argument(to->r, to->lang, args[which], out);
        }
        i += 2;
    }
}

static bool is_han_mark(uint32_t cp) {
    return cp == 0x3001 || cp == 0x3002 || cp == 0xff0c || cp == 0xff1a ||
           cp == 0xff1b || cp == 0xff01 || cp == 0xff1f || cp == 0xff09;
}

/* A folded YAML line, and a label where a word might stand, leave a blank where
 * Chinese wants none: between two wide characters, after a full-width mark. */
static struct str without_folds(struct arena *a, struct str s) {
    struct buf out;
    buf_init_in(&out, a, SAID_MAX);
    uint32_t prev = 0, cp = 0, next = 0;
    bool is_prev_wide = false;
    while (s.n > 0) {
        size_t n = utf8_next(s, &cp);
        struct str one = str_slice(s, 0, n);
        s = str_slice(s, n, s.n);
        size_t next_n = utf8_next(s, &next);
        bool is_next_wide = utf8_width(str_slice(s, 0, next_n)) == 2;
        bool is_fold = cp == ' ' && ((is_prev_wide && is_next_wide) ||
                                     is_han_mark(prev));
        if (!is_fold) {
            buf_add(&out, one);
        }
        prev = cp;
        is_prev_wide = utf8_width(one) == 2;
    }
    return settled(a, &out);
}

static bool has_label(const struct str *args, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (str_find_char(args[i], NOTE_FACT) < args[i].n) {
            return true;
        }
    }
    return false;
}

static struct str filled(struct arena *a, struct reader *r, enum lang lang,
                         const char *key, const struct str *args,
                         size_t count) {
    struct str text = say_key(r, lang, key);
    struct buf out;
    buf_init_in(&out, a, SAID_MAX);
    if (text.n > 0) {
        fill(&(struct saying){r, lang}, text, args, count, &out);
    } else {
        buf_add(&out, str_of(key));
        for (size_t i = 0; i < count; i++) {
            buf_add_char(&out, ' ');
            add_argument(r, lang, args[i], &out);
        }
    }
    bool is_folded = lang == LANG_ZH && has_label(args, count);
    return is_folded ? without_folds(a, buf_str(&out)) : settled(a, &out);
}

struct str say(struct arena *a, struct reader *r, enum lang lang,
               const struct note *n) {
    if (n->key == NULL) {
        return STR("");
    }
    return filled(a, r, lang, n->key, n->arg, n->count);
}

static const char *vocabulary_name(enum vocabulary which) {
    switch (which) {
    case WORDS_MECHANISM: return "mechanism";
    case WORDS_SEVERITY: return "severity";
    case WORDS_ROLE: return "role";
    case WORDS_SCOPE: return "scope";
    case WORDS_BASIS: return "basis";
    case WORDS_CHANGE: return "change";
    case WORDS_RANGE_STATUS: return "range_status";
    case WORDS_RELATION: return "relation";
    case WORDS_EFFECT: return "effect";
    case WORDS_ACT_KIND: return "act_kind";
    case WORDS_STAGE: return "stage";
    case WORDS_EFFORT: return "effort";
    case WORDS_LOSES: return "loses";
    case WORDS_FREES: return "frees";
    case WORDS_STRENGTH: return "strength";
    case WORDS_RESTART: return "restart";
    }
    return "";
}

/* "effort" + "flag" -> the text of "effort.flag", else "flag". */
static struct str say_member(struct reader *r, enum lang lang,
                             const char *group, const char *word) {
    char key[96];
    struct str parts[] = {str_of(group), STR("."), str_of(word)};
    size_t n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (size_t k = 0; k < parts[i].n && n + 1 < sizeof key; k++) {
            key[n++] = parts[i].p[k];
        }
    }
    key[n] = '\0';
    struct str text = say_key(r, lang, key);
    return text.n > 0 ? text : str_of(word);
}

struct str say_word(struct reader *r, enum lang lang, enum vocabulary which,
                    int value) {
    const char *word = word_spelling(which, value);
    return say_member(r, lang, vocabulary_name(which), word);
}

/* At most limit characters of s on one line, an ellipsis where it was cut. */
static struct str shortened(struct arena *a, struct str s, size_t limit) {
    struct buf out;
    buf_init_in(&out, a, SAID_MAX);
    size_t count = 0;
    while (s.n > 0) {
        uint32_t cp = 0;
        size_t n = utf8_next(s, &cp);
        s = str_slice(s, n, s.n);
        if (++count == limit && s.n > 0) {
            utf8_put(&out, 0x2026);
            break;
        }
        utf8_put(&out, cp == '\n' || cp == '\t' ? ' ' : cp);
    }
    return settled(a, &out);
}

/* What it is, then the numbers. */
struct str summary_of(struct arena *a, struct reader *r,
                      const struct report *rep, enum lang lang) {
    struct str text = say(a, r, lang, &rep->summary);
    if (rep->finding_count > 0) {
        struct str both[] = {rep->findings[0].entry->title.in[lang], text};
        text = text.n == 0 ? both[0]
                           : filled(a, r, lang, "report.summary", both, 2);
    } else if (text.n == 0) {
        text = say_key(r, lang, "report.nothing");
    }
    return shortened(a, text, SUMMARY_CHARACTERS);
}

struct str said(const struct teller *t, const char *key) {
    struct str text = say_key(t->r, t->lang, key);
    return text.n > 0 ? text : str_of(key);
}

struct str said_severity(const struct teller *t, const struct entry *e) {
    bool is_open = e->severity == SEVERITY_warning &&
                   e->mechanism == MECHANISM_unspecified;
    const char *word = word_spelling(WORDS_SEVERITY, (int)e->severity);
    return said(t, is_open ? "report.unproven"
                           : arena_printf(t->a, "report.%s", word).p);
}

struct str said_note(const struct teller *t, const struct note *n) {
    return say(t->a, t->r, t->lang, n);
}

struct str said_word(const struct teller *t, enum vocabulary which,
                     int value) {
    return say_word(t->r, t->lang, which, value);
}

struct str said_fact(const struct teller *t, enum fact_name name) {
    return say_member(t->r, t->lang, "fact", fact_spelling(name));
}

struct str said_text(const struct teller *t, const struct text *text) {
    struct str s = text->in[t->lang];
    if (s.n == 0) {
        return text->in[LANG_EN];
    }
    return t->lang == LANG_ZH ? without_folds(t->a, s) : s;
}

struct str said_with(const struct teller *t, const char *key,
                     const struct str args[], size_t count) {
    return filled(t->a, t->r, t->lang, key, args, count);
}

struct words words_begin(const struct teller *t, struct str between) {
    struct words w = {.t = t, .between = between};
    buf_init_in(&w.out, t->a, SAID_MAX);
    return w;
}

void words_add(struct words *w, struct str member) {
    buf_add(&w->out, w->count++ > 0 ? w->between : STR(""));
    buf_add(&w->out, member);
}

struct str words_end(struct words *w) {
    return settled(w->t->a, &w->out);
}

struct str words_said(struct words *w, const char *key) {
    struct str words = words_end(w);
    return words.n > 0 ? said_with(w->t, key, &words, 1) : words;
}

/* How much there was to read. */
struct str said_read(const struct teller *t, const struct report *rep) {
    struct str size[] = {shown_number(t, UNIT_COUNT, (int64_t)rep->lines),
                         shown_number(t, UNIT_BYTES, (int64_t)rep->bytes)};
    const char *key = rep->lines == 1 ? "report.read_one" : "report.read";
    return said_with(t, key, size, 2);
}

struct str said_gave_up(const struct teller *t, const struct report *rep) {
    struct str counts[] = {
        shown_number(t, UNIT_COUNT, (int64_t)rep->gave_up_line),
        shown_number(t, UNIT_COUNT, (int64_t)rep->gave_up_patterns)};
    const char *key = rep->gave_up_patterns == 1 ? "report.gave_up_one"
                                                 : "report.gave_up";
    if (rep->gave_up_patterns == 0) {
        return STR("");
    }
    return said_with(t, key, counts, 2);
}
