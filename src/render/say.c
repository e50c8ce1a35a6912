/* say.c: keys and notes to words, in the language of this call. The words
 * stand in i18n/<lang>.yaml and reach us through the index. A text that is
 * missing in one language falls back to English, then to its key: a gap is
 * seen, never fatal. Facts in arguments become their labels. Nothing is
 * cleaned here; whoever writes does that. */
#include "base/limits.h"
#include "render/parts.h"

#include "base/utf8.h"

#define SUMMARY_CHARACTERS 280

/* Empty: no text has that key. */
static struct str text_of(const struct teller *t, const char *key) {
    struct str text = reader_message(t->r, t->lang, str_of(key));
    return text.n > 0 || t->lang == LANG_EN
               ? text
               : reader_message(t->r, LANG_EN, str_of(key));
}

struct str settled(struct arena *a, const struct buf *b) {
    if (!buf_ok(b))
        arena_raise(a, FAIL_MEMORY, "out of memory for a text of %zu bytes",
                    b->n);
    return arena_str(a, buf_str(b));
}

struct str said(const struct teller *t, const char *key) {
    struct str text = text_of(t, key);
    return text.n > 0 ? text : str_of(key);
}

/* "effort" + "flag" -> the text of "effort.flag", else "flag". */
static struct str said_member(const struct teller *t, const char *group,
                              const char *word) {
    struct str text =
        text_of(t, arena_printf(t->a, "%s.%s", group, word).p);
    return text.n > 0 ? text : str_of(word);
}

/* An argument, its facts by their labels, its list in this language. */
static void add_argument(const struct teller *t, struct str arg,
                         struct buf *out) {
    while (arg.n > 0) {
        enum fact_name name;
        struct str rest = str_from(arg, 1), after;
        struct str word = str_cut(rest, NOTE_FACT, &after);
        if (arg.p[0] == NOTE_AND) {
            buf_add(out, text_of(t, "report.and"));
        } else if (arg.p[0] == NOTE_FACT && fact_named(word, &name)) {
            buf_add(out, said_fact(t, name));
            rest = after;
        } else {
            buf_add_char(out, arg.p[0]);
        }
        arg = rest;
    }
}

/* Copy text to out with {0}..{5} replaced; a placeholder without an argument
 * gives nothing. */
static void fill(const struct teller *t, struct str text,
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
        if (which < count)
            add_argument(t, args[which], out);
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
    buf_init_in(&out, a, SENTENCE_BYTES_MAX);
    uint32_t prev = 0, cp = 0, next = 0;
    bool is_prev_wide = false;
    while (s.n > 0) {
        size_t n = utf8_next(s, &cp);
        struct str one = str_slice(s, 0, n);
        s = str_from(s, n);
        size_t next_n = utf8_next(s, &next);
        bool is_next_wide = utf8_width(str_slice(s, 0, next_n)) == 2;
        bool is_fold = cp == ' ' && ((is_prev_wide && is_next_wide) ||
                                     is_han_mark(prev));
        buf_add(&out, is_fold ? STR("") : one);
        prev = cp;
        is_prev_wide = utf8_width(one) == 2;
    }
    return settled(a, &out);
}

struct str said_with(const struct teller *t, const char *key,
                     const struct str args[], size_t count) {
    struct str text = text_of(t, key);
    struct buf out;
    bool has_label = false;
    buf_init_in(&out, t->a, SENTENCE_BYTES_MAX);
    fill(t, text, args, count, &out);
    buf_add(&out, text.n > 0 ? STR("") : str_of(key));
    for (size_t i = 0; i < count; i++) {
        has_label =
            has_label || str_find_char(args[i], NOTE_FACT) < args[i].n;
        if (text.n == 0) { /* a gap is seen, with what would fill it */
            buf_add_char(&out, ' ');
            add_argument(t, args[i], &out);
        }
    }
    return t->lang == LANG_ZH && has_label
               ? without_folds(t->a, buf_str(&out))
               : settled(t->a, &out);
}

struct str said_of(const struct teller *t, const char *key, struct str arg) {
    return arg.n > 0 ? SAID(t, key, arg) : arg;
}

struct str said_note(const struct teller *t, const struct note *n) {
    struct str args[NOTE_ARGS];
    for (size_t i = 0; i < n->count; i++)
        args[i] = amounts_said(t, n->arg[i]);
    return n->key != NULL ? said_with(t, n->key, args, n->count) : STR("");
}

struct str say(struct arena *a, struct reader *r, enum lang lang,
               const struct note *n) {
    return said_note(&(struct teller){.a = a, .r = r, .lang = lang}, n);
}

struct str said_word(const struct teller *t, enum vocabulary which,
                     int value) {
    struct str group = arena_lower(t->a, str_of(vocabulary_name(which)));
    return said_member(t, group.p, word_spelling(which, value));
}

struct str said_fact(const struct teller *t, enum fact_name name) {
    return said_member(t, "fact", fact_spelling(name));
}

struct str said_part(const struct teller *t, const char *part) {
    return said(t, arena_printf(t->a, "budget.%s", part).p);
}

struct str said_work(const struct teller *t, struct str work) {
    return text_of(t, arena_printf(t->a, "work.%.*s", STR_ARG(work)).p);
}

struct str said_severity(const struct teller *t, const struct entry *e) {
    bool is_open = e->severity == SEVERITY_warning &&
                   e->mechanism == MECHANISM_unspecified;
    const char *word = word_spelling(WORDS_SEVERITY, (int)e->severity);
    return said(t, is_open ? "report.unproven"
                           : arena_printf(t->a, "report.%s", word).p);
}

struct str said_text(const struct teller *t, const struct text *text) {
    struct str s = text->in[t->lang];
    if (s.n == 0)
        return text->in[LANG_EN];
    return t->lang == LANG_ZH ? without_folds(t->a, s) : s;
}

/* ---- several ---- */

struct words words_begin(const struct teller *t, struct str between) {
    struct words w = {.t = t, .between = between};
    buf_init_in(&w.out, t->a, SENTENCE_BYTES_MAX);
    return w;
}

struct words sentences_begin(const struct teller *t) {
    return words_begin(t, t->lang == LANG_ZH ? STR("") : STR(" "));
}

void words_add(struct words *w, struct str member) {
    if (member.n > 0)
        buf_add(&w->out, w->count++ > 0 ? w->between : STR(""));
    buf_add(&w->out, member);
}

struct str words_end(struct words *w) {
    return settled(w->t->a, &w->out);
}

struct str words_said(struct words *w, const char *key) {
    return said_of(w->t, key, words_end(w));
}

/* ---- of a report ---- */

/* At most limit characters of s on one line, an ellipsis where it was cut. */
static struct str shortened(struct arena *a, struct str s, size_t limit) {
    struct buf out;
    buf_init_in(&out, a, SENTENCE_BYTES_MAX);
    size_t count = 0;
    while (s.n > 0) {
        uint32_t cp = 0;
        size_t n = utf8_next(s, &cp);
        s = str_from(s, n);
        if (++count == limit && s.n > 0) {
            utf8_put(&out, 0x2026);
            break;
        }
        utf8_put(&out, cp == '\n' || cp == '\t' ? ' ' : cp);
    }
    return settled(a, &out);
}

struct str said_title(const struct teller *t, const struct finding *f) {
    return f->title.key ? said_note(t, &f->title)
                        : said_text(t, &f->entry->title);
}

/* What it is, then the numbers. */
struct str summary_of(struct arena *a, struct reader *r,
                      const struct report *rep, enum lang lang) {
    const struct teller t = {.a = a, .r = r, .lang = lang};
    struct str text = said_note(&t, &rep->summary);
    if (rep->finding_count > 0) {
        struct str both[] = {said_title(&t, &rep->findings[0]), text};
        text = text.n == 0 ? both[0] : said_with(&t, "report.summary", both, 2);
    } else if (text.n == 0) {
        text = text_of(&t, "report.nothing");
    }
    return shortened(a, text, SUMMARY_CHARACTERS);
}

/* How much there was to read. */
struct str said_read(const struct teller *t, const struct report *rep) {
    const char *key = rep->lines == 1 ? "report.read_one" : "report.read";
    return SAID(t, key, shown_count(t, (int64_t)rep->lines),
                shown_bytes(t, (int64_t)rep->bytes));
}

struct str said_gave_up(const struct teller *t, const struct report *rep) {
    const char *key = rep->gave_up_patterns == 1 ? "report.gave_up_one"
                                                 : "report.gave_up";
    return rep->gave_up_patterns > 0
               ? SAID(t, key, shown_count(t, (int64_t)rep->gave_up_line),
                      shown_count(t, (int64_t)rep->gave_up_patterns))
               : STR("");
}

/* A formula in the language of this call. Formulas are
 * written once, in English, where the numbers are (memory/); names of facts,
 * numbers and operators are the same in every language, and what is left is a
 * small set of words. Each stands in i18n under formula.*: the English text is
 * what is looked for, the other language's what is put there. Only whole words
 * count: the "free" of gpu_free stays. */
/* The longer come first. */
static const char *const words[] = {
    "formula.all_state",    "formula.then",
    "formula.state_all",    "formula.state_adapters", "formula.state_of",
    "formula.for_rest",     "formula.narrow_up_to",      "formula.lies_between",
    "formula.nothing_fixed", "formula.room_wanted",   "formula.still_to_come",
    "formula.short_by",
    "formula.that_failed",  "formula.when_narrow",       "formula.one_request",
    "formula.one_block",    "formula.compute_buffer", "formula.saved",
    "formula.log_line",     "formula.context_ranks",  "formula.layer_tuples",
    "formula.state",        "formula.non_torch",      "formula.at_least",
    "formula.at_most",      "formula.or_more",        "formula.kv_heads",
    "formula.of_others",    "formula.activations",    "formula.activation",
    "formula.gradients",    "formula.weights",        "formula.params",
    "formula.layers",       "formula.latent",         "formula.heads",
    "formula.cells",        "formula.tokens",         "formula.blocks",
    "formula.bytes",        "formula.bits",           "formula.about",
    "formula.fixed",        "formula.beside",         "formula.held",
    "formula.spare",        "formula.share",          "formula.free",
    "formula.graphs",       "formula.catalogue",      "formula.default",
    "formula.derived",      "formula.given",          "formula.log",
    "formula.unallocated",  "formula.ranks",          "formula.to"};

#define WORDS (sizeof words / sizeof words[0])

static bool is_of_word(char c) {
    return is_letter(c) || c == '_' || c == '-';
}

/* text[i..] begins with the whole word. */
static bool stands_at(struct str text, size_t i, struct str word) {
    bool begins = i == 0 || !is_of_word(text.p[i - 1]);
    size_t end = i + word.n;
    return word.n > 0 && begins && end <= text.n &&
           str_eq(str_slice(text, i, word.n), word) &&
           (end == text.n || !is_of_word(text.p[end]));
}

struct str said_formula(const struct teller *t, struct str formula) {
    struct teller english = *t;
    struct str from[WORDS], to[WORDS];
    struct buf out;
    english.lang = LANG_EN;
    formula = amounts_said(t, formula);
    if (t->lang == LANG_EN || formula.n == 0)
        return formula;
    for (size_t w = 0; w < WORDS; w++) {
        from[w] = said(&english, words[w]);
        to[w] = said(t, words[w]);
    }
    buf_init_in(&out, t->a, 64 * 1024);
    for (size_t i = 0; i < formula.n;) {
        size_t w = 0;
        while (w < WORDS && !stands_at(formula, i, from[w]))
            w++;
        if (w < WORDS) {
            buf_add(&out, to[w]);
            i += from[w].n;
        } else {
            buf_add_char(&out, formula.p[i++]);
        }
    }
    return settled(t->a, &out);
}
