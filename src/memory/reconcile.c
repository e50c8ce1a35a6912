/* reconcile.c: is the catalogue's model the one that printed these numbers?
 * If not, a setting that the log does not show may explain them: an fp8 cache,
 * another TP. Whatever is left over is named and not forced to fit. */
#include "memory/demand.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/kv_formula.h"
#include "memory/span.h"

#define RANKS_MAX 64

static bool explains(struct arena *a, const struct memory_case *c) {
    struct ways ways = ways_of(a, c);
    return ways.count > 0 && ways.agrees;
}

static bool set_dtype(struct arena *a, const struct memory_case *c,
                      struct reconciliation *r) {
    static const char *const dtypes[] = {"fp8", "bfloat16", "float32"};
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        struct memory_case other = *c;
        other.in[FACT_kv_cache_dtype] =
            propose_word(FACT_kv_cache_dtype, str_of(dtypes[i]));
        if (explains(a, &other)) {
            r->setting = other.in[FACT_kv_cache_dtype];
            return true;
        }
    }
    return false;
}

static bool set_tp(struct arena *a, const struct memory_case *c,
                   struct reconciliation *r) {
    for (int64_t tp = 1; tp <= RANKS_MAX; tp *= 2) {
        struct memory_case other = *c;
        other.in[FACT_tensor_parallel] = propose(FACT_tensor_parallel, tp);
        if (explains(a, &other)) {
            r->setting = other.in[FACT_tensor_parallel];
            return true;
        }
    }
    return false;
}

struct reconciliation memory_reconcile(struct arena *a,
                                       const struct memory_case *c) {
    struct reconciliation r = {.outcome = RECONCILE_UNKNOWN};
    struct ways ways = ways_of(a, c);
    const struct fact *length = &c->in[FACT_max_model_len];
    r.printed = span_of_fact(&c->in[FACT_kv_needed]);
    if (ways.count == 0 || !r.printed.known || !length->known) {
        return r;
    }
    r.computed = ways_request(&ways, length->number);
    r.residual = span_minus(r.printed, r.computed);
    if (!r.computed.known) {
        return r;
    }
    struct str text = write_request(a, &ways.at[0], length->number);
    struct str value =
        write_bytes(a, way_request(&ways.at[0], length->number).high);
    r.formula = arena_printf(a, "kv_needed = %.*s = %.*s", STR_ARG(text),
                             STR_ARG(value));
    if (ways.agrees) {
        r.outcome = RECONCILE_AGREES;
    } else if (set_dtype(a, c, &r) || set_tp(a, c, &r)) {
        r.outcome = RECONCILE_EXPLAINED;
    } else {
        r.outcome = RECONCILE_RESIDUAL;
    }
    return r;
}
