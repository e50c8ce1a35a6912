/* A libnvidia-ml.so.1 for tests: one card, one process on it, by the names and
 * signatures of NVML's API reference. FAKE_NVML=hang: nothing ever returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Found by dlsym(): no header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

struct memory {
    unsigned long long total, free, used;
};
struct process {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};

int nvmlInit_v2(void) {
    const char *how = getenv("FAKE_NVML");
    while (how != NULL && strcmp(how, "hang") == 0)
        sleep(60);
    return how != NULL && strcmp(how, "fail") == 0 ? 9 : 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned n) {
    snprintf(text, n, "550.54.15");
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *n) {
    *n = 1;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **card) {
    static int only;
    *card = &only;
    return i == 0 ? 0 : 2;
}

int nvmlDeviceGetName(void *card, char *text, unsigned n) {
    snprintf(text, n, "NVIDIA GeForce RTX 3090");
    return card == NULL;
}

int nvmlDeviceGetUUID(void *card, char *text, unsigned n) {
    snprintf(text, n, "GPU-7");
    return card == NULL;
}

int nvmlDeviceGetMemoryInfo(void *card, struct memory *m) {
    *m = (struct memory){24576ull << 20, 20480ull << 20, 4096ull << 20};
    return card == NULL;
}

int nvmlDeviceGetMigMode(void *card, unsigned *now, unsigned *then) {
    *now = *then = 0;
    return card != NULL ? 3 : 0; /* not supported */
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *card, unsigned *n,
                                            struct process *out) {
    out[0] = (struct process){4711, 3000ull << 20, 0, 0};
    *n = 1;
    return card == NULL;
}
