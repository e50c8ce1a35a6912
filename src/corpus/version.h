/* version.h: one order of versions for every product. PEP 440 (epochs, pre,
 * post, dev, local: 0.4.0 < 0.4.0.post1; 2.6.0+cu124 > 2.6.0), with leading
 * v allowed, and build numbers (b4567; a bare integer compares as one). */
#ifndef CORPUS_VERSION_H
#define CORPUS_VERSION_H

#include "base/str.h"

bool version_valid(struct str v);
/* *order: <0, 0, >0. False if either is not a version; then *order is
 * unchanged. */
bool version_compare(struct str a, struct str b, int *order);

/* OSV-style events, sorted by version: in the range from `introduced` ("0" is
 * the beginning) up to, not including, `fixed`. */
struct version_event {
    bool is_fixed; /* else introduced */
    struct str version;
};

struct version_range {
    struct str product; /* "vllm", "torch", "cuda" ... */
    struct version_event *events;
    size_t event_count;
};

enum in_range { RANGE_OUTSIDE, RANGE_INSIDE, RANGE_UNKNOWN };
/* RANGE_UNKNOWN if version is empty or not a version. Local parts (+cu124) are
 * ignored. */
enum in_range version_in_range(const struct version_range *r,
                               struct str version);

#endif
