/* Every pattern over all of the text, compiled to machine code: the naive way.
 * scan_pcre2 PATTERNS LOG RUNS BYTES looks at the first BYTES. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "scan.h"

static unsigned long long count_matches(const pcre2_code *code,
                                        pcre2_match_data *data,
                                        pcre2_match_context *context,
                                        const struct bytes *log) {
    unsigned long long hits = 0;
    const PCRE2_SIZE *span = pcre2_get_ovector_pointer(data);
    for (size_t at = 0; at <= log->n; hits++) {
        if (pcre2_match(code, (PCRE2_SPTR)log->at, log->n, at, 0, data,
                        context) < 0)
            break;
        at = span[1] > at ? span[1] : at + 1;
    }
    return hits;
}

int main(int argc, char **argv) {
    if (argc != 5)
        give_up("scan_pcre2 PATTERNS LOG RUNS BYTES");
    struct bytes text = file_bytes(argv[1]), log = file_bytes(argv[2]);
    struct result r = {0, 0, 0, 0, {0}, runs_of(argv[3])};
    size_t count = 0, most = strtoul(argv[4], NULL, 10);
    const char **list = pattern_list(&text, &count);
    pcre2_code **codes = calloc(count + 1, sizeof *codes);
    pcre2_match_data *data = pcre2_match_data_create(64, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(context, 100000); /* as oomkb does */
    log.n = log.n < most ? log.n : most;
    double began = now();
    for (size_t i = 0; i < count; i++) {
        int code = 0;
        PCRE2_SIZE at = 0;
        pcre2_code *made =
            pcre2_compile((PCRE2_SPTR)list[i], PCRE2_ZERO_TERMINATED,
                          PCRE2_MULTILINE | PCRE2_DUPNAMES, &code, &at, NULL);
        if (made && pcre2_jit_compile(made, PCRE2_JIT_COMPLETE) == 0)
            codes[r.patterns++] = made;
        else
            r.left_out++;
    }
    r.built_ms = (now() - began) * 1e3;
    for (int i = 0; i < r.runs; i++) {
        r.hits = 0;
        began = now();
        for (size_t k = 0; k < r.patterns; k++)
            r.hits += count_matches(codes[k], data, context, &log);
        r.seconds[i] = now() - began;
    }
    put_result(&r);
    return 0;
}
