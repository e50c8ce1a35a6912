/* lint.h: checks files that start engines by the arithmetic of `fit` and by the
 * rules of kb/lint.yaml, before anything runs. This layer reads no environment
 * and no machine, and opens other files only through lint_options: the same
 * files give the same answer everywhere.
 *
 *     bytes --compose, manifest, script, settings--> workloads
 *           --fit--> verdicts --rules--> findings --edits--> a patch */
#ifndef LAUNCH_LINT_H
#define LAUNCH_LINT_H

#include "base/diag.h"
#include "corpus/rule.h"
#include "memory/memory.h"

struct json;
struct node;
struct oomkb;
struct reader;
struct source;

struct lint_text { /* a file that was read */
    struct str path, text;
};

struct config_map {
    struct str name, name_space;
    const struct node *data;
};

struct config_maps {
    const struct config_map *at;
    size_t count;
};

struct lint_options {
    const struct oomkb *kb;
    enum lang lang;
    const char *const *facts; /* "gpu_name=H100": facts that the files do not
                                 have */
    const char *const *machine; /* facts of the machine (--here); never NULL */
    /* Reads a file that another one names. False: it cannot be read. NULL: no
     * other file is read. */
    bool (*open)(void *arg, struct arena *a, struct str path, struct str *text);
    void *open_arg;
    const char *const *env_files; /* --env-file; NULL: .env beside the file */
    const struct config_maps *maps; /* ConfigMaps of all files; NULL: of this
                                       file only */
};

struct lint_edit { /* a range of the file and its new text */
    size_t from, to;
    struct str text;
};

struct lint_finding {
    const struct lint_rule *rule;
    struct diag diag; /* code: the rule's id */
    struct str service;
    const struct lint_edit *edits;
    size_t edit_count;
};

struct lint_service {
    struct str path, name, engine; /* engine empty: it starts no engine */
    uint32_t line;
    bool has_engine; /* false: it starts no engine, so `fit` has no verdict */
    enum truth_fit fits;
    int64_t room;    /* if the model is unknown: the bytes of weights that the
                        cards hold at most; else 0 */
    struct str text; /* the verdict in one or two sentences */
};

struct lint_file {
    struct str path, text;
    struct lint_service *services;
    size_t service_count;
    struct lint_finding *findings; /* in order of position */
    size_t finding_count;
    bool is_read; /* false: a finding gives the reason */
};

/* The ConfigMaps of files that are linted together. Raises FAIL_MEMORY. */
const struct config_maps *config_maps_of(struct arena *a,
                                         const struct lint_text *files,
                                         size_t count);
/* A file that could not be read: its finding gives the reason. Raises
 * FAIL_INDEX, FAIL_MEMORY. */
struct lint_file *lint_unread(struct arena *a, const struct lint_options *o,
                              struct str path, struct str why);
/* Raises FAIL_INDEX, FAIL_MEMORY. */
struct lint_file *lint_read(struct arena *a, const struct lint_options *o,
                            struct str path, struct str text);
/* The edits of a file's findings as a unified diff; empty: there are no
 * edits. */
struct str lint_patch(struct arena *a, const struct lint_file *file);
/* write.c: the findings, then a line for each service without a finding about
 * its memory; JSON; annotations for GitHub. */
void lint_put_text(struct arena *a, const struct lint_file *file,
                   uint32_t width, struct buf *out);
/* {"schema":1,"oomkb":...,"services":[...],"diagnostics":[...]} */
struct json *lint_json(struct arena *a, struct lint_file *const *files,
                       size_t count);
void lint_put_github(const struct lint_file *file, struct buf *out);
/* The rule of that number; NULL: no more. */
const struct lint_rule *lint_rule_at(struct reader *r, size_t i);
const struct lint_rule *lint_rule_of(struct arena *a, const struct oomkb *kb,
                                     size_t i);

#endif
