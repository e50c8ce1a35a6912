/* literal_worth.h: comparing sets of literals. Private to match/. */
#ifndef MATCH_LITERAL_WORTH_H
#define MATCH_LITERAL_WORTH_H

#include "match/literals.h"

/* What a set is worth: that of its weakest member, less for many of them. */
size_t literal_worth(const struct str_list *set);

/* Lines of logs in which nothing is wrong, folded. */
const struct str *healthy_lines(size_t *count);

#endif
