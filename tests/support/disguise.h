/* disguise.h: the same log as other programs would have written it. */
#ifndef SUPPORT_DISGUISE_H
#define SUPPORT_DISGUISE_H

#include "base/arena.h"
#include "base/buf.h"

enum disguise {
    DISGUISE_NONE,
    DISGUISE_HARD_WRAP, /* cut at a width, inside of words */
    DISGUISE_WORD_WRAP,
    DISGUISE_DOCKER,
    DISGUISE_DOCKER_CUT, /* records of few bytes, most without a line's end */
    DISGUISE_CRI,
    DISGUISE_CRI_CUT,
    DISGUISE_JOURNALD,
    DISGUISE_KUBECTL,
    DISGUISE_SYSLOG,
    DISGUISE_RANK,
    DISGUISE_WORKER,
    DISGUISE_LABEL,
    DISGUISE_SGLANG, /* a prefix that is a record's, on every line */
    DISGUISE_PDSH,
    DISGUISE_GREP,
    DISGUISE_CLOUD,
    DISGUISE_QUOTE,
    DISGUISE_COMMENT,
    DISGUISE_COLOURS,
    DISGUISE_WRITTEN_COLOURS, /* with the escape spelled out */
    DISGUISE_BLANKS,          /* runs of them, and tabs */
    DISGUISE_RETURNS,         /* CRLF, and a progress bar now and then */
    DISGUISE_NOISE,           /* control bytes and characters of no width */
    DISGUISE_REPR,            /* all in one line, newlines spelled out */
    DISGUISE_COUNT
};

uint32_t disguise_roll(uint32_t *seed, uint32_t below);
struct str disguised(struct arena *a, struct str text, enum disguise as,
                     uint32_t *seed);
/* The whole log in UTF-16, low byte first; ASCII only. */
struct str in_utf16(struct arena *a, struct str text);
/* About so many bytes of a log of which nothing is known. */
struct str healthy_log(struct arena *a, size_t bytes, uint32_t *seed);

#endif
