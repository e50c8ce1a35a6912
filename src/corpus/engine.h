/* engine.h: what an engine prints and takes, as data (kb/engines/<id>.yaml):
 * patterns that set context facts, the anchors of its stages, its flags and
 * its defaults by version. */
#ifndef CORPUS_ENGINE_H
#define CORPUS_ENGINE_H

#include "corpus/entry.h"

struct context_pattern { /* facts that hold for the whole log (stream) */
    struct str pattern;
    struct str_list extract; /* run over what it matched; not kept for a run,
                                which finds them with the pattern */
    struct setting *set;
    size_t set_count;
    int64_t layer; /* of the program that it shows */
    bool is_prose; /* what people write of the failed run: counts below the
                      failure as well, and where no program says it */
    bool is_printed; /* what the program alone prints, or the shell of it: counts
                        below the failure as well, with the settings in it */
};

/* What a line of a traceback, or a line passed, tells of the incident. Its
 * stage: the first row, in file order, whose pattern stands in the incident's
 * traceback; else the row passed last before it. Its other facts (work, task):
 * the innermost frame that tells them, whatever the row. */
struct stage_anchor {
    struct str stage;    /* empty: the row tells none */
    struct setting *set; /* other facts that it tells */
    size_t set_count;
    struct str pattern;
    bool holds;     /* what runs inside that frame is still what it tells */
    bool is_frame;  /* stands in a traceback; else a line that was passed */
    bool is_weak;
};

struct flag {
    enum fact_name fact;
    struct str flag;          /* --max-model-len */
    struct str_list aliases;  /* -tp, --max_model_len */
    struct str_list keys;     /* max_model_len, max_seq_len: in dumps, Python */
    struct str scale;         /* "GiB" where a bare number means that; or empty */
    struct version_range exists; /* product = the engine; no events: always */
    struct str try_down, try_up; /* what to try where nobody knows the value in
                                    force: "0.8"; empty: none */
};

/* A setting that no fact reads: a fix may name it, and has to know who takes
 * it. Where a value came later than its flag, it is a row of its own. */
struct option {
    struct str flag; /* "--mm-processor-kwargs", "--max-model-len auto" */
    struct str_list aliases;
    struct version_range exists;
    struct str source; /* where that stands */
    bool offloads;     /* weights or cache leave the GPU by it, nobody knows
                          how many */
};

struct engine_default {
    enum fact_name fact;
    struct str value;
    struct version_range versions;
    struct str source; /* url or file of the engine's source */
};

struct engine {
    struct str id;          /* component: "vllm" */
    struct str name;        /* "vLLM" */
    struct str newest;      /* newest version the data was checked against */
    struct str_list calls;  /* engines whose code it runs: their frames stand in
                               its tracebacks */
    struct str command;     /* "vllm serve": how its command line begins */
    struct str task;        /* what it is for, where that is one thing; empty */
    bool is_native;         /* its failures print lines, and no traceback */
    struct str lists;       /* words of the line that lists its settings */
    bool has_programs;      /* what shows a program of kb/programs/ is read
                               behind its own rows */
    bool is_everywhere;     /* its rows are read whatever the engine is */
    struct context_pattern *contexts;
    size_t context_count;
    struct stage_anchor *stages;
    size_t stage_count;
    struct flag *flags;
    size_t flag_count;
    struct option *options;
    size_t option_count;
    struct str_list idle; /* flags that change no memory that `fit` looks at */
    struct engine_default *defaults;
    size_t default_count;
};

/* A setting as it stands in a text, and the releases that take it. */
struct setting_said {
    struct str spelling;                /* of the engine's file; the longest */
    const struct version_range *exists; /* no events: all */
};
/* The first that sets this fact; NULL: none does. e may be NULL. */
const struct flag *engine_flag_of(const struct engine *e, enum fact_name fact);
/* Does one of the engine's settings begin at this byte? */
bool engine_setting_at(const struct engine *e, struct str text, size_t at,
                       struct setting_said *out);
/* The first flag or VARIABLE that begins at *at or behind it; *at is then
 * behind it. */
bool engine_setting_next(const struct engine *e, struct str text, size_t *at,
                         struct setting_said *out);

#endif
