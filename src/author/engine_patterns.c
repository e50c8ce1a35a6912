/* engine_patterns.c: from an engine's flags to the patterns that read them.
 *
 *     --max-model-len 8192      on a command line, for the flag and each alias
 *     max_model_len=8192        in a dump, a config file or a Python call,
 *     'max_model_len': 8192     for each key
 *
 * The pattern of a value depends on the fact's unit. A flag without a value
 * sets a boolean fact. A spelling shorter than MATCH_LITERAL_MIN has no literal
 * of its own: one pattern matches the engine's whole command line, one its
 * dump, and short flags and keys are extracted from these matches.
 *
 * The patterns follow the engine's own contexts, in the order of its flags. */
#include "author/build.h"
#include "base/limits.h"
#include "match/match.h"

/* A dump of settings, to the end of its line. */
#define DUMP                                                                \
    "(?:with config: |non-default args: |Namespace\\(|ServerArgs\\("       \
    "|EngineArgs\\()[^\\n]*+"
/* Servers that are started as a Python module, not by a command. */
#define MODULES "|api_server|launch_server"
/* The rest of a command, over lines that end in a backslash. */
#define COMMAND_GOES_ON "[^\\n\\\\]*+(?:\\\\\\n?[^\\n\\\\]*+)*+"

struct extracts {
    struct str *at;
    size_t count, cap;
};

struct adding {
    struct arena *a;
    struct engine *engine;
    size_t cap;
    struct extracts from_command, from_dump;
};

static void add_extract(struct adding *to, struct extracts *list,
                        const struct buf *pattern) {
    *ARENA_ADD(to->a, list->at, list->count, list->cap) =
        arena_str(to->a, buf_str(pattern));
}

static struct context_pattern *add_context(struct adding *to,
                                           const struct buf *pattern) {
    struct engine *e = to->engine;
    struct context_pattern *c =
        ARENA_ADD(to->a, e->contexts, e->context_count, to->cap);
    *c = (struct context_pattern){
        .pattern = arena_str(to->a, buf_str(pattern))};
    return c;
}

static void add(struct adding *to, const struct buf *pattern,
                enum fact_name fact, const char *value) {
    struct context_pattern *c = add_context(to, pattern);
    if (value == NULL)
        return;
    c->set = arena_alloc(to->a, sizeof *c->set);
    *c->set = (struct setting){fact, str_of(value)};
    c->set_count = 1;
}

/* The pattern of a printed value of the fact. */
static const char *value_pattern(enum fact_name fact, bool is_scaled) {
    switch (fact_unit(fact)) {
    case UNIT_BYTES:
        return is_scaled ? "\\d+(?:\\.\\d+)?"
                         : "(?&amount)|\\d+(?![\\d.]*[A-Za-z])";
    case UNIT_TOKENS:
        return "\\d+(?:\\.\\d+)?[kK]?";
    case UNIT_BLOCKS:
    case UNIT_COUNT:
        return "\\d+";
    case UNIT_RATIO:
    case UNIT_SECONDS:
        return "\\d*\\.?\\d+";
    case UNIT_BOOL:
        return "[Tt]rue|[Ff]alse|o(?:n|ff)\\b|[01]\\b";
    case UNIT_TEXT:
    case UNIT_VERSION:
        return "[^\\s'\",;:=()\\[\\]{}\\\\][^\\s'\",;=()\\[\\]{}\\\\]*";
    }
    return "";
}

void put_quoted(struct buf *out, struct str spelling) {
    for (size_t i = 0; i < spelling.n; i++) {
        char c = spelling.p[i];
        if (!is_word(c) && c != '-')
            buf_add_char(out, '\\');
        buf_add_char(out, c);
    }
}

static void put_group(struct buf *out, const struct flag *f) {
    buf_printf(out, "(?<%s", fact_spelling(f->fact));
    if (f->scale.n > 0)
        buf_printf(out, "__%.*s", STR_ARG(f->scale));
    buf_printf(out, ">%s)", value_pattern(f->fact, f->scale.n > 0));
}

static bool is_short(struct str spelling) {
    return spelling.n < MATCH_LITERAL_MIN;
}

static void put_flag(struct buf *out, struct str spelling) {
    buf_clear(out);
    /* "-x 4 --> -x 0", "or use '--enforce-eager' in the CLI": advice */
    buf_add(out, STR("(?<![\\w-])(?<!-> )(?<!use ['`])"));
    put_quoted(out, spelling);
}

/* The end of a switch that is not followed by a false value. */
#define SWITCH_ENDS \
    "(?![\\w=-]|['\"]?,? ['\"]?(?:[Ff]alse|off|0)\\b)"

/* -fa, -fa=off: fact_read() reads the switch itself as true. */
static void extract_switch(struct adding *to, struct buf *out,
                           const struct flag *f, struct str spelling) {
    buf_clear(out);
    buf_printf(out, "(?<![\\w-])(?<%s>", fact_spelling(f->fact));
    put_quoted(out, spelling);
    buf_add(out, STR(")" SWITCH_ENDS));
    add_extract(to, &to->from_command, out);
    put_flag(out, spelling);
    buf_add(out, STR("['\"]?(?:=|,? )['\"]?"));
    put_group(out, f);
    add_extract(to, &to->from_command, out);
}

/* --enforce-eager, --enforce-eager=False, --no-enforce-eager */
static void add_switch(struct adding *to, struct buf *out,
                       const struct flag *f, struct str spelling) {
    if (is_short(spelling)) {
        extract_switch(to, out, f, spelling);
        return;
    }
    put_flag(out, spelling);
    buf_add(out, STR(SWITCH_ENDS));
    add(to, out, f->fact, "true");
    put_flag(out, spelling);
    buf_add(out, STR("['\"]?(?:=|,? )['\"]?"));
    put_group(out, f);
    add(to, out, f->fact, NULL);
    if (!str_starts(spelling, STR("--")))
        return;
    put_flag(out, arena_printf(to->a, "--no-%.*s", STR_ARG(str_slice(
                                   spelling, 2, spelling.n))));
    buf_add(out, STR("(?![\\w=-])"));
    add(to, out, f->fact, "false");
}

static void add_flag(struct adding *to, struct buf *out, const struct flag *f,
                     struct str spelling) {
    if (fact_unit(f->fact) == UNIT_BOOL) {
        add_switch(to, out, f, spelling);
        return;
    }
    put_flag(out, spelling);
    buf_add(out, STR("['\"]?(?:=|,? (?:- )?)['\"]?"));
    put_group(out, f);
    if (is_short(spelling))
        add_extract(to, &to->from_command, out);
    else
        add(to, out, f->fact, NULL);
}

static void add_key(struct adding *to, struct buf *out, const struct flag *f,
                    struct str key) {
    buf_clear(out);
    /* vLLM prints a quotient, "max_num_batched_tokens / max_num_seqs = 20000":
     * that is neither of the two. "set 'enforce_eager=True'": advice. */
    buf_add(out, STR("\\b(?<!/ )(?<!set ['`])"));
    put_quoted(out, key);
    buf_add(out, STR("['\"]?\\s*[=:]\\s*['\"]?"));
    put_group(out, f);
    if (is_short(key))
        add_extract(to, &to->from_dump, out);
    else
        add(to, out, f->fact, NULL);
}

static void add_line(struct adding *to, const struct buf *pattern,
                     const struct extracts *list) {
    if (list->count > 0)
        add_context(to, pattern)->extract =
            (struct str_list){list->at, list->count};
}

/* The patterns of lines that short flags and keys are extracted from. */
static void add_lines(struct adding *to, struct buf *out) {
    struct str command = to->engine->command;
    buf_clear(out);
    buf_add(out, STR("(?:"));
    put_quoted(out, command);
    buf_add(out, STR(MODULES ")" COMMAND_GOES_ON));
    if (!is_short(command))
        add_line(to, out, &to->from_command);
    buf_clear(out);
    buf_add(out, STR(DUMP));
    add_line(to, out, &to->from_dump);
}

void engine_add_patterns(struct arena *a, struct engine *e) {
    struct buf out = buf_in(a, ENGINE_PATTERN_BYTES_MAX);
    struct adding to = {.a = a, .engine = e, .cap = e->context_count};
    for (size_t i = 0; i < e->flag_count; i++) {
        const struct flag *f = &e->flags[i];
        add_flag(&to, &out, f, f->flag);
        for (size_t k = 0; k < f->aliases.count; k++)
            add_flag(&to, &out, f, f->aliases.at[k]);
        for (size_t k = 0; k < f->keys.count; k++)
            add_key(&to, &out, f, f->keys.at[k]);
    }
    add_lines(&to, &out);
}
