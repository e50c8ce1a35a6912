/* machine.c: what a caller says of the machine at hand, line by line. */
#include "api/handles.h"

struct machine_list machine_lines(struct arena *a, const char *const *lines) {
    size_t count = 0;
    while (lines[count] != NULL)
        count++;
    struct machine_fact *at = arena_array(a, count, sizeof *at);
    for (size_t i = 0; i < count; i++) {
        struct str why = {NULL, 0};
        struct str line = arena_str(a, str_of(lines[i]));
        if (!machine_fact_read(a, line, &at[i], &why))
            arena_raise(a, FAIL_USAGE, "%.*s", STR_ARG(why));
    }
    return (struct machine_list){at, count};
}
