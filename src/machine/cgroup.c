/* cgroup.c: the limit under which a job runs, and how often it was enforced.
 *
 *     version 2   0::/kubepods/pod1/c9     memory.max memory.peak memory.events
 *     version 1   4:memory:/docker/c9      memory.limit_in_bytes ...
 *
 * "max", and the number that version 1 prints without a limit (near 2^63), mean
 * no limit.
 */
#include "machine/source.h"

#define NO_LIMIT (INT64_C(1) << 60)

struct cgroup_place cgroup_place_of(struct str proc_cgroup) {
    struct cgroup_place place = {{NULL, 0}, {NULL, 0}};
    struct str line;
    while (line_next(&proc_cgroup, &line)) {
        struct str controllers, path;
        struct str hierarchy = str_cut(line, ':', &controllers);
        controllers = str_cut(controllers, ':', &path);
        if (path.n == 0)
            continue;
        if (str_eq(hierarchy, STR("0")) && controllers.n == 0)
            place.v2 = path;
        else if (str_lists(controllers, ',', STR("memory")))
            place.v1 = path;
    }
    return place;
}

int64_t oom_kills_of(struct str text) {
    struct str line;
    int64_t n;
    while (line_next(&text, &line)) {
        struct str rest, key = str_cut(line, ' ', &rest);
        if (str_eq(key, STR("oom_kill")) && str_to_int(str_trim(rest), &n))
            return n;
    }
    return -1;
}

static int64_t bytes_of(struct str text) {
    int64_t n;
    return str_to_int(str_trim(text), &n) && n > 0 && n < NO_LIMIT ? n : 0;
}

struct cgroup_state cgroup_state_of(const struct cgroup_text *t) {
    return (struct cgroup_state){.limit_bytes = bytes_of(t->limit),
                                 .peak_bytes = bytes_of(t->peak),
                                 .oom_kills = oom_kills_of(t->events),
                                 .high_bytes = bytes_of(t->high)};
}

void cgroup_read(struct machine_lines *m, const struct cgroup_state *s,
                 const struct cgroup_origins *from) {
    if (s->limit_bytes > 0)
        machine_add_bytes(m, FACT_host_limit, "", s->limit_bytes, from->limit);
    if (s->limit_bytes > 0 && s->peak_bytes > 0)
        machine_add_bytes(m, FACT_host_peak, "", s->peak_bytes, from->peak);
    if (s->high_bytes > 0)
        machine_add_bytes(m, FACT_host_high, "", s->high_bytes,
                          "memory.high");
    if (s->oom_kills > 0)
        machine_add(m, FACT_oom_kill_count, "",
                    arena_printf(m->a, "%lld", (long long)s->oom_kills),
                    from->events);
}
