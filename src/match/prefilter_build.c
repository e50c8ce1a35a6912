/* prefilter_build.c: the automaton of Aho and Corasick, written down.
 *
 *     literals, sorted            states, breadth first
 *       "cuda error"               0 root
 *       "cuda out of"              1 c   2 u ...        children of a state
 *       "free memory"              3 f   ...            are neighbours
 *
 * Numbering states breadth first, children in the order of their bytes, makes
 * two tables out of the trie: where the children of a state begin, and which
 * byte leads into each. Every link that is followed without reading a byte
 * goes to a smaller number, which is why following them ends.
 *
 * It refuses patterns without a literal: the checks before it have refused
 * them with a place.
 */
#include "match/literals.h"
#include "match/prefilter.h"
#include "match/sieve.h"

#include "index/digest.h"

#include <stdlib.h>
#include <string.h>

struct entry_ref { /* one literal of one pattern */
    struct str literal;
    uint32_t pattern;
};

struct node { /* the literals [from, to) go through it, agreeing so far */
    uint32_t from, to, depth;
    uint32_t fail, report, literal, child_from;
    unsigned char byte;
};

struct builder {
    struct arena *a;
    struct entry_ref *refs;
    size_t ref_count, ref_cap;
    struct str *literals;
    uint32_t *ref_from;
    uint32_t literal_count;
    struct node *nodes;
    size_t node_count, node_cap;
    struct gram_choice grams;
    uint32_t gram_log2; /* 0: some literal has none */
    struct sieve_choice sieve;
    enum prefilter_of which;
};

static int by_literal(const void *x, const void *y) {
    const struct entry_ref *a = x, *b = y;
    int order = str_cmp(a->literal, b->literal);
    if (order != 0)
        return order;
    return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

static bool is_of(const struct pattern *p, enum prefilter_of which) {
    return which == PREFILTER_ALL ||
           (p->kind == PATTERN_SIGNATURE) == (which == PREFILTER_SIGNATURES);
}

static void collect_literals(struct builder *b,
                             const struct pattern_list *set,
                             enum prefilter_of which) {
    for (size_t i = 0; i < set->count; i++) {
        const struct pattern *p = &set->at[i];
        if (!is_of(p, which))
            continue;
        struct str_list list = pattern_literals(b->a, p->text);
        if (list.count == 0)
            arena_raise(b->a, FAIL_USAGE, "pattern without a literal: %.*s",
                        (int)(p->text.n < 120 ? p->text.n : 120), p->text.p);
        for (size_t k = 0; k < list.count; k++) {
            b->refs = arena_grow(b->a, b->refs, b->ref_count, &b->ref_cap,
                                 sizeof *b->refs);
            b->refs[b->ref_count++] =
                (struct entry_ref){list.at[k], p->id};
        }
    }
    if (b->ref_count > 1)
        qsort(b->refs, b->ref_count, sizeof *b->refs, by_literal);
}

/* Equal literals become one, with all their patterns. */
static void number_literals(struct builder *b) {
    b->literals = arena_array(b->a, b->ref_count + 1, sizeof *b->literals);
    b->ref_from = arena_array(b->a, b->ref_count + 1, sizeof *b->ref_from);
    for (size_t i = 0; i < b->ref_count; i++) {
        struct str s = b->refs[i].literal;
        if (b->literal_count &&
            str_eq(s, b->literals[b->literal_count - 1]))
            continue;
        b->literals[b->literal_count] = s;
        b->ref_from[b->literal_count++] = (uint32_t)i;
    }
    b->ref_from[b->literal_count] = (uint32_t)b->ref_count;
}

static unsigned char byte_of(const struct builder *b, uint32_t literal,
                             uint32_t depth) {
    return (unsigned char)b->literals[literal].p[depth];
}

static void add_node(struct builder *b, struct node node) {
    b->nodes = arena_grow(b->a, b->nodes, b->node_count, &b->node_cap,
                          sizeof *b->nodes);
    b->nodes[b->node_count++] = node;
}

/* Append the children of node i. The shortest literal of a sorted range is
 * its first. */
static void add_children(struct builder *b, size_t i) {
    struct node n = b->nodes[i];
    if (n.from < n.to && n.depth > 0 && b->literals[n.from].n == n.depth)
        b->nodes[i].literal = ++n.from;
    b->nodes[i].child_from = (uint32_t)b->node_count;
    while (n.from < n.to) {
        uint32_t end = n.from + 1;
        unsigned char byte = byte_of(b, n.from, n.depth);
        while (end < n.to && byte_of(b, end, n.depth) == byte)
            end++;
        add_node(b, (struct node){.from = n.from, .to = end,
                                  .depth = n.depth + 1, .byte = byte,
                                  .fail = (uint32_t)i}); /* parent, for now */
        n.from = end;
    }
}

static uint32_t child_of(const struct builder *b, uint32_t state,
                         unsigned char byte) {
    uint32_t end = b->nodes[state + 1].child_from;
    for (uint32_t c = b->nodes[state].child_from; c < end; c++)
        if (b->nodes[c].byte == byte)
            return c;
    return 0;
}

/* Breadth first, so the links of shorter prefixes are there already. */
static void link_node(struct builder *b, uint32_t i) {
    struct node *n = &b->nodes[i];
    uint32_t parent = n->fail, to = 0;
    if (parent != 0) {
        uint32_t s = parent;
        do {
            s = b->nodes[s].fail;
            to = child_of(b, s, n->byte);
        } while (to == 0 && s != 0);
    }
    n->fail = to;
    n->report = n->literal ? i : b->nodes[to].report;
}

static void build_states(struct builder *b) {
    add_node(b, (struct node){.to = b->literal_count});
    for (size_t i = 0; i < b->node_count; i++)
        add_children(b, i);
    size_t states = b->node_count;
    add_node(b, (struct node){.child_from = (uint32_t)states});
    b->node_count = states; /* the last one only ends the list of children */
    for (size_t i = 1; i < states; i++)
        link_node(b, (uint32_t)i);
}

static void choose_grams(struct builder *b) {
    b->grams.is_complete = true;
    for (size_t i = 0; i < b->literal_count; i++)
        gram_choose(b->a, &b->grams, b->literals[i]);
    b->gram_log2 = b->grams.is_complete ? gram_bits_log2(&b->grams) : 0;
    sieve_choose(b->a, &b->sieve, b->literals, b->literal_count,
                 b->which != PREFILTER_OTHERS);
}

static struct prefilter_sizes sizes_of(const struct builder *b) {
    struct prefilter_sizes s = {
        .states = (uint32_t)b->node_count, .literals = b->literal_count,
        .refs = (uint32_t)b->ref_count, .gram_log2 = b->gram_log2};
    sieve_measure(&b->sieve, &s);
    return s;
}

/* ---- writing ---- */

static uint64_t bytes_of_bits(uint32_t log2) {
    return log2 ? (UINT64_C(1) << log2) / 8 : 0;
}

struct prefilter_layout prefilter_layout(const struct prefilter_sizes *s) {
    struct prefilter_layout l = {.root = 4 * (uint64_t)WORD_COUNT_OF};
    uint32_t states = s->states, literals = s->literals;
    l.child_from = l.root + 4 * 256;
    l.fail = l.child_from + 4 * ((uint64_t)states + 1);
    l.report = l.fail + 4 * (uint64_t)states;
    l.literal_of = l.report + 4 * (uint64_t)states;
    l.ref_from = l.literal_of + 4 * (uint64_t)states;
    l.refs = l.ref_from + 4 * ((uint64_t)literals + 1);
    l.literal_from = l.refs + 4 * (uint64_t)s->refs;
    l.gram_slots = l.literal_from + 4 * ((uint64_t)literals + 1);
    l.gram_bits = l.gram_slots +
                  4 * (8 * bytes_of_bits(s->gram_log2) >> GRAM_SLOT_LOG2);
    l.bytes = l.gram_bits + bytes_of_bits(s->gram_log2);
    l.literal_bytes = l.bytes + states;
    l.sieve = (l.literal_bytes + s->literal_bytes + 3) / 4 * 4;
    l.sieve_near = l.sieve;
    l.sieve_slots = l.sieve_near + (UINT64_C(8) << SIEVE_NEAR_LOG2);
    l.sieve_entries = l.sieve_slots + (UINT64_C(12) << s->slot_log2);
    l.sieve_shorts = l.sieve_entries + 4 * ENTRY_WORDS * (uint64_t)s->entries;
    l.tail_slots = l.sieve_shorts + 4 * (uint64_t)s->shorts;
    l.tails = l.tail_slots + (UINT64_C(12) << s->tail_slot_log2);
    l.sieve_bits = l.tails + 4 * (uint64_t)s->tails;
    l.wide_bits = l.sieve_bits + bytes_of_bits(s->sieve_log2);
    l.tail_bits = l.wide_bits + bytes_of_bits(s->wide_log2);
    l.end = (l.tail_bits + bytes_of_bits(s->tail_log2) + 3) / 4 * 4;
    return l;
}

uint32_t prefilter_check(const unsigned char *blob, size_t n) {
    struct str all = {(const char *)blob, n};
    struct str head = str_slice(all, 0, 4 * WORD_CHECK);
    uint32_t before = check_of(PREFILTER_MAGIC, head);
    return check_of(before, str_slice(all, 4 * (WORD_CHECK + 1), n));
}

uint32_t prefilter_check_sieve(struct str part) {
    return check_of(~(uint64_t)PREFILTER_MAGIC, part);
}

static void write_states(const struct builder *b, unsigned char *out,
                         const struct prefilter_layout *l) {
    for (uint32_t c = b->nodes[0].child_from; c < b->nodes[1].child_from; c++)
        prefilter_put(out + l->root, b->nodes[c].byte, c);
    for (size_t i = 0; i <= b->node_count; i++)
        prefilter_put(out + l->child_from, i, b->nodes[i].child_from);
    for (size_t i = 0; i < b->node_count; i++) {
        prefilter_put(out + l->fail, i, b->nodes[i].fail);
        prefilter_put(out + l->report, i, b->nodes[i].report);
        prefilter_put(out + l->literal_of, i, b->nodes[i].literal);
        out[l->bytes + i] = b->nodes[i].byte;
    }
}

static void write_header(const struct builder *b,
                         const struct prefilter_sizes *s, unsigned char *out,
                         const struct prefilter_layout *l, size_t patterns) {
    struct str sieve = {(const char *)out + l->sieve, l->end - l->sieve};
    prefilter_put(out, WORD_MAGIC, PREFILTER_MAGIC);
    prefilter_put(out, WORD_VERSION, PREFILTER_VERSION);
    prefilter_put(out, WORD_BYTES, (uint32_t)l->end);
    prefilter_put(out, WORD_PATTERNS, (uint32_t)patterns);
    prefilter_put(out, WORD_STATES, (uint32_t)b->node_count);
    prefilter_put(out, WORD_LITERALS, b->literal_count);
    prefilter_put(out, WORD_REFS, (uint32_t)b->ref_count);
    prefilter_put(out, WORD_GRAM_LOG2, b->gram_log2);
    prefilter_put(out, WORD_GRAM_BACK, b->grams.back);
    prefilter_put(out, WORD_SIEVE_LOG2, s->sieve_log2);
    prefilter_put(out, WORD_WIDE_LOG2, s->wide_log2);
    prefilter_put(out, WORD_SLOT_LOG2, s->slot_log2);
    prefilter_put(out, WORD_TAIL_LOG2, s->tail_log2);
    prefilter_put(out, WORD_TAIL_SLOT_LOG2, s->tail_slot_log2);
    prefilter_put(out, WORD_ENTRIES, s->entries);
    prefilter_put(out, WORD_SHORTS, s->shorts);
    prefilter_put(out, WORD_TAILS, s->tails);
    prefilter_put(out, WORD_LITERAL_BYTES, s->literal_bytes);
    prefilter_put(out, WORD_SIEVE_CHECK, prefilter_check_sieve(sieve));
    prefilter_put(out, WORD_CHECK, prefilter_check(out, l->sieve));
}

struct str prefilter_build(struct arena *a, const struct pattern_list *set,
                           enum prefilter_of which) {
    struct builder b = {.a = a, .which = which};
    collect_literals(&b, set, which);
    number_literals(&b);
    build_states(&b);
    choose_grams(&b);
    struct prefilter_sizes sizes = sizes_of(&b);
    struct prefilter_layout l = prefilter_layout(&sizes);
    if (l.end > UINT32_MAX)
        arena_raise(a, FAIL_CEILING, "the prefilter would pass 4 GiB");
    unsigned char *out = arena_alloc(a, l.end);
    write_states(&b, out, &l);
    for (size_t i = 0; i <= b.literal_count; i++)
        prefilter_put(out + l.ref_from, i, b.ref_from[i]);
    for (size_t i = 0; i < b.ref_count; i++)
        prefilter_put(out + l.refs, i, b.refs[i].pattern);
    if (b.gram_log2)
        gram_write(&b.grams, b.gram_log2, out + l.gram_bits,
                   out + l.gram_slots);
    sieve_write(&b.sieve, &sizes, &l, out);
    write_header(&b, &sizes, out, &l, set->count);
    return (struct str){(const char *)out, l.end};
}
