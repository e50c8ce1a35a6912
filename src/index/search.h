/* search.h: the one way in which words are cut, for what is stored and for
 * what is asked. Private to index/.
 *
 *     "KV缓存不足: 2.0"  ->  "KV" "缓存不足" "2.0"      words, at blanks,
 *                                                     at marks, and between
 *                                                     Han and other script
 *     "缓存不足"         ->  缓存 存不 不足 足          stored
 *                       ->  "缓存 存不 不足"           asked for, as a phrase
 */
#ifndef INDEX_SEARCH_H
#define INDEX_SEARCH_H

#include "base/buf.h"

/* The next word of *rest; false: none is left. */
struct search_word {
    struct str text;
    bool is_han; /* a run of Han, kana or Hangul */
};
bool search_next(struct str *rest, struct search_word *word);
/* The pairs of a run, a blank between them, and at its end, where it is to be
 * stored or is one character long, the last character alone. */
void search_pairs(struct buf *out, struct str run, bool is_stored);

#endif
