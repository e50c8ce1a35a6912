/* fix_check.c: is there such a fix? Who mistyped an id learns the nearest
 * ones: of entries a few, of the fixes of one entry all that have room. Who
 * asks for an entry or a component gets the same answer. */
#include "api/handles.h"
#include "base/near.h"

#define NAMED_MOST 3

/* How far is what was typed from this id, or from its last part alone? Of two
 * that are as near, that of the component that was typed. */
static size_t distance_to(struct str typed, struct str id) {
    struct str slug, typed_slug;
    str_cut(id, '/', &slug);
    size_t whole = near_distance(typed, id);
    bool is_slug = str_cut(typed, '/', &typed_slug).n == typed.n;
    size_t part =
        near_distance(is_slug ? typed : typed_slug, slug) + !is_slug;
    return part < whole ? part : whole;
}

/* Within reach and the nearest that was not named yet. */
static const struct entry *nearest(struct reader *r, struct str typed,
                                   size_t *beyond, uint32_t *after) {
    struct number_list all = reader_entries_of(r, (struct str){NULL, 0});
    const struct entry *best = NULL;
    size_t least = near_enough(typed) + 1;
    size_t floor = *beyond;
    uint32_t last = *after;
    for (size_t i = 0; i < all.count; i++) {
        const struct entry *e = reader_entry(r, all.at[i]);
        size_t d = distance_to(typed, e->id);
        bool was_named = d < floor || (d == floor && i < last);
        if (!was_named && d < least) {
            best = e;
            least = d;
            *beyond = d;
            *after = (uint32_t)i + 1;
        }
    }
    return best;
}

void refuse_entry(struct arena *a, struct reader *r, struct str entry) {
    struct buf b;
    size_t beyond = 0;
    uint32_t after = 0;
    buf_init_in(&b, a, 4096);
    for (int i = 0; i < NAMED_MOST; i++) {
        const struct entry *e = nearest(r, entry, &beyond, &after);
        if (e == NULL) {
            break;
        }
        buf_printf(&b, "%s%.*s", i > 0 ? ", " : "", STR_ARG(e->id));
    }
    struct str near = buf_str(&b);
    arena_raise(a, FAIL_USAGE, "no entry '%.*s': %s%.*s",
                (int)(entry.n < 80 ? entry.n : 80), entry.p,
                near.n > 0 ? "near it are "
                           : "`oomkb list` names them, for example "
                             "vllm/kv-cache-too-small",
                STR_ARG(near));
}

/* Components are written small: "VLLM" is near, too. */
void refuse_component(struct arena *a, struct reader *r, struct str name) {
    struct str typed = arena_lower(a, name);
    struct number_list all = reader_entries_of(r, (struct str){NULL, 0});
    struct str best = STR("vllm, pytorch");
    size_t least = near_enough(name) + 1;
    bool is_near = false;
    for (size_t i = 0; i < all.count; i++) {
        struct str component = reader_entry(r, all.at[i])->component;
        size_t d = near_distance(typed, component);
        if (d < least) {
            best = component;
            least = d;
            is_near = true;
        }
    }
    arena_raise(a, FAIL_USAGE, "no component '%.*s': %s %.*s",
                (int)(name.n < 80 ? name.n : 80), name.p,
                is_near ? "the nearest is" : "they look like", STR_ARG(best));
}

void fix_check(struct arena *a, const struct oomkb *kb, struct str entry,
               struct str fix) {
    struct reader *r = reader_new(kb->index, a);
    const struct entry *e = reader_entry_by_id(r, entry, NULL);
    struct buf b;
    if (e == NULL) {
        refuse_entry(a, r, entry);
    }
    buf_init_in(&b, a, 4096);
    for (size_t i = 0; i < e->workaround_count; i++) {
        if (str_eq(e->workarounds[i].id, fix)) {
            return;
        }
        buf_printf(&b, "%s%.*s", i > 0 ? ", " : "",
                   STR_ARG(e->workarounds[i].id));
    }
    struct str has = buf_str(&b);
    arena_raise(a, FAIL_USAGE, "no fix '%.*s' in %.*s; it has %.*s",
                (int)(fix.n < 60 ? fix.n : 60), fix.p, STR_ARG(e->id),
                STR_ARG(has));
}
