/* growth.c: finds patterns whose work grows faster than the text. Texts:
 *
 *     its literals and other words, repeated     api_server api_server ...
 *     the same, each without its last byte       api_serve api_serve ...
 *     its sample, and parts of it, repeated      on one line, and on many
 *
 * In these texts most places can begin a match and none can end it. A pattern
 * with linear work does as much at one place of such a text, however long the
 * text is. A pattern that scans the rest of a line from each occurrence of its
 * word does twice as much there if the line is twice as long. So only searches
 * that begin in two of the units are run, and their steps (steps.h) are divided
 * by the bytes that they advanced.
 *
 *     unit | unit | unit | unit ...... unit       so many, and twice as many
 *          |<- begin ->|
 *
 * Steps are counted behind repeats. A text without the characters that lead to
 * the first repeat needs no search. For nearly all others a short text decides:
 * one scan of its rest for each unit is already more than PLAIN_STEPS a byte.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "match/pattern_tree.h"
#include "match/written.h"

#define REPEATS 500
#define TEXT_MAX (8 * 1024) /* bytes of the shorter text, unless it has ... */
#define FIRST_REPEATS 10    /* ... so many units or fewer */
#define BEGIN_UNITS 2
#define PLAIN_STEPS 5    /* a byte: no text was scanned again and again */
#define GROWTH_TENTHS 13 /* ratio of steps a byte on twice the text: refused */
#define STEPS_MOST 640   /* a byte: too many even without growth */
#define SAMPLE_PARTS 4
#define FRONT_MAX 32 /* bytes; more change nothing */

/* Plain characters that a text needs to lead to a step. */
struct front {
    char text[FRONT_MAX];
    size_t n;
};

struct trial {
    struct arena *a;
    struct matcher *m;
    struct pattern_text pattern;
    struct regex *r;
    struct front *fronts;
    size_t front_count, front_cap;
    struct str_list tried; /* units */
    size_t tried_cap;
    struct buf text, unit;
    struct pattern_growth *worst;
};

/* Steps of searches, and the bytes that they advanced. */
struct step_rate {
    uint64_t steps, bytes;
};

static struct str repeated(struct trial *t, struct str unit, size_t count) {
    buf_clear(&t->text);
    for (size_t i = 0; i < count; i++)
        buf_add(&t->text, unit);
    return buf_str(&t->text);
}

/* Runs all searches that begin before `end`. */
static void search_until(struct trial *t, struct search *search, size_t end) {
    struct text_range range;
    search->latest = end - 1;
    while (search->from < end && regex_find(t->m, t->r, search, &range))
        search->from = range.to > range.from ? range.to : range.to + 1;
    search->from = search->from > end ? search->from : end;
}

/* The work of the units behind the first one, since some work is done only once
 * at the beginning of the text. If the search gives up: all work. */
static struct step_rate rate_on(struct trial *t, struct str unit,
                                size_t count) {
    struct search search = {.subject = repeated(t, unit, count)};
    uint64_t all = regex_steps(t->m), steps = all;
    size_t begin = 0;
    search_until(t, &search, unit.n);
    if (!regex_gave_up(t->m)) {
        steps = regex_steps(t->m);
        begin = search.from;
        search_until(t, &search, (1 + BEGIN_UNITS) * unit.n);
    }
    if (!regex_gave_up(t->m))
        return (struct step_rate){regex_steps(t->m) - steps,
                                  search.from - begin};
    return (struct step_rate){regex_steps(t->m) - all,
                              (1 + BEGIN_UNITS) * unit.n};
}

static bool is_over(struct step_rate e, uint64_t steps_a_byte) {
    return e.steps > steps_a_byte * e.bytes;
}

/* The character as fronts have it: all blanks are the same, and letters are
 * small if the pattern may ignore case. */
static char as_front(const struct trial *t, char c) {
    if (fold_is_blank(c))
        return ' ';
    return t->pattern.tree->has_nocase ? (char)fold_byte((unsigned char)c) : c;
}

/* The character of the node as a front has it; '\0': unknown. */
static char front_char(const struct trial *t, const struct node *n) {
    bool is_written = n->end - n->from == 1;
    if (!node_is_plain(n))
        return '\0';
    if (!is_lower(n->c) || t->pattern.tree->has_nocase)
        return n->c;
    return is_written ? t->pattern.text.p[n->from] : '\0';
}

/* Adds a front for each branch: the plain characters before its first repeat or
 * unknown character. */
static void add_fronts(struct trial *t, const struct branch *first,
                       const struct front *before) {
    for (const struct branch *b = first; b; b = b->next) {
        struct front own = *before;
        const struct node *at = b->first;
        for (; at && own.n < sizeof own.text; at = at->next) {
            bool is_anchor = at->kind == NODE_EMPTY && !at->branches;
            char c = front_char(t, at);
            if (c != '\0')
                own.text[own.n++] = c;
            if ((c == '\0' && !is_anchor) || at->most > 1)
                break;
        }
        if (at && at->kind == NODE_GROUP && at->least > 0)
            add_fronts(t, at->branches, &own);
        else
            *ARENA_ADD(t->a, t->fronts, t->front_count, t->front_cap) = own;
    }
}

/* True if a step may be counted on this unit, repeated. */
static bool may_count_on(struct trial *t, struct str unit) {
    struct str text = repeated(t, unit, 1 + FRONT_MAX / unit.n + 1);
    for (size_t i = 0; i < text.n; i++)
        t->text.p[i] = as_front(t, text.p[i]);
    for (size_t i = 0; i < t->front_count; i++) {
        struct str front = {t->fronts[i].text, t->fronts[i].n};
        if (str_find(text, front) < text.n)
            return true;
    }
    return false;
}

static bool grows(struct trial *t, struct str unit) {
    size_t fit = TEXT_MAX / unit.n;
    size_t count = fit > REPEATS         ? REPEATS
                   : fit > FIRST_REPEATS ? fit
                                         : FIRST_REPEATS;
    if (!is_over(rate_on(t, unit, FIRST_REPEATS), PLAIN_STEPS))
        return false;
    struct step_rate once = rate_on(t, unit, count);
    struct step_rate twice = rate_on(t, unit, 2 * count);
    if (!is_over(twice, STEPS_MOST) &&
        twice.steps * once.bytes * 10 <=
            once.steps * twice.bytes * GROWTH_TENTHS)
        return false;
    *t->worst = (struct pattern_growth){.text = arena_str(t->a, unit),
                                        .repeats = (uint32_t)count,
                                        .steps = once.steps,
                                        .steps_twice = twice.steps};
    return true;
}

static bool grows_on(struct trial *t, struct str unit, const char *between) {
    buf_clear(&t->unit);
    buf_add(&t->unit, str_slice(unit, 0, TEXT_MAX / 2));
    buf_add(&t->unit, str_of(between));
    struct str tried = buf_str(&t->unit);
    if (unit.n == 0 || list_has(&t->tried, tried) || !may_count_on(t, tried))
        return false;
    *ARENA_ADD(t->a, t->tried.at, t->tried.count, t->tried_cap) =
        arena_str(t->a, tried);
    return grows(t, tried);
}

/* A pattern that begins with a line has one place to begin there, so it makes
 * no difference how the words on a line are joined. */
static bool grows_on_words(struct trial *t, struct str all) {
    struct str near = str_slice(all, 0, all.n - 1);
    if (grows_on(t, all, "\n") || grows_on(t, near, " "))
        return true;
    return !regex_begins_lines(t->r) &&
           (grows_on(t, all, " ") || grows_on(t, all, ""));
}

/* Tries each long run of plain characters of the pattern. */
static bool grows_on_runs(struct trial *t, const struct branch *first) {
    for (const struct branch *b = first; b; b = b->next) {
        char run[LITERAL_BYTES_MAX];
        size_t n = 0;
        for (const struct node *at = b->first; at; at = at->next) {
            bool is_last = !at->next || n + 1 == sizeof run;
            bool is_plain = node_is_plain(at);
            if (is_plain)
                run[n++] = at->c;
            if (is_plain && !is_last)
                continue;
            struct str words = str_trim((struct str){run, n});
            if ((words.n >= MATCH_LITERAL_MIN && grows_on_words(t, words)) ||
                grows_on_runs(t, at->branches))
                return true;
            n = 0;
        }
    }
    return false;
}

static bool grows_on_sample(struct trial *t, struct str sample) {
    char *line = arena_alloc(t->a, sample.n);
    for (size_t i = 0; i < sample.n; i++)
        line[i] = sample.p[i] == '\n' ? ' ' : sample.p[i];
    for (size_t i = 1; i <= SAMPLE_PARTS; i++) {
        size_t n = sample.n * i / SAMPLE_PARTS;
        if (grows_on(t, (struct str){line, n}, " "))
            return true;
    }
    return grows_on(t, sample, "\n");
}

static bool tries_all(struct trial *t, const struct pattern_text *text,
                      const struct str_list *literals, struct str sample) {
    struct pattern_error error;
    t->pattern = *text;
    t->front_count = t->tried.count = 0;
    t->r = regex_compile(t->m, text, &error);
    if (!t->r || !text->tree) /* without a tree no steps are counted */
        return false;
    add_fronts(t, text->tree->branches, &(struct front){.n = 0});
    for (size_t i = 0; i < literals->count; i++)
        if (grows_on_words(t, literals->at[i]))
            return true;
    return grows_on_runs(t, text->tree->branches) ||
           grows_on_sample(t, sample);
}

/* Tries the body and its guards apart, as a scan searches for them: guard.h. Of
 * the literals, which stand in the body, the guards need but one: it fills
 * lines that they look through. */
static bool tries_guarded(struct trial *t, const struct written_pattern *w,
                          struct str sample) {
    const struct str_list *list = &w->parts.guards;
    struct str_list words = w->literals.best, one = words;
    struct str all = w->text.text, last = list->at[list->count - 1];
    struct str guards = str_slice(all, 0, (size_t)(last.p - all.p) + last.n);
    struct pattern_text body = pattern_text_prepared(t->a, w->parts.body,
                                                     w->text.needs_utf),
                        front = pattern_text_prepared(t->a, guards,
                                                      w->text.needs_utf);
    one.count = words.count > 1 ? 1 : words.count;
    return tries_all(t, &body, &words, sample) ||
           tries_all(t, &front, &one, sample);
}

bool written_grows(const struct written_pattern *w, struct str sample,
                   struct pattern_growth *worst) {
    const struct arena_defer *before = w->a->deferred;
    struct trial t = {.a = w->a, .m = matcher_counting(w->a), .worst = worst};
    *worst = (struct pattern_growth){0};
    t.text = buf_in(t.a, 0);
    t.unit = buf_in(t.a, 0);
    bool is_growing =
        w->parts.guards.count > 0
            ? tries_guarded(&t, w, sample)
            : tries_all(&t, &w->text, &w->literals.best, sample);
    arena_release_to(w->a, before);
    return is_growing;
}

