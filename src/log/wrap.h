/* wrap.h: lines that continue the line before, which was cut at a width. */
#ifndef LOG_WRAP_H
#define LOG_WRAP_H

#include "base/str.h"

#define WRAP_WIDTH_MAX 208 /* 200 columns and a quote mark */
#define WRAP_RECENT 8
#define WRAP_WORD_MAX 16
#define WRAP_HEAD 8

/* What is remembered of the line before. */
struct wrap_line {
    uint32_t width;      /* with its quote mark; 0: none, or too wide */
    uint32_t text_width; /* without */
    char last;           /* its last byte */
    char head[WRAP_HEAD];
    char word[WRAP_WORD_MAX]; /* its last word, if that is letters only */
    uint32_t word_length;     /* may exceed the array */
    bool is_word_plain;       /* letters only */
    bool is_joined;       /* it continues a line of its width that was cut */
    bool is_same_width;   /* as the one before it */
    bool is_word_wrapped; /* the line above had no room for its first word
                             within the width of this one */
    bool is_filled_above; /* nor within the width of any line near */
    uint32_t quote_width;
    bool has_columns;     /* three blanks in a row: a row of a table */
    uint64_t place;       /* where it began */
};

/* Widths of the last lines. The caller sets place and least. What stood before
 * least is forgotten, so that reading may begin anywhere. */
struct wrap_widths {
    uint64_t place, least; /* of the present line; of what is remembered */
    uint32_t recent[WRAP_RECENT];
    uint32_t kept[WRAP_RECENT]; /* the same; 0: the line is one long word */
    uint64_t recent_place[WRAP_RECENT];
    uint32_t next;
    uint64_t seen[WRAP_WIDTH_MAX + 1]; /* 1 + where text was last cut at this
                                          width; 0: nowhere */
};

/* How a line continues the one before it. */
enum wrap_seam {
    WRAP_NONE, /* it is a line of its own, as far as can be seen */
    WRAP_CUT,  /* inside a word, or wherever the line was full */
    WRAP_FOLD  /* behind a blank, which was dropped */
};

/* True if a wrap may cut between this byte and the text behind it. Where it is
 * false, wrap_find_seam() returns no WRAP_CUT. */
bool wrap_may_cut(char before, struct str text);

/* Compares a line with the one before it, and remembers it as the next
 * `before`. quote_width: columns of the quote mark before text. may_join false:
 * the result is WRAP_NONE. */
enum wrap_seam wrap_find_seam(struct wrap_widths *widths,
                              struct wrap_line *before, struct str text,
                              uint32_t quote_width, bool may_join);

#endif
