/* walk.h: a shell's text being read. Private to script.c, which reads words and
 * commands, and call.c, which follows functions, files and cases. */
#ifndef LAUNCH_WALK_H
#define LAUNCH_WALK_H

#include "launch/workload.h"

struct array { /* NAME=(...) */
    struct str name;
    struct word_list words;
};

struct text_range { /* of the text, in bytes */
    size_t from, to;
};

struct range_list {
    struct text_range *at;
    size_t count, cap;
};

struct command { /* that is being read */
    struct word_list line;
    struct range_list quoted;  /* words of it that are quoted, inside */
    struct range_list printed; /* X="$(...)" of it, inside */
    struct choice *choice;
};

struct function {
    struct str name;
    const struct script *s; /* where it stands */
    struct text_range body;
    bool is_called, is_running;
};

struct choice; /* a `case`: call.c */

struct walk {
    struct arena *a;
    const struct script *s; /* that is being read: its text, its place */
    const struct script *whole;
    const struct engine_words *engines;
    struct workload_list *out;
    struct setting_list names, env; /* env: exported, or in front */
    struct setting_list keys;       /* #SBATCH */
    struct setting_list downloads;  /* folder: what was fetched into it */
    struct array *arrays;
    size_t array_count, array_cap;
    struct function *functions;
    size_t function_count, function_cap;
    struct word_list args; /* what "$@" stands for */
    struct command now;
    int depth;    /* of if, case, while: what may not run */
    int nesting;  /* of texts within texts */
    size_t calls; /* of functions, so far */
};

/* script.c */
void walk_text(struct walk *w, struct text_range at);

/* call.c */
/* "name() {" at the "(" of a line of one word; "function name {" at its "{".
 * 0: it is none; else where the text goes on behind the body. */
size_t function_read(struct walk *w, size_t at);
/* The line from there on calls a function of that name: its body is read. */
bool function_called(struct walk *w, size_t at);
void functions_left(struct walk *w); /* those that nothing calls */
void args_shifted(struct walk *w, size_t at); /* `shift 2` */
/* `source FILE` */
void file_sourced(struct walk *w, size_t at);
/* bash -c "...", ssh host "...", eval "$CMD": the quoted words as text. */
void quoted_walked(struct walk *w, size_t at);
/* At "<<WORD" of a cat that shows its text: behind it; 0: it is another. */
size_t shown_behind(const struct walk *w, size_t at);
/* True: the line is a part of a `case`, and nothing else. */
bool choice_line(struct walk *w, struct str operator_text);
void choice_branch_ends(struct walk *w); /* ";;" */
/* What is read is the branch of a word that is known. */
bool choice_is_live(const struct walk *w);

#endif
