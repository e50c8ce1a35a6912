/* texts.h: a reader over an index that holds i18n/ and nothing else, so that
 * rendering is tested with the words that ship and with reports made by hand.
 * Paths are relative to the repository root, where tests run; OOMKB_ROOT
 * names another. */
#ifndef SUPPORT_TEXTS_H
#define SUPPORT_TEXTS_H

#include "index/index.h"

/* "i18n/en.yaml" below the root. */
struct str root_path(struct arena *a, const char *path);
/* The whole file; aborts the test program where there is none. */
struct str file_text(struct arena *a, struct str path);
/* Bytes of an index with every text of i18n/, and these entries. */
struct str index_of_entries(struct arena *a, struct entry *entries,
                            size_t count);
/* A reader over it. */
struct reader *texts_reader(struct arena *a);

#endif
