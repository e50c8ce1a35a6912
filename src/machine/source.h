/* source.h: parsers for the output of tools and files of a machine. There is
 * one file for each source. Each parses text, so that tests can use the output
 * of other machines. A line is a fact in the form of oomkb_options.machine. */
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

/* Add a fact. owner: "gpu 0, pid 7", or "". An empty value adds nothing.
 * Control characters become blanks. */
void machine_add(struct machine_lines *m, enum fact_name name,
                 const char *owner, struct str value, const char *origin);
/* Add a line; the pointer is kept. */
void machine_add_line(struct machine_lines *m, const char *line);
void machine_add_bytes(struct machine_lines *m, enum fact_name name,
                       const char *owner, int64_t bytes, const char *origin);
/* Take the next line of text, without its newline. False: there is none. */
bool line_next(struct str *text, struct str *line);

/* ---- nvidia_smi.c ----
 * gpus: --query-gpu=index,uuid,name,memory.total,memory.used,memory.free,
 * driver_version,mig.mode.current --format=csv; processes:
 * --query-compute-apps=gpu_uuid,pid,used_memory --format=csv; mig: without
 * options, whose second table has the slices. Columns are found by their
 * titles. visible: CUDA_VISIBLE_DEVICES; p is NULL if it is not set.
 * host_total, host_free: for a card without memory of its own; 0: not known. */
struct nvidia_text {
    struct str gpus, processes, visible, mig;
    int64_t host_total, host_free;
};
void nvidia_smi_read(struct machine_lines *m, const struct nvidia_text *t);

/* ---- amdgpu_sysfs.c: files in the device folder of one card ---- */
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
/* A line such as "MemTotal" in bytes; 0: there is none. */
int64_t meminfo_bytes(struct str meminfo, const char *name);

/* ---- cgroup.c ----
 * The cgroup of a process from /proc/PID/cgroup: of version 1 the line of the
 * memory controller, of version 2 the line of hierarchy 0. There may be both;
 * the memory controller is in one of them. Empty: no such line. */
struct cgroup_place {
    struct str v1, v2;
};
struct cgroup_place cgroup_place_of(struct str proc_cgroup);
/* The files of one cgroup. */
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
    int64_t high_bytes;  /* above it the kernel throttles; 0: none */
};
struct cgroup_origins { /* names of the files that were read */
    const char *limit, *peak, *events;
};
struct cgroup_state cgroup_state_of(const struct cgroup_text *t);
void cgroup_read(struct machine_lines *m, const struct cgroup_state *s,
                 const struct cgroup_origins *from);
/* The counter "oom_kill" of memory.events or /proc/vmstat; -1: none. */
int64_t oom_kills_of(struct str text);

/* ---- versions.c: names in a site-packages folder, one per line ---- */
void versions_read(struct machine_lines *m, struct str names);

/* ---- environment.c: only these variables are read ---- */
struct variable {
    const char *name, *value;
};
extern const char *const environment_names[]; /* NULL-terminated */
void environment_read(struct machine_lines *m, const struct variable *at,
                      size_t count);

#endif
