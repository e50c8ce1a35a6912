/* nvml.h: NVIDIA's library, where its tool is not installed (containers). */
#ifndef MACHINE_NVML_H
#define MACHINE_NVML_H

#include <stddef.h>

/* What nvidia-smi would print for --query-gpu and --query-compute-apps, an
 * empty line between them, as source.h names the columns. Loaded in a process
 * of its own, which is killed after limit_ms: a driver that hangs hangs its
 * library. The length; 0: there is no library, or it failed. */
size_t nvml_output(int limit_ms, char *room, size_t size);

#endif
