/* scan.h: what the programs of the bench share: a file in memory, a list of
 * patterns (each ends with NUL), a clock, and the result as a line of JSON:
 *
 *     {"patterns":975,"left_out":3,"built_ms":7.1,"hits":42,"seconds":[...]}
 *
 * They are measured, not shipped: what fails ends them. */
#ifndef BENCH_SCAN_H
#define BENCH_SCAN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS_MAX 128

struct bytes {
    char *at;
    size_t n;
};

struct result {
    size_t patterns, left_out;
    double built_ms;
    unsigned long long hits;
    double seconds[RUNS_MAX];
    int runs;
};

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline void give_up(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(2);
}

static inline struct bytes file_bytes(const char *path) {
    struct bytes b = {NULL, 0};
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        give_up(path);
    b.n = (size_t)ftell(f);
    rewind(f);
    b.at = (char *)malloc(b.n + 1);
    if (!b.at || fread(b.at, 1, b.n, f) != b.n)
        give_up(path);
    b.at[b.n] = '\0';
    fclose(f);
    return b;
}

/* The i-th is list[i]; *count of them. */
static inline const char **pattern_list(const struct bytes *b, size_t *count) {
    size_t n = 0, i = 0;
    for (size_t k = 0; k < b->n; k++)
        n += b->at[k] == '\0';
    const char **list = (const char **)malloc((n + 1) * sizeof *list);
    if (!list)
        give_up("no memory");
    for (const char *at = b->at; i < n; at += strlen(at) + 1)
        list[i++] = at;
    *count = n;
    return list;
}

static inline int runs_of(const char *text) {
    int n = atoi(text);
    return n < 1 ? 1 : n > RUNS_MAX ? RUNS_MAX : n;
}

static inline void put_result(const struct result *r) {
    printf("{\"patterns\":%zu,\"left_out\":%zu,\"built_ms\":%.3f,"
           "\"hits\":%llu,\"seconds\":[", r->patterns, r->left_out,
           r->built_ms, r->hits);
    for (int i = 0; i < r->runs; i++)
        printf("%s%.9f", i > 0 ? "," : "", r->seconds[i]);
    printf("]}\n");
}

#endif
