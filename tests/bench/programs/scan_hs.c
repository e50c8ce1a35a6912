/* Vectorscan (or Hyperscan): scan_hs literals|regexes PATTERNS DATABASE
 * compiles once, as its users do; scan_hs DATABASE LOG RUNS scans. Block mode,
 * no start of match, which are its fastest. */
#include <hs/hs.h>

#include "scan.h"

#define FLAGS HS_FLAG_MULTILINE

static int on_match(unsigned id, unsigned long long from,
                    unsigned long long to, unsigned flags, void *ctx) {
    (void)id;
    (void)from;
    (void)to;
    (void)flags;
    ++*(unsigned long long *)ctx;
    return 0;
}

/* What the engine says that it cannot take goes. */
static size_t drop_refused(const char **list, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        hs_expr_info_t *info = NULL;
        hs_compile_error_t *error = NULL;
        if (hs_expression_info(list[i], FLAGS, &info, &error) == HS_SUCCESS)
            list[kept++] = list[i];
        free(info);
        hs_free_compile_error(error);
    }
    return kept;
}

static hs_database_t *compile(const char **list, size_t *count, int is_literal) {
    hs_database_t *db = NULL;
    hs_compile_error_t *error = NULL;
    for (;;) {
        unsigned *flags = (unsigned *)calloc(*count + 1, sizeof *flags);
        unsigned *ids = (unsigned *)calloc(*count + 1, sizeof *ids);
        size_t *lengths = (size_t *)calloc(*count + 1, sizeof *lengths);
        for (unsigned i = 0; i < *count; i++) {
            ids[i] = i;
            lengths[i] = strlen(list[i]);
            flags[i] = is_literal ? 0 : FLAGS;
        }
        hs_error_t code =
            is_literal ? hs_compile_lit_multi(list, flags, ids, lengths,
                                              (unsigned)*count, HS_MODE_BLOCK,
                                              NULL, &db, &error)
                       : hs_compile_multi(list, flags, ids, (unsigned)*count,
                                          HS_MODE_BLOCK, NULL, &db, &error);
        free(flags);
        free(ids);
        free(lengths);
        if (code == HS_SUCCESS)
            return db;
        if (error->expression < 0)
            give_up(error->message);
        memmove(list + error->expression, list + error->expression + 1,
                (*count - (size_t)error->expression - 1) * sizeof *list);
        --*count;
        hs_free_compile_error(error);
    }
}

static int build(const char *kind, const char *patterns, const char *to) {
    struct bytes text = file_bytes(patterns);
    size_t all = 0;
    const char **list = pattern_list(&text, &all);
    int is_literal = strcmp(kind, "literals") == 0;
    double began = now();
    size_t count = is_literal ? all : drop_refused(list, all);
    hs_database_t *db = compile(list, &count, is_literal);
    struct result r = {count, all - count, (now() - began) * 1e3, 0, {0}, 0};
    char *bytes = NULL;
    size_t n = 0;
    FILE *f = fopen(to, "wb");
    if (!f || hs_serialize_database(db, &bytes, &n) != HS_SUCCESS ||
        fwrite(bytes, 1, n, f) != n)
        give_up(to);
    fclose(f);
    put_result(&r);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4)
        give_up("scan_hs literals|regexes PATTERNS DATABASE, or "
                "scan_hs DATABASE LOG RUNS");
    if (strcmp(argv[1], "literals") == 0 || strcmp(argv[1], "regexes") == 0)
        return build(argv[1], argv[2], argv[3]);
    struct result r = {0, 0, 0, 0, {0}, runs_of(argv[3])};
    double began = now();
    struct bytes stored = file_bytes(argv[1]);
    hs_database_t *db = NULL;
    hs_scratch_t *scratch = NULL;
    if (hs_deserialize_database(stored.at, stored.n, &db) != HS_SUCCESS ||
        hs_alloc_scratch(db, &scratch) != HS_SUCCESS)
        give_up(argv[1]);
    r.built_ms = (now() - began) * 1e3;
    struct bytes log = file_bytes(argv[2]);
    for (int i = 0; i < r.runs; i++) {
        r.hits = 0;
        began = now();
        if (hs_scan(db, log.at, (unsigned)log.n, 0, scratch, on_match,
                    &r.hits) != HS_SUCCESS)
            give_up("hs_scan");
        r.seconds[i] = now() - began;
    }
    put_result(&r);
    return 0;
}
