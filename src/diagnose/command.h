/* command.h: the user's command line, and a setting put into it.
 *
 *   command_in_line()   which part of a line of the log is the command
 *   command_parse()     who runs the program, and where its arguments stand
 *   command_with()      the command with a setting replaced or added
 */
#ifndef DIAGNOSE_COMMAND_H
#define DIAGNOSE_COMMAND_H

#include "base/arena.h"
#include "corpus/engine.h"
#include "diagnose/shell.h"

enum form {
    FORM_SHELL,
    FORM_FLOW, /* ["vllm", "serve", "m"] */
    FORM_BLOCK /* - vllm
                  - serve */
};

/* Whose options are not the program's. */
enum owner { OWNER_CONTAINER, OWNER_SLURM, OWNER_TORCHRUN, OWNER_COUNT_OF };

struct command {
    struct shell sh;
    enum form form;
    size_t env;                   /* where NAME=value goes */
    size_t owned[OWNER_COUNT_OF]; /* behind `docker run`, srun, torchrun; 0 */
    size_t program;               /* its first word; of a container the image */
    size_t args;                  /* behind that, or behind its script */
    size_t args_end;              /* where one more argument goes */
    size_t to;                    /* no operator, no comment is behind that */
    size_t inner_from, inner_to;  /* of sh -c "...": between the quotes */
    bool is_mpi;                  /* NAME=value in front would not arrive */
    bool is_plain; /* one program, perhaps with redirections, `| tee FILE`,
                      `&` or `|| true` behind it, and nothing else */
};

struct argument { /* of a shell with its quotes, of a list without */
    size_t from, to;
};

/* "['python', 'train.py']", as a launcher written in Python prints what it
 * started, as it is typed: "python train.py". Empty where that cannot be said;
 * other text as it is. */
struct str command_as_typed(struct arena *a, struct str text);

struct command command_parse(struct str text);
/* From *at on; false: there are no more. */
bool argument_next(const struct command *c, size_t *at, struct argument *arg);

/* The command whose program begins at `program` of the line, with what runs it
 * in front: up to the end of the line, or of the quotes that it stands in.
 * False: it goes on where the log does not show it. */
bool command_in_line(struct str line, size_t program, struct str *command);

/* The command with the settings ("--max-model-len 4096", "NAME=value"): each
 * replaced where one of its spellings stands, else added. False: it is no plain
 * command, or the setting is none of it; *out is untouched. */
bool command_with(struct arena *a, const struct engine *e, struct str command,
                  struct str settings, struct str *out);
/* A plain command as command_with() takes it: without comment. */
struct str command_shown(struct str command);
/* "--max_model_len" is "--max-model-len". */
bool command_is_alike(struct str x, struct str y);
bool command_flag_is(struct str word, const struct flag *flag);
/* The next "--name value", "--name=value" or "--switch" from *at on; value is
 * empty where none stands there. False: there are no more. */
bool command_flag_next(const struct command *c, size_t *at, struct str *name,
                       struct str *value);
/* The value that a command gives a flag; false: the flag is not there. */
bool command_value(struct str command, const struct flag *flag,
                   struct str *value);
/* Does it begin with an image: what "docker run IMAGE" was given? */
bool command_is_arguments(struct str command);
bool command_is_image_alone(struct str command); /* without arguments */
/* Are these settings ("--flag value", "NAME=value") that stand on a command
 * line as they are? */
bool setting_is_flag(struct str settings);

#endif
