/* fields.h: every key of the entry language and of kb/, once.
 *
 *   shape  what one mapping may hold: the struct it fills and its fields
 *   field  a key: its type, where its value goes, whether it must be there
 *
 * The YAML reader, the check for unknown keys, kb/FORMAT.md,
 * kb/entry.schema.json, the records of the pack, the SQL tables of the index and
 * the JSON of an entry all come from these tables. A field that is added costs
 * its place in the struct, its row here, and its text. */
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

/* X(type, kind, name in FORMAT.md, what it takes) */
#define FIELD_TYPES(X) \
    X(LINE, STR, "line", "text that is not translated: an id, a name, a command") \
    X(ID, STR, "id", "lower-case letters, digits, `.`, `_` and `-`") \
    X(TEXT, TEXT, "text", "a mapping with `en` and `zh`, both written natively") \
    X(PATTERN, STR, "pattern", "a PCRE2 pattern; see WRITING.md") \
    X(PATTERNS, STRINGS, "patterns", "a list of patterns, run inside a message") \
    X(LINES, STRINGS, "list", "a list of lines") \
    X(LINKS, STRINGS, "links", "a list of https links") \
    X(LINK, STR, "link", "an https link") \
    X(DATE, STR, "date", "a day, YYYY-MM-DD") \
    X(WHEN, STRINGS, "predicates", "a list of SQL predicates over facts; all hold") \
    X(ENTRY, STR, "entry", "the id of an entry: component/slug") \
    X(ENTRIES, STRINGS, "entries", "a list of ids of entries") \
    X(FACT, WORD, "fact", "the name of a fact") \
    X(SETTINGS, LIST, "settings", "a mapping from facts to values") \
    X(EVENTS, LIST, "events", "a list of `introduced: version`, `fixed: version`") \
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
    X(CURES, LIST, "cures", "a mapping from causes to `most`, `some`, `little`") \
    X(AMOUNTS, RANGE, "amounts", "least and most: `[\"7.1 GiB\", \"7.4 GiB\"]`") \
    X(MAP, MAP, "mapping", "one of the mappings below") \
    X(LIST, LIST, "list of mappings", "a list of one of the mappings below")

enum field_type {
#define X(type, kind, name, doc) FIELD_##type,
    FIELD_TYPES(X)
#undef X
};

/* What a value is in its struct, whatever it takes in a file. */
enum field_kind {
    KIND_STR,     /* struct str */
    KIND_TEXT,    /* struct text */
    KIND_STRINGS, /* struct str_list */
    KIND_WORD,    /* an enum */
    KIND_BOOL,
    KIND_NUMBER,  /* int64_t */
    KIND_RANGE,   /* two of them: at, count_at */
    KIND_MAP,     /* a struct of field_shape() */
    KIND_LIST     /* a pointer to such structs, and their size_t count */
};

const char *field_type_name(enum field_type type);
struct field;
enum field_kind field_kind(const struct field *f);

#define FIELD_NOWHERE ((size_t)-1) /* read by a check, kept by no struct */

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
    int64_t absent;             /* INTEGER, RATIO, YES_NO_UNKNOWN: left out */
    bool is_required;
    bool is_derived; /* no key: the compiler sets it */
    bool is_alias;   /* a second key of the place of a row above */
    bool is_head;    /* entry: in the part of its record that is read first */
};

struct shape {
    const char *name; /* "signature"; the heading in FORMAT.md */
    const char *doc;
    const struct field *fields;
    size_t size; /* of the struct */
};

extern const struct shape shape_entry, shape_cause, shape_model, shape_gpu,
    shape_engine, shape_component, shape_number, shape_model_file,
    shape_gpu_file, shape_vocabulary, shape_glossary, shape_programs, shape_program,
    shape_workaround, shape_rate, shape_acts_on, shape_act, shape_fix_file, shape_cause_file,
    shape_ranking_file, shape_lint_rule, shape_rule_file;

/* What the files of kb/ hold at their top. */
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
    struct str_list not_so; /* Chinese that is not said instead of zh */
};
struct phrase { /* words that texts do without */
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

struct act { /* what a fix of this acts_on does, unless it says otherwise */
    struct acts_on acts_on;
    enum effort effort;
    enum loses loses;
    enum frees frees;
    enum effect effect;
    struct cure *cures;
    size_t cure_count;
    struct str_list when; /* holds of every such fix, beside its own */
};
struct fix_file {
    struct workaround *fixes;
    size_t fix_count;
    struct act *acts;
    size_t act_count;
};
struct mechanism_causes { /* of an entry of it that names none */
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

/* The value of one key, into a struct that has the same key. */
void field_copy(const struct field *to_field, void *to,
                const struct field *from_field, const void *from);
/* NULL when the shape has no such key. */
const struct field *field_named(const struct shape *shape, struct str key);
/* The key that was probably meant; NULL when none is near. */
const char *field_meant(const struct shape *shape, struct str key);
/* The key behind f that a file may write, f itself at first; NULL: no more. */
const struct field *field_written(const struct field *f);
/* The row behind f of a place of its own, f itself at first; NULL: no more. */
const struct field *field_placed(const struct field *f);

/* Of what a MAP or an item of a list is; NULL: it is neither. */
const struct shape *field_shape(const struct field *f);
const char *lang_name(enum lang lang); /* "en", "zh" */
/* The i-th word a WORD, FACT or CHOICE field takes; NULL past the last. */
const char *field_word(const struct field *f, int i);
int field_word_count(const struct field *f);

#endif
