/* redact.h: names of people, places and machines, and what stands in for
 * them. Private to render/.
 *
 *     redact.c        the door: a report without them (report_shown())
 *     secrets.c       the table: what was found -> <path-1>, <host-2> ...
 *     redact_text.c   a text, from left to right
 *     redact_path.c   files: /home/ann/x, ~/x, C:\Users\ann, s3://...
 *     redact_net.c    machines: addresses, host names, URLs, user@host
 *     redact_key.c    what its own name gives away: tokens, --api-key X
 */
#ifndef RENDER_REDACT_H
#define RENDER_REDACT_H

#include "render/parts.h"

enum secret_kind {
    SECRET_PATH, SECRET_HOST, SECRET_IP, SECRET_USER, SECRET_EMAIL,
    SECRET_TOKEN, SECRET_MODEL, SECRET_POD, SECRET_CONTAINER,
    SECRET_KIND_COUNT_OF
};

struct secret {
    enum secret_kind kind;
    struct str text, placeholder;
};

/* The secrets of one report. The same text has the same placeholder
 * everywhere in it. */
struct secrets {
    struct arena *a;
    struct secret *at;
    size_t count, cap;
    uint32_t numbers[SECRET_KIND_COUNT_OF];
};

/* ---- secrets.c ---- */
struct str secret_placeholder(struct secrets *s, enum secret_kind kind,
                              struct str text);
/* The longest known secret that stands at byte at as a word of its own. */
const struct secret *secret_at(const struct secrets *s, struct str text,
                               size_t at);
/* A name that many machines have (root, ubuntu): nobody's. */
bool is_common_user(struct str name);

/* ---- redact_text.c ---- */
/* text without secrets: those that it has itself, and known ones. */
struct str redacted(struct secrets *s, struct str text);
/* text of ours with values filled in: known secrets only. */
struct str redacted_known(struct secrets *s, struct str text);

/* What stands at byte at of text, if it is a secret: *out gets what is shown
 * for it, the result is how many bytes it takes; 0: none. */
size_t path_at(struct secrets *s, struct str text, size_t at,
               struct buf *out);
bool is_path(struct str whole); /* a text that is nothing but one */
size_t net_at(struct secrets *s, struct str text, size_t at, struct buf *out);
size_t key_at(struct secrets *s, struct str text, size_t at, struct buf *out);

/* ---- characters ---- */
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline bool is_in_word(char c) { /* ASCII: Chinese parts no words */
    return is_digit(c) || is_letter(c) || c == '_';
}
static inline char char_at(struct str s, size_t i) { /* '\0' past its end */
    return i < s.n ? s.p[i] : '\0';
}
static inline char char_before(struct str s, size_t i) {
    return i > 0 ? s.p[i - 1] : '\0';
}
/* Bytes at the front of s[at..] that are letters, digits or one of more. */
size_t run_of(struct str s, size_t at, const char *more);
bool str_is_one_of(struct str s, const char *const list[]); /* ends with NULL */

#endif
