/* versions.c: versions of installed packages from the names of dist-info
 * folders. Python is not started.
 *
 *     vllm-0.11.0.dist-info        the engine's version
 *     torch-2.8.0+cu128.dist-info  PyTorch's
 */
#include "machine/source.h"

#include <stdio.h>

static const struct {
    const char *package, *engine; /* engine: its id in the knowledge base */
} engines[] = {
    {"vllm", "vllm"},           {"sglang", "sglang"},
    {"lmdeploy", "lmdeploy"},   {"tensorrt_llm", "tensorrt-llm"},
    {"lightllm", "lightllm"},   {"transformers", "transformers"},
    {"deepspeed", "deepspeed"}, {"tensorflow", "tensorflow"},
    {"jax", "jax"},
};

static void add_version(struct machine_lines *m, struct str package,
                        struct str version) {
    char owner[64];
    struct str origin = arena_printf(m->a, "%.*s.dist-info", STR_ARG(package));
    if (str_eq(package, STR("torch")))
        machine_add(m, FACT_torch_version, "", version, origin.p);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (str_eq(package, str_of(engines[i].package))) {
            snprintf(owner, sizeof owner, "engine %s", engines[i].engine);
            machine_add(m, FACT_engine_version, owner, version, origin.p);
        }
    }
    if (str_starts(package, STR("nvidia_cuda_runtime_cu")))
        machine_add(m, FACT_cuda_version, "", version, origin.p);
}

void versions_read(struct machine_lines *m, struct str names) {
    struct str line;
    while (line_next(&names, &line)) {
        struct str version, package;
        if (!str_ends(line, STR(".dist-info")))
            continue;
        line.n -= sizeof ".dist-info" - 1;
        package = str_cut(line, '-', &version);
        add_version(m, package, version);
    }
}
