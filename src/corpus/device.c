/* device.c: the table of tools. Sources: nvidia-smi(1), the ROCm SMI guide,
 * tegrastats of Jetson Linux, Intel's XPU manager, Ascend's npu-smi, Habana's hl-smi, AWS Neuron's
 * tools. */
#include "corpus/device.h"

static const struct {
    const char *kind, *tool[TOOL_COUNT_OF];
} devices[] = {
    {"cuda",
     {"nvidia-smi --query-gpu=index,name,memory.total,memory.free --format=csv",
      "nvidia-smi --query-compute-apps=pid,process_name,used_memory "
      "--format=csv",
      "CUDA_VISIBLE_DEVICES"}},
    {"jetson",
     {"tegrastats", "sudo cat /sys/kernel/debug/nvmap/iovmm/clients",
      "CUDA_VISIBLE_DEVICES"}},
    {"hip",
     {"rocm-smi --showproductname --showmeminfo vram", "rocm-smi --showpids",
      "HIP_VISIBLE_DEVICES"}},
    {"npu", {"npu-smi info", "npu-smi info", "ASCEND_RT_VISIBLE_DEVICES"}},
    {"xpu", {"xpu-smi discovery", "xpu-smi ps", "ONEAPI_DEVICE_SELECTOR"}},
    {"sycl", {"xpu-smi discovery", "xpu-smi ps", "ONEAPI_DEVICE_SELECTOR"}},
    {"hpu", {"hl-smi", "hl-smi", "HABANA_VISIBLE_DEVICES"}},
    {"neuron", {"neuron-ls", "neuron-top", "NEURON_RT_VISIBLE_CORES"}},
    {"metal",
     {"system_profiler SPDisplaysDataType SPHardwareDataType",
      "top -l 1 -o mem -n 10", ""}},
    {"mps",
     {"system_profiler SPDisplaysDataType SPHardwareDataType",
      "top -l 1 -o mem -n 10", ""}},
    {"vulkan", {"vulkaninfo --summary", "", "GGML_VK_VISIBLE_DEVICES"}},
    {"tpu", {"", "", ""}},
    {"host", {"", "", ""}},
    {"other", {"", "", ""}},
};

static const char *const names[TOOL_COUNT_OF] = {"gpu_list", "gpu_processes",
                                                 "gpu_choose"};

struct str device_tool(struct str kind, enum device_tool which) {
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (str_eq_nocase(kind, str_of(devices[i].kind)))
            return str_of(devices[i].tool[which]);
    return str_of(devices[0].tool[which]);
}

bool device_tool_named(struct str name, enum device_tool *out) {
    for (int i = 0; i < TOOL_COUNT_OF; i++) {
        if (str_eq(name, str_of(names[i]))) {
            *out = (enum device_tool)i;
            return true;
        }
    }
    return false;
}
