/* peg.c: a pattern becomes a list of nodes, which is walked with one place in
 * the text.
 *
 *     %[rank(?<rank>%d+)%](:|$)
 *
 *     TEXT "[rank" -> GROUP "rank" -> TEXT "]" -> GROUP
 *                       first: SET               first: TEXT ":"
 *                                                other: END
 *
 * The walk is as deep as brackets stand in each other. It refuses to check
 * patterns: each stands in the program with a sample that a test runs.
 */
#include "base/peg.h"

#include <string.h>

#define FAILED SIZE_MAX
#define ENDLESS UINT16_MAX
#define NODES_USUAL 128

enum op { OP_TEXT, OP_SET, OP_GROUP, OP_AHEAD, OP_NOT_AHEAD, OP_END };

struct node {
    union {
        struct peg_bytes set;
        struct str text;  /* of a group: its name */
    } is;
    uint16_t least, most; /* how often */
    uint16_t next;        /* 0: the sequence ends */
    uint16_t first;       /* of a group: the first alternative */
    uint16_t other;       /* of an alternative's first node: the next one */
    uint8_t op;
};

struct peg_set {
    struct arena *a;
    struct node *nodes;
    size_t count, cap;
};

static bool is_any(char c, const char *list) {
    return c != '\0' && strchr(list, c) != NULL;
}

/* ---- compiling ---- */

static uint16_t add_node(struct peg_set *s, enum op op) {
    s->nodes = arena_grow(s->a, s->nodes, s->count, &s->cap, sizeof *s->nodes);
    s->nodes[s->count] =
        (struct node){.op = (uint8_t)op, .least = 1, .most = 1};
    return (uint16_t)s->count++;
}

struct peg_set *peg_set_new(struct arena *a) {
    struct peg_set *s = arena_alloc(a, sizeof *s);
    s->a = a;
    s->cap = NODES_USUAL;
    s->nodes = arena_room(a, NODES_USUAL * sizeof *s->nodes);
    add_node(s, OP_END); /* no node has the number 0 */
    return s;
}

static void add_range(struct peg_bytes *set, char first, char last) {
    for (unsigned c = (unsigned char)first; c <= (unsigned char)last; c++)
        set->bits[c >> 6] |= UINT64_C(1) << (c & 63);
}

/* Behind a '%'. */
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

/* Behind a '['. */
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

static const char *read_set(struct peg_bytes *set, const char *p) {
    if (*p == '[')
        return read_brackets(set, p + 1);
    if (*p == '%')
        add_class(set, *++p);
    else
        add_range(set, *p, *p);
    return p + 1;
}

static uint16_t read_number(const char **p) {
    unsigned n = 0;
    while (is_any(**p, "0123456789"))
        n = n * 10 + (unsigned)(*(*p)++ - '0');
    return (uint16_t)n;
}

static const char *read_count(struct node *n, const char *p) {
    if (!is_any(*p, "?*+{"))
        return p;
    n->least = *p == '+';
    n->most = *p == '?' ? 1 : ENDLESS;
    if (*p++ != '{')
        return p;
    n->least = n->most = read_number(&p);
    if (*p++ == '}')
        return p;
    n->most = *p == '}' ? ENDLESS : read_number(&p);
    return p + 1;
}

static bool is_text(const char *p) {
    return *p != '\0' && !is_any(*p, "%[(|)$") && !is_any(p[1], "?*+{");
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
    s->nodes[node].is.text = name;
    ++*p;
    return node;
}

/* One node, with how often it may stand. */
static uint16_t read_element(struct peg_set *s, const char **p) {
    if (is_text(*p)) {
        uint16_t node = add_node(s, OP_TEXT);
        struct str text = {*p, 0};
        while (is_text(*p))
            ++*p;
        text.n = (size_t)(*p - text.p);
        s->nodes[node].is.text = text;
        return node;
    }
    if (**p == '$') {
        ++*p;
        return add_node(s, OP_END);
    }
    uint16_t node;
    if (**p == '(') {
        node = read_group(s, p);
    } else {
        node = add_node(s, OP_SET);
        *p = read_set(&s->nodes[node].is.set, *p);
    }
    *p = read_count(&s->nodes[node], *p);
    return node;
}

static bool ends_sequence(char c) {
    return c == '|' || c == ')' || c == '\0';
}

static uint16_t read_sequence(struct peg_set *s, const char **p) {
    if (ends_sequence(**p))
        return add_node(s, OP_TEXT); /* an empty one */
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

/* False: behind it the text may be where it was. */
static bool add_first(const struct peg_set *s, uint16_t node,
                      struct peg_bytes *to) {
    bool takes = false;
    for (; node != 0 && !takes; node = s->nodes[node].next) {
        const struct node *n = &s->nodes[node];
        takes = n->least > 0 && n->op < OP_AHEAD;
        for (size_t i = 0; i < 4 && n->op == OP_SET; i++)
            to->bits[i] |= n->is.set.bits[i];
        if (n->op == OP_TEXT && n->is.text.n > 0)
            add_range(to, n->is.text.p[0], n->is.text.p[0]);
        else if (n->op == OP_TEXT)
            takes = false;
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

/* ---- matching ---- */

struct walk {
    const struct node *nodes;
    struct peg_match *m;
};

static size_t match_sequence(const struct walk *w, unsigned node, size_t at);

static bool has_text(struct str text, size_t at, struct str wanted) {
    return wanted.n == 0 ||
           (text.n - at >= wanted.n && text.p[at] == wanted.p[0] &&
            (wanted.n == 1 || memcmp(text.p + at, wanted.p, wanted.n) == 0));
}

static size_t match_alternatives(const struct walk *w, unsigned node,
                                 size_t at) {
    size_t captures = w->m->capture_count;
    for (; node != 0; node = w->nodes[node].other) {
        const struct node *n = &w->nodes[node];
        if (n->op == OP_TEXT && !has_text(w->m->text, at, n->is.text))
            continue; /* soon: most begin with a text */
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
        if (n->is.text.n > 0)
            capture(w->m, n->is.text, at, end);
        if (end == at)
            break; /* it took nothing, and would again */
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

static size_t match_set(struct str text, const struct node *n, size_t at) {
    size_t from = at, end = text.n;
    if (n->most != ENDLESS && n->most < end - at)
        end = at + n->most;
    while (at < end && peg_has(&n->is.set, text.p[at]))
        at++;
    return at - from < n->least ? FAILED : at;
}

static size_t match_sequence(const struct walk *w, unsigned node, size_t at) {
    struct str text = w->m->text;
    for (; node != 0 && at != FAILED; node = w->nodes[node].next) {
        const struct node *n = &w->nodes[node];
        if (n->op == OP_SET) /* the most common ones first */
            at = match_set(text, n, at);
        else if (n->op == OP_TEXT)
            at = has_text(text, at, n->is.text) ? at + n->is.text.n : FAILED;
        else if (n->op == OP_GROUP)
            at = match_group(w, n, at);
        else if (n->op == OP_END)
            at = at == text.n ? at : FAILED;
        else
            at = match_ahead(w, n, at);
    }
    return at;
}

bool peg_match(const struct peg_set *s, uint16_t pattern, struct str text,
               struct peg_match *m) {
    struct walk w = {s->nodes, m};
    m->text = text;
    m->capture_count = 0;
    m->n = match_alternatives(&w, pattern, 0);
    return m->n != FAILED;
}
