/* search.h: splitting text into words, the same for what is indexed and for
 * what is searched. Private to index/.
 *
 *     "KV缓存不足: 2.0"  ->  "KV" "缓存不足" "2.0"      words, split at blanks,
 *                                                     at marks, and between
 *                                                     Han and other scripts
 *     "缓存不足"         ->  缓存 存不 不足 足          indexed
 *                       ->  "缓存 存不 不足"           searched, as a phrase
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
/* The overlapping pairs of a run, separated by blanks. The last character alone
 * follows if is_stored, or if the run is one character long. */
void search_pairs(struct buf *out, struct str run, bool is_stored);

#endif
