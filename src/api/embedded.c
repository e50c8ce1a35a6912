/* embedded.c: the built-in index is between two symbols of embed.S. For
 * WebAssembly it is a file of its own, and js/bridge.c defines this
 * function. */
#include "api/handles.h"

extern const char oomkb_index_start[] __attribute__((visibility("hidden")));
extern const char oomkb_index_end[] __attribute__((visibility("hidden")));

struct str base_built_in(void) {
    return (struct str){oomkb_index_start,
                        (size_t)(oomkb_index_end - oomkb_index_start)};
}
