/* tools.h: the tools that an agent can call. mcp.c has the protocol. */
#ifndef SERVE_TOOLS_H
#define SERVE_TOOLS_H

#include <oomkb/oomkb.h>

#include "base/json.h"

/* Name, description, and JSON Schemas of arguments and result of each tool. */
struct json *tools_list(struct arena *a);

/* The result of a call: content, structuredContent, isError. NULL: there is no
 * tool of that name. */
struct json *tools_call(struct arena *a, oomkb *kb, struct str name,
                        struct json *arguments);

#endif
