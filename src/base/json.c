/* json.c: jansson with arenas.
 *
 * A struct json is a handle: the jansson value and the arena that owns the
 * handle. A value that was built or parsed holds one reference, released when
 * the arena is freed; a value that was looked up borrows from its parent,
 * which lives as long. Ratios become doubles for printing only: with 15 digits
 * the nearest double of k/1000000 prints as k/1000000.
 */
#include "base/json.h"

#include <jansson.h>

#include "base/units.h"
#include "base/utf8.h"

#define RATIO_DIGITS 15

/* The Makefile renames stdin in jansson's archive to this symbol. json_loadf()
 * compares its argument with stdin to name the source in an error; oomkb does
 * not call it. */
extern void *const oomkb_no_stdin;
void *const oomkb_no_stdin = NULL;

struct json {
    json_t *value;
    struct arena *a;
};

static void release(void *what) {
    json_decref(what);
}

static struct json *borrow(struct arena *a, json_t *value) {
    if (!value)
        return NULL;
    struct json *j = arena_alloc(a, sizeof *j);
    *j = (struct json){value, a};
    return j;
}

static struct json *own(struct arena *a, json_t *value) {
    if (!value)
        arena_raise(a, FAIL_MEMORY, "out of memory for a JSON value");
    arena_defer(a, release, value);
    return borrow(a, value);
}

struct json *json_new_object(struct arena *a) {
    return own(a, json_object());
}

struct json *json_new_array(struct arena *a) {
    return own(a, json_array());
}

struct json *json_new_null(struct arena *a) {
    return own(a, json_null());
}

struct json *json_bool(struct arena *a, bool b) {
    return own(a, json_boolean(b));
}

struct json *json_int(struct arena *a, int64_t n) {
    return own(a, json_integer(n));
}

struct json *json_micro(struct arena *a, int64_t millionths) {
    if (millionths % UNITS_MICRO == 0)
        return json_int(a, millionths / UNITS_MICRO);
    return own(a, json_real((double)millionths / (double)UNITS_MICRO));
}

struct json *json_text(struct arena *a, struct str s) {
    if (utf8_is_printable(s))
        return own(a, json_stringn_nocheck(s.n ? s.p : "", s.n));
    struct buf clean = buf_in(a, 0);
    utf8_clean(&clean, s);
    struct str text = clean.n ? buf_str(&clean) : STR("");
    return own(a, json_stringn(text.p, text.n));
}

void json_set(struct json *object, const char *key, struct json *value) {
    if (json_object_set_new_nocheck(object->value, key,
                                    json_incref(value->value)) != 0)
        arena_raise(object->a, FAIL_MEMORY, "cannot set JSON key '%s'", key);
}

void json_push(struct json *array, struct json *value) {
    if (json_array_append(array->value, value->value) != 0)
        arena_raise(array->a, FAIL_MEMORY, "cannot add to a JSON array");
}

struct json *json_spelling(struct arena *a, const char *word) {
    return word != NULL ? json_text(a, str_of(word)) : json_new_null(a);
}

void json_add(struct json *o, const struct json_member *m) {
    for (; m->key != NULL; m++)
        if (m->value != NULL)
            json_set(o, m->key, m->value);
}

struct json *json_members(struct arena *a, const struct json_member *m) {
    struct json *o = json_new_object(a);
    json_add(o, m);
    return o;
}

struct json *json_list(struct arena *a, struct json *const *values) {
    struct json *list = json_new_array(a);
    for (; *values != NULL; values++)
        json_push(list, *values);
    return list;
}

static json_t *load(struct str text, json_error_t *error) {
    const char *p = text.n ? text.p : "";
    return json_loadb(p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, error);
}

struct json *json_parse(struct arena *a, struct str text, struct str name) {
    json_error_t error;
    json_t *value = load(text, &error);
    if (!value)
        arena_raise(a, FAIL_INPUT, "%.*s:%d:%d: not JSON: %s",
                    (int)(name.n < 100 ? name.n : 100), name.n ? name.p : "",
                    error.line, error.column, error.text);
    return own(a, value);
}

bool json_try_parse(struct arena *a, struct str text, struct json **out) {
    json_error_t error;
    json_t *value = load(text, &error);
    if (!value)
        return false;
    *out = own(a, value);
    return true;
}

static json_t *member(struct json *object, const char *key) {
    return object ? json_object_get(object->value, key) : NULL;
}

struct json *json_get(struct json *object, const char *key) {
    return object ? borrow(object->a, member(object, key)) : NULL;
}

bool json_is_list(struct json *value) {
    return value && json_is_array(value->value);
}

size_t json_count(struct json *array) {
    return array ? json_array_size(array->value) : 0;
}

struct json *json_at(struct json *array, size_t i) {
    return array ? borrow(array->a, json_array_get(array->value, i)) : NULL;
}

static bool read_text(const json_t *value, struct str *out) {
    if (!json_is_string(value))
        return false;
    *out = (struct str){json_string_value(value), json_string_length(value)};
    return true;
}

static bool read_int(const json_t *value, int64_t *out) {
    if (!json_is_integer(value))
        return false;
    *out = json_integer_value(value);
    return true;
}

bool json_get_text(struct json *object, const char *key, struct str *out) {
    return read_text(member(object, key), out);
}

bool json_get_int(struct json *object, const char *key, int64_t *out) {
    return read_int(member(object, key), out);
}

bool json_get_bool(struct json *object, const char *key, bool *out) {
    json_t *value = member(object, key);
    if (!json_is_boolean(value))
        return false;
    *out = json_is_true(value);
    return true;
}

bool json_as_text(struct json *value, struct str *out) {
    return value != NULL && read_text(value->value, out);
}

bool json_as_int(struct json *value, int64_t *out) {
    return value != NULL && read_int(value->value, out);
}

static int add_to_buf(const char *bytes, size_t n, void *out) {
    struct buf *b = out;
    buf_add(b, (struct str){bytes, n});
    return buf_ok(b) ? 0 : -1;
}

void json_write(struct json *value, bool pretty, struct buf *out) {
    size_t layout = pretty ? JSON_INDENT(2) : JSON_COMPACT;
    size_t flags = layout | JSON_ENCODE_ANY | JSON_REAL_PRECISION(RATIO_DIGITS);
    struct arena *raises = out->a;
    out->a = NULL; /* a raise in the callback would leak jansson's memory */
    if (json_dump_callback(value->value, add_to_buf, out, flags) != 0)
        out->failed = true;
    out->a = raises;
    if (raises != NULL)
        buf_check(out, "the JSON");
}
