/* value.c: reading and checking one value of each kind.
 *
 * Each function uses one node only. References to other files are checked by
 * the check_*.c files. */
#include <string.h>

#include "author/read.h"
#include "base/units.h"
#include "base/utf8.h"

bool value_has_kind(const struct reading *r, const struct node *n,
                    enum node_kind kind) {
    static const char *const names[] = {"a single value", "a list",
                                        "a mapping"};
    if (n->kind == kind)
        return true;
    complain(r->c, r->src,
             n->kind == NODE_SCALAR ? n->place : node_begin(n),
             CODE_wrong_type, "%s is wanted here, not %s", names[kind],
             names[n->kind]);
    return false;
}

struct str value_line(const struct reading *r, const struct node *n) {
    if (!value_has_kind(r, n, NODE_SCALAR))
        return (struct str){0};
    if (str_trim(n->text).n == 0)
        complain(r->c, r->src, n->place, CODE_empty_text,
                 "nothing stands here");
    return n->text;
}

struct str value_id(const struct reading *r, const struct node *n) {
    struct str s = value_line(r, n);
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if ((is_letter(c) && !is_upper(c)) || is_digit(c)
            || (i > 0 && (c == '-' || c == '_' || c == '.')))
            continue;
        complain(r->c, r->src, n->place, CODE_wrong_type,
                 "`%.*s` is no id: lower-case letters and digits, then also "
                 "`.`, `_`, `-`", STR_ARG(s));
        return (struct str){0};
    }
    return s;
}

struct str value_link(const struct reading *r, const struct node *n) {
    struct str s = value_line(r, n);
    struct str https = STR("https://");
    if (s.n == 0 || (str_starts(s, https) && s.n > https.n
                     && str_find_char(s, ' ') == s.n))
        return s;
    complain(r->c, r->src, n->place, CODE_bad_link,
             "a link starts with https:// and has no blanks");
    return (struct str){0};
}

/* An id of the form component/slug. */
struct str value_entry_id(const struct reading *r, const struct node *n) {
    struct str s = value_line(r, n);
    struct str slug;
    struct str component = str_cut(s, '/', &slug);
    if (s.n == 0 || (component.n > 0 && slug.n > 0))
        return s;
    complain(r->c, r->src, n->place, CODE_wrong_type,
             "`%.*s` is no id of an entry: component/slug", STR_ARG(s));
    return (struct str){0};
}

static bool read_digits(struct str s, int64_t *value) {
    return s.n > 0 && is_digit(s.p[0]) && str_to_int(s, value);
}

static bool is_day(struct str s) {
    static const int64_t days[] = {31, 28, 31, 30, 31, 30,
                                   31, 31, 30, 31, 30, 31};
    int64_t year, month, day;
    if (s.n != 10 || s.p[4] != '-' || s.p[7] != '-'
        || !read_digits(str_slice(s, 0, 4), &year)
        || !read_digits(str_slice(s, 5, 2), &month)
        || !read_digits(str_slice(s, 8, 2), &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || year < 1990)
        return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day <= days[month - 1] + (month == 2 && leap);
}

struct str value_date(const struct reading *r, const struct node *n) {
    struct str s = value_line(r, n);
    if (s.n == 0 || is_day(s))
        return s;
    complain(r->c, r->src, n->place, CODE_bad_date,
             "`%.*s` is no day: YYYY-MM-DD, since 1990", STR_ARG(s));
    return (struct str){0};
}

static void refuse_word(const struct reading *r, const struct field *f,
                        const struct node *n) {
    struct buf allowed = buf_in(r->c->a, 4096);
    const char *word;
    for (int i = 0; (word = field_word(f, i)) != NULL; i++)
        buf_printf(&allowed, "%s%s", i > 0 ? " " : "", word);
    complain(r->c, r->src, n->place, CODE_bad_word,
             "`%.*s` is no %s; one of: %.*s", STR_ARG(n->text), f->key,
             STR_ARG(buf_str(&allowed)));
}

struct str value_choice(const struct reading *r, const struct field *f,
                       const struct node *n, int *number) {
    if (!value_has_kind(r, n, NODE_SCALAR))
        return (struct str){0};
    const char *word;
    for (int i = 0; (word = field_word(f, i)) != NULL; i++) {
        if (str_eq(n->text, str_of(word))) {
            *number = i;
            return n->text;
        }
    }
    refuse_word(r, f, n);
    return (struct str){0};
}

static struct str read_one_language(const struct reading *r,
                                    const struct node *map, const char *lang,
                                    enum code missing) {
    const struct node *n = node_get(map, lang);
    if (n != NULL)
        return str_trim(value_line(r, n));
    complain(r->c, r->src, node_begin(map), missing,
             "`%s` is missing: every public text has `en` and `zh`", lang);
    return (struct str){0};
}

static bool has_han(struct str s) {
    uint32_t cp;
    for (size_t i = 0; i < s.n; i += utf8_next(str_slice(s, i, 4), &cp)) {
        utf8_next(str_slice(s, i, 4), &cp);
        if ((cp >= 0x4e00 && cp <= 0x9fff) || (cp >= 0x3400 && cp <= 0x4dbf))
            return true;
    }
    return false;
}

static void check_chinese(const struct reading *r, const struct node *map,
                          struct text t) {
    if (t.in[LANG_EN].n == 0 || t.in[LANG_ZH].n == 0)
        return;
    struct place place = node_get(map, "zh")->place;
    if (str_eq(t.in[LANG_EN], t.in[LANG_ZH]))
        complain(r->c, r->src, place, CODE_zh_equals_en,
                 "`zh` repeats `en`; write it in Chinese");
    else if (!has_han(t.in[LANG_ZH]))
        complain(r->c, r->src, place, CODE_zh_without_han,
                 "`zh` has no Chinese character");
}

struct text value_text(const struct reading *r, const struct node *n) {
    struct text t = {0};
    if (!value_has_kind(r, n, NODE_MAP))
        return t;
    for (size_t i = 0; i < n->count; i++) {
        const struct node *key = n->pairs[i].key;
        if (!str_eq(key->text, STR("en")) && !str_eq(key->text, STR("zh")))
            complain(r->c, r->src, key->place, CODE_unknown_key,
                     "unknown key `%.*s` here; a text takes `en` and `zh`",
                     STR_ARG(key->text));
    }
    t.in[LANG_EN] = read_one_language(r, n, "en", CODE_missing_en);
    t.in[LANG_ZH] = read_one_language(r, n, "zh", CODE_missing_zh);
    check_chinese(r, n, t);
    return t;
}

enum fact_name value_fact(const struct reading *r, const struct node *n) {
    enum fact_name name = (enum fact_name)0;
    struct str s = value_line(r, n);
    if (s.n > 0 && !fact_named(s, &name))
        complain(r->c, r->src, n->place, CODE_unknown_fact,
                 "there is no fact `%.*s`", STR_ARG(s));
    return name;
}

bool value_yes_no(const struct reading *r, const struct node *n) {
    if (!value_has_kind(r, n, NODE_SCALAR))
        return false;
    if (str_eq(n->text, STR("true")))
        return true;
    if (!str_eq(n->text, STR("false")))
        complain(r->c, r->src, n->place, CODE_wrong_type,
                 "`%.*s` is neither `true` nor `false`", STR_ARG(n->text));
    return false;
}

int64_t value_integer(const struct reading *r, const struct node *n,
                     int64_t absent) {
    int64_t value;
    if (!value_has_kind(r, n, NODE_SCALAR))
        return absent;
    if (n->text.n > 0 && read_digits(n->text, &value))
        return value;
    complain(r->c, r->src, n->place, CODE_bad_number,
             "`%.*s` is no whole number of 0 or more", STR_ARG(n->text));
    return absent;
}

enum { DECIMAL_MOST = 1000 };

/* True for digits, with at most six decimals. */
static bool is_decimal(struct str s) {
    size_t point = str_find_char(s, '.');
    bool good = point > 0 && point + 1 != s.n
                && (point >= s.n || s.n - point - 1 <= 6);
    for (size_t i = 0; i < s.n; i++)
        good = good && (i == point || is_digit(s.p[i]));
    return good && s.n > 0;
}

/* A number from 0 to `most`, in millionths. */
static int64_t value_micro(const struct reading *r, const struct node *n,
                           const char *what, int most, int64_t absent) {
    struct amount number;
    if (!value_has_kind(r, n, NODE_SCALAR))
        return absent;
    if (is_decimal(n->text) && units_read(n->text, UNITS_MICRO, &number)
        && number.known && number.value <= most * UNITS_MICRO)
        return number.value;
    complain(r->c, r->src, n->place, CODE_bad_number,
             "`%.*s` is no %s from 0 to %d of at most six decimals",
             STR_ARG(n->text), what, most);
    return absent;
}

int64_t value_decimal(const struct reading *r, const struct node *n) {
    return value_micro(r, n, "number", DECIMAL_MOST, 0);
}

int64_t value_ratio(const struct reading *r, const struct node *n,
                    int64_t absent) {
    return value_micro(r, n, "share", 1, absent);
}

int64_t value_weight(const struct reading *r, const struct node *n) {
    static const char *const weights[] = {"-4", "-2", "-1", "1", "2", "4"};
    int64_t weight = 0;
    if (!value_has_kind(r, n, NODE_SCALAR))
        return 0;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        if (str_eq(n->text, str_of(weights[i])))
            return str_to_int(n->text, &weight) ? weight : 0;
    complain(r->c, r->src, n->place, CODE_bad_number,
             "`%.*s` is no weight: -4 -2 -1 1 2 4", STR_ARG(n->text));
    return 0;
}

static bool read_amount(const struct reading *r, const struct node *n,
                        int64_t *value) {
    struct amount amount;
    if (!value_has_kind(r, n, NODE_SCALAR))
        return false;
    if (units_read(n->text, 1, &amount) && amount.known && amount.value > 0) {
        *value = amount.value;
        return true;
    }
    complain(r->c, r->src, n->place, CODE_bad_number,
             "`%.*s` is no amount of memory: \"79.14 GiB\"", STR_ARG(n->text));
    return false;
}

void value_amounts(const struct reading *r, const struct node *n, int64_t *low,
                  int64_t *high) {
    if (!value_has_kind(r, n, NODE_LIST))
        return;
    int64_t value[2];
    if (n->count != 2) {
        complain(r->c, r->src, n->place, CODE_wrong_type,
                 "two amounts are wanted here: the least and the most");
        return;
    }
    if (!read_amount(r, n->items[0], &value[0])
        || !read_amount(r, n->items[1], &value[1]))
        return;
    if (value[0] > value[1]) {
        complain(r->c, r->src, n->items[0]->place, CODE_bad_number,
                 "the least comes first, the most after it");
        return;
    }
    *low = value[0];
    *high = value[1];
}
