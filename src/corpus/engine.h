/* engine.h: an engine as data (kb/engines/<id>.yaml): patterns that set facts
 * of the whole log, anchors of its stages, its flags and its defaults by
 * version. */
#ifndef CORPUS_ENGINE_H
#define CORPUS_ENGINE_H

#include "corpus/entry.h"

struct context_pattern { /* facts that hold for the whole log (stream) */
    struct str pattern;
    struct str_list extract; /* patterns run inside its match; used at build
                                only: a run has them with the pattern */
    struct setting *set;
    size_t set_count;
    int64_t layer; /* struct program: layer, of the program that it shows */
    bool is_prose; /* a person's words about the failed run: counts below the
                      failure, too, and only if no program's line sets the
                      fact */
    bool is_printed; /* printed only by the program or its shell: also counts
                        below the failure, with the settings in it */
};

/* The engine that the row names; empty: none. row may be NULL. */
struct str context_engine(const struct context_pattern *row);

/* Facts of an incident from its traceback or from lines before it. The stage
 * comes from the first row, in file order, whose pattern matches in the
 * incident's traceback; else from the row that matched last before it. Other
 * facts (work, task) come from the innermost frame that sets them, whatever the
 * row. */
struct stage_anchor {
    struct str stage;    /* empty: the row sets no stage */
    struct setting *set; /* other facts */
    size_t set_count;
    struct str pattern;
    bool holds;     /* frames inside that frame do not change its facts */
    bool is_frame;  /* matches in a traceback; else in a line before it */
    bool is_weak;
};

struct flag {
    enum fact_name fact;
    struct str flag;          /* --max-model-len */
    struct str_list aliases;  /* -tp, --max_model_len */
    struct str_list keys;     /* max_model_len, max_seq_len: in dumps, Python */
    struct str scale;         /* unit of a bare number: "GiB"; or empty */
    struct version_range exists; /* product = the engine; no events: always */
    struct str try_down, try_up; /* a first value to try if the value in force
                                    is unknown: "0.8"; empty: none */
};

/* A setting that no fact reads, but fixes name; the row has the releases that
 * take it. A value that was added later than its flag is a row of its own. */
struct option {
    struct str flag; /* "--mm-processor-kwargs", "--max-model-len auto" */
    struct str_list aliases;
    struct version_range exists;
    struct str source; /* link to the documentation */
    bool offloads;     /* moves an unknown amount of weights or cache off the
                          GPU */
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
    struct str_list calls;  /* engines whose code it runs: their frames are in
                               its tracebacks */
    struct str command;     /* "vllm serve": the beginning of its command */
    struct str_list clients;    /* words of commands that start no engine:
                                   "llama-bench", "ollama list" */
    struct str_list lookalikes; /* other programs with its name in theirs */
    struct str task;        /* value of the fact task if it is always the same;
                               else empty */
    bool is_native;         /* its failures print lines, not tracebacks */
    struct str lists;       /* words of the line that lists its settings */
    bool has_programs;      /* patterns of kb/programs/ are tried after its own
                               rows */
    bool is_everywhere;     /* its rows are tried whatever the engine is */
    struct context_pattern *contexts; /* at build only: a run has each row
                                         with its pattern */
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
    const struct spellings *spellings; /* of flags and options: made by
                                          engine_index() */
};

/* A setting found in a text, and the releases that take it. */
struct setting_match {
    struct str spelling;                /* of the engine's file; the longest */
    const struct version_range *exists; /* no events: all */
};
/* The first flag that sets this fact; NULL if there is none. e may be NULL. */
const struct flag *engine_flag_of(const struct engine *e, enum fact_name fact);
/* Makes the index of its settings, which the next two look at. */
void engine_index(struct arena *a, struct engine *e);
/* True if one of the engine's settings begins at this byte. */
bool engine_setting_at(const struct engine *e, struct str text, size_t at,
                       struct setting_match *out);
/* Find the first flag or VARIABLE that begins at *at or later; *at becomes the
 * byte behind it. */
bool engine_setting_next(const struct engine *e, struct str text, size_t *at,
                         struct setting_match *out);

#endif
