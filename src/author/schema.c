/* schema.c: kb/entry.schema.json from the tables of fields, for editors that
 * check while typing. It is JSON Schema 2020-12, with nothing that draft-07
 * reads differently: `definitions` and $ref, no $defs. The compiler checks more
 * than a schema can express. */
#include "author/author.h"
#include "base/limits.h"
#include "corpus/fields.h"
#include "base/json.h"

struct schema {
    struct arena *a;
    struct json *definitions;
};

static struct json *text(struct schema *s, const char *value) {
    return json_spelling(s->a, value);
}

static struct json *typed(struct schema *s, const char *type) {
    return JSON_OBJECT(s->a, {"type", text(s, type)});
}

static struct json *string_like(struct schema *s, const char *pattern) {
    struct json *o = typed(s, "string");
    if (pattern != NULL)
        json_set(o, "pattern", text(s, pattern));
    else
        json_set(o, "minLength", json_int(s->a, 1));
    return o;
}

/* YAML readers may read a line such as 1.2 or true as a number or a boolean. */
static struct json *scalar(struct schema *s) {
    return JSON_OBJECT(s->a, {"type", JSON_LIST(s->a, text(s, "string"),
                                                text(s, "number"),
                                                text(s, "boolean"))});
}

static struct json *list_of(struct schema *s, struct json *item) {
    struct json *o = typed(s, "array");
    json_set(o, "items", item);
    return o;
}

static struct json *words(struct schema *s, const struct field *f) {
    struct json *list = json_new_array(s->a);
    const char *word;
    for (int i = 0; (word = field_word(f, i)) != NULL; i++)
        json_push(list, text(s, word));
    return JSON_OBJECT(s->a, {"enum", list});
}

static struct json *reference(struct schema *s, const char *name) {
    struct str to = arena_printf(s->a, "#/definitions/%s", name);
    return JSON_OBJECT(s->a, {"$ref", json_text(s->a, to)});
}

static struct json *number(struct schema *s, const char *type, int64_t most) {
    struct json *o = typed(s, type);
    json_set(o, "minimum", json_int(s->a, 0));
    if (most > 0)
        json_set(o, "maximum", json_int(s->a, most));
    return o;
}

/* Allow only these keys. */
static void close_object(struct schema *s, struct json *o,
                         struct json *properties, struct json *required) {
    JSON_ADD(o, {"properties", properties},
             {"required", json_count(required) > 0 ? required : NULL},
             {"additionalProperties", json_bool(s->a, false)});
}

static struct json *object_of(struct schema *s, const struct shape *shape);

/* Spaces of a shape's name would need escapes in a $ref. */
static struct json *shape_reference(struct schema *s,
                                    const struct shape *shape) {
    const char *name =
        arena_swap(s->a, str_of(shape->name), ' ', '_').p;
    if (json_get(s->definitions, name) == NULL) {
        json_set(s->definitions, name, json_new_object(s->a));
        json_set(s->definitions, name, object_of(s, shape));
    }
    return reference(s, name);
}

#define ID_PATTERN "^[a-z0-9][a-z0-9._-]*$"
#define ENTRY_PATTERN "^[a-z0-9._-]+/[a-z0-9._-]+$"
#define LINK_PATTERN "^https://[^ ]+$"
#define DATE_PATTERN "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"

/* A mapping whose keys are ids. */
static struct json *mapping_to(struct schema *s, struct json *value) {
    struct json *o = typed(s, "object");
    JSON_ADD(o, {"propertyNames", string_like(s, ID_PATTERN)},
             {"additionalProperties", value});
    return o;
}

static struct json *value_of(struct schema *s, const struct field *f) {
    static const struct field strength = {.type = FIELD_WORD,
                                          .words = WORDS_STRENGTH};
    switch (f->type) {
    case FIELD_LINE: return scalar(s);
    case FIELD_ID: return string_like(s, ID_PATTERN);
    case FIELD_TEXT: return reference(s, "text");
    case FIELD_PATTERN: return string_like(s, NULL);
    case FIELD_PATTERNS:
    case FIELD_WHEN: return list_of(s, string_like(s, NULL));
    case FIELD_LINES: return list_of(s, scalar(s));
    case FIELD_LINKS: return list_of(s, string_like(s, LINK_PATTERN));
    case FIELD_LINK: return string_like(s, LINK_PATTERN);
    case FIELD_DATE: return string_like(s, DATE_PATTERN);
    case FIELD_ENTRY: return string_like(s, ENTRY_PATTERN);
    case FIELD_ENTRIES: return list_of(s, string_like(s, ENTRY_PATTERN));
    case FIELD_FACT: return reference(s, "fact");
    case FIELD_SETTINGS: return reference(s, "settings");
    case FIELD_EVENTS: return reference(s, "events");
    case FIELD_WORD:
    case FIELD_CHOICE: return words(s, f);
    case FIELD_YES_NO:
    case FIELD_YES_NO_UNKNOWN: return typed(s, "boolean");
    case FIELD_INTEGER: return number(s, "integer", 0);
    case FIELD_RATIO: return number(s, "number", 1);
    case FIELD_DECIMAL: return number(s, "number", 1000);
    case FIELD_WEIGHT: return typed(s, "integer");
    case FIELD_PREDICATE: return string_like(s, NULL);
    case FIELD_SHARES: return mapping_to(s, number(s, "number", 1));
    case FIELD_CURES: return mapping_to(s, words(s, &strength));
    case FIELD_AMOUNTS: return list_of(s, typed(s, "string"));
    case FIELD_MAP: return shape_reference(s, f->shape);
    case FIELD_LIST: return list_of(s, shape_reference(s, f->shape));
    }
    return json_new_object(s->a);
}

/* Add a description. Draft-07 ignores it beside a $ref. */
static struct json *described(struct schema *s, struct json *o,
                              const char *doc) {
    json_set(o, "description", text(s, doc));
    return o;
}

static struct json *object_of(struct schema *s, const struct shape *shape) {
    struct json *o = typed(s, "object");
    struct json *properties = json_new_object(s->a);
    struct json *required = json_new_array(s->a);
    for (const struct field *f = field_written(shape->fields); f != NULL;
         f = field_written(f + 1)) {
        json_set(properties, f->key, described(s, value_of(s, f), f->doc));
        if (f->is_required)
            json_push(required, text(s, f->key));
    }
    json_set(o, "description", text(s, shape->doc));
    close_object(s, o, properties, required);
    return o;
}

static struct json *text_object(struct schema *s) {
    struct json *o = typed(s, "object");
    struct json *properties = json_new_object(s->a);
    struct json *required = json_new_array(s->a);
    static const char *const langs[][2] = {{"en", "the text in English"},
                                           {"zh", "the same in Chinese"}};
    for (int i = 0; i < 2; i++) {
        json_set(properties, langs[i][0],
                 described(s, string_like(s, NULL), langs[i][1]));
        json_push(required, text(s, langs[i][0]));
    }
    close_object(s, o, properties, required);
    return o;
}

static struct json *fact_names(struct schema *s) {
    struct json *list = json_new_array(s->a);
    for (int i = 0; i < FACT_COUNT_OF; i++)
        json_push(list, text(s, fact_spelling((enum fact_name)i)));
    return JSON_OBJECT(s->a, {"enum", list});
}

static struct json *settings_object(struct schema *s) {
    struct json *o = typed(s, "object");
    struct json *properties = json_new_object(s->a);
    for (int i = 0; i < FACT_COUNT_OF; i++) {
        enum fact_name name = (enum fact_name)i;
        struct str doc = arena_printf(s->a, "its value, as a log prints it: %s",
                                      unit_spelling(fact_unit(name)));
        json_set(properties, fact_spelling(name),
                 described(s, scalar(s), doc.p));
    }
    close_object(s, o, properties, NULL);
    return o;
}

static struct json *events_list(struct schema *s) {
    struct json *event = typed(s, "object");
    const char *from = "the first release of the range";
    const char *until = "the first release behind the range";
    struct json *properties =
        JSON_OBJECT(s->a, {"introduced", described(s, scalar(s), from)},
                    {"fixed", described(s, scalar(s), until)});
    JSON_ADD(event, {"properties", properties},
             {"minProperties", json_int(s->a, 1)},
             {"maxProperties", json_int(s->a, 1)},
             {"additionalProperties", json_bool(s->a, false)});
    struct json *o = list_of(s, event);
    json_set(o, "minItems", json_int(s->a, 1));
    return o;
}

struct str author_entry_schema(struct arena *a) {
    struct schema s = {a, json_new_object(a)};
    struct buf out = buf_in(a, SCHEMA_BYTES_MAX);
    JSON_ADD(s.definitions, {"text", text_object(&s)}, {"fact", fact_names(&s)},
             {"settings", settings_object(&s)}, {"events", events_list(&s)});
    struct json *entry = object_of(&s, &shape_entry);
    const char *draft = "https://json-schema.org/draft/2020-12/schema";
    struct json *root = JSON_OBJECT(
        a, {"$schema", text(&s, draft)},
        {"$id", text(&s, "urn:oomkb:schema:entry:1")},
        {"title", text(&s, "oomkb entry")}, {"type", text(&s, "object")});
    static const char *const parts[] = {"description", "properties",
                                        "required", "additionalProperties"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        json_set(root, parts[i], json_get(entry, parts[i]));
    json_set(root, "definitions", s.definitions);
    json_write(root, true, &out);
    buf_add_char(&out, '\n');
    buf_check(&out, "the schema");
    return arena_str(a, buf_str(&out));
}
