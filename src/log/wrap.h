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
    bool is_filled_above; /* the line above had no room for its first word */
    uint32_t quote_width;
    bool has_columns;     /* blanks that set its words under others */
    uint64_t place;       /* where it began */
};

/* What the input has shown lately. Whoever asks sets place and least; what
 * stood before least is forgotten, so that reading may begin anywhere. */
struct wrap_page {
    uint64_t place, least; /* of the line looked at; of what is remembered */
    uint32_t recent[WRAP_RECENT]; /* widths of the last lines */
    uint32_t kept[WRAP_RECENT];   /* the same, 0 where one word took it all */
    uint64_t recent_place[WRAP_RECENT];
    uint32_t next;
    uint64_t seen[WRAP_WIDTH_MAX + 1]; /* 1 + where text was last cut at this
                                          width; 0: nowhere */
};

/* How a line stands to the one before it. */
enum wrap_seam {
    WRAP_NONE, /* it is a line of its own, as far as one can see */
    WRAP_CUT,  /* it goes on in a word, or wherever the line was full */
    WRAP_FOLD  /* it goes on behind a blank, for which there was no room */
};

/* May a wrap cut between this byte and the text behind it, no blank? Never where
 * wrap_look() finds no WRAP_CUT. */
bool wrap_may_cut(char before, struct str text);

/* Look at a line: what was joined to the line before is that line.
 * quote_width: columns of the quote marks before text. */
enum wrap_seam wrap_look(struct wrap_page *page, struct wrap *before,
                         struct str text, uint32_t quote_width,
                         bool may_join);

#endif
