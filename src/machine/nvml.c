/* nvml.c: the calls of libnvidia-ml.so.1 that nvidia-smi's tables are made of,
 * by their names and signatures in NVML's API reference
 * (https://docs.nvidia.com/deploy/nvml-api/). Nothing of it is linked. */
#include "machine/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "machine/tool.h"

#define MIB (1ull << 20)
#define NOT_TOLD (~0ull) /* NVML_VALUE_NOT_AVAILABLE */

typedef void *device;

struct memory {
    unsigned long long total, free, used;
};

struct process {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};

struct library {
    int (*init)(void);
    int (*driver)(char *text, unsigned n);
    int (*count)(unsigned *n);
    int (*card)(unsigned i, device *out);
    int (*name)(device card, char *text, unsigned n);
    int (*uuid)(device card, char *text, unsigned n);
    int (*memory)(device card, struct memory *out);
    int (*mig)(device card, unsigned *now, unsigned *then);
    int (*processes)(device card, unsigned *n, struct process *out);
};

/* POSIX lets a function be found so; ISO C has no cast for it. */
static void find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
}

static int load(struct library *l) {
    void *so = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (so == NULL)
        return 0;
    find(so, "nvmlInit_v2", &l->init);
    find(so, "nvmlSystemGetDriverVersion", &l->driver);
    find(so, "nvmlDeviceGetCount_v2", &l->count);
    find(so, "nvmlDeviceGetHandleByIndex_v2", &l->card);
    find(so, "nvmlDeviceGetName", &l->name);
    find(so, "nvmlDeviceGetUUID", &l->uuid);
    find(so, "nvmlDeviceGetMemoryInfo", &l->memory);
    find(so, "nvmlDeviceGetMigMode", &l->mig);
    find(so, "nvmlDeviceGetComputeRunningProcesses_v3", &l->processes);
    return l->init != NULL && l->count != NULL && l->card != NULL &&
           l->memory != NULL && l->init() == 0;
}

struct card {
    device handle;
    char name[NVML_NAME_BYTES_MAX], uuid[NVML_NAME_BYTES_MAX];
};

static void put_card(FILE *out, const struct library *l, unsigned i,
                     const struct card *c, const char *driver) {
    struct memory m = {0};
    unsigned now = 0, then = 0;
    int is_told = l->memory(c->handle, &m) == 0;
    int has_mig = l->mig != NULL && l->mig(c->handle, &now, &then) == 0;
    fprintf(out, "%u, %s, %s, ", i, c->uuid, c->name);
    if (is_told)
        fprintf(out, "%llu MiB, %llu MiB, %llu MiB", m.total / MIB,
                m.used / MIB, m.free / MIB);
    else
        fprintf(out, "[N/A], [N/A], [N/A]");
    fprintf(out, ", %s, %s\n", driver,
            !has_mig ? "[N/A]" : now ? "Enabled" : "Disabled");
}

static void put_processes(FILE *out, const struct library *l,
                          const struct card *c) {
    struct process at[CARD_PROCESSES_MAX];
    unsigned n = CARD_PROCESSES_MAX;
    if (l->processes == NULL || l->processes(c->handle, &n, at) != 0)
        return;
    for (unsigned i = 0; i < n && i < CARD_PROCESSES_MAX; i++) {
        fprintf(out, "%s, %u, ", c->uuid, at[i].pid);
        if (at[i].used == NOT_TOLD)
            fprintf(out, "[N/A]\n");
        else
            fprintf(out, "%llu MiB\n", at[i].used / MIB);
    }
}

static void put_all(FILE *out, const struct library *l) {
    static struct card cards[MACHINE_CARDS_MAX];
    char driver[NVML_NAME_BYTES_MAX] = "";
    unsigned count = 0;
    if (l->driver != NULL && l->driver(driver, sizeof driver) != 0)
        driver[0] = '\0';
    if (l->count(&count) != 0)
        return;
    count = count < MACHINE_CARDS_MAX ? count : MACHINE_CARDS_MAX;
    fprintf(out, "index, uuid, name, memory.total [MiB], memory.used [MiB], "
                 "memory.free [MiB], driver_version, mig.mode.current\n");
    for (unsigned i = 0; i < count; i++) {
        struct card *c = &cards[i];
        if (l->card(i, &c->handle) != 0)
            continue;
        if (l->name != NULL &&
            l->name(c->handle, c->name, NVML_NAME_BYTES_MAX) != 0)
            c->name[0] = '\0';
        if (l->uuid != NULL &&
            l->uuid(c->handle, c->uuid, NVML_NAME_BYTES_MAX) != 0)
            c->uuid[0] = '\0';
        put_card(out, l, i, c, driver);
    }
    fprintf(out, "\ngpu_uuid, pid, used_gpu_memory [MiB]\n");
    for (unsigned i = 0; i < count; i++)
        put_processes(out, l, &cards[i]);
}

static int tell(int out) {
    struct library l = {0};
    FILE *file = fdopen(out, "w");
    if (file == NULL || !load(&l))
        return 1;
    put_all(file, &l);
    return fclose(file);
}

size_t nvml_output(int limit_ms, char *room, size_t size) {
    return tool_output_of(tell, limit_ms, room, size);
}
