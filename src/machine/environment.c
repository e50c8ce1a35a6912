/* environment.c: facts from environment variables of a scheduler or a user.
 * Only the names of this list are read, since other variables may hold tokens.
 *
 *     SLURM_MEM_PER_NODE=65536    limit of the job in MiB
 *     PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
 */
#include "machine/source.h"

const char *const environment_names[] = {
    "SLURM_JOB_ID",  "SLURM_MEM_PER_NODE", "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF", "POD_NAME", NULL};

static void add(struct machine_lines *m, const struct variable *v) {
    struct str name = str_of(v->name), value = str_of(v->value);
    if (str_eq(name, STR("SLURM_JOB_ID"))) {
        machine_add(m, FACT_job_id, "", value, v->name);
    } else if (str_eq(name, STR("SLURM_MEM_PER_NODE"))) {
        int64_t mib;
        if (str_to_int(value, &mib) && mib > 0)
            machine_add(m, FACT_host_limit, "",
                        arena_printf(m->a, "%s MiB", v->value), v->name);
    } else if (str_eq(name, STR("POD_NAME"))) {
        machine_add(m, FACT_pod, "", value, v->name);
    } else if (str_find(value, STR("expandable_segments:True")) < value.n) {
        machine_add(m, FACT_expandable_segments, "", STR("true"), v->name);
    }
}

void environment_read(struct machine_lines *m, const struct variable *at,
                      size_t count) {
    for (size_t i = 0; i < count; i++)
        if (at[i].value != NULL)
            add(m, &at[i]);
}
