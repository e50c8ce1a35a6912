/* fix_check.c: is there such a fix? Who mistyped an id learns the nearest
 * ones: of entries a few, of the fixes of one entry all that have room. */
#include "api/handles.h"
#include "base/near.h"

#define NAMED_MOST 3

struct asking {
    struct arena arena;
    const struct oomkb *kb;
    struct str entry, fix;
};

/* How far is what was typed from this id, or from its last part alone? */
static size_t distance_to(struct str typed, struct str id) {
    struct str slug, typed_slug;
    str_cut(id, '/', &slug);
    size_t whole = near_distance(typed, id);
    bool is_slug = str_cut(typed, '/', &typed_slug).n == typed.n;
    size_t part = near_distance(is_slug ? typed : typed_slug, slug);
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

static void refuse_entry(struct asking *q, struct reader *r) {
    struct buf b;
    size_t beyond = 0;
    uint32_t after = 0;
    buf_init_in(&b, &q->arena, 4096);
    for (int i = 0; i < NAMED_MOST; i++) {
        const struct entry *e = nearest(r, q->entry, &beyond, &after);
        if (e == NULL) {
            break;
        }
        buf_printf(&b, "%s%.*s", i > 0 ? ", " : "", STR_ARG(e->id));
    }
    struct str near = buf_str(&b);
    arena_raise(&q->arena, FAIL_USAGE, "no entry '%.*s': %s%.*s",
                (int)(q->entry.n < 80 ? q->entry.n : 80), q->entry.p,
                near.n > 0 ? "near it are " : "`oomkb list` names them",
                STR_ARG(near));
}

static void ask(void *arg) {
    struct asking *q = arg;
    struct reader *r = reader_new(q->kb->index, &q->arena);
    uint32_t number = 0;
    const struct entry *e = reader_entry_by_id(r, q->entry, &number);
    if (e == NULL) {
        refuse_entry(q, r);
        return;
    }
    struct buf b;
    buf_init_in(&b, &q->arena, 4096);
    for (size_t i = 0; i < e->workaround_count; i++) {
        if (str_eq(e->workarounds[i].id, q->fix)) {
            return;
        }
        buf_printf(&b, "%s%.*s", i > 0 ? ", " : "",
                   STR_ARG(e->workarounds[i].id));
    }
    struct str has = buf_str(&b);
    arena_raise(&q->arena, FAIL_USAGE, "no fix '%.*s' in %.*s; it has %.*s",
                (int)(q->fix.n < 60 ? q->fix.n : 60), q->fix.p,
                STR_ARG(e->id), STR_ARG(has));
}

int oomkb_fix_check(const oomkb *kb, const char *entry, const char *fix,
                    oomkb_error *err) {
    if (kb == NULL || entry == NULL || fix == NULL) {
        return error_null(err, kb == NULL      ? "kb"
                               : entry == NULL ? "entry"
                                               : "fix");
    }
    struct asking q = {.kb = kb, .entry = str_of(entry), .fix = str_of(fix)};
    struct fault fault;
    arena_init(&q.arena, &kb->from, 0);
    enum fail raised = arena_guard(&q.arena, ask, &q, &fault);
    int code = error_of(err, raised, &fault);
    arena_free(&q.arena);
    return code;
}
