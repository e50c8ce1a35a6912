/* inverse.c: the questions asked the other way round: how long, on how many
 * cards. Each is the edge of a verdict: one step further and memory_effect()
 * says no. */
#include "base/limits.h"
#include "memory/budget.h"
#include "memory/demand.h"
#include "memory/effect.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/weights.h"

#define LONGEST (INT64_C(1) << 40)

struct span memory_longest_request(struct arena *a, const struct inputs *c) {
    struct demand d = demand_of(a, c);
    struct span pool = pool_bytes(c, &d);
    if (!d.known || !pool.known) {
        return span_none();
    }
    int64_t ceiling = d.by_model ? LONGEST : d.line.tokens;
    struct span longest = demand_tokens(&d, span_at_least(pool, 0), ceiling);
    int64_t block = d.block_tokens > 0 ? d.block_tokens : 1;
    if (longest.known && longest.low < ceiling) {
        longest.low -= longest.low % block;
    }
    if (longest.known && longest.high < ceiling) {
        longest.high -= longest.high % block;
    }
    return longest;
}

struct span memory_least_tensor_parallel(struct arena *a,
                                         const struct inputs *c) {
    struct inputs alone = *c;
    alone.in[FACT_kv_needed].known = false; /* of another TP */
    alone.in[FACT_kv_available].known = false;
    alone.in[FACT_est_max_model_len].known = false;
    struct demand d = demand_of(a, &alone);
    int64_t now = setting_of(c, FACT_tensor_parallel, 1);
    struct span least = span_none();
    for (int64_t tp = 1; d.by_model && tp <= FIT_RANKS_MAX; tp *= 2) {
        struct demand split =
            demand_split(a, &d, FACT_tensor_parallel, now, tp);
        struct span held = span_plus(
            weights_with_tp(c, tp),
            demand_bytes(&split, setting_of(c, FACT_max_model_len, 1)));
        enum verdict v =
            span_fits(span_plus(held, workspace_bytes(c)), requested_bytes(c));
        if (c->model->heads > 0 && c->model->heads % tp != 0) {
            continue;
        }
        if (v != VERDICT_NOT_ENOUGH && !least.known) {
            least = span_of(tp, FIT_RANKS_MAX);
        }
        if (v == VERDICT_ENOUGH) {
            return span_of(least.low, tp);
        }
    }
    return least;
}
