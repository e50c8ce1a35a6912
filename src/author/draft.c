/* draft.c: the YAML that `oomkb new` writes.
 *
 * What the log has is filled in: the line, its pattern, component, engine,
 * version. What only a person can know is left empty, with a comment on what is
 * expected. Its status is draft, so it compiles as it is, `oomkb check` reports
 * what is missing, and no index has it. The pattern matches the line and, if
 * possible, none of the healthy lines around it. The sample is the line without
 * paths and names of users and machines. */
#include "author/draft.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "match/match.h"
#include "render/redact.h"

#define TITLE_BYTES 80

struct page_parts {
    const struct draft_source *from;
    struct draft_line line;
    struct str sample, pattern;
    uint32_t also; /* a healthy line that the pattern matches; 0: none */
};

/* A string in single quotes, in which a quote is doubled. */
static void put_quoted(struct buf *b, struct str s) {
    buf_add_char(b, '\'');
    for (size_t i = 0; i < s.n; i++) {
        buf_add_char(b, s.p[i]);
        if (s.p[i] == '\'')
            buf_add_char(b, '\'');
    }
    buf_add_char(b, '\'');
}

/* The beginning of the line, as a provisional title. */
static struct str title_of(struct str sample) {
    size_t end = sample.n < TITLE_BYTES ? sample.n : TITLE_BYTES;
    while (end < sample.n && end > 0 && sample.p[end] != ' ')
        end--;
    if (end == 0) /* one long word */
        end = utf8_cut(sample, TITLE_BYTES);
    return str_trim(str_slice(sample, 0, end));
}

static void put_head(struct buf *b, const struct page_parts *p) {
    buf_printf(b, "# Drafted from line %u of a log. `oomkb check` says what is "
               "still missing; kb/WRITING.md\n# explains the keys. Save it as "
               "entries/<component>/<name>.yaml.\n"
               "status: draft # checked, and in no index; take this out when "
               "the rest is written\n"
               "title:\n  en: ", p->line.number);
    put_quoted(b, title_of(p->sample));
    buf_printf(b, " # better: what happened, in one line\n"
               "component: %.*s # who failed: one of kb/vocabulary.yaml\n",
               STR_ARG(p->line.component));
    buf_add(b, STR(
        "mechanism: unspecified # what ran out, and why: a word of "
        "kb/FORMAT.md\n"
        "severity: failure # failure | warning | recovery | info\n"
        "root_cause:\n"
        "  en: # why it happened, in two or three sentences\n"));
}

/* The version of the log is the first one known to print the message. */
static void put_versions(struct buf *b, const struct page_parts *p) {
    const struct draft_source *from = p->from;
    bool is_known = from->engine.n > 0 && from->engine_version.n > 0;
    struct str product = is_known ? from->engine : p->line.component;
    struct str version = is_known ? from->engine_version : STR("0");
    buf_printf(b, "    versions: # since which release?\n"
               "      - {product: %.*s, events: [{introduced: \"%.*s\"}]}\n",
               STR_ARG(product), STR_ARG(version));
}

static void put_signature(struct buf *b, const struct page_parts *p) {
    const struct draft_source *from = p->from;
    buf_add(b, STR("signatures:\n  - id: message\n"));
    if (p->also > 0)
        buf_printf(b, "    # It matches line %u as well, which looks healthy: "
                   "add an all_of, or a longer part of the message.\n",
                   p->also);
    buf_add(b, STR("    # Named groups are facts: check that each is what it "
                   "is called.\n    pattern: "));
    put_quoted(b, p->pattern);
    buf_add_char(b, '\n');
    put_versions(b, p);
    if (from->engine.n > 0)
        buf_printf(b, "    set: {engine: %.*s} # and stage: load, profile "
                   "..., if the message is printed only there\n",
                   STR_ARG(from->engine));
    buf_printf(b, "    sample: |\n      %.*s\n", STR_ARG(p->sample));
}

static void put_tail(struct buf *b, const struct draft_source *from) {
    buf_add(b, STR(
        "# workarounds:\n"
        "#   - id: # stable, like lower-max-model-len\n"
        "#     action: {en: } # a verb and the flag\n"
        "#     how: {en: } # the steps: flags, commands, numbers\n"
        "#     acts_on: {kind: } # or {flag: --the-flag, change: up}\n"
        "#     cures: {} # a cause of kb/causes.yaml: most | some | little\n"
        "# dead_ends: # popular fixes that do not help\n"
        "#   - {action: {en: }, why: {en: }, instead: {en: }}\n"
        "# evidence: # who says so: reports, source, documentation\n"));
    buf_printf(b, "#   - {url: https://, seen: %.*s, claim: {en: }}\n"
               "first_seen: %.*s # the oldest report known\n"
               "last_verified: %.*s\n", STR_ARG(from->today),
               STR_ARG(from->today), STR_ARG(from->today));
}

/* The text without control characters, which YAML does not allow, and without
 * invisible ones, which a reviewer would not see. */
static struct str printable(struct arena *a, struct str s) {
    char *text = arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        text[i] = c < 0x20 || c == 0x7f ? ' ' : s.p[i];
    }
    struct buf out = buf_in(a, DRAFT_BYTES_MAX);
    utf8_clean(&out, (struct str){text, s.n});
    return buf_str(&out);
}

/* True if the pattern is valid and matches the line both before and after
 * redaction. */
static bool pattern_will_do(struct arena *a, const struct page_parts *p,
                            struct str pattern) {
    struct pattern_error error;
    return pattern.n > 0 &&
           pattern_check(a, pattern, false, false, &error) == PATTERN_GOOD &&
           pattern_matches(a, pattern, p->line.text) &&
           pattern_matches(a, pattern, p->sample);
}

/* The number of a healthy line that it matches; 0: there is none. */
static uint32_t matches_healthy(struct arena *a, struct str pattern,
                                const struct draft_lines *healthy) {
    for (size_t i = 0; i < healthy->count; i++)
        if (pattern_matches(a, pattern, healthy->at[i].text))
            return healthy->at[i].number;
    return 0;
}

/* Choose the shortest pattern that matches no healthy line, else the
 * longest. */
static void pattern_choose(struct arena *a, struct page_parts *p) {
    struct draft_lines healthy = draft_healthy(a, p->from->log,
                                               p->line.number);
    struct str whole = draft_pattern(a, p->sample, true);
    struct str tried[] = {draft_pattern(a, p->sample, false), whole,
                          arena_printf(a, "^%.*s$", STR_ARG(whole))};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        if (!pattern_will_do(a, p, tried[i]))
            continue;
        p->pattern = tried[i];
        p->also = matches_healthy(a, tried[i], &healthy);
        if (p->also == 0)
            return;
    }
}

struct str author_draft(struct arena *a, const struct draft_source *from) {
    struct page_parts p = {
        .from = from, .line = draft_line_find(a, from->log, from->line)};
    struct secrets secrets = {.a = a};
    if (p.line.number == 0)
        arena_raise(a, FAIL_INPUT, "no line of the log says that something "
                    "failed; give the part with the error");
    p.sample = str_trim(printable(a, redacted(&secrets, p.line.text)));
    pattern_choose(a, &p);
    if (p.pattern.n == 0)
        arena_raise(a, FAIL_INPUT, "line %u has too few words for a pattern "
                    "(8 bytes that stay the same)", p.line.number);
    if (p.line.component.n == 0)
        p.line.component = from->engine.n > 0 ? from->engine : STR("unknown");
    struct buf page = buf_in(a, DRAFT_BYTES_MAX);
    put_head(&page, &p);
    put_signature(&page, &p);
    put_tail(&page, from);
    return buf_str(&page);
}
