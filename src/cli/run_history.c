/* run_history.c: the attempts of one job, a line of JSON each:
 *
 *     {"schema":1,"time":"2026-11-22T08:00:00Z","attempt":1,"status":1,
 *      "entry":"vllm/kv-cache-too-small","fingerprint":"1-8f...",
 *      "outlook":"again","change":"--max-model-len 40048"}
 *
 * A scheduler that starts a job again and again keeps the file; the fingerprint
 * says whether it is the same failure. Lines are only ever added.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/run.h"

static size_t seen_before(const char *path, const char *fingerprint) {
    char *line = NULL;
    size_t size = 0, count = 0;
    FILE *in = fopen(path, "r");
    while (in != NULL && getline(&line, &size, in) >= 0)
        count += strstr(line, fingerprint) != NULL;
    free(line);
    if (in != NULL)
        fclose(in);
    return count;
}

static void put_field(FILE *out, const char *name, const char *value) {
    fprintf(out, ",\"%s\":", name);
    if (value != NULL)
        put_json_string(out, value);
    else
        fputs("null", out);
}

static void put_line(FILE *out, const struct attempt *a) {
    char when[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL)
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fputs("{\"schema\":1", out);
    put_field(out, "time", when);
    fprintf(out, ",\"attempt\":%zu,\"status\":%d", a->number,
            child_exit_status(&a->end));
    put_field(out, "entry", a->retry.entry);
    put_field(out, "fingerprint", a->retry.fingerprint);
    put_field(out, "outlook", a->retry.outlook);
    put_field(out, "change", a->retry.change);
    fputs("}\n", out);
}

void attempt_record(struct cli *c, const struct attempt *a) {
    char times[32];
    if (c->history_path == NULL)
        return;
    size_t before = a->retry.fingerprint != NULL
                        ? seen_before(c->history_path, a->retry.fingerprint)
                        : 0;
    FILE *out = fopen(c->history_path, "a");
    if (out != NULL)
        put_line(out, a);
    if (out == NULL || fclose(out) != 0)
        cli_remark(c, "cli.run.file", c->history_path, strerror(errno));
    snprintf(times, sizeof times, "%zu", before);
    if (before > 0)
        cli_remark(c, "cli.run.seen_before", times, c->history_path);
}
