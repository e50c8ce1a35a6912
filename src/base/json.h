/* json.h: JSON through a library (jansson). Only json.c includes <jansson.h>.
 * Values are owned by an arena, so callers count no references. Object keys
 * keep the order in which they were set. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/buf.h"

struct json; /* opaque */

/* Building. Strings are made valid UTF-8 by utf8_clean(). */
struct json *json_new_object(struct arena *a);
struct json *json_new_array(struct arena *a);
struct json *json_text(struct arena *a, struct str s);
struct json *json_int(struct arena *a, int64_t n);
struct json *json_micro(struct arena *a, int64_t millionths); /* 0.95 */
struct json *json_bool(struct arena *a, bool b);
struct json *json_new_null(struct arena *a);
void json_set(struct json *object, const char *key, struct json *value);
void json_push(struct json *array, struct json *value);
struct json *json_spelling(struct arena *a, const char *word); /* or null */

/* {key: value, ...} in this order; a member whose value is NULL is left out. */
struct json_member {
    const char *key; /* NULL ends the list */
    struct json *value;
};
struct json *json_members(struct arena *a, const struct json_member *m);
void json_add(struct json *o, const struct json_member *m);
#define JSON_MEMBERS(...)                                                      \
    ((const struct json_member[]){__VA_ARGS__, {NULL, NULL}})
#define JSON_OBJECT(a, ...) json_members(a, JSON_MEMBERS(__VA_ARGS__))
#define JSON_ADD(o, ...) json_add(o, JSON_MEMBERS(__VA_ARGS__))
/* [value, ...]; NULL ends the list. */
struct json *json_list(struct arena *a, struct json *const *values);
#define JSON_LIST(a, ...)                                                      \
    json_list(a, (struct json *const[]){__VA_ARGS__, NULL})

/* Reading. NULL or false: absent, or of another type. json_parse() raises
 * FAIL_INPUT. */
struct json *json_parse(struct arena *a, struct str text, struct str name);
bool json_try_parse(struct arena *a, struct str text, struct json **out);
struct json *json_get(struct json *object, const char *key);
bool json_is_list(struct json *value);
size_t json_count(struct json *array);
struct json *json_at(struct json *array, size_t i);
bool json_get_text(struct json *object, const char *key, struct str *out);
bool json_get_int(struct json *object, const char *key, int64_t *out);
bool json_get_bool(struct json *object, const char *key, bool *out);
/* The value itself, for items of an array. */
bool json_as_text(struct json *value, struct str *out);
bool json_as_int(struct json *value, int64_t *out);

/* pretty: indented by two blanks; else one line. No trailing newline. */
void json_write(struct json *value, bool pretty, struct buf *out);

#endif
