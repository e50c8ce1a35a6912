/* meminfo.c: the host's memory from /proc/meminfo.
 *
 *     MemTotal:       65849260 kB        kB are KiB here
 *     MemAvailable:   58213144 kB
 *
 * Under strict overcommit (2) the kernel refuses allocations above CommitLimit,
 * however much memory is free. In other modes that number has no effect and is
 * left out.
 */
#include "machine/source.h"

#define ORIGIN "/proc/meminfo"

int64_t meminfo_bytes(struct str meminfo, const char *name) {
    struct str line;
    while (line_next(&meminfo, &line)) {
        struct str rest, key = str_cut(line, ':', &rest);
        int64_t kib, bytes;
        rest = str_trim(rest);
        if (str_eq(key, str_of(name)) && str_ends(rest, STR("kB")) &&
            str_to_int(str_trim(str_slice(rest, 0, rest.n - 2)), &kib) &&
            kib >= 0 && mul_i64(kib, 1024, &bytes))
            return bytes;
    }
    return 0;
}

static void add(struct machine_lines *m, enum fact_name name, int64_t bytes) {
    if (bytes > 0)
        machine_add_bytes(m, name, "", bytes, ORIGIN);
}

void meminfo_read(struct machine_lines *m, struct str meminfo,
                  struct str overcommit) {
    int64_t swap = meminfo_bytes(meminfo, "SwapTotal");
    int64_t limit = meminfo_bytes(meminfo, "CommitLimit");
    int64_t committed = meminfo_bytes(meminfo, "Committed_AS");
    add(m, FACT_host_total, meminfo_bytes(meminfo, "MemTotal"));
    add(m, FACT_host_free, meminfo_bytes(meminfo, "MemAvailable"));
    if (str_find(meminfo, STR("SwapTotal:")) < meminfo.n) {
        machine_add_bytes(m, FACT_swap_total, "", swap, ORIGIN);
        add(m, FACT_swap_free, meminfo_bytes(meminfo, "SwapFree"));
    }
    if (str_eq(str_trim(overcommit), STR("2")) && limit > 0) {
        add(m, FACT_commit_limit, limit);
        add(m, FACT_commit_free, limit - committed);
    }
}

void system_read(struct machine_lines *m, struct str version) {
    bool is_wsl = str_find(version, STR("icrosoft")) < version.n;
    if (version.n > 0)
        machine_add(m, FACT_os, "", is_wsl ? STR("wsl") : STR("linux"),
                    "/proc/version");
}
