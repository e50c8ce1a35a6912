/* notes.c: makes notes. A note has a key and written arguments; its language is
 * chosen when it is rendered. */
#include "diagnose/work.h"

#include <inttypes.h>

struct note note_of(const char *key) {
    return (struct note){.key = key};
}

void note_add(struct note *n, struct str arg) {
    if (n->count < NOTE_ARGS)
        n->arg[n->count++] = arg;
}

void remark_add(struct diagnosis *d, struct finding *f, struct note n) {
    *ARENA_ADD(d->a, f->remarks, f->remark_count, f->remark_cap) = n;
}

struct str written_line(struct arena *a, uint32_t line) {
    return arena_printf(a, "%" PRIu32, line);
}

struct str fact_label(struct arena *a, enum fact_name name) {
    return fact_names(a, &name, 1);
}

struct str fact_names(struct arena *a, const enum fact_name *names,
                      size_t count) {
    struct buf b = buf_in(a, 1024);
    for (size_t i = 0; i < count; i++)
        buf_printf(&b, "%s" NOTE_FACT_FORMAT, i ? NOTE_AND_WORD : "",
                   fact_spelling(names[i]));
    return arena_str(a, buf_str(&b));
}

struct str facts_written(struct arena *a, const enum fact_name *names,
                         size_t count, const struct fact_list *facts) {
    struct buf b = buf_in(a, 16 * 1024);
    for (size_t i = 0; i < count; i++) {
        const struct fact *f = facts_last(facts, names[i]);
        if (f) {
            struct str value = fact_written(a, f, false);
            buf_printf(&b, "%s" NOTE_FACT_FORMAT " = %.*s",
                       b.n ? NOTE_AND_WORD : "", fact_spelling(names[i]),
                       STR_ARG(value));
        }
    }
    return arena_str(a, buf_str(&b));
}
