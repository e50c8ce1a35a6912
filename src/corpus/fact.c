/* fact.c: the table of facts, and reading printed text as a fact.
 *
 *     text as printed --fact_read--> by the fact's unit:
 *     bytes            "2.00 GiB", "83,392", 2.00 with the scale of __GiB
 *     tokens           integer, "32k" = 32000, "32K" = 32768 (vLLM's reading)
 *     blocks, count    integer
 *     ratio, seconds   millionths: "0.95", "95 %", 95 with the scale of __pct
 *     bool             True False 1 0 yes no on off; a switch (-fa) is yes
 *     text, version    trimmed of blanks and quotes
 *
 * A scale of 1 is the fact's own unit everywhere. A text that cannot be read is
 * still a fact: its value is not known, and `why` has the reason.
 */
#include "corpus/fact.h"

#include "corpus/version.h"

static const struct {
    struct str spelling;
    enum unit unit;
    const char *words; /* separated by blanks; NULL: any text */
} facts[FACT_COUNT_OF] = {
#define FACT(name, unit) {{#name, sizeof #name - 1}, UNIT_##unit, NULL},
#define FACT_OF(name, words) {{#name, sizeof #name - 1}, UNIT_TEXT, words},
#include "corpus/facts.def"
#undef FACT
};

struct fact fact_blank(enum fact_name name, enum fact_source source) {
    return (struct fact){.name = name, .source = source, .gpu = FACT_NONE,
                         .rank = FACT_NONE, .pid = FACT_NONE};
}

bool fact_is_one(enum fact_name name, const enum fact_name *names) {
    while (*names != FACT_COUNT_OF && *names != name)
        names++;
    return *names != FACT_COUNT_OF;
}

struct fact fact_number(enum fact_name name, enum fact_source source,
                        int64_t number) {
    struct fact f = fact_blank(name, source);
    f.known = true;
    f.number = f.low = f.high = number;
    return f;
}

struct fact fact_word(enum fact_name name, enum fact_source source,
                      struct str word) {
    struct fact f = fact_number(name, source, 0);
    f.word = word;
    return f;
}

const char *fact_spelling(enum fact_name name) {
    return facts[name].spelling.p;
}

enum unit fact_unit(enum fact_name name) { return facts[name].unit; }

bool fact_takes(enum fact_name name, struct str word) {
    struct str words = str_of(facts[name].words);
    return words.n == 0 || str_lists(words, ' ', word);
}

#define X(name, word) #word,
const char *unit_spelling(enum unit unit) {
    static const char *const words[] = {UNITS(X)};
    return words[unit];
}

const char *source_spelling(enum fact_source source) {
    static const char *const words[] = {FACT_SOURCES(X)};
    return words[source];
}
#undef X

int64_t fact_most(enum fact_name name) {
    return INT64_C(1) << (fact_unit(name) == UNIT_BYTES ? 56 : 44);
}

static bool is_beyond(int64_t n, int64_t most) {
    return n > most || n < -most;
}

bool fact_is_absurd(const struct fact *f) {
    int64_t most = fact_most(f->name);
    enum unit unit = fact_unit(f->name);
    bool is_number = unit != UNIT_BOOL && unit != UNIT_TEXT &&
                     unit != UNIT_VERSION;
    bool has_far_end =
        f->ranged && (is_beyond(f->low, most) || is_beyond(f->high, most));
    return f->known && is_number && (is_beyond(f->number, most) || has_far_end);
}

/* A byte of the length, the first, the middle and the last letter. */
#define SUM(s, n)                                                              \
    (unsigned char)(37u * (unsigned)(n) + 5u * (unsigned char)(s)[0] +         \
                    3u * (unsigned char)(s)[(n) / 2] +                         \
                    11u * (unsigned char)(s)[(n) - 1])

/* Predicates and groups of patterns name facts by the hundred in each report,
 * so a name is compared with those of its sum: two of 216. */
bool fact_named(struct str spelling, enum fact_name *out) {
    static const unsigned char sums[FACT_COUNT_OF] = {
#define FACT(name, unit) SUM(#name, sizeof #name - 1),
#include "corpus/facts.def"
#undef FACT
    };
    unsigned char sum = spelling.n > 0 ? SUM(spelling.p, spelling.n) : 0;
    struct str rest = {(const char *)sums, spelling.n > 0 ? FACT_COUNT_OF : 0};
    while (rest.n > 0) {
        size_t i = FACT_COUNT_OF - rest.n + str_find_char(rest, (char)sum);
        if (i < FACT_COUNT_OF && str_eq(spelling, facts[i].spelling)) {
            *out = (enum fact_name)i;
            return true;
        }
        rest = str_from((struct str){(const char *)sums, FACT_COUNT_OF}, i + 1);
    }
    return false;
}

/* ---- names of groups ---- */

/* The factor of a group's suffix in the fact's unit; 0: not a suffix of it. */
static int64_t suffix_scale(struct str suffix, enum unit unit) {
    static const struct {
        struct str suffix;
        int64_t bytes;
    } sizes[] = {
        {{"GiB", 3}, INT64_C(1) << 30}, {{"MiB", 3}, 1 << 20},
        {{"KiB", 3}, 1 << 10},          {{"B", 1}, 1},
        {{"GB", 2}, 1000000000},        {{"MB", 2}, 1000000},
        {{"kB", 2}, 1000},              {{"pages", 5}, 4096},
    };
    if (unit == UNIT_RATIO)
        return str_eq(suffix, STR("pct")) ? UNITS_MICRO / 100 : 0;
    if (unit == UNIT_TOKENS || unit == UNIT_BLOCKS || unit == UNIT_COUNT)
        return str_eq(suffix, STR("k")) ? 1000 : 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (unit == UNIT_BYTES && str_eq(suffix, sizes[i].suffix))
            return sizes[i].bytes;
    return 0;
}

bool fact_of_group(struct str group, enum fact_name *name, int64_t *scale) {
    size_t cut = str_find(group, STR("__"));
    enum fact_name found;
    if (!fact_named(str_slice(group, 0, cut), &found))
        return false;
    int64_t factor = 1;
    if (cut < group.n)
        factor = suffix_scale(str_slice(group, cut + 2, group.n),
                              fact_unit(found));
    if (factor == 0)
        return false;
    *name = found;
    *scale = factor;
    return true;
}

/* ---- reading ---- */

static bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }

static struct str unquoted(struct str text) {
    struct str s = str_trim(text);
    while (s.n > 0 && is_quote(s.p[0]))
        s = str_slice(s, 1, s.n);
    while (s.n > 0 && is_quote(s.p[s.n - 1]))
        s = str_slice(s, 0, s.n - 1);
    return str_trim(s);
}

static void leave_unknown(struct fact *out, const char *why) {
    out->known = false;
    out->why = str_of(why);
}

static void take_amount(struct fact *out, const struct amount *amount) {
    if (!amount->known) {
        leave_unknown(out, amount->why);
        return;
    }
    out->known = true;
    out->number = amount->value;
    out->low = amount->low;
    out->high = amount->high;
    out->ranged = amount->low != amount->high;
}

static void read_amount(struct str text, int64_t scale, struct fact *out) {
    struct amount amount = {.why = "not an amount"};
    if (units_read(text, scale, &amount))
        take_amount(out, &amount);
    else
        leave_unknown(out, amount.why);
}

/* The factor of the letter behind a number of tokens; 0: not such a letter. */
static int64_t token_factor(char letter) {
    switch (letter) {
    case 'k': return 1000;
    case 'm': return 1000000;
    case 'g': return 1000000000;
    case 'K': return INT64_C(1) << 10;
    case 'M': return INT64_C(1) << 20;
    case 'G': return INT64_C(1) << 30;
    }
    return 0;
}

static bool is_number_alone(struct str s) {
    bool has_digit = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool is_sign = (c == '-' || c == '+') && i == 0;
        has_digit = has_digit || is_digit(c);
        if (!is_digit(c) && !is_sign && c != '.' && c != ',')
            return false;
    }
    return has_digit;
}

static void read_whole(enum unit unit, struct str s, int64_t scale,
                       struct fact *out) {
    int64_t letter = 0;
    if (unit == UNIT_TOKENS && scale == 1 && s.n > 0)
        letter = token_factor(s.p[s.n - 1]);
    if (letter != 0) {
        s = str_trim(str_slice(s, 0, s.n - 1));
        scale = letter;
    }
    bool is_part = scale == 1 && str_find_char(s, '.') < s.n;
    if (!is_number_alone(s) || is_part) {
        leave_unknown(out, "not a whole number");
        return;
    }
    read_amount(s, scale, out);
    if (letter != 0 && out->known) { /* a setting is exact, not rounded */
        out->low = out->high = out->number;
        out->ranged = false;
    }
}

static void read_ratio(struct str s, int64_t scale, struct fact *out) {
    int64_t micro = scale == 1 ? UNITS_MICRO : scale;
    if (str_ends(s, STR("%"))) {
        s = str_trim(str_slice(s, 0, s.n - 1));
        micro = UNITS_MICRO / 100;
    } else if (str_ends(s, STR("x"))) { /* a concurrency of 3.20x */
        s = str_trim(str_slice(s, 0, s.n - 1));
    }
    if (!is_number_alone(s)) {
        leave_unknown(out, "not a number");
        return;
    }
    read_amount(s, micro, out);
}

static void read_bool(struct str s, struct fact *out) {
    static const char *const yes[] = {"true", "1", "yes", "on", NULL};
    static const char *const no[] = {"false", "0", "no", "off", NULL};
    bool is_switch = s.n > 1 && s.p[0] == '-';
    bool is_yes = is_switch || str_in_nocase(s, yes);
    if (!is_yes && !str_in_nocase(s, no)) {
        leave_unknown(out, "neither true nor false");
        return;
    }
    out->known = true;
    out->number = is_yes;
}

static void read_version(struct str s, struct fact *out) {
    if (!version_valid(s)) {
        leave_unknown(out, "not a version");
        return;
    }
    bool has_v = s.p[0] == 'v' || s.p[0] == 'V';
    out->known = true;
    out->word = has_v ? str_slice(s, 1, s.n) : s;
}

/* A dtype without "torch.": engines print "torch.bfloat16" and "bfloat16". */
static struct str without_module(enum fact_name name, struct str s) {
    bool is_dtype = name == FACT_dtype || name == FACT_kv_cache_dtype;
    struct str module = STR("torch.");
    return is_dtype && str_starts(s, module)
               ? str_slice(s, module.n, s.n) : s;
}

void fact_read(enum fact_name name, struct str text, int64_t scale,
               struct fact *out) {
    static const char *const nothing[] = {"", "none", "null", "n/a", "nan",
                                          NULL};
    struct str s = unquoted(text);
    out->name = name;
    out->text = text;
    out->known = out->ranged = false;
    out->number = out->low = out->high = 0;
    out->word = out->why = (struct str){NULL, 0};
    if (str_in_nocase(s, nothing)) {
        leave_unknown(out, "printed without a value");
        return;
    }
    switch (fact_unit(name)) {
    case UNIT_BYTES: read_amount(s, scale, out); break;
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT: read_whole(fact_unit(name), s, scale, out); break;
    case UNIT_RATIO:
    case UNIT_SECONDS: read_ratio(s, scale, out); break;
    case UNIT_BOOL: read_bool(s, out); break;
    case UNIT_TEXT:
        out->known = true;
        out->word = without_module(name, s);
        break;
    case UNIT_VERSION: read_version(s, out); break;
    }
}

/* ---- lists ---- */

bool fact_is_share(enum fact_name name) {
    return name == FACT_gpu_memory_utilization ||
           name == FACT_mem_fraction_static || name == FACT_kv_free_fraction;
}

const struct fact *facts_last(const struct fact_list *list, enum fact_name n) {
    for (size_t i = list->count; i > 0; i--)
        if (list->at[i - 1].name == n && list->at[i - 1].known)
            return &list->at[i - 1];
    return NULL;
}

const struct fact *facts_first(const struct fact_list *list, enum fact_name n) {
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].name == n && list->at[i].known)
            return &list->at[i];
    return NULL;
}

bool facts_say(const struct fact_list *list, enum fact_name name,
               const char *word) {
    const struct fact *f = facts_first(list, name);
    return f && str_eq(f->word, str_of(word));
}
