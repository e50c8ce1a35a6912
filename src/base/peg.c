/* peg.c: a pattern is compiled to a list of nodes, and a match walks the nodes
 * with one position in the text.
 *
 *     %[rank(?<rank>%d+)%](:|$)
 *
 *     CELLS "[rank" -> GROUP "rank" -> CELLS "]" -> GROUP
 *                        first: SET                first: CELLS ":"
 *                                                  other: END
 *
 * Cells are consecutive bytes, each a character or one of a set: a date is one
 * node. The recursion is as deep as groups are nested. Patterns are not
 * checked for syntax: all of them are part of the program, each with a sample
 * that a test runs.
 */
#include "base/peg.h"

#include <string.h>

#define FAILED SIZE_MAX
#define ENDLESS UINT16_MAX
#define SET_FROM 256 /* cells below are characters, from here on sets */

enum op { OP_CELLS, OP_SET, OP_GROUP, OP_AHEAD, OP_NOT_AHEAD, OP_END };

struct node {
    struct str name;      /* of a group */
    uint16_t cell, cells; /* OP_CELLS: first and count; OP_SET: the set */
    uint16_t least, most; /* repetitions */
    uint16_t next;        /* 0: the sequence ends */
    uint16_t first;       /* of a group: the first alternative */
    uint16_t other;       /* of an alternative's first node: the next one */
    uint8_t op;
};

struct peg_set {
    struct arena *a;
    struct node *nodes;
    size_t count, cap;
    uint16_t *cells;
    size_t cell_count, cell_cap;
    struct peg_bytes *sets;
    size_t set_count, set_cap;
    uint16_t classes[4]; /* cells of %d %l %s %w; 0: not used yet */
};

/* ---- compiling ---- */

static uint16_t add_node(struct peg_set *s, enum op op) {
    *ARENA_ADD(s->a, s->nodes, s->count, s->cap) =
        (struct node){.op = (uint8_t)op, .least = 1, .most = 1};
    return (uint16_t)(s->count - 1);
}

struct peg_set *peg_set_new(struct arena *a, size_t nodes) {
    struct peg_set *s = arena_alloc(a, sizeof *s);
    s->a = a;
    s->cap = nodes;
    s->cell_cap = 4 * nodes; /* as patterns have them, about */
    s->set_cap = nodes / 4;
    s->nodes = arena_room(a, s->cap * sizeof *s->nodes);
    s->cells = arena_room(a, s->cell_cap * sizeof *s->cells);
    s->sets = arena_room(a, s->set_cap * sizeof *s->sets);
    add_node(s, OP_END); /* takes number 0, which means none */
    return s;
}

static void add_range(struct peg_bytes *set, char first, char last) {
    for (unsigned c = (unsigned char)first; c <= (unsigned char)last; c++)
        set->bits[c >> 6] |= UINT64_C(1) << (c & 63);
}

/* The class behind a '%'. */
static void add_class(struct peg_bytes *set, char c) {
    if (c == 'd' || c == 'w')
        add_range(set, '0', '9');
    if (c == 'l' || c == 'w') {
        add_range(set, 'a', 'z');
        add_range(set, 'A', 'Z');
    }
    if (c == 'w')
        add_range(set, '_', '_');
    if (c == 's') {
        add_range(set, ' ', ' ');
        add_range(set, '\t', '\t');
    }
    if (!is_any(c, "dlsw"))
        add_range(set, c, c);
}

/* The set behind a '['. Returns the end of the brackets. */
static const char *read_brackets(struct peg_bytes *set, const char *p) {
    bool is_negated = *p == '^';
    for (p += is_negated; *p != ']'; p++) {
        if (*p == '%') {
            add_class(set, *++p);
        } else if (p[1] == '-' && p[2] != ']') {
            add_range(set, p[0], p[2]);
            p += 2;
        } else {
            add_range(set, *p, *p);
        }
    }
    for (size_t i = 0; i < 4 && is_negated; i++)
        set->bits[i] = ~set->bits[i];
    return p + 1;
}

static uint16_t add_set(struct peg_set *s, const struct peg_bytes *set) {
    *ARENA_ADD(s->a, s->sets, s->set_count, s->set_cap) = *set;
    return (uint16_t)(SET_FROM + s->set_count - 1);
}

/* The set of a class, which is made once. */
static uint16_t class_cell(struct peg_set *s, char c) {
    static const char letters[] = "dlsw";
    uint16_t *cell = &s->classes[strchr(letters, c) - letters];
    struct peg_bytes set = {{0}};
    if (*cell == 0) {
        add_class(&set, c);
        *cell = add_set(s, &set);
    }
    return *cell;
}

/* A cell: a character, or a set. */
static uint16_t read_cell(struct peg_set *s, const char **p) {
    char c = *(*p)++;
    if (c == '[') {
        struct peg_bytes set = {{0}};
        *p = read_brackets(&set, *p);
        return add_set(s, &set);
    }
    if (c != '%')
        return (unsigned char)c;
    c = *(*p)++;
    return is_any(c, "dlsw") ? class_cell(s, c) : (unsigned char)c;
}

static uint16_t read_number(const char **p) {
    unsigned n = 0;
    while (is_digit(**p))
        n = n * 10 + (unsigned)(*(*p)++ - '0');
    return (uint16_t)n;
}

static bool begins_count(char c) {
    return c == '?' || c == '*' || c == '+' || c == '{';
}

struct repeats {
    uint16_t least, most;
};

/* The count that begins at *p. */
static struct repeats read_count(const char **p) {
    char c = *(*p)++;
    if (c != '{')
        return (struct repeats){c == '+', c == '?' ? 1 : ENDLESS};
    uint16_t least = read_number(p), most = least;
    if (*(*p)++ == ',') {
        most = **p == '}' ? ENDLESS : read_number(p);
        ++*p;
    }
    return (struct repeats){least, most};
}

static bool ends_cells(char c) {
    return c == '(' || c == '|' || c == ')' || c == '$' || c == '\0';
}

/* Once, where no count follows. */
static inline struct repeats read_repeats(const char **p) {
    return begins_count(**p) ? read_count(p) : (struct repeats){1, 1};
}

/* Consecutive cells with a fixed count, or one cell with a variable count. */
static uint16_t read_cells(struct peg_set *s, const char **p) {
    uint16_t node = add_node(s, OP_CELLS);
    size_t first = s->cell_count;
    while (!ends_cells(**p)) {
        const char *behind = *p;
        uint16_t cell = read_cell(s, &behind);
        struct repeats n = read_repeats(&behind);
        bool is_set = n.least != n.most;
        if (is_set && s->cell_count > first)
            break;
        *p = behind;
        if (is_set) {
            s->nodes[node] = (struct node){
                .op = OP_SET, .cell = cell, .least = n.least, .most = n.most};
            return node;
        }
        for (unsigned i = 0; i < n.least; i++)
            *ARENA_ADD(s->a, s->cells, s->cell_count, s->cell_cap) = cell;
    }
    s->nodes[node].cell = (uint16_t)first;
    s->nodes[node].cells = (uint16_t)(s->cell_count - first);
    return node;
}

static uint16_t read_alternatives(struct peg_set *s, const char **p);

static uint16_t read_group(struct peg_set *s, const char **p) {
    struct str name = {NULL, 0};
    enum op op = OP_GROUP;
    if (*++*p == '?') {
        char kind = *++*p;
        op = kind == '=' ? OP_AHEAD : kind == '!' ? OP_NOT_AHEAD : OP_GROUP;
        name.p = ++*p;
        if (op == OP_GROUP) {
            name.n = strcspn(name.p, ">");
            *p += name.n + 1;
        }
    }
    uint16_t node = add_node(s, op);
    uint16_t first = read_alternatives(s, p);
    s->nodes[node].first = first;
    s->nodes[node].name = name;
    ++*p;
    return node;
}

/* One node with its repetitions. */
static uint16_t read_element(struct peg_set *s, const char **p) {
    if (**p == '$') {
        ++*p;
        return add_node(s, OP_END);
    }
    if (**p != '(')
        return read_cells(s, p);
    uint16_t node = read_group(s, p);
    struct repeats n = read_repeats(p);
    s->nodes[node].least = n.least;
    s->nodes[node].most = n.most;
    return node;
}

static bool ends_sequence(char c) {
    return c == '|' || c == ')' || c == '\0';
}

static uint16_t read_sequence(struct peg_set *s, const char **p) {
    if (ends_sequence(**p))
        return add_node(s, OP_CELLS); /* an empty sequence */
    uint16_t first = read_element(s, p), last = first;
    while (!ends_sequence(**p)) {
        uint16_t next = read_element(s, p);
        s->nodes[last].next = next;
        last = next;
    }
    return first;
}

static uint16_t read_alternatives(struct peg_set *s, const char **p) {
    uint16_t first = read_sequence(s, p), last = first;
    while (**p == '|') {
        ++*p;
        uint16_t other = read_sequence(s, p);
        s->nodes[last].other = other;
        last = other;
    }
    return first;
}

uint16_t peg_add(struct peg_set *s, const char *pattern) {
    return read_alternatives(s, &pattern);
}

/* ---- the first byte ---- */

static void add_cell(const struct peg_set *s, uint16_t cell,
                     struct peg_bytes *to) {
    if (cell < SET_FROM)
        add_range(to, (char)cell, (char)cell);
    for (size_t i = 0; i < 4 && cell >= SET_FROM; i++)
        to->bits[i] |= s->sets[cell - SET_FROM].bits[i];
}

/* Add the bytes that a match of this sequence may begin with. False if the
 * sequence may match without taking a byte. */
static bool add_first(const struct peg_set *s, uint16_t node,
                      struct peg_bytes *to) {
    bool takes = false;
    for (; node != 0 && !takes; node = s->nodes[node].next) {
        const struct node *n = &s->nodes[node];
        takes = n->least > 0 && n->op < OP_AHEAD &&
                (n->op != OP_CELLS || n->cells > 0);
        if (n->op == OP_SET)
            add_cell(s, n->cell, to);
        else if (n->op == OP_CELLS && n->cells > 0)
            add_cell(s, s->cells[n->cell], to);
        for (uint16_t i = n->op == OP_GROUP ? n->first : 0; i != 0;
             i = s->nodes[i].other)
            takes = add_first(s, i, to) && takes;
    }
    return takes;
}

struct peg_bytes peg_first(const struct peg_set *s, uint16_t pattern) {
    struct peg_bytes first = {{0}};
    for (uint16_t i = pattern; i != 0; i = s->nodes[i].other)
        add_first(s, i, &first);
    return first;
}

/* Add the bytes that may stand at offset `place` of a match of this node.
 * False if that is not known, so any byte may. */
static bool add_at(const struct peg_set *s, uint16_t node, unsigned place,
                   struct peg_bytes *to) {
    const struct node *n = &s->nodes[node];
    bool is_cell = n->op == OP_CELLS && place < n->cells;
    bool is_known = is_cell || (n->op == OP_SET && place < n->least);
    if (is_known)
        add_cell(s, is_cell ? s->cells[n->cell + place] : n->cell, to);
    if (n->op != OP_GROUP || n->least == 0)
        return is_known;
    for (uint16_t i = n->first; i != 0; i = s->nodes[i].other)
        if (!add_at(s, i, place, to))
            return false;
    return true;
}

static bool add_all_at(const struct peg_set *s, uint16_t pattern,
                       unsigned place, struct peg_bytes *to) {
    *to = place == 0 ? peg_first(s, pattern) : (struct peg_bytes){{0}};
    for (uint16_t i = place == 0 ? 0 : pattern; i != 0; i = s->nodes[i].other)
        if (!add_at(s, i, place, to))
            return false;
    return true;
}

void peg_index_add(struct peg_index *x, const struct peg_set *s,
                   uint16_t pattern, unsigned number) {
    uint64_t bit = UINT64_C(1) << number;
    struct peg_bytes bytes;
    for (unsigned place = 0; place < PEG_AHEAD; place++) {
        if (!add_all_at(s, pattern, place, &bytes)) {
            x->any[place] |= bit;
            continue;
        }
        for (unsigned i = 0; i < 4; i++)
            for (uint64_t m = bytes.bits[i]; m != 0; m &= m - 1)
                x->by_byte[place][64 * i + (unsigned)__builtin_ctzll(m)] |=
                    bit;
    }
}

/* ---- matching ---- */

struct walk {
    const struct node *nodes;
    const uint16_t *cells;
    const struct peg_bytes *sets;
    struct peg_match *m;
};

static size_t match_sequence(const struct walk *w, unsigned node, size_t at);

static bool is_in(const struct walk *w, uint16_t cell, char c) {
    return cell < SET_FROM ? (unsigned char)c == cell
                           : peg_has(&w->sets[cell - SET_FROM], c);
}

static bool has_cells(const struct walk *w, const struct node *n, size_t at) {
    const uint16_t *cells = w->cells + n->cell;
    if (w->m->text.n - at < n->cells)
        return false;
    for (size_t i = 0; i < n->cells; i++)
        if (!is_in(w, cells[i], w->m->text.p[at + i]))
            return false;
    return true;
}

static bool has_first(const struct walk *w, const struct node *n, size_t at) {
    return n->cells == 0 || (at < w->m->text.n &&
                             is_in(w, w->cells[n->cell], w->m->text.p[at]));
}

static size_t match_alternatives(const struct walk *w, unsigned node,
                                 size_t at) {
    size_t captures = w->m->capture_count;
    for (; node != 0; node = w->nodes[node].other) {
        const struct node *n = &w->nodes[node];
        if (n->op == OP_CELLS && !has_first(w, n, at))
            continue; /* a shortcut: most alternatives begin with cells */
        size_t end = match_sequence(w, node, at);
        if (end != FAILED)
            return end;
        w->m->capture_count = captures;
    }
    return FAILED;
}

static void capture(struct peg_match *m, struct str name, size_t from,
                    size_t to) {
    if (m->capture_count < PEG_CAPTURES_MAX)
        m->captures[m->capture_count++] = (struct peg_capture){
            name, str_slice(m->text, from, to - from)};
}

static size_t match_group(const struct walk *w, const struct node *n,
                          size_t at) {
    for (size_t i = 0; i < n->most || n->most == ENDLESS; i++) {
        size_t end = match_alternatives(w, n->first, at);
        if (end == FAILED)
            return i < n->least ? FAILED : at;
        if (n->name.n > 0)
            capture(w->m, n->name, at, end);
        if (end == at)
            break; /* it took nothing: the next round would do the same */
        at = end;
    }
    return at;
}

static size_t match_ahead(const struct walk *w, const struct node *n,
                          size_t at) {
    size_t captures = w->m->capture_count;
    bool is_there = match_alternatives(w, n->first, at) != FAILED;
    w->m->capture_count = captures;
    return is_there == (n->op == OP_AHEAD) ? at : FAILED;
}

static size_t match_set(const struct walk *w, const struct node *n,
                        size_t at) {
    struct str text = w->m->text;
    size_t from = at, end = text.n;
    if (n->most != ENDLESS && n->most < end - at)
        end = at + n->most;
    while (at < end && is_in(w, n->cell, text.p[at]))
        at++;
    return at - from < n->least ? FAILED : at;
}

static size_t match_sequence(const struct walk *w, unsigned node, size_t at) {
    for (; node != 0 && at != FAILED; node = w->nodes[node].next) {
        const struct node *n = &w->nodes[node];
        if (n->op == OP_SET) /* the most frequent operations first */
            at = match_set(w, n, at);
        else if (n->op == OP_CELLS)
            at = has_cells(w, n, at) ? at + n->cells : FAILED;
        else if (n->op == OP_GROUP)
            at = match_group(w, n, at);
        else if (n->op == OP_END)
            at = at == w->m->text.n ? at : FAILED;
        else
            at = match_ahead(w, n, at);
    }
    return at;
}

bool peg_match(const struct peg_set *s, uint16_t pattern, struct str text,
               struct peg_match *m) {
    struct walk w = {s->nodes, s->cells, s->sets, m};
    m->text = text;
    m->capture_count = 0;
    m->n = match_alternatives(&w, pattern, 0);
    return m->n != FAILED;
}
