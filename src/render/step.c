/* step.c: a release from which on the answer differs, in words and as JSON: for
 * `fit --compare engine_version=...` and for a report.
 *
 *     From 0.26.0 on: A layer with a window keeps the tokens of two scheduler
 *     steps instead of one. A request takes 12.35 GiB instead of 11.41 GiB
 *     (+8 % KV cache). Before: it fits; since: it does not fit.
 */
#include "render/fit_words.h"

#define HUNDRED 100
#define STEP_LINKS (STEP_RULES + STEP_DEFAULTS)

static bool rounded(int64_t from, int64_t before, int64_t *out) {
    int64_t more;
    if (before <= 0 || !mul_div_floor(from, 2 * HUNDRED, before, &more))
        return false;
    *out = (more + 1) / 2 - HUNDRED;
    return true;
}

/* The change in percent. False: the ends of the intervals give different
 * ones. */
static bool percent_of(struct span before, struct span from, int64_t *out) {
    int64_t least, most;
    if (!before.known || !from.known ||
        !rounded(from.low, before.high, &least) ||
        !rounded(from.high, before.low, &most) || least != most)
        return false;
    *out = least;
    return true;
}

static struct str percent_text(const struct render *t, struct span before,
                               struct span from) {
    int64_t percent;
    return percent_of(before, from, &percent)
               ? TR(t, "fit.percent",
                    arena_printf(t->a, "%+lld %%", (long long)percent))
               : STR("");
}

/* "A request takes 12.35 GiB instead of 11.41 GiB (+8 % KV cache)." */
static struct str moved(const struct render *t, const char *key,
                        struct span before, struct span from) {
    struct str is = span_text(t, UNIT_BYTES, from);
    struct str was = span_text(t, UNIT_BYTES, before);
    return !before.known || !from.known || str_eq(is, was)
               ? STR("")
               : TR(t, key, is, was, percent_text(t, before, from));
}

static struct str default_text(const struct render *t,
                               const struct default_change *d) {
    struct str none = tr(t, "fit.default_none");
    return TR(
        t, "fit.default_moved",
        str_of(fact_spelling(d->before.known ? d->before.name : d->from.name)),
        d->before.known ? fact_text(t, &d->before) : none,
        d->from.known ? fact_text(t, &d->from) : none);
}

static struct str step_why(const struct render *t,
                           const struct release_step *s) {
    struct words all = sentences_begin(t);
    for (size_t i = 0; i < s->rule_count; i++)
        words_add(&all, tr(t, s->rules[i]->key));
    for (size_t i = 0; i < s->default_count; i++)
        words_add(&all, default_text(t, &s->defaults[i]));
    return words_end(&all);
}

static size_t step_links(const struct release_step *s,
                         struct str links[STEP_LINKS]) {
    size_t count = 0;
    for (size_t i = 0; i < s->rule_count; i++)
        links[count++] = str_of(s->rules[i]->link);
    for (size_t i = 0; i < s->default_count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < count; k++)
            is_new = is_new && !str_eq(links[k], s->defaults[i].link);
        if (is_new)
            links[count++] = s->defaults[i].link;
    }
    return count;
}

void add_steps(const struct render *t, const struct release_steps *steps) {
    struct block *under = document_section(t, "fit.by_release");
    for (size_t i = 0; i < steps->count; i++) {
        const struct release_step *s = &steps->at[i];
        const struct release_answer *was = &s->before, *is = &s->from;
        struct str links[STEP_LINKS];
        struct words all = sentences_begin(t);
        words_add(&all, step_why(t, s));
        words_add(&all, moved(t, "fit.need_moved", was->need, is->need));
        words_add(&all, moved(t, "fit.pool_moved", was->pool, is->pool));
        if (was->fits != is->fits)
            words_add(&all,
                      TR(t, "fit.verdict_moved", fit_verdict_word(t, was->fits),
                         fit_verdict_word(t, is->fits)));
        struct block *item = document_item(
            t, under, "-",
            TR(t, "fit.from_release", s->release, words_end(&all)));
        size_t count = step_links(s, links);
        for (size_t k = 0; k < count; k++)
            document_link(t, item, links[k], STR(""));
    }
}

struct str step_text(const struct render *t, const struct release_step *s) {
    bool is_lost = s->before.fits == FIT_YES;
    struct str links[STEP_LINKS];
    size_t count = step_links(s, links);
    const struct engine *e =
        s->rule_count > 0
            ? reader_engine_by_id(t->r, str_of(s->rules[0]->engine))
            : NULL;
    return TR(t, is_lost ? "report.turn_lost" : "report.turn_won",
              arena_printf(t->a, "%.*s %.*s", STR_ARG(e ? e->name : STR("")),
                           STR_ARG(s->release)),
              percent_text(t, s->before.need, s->from.need), step_why(t, s),
              count > 0 ? link_name(t, links[0]) : STR(""));
}

/* ---- as data ---- */

static struct json *answer(const struct render *t,
                           const struct release_answer *a) {
    return JSON(t, {"verdict", json_spelling(t->a, fit_spelling(a->fits))},
                {"bytes_per_request", json_span(t, a->need)},
                {"pool", json_span(t, a->pool)});
}

static struct json *fact_or_null(const struct render *t, const struct fact *f) {
    return f->known ? json_fact(t, f) : json_new_null(t->a);
}

struct json *json_step(const struct render *t, const struct release_step *s) {
    struct json *because = json_new_array(t->a);
    struct json *defaults = json_new_array(t->a);
    int64_t percent = 0;
    bool has = percent_of(s->before.need, s->from.need, &percent);
    for (size_t i = 0; i < s->rule_count; i++)
        json_push(because,
                  JSON(t, {"what", json_text(t->a, tr(t, s->rules[i]->key))},
                       {"link", json_text(t->a, str_of(s->rules[i]->link))}));
    for (size_t i = 0; i < s->default_count; i++) {
        const struct default_change *d = &s->defaults[i];
        json_push(defaults, JSON(t, {"before", fact_or_null(t, &d->before)},
                                 {"from", fact_or_null(t, &d->from)},
                                 {"link", json_text(t->a, d->link)}));
    }
    return JSON(t, {"release", json_text(t->a, s->release)},
                {"before", answer(t, &s->before)},
                {"from", answer(t, &s->from)},
                {"percent", json_int_or_null(t, has, percent)},
                {"because", because}, {"defaults", defaults});
}

struct json *json_steps(const struct render *t,
                        const struct release_steps *steps) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < steps->count; i++)
        json_push(list, json_step(t, &steps->at[i]));
    return list;
}
