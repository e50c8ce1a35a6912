/* write.c: a corpus as the bytes of a database and of the pack behind it.
 *
 * The pack is all that a log is read with, so it comes first, and the words that
 * are searched for may be written while others read it. The database is made in
 * memory and serialized by sqlite3_serialize(), with a
 * fixed page size, a fixed order of rows, and nothing of the clock or of this
 * machine, so the same corpus and the same SQLite make the same bytes. SQLite
 * reads as many pages as its header has and ignores the pack behind them. The
 * digest is of the bound values, so it does not depend on the version of
 * SQLite. The corpus compiler refuses what cannot be stored (two entries of one
 * id); here it raises FAIL_INDEX.
 */
#include "index/write.h"

#include <string.h>

#include "index/tables.h"

#define QUOTE(x) #x
#define SPELLED(x) QUOTE(x)

/* The sums of reader_pooled(): workarounds of a mechanism that are the same
 * fix, reports and measured only. */
static const char create_pooled[] =
    "CREATE TABLE pooled AS SELECT e.mechanism, w.use, "
    "iif(w.use = '', w.acts_on_flag, '') AS flag, iif(w.use = '' AND "
    "w.acts_on_flag <> '', w.acts_on_change, 'none') AS change, "
    "iif(w.use = '' AND w.acts_on_flag = '', w.acts_on_kind, 'none') AS kind, "
    "sum(w.success_worked) AS worked, sum(w.success_tried) AS tried "
    "FROM entry_workarounds AS w JOIN entry AS e USING (number) "
    "WHERE w.success_basis IN ('reports', 'measured') AND "
    "(w.use <> '' OR w.acts_on_flag <> '' OR w.acts_on_kind <> 'none') "
    "GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5";

/* ---- nouns ---- */

static void write_nouns(struct writer *w, const char *name,
                        const struct shape *shape, const void *nouns,
                        size_t count) {
    struct table *t = table_new(w->db, name, shape);
    for (size_t i = 0; i < count; i++)
        table_write(t, i, (const char *)nouns + i * shape->size);
}

static void write_ranking(struct writer *w, const struct ranking *ranking) {
    struct number numbers[RANKING_COUNT_OF];
    for (int i = 0; i < RANKING_COUNT_OF; i++)
        numbers[i] = (struct number){
            str_of(ranking_spelling((enum ranking_number)i)),
            ranking->micro[i], ranking->origin[i]};
    write_nouns(w, "ranking", &shape_number, numbers, RANKING_COUNT_OF);
}

static void write_messages(struct writer *w, const struct corpus *c) {
    static const struct field fields[] = {
        {.key = "id", .at = offsetof(struct message, key), .type = FIELD_LINE,
         .doc = "as i18n/ nests its keys"},
        {.key = "text", .at = offsetof(struct message, text),
         .type = FIELD_TEXT},
        {0}};
    static const struct shape shape = {"message", "", fields,
                                       sizeof(struct message)};
    write_nouns(w, "message", &shape, c->messages, c->message_count);
}

static void write_meta(struct writer *w, const char *digest, size_t entries,
                       size_t patterns) {
    struct statement *insert = arena_alloc(w->db->arena, sizeof *insert);
    db_run(w->db, "CREATE TABLE meta (digest TEXT NOT NULL, entry_count "
                  "INTEGER NOT NULL, pattern_count INTEGER NOT NULL) STRICT");
    insert->sql = "INSERT INTO meta VALUES(?,?,?)";
    struct row row = row_of(w->db, insert);
    row_bind_text(&row, str_of(digest));
    row_bind_int(&row, (int64_t)entries);
    row_bind_int(&row, (int64_t)patterns);
    row_write(&row);
}

static void free_bytes(void *bytes) { sqlite3_free(bytes); }

static struct str serialized(struct db *db) {
    sqlite3_int64 n = 0;
    unsigned char *bytes = sqlite3_serialize(db->handle, "main", &n, 0);
    if (bytes == NULL)
        arena_raise(db->arena, FAIL_MEMORY, "out of memory for the index");
    arena_defer(db->arena, free_bytes, bytes);
    return (struct str){(const char *)bytes, (size_t)n};
}

/* ---- the two steps ---- */

struct index_draft {
    struct arena own, *a; /* a: of the image, once there is one */
    const struct corpus *corpus;
    const struct pattern_list *set;
    struct str prefilter;
    struct writer w;
    char digest[DIGEST_HEX + 1]; /* of all bound values, in hex */
    struct str pack, image;
};

static void write_tables(struct index_draft *d) {
    const struct corpus *c = d->corpus;
    struct writer *w = &d->w;
    struct digest content;
    digest_init(&content);
    w->db->digest = &content;
    write_nouns(w, "entry", &shape_entry, c->entries, c->entry_count);
    write_nouns(w, "engine", &shape_engine, c->engines, c->engine_count);
    write_nouns(w, "model", &shape_model, c->models, c->model_count);
    write_nouns(w, "gpu", &shape_gpu, c->gpus, c->gpu_count);
    write_nouns(w, "cause", &shape_cause, c->causes, c->cause_count);
    write_nouns(w, "lint_rule", &shape_lint_rule, c->rules, c->rule_count);
    write_nouns(w, "program", &shape_program, c->programs, c->program_count);
    write_ranking(w, &c->ranking);
    write_nouns(w, "component", &shape_component, c->components,
                c->component_count);
    write_messages(w, c);
    w->db->digest = NULL;
    digest_hex(&content, d->digest);
    db_run(w->db, create_pooled);
}

static void begin(void *arg) {
    struct index_draft *d = arg;
    struct writer *w = &d->w;
    w->db = db_open(&d->own);
    w->pack = pack_begin(&d->own);
    db_run(w->db, "PRAGMA page_size = " SPELLED(DB_PAGE_BYTES));
    db_run(w->db, "PRAGMA application_id = " SPELLED(DB_APPLICATION_ID));
    db_run(w->db, "PRAGMA user_version = " SPELLED(INDEX_SCHEMA));
    db_run(w->db, "BEGIN");
    write_tables(d);
    write_pack(w, d->corpus, d->set);
    d->pack = pack_end(w->pack, d->prefilter, d->digest);
}

static void end(void *arg) {
    struct index_draft *d = arg;
    struct db *db = d->w.db;
    write_search(&d->w, d->corpus);
    write_meta(&d->w, d->digest, d->corpus->entry_count, d->set->count);
    db_run(db, "COMMIT");
    db_run(db, "VACUUM");
    struct str tables = serialized(db);
    db_close(db);
    d->image = pack_behind(d->a, tables, d->pack);
}

static void draft_end(void *arg) {
    arena_free(arg);
}

static void step(struct index_draft *d, struct arena *a, void (*which)(void *)) {
    struct fault fault;
    d->a = a;
    enum fail failed = arena_guard(&d->own, which, d, &fault);
    if (failed != FAIL_NONE)
        arena_raise(a, failed, "%s", fault.text);
}

struct index_draft *index_begin(struct arena *a, const struct corpus *c,
                                const struct pattern_list *set,
                                struct str prefilter) {
    struct index_draft *d = arena_alloc(a, sizeof *d);
    *d = (struct index_draft){.corpus = c, .set = set,
                              .prefilter = prefilter};
    arena_init(&d->own, a->from, a->ceiling_bytes);
    arena_defer(a, draft_end, &d->own);
    step(d, a, begin);
    return d;
}

struct str index_draft_pack(const struct index_draft *d) {
    return d->pack;
}

struct str index_end(struct index_draft *d, struct arena *a) {
    step(d, a, end);
    return d->image;
}

struct str index_write(struct arena *a, const struct corpus *c,
                       const struct pattern_list *set, struct str prefilter) {
    struct index_draft *d = index_begin(a, c, set, prefilter);
    struct str image = index_end(d, a);
    arena_free(&d->own);
    return image;
}
