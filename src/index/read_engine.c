/* read_engine.c: engines. There are a few dozen and a report needs most of
 * what they say of its own one, so their heads are read together and the rest
 * with them. */
#include "index/read.h"

static struct row ask_for(struct reader *r, enum query query, size_t engine) {
    struct row row = reader_ask(r, query);
    row_bind_int(&row, (int64_t)engine);
    return row;
}

static void read_contexts(struct reader *r, struct engine *e, size_t number) {
    struct row row = ask_for(r, QUERY_context_pattern, number);
    size_t cap = 0;
    while (row_next(&row)) {
        row_expect(&row, e->context_count);
        e->contexts = arena_grow(r->arena, e->contexts, e->context_count, &cap,
                                 sizeof *e->contexts);
        e->contexts[e->context_count++] =
            (struct context_pattern){.pattern = row_text(&row)};
    }
    for (size_t i = 0; i < e->context_count; i++) {
        e->contexts[i].set =
            read_settings(r, (struct list_at){"context", number, i, 0},
                          &e->contexts[i].set_count);
    }
}

static void read_stages(struct reader *r, struct engine *e, size_t number) {
    struct row row = ask_for(r, QUERY_stage_anchor, number);
    size_t cap = 0;
    while (row_next(&row)) {
        row_expect(&row, e->stage_count);
        e->stages = arena_grow(r->arena, e->stages, e->stage_count, &cap,
                               sizeof *e->stages);
        struct stage_anchor *anchor = &e->stages[e->stage_count++];
        anchor->stage = row_text(&row);
        anchor->is_frame = row_bool(&row);
        anchor->is_weak = row_bool(&row);
        anchor->pattern = row_text(&row);
    }
}

static struct str_list read_flag_words(struct reader *r, size_t engine,
                                       const char *field, size_t ordinal) {
    struct row row = ask_for(r, QUERY_flag_word, engine);
    row_bind_text(&row, str_of(field));
    row_bind_int(&row, (int64_t)ordinal);
    return read_strings(&row);
}

static void read_flags(struct reader *r, struct engine *e, size_t number) {
    struct row row = ask_for(r, QUERY_flag, number);
    size_t cap = 0;
    while (row_next(&row)) {
        row_expect(&row, e->flag_count);
        e->flags = arena_grow(r->arena, e->flags, e->flag_count, &cap,
                              sizeof *e->flags);
        struct flag *flag = &e->flags[e->flag_count++];
        *flag = (struct flag){.fact = row_fact(&row)};
        flag->flag = row_text(&row);
        flag->scale = row_text(&row);
        flag->exists.product = row_text(&row);
    }
    for (size_t i = 0; i < e->flag_count; i++) {
        struct flag *flag = &e->flags[i];
        flag->aliases = read_flag_words(r, number, "aliases", i);
        flag->keys = read_flag_words(r, number, "keys", i);
        read_events(r, (struct list_at){"flag", number, i, 0}, &flag->exists);
    }
}

static void read_defaults(struct reader *r, struct engine *e, size_t number) {
    struct row row = ask_for(r, QUERY_engine_default, number);
    size_t cap = 0;
    while (row_next(&row)) {
        row_expect(&row, e->default_count);
        e->defaults = arena_grow(r->arena, e->defaults, e->default_count, &cap,
                                 sizeof *e->defaults);
        struct engine_default *value = &e->defaults[e->default_count++];
        *value = (struct engine_default){.fact = row_fact(&row)};
        value->value = row_text(&row);
        value->versions.product = row_text(&row);
        value->source = row_text(&row);
    }
    for (size_t i = 0; i < e->default_count; i++) {
        read_events(r, (struct list_at){"default", number, i, 0},
                    &e->defaults[i].versions);
    }
}

static void read_engines(struct reader *r) {
    r->engines = NULL; /* a raise may have left half of them */
    r->engine_count = 0;
    struct row row = reader_ask(r, QUERY_engine);
    size_t cap = 0;
    while (row_next(&row)) {
        row_expect(&row, r->engine_count);
        r->engines = arena_grow(r->arena, r->engines, r->engine_count, &cap,
                                sizeof *r->engines);
        struct engine *e = &r->engines[r->engine_count++];
        *e = (struct engine){.id = row_text(&row)};
        e->name = row_text(&row);
        e->newest = row_text(&row);
        e->command = row_text(&row);
    }
    for (size_t i = 0; i < r->engine_count; i++) {
        read_contexts(r, &r->engines[i], i);
        read_stages(r, &r->engines[i], i);
        read_flags(r, &r->engines[i], i);
        read_defaults(r, &r->engines[i], i);
    }
    r->has_engines = true;
}

size_t reader_engine_count(struct reader *r) {
    if (!r->has_engines) {
        read_engines(r);
    }
    return r->engine_count;
}

const struct engine *reader_engine(struct reader *r, uint32_t number) {
    if (number >= reader_engine_count(r)) {
        arena_raise(r->arena, FAIL_INDEX, "the index has no engine %u",
                    (unsigned)number);
    }
    return &r->engines[number];
}

const struct engine *reader_engine_by_id(struct reader *r, struct str id) {
    for (size_t i = 0; i < reader_engine_count(r); i++) {
        if (str_eq(r->engines[i].id, id)) {
            return &r->engines[i];
        }
    }
    return NULL;
}
