/* check_typed.c: numbers that a fix types where the log has the value.
 *
 *     acts_on: {flag: --max-num-seqs, change: down}
 *     command: --max-num-seqs 16                  wrong where 8 is in force
 *     command: --max-num-seqs {max_num_seqs|16}   16 where nothing is known
 *
 * Only settings that a table of kb/engines/ reads as a fact are asked. They are
 * counted, and told of once.
 */
#include "author/build.h"

static bool is_flag_of(const struct flag *f, struct str name) {
    bool is_one = str_eq(f->flag, name);
    for (size_t i = 0; i < f->aliases.count; i++)
        is_one = is_one || str_eq(f->aliases.at[i], name);
    return is_one;
}

static bool reads(const struct engine *e, struct str name) {
    for (size_t i = 0; i < e->flag_count; i++)
        if (is_flag_of(&e->flags[i], name))
            return true;
    return false;
}

/* Does the engine, or what runs in every log, read that flag as a fact? Of no
 * engine: does any? */
static bool is_read(const struct build *d, struct str component,
                    struct str name) {
    for (size_t i = 0; i < d->made[MADE_ENGINE].count; i++) {
        const struct engine *e = d->made[MADE_ENGINE].at[i].what;
        bool is_asked = component.n == 0 || e->is_everywhere ||
                        str_eq(e->id, component) ||
                        str_eq(e->id, STR("pytorch"));
        if (is_asked && reads(e, name))
            return true;
    }
    return false;
}

/* A bare number stands behind the flag: no slot, no "128g", no "768,768". */
static bool is_typed(struct str command, struct str name) {
    size_t at = str_find(command, name) + name.n, end = at + 1;
    while (end < command.n && ((command.p[end] >= '0' && command.p[end] <= '9')
                               || command.p[end] == '.'))
        end++;
    return end > at + 1 && (command.p[at] == ' ' || command.p[at] == '=')
           && (end == command.n || command.p[end] == ' ');
}

static size_t count_of(const struct build *d, struct str component,
                       const struct workaround *w) {
    const struct acts_on *a = &w->acts_on;
    bool is_moved = a->change == CHANGE_up || a->change == CHANGE_down;
    return a->flag.n > 0 && is_moved && is_typed(w->command, a->flag) &&
           is_read(d, component, a->flag);
}

void check_typed(struct build *d) {
    size_t count = 0;
    const struct made *first = NULL;
    for (size_t i = 0; i < d->made[MADE_ENTRY].count; i++) {
        const struct made *m = &d->made[MADE_ENTRY].at[i];
        const struct entry *e = made_entry(m);
        for (size_t k = 0; k < e->workaround_count; k++) {
            size_t here = count_of(d, e->component, &e->workarounds[k]);
            count += here;
            first = here > 0 && first == NULL ? m : first;
        }
    }
    if (count > 0)
        complain(&d->c, first->src, (struct place){0}, CODE_typed_number,
                 "numbers typed where the value in force is a fact "
                 "(write {fact|16}): %zu, the first ones here", count);
}
