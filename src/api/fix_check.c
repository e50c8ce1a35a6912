/* fix_check.c: is there such a fix? Who mistyped an id learns the nearest
 * ones: of entries a few, of the fixes of one entry all that have room. Who
 * asks for an entry or a component gets the same answer. */
#include "api/handles.h"
#include "base/near.h"

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

void refuse_entry(struct arena *a, struct reader *r, struct str entry) {
    struct number_list all = reader_entries_of(r, (struct str){NULL, 0});
    struct near near = {.count = 0};
    for (size_t i = 0; i < all.count; i++) {
        struct str id = reader_entry(r, all.at[i])->id;
        size_t d = distance_to(entry, id);
        if (d <= near_enough(entry))
            near_offer(&near, id, d);
    }
    struct str names = near_names(a, &near);
    arena_raise(a, FAIL_USAGE, "no entry '%.*s': %s%.*s%s",
                (int)(entry.n < 80 ? entry.n : 80), entry.p,
                near.count > 0 ? "did you mean "
                               : "`oomkb list` names them, for example "
                                 "vllm/kv-cache-too-small",
                STR_ARG(names), near.count > 0 ? "?" : "");
}

/* Components are written small: "VLLM" is near, too. */
void refuse_component(struct arena *a, struct reader *r, struct str name) {
    struct str typed = arena_lower(a, name);
    struct number_list all = reader_entries_of(r, (struct str){NULL, 0});
    struct near near = {.count = 0};
    for (size_t i = 0; i < all.count; i++) {
        struct str component = reader_entry(r, all.at[i])->component;
        size_t d = near_distance(typed, component);
        if (d <= near_enough(name))
            near_offer(&near, component, d);
    }
    struct str names = near_names(a, &near);
    arena_raise(a, FAIL_USAGE, "no component '%.*s': %s%.*s%s",
                (int)(name.n < 80 ? name.n : 80), name.p,
                near.count > 0 ? "did you mean "
                               : "`oomkb list components` names them",
                STR_ARG(names), near.count > 0 ? "?" : "");
}

void fix_check(struct arena *a, const struct oomkb *kb, struct str entry,
               struct str fix) {
    struct reader *r = reader_new(kb->index, a);
    const struct entry *e = reader_entry_by_id(r, entry, NULL);
    struct buf b;
    if (e == NULL)
        refuse_entry(a, r, entry);
    buf_init_in(&b, a, 4096);
    for (size_t i = 0; i < e->workaround_count; i++) {
        if (str_eq(e->workarounds[i].id, fix))
            return;
        buf_printf(&b, "%s%.*s", i > 0 ? ", " : "",
                   STR_ARG(e->workarounds[i].id));
    }
    if (reader_has_lever(r, fix))
        return;
    struct str has = buf_str(&b);
    arena_raise(a, FAIL_USAGE, "no fix '%.*s' in %.*s; it has %.*s",
                (int)(fix.n < 60 ? fix.n : 60), fix.p, STR_ARG(e->id),
                STR_ARG(has));
}
