/* when.c: predicates over facts, evaluated by SQLite as expressions.
 *
 *     gpu_free < 0.5 * gpu_total AND vcmp(engine_version, '0.9.1') >= 0
 *
 *     SELECT (?1 < 0.5 * ?2 AND vcmp(?3, '0.9.1') >= 0)
 *
 * The text comes from the corpus, not from a log; even so, only expressions are
 * accepted. predicate.c allows only known tokens and replaces facts by
 * parameters; an authorizer here refuses every action of SQLite but the
 * evaluation. The connection belongs to this file, is empty, and never has the
 * index.
 *
 * Bytes, tokens, blocks and counts are INTEGER, ratios and seconds REAL,
 * booleans 0 or 1, the rest TEXT; unknown facts are NULL. The intervals of
 * printed decimals are not considered: `number` counts.
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
    if (action == SQLITE_SELECT)
        return SQLITE_OK;
    bool is_known = action == SQLITE_FUNCTION &&
                    (predicate_has_function(str_of(second)) ||
                     str_eq(str_of(second), STR("same")) ||
                     str_eq(str_of(second), STR("like")));
    return is_known ? SQLITE_OK : SQLITE_DENY;
}

static struct str value_text(sqlite3_value *value) {
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return (struct str){NULL, 0};
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

/* Returns its argument. See predicate_read(). */
static void same(sqlite3_context *ctx, int count, sqlite3_value **values) {
    (void)count;
    sqlite3_result_value(ctx, values[0]);
}

static void check(struct when *w, int rc) {
    if (rc == SQLITE_NOMEM || w->db == NULL)
        arena_raise(w->arena, FAIL_MEMORY, "out of memory for a predicate");
    if (rc != SQLITE_OK)
        arena_raise(w->arena, FAIL_INDEX, "a predicate cannot be read: %s",
                    sqlite3_errmsg(w->db));
}

static void release(void *arg) {
    struct when *w = arg;
    for (struct prepared *p = w->known; p; p = p->next)
        sqlite3_finalize(p->statement);
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

/* False and *why if a token is not allowed. */
static bool predicate_to_sql(struct arena *a, struct str predicate,
                             struct precomputed *f, struct str *why) {
    struct buf sql;
    buf_init_in(&sql, a, (size_t)4 * PREDICATE_BYTES_MAX);
    buf_add(&sql, STR("SELECT (\n"));
    struct predicate words = predicate_read(predicate, &sql);
    buf_add(&sql, STR("\n)"));
    if (words.why != NULL) {
        *why = arena_printf(a, "%s: \"%.*s\"", words.why,
                            (int)(words.where.n < 60 ? words.where.n : 60),
                            words.where.p);
        return false;
    }
    if (!buf_ok(&sql))
        arena_raise(a, FAIL_MEMORY, "out of memory for a predicate");
    *f = (struct precomputed){.fact_count = words.fact_count,
                           .sql = buf_str(&sql)};
    memcpy(f->facts, words.facts, sizeof f->facts);
    return true;
}

/* NULL and *why if SQLite does not accept it. */
static struct prepared *prepare(struct when *w, struct str predicate,
                                const struct precomputed *f, struct str *why) {
    struct prepared *p = arena_alloc(w->arena, sizeof *p);
    p->predicate = arena_str(w->arena, predicate);
    p->fact_count = f->fact_count;
    memcpy(p->facts, f->facts, sizeof p->facts);
    int rc = sqlite3_prepare_v3(w->db, f->sql.p, (int)f->sql.n,
                                SQLITE_PREPARE_PERSISTENT, &p->statement, NULL);
    if (rc == SQLITE_NOMEM)
        check(w, rc);
    if (rc != SQLITE_OK) {
        *why = arena_printf(w->arena, "not an expression: %s",
                            sqlite3_errmsg(w->db));
        return NULL;
    }
    p->next = w->known;
    w->known = p;
    return p;
}

static struct prepared *known(struct when *w, struct str predicate) {
    struct prepared *p = w->known;
    while (p != NULL && !str_eq(p->predicate, predicate))
        p = p->next;
    return p;
}

bool when_prepare(struct when *w, struct str predicate, struct precomputed *f) {
    struct str why;
    return predicate_to_sql(w->arena, predicate, f, &why) &&
           prepare(w, predicate, f, &why) != NULL;
}

/* ---- values ---- */

static int bind_number(sqlite3_stmt *statement, int at, enum fact_name name,
                       int64_t number) {
    switch (fact_unit(name)) {
    case UNIT_RATIO:
    case UNIT_SECONDS: /* doubles, since predicates have literals like 0.9 */
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
    if (unit == UNIT_TEXT || unit == UNIT_VERSION)
        return sqlite3_bind_text64(statement, at, f->word.n ? f->word.p : "",
                                   f->word.n, SQLITE_STATIC, SQLITE_UTF8);
    return bind_number(statement, at, f->name, f->number);
}

/* The sum of all facts of that name; false: none is known, or overflow. */
static bool sum_of(const struct fact_list *facts, enum fact_name name,
                   struct fact *sum) {
    bool is_known = false;
    *sum = (struct fact){.name = name, .known = true};
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->at[i].name != name || !facts->at[i].known)
            continue;
        is_known = true;
        if (!add_i64(sum->number, facts->at[i].number, &sum->number))
            return false;
    }
    return is_known;
}

const struct fact *when_value(const struct fact_list *facts,
                              enum fact_name name, struct fact *room) {
    if (name == FACT_other_in_use)
        return sum_of(facts, name, room) ? room : NULL;
    return facts_last(facts, name);
}

size_t when_list_facts(const struct fact_list *facts,
                       const enum fact_name *names, size_t count,
                       struct verdict_when *v) {
    enum fact_name known[PREDICATE_FACTS_MAX];
    size_t known_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct fact room;
        if (when_value(facts, names[i], &room) != NULL) {
            known[known_count++] = names[i];
        } else {
            v->names[v->name_count++] = names[i];
        }
    }
    memcpy(v->names + v->name_count, known, known_count * sizeof known[0]);
    v->name_count += known_count;
    return known_count;
}

static void bind_all(struct when *w, struct prepared *p,
                     const struct fact_list *facts) {
    for (size_t i = 0; i < p->fact_count; i++) {
        struct fact room;
        const struct fact *f = when_value(facts, p->facts[i], &room);
        if (f != NULL)
            check(w, bind_fact(p->statement, (int)i + 1, f));
    }
}

/* An error of the evaluation (abs of the least integer) is unknown, as NULL. */
static enum truth run(struct when *w, sqlite3_stmt *statement) {
    enum truth truth = TRUTH_UNKNOWN;
    int rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW &&
        sqlite3_column_type(statement, 0) != SQLITE_NULL)
        truth = sqlite3_column_double(statement, 0) != 0.0 ? TRUTH_TRUE
                                                           : TRUTH_FALSE;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (rc == SQLITE_NOMEM)
        check(w, rc);
    return truth;
}

static struct prepared *prepare_now(struct when *w, struct str predicate,
                                    const struct precomputed *f) {
    struct precomputed now;
    struct str why;
    struct prepared *p = NULL;
    if (f != NULL || predicate_to_sql(w->arena, predicate, &now, &why))
        p = prepare(w, predicate, f != NULL ? f : &now, &why);
    if (p == NULL)
        arena_raise(w->arena, FAIL_INDEX, "a predicate is damaged: %.*s",
                    STR_ARG(why));
    return p;
}

struct verdict_when when_evaluate(struct when *w, struct str predicate,
                                  const struct precomputed *f,
                                  const struct fact_list *facts) {
    struct verdict_when verdict = {.truth = TRUTH_UNKNOWN};
    struct prepared *p = known(w, predicate);
    p = p != NULL ? p : prepare_now(w, predicate, f);
    when_list_facts(facts, p->facts, p->fact_count, &verdict);
    bind_all(w, p, facts);
    verdict.truth = run(w, p->statement);
    return verdict;
}

bool when_valid(struct arena *a, struct str predicate, struct str *why) {
    struct when *w = when_new(a);
    struct precomputed f;
    bool is_valid = predicate_to_sql(a, predicate, &f, why) &&
                    prepare(w, predicate, &f, why) != NULL;
    release(w); /* a build checks thousands of predicates */
    return is_valid;
}
