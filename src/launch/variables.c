/* variables.c: the values of variables.
 *
 *     ${X:-8} ${X-8}   the name's value, else 8
 *     ${X:=8}          the same; a script also sets X to it (script.c)
 *     ${1:-8}          8: the words that a script is started with are unknown
 *     ${X:+--flag}     --flag if the name has a value, else nothing
 *     ${X:?why} ${X}   the name's value, else unchanged
 *     $((32 * 1024))   32768, if all names in it have numbers
 *     $(basename X)    the part of X behind its last slash
 *     $$               a dollar sign (docker compose)
 *
 * The environment of oomkb's own process is not read: a file has the same
 * answer everywhere. A variable that stays unchanged is a gap for `fit`, which
 * reports it. */
#include "launch/workload.h"
#include "base/limits.h"

struct filling {
    struct arena *a;
    const struct variables *scope;
    struct buf out;
};

/* The length of a name, or of the number of a positional argument: 1, 12. */
static size_t name_length(struct str s) {
    size_t n = 0;
    bool is_position = s.n > 0 && is_digit(s.p[0]);
    while (n < s.n && (is_position ? is_digit(s.p[n]) : is_word(s.p[n])))
        n++;
    return n;
}

bool variable_value(const struct variables *scope, struct str name,
                    struct str *value) {
    const struct lint_setting *found =
        scope->names != NULL ? setting_find(scope->names, name) : NULL;
    *value = found != NULL ? found->value : STR("");
    return value->n > 0;
}

static void fill(struct filling *f, struct str text, int depth);

/* inner: the text between the braces; whole: the text with them. */
static void fill_braced(struct filling *f, struct str inner, struct str whole,
                        int depth) {
    struct str name = str_slice(inner, 0, name_length(inner)), value;
    struct str rest = str_from(inner, name.n);
    bool has_value = variable_value(f->scope, name, &value);
    bool is_colon = str_starts(rest, STR(":"));
    rest = is_colon ? str_from(rest, 1) : rest;
    char how = rest.n > 0 ? rest.p[0] : '\0';
    struct str other = str_from(rest, 1);
    if (name.n == 0 || (how != '\0' && how != '-' && how != '+' &&
                        how != '?' && how != '=')) {
        buf_add(&f->out, whole);
    } else if (how == '+') {
        if (has_value)
            fill(f, other, depth);
    } else if (has_value) {
        buf_add(&f->out, value);
    } else if (how == '-' || how == '=') {
        fill(f, other, depth);
    } else {
        buf_add(&f->out, whole);
    }
}

/* ---- $(( )) ---- */

struct sum {
    const struct variables *scope;
    struct str rest;
    bool is_known;
};

static int64_t term_of(struct sum *s) {
    struct str value, text = str_trim(s->rest);
    if (str_starts(text, STR("$")))
        text = str_from(text, 1);
    size_t n = 0;
    int64_t number = 0;
    while (n < text.n && is_word(text.p[n]))
        n++;
    struct str word = str_slice(text, 0, n);
    s->rest = str_trim(str_from(text, n));
    if (!str_to_int(word, &number) &&
        !(variable_value(s->scope, word, &value) &&
          str_to_int(value, &number)))
        s->is_known = false;
    return number;
}

static int64_t product_of(struct sum *s) {
    int64_t product = term_of(s);
    while (s->is_known && s->rest.n > 0 &&
           (s->rest.p[0] == '*' || s->rest.p[0] == '/')) {
        bool is_times = s->rest.p[0] == '*';
        s->rest = str_from(s->rest, 1);
        int64_t by = term_of(s);
        if (!is_times && by > 0)
            product /= by;
        else if (!is_times || !mul_i64(product, by, &product))
            s->is_known = false;
    }
    return product;
}

/* Reads a sum of whole numbers with + - * /. False: it is something else, or a
 * name has no number. */
static bool sum_of(const struct variables *scope, struct str text,
                   int64_t *sum) {
    struct sum s = {scope, text, true};
    *sum = product_of(&s);
    while (s.is_known && s.rest.n > 0 &&
           (s.rest.p[0] == '+' || s.rest.p[0] == '-')) {
        int64_t sign = s.rest.p[0] == '+' ? 1 : -1;
        s.rest = str_from(s.rest, 1);
        int64_t more = product_of(&s);
        s.is_known = s.is_known && more < INT64_MAX / 4 &&
                     *sum < INT64_MAX / 4 && *sum > -(INT64_MAX / 4);
        *sum += s.is_known ? sign * more : 0;
    }
    return s.is_known && s.rest.n == 0;
}

/* Fills "$((...))". Returns the number of bytes read; 0: unknown. */
static size_t fill_sum(struct filling *f, struct str text) {
    struct str inner = str_from(text, 3);
    size_t end = str_find(inner, STR("))"));
    int64_t sum;
    if (f->scope->is_compose || !str_starts(text, STR("$((")) ||
        end == inner.n || !sum_of(f->scope, str_slice(inner, 0, end), &sum))
        return 0;
    buf_printf(&f->out, "%lld", (long long)sum);
    return end + 5;
}

/* Fills "$(basename PATH)". Returns the number of bytes read; 0: unknown. */
static size_t fill_base(struct filling *f, struct str text, int depth) {
    struct str begin = STR("$(basename "), inner = str_from(text, begin.n);
    size_t end = str_find_char(inner, ')');
    if (f->scope->is_compose || !str_starts(text, begin) || end == inner.n ||
        depth >= LINT_VARIABLES_DEPTH_MAX)
        return 0;
    struct filling path = {.a = f->a, .scope = f->scope};
    struct str word = str_trim(str_slice(inner, 0, end));
    while (word.n > 0 && (word.p[0] == '"' || word.p[0] == '-'))
        word = str_trim(str_from(word, 1));
    word = str_trim_end(word, '"');
    path.out = buf_in(f->a, LINT_TEXT_BYTES_MAX);
    fill(&path, word, depth + 1);
    struct str filled = arena_str(f->a, buf_str(&path.out));
    bool is_known = filled.n > 0 && str_find_char(filled, '$') == filled.n &&
                    str_find_char(filled, ' ') == filled.n;
    if (is_known)
        buf_add(&f->out, path_base(filled));
    return is_known ? begin.n + end + 1 : 0;
}

/* Fills the variable at the dollar sign. Returns the number of bytes read. */
static size_t fill_one(struct filling *f, struct str text, int depth) {
    struct str behind = str_from(text, 1), value;
    if (f->scope->is_compose && str_starts(behind, STR("$"))) {
        buf_add_char(&f->out, '$');
        return 2;
    }
    size_t taken = fill_sum(f, text);
    taken = taken > 0 ? taken : fill_base(f, text, depth);
    if (taken > 0)
        return taken;
    if (str_starts(behind, STR("{"))) {
        size_t end = closing_at(text, 1, '}');
        end += end < text.n;
        struct str whole = str_slice(text, 0, end);
        if (depth >= LINT_VARIABLES_DEPTH_MAX || end < 4)
            buf_add(&f->out, whole);
        else
            fill_braced(f, str_slice(text, 2, end - 3), whole, depth + 1);
        return end;
    }
    struct str name = str_slice(behind, 0, name_length(behind));
    if (name.n > 0 && variable_value(f->scope, name, &value))
        buf_add(&f->out, value);
    else
        buf_add(&f->out, str_slice(text, 0, name.n + 1));
    return name.n + 1;
}

static void fill(struct filling *f, struct str text, int depth) {
    while (text.n > 0) {
        size_t at = str_find_char(text, '$');
        buf_add(&f->out, str_slice(text, 0, at));
        text = str_from(text, at);
        if (text.n > 0) {
            size_t taken = fill_one(f, text, depth);
            text = str_from(text, taken);
        }
    }
}

struct str variables_filled(struct arena *a, const struct variables *scope,
                            struct str text) {
    struct filling f = {.a = a, .scope = scope};
    if (str_find_char(text, '$') == text.n)
        return text;
    f.out = buf_in(a, LINT_TEXT_BYTES_MAX);
    fill(&f, text, 0);
    return arena_str(a, buf_str(&f.out));
}
