/* base.c: what oomkb_open...() opens: the built-in index, files, bytes, and
 * several of these as one. */
#include "api/handles.h"

/* The built-in one first, if it is there: what is no entry is the first's. */
static void open_one(struct opening *o, struct str image) {
    struct oomkb *kb = o->kb;
    struct arena *a = &kb->arena;
    bool is_own = image.p == base_built_in().p;
    size_t at = is_own ? 0 : kb->count;
    for (size_t i = kb->count; i > at; i--) {
        kb->each[i] = kb->each[i - 1];
        kb->kits[i] = kb->kits[i - 1];
    }
    kb->each[at] = is_own ? index_own(a, image) : index_open(a, image);
    kb->kits[at] = scan_kit_open(a, kb->each[at]);
    kb->count++;
}

void base_open(void *arg) {
    struct opening *o = arg;
    struct oomkb *kb = o->kb;
    struct arena *a = &kb->arena;
    kb->each = arena_array(a, o->count, sizeof *kb->each);
    kb->kits = arena_array(a, o->count, sizeof *kb->kits);
    for (size_t i = 0; i < o->count; i++) {
        o->path = o->paths != NULL ? o->paths[i] : NULL;
        open_one(o, o->path != NULL    ? index_file(a, o->path)
                    : o->paths != NULL ? base_built_in()
                                       : o->image);
    }
    o->path = NULL;
    kb->index = index_join(a, kb->each, kb->count);
    kb->digest = STR("");
    for (size_t i = 0; i < kb->count; i++) {
        struct str one = index_digest(kb->each[i]);
        kb->digest = arena_printf(a, "%.*s%s%.*s", STR_ARG(kb->digest),
                                  i > 0 ? "+" : "", STR_ARG(one));
    }
    kb->texts = texts_new(a, kb->index, &kb->from);
}
