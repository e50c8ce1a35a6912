/* source.h: what the machine's own tools and files print, as facts. One file
 * for each source; each takes text, so that what another machine printed is
 * read the same way. A line is a fact as oomkb_options.machine takes it. */
#ifndef MACHINE_SOURCE_H
#define MACHINE_SOURCE_H

#include "base/arena.h"
#include "corpus/fact.h"

struct machine_lines {
    struct arena *a;
    const char **at; /* NULL-terminated */
    size_t count, cap;
};
struct machine_lines machine_lines_new(struct arena *a);

/* owner: "gpu 0, pid 7", or "". A value that is empty is no fact; blanks and
 * what is no text become one blank each. */
void machine_add(struct machine_lines *m, enum fact_name name,
                 const char *owner, struct str value, const char *origin);
void machine_add_line(struct machine_lines *m, const char *line); /* kept */
void machine_add_bytes(struct machine_lines *m, enum fact_name name,
                       const char *owner, int64_t bytes, const char *origin);
/* The next line of text, without its end; false: there is none. */
bool line_next(struct str *text, struct str *line);

/* ---- nvidia_smi.c ----
 * gpus: --query-gpu=index,uuid,name,memory.total,memory.used,memory.free,
 * driver_version,mig.mode.current --format=csv; processes:
 * --query-compute-apps=gpu_uuid,pid,used_memory --format=csv. Columns are found
 * by their titles. visible: CUDA_VISIBLE_DEVICES, p NULL where it is not set.
 * host_total, host_free: of a card that has no memory of its own; 0: not
 * known. */
struct nvidia_text {
    struct str gpus, processes, visible, mig;
    int64_t host_total, host_free;
};
/* mig: nvidia-smi without options, whose second table has the slices. */
void nvidia_smi_read(struct machine_lines *m, const struct nvidia_text *t);

/* ---- amdgpu_sysfs.c: of one card, files of its device folder ---- */
struct amdgpu_text {
    int64_t gpu;
    struct str name, vram_total, vram_used; /* product_name, mem_info_... */
};
void amdgpu_read(struct machine_lines *m, const struct amdgpu_text *t);

/* ---- npu_smi.c: `npu-smi info` ---- */
void npu_smi_read(struct machine_lines *m, struct str text);

/* ---- xpu_smi.c: discovery --dump 1,2,8,16; dump -d -1 -m 18 -n 1 ---- */
void xpu_smi_read(struct machine_lines *m, struct str devices,
                  struct str used);

/* ---- meminfo.c: /proc/meminfo, /proc/sys/vm/overcommit_memory, /proc/version
 * ---- */
void meminfo_read(struct machine_lines *m, struct str meminfo,
                  struct str overcommit);
void system_read(struct machine_lines *m, struct str version);
/* "MemTotal" in bytes; 0: it is not there. */
int64_t meminfo_bytes(struct str meminfo, const char *name);

/* ---- cgroup.c ----
 * Where a process is, by /proc/PID/cgroup: of version 1 the memory
 * controller's line, of version 2 the line of hierarchy 0. Both may be there;
 * the memory controller is in one of them. Empty: it is in none. */
struct cgroup_place {
    struct str v1, v2;
};
struct cgroup_place cgroup_place_of(struct str proc_cgroup);
/* What the files of one cgroup say. */
struct cgroup_text {
    struct str limit;  /* memory.max, memory.limit_in_bytes */
    struct str peak;   /* memory.peak, memory.max_usage_in_bytes */
    struct str events; /* memory.events, memory.oom_control */
    struct str high;   /* memory.high, of version 2 */
};
struct cgroup_state {
    int64_t limit_bytes; /* 0: none */
    int64_t peak_bytes;  /* 0: not known */
    int64_t oom_kills;   /* -1: not known */
    int64_t high_bytes;  /* above it the kernel slows a process down; 0: none */
};
struct cgroup_state cgroup_state_of(const struct cgroup_text *t);
void cgroup_read(struct machine_lines *m, const struct cgroup_state *s,
                 const char *origin);
/* "oom_kill" of such a text, or of /proc/vmstat; -1: it is not there. */
int64_t counter_of(struct str text, const char *name);

/* ---- versions.c: names in a site-packages folder, a line each ---- */
void versions_read(struct machine_lines *m, struct str names);

/* ---- environment.c: the variables that are read, and no others ---- */
struct variable {
    const char *name, *value;
};
extern const char *const environment_names[]; /* NULL-terminated */
void environment_read(struct machine_lines *m, const struct variable *at,
                      size_t count);

#endif
