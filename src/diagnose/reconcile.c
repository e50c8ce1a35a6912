/* reconcile.c: compares the model's arithmetic with the amounts in the log.
 *
 *     agrees      no remark; but if the start would succeed with another
 *                 release, that release is named
 *     explained   the setting that would explain the amounts, and that the log
 *                 does not show
 *     residual    the amount left over, and the models that would leave nothing
 *     no model    the bytes of a token, and the models that need that many
 *
 * Candidates come from the whole catalogue, those of the named model's family
 * first. Their number is given too, since many candidates prove little. They
 * are not used in arithmetic: the reader has to name the model.
 */
#include "diagnose/work.h"

#include "base/buf.h"
#include "base/limits.h"
#include "memory/span.h"

#define MODELS_NAMED 3

/* The amount in its unit: bytes of a request; blocks or tokens of a pool. */
static struct str quantity_written(struct diagnosis *d, enum fact_name quantity,
                                   int64_t n) {
    return quantity == FACT_kv_needed ? write_bytes(d->a, n)
                                      : write_count(d->a, n);
}

/* "kv_cache_dtype fp8, tensor_parallel 4" */
static struct str settings_written(struct diagnosis *d,
                                   const struct reconciliation *r) {
    struct buf b = buf_in(d->a, RECONCILE_TEXT_BYTES_MAX);
    for (size_t i = 0; i < r->setting_count; i++) {
        struct str value = fact_written(d->a, &r->setting[i], false);
        buf_printf(&b, "%s%s %.*s", i > 0 ? ", " : "",
                   fact_spelling(r->setting[i].name), STR_ARG(value));
    }
    return arena_str(d->a, buf_str(&b));
}

static struct note note_begin(struct diagnosis *d, const struct finding *f,
                              const char *key, struct str model) {
    const struct reconciliation *r = &f->reconciliation;
    return NOTE(key, model, quantity_written(d, r->quantity, r->computed.high),
                quantity_written(d, r->quantity, span_middle(r->printed)));
}

/* ---- other models ---- */

/* Models with the most aliases are the most common: they are named. */
static void model_add(struct diagnosis *d, struct finding *f,
                      const struct model **named, const struct model *m) {
    size_t at = f->models_like.count;
    f->models_like_count++;
    while (at > 0 && named[at - 1]->aliases.count < m->aliases.count)
        at--;
    if (at == MODELS_NAMED)
        return;
    f->models_like.count += f->models_like.count < MODELS_NAMED;
    for (size_t i = f->models_like.count; i > at + 1; i--)
        named[i - 1] = named[i - 2];
    named[at] = m;
    f->models_like.at = arena_array(d->a, MODELS_NAMED,
                                    sizeof *f->models_like.at);
    for (size_t i = 0; i < f->models_like.count; i++)
        f->models_like.at[i] = named[i]->id;
}

/* in_family: models of that family; else all other models. */
static void find_models(struct diagnosis *d, struct finding *f,
                        const struct inputs *c, struct str family,
                        bool in_family) {
    const struct model *named[MODELS_NAMED];
    struct inputs other = *c;
    for (size_t i = 0; i < reader_model_count(d->r); i++) {
        other.model = reader_model_numbered(d->r, (uint32_t)i);
        if (str_eq(other.model->family, family) == in_family &&
            other.model != c->model && memory_explains(d->a, &other))
            model_add(d, f, named, other.model);
    }
}

static struct str models_named(struct diagnosis *d, const struct finding *f) {
    struct buf b = buf_in(d->a, RECONCILE_TEXT_BYTES_MAX);
    for (size_t i = 0; i < f->models_like.count; i++)
        buf_printf(&b, "%s%.*s", i > 0 ? ", " : "",
                   STR_ARG(f->models_like.at[i]));
    size_t more = f->models_like_count - f->models_like.count;
    if (more > 0)
        buf_printf(&b, " (+%zu)", more);
    return arena_str(d->a, buf_str(&b));
}

static void remark_other_models(struct diagnosis *d, struct finding *f,
                                const struct inputs *c) {
    find_models(d, f, c, c->model->family, true);
    if (f->models_like_count == 0)
        find_models(d, f, c, c->model->family, false);
    if (f->models_like_count > 0)
        remark_add(d, f, NOTE("diagnose.remark.models_instead",
                              models_named(d, f)));
}

/* The log names no model: finds models by the bytes of a token. */
static void remark_token_models(struct diagnosis *d, struct finding *f,
                                const struct inputs *c) {
    const struct span *token = &f->reconciliation.per_token;
    if (!token->known || token->low <= 0)
        return;
    find_models(d, f, c, (struct str){NULL, 0}, false);
    struct str bytes = write_bytes(d->a, span_roundest(*token));
    remark_add(d, f, f->models_like_count > 0
                         ? NOTE("diagnose.remark.token_models", bytes,
                                models_named(d, f))
                         : NOTE("diagnose.remark.token", bytes));
}

/* ---- the remark ---- */

static void remark_model(struct diagnosis *d, struct finding *f,
                         const struct inputs *c) {
    const struct reconciliation *r = &f->reconciliation;
    bool is_need = r->quantity == FACT_kv_needed;
    struct note n;
    switch (r->outcome) {
    case RECONCILE_UNKNOWN:
    case RECONCILE_AGREES: return;
    case RECONCILE_EXPLAINED:
        n = note_begin(d, f, is_need ? "diagnose.remark.explained"
                                     : "diagnose.remark.pool_explained",
                       c->model->id);
        note_add(&n, settings_written(d, r));
        remark_add(d, f, n);
        return;
    case RECONCILE_RESIDUAL:
        n = note_begin(d, f, is_need ? "diagnose.remark.residual"
                                     : "diagnose.remark.pool_residual",
                       c->model->id);
        note_add(&n, quantity_written(d, r->quantity,
                                      span_middle(r->residual)));
        remark_add(d, f, n);
        remark_other_models(d, f, c);
        return;
    }
}

void catalogue_reconcile(struct diagnosis *d, struct finding *f,
                         const struct inputs *c) {
    if (!memory_can_check_model(c))
        return;
    f->reconciliation = memory_reconcile(d->a, c);
    struct release_step step;
    if (f->reconciliation.outcome == RECONCILE_AGREES &&
        !c->model_is_guess && memory_release_turn(d->a, c, &step)) {
        struct release_step *kept = arena_alloc(d->a, sizeof *kept);
        *kept = step;
        f->turn = kept;
    }
    if (c->model)
        remark_model(d, f, c);
    else
        remark_token_models(d, f, c);
}
