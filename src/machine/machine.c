/* machine.c: reading all sources of this machine. A missing file or tool is not
 * an error: it gives no facts.
 *
 * The smallest limit among a cgroup and its ancestors holds. In a container its
 * own cgroup is mounted at the root of the hierarchy; on the host it is below
 * the root, at the path in /proc/self/cgroup.
 */
#include "machine/machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/limits.h"
#include "machine/source.h"
#include "machine/tool.h"

#define TOOL_MS 5000
#define ROOT_V1 "/sys/fs/cgroup/memory"
#define ROOT_V2 "/sys/fs/cgroup"

struct machine {
    struct arena a;
    struct machine_lines lines;
    const char *program;
};

/* ---- files ---- */

static size_t file_into(const char *path, char *room, size_t size) {
    size_t n = 0;
    ssize_t got = 1;
    int in = open(path, O_RDONLY | O_CLOEXEC);
    while (in >= 0 && got > 0 && n + 1 < size) {
        got = read(in, room + n, size - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    }
    room[n] = '\0';
    if (in >= 0)
        close(in);
    return n;
}

static struct str file_text(struct arena *a, const char *path) {
    char *room = arena_room(a, MACHINE_FILE_BYTES_MAX);
    return (struct str){room, file_into(path, room, MACHINE_FILE_BYTES_MAX)};
}

static struct str tool_text(struct arena *a, const char *const *argv) {
    char *room = arena_room(a, MACHINE_FILE_BYTES_MAX);
    return (struct str){room, tool_output(argv, TOOL_MS, room,
                                          MACHINE_FILE_BYTES_MAX)};
}

/* ---- cgroups ---- */

struct cgroup_files {
    char folder[PATH_MAX];
    const char *limit, *peak, *events, *high; /* names in it; high: NULL */
};

static bool has_events(const struct cgroup_files *f) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", f->folder, f->events);
    return access(path, R_OK) == 0;
}

/* Find the cgroup of this process that has the memory controller: in version 2
 * or version 1. */
static bool cgroup_find(struct cgroup_files *f) {
    char text[MACHINE_FILE_BYTES_MAX];
    struct str all = {text, file_into("/proc/self/cgroup", text, sizeof text)};
    struct cgroup_place place = cgroup_place_of(all);
    const struct {
        const char *root, *limit, *peak, *events, *high;
        struct str path;
    } versions[] = {
        {ROOT_V2, "memory.max", "memory.peak", "memory.events",
         "memory.high", place.v2},
        {ROOT_V1, "memory.limit_in_bytes", "memory.max_usage_in_bytes",
         "memory.oom_control", NULL, place.v1}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        f->limit = versions[i].limit;
        f->peak = versions[i].peak;
        f->events = versions[i].events;
        f->high = versions[i].high;
        snprintf(f->folder, sizeof f->folder, "%s%.*s", versions[i].root,
                 STR_ARG(versions[i].path));
        if (versions[i].path.n > 0 && has_events(f))
            return true;
        snprintf(f->folder, sizeof f->folder, "%s", versions[i].root);
        if (has_events(f))
            return true;
    }
    return false;
}

static size_t cgroup_file(const struct cgroup_files *f, const char *name,
                          char *room, size_t size) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    return file_into(path, room, size);
}

static struct cgroup_state state_of(const struct cgroup_files *f) {
    char limit[64], peak[64], high[64] = "", events[4096];
    struct cgroup_text t = {
        {limit, cgroup_file(f, f->limit, limit, sizeof limit)},
        {peak, cgroup_file(f, f->peak, peak, sizeof peak)},
        {events, cgroup_file(f, f->events, events, sizeof events)},
        {high, f->high != NULL ? cgroup_file(f, f->high, high, sizeof high)
                               : 0}};
    return cgroup_state_of(&t);
}

/* The smallest limit from the process's own cgroup upwards, and the peak of the
 * cgroup that has it. *f becomes that cgroup. */
static bool cgroup_tightest(struct cgroup_files *f,
                            struct cgroup_state *state) {
    if (!cgroup_find(f))
        return false;
    struct cgroup_files at = *f;
    *state = state_of(f);
    for (char *end = strrchr(at.folder, '/');
         end != NULL && end > at.folder + sizeof ROOT_V2 - 1;
         end = strrchr(at.folder, '/')) {
        *end = '\0';
        struct cgroup_state above = state_of(&at);
        bool is_tighter =
            above.limit_bytes > 0 && (state->limit_bytes == 0 ||
                                      above.limit_bytes < state->limit_bytes);
        if (is_tighter) {
            state->limit_bytes = above.limit_bytes;
            state->peak_bytes = above.peak_bytes;
            *f = at;
        }
    }
    return true;
}

struct kill_count machine_kills(void) {
    char text[MACHINE_FILE_BYTES_MAX];
    struct cgroup_files f;
    struct str vmstat = {text, file_into("/proc/vmstat", text, sizeof text)};
    struct kill_count count = {-1, oom_kills_of(vmstat)};
    if (cgroup_find(&f))
        count.in_cgroup = state_of(&f).oom_kills;
    return count;
}

void machine_limit(int64_t *limit_bytes, int64_t *peak_bytes) {
    struct cgroup_files f;
    struct cgroup_state state = {0};
    cgroup_tightest(&f, &state);
    *limit_bytes = state.limit_bytes;
    *peak_bytes = state.peak_bytes;
}

/* $ grep . FOLDER/memory.max FOLDER/memory.peak
 * FOLDER/memory.max:8589934592 */
static size_t put_amounts(const struct cgroup_files *f, char *room,
                          size_t size) {
    char limit[64], peak[64];
    cgroup_file(f, f->limit, limit, sizeof limit);
    cgroup_file(f, f->peak, peak, sizeof peak);
    int n = snprintf(room, size, "$ grep . %s/%s %s/%s\n%s/%s:%s%s/%s:%s",
                     f->folder, f->limit, f->folder, f->peak, f->folder,
                     f->limit, limit, f->folder, f->peak, peak);
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

size_t machine_kill_lines(char *room, size_t size) {
    struct cgroup_files f;
    if (!cgroup_find(&f))
        return 0;
    struct cgroup_files at = f;
    struct cgroup_state state;
    size_t used = cgroup_tightest(&at, &state) && state.limit_bytes > 0
                      ? put_amounts(&at, room, size) : 0;
    int n = snprintf(room + used, size - used, "$ cat %s/%s\n", f.folder,
                     f.events);
    used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
    return used + cgroup_file(&f, f.events, room + used, size - used);
}

/* ---- cards ---- */

static void read_nvidia(struct machine *m, struct str meminfo) {
    static const char *const gpus[] = {
        "nvidia-smi",
        "--query-gpu=index,uuid,name,memory.total,memory.used,memory.free,"
        "driver_version,mig.mode.current",
        "--format=csv", NULL};
    static const char *const processes[] = {
        "nvidia-smi", "--query-compute-apps=gpu_uuid,pid,used_memory",
        "--format=csv", NULL};
    struct nvidia_text t = {
        .gpus = tool_text(&m->a, gpus),
        .visible = str_of(getenv("CUDA_VISIBLE_DEVICES")),
        .host_total = meminfo_bytes(meminfo, "MemTotal"),
        .host_free = meminfo_bytes(meminfo, "MemAvailable")};
    if (t.gpus.n > 0)
        t.processes = tool_text(&m->a, processes);
    if (str_find(t.gpus, STR(", Enabled")) < t.gpus.n)
        t.mig = tool_text(&m->a, (const char *const[]){"nvidia-smi", NULL});
    nvidia_smi_read(&m->lines, &t);
}

static void read_amd(struct machine *m) {
    char path[PATH_MAX];
    int64_t gpu = 0;
    for (int card = 0; card < 64; card++) {
        const char *files[] = {"product_name", "mem_info_vram_total",
                               "mem_info_vram_used"};
        struct str text[3];
        snprintf(path, sizeof path,
                 "/sys/class/drm/card%d/device/mem_info_vram_total", card);
        if (access(path, R_OK) != 0)
            continue;
        for (size_t i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "/sys/class/drm/card%d/device/%s",
                     card, files[i]);
            text[i] = file_text(&m->a, path);
        }
        amdgpu_read(&m->lines, &(struct amdgpu_text){gpu++, text[0], text[1],
                                                     text[2]});
    }
}

static void read_intel(struct machine *m) {
    static const char *const devices[] = {"xpu-smi", "discovery", "--dump",
                                          "1,2,8,16", NULL};
    static const char *const used[] = {"xpu-smi", "dump", "-d", "-1", "-m",
                                       "18", "-n", "1", NULL};
    struct str cards = tool_text(&m->a, devices);
    if (cards.n > 0)
        xpu_smi_read(&m->lines, cards, tool_text(&m->a, used));
}

/* ---- installed packages ---- */

static void names_in(struct buf *out, const char *folder) {
    DIR *d = opendir(folder);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL;
         e = readdir(d)) {
        size_t n = strlen(e->d_name);
        if (n > 10 && strcmp(e->d_name + n - 10, ".dist-info") == 0)
            buf_printf(out, "%s\n", e->d_name);
    }
    if (d != NULL)
        closedir(d);
}

/* The names in PREFIX/lib/python3.12/site-packages, and in Debian's
 * dist-packages. */
static void names_below(struct buf *out, const char *prefix) {
    char path[PATH_MAX * 2];
    snprintf(path, sizeof path, "%s/lib", prefix);
    DIR *d = opendir(path);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL;
         e = readdir(d)) {
        if (strncmp(e->d_name, "python3", 7) != 0)
            continue;
        snprintf(path, sizeof path, "%s/lib/%s/site-packages", prefix,
                 e->d_name);
        names_in(out, path);
        snprintf(path, sizeof path, "%s/lib/%s/dist-packages", prefix,
                 e->d_name);
        names_in(out, path);
    }
    if (d != NULL)
        closedir(d);
}

/* The prefix of a program: PREFIX of PREFIX/bin/vllm. False: it is not found. A
 * link in a virtual environment is not followed, since its own folder has the
 * packages. */
static bool prefix_of(const char *program, char *room, size_t size) {
    if (!tool_path(program, room, size))
        return false;
    for (int i = 0; i < 2; i++) {
        char *end = strrchr(room, '/');
        if (end == NULL)
            return false;
        *end = '\0';
    }
    return true;
}

static void read_versions(struct machine *m) {
    char prefix[PATH_MAX];
    const char *venv = getenv("VIRTUAL_ENV");
    struct buf names = buf_in(&m->a, MACHINE_NAMES_BYTES_MAX);
    if (m->program != NULL && prefix_of(m->program, prefix, sizeof prefix))
        names_below(&names, prefix);
    if (names.n == 0 && venv != NULL)
        names_below(&names, venv);
    if (names.n == 0 && prefix_of("python3", prefix, sizeof prefix))
        names_below(&names, prefix);
    versions_read(&m->lines, buf_str(&names));
}

static void read_environment(struct machine *m) {
    struct variable at[16];
    size_t count = 0;
    for (; environment_names[count] != NULL; count++)
        at[count] = (struct variable){environment_names[count],
                                      getenv(environment_names[count])};
    environment_read(&m->lines, at, count);
}

/* ---- all sources ---- */

static void read_shm(struct machine *m) {
    struct statvfs shm;
    if (statvfs("/dev/shm", &shm) == 0 && shm.f_blocks > 0)
        machine_add_bytes(&m->lines, FACT_shm_limit, "",
                          (int64_t)shm.f_blocks * (int64_t)shm.f_frsize,
                          "/dev/shm");
}

static void read_limits(struct machine *m) {
    static const struct {
        int which;
        enum fact_name name;
        const char *origin;
    } limits[] = {{RLIMIT_AS, FACT_address_limit, "RLIMIT_AS"},
                  {RLIMIT_DATA, FACT_data_limit, "RLIMIT_DATA"},
                  {RLIMIT_MEMLOCK, FACT_locked_limit, "RLIMIT_MEMLOCK"},
                  {RLIMIT_NPROC, FACT_process_limit, "RLIMIT_NPROC"}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit r;
        bool is_set = getrlimit(limits[i].which, &r) == 0 &&
                      r.rlim_cur != RLIM_INFINITY &&
                      r.rlim_cur <= (rlim_t)INT64_MAX / 2;
        if (is_set && fact_unit(limits[i].name) == UNIT_BYTES)
            machine_add_bytes(&m->lines, limits[i].name, "",
                              (int64_t)r.rlim_cur, limits[i].origin);
        else if (is_set)
            machine_add(&m->lines, limits[i].name, "",
                        arena_printf(&m->a, "%lld", (long long)r.rlim_cur),
                        limits[i].origin);
    }
}

static void read_cgroup(struct machine *m) {
    struct cgroup_files f;
    struct cgroup_state state;
    if (!cgroup_tightest(&f, &state))
        return;
    struct cgroup_files own;
    if (cgroup_find(&own)) {
        struct cgroup_state here = state_of(&own);
        state.high_bytes = here.high_bytes;
        state.oom_kills = here.oom_kills;
    }
    cgroup_read(&m->lines, &state,
                &(struct cgroup_origins){f.limit, f.peak, f.events});
}

/* The command does not run yet, so the free memory is that before loading. */
static void note_start(struct machine *m) {
    static const char free_now[] = "gpu_free";
    for (size_t i = 0, n = m->lines.count; i < n; i++) {
        const char *line = m->lines.at[i];
        if (strncmp(line, free_now, sizeof free_now - 1) == 0)
            machine_add_line(&m->lines,
                             arena_printf(&m->a, "free_before_load%s",
                                          line + sizeof free_now - 1).p);
    }
}

static void read_all(void *arg) {
    static const char *const npu_info[] = {"npu-smi", "info", NULL};
    struct machine *m = arg;
    m->lines = machine_lines_new(&m->a);
    struct str meminfo = file_text(&m->a, "/proc/meminfo");
    system_read(&m->lines, file_text(&m->a, "/proc/version"));
    read_nvidia(m, meminfo);
    read_amd(m);
    npu_smi_read(&m->lines, tool_text(&m->a, npu_info));
    read_intel(m);
    meminfo_read(&m->lines, meminfo,
                 file_text(&m->a, "/proc/sys/vm/overcommit_memory"));
    read_cgroup(m);
    read_shm(m);
    read_limits(m);
    read_versions(m);
    read_environment(m);
    if (m->program != NULL)
        note_start(m);
}

struct machine *machine_read(const char *program) {
    struct machine *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    arena_init(&m->a, NULL, MACHINE_BYTES_MAX);
    m->program = program;
    if (arena_guard(&m->a, read_all, m, NULL) != FAIL_NONE) {
        machine_free(m);
        return NULL;
    }
    return m;
}

void machine_free(struct machine *m) {
    if (m != NULL) {
        arena_free(&m->a);
        free(m);
    }
}

const char *const *machine_facts(const struct machine *m) {
    return m->lines.at;
}
