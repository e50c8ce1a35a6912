/* script_reader.h: the state of reading a shell script. Private to script.c,
 * which reads words and commands, and call.c, which follows functions, files
 * and cases. */
#ifndef LAUNCH_SCRIPT_READER_H
#define LAUNCH_SCRIPT_READER_H

#include "launch/workload.h"

struct array { /* NAME=(...) */
    struct str name;
    struct word_list words;
};

struct text_range { /* a range of bytes of the text */
    size_t from, to;
};

struct range_list {
    struct text_range *at;
    size_t count, cap;
};

struct shell_command { /* the command that is being read */
    struct word_list line;
    struct range_list quoted;  /* its quoted words, without the quotes */
    struct range_list printed; /* its X="$(...)", the text within */
    struct choice *choice;
};

struct function {
    struct str name;
    const struct script *s; /* the script that defines it */
    struct text_range body;
    bool is_called, is_running;
};

struct choice; /* a `case`: call.c */

struct script_reader {
    struct arena *a;
    const struct script *s; /* the script that is being read */
    const struct script *whole;
    const struct engine_words *engines;
    struct workload_list *out;
    struct setting_list names, env; /* env: exported, or in front of the
                                       command */
    struct setting_list keys;       /* #SBATCH */
    struct setting_list downloads;  /* folder = the model that was downloaded
                                       into it */
    struct array *arrays;
    size_t array_count, array_cap;
    struct function *functions;
    size_t function_count, function_cap;
    struct word_list args; /* words of "$@" */
    struct shell_command now;
    int depth;    /* nesting of if, case, while: commands in it may not run */
    int nesting;  /* nesting of texts within texts */
    size_t calls; /* calls of functions so far */
};

/* script.c */
void walk_text(struct script_reader *w, struct text_range at);

/* call.c */
/* Reads a function: at the "(" of "name() {", or at the "{" of "function name
 * {". Returns the offset behind its body; 0: no function. */
size_t function_read(struct script_reader *w, size_t at);
/* If the line from word `at` on calls a function, its body is read. */
bool function_called(struct script_reader *w, size_t at);
/* Reads the functions that are never called. */
void functions_left(struct script_reader *w);
void args_shifted(struct script_reader *w, size_t at); /* for `shift 2` */
/* Reads the file of `source FILE`. */
void file_sourced(struct script_reader *w, size_t at);
/* Reads the quoted words of bash -c "...", ssh host "..." and eval "$CMD" as
 * scripts. */
void quoted_walked(struct script_reader *w, size_t at);
/* At "<<WORD" of a `cat` that prints its text: the offset behind that text; 0:
 * any other case. */
size_t shown_behind(const struct script_reader *w, size_t at);
/* True if the line belongs to a `case` and has no command. */
bool choice_line(struct script_reader *w, struct str operator_text);
void choice_branch_ends(struct script_reader *w); /* for ";;" */
/* True in the branch of a `case` whose word is known. */
bool choice_is_live(const struct script_reader *w);

#endif
