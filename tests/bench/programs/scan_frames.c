/* Only the lines, decoded and out of their frames, and no pattern: how much of
 * the time is framing. scan_frames LOG RUNS. hits are lines. */
#include "log/log.h"

#include "scan.h"

struct reading {
    struct arena arena;
    struct bytes log;
    unsigned long long lines;
};

static void on_line(void *ctx, const struct line *line) {
    struct reading *r = ctx;
    (void)line;
    r->lines++;
}

static void read_all(void *arg) {
    struct reading *r = arg;
    struct log_reader *reader = log_open(&r->arena, log_tables_new(&r->arena), 0, on_line, r);
    for (size_t at = 0; at < r->log.n; at += 256 * 1024) {
        size_t left = r->log.n - at;
        struct str piece = {r->log.at + at,
                            left < 256 * 1024 ? left : 256 * 1024};
        log_feed(reader, piece);
    }
    log_end(reader);
}

int main(int argc, char **argv) {
    if (argc != 3)
        give_up("scan_frames LOG RUNS");
    struct result r = {0, 0, 0, 0, {0}, runs_of(argv[2])};
    struct reading reading = {.log = file_bytes(argv[1])};
    for (int i = 0; i < r.runs; i++) {
        reading.lines = 0;
        arena_init(&reading.arena, NULL, 0);
        double began = now();
        if (arena_guard(&reading.arena, read_all, &reading, NULL) != FAIL_NONE)
            give_up("log_feed");
        r.seconds[i] = now() - began;
        r.hits = reading.lines;
        arena_free(&reading.arena);
    }
    put_result(&r);
    return 0;
}
