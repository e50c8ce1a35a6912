/* program.h: a program that is no engine: what fixes may name of it and, where it
 * has levers of its own, how a log shows that it ran (kb/programs.yaml,
 * kb/programs/). One row of data is all there is of a program. */
#ifndef CORPUS_PROGRAM_H
#define CORPUS_PROGRAM_H

#include "corpus/entry.h"

struct program {
    struct str id;   /* value of the fact `program`; its name, where no id is written */
    struct str name; /* as one types it, or whose variables they are */
    struct str_list takes; /* flags and variables that fixes name */
    struct str source;     /* where that stands */
    /* How it shows: parts of paths in frames, commands, patterns of lines. */
    struct str_list paths, commands, lines;
    int64_t layer; /* of two that show, the lower is meant: 0 what extends a
                      program, 1 a program, 2 what other programs run, 3
                      and on what those are written with */
    struct str base;   /* what it is written with: whose levers follow its own */
    struct str task;   /* what it is for, where that is one thing; empty */
    struct str usual;  /* what it mostly does: where nothing else tells */
    struct str sample; /* a line that shows it: the check tries it */
    struct workaround *levers; /* in the order in which an expert tries them */
    size_t lever_count;
};

struct programs_file {
    struct program *programs;
    size_t program_count;
};

#endif
