/* growth.c: does the work of a pattern grow faster than the text?
 *
 *     its literals and other words, repeated     api_server api_server ...
 *     the same, each without its last byte       api_serve api_serve ...
 *     its sample, and parts of it, repeated      on one line, and on many
 *
 * Those are the texts in which it has most places to begin and none to end. A
 * pattern whose work is linear does as much at one place of such a text however
 * long the text is; one that scans the rest of a line from each occurrence of
 * its word does twice as much where the line is twice as long. So only the
 * searches that begin in two of the units are run, and their steps (steps.h)
 * are held against the bytes that they went on by.
 *
 *     unit | unit | unit | unit ...... unit       so many, and twice as many
 *          |<- begin ->|
 *
 * Nearly all patterns are done with on a short text: one scan of its rest for
 * each unit is already more than PLAIN_STEPS a byte there.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "match/guard.h"
#include "match/literals.h"
#include "match/pattern.h"
#include "match/pattern_tree.h"

#define REPEATS 500
#define TEXT_MAX (8 * 1024) /* of the shorter one, where ... */
#define FIRST_REPEATS 10    /* ... these are no more */
#define BEGIN_UNITS 2
#define PLAIN_STEPS 5    /* a byte: nothing was gone over again and again */
#define GROWTH_TENTHS 13 /* as many steps a byte on twice the text: too many */
#define STEPS_MOST 640   /* a byte, however it grows */
#define SAMPLE_PARTS 4

struct trial {
    struct arena *a;
    struct matcher *m;
    struct regex *r;
    struct buf text, unit;
    struct pattern_growth *worst;
};

/* What searches did, and the bytes that they came through by it. */
struct step_rate {
    uint64_t steps, bytes;
};

static struct str repeated(struct trial *t, struct str unit, size_t count) {
    buf_clear(&t->text);
    for (size_t i = 0; i < count; i++)
        buf_add(&t->text, unit);
    if (!buf_ok(&t->text))
        arena_raise(t->a, FAIL_MEMORY, "out of memory for a text");
    return buf_str(&t->text);
}

/* All searches that begin in front of end. */
static struct step_rate work_until(struct trial *t, struct str text,
                                   size_t end) {
    struct search search = {.subject = text, .latest = end - 1};
    struct text_range range;
    uint64_t before = regex_steps(t->m);
    while (search.from < end && regex_find(t->m, t->r, &search, &range))
        search.from = range.to > range.from ? range.to : range.to + 1;
    return (struct step_rate){regex_steps(t->m) - before,
                              search.from > end ? search.from : end};
}

/* Less what is done once only, where the text begins; a search that gives up
 * there gets no further. */
static struct step_rate rate_on(struct trial *t, struct str unit,
                                size_t count) {
    struct str text = repeated(t, unit, count);
    struct step_rate first = work_until(t, text, unit.n);
    struct step_rate all = work_until(t, text, (1 + BEGIN_UNITS) * unit.n);
    if (regex_gave_up(t->m))
        return all;
    return (struct step_rate){all.steps - first.steps, all.bytes - first.bytes};
}

static bool is_over(struct step_rate e, uint64_t steps_a_byte) {
    return e.steps > steps_a_byte * e.bytes;
}

static bool grows(struct trial *t, struct str unit) {
    size_t fit = TEXT_MAX / unit.n;
    size_t count = fit > REPEATS         ? REPEATS
                   : fit > FIRST_REPEATS ? fit
                                         : FIRST_REPEATS;
    if (!is_over(rate_on(t, unit, 2 * FIRST_REPEATS), PLAIN_STEPS))
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
    if (!buf_ok(&t->unit))
        arena_raise(t->a, FAIL_MEMORY, "out of memory for a text");
    return unit.n > 0 && grows(t, buf_str(&t->unit));
}

static bool grows_on_words(struct trial *t, struct str all) {
    struct str near = str_slice(all, 0, all.n - 1);
    return grows_on(t, all, " ") || grows_on(t, all, "") ||
           grows_on(t, all, "\n") || grows_on(t, near, " ");
}

/* On each long run of plain characters of the pattern. */
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
                      struct str sample) {
    struct pattern_error error;
    t->r = regex_compile(t->m, text, &error);
    if (!t->r)
        return false;
    struct literals literals = literals_of(t->a, text);
    for (size_t i = 0; i < literals.best.count; i++)
        if (grows_on_words(t, literals.best.at[i]))
            return true;
    return (text->tree && grows_on_runs(t, text->tree->branches)) ||
           grows_on_sample(t, sample);
}

/* As it is written, and as a run looks for it: guard.h. */
static bool tries_both(struct trial *t, struct str text, struct str sample) {
    struct pattern_text whole;
    struct pattern_error error;
    if (!pattern_text_prepare(t->a, text, &whole, &error))
        return false;
    struct guarded parts = guards_of(t->a, &whole);
    struct pattern_text body =
        pattern_text_prepared(t->a, parts.body, whole.needs_utf);
    return tries_all(t, &whole, sample) ||
           (parts.guards.count > 0 && tries_all(t, &body, sample));
}

bool pattern_grows(struct arena *a, struct str text, struct str sample,
                   struct pattern_growth *worst) {
    const struct arena_defer *before = a->deferred;
    struct trial t = {.a = a, .m = matcher_counting(a), .worst = worst};
    *worst = (struct pattern_growth){0};
    buf_init_in(&t.text, a, 0);
    buf_init_in(&t.unit, a, 0);
    bool is_growing = tries_both(&t, text, sample);
    arena_release_to(a, before);
    return is_growing;
}
