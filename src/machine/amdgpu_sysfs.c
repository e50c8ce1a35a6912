/* amdgpu_sysfs.c: AMD's cards from the files of their driver in sysfs:
 *
 *     /sys/class/drm/card0/device/mem_info_vram_total    274861129728
 *     /sys/class/drm/card0/device/mem_info_vram_used         13877248
 */
#include "machine/source.h"

#include <inttypes.h>
#include <stdio.h>

#define ORIGIN "amdgpu"

void amdgpu_read(struct machine_lines *m, const struct amdgpu_text *t) {
    int64_t total, used;
    char owner[32];
    snprintf(owner, sizeof owner, "gpu %" PRId64, t->gpu);
    if (!str_to_int(str_trim(t->vram_total), &total) || total <= 0)
        return;
    machine_add(m, FACT_gpu_name, owner, t->name, ORIGIN);
    machine_add_bytes(m, FACT_gpu_total, owner, total, ORIGIN);
    if (str_to_int(str_trim(t->vram_used), &used) && used >= 0 &&
        used <= total)
        machine_add_bytes(m, FACT_gpu_free, owner, total - used, ORIGIN);
}
