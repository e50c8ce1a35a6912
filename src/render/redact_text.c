/* redact_text.c: redacts one text from left to right. At each byte the rows of
 * the table that may begin there are tried, then the known secrets; other bytes
 * are copied. */
#include "base/limits.h"
#include "render/redact.h"

#define KNOWN_BYTES_MIN 3 /* shorter secrets are parts of many words */

static const char *const kind_names[SECRET_KIND_COUNT_OF] = {
    [SECRET_PATH] = "path",   [SECRET_HOST] = "host",
    [SECRET_IP] = "ip",       [SECRET_USER] = "user",
    [SECRET_EMAIL] = "email", [SECRET_TOKEN] = "token",
    [SECRET_MODEL] = "model", [SECRET_POD] = "pod",
    [SECRET_CONTAINER] = "container", [SECRET_NAMESPACE] = "namespace",
};

struct str secret_placeholder(struct secrets *s, enum secret_kind kind,
                              struct str text) {
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].kind == kind && str_eq(s->at[i].text, text))
            return s->at[i].placeholder;
    if (s->count == SECRETS_MAX)
        return arena_printf(s->a, "<%s>", kind_names[kind]);
    struct secret *made = ARENA_ADD(s->a, s->at, s->count, s->cap);
    made->kind = kind;
    made->text = arena_str(s->a, text);
    made->placeholder = arena_printf(s->a, "<%s-%u>", kind_names[kind],
                                     (unsigned)++s->numbers[kind]);
    return made->placeholder;
}

/* ASCII only: Chinese has no blanks between words. */
static bool is_in_word(struct str s, size_t at) {
    return at < s.n && is_word(s.p[at]);
}

/* The longest known secret that is a whole word at `at`; NULL: none. */
static const struct secret *secret_at(const struct secrets *s, struct str text,
                                      size_t at) {
    const struct secret *longest = NULL;
    if (at > 0 && is_in_word(text, at - 1) && is_in_word(text, at))
        return NULL;
    for (size_t i = 0; i < s->count; i++) {
        struct str is = s->at[i].text;
        bool is_there =
            is.n >= KNOWN_BYTES_MIN && str_starts(str_from(text, at), is) &&
            !(is_in_word(is, is.n - 1) && is_in_word(text, at + is.n));
        if (is_there && (longest == NULL || is.n > longest->text.n))
            longest = &s->at[i];
    }
    return longest;
}

struct redact_rules {
    struct peg_set *pegs;
    size_t count;
    uint16_t patterns[REDACT_ROWS_MAX], signs[SIGN_COUNT_OF];
    struct peg_bytes first[REDACT_ROWS_MAX], before[REDACT_ROWS_MAX];
};

static const struct redact_rules *rules_of(struct secrets *s) {
    if (s->rules != NULL)
        return s->rules;
    struct redact_rules *r = arena_alloc(s->a, sizeof *r);
    struct peg_set *pegs = r->pegs = peg_set_new(s->a, 512);
    for (size_t i = 0;
         i < REDACT_ROWS_MAX && redact_rows[i].pattern != NULL; i++) {
        r->patterns[i] = peg_add(pegs, redact_rows[i].pattern);
        r->first[i] = peg_first(pegs, r->patterns[i]);
        r->before[i] = peg_first(pegs, peg_add(pegs, redact_rows[i].before));
        r->count = i + 1;
    }
    for (size_t i = 0; i < SIGN_COUNT_OF; i++)
        r->signs[i] = peg_add(pegs, redact_signs[i]);
    return s->rules = r;
}

static bool has_sign(struct secrets *s, enum redact_sign sign,
                     struct str text) {
    struct peg_match m;
    bool is_path_sign = sign == SIGN_PATH || sign == SIGN_COMMON_PATH;
    return peg_match(rules_of(s)->pegs, rules_of(s)->signs[sign],
                     is_path_sign ? text : arena_lower(s->a, text), &m);
}

bool is_path(struct secrets *s, struct str whole) {
    return whole.n > 1 && has_sign(s, SIGN_PATH, whole) &&
           !has_sign(s, SIGN_COMMON_PATH, whole);
}

/* ---- captures ---- */

static enum secret_kind kind_of(struct secrets *s, struct str name,
                                struct str text) {
    switch (name.p[0]) {
    case 't': return SECRET_TOKEN;
    case 'k': return SECRET_POD;
    case 'n': return SECRET_NAMESPACE;
    case 'm': return SECRET_MODEL;
    case 'e': return SECRET_EMAIL;
    case 'u': return SECRET_USER;
    case 'h': return has_sign(s, SIGN_ADDRESS, text) ? SECRET_IP : SECRET_HOST;
    default: return SECRET_PATH;
    }
}

static bool is_public(struct secrets *s, enum secret_kind kind,
                      struct str text) {
    switch ((int)kind) {
    case SECRET_HOST:
    case SECRET_IP: return has_sign(s, SIGN_PUBLIC_HOST, text);
    case SECRET_USER: return has_sign(s, SIGN_COMMON_USER, text);
    case SECRET_PATH: return has_sign(s, SIGN_COMMON_PATH, text);
    case SECRET_MODEL: return is_known_model(s, text);
    default: return false;
    }
}

/* Keeps the user of "/home/ann/x" or "C:\Users\ann\x" as a secret. */
static void keep_user(struct secrets *s, struct str path) {
    const struct redact_rules *r = rules_of(s);
    struct str small = arena_lower(s->a, path);
    struct peg_match m;
    if (peg_match(r->pegs, r->signs[SIGN_HOME], small, &m)) {
        struct str user = m.captures[0].text;
        user = str_slice(path, (size_t)(user.p - small.p), user.n);
        if (!is_public(s, SECRET_USER, user))
            secret_placeholder(s, SECRET_USER, user);
    }
}

/* Writes the match of a row. Returns the number of its bytes. */
static size_t put_match(struct secrets *s, struct str rest,
                        const struct peg_match *m, struct buf *out) {
    size_t at = 0;
    bool is_known_host = false;
    for (size_t i = 0; i < m->capture_count; i++) {
        const struct peg_capture *c = &m->captures[i];
        size_t from = (size_t)(c->text.p - m->text.p);
        struct str text = str_slice(rest, from, c->text.n);
        enum secret_kind kind = kind_of(s, c->name, text);
        bool is_rest = c->name.p[0] == 'r'; /* of a URL */
        buf_add(out, str_slice(rest, at, from - at));
        at = from;
        if (is_rest && is_known_host)
            return at; /* the path of a public host is read as any text */
        is_known_host = is_public(s, kind, text);
        if (!is_known_host || is_rest) {
            buf_add(out, is_rest ? STR("/") : STR(""));
            buf_add(out, secret_placeholder(s, kind, text));
            at = from + text.n;
        }
        if (kind == SECRET_PATH && !is_known_host)
            keep_user(s, text);
    }
    buf_add(out, str_slice(rest, at, m->n - at));
    return m->n;
}

/* ---- a text ---- */

struct subject {
    struct str text, small; /* the same in small letters */
};

/* Writes the match of the first row that matches at `at`. Returns the number of
 * its bytes; 0: none matches. */
static size_t put_new(struct secrets *s, const struct subject *subject,
                      size_t at, struct buf *out) {
    const struct redact_rules *r = rules_of(s);
    char before = at > 0 ? subject->text.p[at - 1] : '\0';
    struct str rest = str_from(subject->text, at);
    struct str small = str_from(subject->small, at);
    struct peg_match m;
    for (size_t i = 0; i < r->count; i++) {
        struct str seen = redact_rows[i].is_cased ? rest : small;
        if (peg_has(&r->first[i], seen.p[0]) &&
            peg_has(&r->before[i], before) &&
            peg_match(r->pegs, r->patterns[i], seen, &m))
            return put_match(s, rest, &m, out);
    }
    return 0;
}

static struct str rewritten(struct secrets *s, struct str text,
                            bool only_known) {
    struct subject subject = {text, arena_lower(s->a, text)};
    struct buf out = buf_in(s->a, REDACTED_BYTES_MAX);
    for (size_t at = 0; at < text.n;) {
        size_t n = only_known ? 0 : put_new(s, &subject, at, &out);
        const struct secret *known = n == 0 ? secret_at(s, text, at) : NULL;
        if (known != NULL)
            buf_add(&out, known->placeholder);
        else if (n == 0)
            buf_add_char(&out, text.p[at]);
        at += known != NULL ? known->text.n : n == 0 ? 1 : n;
    }
    return kept_text(s->a, &out);
}

struct str redacted(struct secrets *s, struct str text) {
    return rewritten(s, text, false);
}

struct str redacted_known(struct secrets *s, struct str text) {
    return rewritten(s, text, true);
}
