/* wrap.h: does this line go on inside a word that the line before cut? */
#ifndef LOG_WRAP_H
#define LOG_WRAP_H

#include "base/str.h"

#define WRAP_WIDTH_MAX 208 /* 200 columns, and what quotes them */
#define WRAP_RECENT 8
#define WRAP_WORD_MAX 16
#define WRAP_HEAD 8

/* What is remembered of the line before, per stream. */
struct wrap {
    uint32_t width;      /* with what quotes it; 0: none, or too wide */
    uint32_t text_width; /* without */
    char last;           /* its last byte */
    char head[WRAP_HEAD];
    char word[WRAP_WORD_MAX]; /* its last word, if that is letters only */
    uint32_t word_length;     /* may exceed the array */
    bool is_word_plain;
    bool is_joined;
    bool is_same_width; /* as the one before it */
    bool is_word_wrapped; /* it was cut at a blank to fit its own width */
};

/* What the input has shown so far. */
struct wrap_page {
    uint32_t recent[WRAP_RECENT]; /* widths of the last lines */
    uint32_t next;
    bool is_seen[WRAP_WIDTH_MAX + 1]; /* widths at which text was cut before */
};

/* Look at a line: may it be joined to the one before without a blank? Then it
 * is the one before. quote_width: columns of the quote marks before text. */
bool wrap_look(struct wrap_page *page, struct wrap *before, struct str text,
               uint32_t quote_width, bool may_join);

#endif
