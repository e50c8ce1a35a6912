/* recode.c: the index with its patterns compiled by the PCRE2 of this module.
 * Compiled patterns depend on the width of pointers, so those that the native
 * program wrote cannot be used here, and a first log would have to compile two
 * hundred patterns. Called once, when the package is built (recode.mjs). */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "index/read.h"
#include "index/write.h"
#include "match/match.h"

struct recoding {
    struct arena *a;
    struct str image, made;
};

static struct pattern_list compiled(struct recoding *w,
                                    const struct index *ix) {
    struct reader *r = reader_new(ix, w->a);
    struct pattern_list set = {NULL, ix->pack.sections[SECTION_PATTERN].count};
    set.at = arena_array(w->a, set.count, sizeof *set.at);
    for (size_t i = 0; i < set.count; i++) {
        set.at[i] = *reader_pattern(r, (uint32_t)i);
        pattern_analyze(w->a, &set.at[i]);
    }
    return set;
}

/* Records are copied with their keys, so they keep their order. */
static void copy_section(struct recoding *w, const struct index *ix,
                         enum section section, struct pack_draft *draft) {
    for (uint32_t i = 0; i < ix->pack.sections[section].count; i++) {
        struct record from = pack_record(&ix->pack, w->a, section, i);
        buf_add(pack_add(draft, section)->out,
                (struct str){(const char *)from.at,
                             (size_t)(from.end - from.at)});
    }
}

static void recode(void *ctx) {
    struct recoding *w = ctx;
    const struct index *ix = index_open(w->a, w->image);
    struct pattern_list set = compiled(w, ix);
    struct pack_draft *draft = pack_begin(w->a);
    for (int section = 0; section < SECTION_COUNT_OF; section++) {
        if (section == SECTION_CODE)
            write_code(draft, &set);
        else
            copy_section(w, ix, (enum section)section, draft);
    }
    struct str pack = pack_end(draft, ix->pack.prefilter);
    char *all = arena_room(w->a, ix->tables.n + pack.n);
    memcpy(all, ix->tables.p, ix->tables.n);
    w->made = pack_put_behind(all, ix->tables.n, pack);
}

/* The new image, n bytes, for as long as the module lives; NULL: no memory, or
 * no index. */
EMSCRIPTEN_KEEPALIVE const char *js_recode(const char *image, size_t n,
                                           size_t *made) {
    static struct arena a; /* owns the result */
    static struct allocator from;
    from = standard_allocator;
    struct recoding w = {.a = &a, .image = {image, n}};
    struct fault fault;
    arena_init(&a, &from, 0);
    if (arena_guard(&a, recode, &w, &fault) != FAIL_NONE)
        return NULL;
    *made = w.made.n;
    return w.made.p;
}
