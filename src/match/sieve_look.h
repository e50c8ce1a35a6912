/* sieve_look.h: what the two halves of the sieve share. Private to sieve.c and
 * sieve_break.c. */
#ifndef MATCH_SIEVE_LOOK_H
#define MATCH_SIEVE_LOOK_H

#include "base/buf.h"
#include "log/log.h"
#include "match/literals.h"
#include "match/sieve.h"

#define LOOK_REST 48 /* bytes behind a break, enough to believe it */
#define LOOK_AHEAD (8 * 1024) /* so far behind a break the rest may stand */
#define LOOK_FAR (32 * 1024)
#define LOOK_SEARCHED 64
#define LOOK_BEGINS 512
#define LOOK_ENDS 4096
#define LOOK_BACK (2 * LOG_MEMORY) /* a line's cut, and frames between */

struct line_pair { /* the same line */
    size_t copy, raw;
};

struct searched { /* for the rest behind a state, in vain: up to `to` */
    uint32_t state;
    size_t to;
    size_t farther; /* than asked, to be asked less often */
};

/* A line, and where its text may begin behind frames. */
struct line_begin {
    size_t at, end; /* end 0: none */
    size_t text[3];
    size_t columns; /* of a record's prefix before it */
    struct stream who;
    bool is_framed, is_record, is_partial;
    bool is_anywhere; /* JSON, or what cleaning changes: not known */
};

struct sieve {
    struct arena *a;
    const struct frames *frames;
    const struct prefilter *f;
    struct sieve_places breaks, suspects, narrow, wide;
    struct buf copy, line;
    struct line_pair *lines;
    size_t line_count, line_cap;
    struct searched searched[LOOK_SEARCHED], words[LOOK_SEARCHED],
        escaped[LOOK_SEARCHED];
    struct few_list few, *shorts;
    size_t refused; /* the first rest that this cut does not go on with; 0: none */
    size_t ended[LOOK_ENDS]; /* by its last two bytes: where text of a line, or
                                what a bracket or quote closes, ended lately */
    size_t noted_from; /* ends behind this place are noted there */
    struct line_begin begins[LOOK_BEGINS]; /* lines lately asked about */
};

struct look { /* one text that is looked at */
    struct sieve *s;
    struct str text;
    bool is_copy; /* lines are those of s->lines */
    sieve_fn found;
    void *ctx;
};

static inline bool look_is_blank(char c) {
    return fold_byte((unsigned char)c) == ' ';
}

/* Behind the next newline, or the text's end. */
static inline size_t look_next_line(struct str text, size_t at) {
    size_t next = at + str_find_char(str_slice(text, at, text.n), '\n');
    return next < text.n ? next + 1 : text.n;
}

void look_tell(const struct look *l, uint32_t literal, size_t at,
               bool is_whole);
/* Literals that are cut at a break; these are noted, and then forgotten. */
void look_at_breaks(const struct look *l);
/* May a line not far before the one whose text begins at `begin` end with these
 * bytes, and go on there? */
bool look_may_follow(const struct look *l, size_t begin, struct str lead,
                     bool is_blank);
/* May what stands at `at` be the beginning of a line's text, so that what
 * belongs before it stands on another line? */
bool look_may_begin_line(const struct look *l, size_t at);
/* Behind a quote or a bracket the text had ended before; then the line that goes
 * on with it is framed so, too. */
static inline bool look_is_closed(struct str text, size_t end) {
    static const char closing[] = "\"',|}";
    return end > 0 && text.p[end - 1] != '\0' &&
           str_find_char((struct str){closing, sizeof closing - 1},
                         text.p[end - 1]) < sizeof closing - 1;
}

/* Notes which bytes stand before the breaks that were found. */
void look_note_ends(struct sieve *s, struct str text);
/* May text have ended lately with these bytes? False is sure. */
bool look_has_ended(const struct look *l, size_t at, struct str lead);
/* Another text comes; its ends will be noted from this place on. */
void look_forget(struct sieve *s, size_t noted_from);

#endif
