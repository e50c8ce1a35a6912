/* growth.c: does the work of a pattern grow faster than the text?
 *
 *     its literals, over and over                api_server api_server ...
 *     the same, each without its last byte       api_serve api_serve ...
 *     its sample, and parts of it, repeated      on one line, and on many
 *
 * Those are the texts in which it has most places to begin and none to end. All
 * its searches over a text of n bytes and over one of 2 n are counted in steps
 * (steps.h). Twice the work is linear; a pattern that scans the rest of a line
 * from each occurrence of its word takes four times as much.
 *
 * Nearly all patterns are done with on a short text of 2 * FIRST_REPEATS units:
 * one scan of the rest for each unit is already FIRST_REPEATS steps a byte there,
 * whatever the length of the unit. What takes more than PLAIN_STEPS is counted
 * on texts of twice the length each time, until the work is linear for sure: a
 * repeat of at most 400 bytes looks like a square on less text than that.
 */
#include "base/buf.h"
#include "match/literals.h"
#include "match/pattern.h"

#define REPEATS 500
#define TEXT_MAX (8 * 1024) /* of the shorter one */
#define FIRST_REPEATS 10
#define DOUBLINGS 8         /* from the first text to the longest: 2 * 2 * 2 */
#define LINEAR_TENTHS 22    /* work for twice the text that is linear for sure */
#define PLAIN_STEPS 5        /* a byte: nothing was gone over again and again */
#define GROWTH_TENTHS 25     /* the same, of the longest text */
#define STEPS_MOST 512       /* a byte, however it grows */
#define SAMPLE_PARTS 4

struct trial {
    struct arena *a;
    struct matcher *m;
    struct regex *r;
    struct buf text, unit;
    struct pattern_growth *worst;
};

/* Steps of all searches of the text; a search that gave up is the last. */
static uint64_t steps_over(struct trial *t, struct str text) {
    struct search search = {.subject = text, .latest = text.n};
    struct text_range range;
    uint64_t before = regex_steps(t->m);
    while (search.from <= search.latest &&
           regex_find(t->m, t->r, &search, &range))
        search.from = range.to > range.from ? range.to : range.to + 1;
    return regex_steps(t->m) - before;
}

static struct str repeated(struct trial *t, struct str unit, size_t count) {
    buf_clear(&t->text);
    for (size_t i = 0; i < count; i++)
        buf_add(&t->text, unit);
    if (!buf_ok(&t->text))
        arena_raise(t->a, FAIL_MEMORY, "out of memory for a text");
    return buf_str(&t->text);
}

static bool is_plain(struct trial *t, struct str unit) {
    struct str first = repeated(t, unit, 2 * FIRST_REPEATS);
    return steps_over(t, first) <= PLAIN_STEPS * first.n;
}

static bool grows(struct trial *t, struct str unit) {
    size_t many = unit.n * REPEATS < TEXT_MAX ? REPEATS : TEXT_MAX / unit.n;
    size_t count = many / DOUBLINGS + 1 > FIRST_REPEATS ? many / DOUBLINGS + 1
                                                        : FIRST_REPEATS;
    if (is_plain(t, unit))
        return false;
    uint64_t before = steps_over(t, repeated(t, unit, count));
    for (;; count *= 2) {
        bool is_longest = count >= many;
        struct str twice = repeated(t, unit, 2 * count);
        uint64_t after = steps_over(t, twice);
        if (after * 10 <= before * (is_longest ? GROWTH_TENTHS : LINEAR_TENTHS) &&
            after <= STEPS_MOST * twice.n)
            return false;
        *t->worst = (struct pattern_growth){
            .text = unit, .repeats = (uint32_t)count, .steps = before,
            .steps_twice = after};
        if (is_longest)
            break;
        before = after;
    }
    t->worst->text = arena_str(t->a, unit);
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

static bool grows_on_literals(struct trial *t, const struct str_list *list) {
    for (size_t i = 0; i < list->count && list->at[i].n > 0; i++) {
        struct str all = list->at[i], near = str_slice(all, 0, all.n - 1);
        if (grows_on(t, all, " ") || grows_on(t, all, "") ||
            grows_on(t, all, "\n") || grows_on(t, near, " "))
            return true;
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

static bool tries_all(struct trial *t, struct str text, struct str sample) {
    struct pattern_text prepared;
    struct pattern_error error;
    if (!pattern_text_prepare(t->a, text, &prepared, &error))
        return false;
    t->r = regex_compile(t->m, &prepared, &error);
    if (!t->r)
        return false;
    struct literals literals = literals_of(t->a, &prepared);
    return grows_on_literals(t, &literals.best) ||
           grows_on_literals(t, &literals.also) ||
           grows_on_sample(t, sample);
}

bool pattern_grows(struct arena *a, struct str text, struct str sample,
                   struct pattern_growth *worst) {
    const struct arena_defer *before = a->deferred;
    struct trial t = {.a = a, .m = matcher_counting(a), .worst = worst};
    *worst = (struct pattern_growth){0};
    buf_init_in(&t.text, a, 0);
    buf_init_in(&t.unit, a, 0);
    bool is_growing = tries_all(&t, text, sample);
    arena_release_to(a, before);
    return is_growing;
}
