/* field_rows.h: macros for the rows of the tables in *_fields.c.
 *
 *     KEY(flag, scale, LINE, "what a bare number counts: GiB, MiB ..."),
 *     NAMED("prose", context_pattern, is_prose, YES_NO, "what people write"),
 *     LIST("set", stage_anchor, set, set_count, SETTINGS, "its facts"),
 *
 * The struct, its member, the type, the text in FORMAT.md; then further members
 * of struct field. */
#ifndef CORPUS_FIELD_ROWS_H
#define CORPUS_FIELD_ROWS_H

#include "corpus/fields.h"

/* KEY: a key named like its member; NAMED: with another name; LIST: a list with
 * its count; NOWHERE: a key that no struct keeps. */
#define NAMED(key_, in, member, type_, ...) \
    {.key = key_, .at = offsetof(struct in, member), \
     .type = FIELD_##type_, .doc = __VA_ARGS__}
#define KEY(in, member, ...) NAMED(#member, in, member, __VA_ARGS__)
#define LIST(key_, in, member, count, ...) \
    NAMED(key_, in, member, __VA_ARGS__, \
          .count_at = offsetof(struct in, count))
#define NOWHERE(key_, type_, ...) \
    {.key = key_, .at = FIELD_NOWHERE, .type = FIELD_##type_, \
     .doc = __VA_ARGS__}

#define REQUIRED .is_required = true
#define DERIVED .is_derived = true
#define ALIAS .is_alias = true
#define HEAD .is_head = true

#define SHAPE(name_, in, heading, doc_) \
    const struct shape shape_##name_ = {heading, doc_, name_##_fields, \
                                        sizeof(struct in)}

#endif
