/* draft.c: the page of YAML that `oomkb new` writes.
 *
 * What the log tells is filled in: the line, its pattern, component, engine,
 * version. What only a person can know is left empty with a word on what is
 * wanted, and an empty value is what `oomkb check` refuses: no draft can be
 * shipped by accident. The sample is the line without paths, names of users
 * and machines. */
#include "author/draft.h"
#include "match/match.h"
#include "render/redact.h"

#define DRAFT_BYTES_MAX (64 * 1024)

struct page_parts {
    const struct draft_source *from;
    struct draft_line line;
    struct str sample, pattern;
};

/* In single quotes a quote is written twice. */
static void put_quoted(struct buf *b, struct str s) {
    buf_add_char(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        buf_add_char(b, s.p[i]);
        if (s.p[i] == '\'') {
            buf_add_char(b, '\'');
        }
    }
    buf_add_char(b, '\'');
}

static void put_text(struct buf *b, int indent, const char *key,
                     const char *en, const char *zh) {
    buf_printf(b, "%*s%s:\n", indent, "", key);
    buf_printf(b, "%*sen: # %s\n", indent + 2, "", en);
    buf_printf(b, "%*szh: # %s\n", indent + 2, "", zh);
}

static void put_head(struct buf *b, const struct page_parts *p) {
    buf_printf(b, "# Drafted from line %u of a log. Fill in what is empty "
               "(`oomkb check` refuses it until\n# then), save it as "
               "entries/<component>/<name>.yaml; kb/WRITING.md explains the "
               "keys.\n", p->line.number);
    put_text(b, 0, "title", "what happened, in one line",
             "一行说清发生了什么");
    buf_printf(b, "component: %.*s # who failed: one of kb/vocabulary.yaml\n",
               STR_ARG(p->line.component));
    buf_add(b, STR(
        "mechanism: # what ran out, and why: a word of kb/FORMAT.md\n"
        "severity: failure # failure | warning | recovery | info\n"
        "role: root # root | wrapper | consequence\n"));
    put_text(b, 0, "root_cause", "why it happened, two or three sentences",
             "为什么发生，两三句话");
}

static void put_versions(struct buf *b, const struct draft_source *from) {
    if (from->engine.n == 0 || from->engine_version.n == 0) {
        buf_add(b, STR("    versions: # which releases print it\n"
                       "      - {product: , events: [{introduced: }]}\n"));
        return;
    }
    buf_printf(b, "    versions: # seen with this one; since when?\n"
               "      - {product: %.*s, events: [{introduced: \"%.*s\"}]}\n",
               STR_ARG(from->engine), STR_ARG(from->engine_version));
}

static void put_signature(struct buf *b, const struct page_parts *p) {
    const struct draft_source *from = p->from;
    buf_add(b, STR(
        "signatures:\n"
        "  - id: message\n"
        "    # Named groups are facts (kb/WRITING.md); check that each is "
        "what it is called.\n"
        "    pattern: "));
    put_quoted(b, p->pattern);
    buf_add_char(b, '\n');
    put_versions(b, from);
    if (from->engine.n > 0) {
        buf_printf(b, "    set: {engine: %.*s} # and stage: load, profile "
                   "..., if the message is printed only there\n",
                   STR_ARG(from->engine));
    }
    buf_printf(b, "    sample: |\n      %.*s\n", STR_ARG(p->sample));
}

static void put_fix(struct buf *b) {
    buf_add(b, STR("workarounds:\n"
                   "  - id: # stable, like lower-max-model-len\n"));
    put_text(b, 4, "action", "its name", "名称");
    put_text(b, 4, "how", "the steps: flags, commands, numbers",
             "步骤：参数、命令、数字");
    buf_add(b, STR(
        "    acts_on:\n"
        "      kind: # or flag: --the-flag with change: up | down | set\n"
        "    # Leave out what kb/fixes/acts.yaml says of that acts_on.\n"
        "    effort: # flag | restart | code | hardware\n"
        "    loses: # nothing | speed | capacity | quality\n"
        "    frees: # what it shrinks or makes room in: kb/FORMAT.md\n"
        "    cures: # {a cause of kb/causes.yaml: most | some | little}\n"));
    put_text(b, 4, "trade_off", "what is lost by it", "代价");
    buf_add(b, STR("    effect: none # which arithmetic estimates it\n"));
}

static void put_tail(struct buf *b, const struct draft_source *from) {
    buf_add(b, STR("dead_ends: # popular fixes that do not help; take the "
                   "key out if there are none\n  -\n"));
    put_text(b, 4, "action", "its name", "名称");
    put_text(b, 4, "why", "why it fails", "为什么没用");
    put_text(b, 4, "instead", "what to do instead", "应当怎么做");
    buf_add(b, STR("evidence: # who says so: reports, source, documentation\n"
                   "  - url: # https://\n"));
    buf_printf(b, "    seen: %.*s\n", STR_ARG(from->today));
    put_text(b, 4, "claim", "what it supports", "它支持哪一点");
    buf_printf(b, "first_seen: # YYYY-MM-DD, the oldest report known\n"
               "last_verified: %.*s\n", STR_ARG(from->today));
}

/* Control bytes have no place in a page of YAML. */
static struct str printable(struct arena *a, struct str s) {
    char *out = arena_alloc(a, s.n);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        out[i] = c < 0x20 || c == 0x7f ? ' ' : s.p[i];
    }
    return (struct str){out, s.n};
}

/* The pattern of what is left after redaction has to match what was there. */
static bool pattern_will_do(struct arena *a, const struct page_parts *p) {
    struct pattern_error error;
    struct hit hit;
    return pattern_check(a, p->pattern, false, false, &error)
               == PATTERN_GOOD &&
           pattern_matches(a, p->pattern, p->line.text, &hit) &&
           pattern_matches(a, p->pattern, p->sample, &hit);
}

struct str author_draft(struct arena *a, const struct draft_source *from) {
    struct page_parts p = {
        .from = from, .line = draft_line_find(a, from->log, from->line)};
    struct secrets secrets = {.a = a};
    if (p.line.number == 0) {
        arena_raise(a, FAIL_INPUT, "no line of the log says that something "
                    "failed; give the part with the error");
    }
    p.sample = str_trim(printable(a, redacted(&secrets, p.line.text)));
    p.pattern = draft_pattern(a, p.sample);
    if (!pattern_will_do(a, &p)) {
        arena_raise(a, FAIL_INPUT, "line %u has too few words for a pattern "
                    "(8 bytes that stay the same)", p.line.number);
    }
    if (p.line.component.n == 0) {
        p.line.component = from->engine;
    }
    struct buf page;
    buf_init_in(&page, a, DRAFT_BYTES_MAX);
    put_head(&page, &p);
    put_signature(&page, &p);
    put_fix(&page);
    put_tail(&page, from);
    return buf_str(&page);
}
