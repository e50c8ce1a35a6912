/* json.c: JSON as a tree in an arena.
 *
 *     json_new_object(), json_set() ... --> struct json --> json_write()
 *     text --> jansson --> struct json
 *
 * jansson only parses. A report has some thousand values: a tree of nodes in
 * the arena costs a quarter of jansson's reference counts, hash tables and
 * printing.
 *
 * Numbers are whole, or millionths: no reader needs more of a fraction, and
 * what is written is the same in every locale.
 */
#include "base/json.h"

#include <jansson.h>

#include "base/units.h"
#include "base/utf8.h"

/* The Makefile renames stdin in jansson's archive to this symbol. json_loadf()
 * compares its argument with stdin to name the source in an error; oomkb does
 * not call it. */
extern void *const oomkb_no_stdin;
void *const oomkb_no_stdin = NULL;

enum kind {
    KIND_NULL, KIND_BOOL, KIND_INTEGER, KIND_MICRO, KIND_TEXT, KIND_ARRAY,
    KIND_OBJECT
};

struct item { /* of an array; of an object, with a key */
    struct str key;
    struct json *value;
};

struct json {
    struct arena *a;
    enum kind kind;
    union {
        int64_t number; /* a bool, an integer, millionths */
        struct str text;
        struct {
            struct item *items;
            size_t count, cap;
        };
    };
};

/* ---- building ---- */

static struct json *make(struct arena *a, enum kind kind) {
    struct json *j = arena_alloc(a, sizeof *j);
    j->a = a;
    j->kind = kind;
    return j;
}

static struct json *number(struct arena *a, enum kind kind, int64_t n) {
    struct json *j = make(a, kind);
    j->number = n;
    return j;
}

/* With room for so many items. */
static struct json *container(struct arena *a, enum kind kind, size_t cap) {
    struct json *j = make(a, kind);
    j->items = cap > 0 ? arena_array(a, cap, sizeof *j->items) : NULL;
    j->cap = cap;
    return j;
}

struct json *json_new_object(struct arena *a) {
    return make(a, KIND_OBJECT);
}

struct json *json_new_array(struct arena *a) {
    return make(a, KIND_ARRAY);
}

struct json *json_new_null(struct arena *a) {
    return make(a, KIND_NULL);
}

struct json *json_bool(struct arena *a, bool b) {
    return number(a, KIND_BOOL, b);
}

struct json *json_int(struct arena *a, int64_t n) {
    return number(a, KIND_INTEGER, n);
}

struct json *json_micro(struct arena *a, int64_t millionths) {
    return millionths % UNITS_MICRO == 0
               ? json_int(a, millionths / UNITS_MICRO)
               : number(a, KIND_MICRO, millionths);
}

struct json *json_text(struct arena *a, struct str s) {
    struct json *j = make(a, KIND_TEXT);
    if (utf8_is_printable(s)) {
        j->text = arena_str(a, s);
        return j;
    }
    struct buf clean = buf_in(a, 0);
    utf8_clean(&clean, s);
    j->text = buf_str(&clean);
    return j;
}

static struct item *item_named(const struct json *object, struct str key) {
    size_t count = object->kind == KIND_OBJECT ? object->count : 0;
    for (size_t i = 0; i < count; i++)
        if (str_eq(object->items[i].key, key))
            return &object->items[i];
    return NULL;
}

static void append(struct json *to, struct str key, struct json *value) {
    *ARENA_ADD(to->a, to->items, to->count, to->cap) =
        (struct item){key, value};
}

void json_set(struct json *object, const char *key, struct json *value) {
    struct item *known = item_named(object, str_of(key));
    if (known != NULL)
        known->value = value;
    else
        append(object, arena_str(object->a, str_of(key)), value);
}

void json_push(struct json *array, struct json *value) {
    append(array, STR(""), value);
}

struct json *json_spelling(struct arena *a, const char *word) {
    return word != NULL ? json_text(a, str_of(word)) : json_new_null(a);
}

void json_add(struct json *o, const struct json_member *m) {
    for (; m->key != NULL; m++)
        if (m->value != NULL)
            append(o, str_of(m->key), m->value);
}

struct json *json_members(struct arena *a, const struct json_member *m) {
    size_t count = 0;
    while (m[count].key != NULL)
        count++;
    struct json *o = container(a, KIND_OBJECT, count);
    json_add(o, m);
    return o;
}

struct json *json_list(struct arena *a, struct json *const *values) {
    struct json *list = json_new_array(a);
    for (; *values != NULL; values++)
        json_push(list, *values);
    return list;
}

/* ---- parsing ---- */

static void release(void *what) {
    json_decref(what);
}

/* Of a fraction the nearest millionth; 0 for one beyond all that is counted. */
static int64_t micro_of(double x) {
    double micro = x * (double)UNITS_MICRO;
    bool is_counted = micro > -9e18 && micro < 9e18;
    return is_counted ? (int64_t)(micro + (micro < 0 ? -0.5 : 0.5)) : 0;
}

static struct json *copy(struct arena *a, json_t *value) {
    struct json *j = NULL;
    size_t i;
    const char *key;
    json_t *part;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        j = container(a, KIND_OBJECT, json_object_size(value));
        json_object_foreach(value, key, part) {
            append(j, str_of(key), copy(a, part));
        }
        return j;
    case JSON_ARRAY:
        j = container(a, KIND_ARRAY, json_array_size(value));
        json_array_foreach(value, i, part) {
            json_push(j, copy(a, part));
        }
        return j;
    case JSON_STRING:
        j = make(a, KIND_TEXT);
        j->text = (struct str){json_string_value(value),
                               json_string_length(value)};
        return j;
    case JSON_INTEGER: return json_int(a, json_integer_value(value));
    case JSON_REAL:
        return number(a, KIND_MICRO, micro_of(json_real_value(value)));
    case JSON_TRUE:
    case JSON_FALSE: return json_bool(a, json_is_true(value));
    case JSON_NULL: break;
    }
    return json_new_null(a);
}

/* The tree has views of jansson's texts, so the arena owns those, too. */
static struct json *load(struct arena *a, struct str text,
                         json_error_t *error) {
    json_t *value = json_loadb(text.n ? text.p : "", text.n,
                               JSON_DECODE_ANY | JSON_ALLOW_NUL, error);
    if (!value)
        return NULL;
    arena_defer(a, release, value);
    return copy(a, value);
}

struct json *json_parse(struct arena *a, struct str text, struct str name) {
    json_error_t error;
    struct json *value = load(a, text, &error);
    if (!value)
        arena_raise(a, FAIL_INPUT, "%.*s:%d:%d: not JSON: %s",
                    (int)(name.n < 100 ? name.n : 100), name.n ? name.p : "",
                    error.line, error.column, error.text);
    return value;
}

bool json_try_parse(struct arena *a, struct str text, struct json **out) {
    json_error_t error;
    struct json *value = load(a, text, &error);
    if (value != NULL)
        *out = value;
    return value != NULL;
}

/* ---- reading ---- */

struct json *json_get(struct json *object, const char *key) {
    struct item *i = object ? item_named(object, str_of(key)) : NULL;
    return i != NULL ? i->value : NULL;
}

bool json_is_list(struct json *value) {
    return value && value->kind == KIND_ARRAY;
}

size_t json_count(struct json *array) {
    return json_is_list(array) ? array->count : 0;
}

struct json *json_at(struct json *array, size_t i) {
    return i < json_count(array) ? array->items[i].value : NULL;
}

bool json_as_text(struct json *value, struct str *out) {
    bool is_text = value != NULL && value->kind == KIND_TEXT;
    if (is_text)
        *out = value->text;
    return is_text;
}

bool json_as_int(struct json *value, int64_t *out) {
    bool is_integer = value != NULL && value->kind == KIND_INTEGER;
    if (is_integer)
        *out = value->number;
    return is_integer;
}

bool json_get_text(struct json *object, const char *key, struct str *out) {
    return json_as_text(json_get(object, key), out);
}

bool json_get_int(struct json *object, const char *key, int64_t *out) {
    return json_as_int(json_get(object, key), out);
}

bool json_get_bool(struct json *object, const char *key, bool *out) {
    struct json *value = json_get(object, key);
    bool is_bool = value != NULL && value->kind == KIND_BOOL;
    if (is_bool)
        *out = value->number != 0;
    return is_bool;
}

/* ---- writing ---- */

struct layout {
    struct buf *out;
    bool is_pretty;
};

static void begin_line(const struct layout *l, size_t depth) {
    if (!l->is_pretty)
        return;
    buf_add_char(l->out, '\n');
    buf_fill(l->out, ' ', 2 * depth);
}

static void write_escape(struct buf *out, char c) {
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    size_t i = 0;
    while (names[i] != '\0' && names[i] != c)
        i += 2;
    buf_add_char(out, '\\');
    if (names[i] != '\0')
        buf_add_char(out, names[i + 1]);
    else
        buf_printf(out, "u%04X", (unsigned)(unsigned char)c);
}

static void write_text(struct buf *out, struct str s) {
    size_t from = 0;
    buf_add_char(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if ((unsigned char)c >= ' ' && c != '"' && c != '\\')
            continue;
        buf_add(out, str_slice(s, from, i - from));
        write_escape(out, c);
        from = i + 1;
    }
    buf_add(out, str_from(s, from));
    buf_add_char(out, '"');
}

/* The last digits of n, at least so many; returns where they begin. */
static char *digits_before(char *end, uint64_t n, size_t least) {
    char *p = end;
    for (; n > 0 || p + least > end; n /= 10)
        *--p = (char)('0' + n % 10);
    return p;
}

static void write_integer(struct buf *out, int64_t n) {
    char digits[20], *end = digits + sizeof digits;
    uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    char *p = digits_before(end, size, 1);
    if (n < 0)
        buf_add_char(out, '-');
    buf_add(out, (struct str){p, (size_t)(end - p)});
}

/* 0.95; below a ten-thousandth 9.5e-5, as C's %g does. */
static void write_micro(struct buf *out, int64_t micro) {
    uint64_t size = micro < 0 ? 0 - (uint64_t)micro : (uint64_t)micro;
    uint64_t whole = size / UNITS_MICRO, part = size % UNITS_MICRO;
    bool is_small = size > 0 && size < 100;
    char digits[6], *p = digits_before(digits + 6, part, 6);
    size_t n = 6;
    if (micro < 0)
        buf_add_char(out, '-');
    if (is_small) {
        p = digits_before(digits + 6, size, 1);
        n = (size_t)(digits + 6 - p);
        whole = (uint64_t)(*p++ - '0');
        n--;
    }
    while (n > (is_small ? 0 : 1) && p[n - 1] == '0')
        n--;
    write_integer(out, (int64_t)whole);
    if (n > 0)
        buf_add_char(out, '.');
    buf_add(out, (struct str){p, n});
    if (is_small)
        buf_add(out, size < 10 ? STR("e-6") : STR("e-5"));
}

static void write_value(const struct layout *l, const struct json *j,
                        size_t depth);

static void write_items(const struct layout *l, const struct json *j,
                        size_t depth) {
    bool is_object = j->kind == KIND_OBJECT;
    buf_add_char(l->out, is_object ? '{' : '[');
    for (size_t i = 0; i < j->count; i++) {
        if (i > 0)
            buf_add_char(l->out, ',');
        begin_line(l, depth + 1);
        if (is_object) {
            write_text(l->out, j->items[i].key);
            buf_add(l->out, l->is_pretty ? STR(": ") : STR(":"));
        }
        write_value(l, j->items[i].value, depth + 1);
    }
    if (j->count > 0)
        begin_line(l, depth);
    buf_add_char(l->out, is_object ? '}' : ']');
}

static void write_value(const struct layout *l, const struct json *j,
                        size_t depth) {
    switch (j->kind) {
    case KIND_NULL: buf_add(l->out, STR("null")); return;
    case KIND_BOOL:
        buf_add(l->out, j->number != 0 ? STR("true") : STR("false"));
        return;
    case KIND_INTEGER: write_integer(l->out, j->number); return;
    case KIND_MICRO: write_micro(l->out, j->number); return;
    case KIND_TEXT: write_text(l->out, j->text); return;
    case KIND_ARRAY:
    case KIND_OBJECT: write_items(l, j, depth); return;
    }
}

void json_write(struct json *value, bool pretty, struct buf *out) {
    struct layout l = {out, pretty};
    write_value(&l, value, 0);
}
