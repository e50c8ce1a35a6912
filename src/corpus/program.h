/* program.h: a program that is not an engine: the flags that fixes may name
 * and, if it has levers (settings that take less memory), how a log shows that
 * it ran (kb/programs.yaml, kb/programs/). A program is one row of data; no
 * code knows it. */
#ifndef CORPUS_PROGRAM_H
#define CORPUS_PROGRAM_H

#include "corpus/entry.h"

struct program {
    struct str id;   /* value of the fact `program`; if left out, the name */
    struct str name; /* as typed, or the owner of the variables */
    struct str_list takes; /* flags and variables that fixes name */
    struct str source;     /* link to the documentation */
    /* Its signs: parts of paths in frames, commands, patterns of lines. */
    struct str_list paths, commands, lines;
    int64_t layer; /* if a log shows several programs, the lowest layer wins: 0
                      extensions of a program, 1 programs, 2 programs that
                      others run, 3 and more frameworks */
    struct str base;   /* the program it is built on, whose levers come next */
    struct str task;   /* value of the fact task if always the same; or empty */
    struct str usual;  /* value of task if nothing in the log sets it */
    struct str sample; /* a line that shows it; a check tries it */
    struct workaround *levers; /* best first */
    size_t lever_count;
};

struct programs_file {
    struct program *programs;
    size_t program_count;
};

#endif
