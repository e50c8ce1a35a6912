/* site.h: pages and the folder they go to. Private to author/. */
#ifndef AUTHOR_SITE_H
#define AUTHOR_SITE_H

#include "author/author.h"

struct site_page {
    struct str path; /* below the folder: "en/vllm/kv-cache-too-small.md" */
    struct str bytes;
};

struct site_pages {
    struct site_page *at;
    size_t count, cap;
};

/* site_pages.c: every page there is, in the order of their paths. */
struct site_pages site_pages_make(struct arena *a, const struct oomkb *kb);

#endif
