/* pattern.c: the only file that uses PCRE2.
 *
 *     matcher   general, compile and match context, result blocks, and one
 *               stack for machine code; one per thread
 *     regex     the code, the named groups as facts, how often it ran
 *
 * The patterns of the built-in index are compiled when the program is built,
 * and deserialized when one is used.
 *
 * Patterns match bytes. Only a pattern that is not ASCII matches characters;
 * then bad bytes in the log match nothing. A pattern is interpreted until it is
 * hot, since compiling it to machine code costs as much as a hundred short
 * runs, or hundreds if the pattern is long.
 *
 * Work is limited, since logs are hostile and patterns have mistakes: a search
 * that reaches a limit has found nothing. Memory comes from the arena's
 * allocator and is released with the arena. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "match/pattern.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "match/steps.h"

/* A pattern is compiled to machine code when it has searched so many bytes for
 * each byte of its own code. A run counts for some bytes, too. */
#define HOT_A_BYTE 12
#define HEAT_RUN 60
#define HOLDS_BYTES 340 /* searched by a guard or a condition, about */
#define JIT_STACK_FIRST (32 * 1024)

struct matcher {
    struct arena *a;
    pcre2_general_context *general;
    pcre2_compile_context *compile;
    pcre2_match_context *match;
    pcre2_match_data *data, *aside; /* of finds; of other matches */
    pcre2_jit_stack *stack; /* NULL until the first hot pattern */
    uint8_t *room;          /* for bytes of a compiled pattern */
    size_t room_bytes;
    int groups_set;         /* of the last find: 1 + the highest one */
    enum steps_of counts;
    uint64_t steps;         /* of all searches */
    uint64_t steps_end;     /* where the present search gives up */
    size_t start, at;       /* of that: the start of the match that is tried;
                               where its last callout was */
};

struct regex {
    pcre2_code *code;
    size_t heat, hot;  /* it is compiled if heat > hot */
    uint32_t compiled; /* for which modes: PCRE2_JIT_... */
    struct named_group *groups;
    size_t group_count;
};

static void *get_bytes(PCRE2_SIZE n, void *ctx) {
    const struct allocator *from = ((struct arena *)ctx)->from;
    return from ? from->get(from->ctx, n) : malloc(n);
}

static void put_bytes(void *block, void *ctx) {
    const struct allocator *from = ((struct arena *)ctx)->from;
    if (!block)
        return;
    if (from)
        from->put(from->ctx, block);
    else
        free(block);
}

static void matcher_release(void *what) {
    struct matcher *m = what;
    if (m->stack)
        pcre2_jit_stack_free(m->stack);
    if (m->data)
        pcre2_match_data_free(m->data);
    if (m->aside)
        pcre2_match_data_free(m->aside);
    if (m->match)
        pcre2_match_context_free(m->match);
    if (m->compile)
        pcre2_compile_context_free(m->compile);
    if (m->general)
        pcre2_general_context_free(m->general);
}

/* The callout behind a repeat: see steps.h. */
static int count_step(pcre2_callout_block *block, void *ctx) {
    struct matcher *m = ctx;
    size_t at = block->current_position;
    size_t last = block->start_match == m->start ? m->at : block->start_match;
    m->steps += 1 + (at > last ? at - last : last - at);
    m->start = block->start_match;
    m->at = at;
    return m->steps < m->steps_end ? 0 : PCRE2_ERROR_CALLOUT;
}

static void no_memory(struct matcher *m) {
    arena_raise(m->a, FAIL_MEMORY, "out of memory for a pattern");
}

struct matcher *matcher_new(struct arena *a) {
    struct matcher *m = arena_alloc(a, sizeof *m);
    m->a = a;
    m->counts = STEPS_OF_LARGE;
    arena_defer(a, matcher_release, m);
    m->general = pcre2_general_context_create(get_bytes, put_bytes, a);
    if (!m->general)
        no_memory(m);
    m->compile = pcre2_compile_context_create(m->general);
    m->match = pcre2_match_context_create(m->general);
    m->data = pcre2_match_data_create(PATTERN_GROUPS_MAX + 1, m->general);
    m->aside = pcre2_match_data_create(1, m->general);
    if (!m->compile || !m->match || !m->data || !m->aside)
        no_memory(m);
    pcre2_set_newline(m->compile, PCRE2_NEWLINE_LF);
    pcre2_set_match_limit(m->match, MATCH_BACKTRACKS_MAX);
    pcre2_set_depth_limit(m->match, MATCH_BACKTRACKS_MAX);
    pcre2_set_heap_limit(m->match, MATCH_HEAP_KIB_MAX);
    pcre2_set_callout(m->match, count_step, m);
    return m;
}

struct matcher *matcher_counting(struct arena *a) {
    struct matcher *m = matcher_new(a);
    m->counts = STEPS_OF_ALL;
    return m;
}

/* ---- compiling ---- */

static void regex_release(void *what) {
    struct regex *r = what;
    if (r->code)
        pcre2_code_free(r->code);
}

static void read_code(struct matcher *m, struct regex *r) {
    uint32_t count = 0, width = 0;
    size_t bytes = 0;
    pcre2_pattern_info(r->code, PCRE2_INFO_SIZE, &bytes);
    r->hot = HOT_A_BYTE * bytes;
    PCRE2_SPTR table = NULL;
    pcre2_pattern_info(r->code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(r->code, PCRE2_INFO_NAMEENTRYSIZE, &width);
    pcre2_pattern_info(r->code, PCRE2_INFO_NAMETABLE, &table);
    r->groups = arena_array(m->a, count, sizeof *r->groups);
    r->group_count = count;
    for (uint32_t i = 0; i < count; i++) {
        PCRE2_SPTR row = table + (size_t)i * width;
        struct named_group *g = &r->groups[i];
        g->number = (uint32_t)row[0] << 8 | row[1];
        g->spelling = str_of((const char *)row + 2);
        g->is_fact = fact_of_group(g->spelling, &g->name, &g->scale);
    }
}

static bool has_room_for_groups(const struct regex *r) {
    uint32_t brackets = 0;
    pcre2_pattern_info(r->code, PCRE2_INFO_CAPTURECOUNT, &brackets);
    return brackets <= PATTERN_GROUPS_MAX;
}

struct regex *regex_compile(struct matcher *m, const struct pattern_text *text,
                            struct pattern_error *error) {
    uint32_t options = PCRE2_MULTILINE | PCRE2_DUPNAMES |
                       PCRE2_USE_OFFSET_LIMIT | PCRE2_NEVER_BACKSLASH_C;
    if (text->is_anchored)
        options |= PCRE2_ANCHORED;
    if (text->needs_utf)
        options |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    struct regex *r = arena_alloc(m->a, sizeof *r);
    arena_defer(m->a, regex_release, r);
    int code = 0;
    PCRE2_SIZE at = 0;
    struct str counted = steps_counted(m->a, text, m->counts);
    r->code = pcre2_compile((PCRE2_SPTR)counted.p, counted.n, options, &code,
                            &at, m->compile);
    if (!r->code) { /* once more, for the place in the pattern's own text */
        char why[160] = "";
        r->code = pcre2_compile((PCRE2_SPTR)text->text.p, text->text.n,
                                options, &code, &at, m->compile);
        if (r->code || code == PCRE2_ERROR_HEAP_FAILED)
            no_memory(m);
        pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof why);
        *error = (struct pattern_error){text->place ? text->place[at] : at,
                                        arena_str(m->a, str_of(why))};
        return NULL;
    }
    if (!has_room_for_groups(r)) {
        *error = (struct pattern_error){
            0, STR("more than 60 groups; use (?:...) where nothing is kept")};
        return NULL;
    }
    read_code(m, r);
    return r;
}

struct regex *regex_of(struct matcher *m, struct str text,
                       struct pattern_error *error) {
    struct pattern_text prepared;
    if (!pattern_text_prepare(m->a, text, &prepared, error))
        return NULL;
    return regex_compile(m, &prepared, error);
}

bool regex_begins_lines(const struct regex *r) {
    uint32_t type = 0;
    pcre2_pattern_info(r->code, PCRE2_INFO_FIRSTCODETYPE, &type);
    return type == 2;
}

size_t regex_group_count(const struct regex *r) {
    return r->group_count;
}

const struct named_group *regex_groups(const struct regex *r) {
    return r->groups;
}

/* ---- serialized patterns ---- */

static void free_serialized(void *bytes) {
    pcre2_serialize_free(bytes);
}

struct str regex_serialize(struct matcher *m, const struct regex *r) {
    const pcre2_code *code = r->code;
    uint8_t *bytes = NULL;
    PCRE2_SIZE n = 0;
    if (pcre2_serialize_encode(&code, 1, &bytes, &n, m->general) != 1)
        no_memory(m);
    arena_defer(m->a, free_serialized, bytes);
    return (struct str){(const char *)bytes, n};
}

/* PCRE2 needs the bytes in one piece, at an aligned address. */
static const uint8_t *joined(struct matcher *m,
                             const struct serialized *bytes) {
    size_t n = bytes->head.n + bytes->rest.n;
    if (n > m->room_bytes) {
        m->room = arena_room(m->a, 2 * n);
        m->room_bytes = 2 * n;
    }
    memcpy(m->room, bytes->head.p, bytes->head.n);
    memcpy(m->room + bytes->head.n, bytes->rest.p, bytes->rest.n);
    return m->room;
}

struct regex *regex_deserialize(struct matcher *m,
                                const struct serialized *bytes) {
    struct regex *r = arena_alloc(m->a, sizeof *r);
    arena_defer(m->a, regex_release, r);
    int rc = pcre2_serialize_decode(&r->code, 1, joined(m, bytes), m->general);
    if (rc == PCRE2_ERROR_NOMEMORY)
        no_memory(m);
    if (rc != 1)
        return NULL;
    read_code(m, r);
    return r;
}

/* ---- matching ---- */

/* Compiles to machine code if the system allows it; else the pattern stays
 * interpreted. */
static void compile_for(struct matcher *m, struct regex *r, uint32_t how) {
    if ((r->compiled & how) != 0)
        return;
    r->compiled |= how;
    if (!m->stack) {
        m->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_BYTES_MAX,
                                          m->general);
        if (!m->stack)
            return;
        pcre2_jit_stack_assign(m->match, NULL, m->stack);
    }
    pcre2_jit_compile(r->code, how);
}

static void heat(struct matcher *m, struct regex *r, size_t searched,
                 uint32_t how) {
    r->heat += HEAT_RUN + searched;
    if (r->heat > r->hot && m->counts == STEPS_OF_LARGE)
        compile_for(m, r, how);
}

static int run(struct matcher *m, const struct regex *r,
               const struct search *s, uint32_t options,
               pcre2_match_data *data) {
    if (s->starts_mid_line)
        options |= PCRE2_NOTBOL;
    m->start = m->at = s->from;
    m->steps_end =
        m->steps + (m->counts == STEPS_OF_ALL ? BUILD_SEARCH_STEPS_MAX
                                              : MATCH_SEARCH_STEPS_MAX);
    pcre2_set_offset_limit(m->match, s->latest);
    int code = pcre2_match(
        r->code, (PCRE2_SPTR)(s->subject.p ? s->subject.p : ""),
        s->subject.n, s->from, options, data, m->match);
    if (code == PCRE2_ERROR_NOMEMORY)
        no_memory(m);
    return code;
}

bool regex_find(struct matcher *m, struct regex *r, const struct search *s,
                struct text_range *whole) {
    m->groups_set = run(m, r, s, 0, m->data);
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(m->data);
    size_t began = m->groups_set > 0 ? ends[0] : s->latest;
    heat(m, r, began > s->from ? began - s->from : 0,
         PCRE2_JIT_COMPLETE);
    if (m->groups_set <= 0)
        return false;
    *whole = (struct text_range){ends[0], ends[1]};
    return whole->from <= whole->to;
}

enum holding regex_holds(struct matcher *m, struct regex *r,
                         const struct search *s) {
    heat(m, r, HOLDS_BYTES, PCRE2_JIT_COMPLETE);
    int code = run(m, r, s, 0, m->aside);
    if (code < 0 && code != PCRE2_ERROR_NOMATCH)
        m->groups_set = code;
    return code >= 0                      ? HOLDS
           : code == PCRE2_ERROR_NOMATCH ? HOLDS_NOT
                                         : HOLDS_UNKNOWN;
}

bool regex_may_match(struct matcher *m, struct regex *r,
                     const struct search *s) {
    heat(m, r, s->latest > s->from ? s->latest - s->from : 0,
         PCRE2_JIT_PARTIAL_HARD);
    return run(m, r, s, PCRE2_PARTIAL_HARD, m->aside) != PCRE2_ERROR_NOMATCH;
}

uint64_t regex_steps(const struct matcher *m) {
    return m->steps;
}

size_t regex_came_to(const struct matcher *m) {
    return m->start;
}

bool regex_gave_up(const struct matcher *m) {
    return m->groups_set < 0 && m->groups_set != PCRE2_ERROR_NOMATCH;
}

bool regex_group(const struct matcher *m, uint32_t number,
                 struct text_range *out) {
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(m->data);
    if (m->groups_set <= 0 || number >= (uint32_t)m->groups_set ||
        ends[2 * number] == PCRE2_UNSET ||
        ends[2 * number] > ends[2 * number + 1])
        return false;
    *out = (struct text_range){ends[2 * number], ends[2 * number + 1]};
    return true;
}
