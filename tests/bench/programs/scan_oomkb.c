/* oomkb in memory, from the first byte to the report: scan_oomkb INDEX LOG
 * RUNS. Through the public header; hits are failures found. */
#include <oomkb/oomkb.h>

#include "scan.h"

int main(int argc, char **argv) {
    if (argc != 4)
        give_up("scan_oomkb INDEX LOG RUNS");
    struct result r = {0, 0, 0, 0, {0}, runs_of(argv[3])};
    struct bytes log = file_bytes(argv[2]);
    oomkb *kb = NULL;
    double began = now();
    if (oomkb_open(argv[1], &kb, NULL) != OOMKB_OK)
        give_up(argv[1]);
    r.built_ms = (now() - began) * 1e3;
    r.patterns = oomkb_entry_count(kb);
    for (int i = 0; i < r.runs; i++) {
        oomkb_report *report = NULL;
        began = now();
        if (oomkb_diagnose(kb, log.at, log.n, NULL, &report, NULL) !=
            OOMKB_OK)
            give_up("oomkb_diagnose");
        r.seconds[i] = now() - began;
        r.hits = oomkb_report_failures(report);
        oomkb_report_free(report);
    }
    oomkb_close(kb);
    put_result(&r);
    return 0;
}
