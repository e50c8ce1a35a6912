/* fields.h: every key of the entry language and of kb/, once.
 *
 *   shape  a mapping: the struct that it fills and its fields
 *   field  a key: its type, the member it fills, whether it is required
 *
 * The YAML reader, the check for unknown keys, kb/FORMAT.md,
 * kb/entry.schema.json, the records of the pack, the JSON of the index and the
 * JSON of an entry are all made from these tables. A new field needs a
 * member in the struct, a row in *_fields.c, and the code that uses it. */
#ifndef CORPUS_FIELDS_H
#define CORPUS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/catalogue.h"
#include "corpus/cause.h"
#include "corpus/engine.h"
#include "corpus/program.h"
#include "corpus/rule.h"

/* X(type, kind, name in FORMAT.md, description in FORMAT.md) */
#define FIELD_TYPES(X) \
    X(LINE, STR, "line", \
      "text that is not translated: an id, a name, a command") \
    X(ID, STR, "id", "lower-case letters, digits, `.`, `_` and `-`") \
    X(TEXT, TEXT, "text", \
      "a mapping with `en` and `zh`, both written natively") \
    X(PATTERN, STR, "pattern", "a PCRE2 pattern; see WRITING.md") \
    X(PATTERNS, STRINGS, "patterns", \
      "a list of patterns, run inside a message") \
    X(LINES, STRINGS, "list", "a list of lines") \
    X(LINKS, STRINGS, "links", "a list of https links") \
    X(LINK, STR, "link", "an https link") \
    X(DATE, STR, "date", "a day, YYYY-MM-DD") \
    X(WHEN, STRINGS, "predicates", \
      "a list of SQL predicates over facts; all hold") \
    X(ENTRY, STR, "entry", "the id of an entry: component/slug") \
    X(ENTRIES, STRINGS, "entries", "a list of ids of entries") \
    X(FACT, WORD, "fact", "the name of a fact") \
    X(SETTINGS, LIST, "settings", "a mapping from facts to values") \
    X(EVENTS, LIST, "events", \
      "a list of `introduced: version`, `fixed: version`") \
    X(WORD, WORD, "word", "one word of a vocabulary") \
    X(CHOICE, STR, "choice", "one of the words named") \
    X(YES_NO, BOOL, "yes or no", "`true` or `false`") \
    X(YES_NO_UNKNOWN, NUMBER, "yes, no or left out", "left out: not known") \
    X(INTEGER, NUMBER, "integer", "a whole number, 0 or more") \
    X(RATIO, NUMBER, "ratio", "0 to 1, at most six decimals") \
    X(DECIMAL, NUMBER, "number", "0 to 1000, at most six decimals") \
    X(WEIGHT, NUMBER, "weight", "one of -4 -2 -1 1 2 4") \
    X(PREDICATE, STR, "predicate", "one SQL predicate over facts") \
    X(SHARES, LIST, "shares", "a mapping from causes to shares, each above 0") \
    X(CURES, LIST, "cures", \
      "a mapping from causes to `most`, `some`, `little`") \
    X(AMOUNTS, RANGE, "amounts", \
      "least and most: `[\"7.1 GiB\", \"7.4 GiB\"]`") \
    X(MAP, MAP, "mapping", "one of the mappings below") \
    X(LIST, LIST, "list of mappings", "a list of one of the mappings below")

enum field_type {
#define X(type, kind, name, doc) FIELD_##type,
    FIELD_TYPES(X)
#undef X
};

/* The C type of a value in its struct. */
enum field_kind {
    KIND_STR,     /* struct str */
    KIND_TEXT,    /* struct text */
    KIND_STRINGS, /* struct str_list */
    KIND_WORD,    /* an enum */
    KIND_BOOL,
    KIND_NUMBER,  /* int64_t */
    KIND_RANGE,   /* two int64_t: at, count_at */
    KIND_MAP,     /* a struct of field_shape() */
    KIND_LIST     /* a pointer to such structs, and their size_t count */
};

const char *field_type_name(enum field_type type);

#define FIELD_NOWHERE ((size_t)-1) /* a check reads it, no struct keeps it */

struct shape;

struct field {
    const char *key; /* NULL ends the list */
    const char *doc; /* one line for FORMAT.md */
    size_t at;       /* offset of the value in the shape's struct */
    size_t count_at; /* of a list: its size_t count */
    size_t mark_at;  /* a bool to set where this key is used; 0: none */
    enum field_type type;
    enum vocabulary words;      /* WORD */
    const char *const *choices; /* CHOICE, and WORD outside words.def */
    const struct shape *shape;  /* MAP, LIST */
    int64_t absent; /* INTEGER, RATIO, YES_NO_UNKNOWN: value if left out */
    bool is_required;
    bool is_derived; /* not a key: the compiler sets it */
    bool is_alias;   /* another key for the member of a row above */
    bool is_head;    /* entry: in the part of its record that is read first */
};

/* Here, and field_placed() below: they run for every field of a record. */
static inline enum field_kind field_kind(const struct field *f) {
    static const unsigned char kinds[] = {
#define X(type, kind, name, doc) KIND_##kind,
        FIELD_TYPES(X)
#undef X
    };
    return (enum field_kind)kinds[f->type];
}

struct shape {
    const char *name; /* "signature"; the heading in FORMAT.md */
    const char *doc;
    const struct field *fields;
    size_t size; /* of the struct */
};

extern const struct shape shape_entry, shape_cause, shape_model, shape_gpu,
    shape_engine, shape_context, shape_component, shape_number, shape_model_file,
    shape_gpu_file, shape_vocabulary, shape_glossary, shape_programs,
    shape_program, shape_workaround, shape_rate, shape_acts_on, shape_act,
    shape_fix_file, shape_cause_file, shape_ranking_file, shape_lint_rule,
    shape_rule_file;

/* The top level of the files of kb/. */
struct model_file {
    struct str family;
    struct model *models;
    size_t model_count;
};
struct gpu_file {
    struct gpu *gpus;
    size_t gpu_count;
};
struct vocabulary_file {
    struct component *components;
    size_t component_count;
};
struct term { /* of the glossary */
    struct str en, zh;
    struct str_list not_so; /* Chinese words that must not be used for it */
};
struct phrase { /* words that texts must not use */
    struct str lang; /* "en", "zh" */
    struct str_list not_so;
    struct str say, why;
    bool is_open; /* some texts still have it */
};
struct glossary_file {
    struct term *terms;
    size_t term_count;
    struct phrase *phrases;
    size_t phrase_count;
};

struct act { /* defaults for the fixes of this acts_on */
    struct acts_on acts_on;
    enum effort effort;
    enum loses loses;
    enum frees frees;
    enum effect effect;
    struct cure *cures;
    size_t cure_count;
    struct str_list when; /* added to the `when` of every such fix */
};
struct fix_file {
    struct workaround *fixes;
    size_t fix_count;
    struct act *acts;
    size_t act_count;
};
struct mechanism_causes { /* for entries of it that name no causes */
    enum mechanism mechanism;
    struct cause_share *causes;
    size_t cause_count;
};
struct cause_file {
    struct cause *causes;
    size_t cause_count;
    struct mechanism_causes *mechanisms;
    size_t mechanism_count;
};
struct number {
    struct str id;
    int64_t micro;
    struct text origin;
};
struct ranking_file {
    struct number *numbers;
    size_t number_count;
};

/* Copy the value of a key to another struct that has the same key. */
void field_copy(const struct field *to_field, void *to,
                const struct field *from_field, const void *from);
/* NULL when the shape has no such key. */
const struct field *field_named(const struct shape *shape, struct str key);
/* "Did you mean": the nearest key; NULL if none is near. */
const char *field_meant(const struct shape *shape, struct str key);
/* The first row from f on whose key files may have; NULL: no more. */
const struct field *field_written(const struct field *f);
/* The first row from f on that has a member of its own; NULL: no more. */
static inline const struct field *field_placed(const struct field *f) {
    while (f->key != NULL && (f->is_alias || f->at == FIELD_NOWHERE))
        f++;
    return f->key != NULL ? f : NULL;
}

/* The shape of a MAP, or of the items of a LIST; NULL for other kinds. */
const struct shape *field_shape(const struct field *f);
const char *lang_name(enum lang lang); /* "en", "zh" */
/* The i-th word a WORD, FACT or CHOICE field takes; NULL past the last. */
const char *field_word(const struct field *f, int i);
int field_word_count(const struct field *f);

#endif
