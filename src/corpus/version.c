/* version.c: one order of versions for every product.
 *
 * A version is cut into views of its own text, never into integers, so no
 * number is too long and nothing is allocated:
 *
 *     v 1! 2.6.0 rc1 .post2 .dev3 +cu124
 *       epoch release pre post dev local
 *
 * The order is PEP 440's: dev < a < b < rc < the release < post; a dev of a
 * post release sorts before that post; a local part makes a version greater.
 * Build numbers (b4567) are a release of one number. Any other text is not a
 * version, so "5.15.0-91-generic" is refused.
 */
#include "corpus/version.h"

enum pre_kind { PRE_ALPHA = 1, PRE_BETA, PRE_CANDIDATE };

struct parsed {
    struct str epoch, release; /* digits; digits with dots */
    int pre_kind;              /* 0: none */
    struct str pre, post, dev; /* digits, empty: 0 */
    bool has_post, has_dev;
    struct str local;
};

static bool is_letter_or_digit(char c) { return is_digit(c) || is_letter(c); }

static bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

static struct str take_digits(struct str *s) {
    size_t n = 0;
    while (n < s->n && is_digit(s->p[n]))
        n++;
    struct str digits = str_slice(*s, 0, n);
    *s = str_slice(*s, n, s->n);
    return digits;
}

/* 2.6.0: a dot belongs to the release only when a digit follows it. */
static struct str take_release(struct str *s) {
    size_t n = 0;
    while (n < s->n && (is_digit(s->p[n]) ||
                        (n > 0 && s->p[n] == '.' && n + 1 < s->n &&
                         is_digit(s->p[n + 1]))))
        n++;
    struct str release = str_slice(*s, 0, n);
    *s = str_slice(*s, n, s->n);
    return release;
}

/* [-_.]? word [-_.]? digits*, in any case. A separator behind the word counts
 * only when digits follow it. Leaves *s alone when the word is not there. */
static bool take_part(struct str *s, struct str word, struct str *number) {
    struct str rest = *s;
    if (rest.n > 0 && is_separator(rest.p[0]))
        rest = str_slice(rest, 1, rest.n);
    if (!str_eq_nocase(str_slice(rest, 0, word.n), word))
        return false;
    rest = str_slice(rest, word.n, rest.n);
    if (rest.n > 1 && is_separator(rest.p[0]) && is_digit(rest.p[1]))
        rest = str_slice(rest, 1, rest.n);
    else if (rest.n == 1 && is_separator(rest.p[0]))
        rest = str_slice(rest, 1, rest.n); /* PEP 440 allows "1.0a." */
    *number = take_digits(&rest);
    *s = rest;
    return true;
}

/* The first letter of a part, small; '\0': there is none. */
static char letter_of(struct str s) {
    size_t at = s.n > 0 && is_separator(s.p[0]);
    return at < s.n ? to_lower(s.p[at]) : '\0';
}

static int take_pre(struct str *s, struct str *number) {
    static const struct {
        struct str word;
        enum pre_kind kind;
    } words[] = {
        /* longer spellings first: each would match by its beginning */
        {{"alpha", 5}, PRE_ALPHA},       {{"a", 1}, PRE_ALPHA},
        {{"beta", 4}, PRE_BETA},         {{"b", 1}, PRE_BETA},
        {{"preview", 7}, PRE_CANDIDATE}, {{"pre", 3}, PRE_CANDIDATE},
        {{"rc", 2}, PRE_CANDIDATE},      {{"c", 1}, PRE_CANDIDATE},
    };
    bool is_possible = is_any(letter_of(*s), "abprc");
    for (size_t i = 0; is_possible && i < sizeof words / sizeof words[0]; i++)
        if (take_part(s, words[i].word, number))
            return (int)words[i].kind;
    return 0;
}

static bool take_post(struct str *s, struct str *number) {
    if (s->n > 1 && s->p[0] == '-' && is_digit(s->p[1])) { /* 1.0-1 */
        *s = str_slice(*s, 1, s->n);
        *number = take_digits(s);
        return true;
    }
    return is_any(letter_of(*s), "pr") &&
           (take_part(s, STR("post"), number) ||
            take_part(s, STR("rev"), number) || take_part(s, STR("r"), number));
}

/* +cu124, +g4be3a451.d2024: words joined by single separators. */
static bool take_local(struct str *s, struct str *local) {
    struct str words = str_slice(*s, 1, s->n);
    for (size_t i = 0; i < words.n; i++) {
        bool edge = i == 0 || i + 1 == words.n;
        if (!is_letter_or_digit(words.p[i]) &&
            (edge || !is_separator(words.p[i]) ||
             !is_letter_or_digit(words.p[i - 1])))
            return false;
    }
    *local = words;
    *s = str_slice(*s, s->n, 0);
    return words.n > 0;
}

static bool parse_build(struct str s, struct parsed *out) {
    struct str digits = str_slice(s, 1, s.n);
    out->release = take_digits(&digits);
    return out->release.n > 0 && digits.n == 0;
}

static bool parse(struct str text, struct parsed *out) {
    struct str s = str_trim(text);
    *out = (struct parsed){.epoch = STR("0")};
    if (s.n > 0 && to_lower(s.p[0]) == 'b')
        return parse_build(s, out);
    if (s.n > 0 && to_lower(s.p[0]) == 'v')
        s = str_slice(s, 1, s.n);
    struct str after_epoch = s;
    struct str epoch = take_digits(&after_epoch);
    if (epoch.n > 0 && after_epoch.n > 0 && after_epoch.p[0] == '!') {
        out->epoch = epoch;
        s = str_slice(after_epoch, 1, after_epoch.n);
    }
    out->release = take_release(&s);
    if (out->release.n == 0 || s.n == 0)
        return out->release.n > 0;
    out->pre_kind = take_pre(&s, &out->pre);
    out->has_post = take_post(&s, &out->post);
    out->has_dev = take_part(&s, STR("dev"), &out->dev);
    if (s.n > 0 && s.p[0] == '+' && !take_local(&s, &out->local))
        return false;
    return s.n == 0;
}

static int sign(int n) { return (n > 0) - (n < 0); }

/* Compare digits of any length by value. */
static int compare_digits(struct str a, struct str b) {
    while (a.n > 0 && a.p[0] == '0')
        a = str_slice(a, 1, a.n);
    while (b.n > 0 && b.p[0] == '0')
        b = str_slice(b, 1, b.n);
    if (a.n != b.n)
        return a.n < b.n ? -1 : 1;
    return sign(str_cmp(a, b));
}

/* 2.6 equals 2.6.0: missing numbers are 0. */
static int compare_releases(struct str a, struct str b) {
    int order = 0;
    while (order == 0 && (a.n > 0 || b.n > 0)) {
        struct str first = str_cut(a, '.', &a);
        struct str second = str_cut(b, '.', &b);
        order = compare_digits(first, second);
    }
    return order;
}

/* The order within a release: a bare dev first, then alpha, beta, candidate,
 * then the release and its posts. */
static int pre_rank(const struct parsed *v) {
    if (v->pre_kind == 0)
        return v->has_dev && !v->has_post ? 0 : PRE_CANDIDATE + 1;
    return v->pre_kind;
}

static struct str take_segment(struct str *s) {
    size_t n = 0;
    while (n < s->n && !is_separator(s->p[n]))
        n++;
    struct str segment = str_slice(*s, 0, n);
    *s = str_slice(*s, n + 1, s->n);
    return segment;
}

static bool all_digits(struct str s) {
    struct str rest = s;
    take_digits(&rest);
    return rest.n == 0;
}

static int compare_words(struct str a, struct str b) {
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        int order = to_lower(a.p[i]) - to_lower(b.p[i]);
        if (order != 0)
            return sign(order);
    }
    return (a.n > b.n) - (a.n < b.n);
}

/* No local part sorts before any; words before numbers; a prefix before the
 * longer one. */
static int compare_locals(struct str a, struct str b) {
    int order = 0;
    while (order == 0 && a.n > 0 && b.n > 0) {
        struct str first = take_segment(&a);
        struct str second = take_segment(&b);
        bool is_number = all_digits(first);
        if (is_number != all_digits(second))
            order = is_number ? 1 : -1;
        else if (is_number)
            order = compare_digits(first, second);
        else
            order = compare_words(first, second);
    }
    return order != 0 ? order : (a.n > 0) - (b.n > 0);
}

static int compare_parsed(const struct parsed *a, const struct parsed *b) {
    const int orders[] = {
        compare_digits(a->epoch, b->epoch),
        compare_releases(a->release, b->release),
        pre_rank(a) - pre_rank(b),
        compare_digits(a->pre, b->pre),
        a->has_post - b->has_post,
        compare_digits(a->post, b->post),
        b->has_dev - a->has_dev, /* a dev comes before its release */
        compare_digits(a->dev, b->dev),
        compare_locals(a->local, b->local),
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (orders[i] != 0)
            return sign(orders[i]);
    return 0;
}

bool version_valid(struct str v) {
    struct parsed parsed;
    return parse(v, &parsed);
}

bool version_compare(struct str a, struct str b, int *order) {
    struct parsed first, second;
    if (!parse(a, &first) || !parse(b, &second))
        return false;
    *order = compare_parsed(&first, &second);
    return true;
}

/* True if the version is at or after the event. */
static bool reached(const struct version_event *event,
                    const struct parsed *version) {
    struct parsed at;
    if (!event->is_fixed && str_eq(event->version, STR("0")))
        return true; /* "0" is the beginning, before every dev of 0 */
    if (!parse(event->version, &at))
        return false;
    at.local = (struct str){NULL, 0};
    return compare_parsed(version, &at) >= 0;
}

enum in_range version_in_range(const struct version_range *r,
                               struct str version) {
    struct parsed parsed;
    if (!parse(version, &parsed))
        return RANGE_UNKNOWN;
    parsed.local = (struct str){NULL, 0};
    bool inside = r->event_count == 0;
    for (size_t i = 0; i < r->event_count; i++)
        if (reached(&r->events[i], &parsed))
            inside = !r->events[i].is_fixed;
    return inside ? RANGE_INSIDE : RANGE_OUTSIDE;
}
