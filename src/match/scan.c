/* scan.c: scans bytes for hits.
 *
 *     bytes -> log/ -> lines -> buffer of their stream -> hits
 *
 * Each stream has a buffer of its own, so that mixed lines of ranks do not cut
 * each other's messages. A pattern is read from the index and compiled when the
 * first of its literals is found. Memory is bounded: of buffers by their
 * windows, of hits by keep.c.
 */
#include "base/limits.h"
#include "match/parallel.h"
#include "match/scanner.h"

#include <string.h>

#define SMALL_BYTES (64 * 1024)
#define LATE_BYTES (1 << 20) /* at the end: there others are always matched */

/* A pattern that was compiled at build is deserialized. */
struct regex *scan_regex(struct scanner *s, const struct pattern *p,
                         size_t which) {
    const struct pattern_analysis *analysis = &p->analysis;
    size_t extracts = p->extract.count;
    bool is_extract = which > 0 && which <= extracts;
    struct str text = which == 0   ? analysis->prepared
                      : is_extract ? p->extract.at[which - 1]
                                   : analysis->guards.at[which - 1 - extracts];
    struct serialized code;
    struct pattern_error error;
    struct regex *r = reader_code(s->reader, p->id, which, &code)
                          ? regex_deserialize(s->matcher, &code)
                          : NULL;
    if (!r && is_extract) {
        r = regex_of(s->matcher, text, &error);
    } else if (!r) {
        struct pattern_text prepared =
            pattern_text_prepared(s->known->a, text, p->analysis.needs_utf);
        r = regex_compile(s->matcher, &prepared, &error);
    }
    if (!r)
        arena_raise(s->a, FAIL_INDEX,
                    "the index holds a pattern that does not compile: %.*s",
                    STR_ARG(error.message));
    return r;
}

struct pattern_state *scan_known(struct scanner *s, uint32_t id) {
    struct known_patterns *k = s->known;
    struct pattern_state *p = k->by_id[id];
    if (p && p->number > 0)
        return p;
    if (!p) {
        p = k->by_id[id] = arena_alloc(k->a, sizeof *p);
        p->is = reader_pattern(k->reader, id);
    }
    *ARENA_ADD(k->a, k->named, k->named_count, k->named_cap) = p;
    p->number = (uint32_t)k->named_count;
    return p;
}

struct pattern_state *scan_pattern(struct scanner *s, uint32_t id) {
    struct pattern_state *p = scan_known(s, id);
    if (!p->regex)
        p->regex = scan_regex(s, p->is, 0);
    return p;
}

static void find_suffix(struct scanner *s, struct pattern_state *p) {
    struct pattern_error error;
    if (p->is->analysis.suffix.n == 0)
        return;
    struct pattern_text text = pattern_text_prepared(
        s->a, p->is->analysis.suffix, p->is->analysis.needs_utf);
    text.is_anchored = true;
    p->suffix = regex_compile(s->matcher, &text, &error);
}

bool scan_denies(struct scanner *s, struct pattern_state *p, struct str text,
                 size_t at) {
    struct search search = {.subject = text, .from = at, .latest = at};
    uint64_t before = regex_steps(s->matcher);
    bool is_vain = p->suffix_runs == SUFFIX_RUNS &&
                   p->suffix_denials < SUFFIX_RUNS / 8;
    if (p->named <= SUFFIX_AFTER && p->named++ == SUFFIX_AFTER)
        find_suffix(s, p);
    if (!p->suffix || is_vain || !budget_allows(s, p))
        return false;
    bool is_denied = !regex_may_match(s->matcher, p->suffix, &search);
    budget_charge(s, p, before);
    p->suffix_denials += is_denied && p->suffix_runs < SUFFIX_RUNS;
    p->suffix_runs += p->suffix_runs < SUFFIX_RUNS;
    return is_denied;
}

static struct stream_buffer *buffer_of(struct scanner *s, uint32_t stream) {
    if (stream >= LOG_STREAMS_MAX)
        stream = LOG_STREAMS_MAX - 1;
    if (!s->buffers[stream]) {
        s->buffers[stream] = arena_alloc(s->a, sizeof *s->buffers[stream]);
        s->buffers[stream]->stream = stream;
        s->buffers[stream]->w.shapes = s->rules->shapes;
    }
    return s->buffers[stream];
}

static void note_last_line(struct scanner *s, const struct line *line) {
    if (str_trim(line->text).n == 0)
        return;
    if (!line->is_joined || line->stream != s->last_line_stream)
        s->last_line_n = 0;
    s->last_line_stream = line->stream;
    size_t room = LAST_LINE_MAX - s->last_line_n;
    struct str text = str_slice(line->text, 0, room);
    memcpy(s->last_line + s->last_line_n, text.p, text.n);
    s->last_line_n += text.n;
    s->last_line_number = line->number;
}

static void on_line(void *ctx, const struct line *line) {
    struct scanner *s = ctx;
    if (line->place != s->place)
        s->order = 0;
    s->place = line->place;
    s->bytes += line->text.n + 1;
    uint64_t order = ORDER_OF(line->place) + s->order;
    stream_buffer_line(s, buffer_of(s, line->stream), line, order);
    s->order += line->text.n + 1;
    if (s->scope != SCOPE_BESIDE)
        note_last_line(s, line);
}

struct known_patterns *known_patterns_new(struct arena *a,
                                          const struct scan_rules *rules,
                                          struct reader *r) {
    struct known_patterns *k = arena_alloc(a, sizeof *k);
    k->a = a;
    k->reader = r;
    k->matcher = matcher_new(a);
    k->by_id = arena_array(a, rules->pattern_count, sizeof *k->by_id);
    return k;
}

/* Resets what belongs to the scan before. */
static void begin_scan(struct known_patterns *k) {
    for (size_t i = 0; i < k->named_count; i++) {
        struct pattern_state *p = k->named[i];
        *p = (struct pattern_state){p->is, p->regex, p->extract, p->guards,
                                    .number = 0};
    }
    k->named_count = 0;
    k->steps_before = regex_steps(k->matcher);
}

struct scanner *scan_new(struct arena *a, const struct scan_rules *rules,
                         struct reader *r, uint64_t max_bytes) {
    return scan_next(a, rules, known_patterns_new(a, rules, r), max_bytes);
}

struct scanner *scan_next(struct arena *a, const struct scan_rules *rules,
                          struct known_patterns *known, uint64_t max_bytes) {
    struct scanner *s = arena_alloc(a, sizeof *s);
    begin_scan(known);
    s->a = a;
    s->rules = rules;
    s->owner = s;
    s->known = known;
    s->reader = known->reader;
    s->matcher = known->matcher;
    s->threads = 1;
    s->occurrences.folded.a = a;
    s->ahead.a = a;
    s->log = log_open(a, rules->tables, max_bytes, on_line, s);
    return s;
}

void scan_by(struct scanner *s, enum scan_way way) {
    s->way = way;
}

void scan_threads(struct scanner *s, uint32_t threads) {
    s->threads = threads < 1                  ? 1
                 : threads < SCAN_WORKERS_MAX ? threads
                                              : SCAN_WORKERS_MAX;
}

void scan_feed(struct scanner *s, struct str bytes) {
    if (!s->is_begun && s->way != SCAN_WHOLE)
        log_prescan(s->log, choose_failures(s, s->way == SCAN_STRICT
                                                ? 0
                                                : SMALL_BYTES));
    s->is_begun = true;
    log_feed(s->log, bytes);
}

void scan_break(struct scanner *s) {
    for (size_t i = 0; i < LOG_STREAMS_MAX; i++)
        if (s->buffers[i])
            stream_buffer_break(s, s->buffers[i]);
}

static void end_part(void *ctx) {
    struct scanner *s = ctx;
    scan_break(s);
    s->place = UINT64_MAX;
}

/* Scans what is kept of the log for all patterns but signatures. */
static void scan_beside(struct scanner *s) {
    struct scanner *b = arena_alloc(s->a, sizeof *b);
    uint64_t end = log_place(s->log);
    *b = *s;
    b->scope = SCOPE_BESIDE;
    b->place = UINT64_MAX;
    b->late_from = end > LATE_BYTES ? end - LATE_BYTES : 0;
    memset(b->buffers, 0, sizeof b->buffers);
    log_again(s->log, s->signatures.count > 0, on_line, end_part, b);
}

enum log_kind scan_kind(const struct scanner *s) {
    return log_stats(s->log).kind;
}

static void match_rest(struct scanner *s, enum matched which) {
    for (size_t i = 0; i < LOG_STREAMS_MAX; i++)
        if (s->buffers[i])
            stream_buffer_match(s, s->buffers[i], which);
}

const struct scan_result *scan_end(struct scanner *s) {
    log_end(s->log);
    match_rest(s, MATCHED_MESSAGES);
    if (!s->has_failure)
        match_rest(s, MATCHED_SIGNATURES);
    s->is_final = true;
    for (size_t i = 0; i < LOG_STREAMS_MAX; i++)
        if (s->buffers[i])
            stream_buffer_end(s, s->buffers[i]);
    if (s->scope == SCOPE_SIGNATURES)
        scan_beside(s);
    s->result.streams = log_streams(s->log);
    s->result.stream_count = log_stream_count(s->log);
    s->result.hits = keep_list(s);
    s->result.stats = log_stats(s->log);
    s->result.last_line = (struct str){s->last_line, s->last_line_n};
    s->result.last_line_number = s->last_line_number;
    return &s->result;
}
