/* message.c: the texts of keys and notes, in the language of the answer. They
 * come from i18n/<lang>.yaml, through the index. A text that is missing in one
 * language is replaced by the English one, or by its key. Facts in arguments
 * become their labels. Nothing is cleaned here: walkers do that. */
#include "base/limits.h"
#include "render/parts.h"

#include "base/utf8.h"

#define SUMMARY_CHARACTERS 280

/* The text of a key; empty: there is none. */
static struct str text_of(const struct render *t, const char *key) {
    struct str text = reader_message(t->r, t->lang, str_of(key));
    return text.n > 0 || t->lang == LANG_EN
               ? text
               : reader_message(t->r, LANG_EN, str_of(key));
}

struct str kept_text(struct arena *a, const struct buf *b) {
    buf_check(b, "a text of the answer");
    return arena_str(a, buf_str(b));
}

struct str tr(const struct render *t, const char *key) {
    struct str text = text_of(t, key);
    return text.n > 0 ? text : str_of(key);
}

/* "effort" + "flag" -> the text of "effort.flag", else "flag". */
static struct str member_text(const struct render *t, const char *group,
                              const char *word) {
    struct str text = text_of(t, arena_printf(t->a, "%s.%s", group, word).p);
    return text.n > 0 ? text : str_of(word);
}

/* Writes an argument: facts by their labels, lists with the language's
 * "and". */
static void add_argument(const struct render *t, struct str arg,
                         struct buf *out) {
    while (arg.n > 0) {
        enum fact_name name;
        struct str rest = str_from(arg, 1), after;
        struct str word = str_cut(rest, NOTE_FACT, &after);
        if (arg.p[0] == NOTE_AND) {
            buf_add(out, text_of(t, "report.and"));
        } else if (arg.p[0] == NOTE_FACT && fact_named(word, &name)) {
            buf_add(out, label_text(t, name));
            rest = after;
        } else {
            buf_add_char(out, arg.p[0]);
        }
        arg = rest;
    }
}

/* Writes a text with {0} to {9} replaced; a placeholder without an argument is
 * left out. */
static void fill(const struct render *t, struct str text,
                 const struct str *args, size_t count, struct buf *out) {
    for (size_t i = 0; i < text.n; i++) {
        bool is_placeholder = text.p[i] == '{' && i + 2 < text.n &&
                              is_digit(text.p[i + 1]) && text.p[i + 2] == '}';
        size_t which = is_placeholder ? (size_t)(text.p[i + 1] - '0') : count;
        if (!is_placeholder)
            buf_add_char(out, text.p[i]);
        else if (which < count)
            add_argument(t, args[which], out);
        i += is_placeholder ? 2 : 0;
    }
}

static bool is_han_mark(uint32_t cp) {
    return cp == 0x3001 || cp == 0x3002 || cp == 0xff0c || cp == 0xff1a ||
           cp == 0xff1b || cp == 0xff01 || cp == 0xff1f || cp == 0xff09;
}

/* The text without the blanks that a folded YAML line or a label leaves, but
 * Chinese has not: between two wide characters, behind a full-width mark. */
static struct str without_folds(struct arena *a, struct str s) {
    struct buf out = buf_in(a, SENTENCE_BYTES_MAX);
    struct utf8_char prev = {0};
    for (size_t at = 0; at < s.n; at += prev.n) {
        struct utf8_char c = utf8_char_at(s, at);
        struct utf8_char next = utf8_char_at(s, at + c.n);
        bool is_fold = c.cp == ' ' &&
                       ((prev.columns == 2 && next.columns == 2) ||
                        is_han_mark(prev.cp));
        buf_add(&out, is_fold ? STR("") : str_slice(s, at, c.n));
        prev = c;
    }
    return kept_text(a, &out);
}

struct str tr_args(const struct render *t, const char *key,
                   const struct str args[], size_t count) {
    struct str text = text_of(t, key);
    bool has_label = false;
    struct buf out = buf_in(t->a, SENTENCE_BYTES_MAX);
    fill(t, text, args, count, &out);
    buf_add(&out, text.n > 0 ? STR("") : str_of(key));
    for (size_t i = 0; i < count; i++) {
        has_label = has_label || str_find_char(args[i], NOTE_FACT) < args[i].n;
        if (text.n == 0) { /* the key, then the arguments */
            buf_add_char(&out, ' ');
            add_argument(t, args[i], &out);
        }
    }
    return t->lang == LANG_ZH && has_label
               ? without_folds(t->a, buf_str(&out))
               : kept_text(t->a, &out);
}

struct str tr_if(const struct render *t, const char *key, struct str arg) {
    return arg.n > 0 ? TR(t, key, arg) : arg;
}

struct str note_text(const struct render *t, const struct note *n) {
    struct str args[NOTE_ARGS];
    for (size_t i = 0; i < n->count; i++)
        args[i] = amounts_text(t, n->arg[i]);
    return n->key != NULL ? tr_args(t, n->key, args, n->count) : STR("");
}

struct str say(struct arena *a, struct reader *r, enum lang lang,
               const struct note *n) {
    return note_text(&(struct render){.a = a, .r = r, .lang = lang}, n);
}

struct str word_text(const struct render *t, enum vocabulary which, int value) {
    struct str group = arena_lower(t->a, str_of(vocabulary_name(which)));
    return member_text(t, group.p, word_spelling(which, value));
}

struct str label_text(const struct render *t, enum fact_name name) {
    return member_text(t, "fact", fact_spelling(name));
}

struct str part_label(const struct render *t, const char *part) {
    return tr(t, arena_printf(t->a, "budget.%s", part).p);
}

struct str work_text(const struct render *t, struct str work) {
    return text_of(t, arena_printf(t->a, "work.%.*s", STR_ARG(work)).p);
}

struct str severity_text(const struct render *t, const struct entry *e) {
    bool is_open = e->severity == SEVERITY_warning &&
                   e->mechanism == MECHANISM_unspecified;
    const char *word = word_spelling(WORDS_SEVERITY, (int)e->severity);
    return tr(t, is_open ? "report.unproven"
                           : arena_printf(t->a, "report.%s", word).p);
}

struct str localized(const struct render *t, const struct text *text) {
    struct str s = text->in[t->lang];
    if (s.n == 0)
        return text->in[LANG_EN];
    return t->lang == LANG_ZH ? without_folds(t->a, s) : s;
}

/* ---- lists ---- */

struct words words_begin(const struct render *t, struct str between) {
    struct words w = {.t = t, .between = between};
    w.out = buf_in(t->a, SENTENCE_BYTES_MAX);
    return w;
}

struct words sentences_begin(const struct render *t) {
    return words_begin(t, t->lang == LANG_ZH ? STR("") : STR(" "));
}

void words_add(struct words *w, struct str member) {
    if (member.n > 0)
        buf_add(&w->out, w->count++ > 0 ? w->between : STR(""));
    buf_add(&w->out, member);
}

struct str words_end(struct words *w) {
    return kept_text(w->t->a, &w->out);
}

struct str words_into(struct words *w, const char *key) {
    return tr_if(w->t, key, words_end(w));
}

/* ---- a report ---- */

/* The text on one line, cut with an ellipsis behind SUMMARY_CHARACTERS. */
static struct str shortened(struct arena *a, struct str s) {
    struct buf out = buf_in(a, SENTENCE_BYTES_MAX);
    for (size_t count = 1; s.n > 0; count++) {
        struct utf8_char c = utf8_char_at(s, 0);
        s = str_from(s, c.n);
        if (count == SUMMARY_CHARACTERS && s.n > 0) {
            utf8_put(&out, 0x2026);
            break;
        }
        utf8_put(&out, c.cp == '\n' || c.cp == '\t' ? ' ' : c.cp);
    }
    return kept_text(a, &out);
}

struct str title_text(const struct render *t, const struct finding *f) {
    return f->title.key ? note_text(t, &f->title)
                        : localized(t, &f->entry->title);
}

struct str summary_of(struct arena *a, struct reader *r,
                      const struct report *rep, enum lang lang) {
    const struct render t = {.a = a, .r = r, .lang = lang};
    struct str text = note_text(&t, &rep->summary);
    if (rep->finding_count > 0) {
        struct str both[] = {title_text(&t, &rep->findings[0]), text};
        text = text.n == 0 ? both[0] : tr_args(&t, "report.summary", both, 2);
    } else if (text.n == 0) {
        text = text_of(&t, "report.nothing");
    }
    return shortened(a, text);
}

struct str input_text(const struct render *t, const struct report *rep) {
    const char *key = rep->lines == 1 ? "report.read_one" : "report.read";
    return TR(t, key, count_text(t, (int64_t)rep->lines),
              bytes_text(t, (int64_t)rep->bytes));
}

struct str gave_up_text(const struct render *t, const struct report *rep) {
    const char *key = rep->gave_up_patterns == 1 ? "report.gave_up_one"
                                                 : "report.gave_up";
    if (rep->gave_up_patterns == 0)
        return STR("");
    return TR(t, key, count_text(t, (int64_t)rep->gave_up_line),
              count_text(t, (int64_t)rep->gave_up_patterns));
}

/* ---- formulas ----
 *
 * memory/ writes formulas in English. Facts, numbers and operators are the same
 * in all languages; the other words are in i18n under formula.*. The English
 * text is searched for and replaced by that of the language. Only whole words
 * count, so the "free" of gpu_free stays. Longer texts come first. */
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

/* True if the whole word stands at byte i. */
static bool stands_at(struct str text, size_t i, struct str word) {
    bool begins = i == 0 || !is_of_word(text.p[i - 1]);
    size_t end = i + word.n;
    return word.n > 0 && begins && end <= text.n &&
           str_eq(str_slice(text, i, word.n), word) &&
           (end == text.n || !is_of_word(text.p[end]));
}

struct str formula_text(const struct render *t, struct str formula) {
    struct render english = *t;
    struct str from[WORDS], to[WORDS];
    english.lang = LANG_EN;
    formula = amounts_text(t, formula);
    if (t->lang == LANG_EN || formula.n == 0)
        return formula;
    for (size_t w = 0; w < WORDS; w++) {
        from[w] = tr(&english, words[w]);
        to[w] = tr(t, words[w]);
    }
    struct buf out = buf_in(t->a, 64 * 1024);
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
    return kept_text(t->a, &out);
}
