/* steps.c: puts a callout behind each repeat of a pattern.
 *
 *     [^\s"]*(?:llama-cli|llama-server) -c \d+
 *     [^\s"]*(?C)(?:llama-cli|llama-server)\s+(?C)-c\s+(?C)\d+(?C)
 *
 * Work that grows faster than the text comes from repeats: what stands behind a
 * repeat is tried at each place that the repeat advances to or goes back to. So
 * the count behind repeats grows as the work does. PCRE2's interpreter and its
 * machine code skip different places, so their counts differ by a constant
 * factor. Which of the two runs a search depends on the searches before it, and
 * on whether the system allows machine code.
 *
 * A scan counts fewer repeats: one of at most REPEATS_MOST is a constant, and
 * blanks or digits behind another fixed character are scanned once. The build
 * counts all repeats, and so measures these constants. */
#include "match/steps.h"

#include "base/buf.h"

#define CALLOUT "(?C)"
#define REPEATS_MOST 512

struct counting {
    struct str text;
    size_t at; /* copied up to here */
    enum steps_of which;
    struct buf out;
};

/* True for one character that is no blank and no digit. */
static bool is_fixed(const struct node *n) {
    return n && n->kind == NODE_CHAR && n->least == 1 && n->most == 1 &&
           n->c > ' ' && n->c < 0x7F && !(n->c >= '0' && n->c <= '9');
}

static bool is_counted(const struct counting *c, const struct node *before,
                       const struct node *n) {
    bool is_varied = n->most > n->least && n->most > 1;
    bool is_run = n->is_digit || (n->kind == NODE_CHAR && n->c == ' ');
    if (c->which == STEPS_OF_ALL)
        return is_varied;
    return is_varied && n->most > REPEATS_MOST && !(is_run && is_fixed(before));
}

static void count_branches(struct counting *c, const struct branch *first) {
    for (const struct branch *b = first; b; b = b->next) {
        const struct node *before = NULL;
        for (const struct node *n = b->first; n; before = n, n = n->next) {
            count_branches(c, n->branches);
            if (!is_counted(c, before, n))
                continue;
            buf_add(&c->out, str_slice(c->text, c->at, n->end - c->at));
            buf_add(&c->out, STR(CALLOUT));
            c->at = n->end;
        }
    }
}

struct str steps_counted(struct arena *a, const struct pattern_text *text,
                         enum steps_of which) {
    struct counting c = {.text = text->text, .which = which};
    c.out = buf_in(a, 0);
    if (text->tree)
        count_branches(&c, text->tree->branches);
    buf_add(&c.out, str_slice(c.text, c.at, c.text.n));
    return buf_str(&c.out);
}
