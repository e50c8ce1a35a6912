/* device.h: the vendor's tools for each kind of device: the command that lists
 * devices and their memory, the command that lists processes on them, and the
 * variable that selects devices. Templates of entries name them {gpu_list},
 * {gpu_processes} and {gpu_choose}. */
#ifndef CORPUS_DEVICE_H
#define CORPUS_DEVICE_H

#include "base/str.h"

enum device_tool { TOOL_list, TOOL_processes, TOOL_choose, TOOL_COUNT_OF };

/* kind: a value of the fact device_kind, or "jetson"; an unknown or empty one is
 * CUDA. The result is empty if the device has no such tool. */
struct str device_tool(struct str kind, enum device_tool which);
/* name: "gpu_list", "gpu_processes" or "gpu_choose". */
bool device_tool_named(struct str name, enum device_tool *out);

#endif
