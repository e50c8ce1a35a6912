/* command.h: the user's command line, and how a setting is put into it.
 *
 *   command_in_line()   finds the command in a line of the log
 *   command_parse()     finds the program and its arguments
 *   command_with()      replaces a setting of the command or adds one
 */
#ifndef DIAGNOSE_COMMAND_H
#define DIAGNOSE_COMMAND_H

#include "base/arena.h"
#include "corpus/engine.h"
#include "diagnose/shell.h"

/* Programs that run the main program and have options of their own. */
enum owner { OWNER_CONTAINER, OWNER_SLURM, OWNER_TORCHRUN, OWNER_COUNT_OF };

struct command {
    struct shell sh;
    bool is_list;                 /* ["vllm", "serve", "m"] */
    size_t env;                   /* offset where NAME=value is inserted */
    size_t owned[OWNER_COUNT_OF]; /* offset behind `docker run`, srun or
                                     torchrun; 0: not there */
    size_t program;               /* its first word; the image of a container */
    size_t args;                  /* behind the program, or behind its script */
    size_t args_end;              /* offset where an argument is appended */
    size_t to;                    /* end of the part that is handed on:
                                     operators and comments are left out */
    size_t inner_from, inner_to;  /* text between the quotes of sh -c "..." */
    bool is_mpi;                  /* started by mpirun: NAME=value in front does
                                     not reach the program */
    bool is_plain; /* one program, perhaps with redirections, `| tee FILE`,
                      `&` or `|| true` behind it, and nothing else */
};

struct argument { /* range of the text; with its quotes in a shell, without them
                     in a list */
    size_t from, to;
};

/* A launcher written in Python prints a command as a list: "['python',
 * 'train.py']". Returns it as it is typed: "python train.py". Empty if the list
 * cannot be written so. Other text is returned unchanged. */
struct str command_as_typed(struct arena *a, struct str text);

struct command command_parse(struct str text);
/* Finds the next argument from *at on. False: there are no more. */
bool argument_next(const struct command *c, size_t *at, struct argument *arg);

/* The command whose program begins at offset `program` of the line, together
 * with the programs in front that run it. It ends at the end of the line, or at
 * the end of the quotes round it. False: the command continues where the log
 * does not show it. */
bool command_in_line(struct str line, size_t program, struct str *command);

/* Puts the settings ("--max-model-len 4096", "NAME=value") into the command:
 * each replaces a value that is there in any of its spellings, or is added.
 * False: the command is not plain, or the text is no setting; *out is
 * untouched. */
bool command_with(struct arena *a, const struct engine *e, struct str command,
                  struct str settings, struct str *out);
/* The same for the words of a program, if each setting is a flag of the engine
 * with at most one value. False: another setting, or nothing changes. */
bool command_words_with(struct arena *a, const struct engine *e,
                        const struct str_list *argv, struct str settings,
                        struct str_list *out);
/* The part of a plain command that command_with() changes: without a
 * comment. */
struct str command_shown(struct str command);
/* True if both are equal; in options `_` and `-` are equal: "--max_model_len"
 * is "--max-model-len". */
bool command_is_alike(struct str x, struct str y);
bool command_flag_is(struct str word, const struct flag *flag);
/* The engine's row of a flag, by any of its spellings; NULL: none, or no
 * engine. */
const struct flag *command_flag_row(const struct engine *e, struct str word);
/* The next "--name value", "--name=value" or "--switch" from *at on. *value is
 * empty if there is none. False: there are no more. */
bool command_flag_next(const struct command *c, size_t *at, struct str *name,
                       struct str *value);
/* The value that the command gives to the flag. False: the flag is not
 * there. */
bool command_value(struct str command, const struct flag *flag,
                   struct str *value);
/* True if it begins with an image: the arguments of "docker run". */
bool command_is_arguments(struct str command);
bool command_is_image_alone(struct str command); /* an image without
                                                    arguments */
/* True if these are settings ("--flag value", "NAME=value") that can be put on
 * a command line unchanged. */
bool setting_is_flag(struct str settings);

#endif
