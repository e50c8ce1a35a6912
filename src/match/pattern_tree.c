/* pattern_tree.c: reads a pattern by recursive descent. Syntax that is not
 * understood becomes NODE_UNKNOWN. */
#include "match/pattern_tree.h"

#include "base/limits.h"

struct parser {
    struct arena *a;
    struct str in;
    size_t at, depth;
    bool needs_utf;
    bool is_nocase, is_dotall; /* at this place */
    bool has_nocase, is_odd, gave_up;
};

static char here(const struct parser *p) {
    return p->at < p->in.n ? p->in.p[p->at] : '\0';
}

static bool takes(struct parser *p, const char *opening) {
    struct str s = str_of(opening);
    if (!str_starts(str_slice(p->in, p->at, s.n), s))
        return false;
    p->at += s.n;
    return true;
}

static void skip_to(struct parser *p, char c) {
    p->at += str_find_char(str_slice(p->in, p->at, p->in.n), c) + 1;
}

/* ---- characters ---- */

static struct node one_of(bool may_end_line) {
    return (struct node){.kind = NODE_ONE, .may_end_line = may_end_line};
}

/* With (?i), k and s match other characters beyond ASCII, too. */
static struct node one_char(const struct parser *p, unsigned char c) {
    unsigned char folded = fold_byte(c);
    if (p->needs_utf && p->is_nocase &&
        (c >= 0x80 || folded == 'k' || folded == 's'))
        return one_of(false);
    return (struct node){.kind = NODE_CHAR, .c = (char)folded,
                         .may_end_line = c == '\n'};
}

static struct node read_hex(struct parser *p) {
    unsigned value = 0;
    bool is_braced = takes(p, "{");
    size_t most = is_braced ? 8 : 2;
    for (size_t i = 0; i < most && hex_digit(here(p)) >= 0; i++)
        value = value * 16 + (unsigned)hex_digit(p->in.p[p->at++]);
    p->at += is_braced;
    return value < 0x80 ? one_char(p, (unsigned char)value) : one_of(false);
}

/* Skips {...}, <...>, '...', a number or one letter. */
static void skip_argument(struct parser *p) {
    if (takes(p, "{"))
        skip_to(p, '}');
    else if (takes(p, "<"))
        skip_to(p, '>');
    else if (takes(p, "'"))
        skip_to(p, '\'');
    else
        for (p->at++; is_digit(here(p));)
            p->at++;
}

static struct node reference(struct parser *p) {
    p->is_odd = true;
    return (struct node){.kind = NODE_UNKNOWN};
}

static struct node read_escape(struct parser *p) {
    char c = p->in.p[p->at++];
    if (is_any(c, "gk") || is_digit(c)) {
        p->at -= is_digit(c);
        skip_argument(p);
        return reference(p);
    }
    if (is_any(c, "snrtf")) {
        struct node blank = one_char(p, ' ');
        blank.may_end_line = c == 's' || c == 'n';
        return blank;
    }
    if (c == 'x')
        return read_hex(p);
    if (!is_letter(c))
        return one_char(p, (unsigned char)c);
    if (is_any(c, "bBAZzGK"))
        return (struct node){.kind = NODE_EMPTY};
    if (is_any(c, "RX")) /* several characters */
        return (struct node){.kind = NODE_UNKNOWN};
    if (is_any(c, "pPoc") || (c == 'N' && here(p) == '{'))
        skip_argument(p);
    struct node one = one_of(!is_any(c, "dwShN"));
    one.is_digit = c == 'd';
    return one;
}

/* ---- classes ---- */

/* The character at *i inside a class; behind a backslash *i moves to its second
 * byte. -1: a range, a set, or a character beyond ASCII. */
static int class_member(struct str inside, size_t *i) {
    unsigned char c = (unsigned char)inside.p[*i];
    if (c == '\\') {
        char next = *i + 1 < inside.n ? inside.p[*i + 1] : 'a';
        if (is_letter(next) || is_digit(next))
            return -1;
        ++*i;
        return (unsigned char)next < 0x80 ? next : -1;
    }
    bool is_range = c == '-' && inside.n > 1;
    return c == '[' || is_range || c >= 0x80 ? -1 : c;
}

/* The byte that all members fold to, [Gg], [.]; -1: they fold to several. */
static int class_byte(struct str inside) {
    int only = -1;
    for (size_t i = 0; i < inside.n; i++) {
        int c = class_member(inside, &i);
        if (c < 0 || (only >= 0 && only != fold_byte((unsigned char)c)))
            return -1;
        only = fold_byte((unsigned char)c);
    }
    return only;
}

/* True if an escape of a class may be a newline, or begin a range that has one.
 * escape: the text behind the backslash. */
static bool may_be_newline(struct str escape) {
    char c = escape.p[0];
    if (c == 'x' && escape.n > 2 && hex_digit(escape.p[2]) >= 0)
        return escape.p[1] == '0';
    return (is_letter(c) && !is_any(c, "dwSbh")) || is_digit(c);
}

/* True if a newline is among the members that are named. is_sure false: or may
 * be, in a set or a code. */
static bool class_names_newline(struct str inside, bool is_sure) {
    for (size_t i = 0; i < inside.n; i++) {
        unsigned char c = (unsigned char)inside.p[i];
        if (c != '\\' || i + 1 == inside.n) {
            if (!is_sure && (c == '[' || (c < ' ' && c != '\t')))
                return true;
            continue;
        }
        struct str escape = str_slice(inside, ++i, inside.n);
        bool is_tab = escape.p[0] == 't' &&
                      !str_starts(escape, STR("t-"));
        if (is_sure ? is_any(escape.p[0], "ns")
                    : !is_tab && may_be_newline(escape))
            return true;
    }
    return false;
}

static struct node read_class(struct parser *p) {
    size_t end = pattern_class_end(p->in, p->at - 1);
    struct str inside = str_slice(p->in, p->at, end - p->at - 1);
    p->at = end;
    if (inside.n > 0 && inside.p[0] == '^')
        return one_of(!class_names_newline(inside, true));
    int only = class_byte(inside);
    return only >= 0 ? one_char(p, (unsigned char)only)
                     : one_of(class_names_newline(inside, false));
}

/* ---- groups ---- */

static struct branch *read_branches(struct parser *p);

/* Reads a group. Options that are set inside end with it. */
static struct node read_inside(struct parser *p, enum node_kind kind,
                               struct str opening) {
    struct node group = {.kind = kind, .opening = opening};
    bool is_nocase = p->is_nocase, is_dotall = p->is_dotall;
    group.branches = read_branches(p);
    p->gave_up = p->gave_up || !takes(p, ")");
    p->is_nocase = is_nocase;
    p->is_dotall = is_dotall;
    return group;
}

/* At "(", with options: for the rest of the enclosing group, or for one of
 * their own. */
static struct node read_options(struct parser *p, size_t end, struct str on) {
    struct str opening = str_slice(p->in, p->at, end + 1 - p->at);
    bool is_group = p->in.p[end] == ':';
    bool is_nocase = p->is_nocase, is_dotall = p->is_dotall;
    struct node node = {.kind = NODE_EMPTY};
    p->is_nocase = is_nocase || str_find_char(on, 'i') < on.n;
    p->has_nocase = p->has_nocase || p->is_nocase;
    p->is_dotall = is_dotall || str_find_char(on, 's') < on.n;
    p->is_odd = p->is_odd || !is_group;
    p->at = end + 1;
    if (is_group) {
        node = read_inside(p, NODE_GROUP, opening);
        p->is_nocase = is_nocase;
        p->is_dotall = is_dotall;
    }
    return node;
}

static struct node read_group(struct parser *p) {
    struct str on, opening = STR("(?:");
    size_t options = pattern_options(p->in, p->at, &on);
    if (options > 0)
        return read_options(p, options, on);
    if (takes(p, "(?=") || takes(p, "(?!") || takes(p, "(?<=") ||
        takes(p, "(?<!") || takes(p, "(?*") || takes(p, "(?<*"))
        return read_inside(p, NODE_EMPTY, opening);
    if (takes(p, "(?|") || takes(p, "(?>"))
        return read_inside(p, NODE_GROUP, opening);
    if (takes(p, "(?<") || takes(p, "(?P<")) {
        skip_to(p, '>');
        return read_inside(p, NODE_GROUP, opening);
    }
    if (takes(p, "(?'")) {
        skip_to(p, '\'');
        return read_inside(p, NODE_GROUP, opening);
    }
    if (takes(p, "(?")) { /* a call or a reference */
        skip_to(p, ')');
        return reference(p);
    }
    p->at++;
    return read_inside(p, NODE_GROUP, opening);
}

/* ---- sequences ---- */

static bool read_count(const struct parser *p, size_t *i, size_t *n) {
    size_t start = *i;
    for (*n = 0; *i < p->in.n && is_digit(p->in.p[*i]);)
        *n = (*n * 10 + (size_t)(p->in.p[(*i)++] - '0')) % 1000000;
    return *i > start;
}

/* {2}, {2,} or {2,5}; anything else begins with a literal brace. */
static bool read_braces(struct parser *p, struct node *n) {
    size_t i = p->at + 1, least, most;
    if (!read_count(p, &i, &least))
        return false;
    most = least;
    if (i < p->in.n && p->in.p[i] == ',') {
        i++;
        if (!read_count(p, &i, &most))
            most = SIZE_MAX;
    }
    if (i >= p->in.n || p->in.p[i] != '}')
        return false;
    p->at = i + 1;
    n->least = least;
    n->most = most;
    return true;
}

static void read_repeat(struct parser *p, struct node *n) {
    char c = here(p);
    n->least = n->most = 1;
    if (is_any(c, "?*+")) {
        n->least = c == '+';
        n->most = c == '?' ? 1 : SIZE_MAX;
        p->at++;
    } else if (c != '{' || !read_braces(p, n)) {
        return;
    }
    p->at += is_any(here(p), "?+");
}

static struct node read_atom(struct parser *p) {
    char c = here(p);
    if (c == '(')
        return read_group(p);
    p->at++;
    if (c == '\\' && p->at < p->in.n)
        return read_escape(p);
    if (c == '[')
        return read_class(p);
    if (c == '^' || c == '$')
        return (struct node){.kind = NODE_EMPTY};
    return c == '.' ? one_of(p->is_dotall) : one_char(p, (unsigned char)c);
}

static bool at_end(const struct parser *p) {
    return p->gave_up || p->at >= p->in.n || here(p) == '|' || here(p) == ')';
}

static struct branch *read_branch(struct parser *p) {
    struct branch *b = arena_alloc(p->a, sizeof *b);
    for (struct node **to = &b->first; !at_end(p); to = &(*to)->next) {
        size_t from = p->at;
        struct node *n = *to = arena_alloc(p->a, sizeof *n);
        *n = read_atom(p);
        read_repeat(p, n);
        n->from = from;
        n->end = p->at < p->in.n ? p->at : p->in.n;
    }
    b->end = p->at < p->in.n ? p->at : p->in.n;
    return b;
}

static struct branch *read_branches(struct parser *p) {
    struct branch *first = NULL;
    p->gave_up = p->gave_up || ++p->depth > PATTERN_DEPTH_MAX;
    for (struct branch **to = &first; !p->gave_up; to = &(*to)->next) {
        *to = read_branch(p);
        if (!takes(p, "|"))
            break;
    }
    p->depth--;
    return first;
}

const struct pattern_tree *pattern_tree_read(struct arena *a, struct str text,
                                             bool needs_utf) {
    struct parser p = {.a = a, .in = text, .needs_utf = needs_utf};
    struct pattern_tree *tree = arena_alloc(a, sizeof *tree);
    tree->branches = read_branches(&p);
    tree->is_odd = p.is_odd;
    tree->has_nocase = p.has_nocase;
    return !p.gave_up && p.at == p.in.n ? tree : NULL;
}
