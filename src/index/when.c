/* when.c: predicates over facts, evaluated by SQLite as expressions.
 *
 *     gpu_free < 0.5 * gpu_total AND vcmp(engine_version, '0.9.1') >= 0
 *
 *     SELECT (?1 < 0.5 * ?2 AND vcmp(?3, '0.9.1') >= 0)
 *
 * The text comes from the corpus, not from a log; all the same nothing but an
 * expression gets through. predicate.c has let pass only words it knows, and
 * has put parameters in the places of facts; an authorizer here refuses
 * whatever else SQLite would do with them. The
 * connection is this file's own, empty, and never sees the index.
 *
 * Bytes, tokens, blocks and counts are INTEGER, ratios and seconds REAL,
 * booleans 0 or 1, the rest TEXT; what is not known is NULL. Ranges of printed
 * decimals are not considered here.
 */
#include <sqlite3.h>
#include <string.h>

#include "base/buf.h"
#include "corpus/version.h"
#include "index/predicate.h"
#include "index/read.h"

struct prepared {
    struct prepared *next;
    struct str predicate;
    sqlite3_stmt *statement;
    enum fact_name facts[PREDICATE_FACTS_MAX];
    size_t fact_count;
};

struct when {
    struct arena *arena;
    sqlite3 *db;
    struct prepared *known;
};

static int authorize(void *ctx, int action, const char *first,
                     const char *second, const char *database,
                     const char *trigger) {
    (void)ctx;
    (void)first;
    (void)database;
    (void)trigger;
    if (action == SQLITE_SELECT) {
        return SQLITE_OK;
    }
    bool is_known = action == SQLITE_FUNCTION &&
                    (predicate_has_function(str_of(second)) ||
                     str_eq(str_of(second), STR("same")) ||
                     str_eq(str_of(second), STR("like")));
    return is_known ? SQLITE_OK : SQLITE_DENY;
}

static struct str value_text(sqlite3_value *value) {
    if (sqlite3_value_type(value) == SQLITE_NULL) {
        return (struct str){NULL, 0};
    }
    const char *p = (const char *)sqlite3_value_text(value);
    return (struct str){p, p ? (size_t)sqlite3_value_bytes(value) : 0};
}

static void vcmp(sqlite3_context *ctx, int count, sqlite3_value **values) {
    int order;
    (void)count;
    if (version_compare(value_text(values[0]), value_text(values[1]),
                        &order)) {
        sqlite3_result_int(ctx, (order > 0) - (order < 0));
    } else {
        sqlite3_result_null(ctx);
    }
}

/* predicate.h says what for. */
static void same(sqlite3_context *ctx, int count, sqlite3_value **values) {
    (void)count;
    sqlite3_result_value(ctx, values[0]);
}

static void check(struct when *w, int rc) {
    if (rc == SQLITE_NOMEM || w->db == NULL) {
        arena_raise(w->arena, FAIL_MEMORY, "out of memory for a predicate");
    }
    if (rc != SQLITE_OK) {
        arena_raise(w->arena, FAIL_INDEX, "a predicate cannot be read: %s",
                    sqlite3_errmsg(w->db));
    }
}

static void release(void *arg) {
    struct when *w = arg;
    for (struct prepared *p = w->known; p; p = p->next) {
        sqlite3_finalize(p->statement);
    }
    sqlite3_close_v2(w->db);
    w->known = NULL;
    w->db = NULL;
}

struct when *when_new(struct arena *a) {
    const int function = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    struct when *w = arena_alloc(a, sizeof *w);
    w->arena = a;
    arena_defer(a, release, w);
    check(w, sqlite3_open_v2(":memory:", &w->db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                 SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY,
                             NULL));
    check(w, sqlite3_create_function_v2(w->db, "vcmp", 2, function, NULL, vcmp,
                                        NULL, NULL, NULL));
    check(w, sqlite3_create_function_v2(w->db, "same", 1,
                                        SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                                        same, NULL, NULL, NULL));
    sqlite3_limit(w->db, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(w->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200);
    check(w, sqlite3_set_authorizer(w->db, authorize, NULL));
    return w;
}

/* NULL and *why when SQLite does not take it. */
static struct prepared *prepare(struct when *w, struct str predicate,
                                struct str *why) {
    struct buf sql;
    buf_init_in(&sql, w->arena, (size_t)4 * PREDICATE_MAX_BYTES);
    buf_add(&sql, STR("SELECT (\n"));
    struct predicate words = predicate_read(predicate, &sql);
    buf_add(&sql, STR("\n)"));
    if (words.why != NULL) {
        *why = arena_printf(w->arena, "%s: \"%.*s\"", words.why,
                            (int)(words.where.n < 60 ? words.where.n : 60),
                            words.where.p);
        return NULL;
    }
    if (!buf_ok(&sql)) {
        arena_raise(w->arena, FAIL_MEMORY, "out of memory for a predicate");
    }
    struct prepared *p = arena_alloc(w->arena, sizeof *p);
    p->predicate = arena_str(w->arena, predicate);
    p->fact_count = words.fact_count;
    memcpy(p->facts, words.facts, sizeof p->facts);
    int rc = sqlite3_prepare_v3(w->db, sql.p, (int)sql.n,
                                SQLITE_PREPARE_PERSISTENT, &p->statement, NULL);
    if (rc == SQLITE_NOMEM) {
        check(w, rc);
    }
    if (rc != SQLITE_OK) {
        *why = arena_printf(w->arena, "not an expression: %s",
                            sqlite3_errmsg(w->db));
        return NULL;
    }
    p->next = w->known;
    w->known = p;
    return p;
}

/* ---- values ---- */

static int bind_number(sqlite3_stmt *statement, int at, enum fact_name name,
                       int64_t number) {
    switch (fact_unit(name)) {
    case UNIT_RATIO:
    case UNIT_SECONDS: /* SQL's 0.9, not arithmetic of ours */
        return sqlite3_bind_double(statement, at,
                                   (double)number / (double)UNITS_MICRO);
    case UNIT_BYTES:
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT:
    case UNIT_BOOL:
    case UNIT_TEXT:
    case UNIT_VERSION:
        break;
    }
    return sqlite3_bind_int64(statement, at, number);
}

static int bind_fact(sqlite3_stmt *statement, int at, const struct fact *f) {
    enum unit unit = fact_unit(f->name);
    if (unit == UNIT_TEXT || unit == UNIT_VERSION) {
        return sqlite3_bind_text64(statement, at, f->word.n ? f->word.p : "",
                                   f->word.n, SQLITE_STATIC, SQLITE_UTF8);
    }
    return bind_number(statement, at, f->name, f->number);
}

/* Memory of all foreign processes; false: none is known, or beyond 64 bits. */
static bool sum_of(const struct fact_list *facts, enum fact_name name,
                   struct fact *sum) {
    bool is_known = false;
    *sum = (struct fact){.name = name, .known = true};
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->at[i].name != name || !facts->at[i].known) {
            continue;
        }
        is_known = true;
        if (!add_i64(sum->number, facts->at[i].number, &sum->number)) {
            return false;
        }
    }
    return is_known;
}

static const struct fact *value_of(const struct fact_list *facts,
                                   enum fact_name name, struct fact *room) {
    if (name == FACT_other_in_use) {
        return sum_of(facts, name, room) ? room : NULL;
    }
    return facts_last(facts, name);
}

/* Binds all; names the facts, those that are not known first. */
static void bind_all(struct when *w, struct prepared *p,
                     const struct fact_list *facts, struct verdict_when *v) {
    bool is_known[PREDICATE_FACTS_MAX] = {false};
    for (size_t i = 0; i < p->fact_count; i++) {
        struct fact room;
        const struct fact *f = value_of(facts, p->facts[i], &room);
        is_known[i] = f != NULL;
        if (f != NULL) {
            check(w, bind_fact(p->statement, (int)i + 1, f));
        } else {
            v->names[v->name_count++] = p->facts[i];
        }
    }
    for (size_t i = 0; i < p->fact_count; i++) {
        if (is_known[i]) {
            v->names[v->name_count++] = p->facts[i];
        }
    }
}

/* An overflow (abs of the least integer) says nothing: unknown, as NULL. */
static enum truth run(struct when *w, sqlite3_stmt *statement) {
    enum truth truth = TRUTH_UNKNOWN;
    int rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW &&
        sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        truth = sqlite3_column_double(statement, 0) != 0.0 ? TRUTH_TRUE
                                                           : TRUTH_FALSE;
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (rc == SQLITE_NOMEM) {
        check(w, rc);
    }
    return truth;
}

struct verdict_when when_evaluate(struct when *w, struct str predicate,
                                  const struct fact_list *facts) {
    struct verdict_when verdict = {.truth = TRUTH_UNKNOWN};
    struct prepared *p = w->known;
    while (p != NULL && !str_eq(p->predicate, predicate)) {
        p = p->next;
    }
    if (p == NULL) {
        struct str why;
        p = prepare(w, predicate, &why);
        if (p == NULL) {
            arena_raise(w->arena, FAIL_INDEX, "a predicate is damaged: %.*s",
                        STR_ARG(why));
        }
    }
    bind_all(w, p, facts, &verdict);
    verdict.truth = run(w, p->statement);
    return verdict;
}

bool when_valid(struct arena *a, struct str predicate, struct str *why) {
    struct when *w = when_new(a);
    bool is_valid = prepare(w, predicate, why) != NULL;
    release(w); /* a build asks for thousands */
    return is_valid;
}
