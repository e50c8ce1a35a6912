/* device.h: the maker's tools of each kind of device, once: what lists the
 * devices and their memory, what lists the processes on them, and the variable
 * that chooses one. A template of an entry names them as {gpu_list},
 * {gpu_processes} and {gpu_choose}. */
#ifndef CORPUS_DEVICE_H
#define CORPUS_DEVICE_H

#include "base/str.h"

enum device_tool { TOOL_list, TOOL_processes, TOOL_choose, TOOL_COUNT_OF };

/* kind: a value of the fact device_kind; empty: CUDA is taken. The result is
 * empty where the device has no such tool. */
struct str device_tool(struct str kind, enum device_tool which);
/* "gpu_list", "gpu_processes", "gpu_choose". */
bool device_tool_named(struct str name, enum device_tool *out);

#endif
