/* lines.c: facts as lines of oomkb_options.machine. */
#include "machine/source.h"

#include <inttypes.h>

struct machine_lines machine_lines_new(struct arena *a) {
    return (struct machine_lines){.a = a,
                                  .at = arena_array(a, 1, sizeof(char *))};
}

void machine_add_line(struct machine_lines *m, const char *line) {
    m->at = arena_grow(m->a, m->at, m->count + 1, &m->cap, sizeof *m->at);
    m->at[m->count++] = line;
    m->at[m->count] = NULL;
}

void machine_add(struct machine_lines *m, enum fact_name name,
                 const char *owner, struct str value, const char *origin) {
    value = str_trim(value);
    if (value.n == 0)
        return;
    struct str line = arena_printf(
        m->a, "%s%s%s%s=%.*s\t%s", fact_spelling(name),
        owner[0] != '\0' ? "[" : "", owner, owner[0] != '\0' ? "]" : "",
        STR_ARG(value), origin);
    char *p = (char *)line.p;
    size_t tab = line.n - strlen(origin) - 1;
    for (size_t i = 0; i < line.n; i++) {
        bool is_text = (unsigned char)p[i] >= ' ' && p[i] != 0x7f;
        p[i] = is_text || i == tab ? p[i] : ' ';
    }
    machine_add_line(m, p);
}

void machine_add_bytes(struct machine_lines *m, enum fact_name name,
                       const char *owner, int64_t bytes, const char *origin) {
    machine_add(m, name, owner, arena_printf(m->a, "%" PRId64 " bytes", bytes),
                origin);
}

bool line_next(struct str *text, struct str *line) {
    if (text->n == 0)
        return false;
    *line = str_cut(*text, '\n', text);
    while (line->n > 0 && line->p[line->n - 1] == '\r')
        line->n--;
    return true;
}
