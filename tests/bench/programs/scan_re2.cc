/* RE2::Set over blocks of whole lines: scan_re2 PATTERNS LOG RUNS */
#include <re2/set.h>

#include <vector>

#include "scan.h"

static const size_t BLOCK = 64 * 1024;

/* Bytes of the next block: it ends with a line where there is one. */
static size_t block_bytes(const struct bytes &log, size_t at) {
    if (log.n - at <= BLOCK)
        return log.n - at;
    const void *end = memrchr(log.at + at, '\n', BLOCK);
    return end ? (size_t)((const char *)end - (log.at + at)) + 1 : BLOCK;
}

int main(int argc, char **argv) {
    if (argc != 4)
        give_up("scan_re2 PATTERNS LOG RUNS");
    struct bytes text = file_bytes(argv[1]), log = file_bytes(argv[2]);
    struct result r = {0, 0, 0, 0, {0}, runs_of(argv[3])};
    size_t count = 0;
    const char **list = pattern_list(&text, &count);
    double began = now();
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem((int64_t)4 << 30);
    options.set_one_line(false);
    RE2::Set set(options, RE2::UNANCHORED);
    for (size_t i = 0; i < count; i++) {
        if (set.Add(std::string("(?m:") + list[i] + ")", NULL) >= 0)
            r.patterns++;
        else
            r.left_out++;
    }
    if (!set.Compile())
        give_up("RE2::Set does not compile");
    r.built_ms = (now() - began) * 1e3;
    std::vector<int> ids;
    for (int i = 0; i < r.runs; i++) {
        r.hits = 0;
        began = now();
        for (size_t at = 0, n; at < log.n; at += n) {
            RE2::Set::ErrorInfo error;
            n = block_bytes(log, at);
            ids.clear();
            set.Match(re2::StringPiece(log.at + at, n), &ids, &error);
            if (error.kind != RE2::Set::kNoError)
                give_up("RE2::Set ran out of memory");
            r.hits += ids.size();
        }
        r.seconds[i] = now() - began;
    }
    put_result(&r);
    return 0;
}
