/* workload.h: a program that a file starts. Private to launch/.
 *
 *   compose.c    a service          \
 *   manifest.c   a container, a pod  >  struct workload: the command line that
 *   settings.c   a config file      /   the process gets, its environment, and
 *   script.c     a command              keys of its container or job
 *
 * Each word and setting has its file and its range of bytes there. */
#ifndef LAUNCH_WORKLOAD_H
#define LAUNCH_WORKLOAD_H

#include "author/yaml.h"
#include "launch/lint.h"

struct span_of_file { /* bytes [from, to) of a source */
    size_t from, to;
    const struct source *src; /* the file being linted, or one it names */
};

struct lint_word {
    struct str text; /* expanded: without quotes, with values */
    struct span_of_file at;
};

struct lint_setting { /* NAME=value of the environment, or a key */
    struct str name, value;
    struct span_of_file at; /* of the value; of the name if it has no value */
};

struct word_list {
    struct lint_word *at;
    size_t count, cap;
};

struct setting_list {
    struct lint_setting *at;
    size_t count, cap;
};

struct workload {
    struct str name;
    struct span_of_file at;   /* position of the name, or of the command */
    struct str group;         /* services of different groups (profiles) do not
                                 run at the same time */
    struct str image;         /* empty: none */
    struct word_list words;
    struct setting_list env;  /* NAME=value */
    struct setting_list keys; /* shm_size, ipc, restart, memory, gpus, gpu,
                                 devices: as docker compose calls them */
    bool is_container;        /* its /dev/shm is small unless a size is set */
    bool is_list;             /* words are items of a YAML list */
    bool is_in_pod;           /* it sees only its own GPUs, numbered from 0 */
};

struct workload_list {
    struct workload *at;
    size_t count, cap;
};

struct workload *workload_new(struct arena *a, struct workload_list *list,
                              struct str name, struct span_of_file at);
/* A copy that has words of its own. */
struct workload *workload_copy(struct arena *a, const struct workload *w);
void word_add(struct arena *a, struct word_list *list, struct str text,
              struct span_of_file at);
/* The text of word i; empty: there are fewer. */
struct str word_at(const struct word_list *list, size_t i);
/* Adds each word of a text, all with one position. */
void words_split(struct arena *a, struct word_list *list, struct str text,
                 struct span_of_file at);
/* Copies the words from `first` on. */
void words_copy(struct arena *a, struct word_list *list,
                const struct word_list *from, size_t first);
void setting_add(struct arena *a, struct setting_list *list, struct str name,
                 struct str value, struct span_of_file at);
void settings_copy(struct arena *a, struct setting_list *list,
                   const struct setting_list *from);
/* Replaces the path `inside` of a container by its name on the host, which
 * often has the model's name. */
void words_mounted(struct arena *a, struct word_list *words, struct str host,
                   struct str inside);
/* True for -c, -lc or -exc: a script follows. */
bool word_is_script_option(struct str word);
size_t line_end(struct str text, size_t at); /* of the line with byte at */
/* The bracket that closes the one at `at`; text.n: none. */
size_t closing_at(struct str text, size_t at, char close);
struct str path_base(struct str path); /* the part behind the last slash */
bool word_is_shell(struct str word);   /* "/bin/bash" */
/* An option with its value: "--tp=2", or "--tp" and the word behind it. */
struct option_word {
    struct str name, value;
};
struct option_word option_at(const struct word_list *words, size_t i);
/* The value of the first of these options; empty: none is there. */
struct str option_value(const struct word_list *words,
                        const char *const *names);
#define OPTION_VALUE(words, ...)                                               \
    option_value((words), (const char *const[]){__VA_ARGS__, NULL})
/* The last setting of that name; NULL: none. */
const struct lint_setting *setting_find(const struct setting_list *list,
                                        struct str name);
struct span_of_file node_bytes(const struct node *scalar);
struct place place_of_bytes(struct span_of_file at);

/* node_get() that follows merge keys (<<: *base). */
const struct node *member(const struct node *map, const char *key);
/* Words of all engines in kb/engines/: those by which a line may start one, and
 * those of `clients` and `lookalikes`. */
struct engine_words {
    struct str_list names, clients, lookalikes;
};
/* A file for a reader, and the list that it fills. */
struct launch_file {
    struct arena *a;
    struct beside *beside; /* files that it names */
    const struct source *src;
    const struct engine_words *engines;
    struct workload_list *out;
    const struct variables *scope; /* variables of its scalars, as docker
                                      compose fills them; NULL: none */
};
/* The text of a scalar, with its variables filled; empty: no scalar. */
struct str node_text(const struct launch_file *f, const struct node *n);
/* Adds a scalar that is not empty: as a word, as the value of a flag, as a key
 * of the workload. */
void node_word(const struct launch_file *f, struct word_list *words,
               const struct node *n);
void node_option(const struct launch_file *f, struct word_list *words,
                 const char *flag, const struct node *n);
void node_key(const struct launch_file *f, struct workload *w,
              const char *name, const struct node *n);
/* A NAME=value of a list, or a pair of a map; value empty: none is given. */
struct env_pair {
    struct str name, value;
    struct span_of_file at;
};
bool pair_at(const struct node *env, size_t i,
             struct env_pair *out); /* false: item i is no pair */

/* The i-th pair of a map; NULL: no map, or no more. */
const struct pair *pair_item(const struct node *map, size_t i);
/* The value of a key; NULL: none. */
const struct node *pair_named(const struct node *map, struct str name);
/* The text of a scalar; empty: no scalar. */
struct str scalar_of(const struct node *n);

/* ---- variables.c: the values of "${X:-8}", "$X", "$$" ---- */
struct variables {
    const struct setting_list *names; /* NULL: no name has a value */
    bool is_compose; /* "$$" is a dollar sign, as in docker compose; else as in
                        a shell */
};
/* The value of a name. False: it has none, or an empty one. */
bool variable_value(const struct variables *scope, struct str name,
                    struct str *value);
/* Fills variables. A variable without a value stays as it is written: $X. */
struct str variables_filled(struct arena *a, const struct variables *scope,
                            struct str text);

/* ---- script.c ---- */

/* A text for a shell. beside: opens the files that it sources; NULL: none is
 * opened. args: the words of "$@"; NULL: none. */
struct script {
    const struct source *src;
    struct str text;
    struct beside *beside;
    const struct node *node; /* the scalar that contains it; NULL: it is the
                                file */
    const struct span_of_file *place; /* the place of all words; NULL: each word
                                         has its own */
    const struct word_list *args;
    const struct setting_list *names; /* variables of its environment; NULL:
                                         none */
    const struct variables *compose; /* variables of docker compose, which are
                                        filled first; NULL: none */
};
/* Adds the commands that may start an engine, each a workload. */
void script_read(struct arena *a, const struct script *s,
                 const struct engine_words *engines,
                 struct workload_list *out);
/* Adds the words of one line ("--model x -tp 2"), the value of a YAML key. */
void words_of_line(const struct launch_file *f, const struct node *scalar,
                   struct word_list *out);
/* Replaces the words by the engine's command in a script. The words from
 * args_from on are its "$@". False: it starts no engine. */
bool words_of_script(const struct launch_file *f, struct workload *w,
                     struct script s, size_t args_from);
struct shell_script { /* of `bash -c SCRIPT` */
    const struct node *text; /* NULL: none */
    size_t at;               /* its index among the words */
};
/* Keeps the item that is to be added to the words if it is a script. */
void script_note(struct shell_script *s, const struct word_list *words,
                 const struct node *item);
/* words_of_script() for such a script. The words behind $0 are its "$@". */
void words_unwrap(const struct launch_file *f, struct workload *w,
                  const struct shell_script *script);

/* ---- start.c ---- */
struct start_found {
    size_t begin; /* the program of the line */
    size_t named; /* index of the word that names the engine or its image */
    size_t from;  /* the engine's own command, or the words for its image */
    bool is_image;
};
/* Finds the start of an engine in a line. False: there is none. */
bool start_find(struct arena *a, const struct engine_words *engines,
                const struct word_list *line, size_t from,
                struct start_found *out);

/* True for a module of clients: "sglang.bench_serving". */
bool word_is_client(const struct engine_words *engines, struct str word);

/* ---- download.c ---- */

/* Adds FOLDER=MODEL if the line from word `from` on downloads a model. */
void download_read(struct arena *a, const struct word_list *line, size_t from,
                   struct setting_list *out);
/* Replaces such folders among the words by their models. */
void downloads_named(const struct setting_list *list, struct word_list *words);

/* ---- beside.c: files that a linted file names ---- */

struct remark_of_file { /* a finding about one of these files */
    const char *check;  /* check of the rule */
    struct span_of_file at;
    struct str args[2];
};

struct remark_list {
    struct remark_of_file *at;
    size_t count, cap;
};

struct beside {
    struct arena *a;
    const struct lint_options *o;
    struct remark_list remarks;
    struct beside_file *files; /* files that were opened so far */
    size_t file_count;
};

/* Opens a path as the file `from` writes it. NULL: it cannot be read; with
 * is_told a remark is made at `at`. */
const struct source *beside_open(struct beside *b, const struct source *from,
                                 struct str path, struct span_of_file at,
                                 bool is_reported);
/* Reads NAME=value lines as docker compose does. Variables in values come from
 * `scope` and from lines above. */
void env_file_read(struct beside *b, const struct source *src,
                   const struct variables *scope, struct setting_list *out);
/* beside_open() for such a file, or for the example file beside it. */
const struct source *env_file_open(struct beside *b,
                                   const struct source *from, struct str path,
                                   struct span_of_file at, bool is_reported);
/* Reads the variables of a compose file: from .env, or --env-file. */
void env_files_read(struct beside *b, const struct source *compose,
                    struct setting_list *out);
/* The service of that name in a file that beside_open() returned, and all
 * services of that file. NULL: it is not there. */
const struct node *service_elsewhere(struct beside *b,
                                     const struct source *src,
                                     struct str name,
                                     const struct node **services);
/* NULL: no file has it. */
const struct config_map *config_map_named(const struct beside *b,
                                          struct str name,
                                          struct str name_space);
/* Adds a remark: the rule of that check becomes a finding. */
void remark(struct beside *b, const char *check, struct span_of_file at,
            struct str what, struct str more);

/* ---- the readers. False: it is no such file ---- */
bool compose_read(const struct launch_file *f, const struct node *root);
/* The name of a card, with blanks, from a node's label ("nvidia-h100-80gb"). */
struct str card_of_label(struct arena *a, struct str label);
bool manifest_read(const struct launch_file *f, const struct node *root);
bool job_read(const struct launch_file *f, const struct node *root);
bool runtime_read(const struct launch_file *f, const struct node *root);
bool settings_read_file(const struct launch_file *f, const struct node *root);

#endif
