/* reader.c: the cache of one report, and short lookups.
 *
 * Records are read at the first use, into the report's arena, and cached: their
 * addresses stay valid. A connection is opened for a search only (search.c).
 * Damage is raised.
 */
#include "index/read.h"

struct reader *reader_new(const struct index *ix, struct arena *a) {
    struct reader *r = arena_alloc(a, sizeof *r);
    r->ix = ix;
    r->arena = a;
    return r;
}

/* ---- records ---- */

static size_t chain_of(enum section section, uint32_t number) {
    return ((size_t)number + (size_t)section * 7) % CACHE_CHAINS;
}

struct record reader_record(struct reader *r, enum section section,
                            uint32_t number) {
    struct part p = reader_part(r, section, number);
    return pack_record(&p.ix->pack, r->arena, section, p.number);
}

void *reader_get(struct reader *r, enum section section, uint32_t number,
                 record_reader *read, const struct shape *shape, size_t size) {
    struct cached **chain = &r->cache[chain_of(section, number)];
    struct cached *c = *chain;
    while (c != NULL && (c->number != number || c->section != section))
        c = c->next;
    if (c != NULL)
        return c->what;
    struct part p = reader_part(r, section, number);
    struct record record =
        pack_record(&p.ix->pack, r->arena, section, p.number);
    void *what = arena_alloc(r->arena, size);
    read(&record, &p, shape, what);
    record_end(&record);
    c = arena_alloc(r->arena, sizeof *c);
    *c = (struct cached){*chain, section, number, what};
    *chain = c;
    return what;
}

static void read_noun(struct record *record, const struct part *p,
                      const struct shape *shape, void *out) {
    (void)p;
    codec_shape(record, shape, out);
}

void *reader_noun(struct reader *r, enum section section, uint32_t number,
                  const struct shape *shape) {
    return reader_get(r, section, number, read_noun, shape, shape->size);
}

static struct found_id *found_place(struct reader *r, enum section section,
                                    struct str id) {
    size_t last = id.n > 0 ? (unsigned char)id.p[id.n - 1] : 0;
    return &r->found[(last * 5 + id.n * 3 + (size_t)section) % FOUND_PLACES];
}

void *reader_noun_by_id(struct reader *r, enum section section, struct str id,
                        const struct shape *shape) {
    struct found_id *f = found_place(r, section, id);
    uint32_t number;
    if (f->id.n > 0 && f->section == section && str_eq(f->id, id))
        return reader_noun(r, section, f->number, shape);
    if (!pack_find(&r->ix->pack, r->arena, section, id, &number))
        return NULL;
    struct record record =
        pack_record(&r->ix->pack, r->arena, section, number);
    *f = (struct found_id){section, {NULL, 0}, number};
    record_str(&record, &f->id); /* the index's own: it stays */
    return reader_noun(r, section, number, shape);
}

/* The record of that key, positioned behind it; false: there is none. */
static bool find_keyed(const struct index *ix, struct arena *a,
                       enum section section, struct str key,
                       struct record *record) {
    uint32_t number;
    bool is_found = pack_find(&ix->pack, a, section, key, &number);
    if (is_found) {
        *record = pack_record(&ix->pack, a, section, number);
        record_str(record, &key);
    }
    return is_found;
}

/* Ids of entries are looked up in all indexes, other names in the first. */
bool reader_number(struct reader *r, enum section section, struct str name,
                   uint32_t *number) {
    struct record record;
    uint32_t before = 0;
    const struct index *ix = r->ix;
    while (!find_keyed(ix, r->arena, section, name, &record)) {
        before += ix->pack.sections[SECTION_ENTRY].count;
        ix = section == SECTION_ENTRY_ID ? ix->next : NULL;
        if (ix == NULL)
            return false;
    }
    record_number(&record, number);
    record_end(&record);
    *number += before;
    return true;
}

/* ---- patterns ---- */

static void read_pattern(struct record *record, const struct part *part,
                         const struct shape *shape, void *out) {
    struct pattern *p = out;
    (void)shape;
    codec_pattern(record, p);
    p->id = part->patterns + part->number;
    p->owner += part->entries;
}

const struct pattern *reader_pattern(struct reader *r, uint32_t id) {
    return reader_get(r, SECTION_PATTERN, id, read_pattern, NULL,
                      sizeof(struct pattern));
}

/* The common beginning of compiled patterns. Only the built-in index has
 * compiled patterns. */
static struct str code_head(struct reader *r, const struct pack *pack) {
    if (r->code_head.n == 0) {
        uint32_t last = pack->sections[SECTION_CODE].count - 1;
        struct record record = pack_record(pack, r->arena, SECTION_CODE, last);
        record_str(&record, &r->code_head);
    }
    return r->code_head;
}

bool reader_code(struct reader *r, uint32_t id, size_t which,
                 struct serialized *code) {
    struct part p = reader_part(r, SECTION_PATTERN, id);
    if (!p.ix->pack.is_builtin)
        return false;
    struct record record =
        pack_record(&p.ix->pack, r->arena, SECTION_CODE, p.number);
    struct str_list list;
    record_strings(&record, &list);
    if (which >= list.count)
        return false;
    *code = (struct serialized){code_head(r, &p.ix->pack), list.at[which]};
    return true;
}

/* ---- words and counts ---- */

struct str reader_message(struct reader *r, enum lang lang, struct str key) {
    struct record record;
    struct text text = {{{NULL, 0}, {NULL, 0}}};
    if (find_keyed(r->ix, r->arena, SECTION_MESSAGE, key, &record))
        record_text(&record, &text);
    return text.in[lang];
}

struct pooled reader_pooled(struct reader *r, enum mechanism m,
                            const struct workaround *fix) {
    struct record record;
    struct pooled pooled = {0, 0};
    if (find_keyed(r->ix, r->arena, SECTION_POOLED,
                   pack_pooled_key(r->arena, (int)m, fix), &record)) {
        record_count(&record, &pooled.worked);
        record_count(&record, &pooled.tried);
    }
    return pooled;
}
