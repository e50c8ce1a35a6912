/* remark_rules.c: remarks on the numbers of one failure, as a table. A row has
 * a predicate over the facts of the failure and the release of PyTorch, and the
 * numbers that the remark shows. Of one family the first remark that is true is
 * made. Numbers that contradict each other get none. kb/causes.yaml has the
 * same limits as evidence.
 */
#include "diagnose/work.h"

/* Sums of rounded amounts are off by less than this. */
#define SLACK "2147483648"
/* Held by PyTorch's allocator and not in use. */
#define UNUSED                                                                 \
    "coalesce(pytorch_unallocated, CASE WHEN pytorch_reserved >= "             \
    "pytorch_allocated THEN pytorch_reserved - pytorch_allocated END)"
#define HELD "(pytorch_allocated + coalesce(" UNUSED ", 0))"
#define FEW "67108864"
/* Percent of the GPU, rounded. AT_LEAST() compares tenths of a percent. */
#define PERCENT(bytes) "((" bytes ") * 1000 / gpu_total + 5) / 10"
#define AT_LEAST(bytes, tenths) bytes " * 1000 >= " tenths " * gpu_total"
/* A framework that prints what it holds. */
#define SIZED "tried_alloc > 0 AND gpu_total > 0 AND pytorch_allocated >= 0"
#define LISTED "(process_in_use + coalesce(other_in_use, 0))"
/* A context and NCCL need less than 10 %, up to 800 MiB less than 15 %. */
#define OUTSIDE                                                                \
    SIZED " AND outside_framework < gpu_total AND "                            \
    AT_LEAST("outside_framework", "CASE WHEN outside_framework > 838860800 "   \
             "THEN 95 ELSE 145 END")
/* The part of it that this process holds. */
#define OUTSIDE_OWN "process_in_use - pytorch_allocated - " UNUSED
#define OTHERS "min(outside_framework, coalesce(other_in_use, " \
               "outside_framework))"
/* The number of requests that the allocated memory equals within 1 %. */
#define COPIES "(pytorch_allocated + tried_alloc / 2) / tried_alloc"
#define IS_COPIED                                                              \
    SIZED " AND " AT_LEAST("tried_alloc", "45") " AND abs(pytorch_allocated "  \
    "- " COPIES " * tried_alloc) <= tried_alloc / 100 AND " COPIES
/* kSmallBuffer and kLargeBuffer of c10/cuda/CUDACachingAllocator: the blocks
 * that it requests from the driver for tensors of up to 1 MiB, and of up to 10
 * MiB. */
#define BLOCK_SMALL "tried_alloc = 2097152"
#define BLOCK_LARGE "tried_alloc = 20971520"

enum family { ALONE, SUMS, PIECES, OUTSIDE_OF, COPIED, OWN, SCOPE, FAMILIES };

static const struct remark_rule {
    const char *key; /* behind "diagnose.remark." */
    enum family family;
    enum fact_name of; /* without this fact it cannot be true: most messages
                          have few of them, and no predicate is read in vain */
    const char *component; /* only of entries of it; NULL: of any */
    const char *when;
    const char *amounts[3]; /* arguments of the text: bytes */
    const char *number;     /* and one behind them; NULL: none */
} rules[] = {
    {"hidden", SUMS, FACT_process_in_use, NULL,
     "gpu_total - gpu_free - " LISTED " > " SLACK,
     {"gpu_total - gpu_free - " LISTED, "gpu_total - gpu_free"}, NULL},
    {"too_much", SUMS, FACT_process_in_use, NULL,
     LISTED " - gpu_total + gpu_free > " SLACK,
     {LISTED, "gpu_total - gpu_free"}, NULL},
    /* Nothing of this process can be fragmented. */
    {"free_empty", ALONE, FACT_gpu_free, NULL,
     "gpu_free >= tried_alloc AND memory_limit IS NULL AND "
     HELD " < " FEW,
     {"gpu_free", "tried_alloc"}, NULL},
    {"free_yet", ALONE, FACT_gpu_free, NULL,
     "gpu_free >= tried_alloc AND memory_limit IS NULL AND "
     "coalesce(" HELD " >= " FEW ", TRUE)",
     {"gpu_free", "tried_alloc"}, NULL},
    /* XLA prints the parts of a compiled program's memory. */
    {"program", ALONE, FACT_compute_bytes, NULL,
     "compute_bytes > 0 AND program_temp >= 0 AND "
     "program_arguments >= 0",
     {"compute_bytes", "program_temp", "program_arguments"}, NULL},
    /* The size of a block proves nothing about fragments. */
    {"block_small", PIECES, FACT_pytorch_allocated, "pytorch",
     SIZED " AND " BLOCK_SMALL,
     {"tried_alloc", "tried_alloc / 2"}, NULL},
    {"block_large", PIECES, FACT_pytorch_allocated, "pytorch",
     SIZED " AND " BLOCK_LARGE,
     {"tried_alloc", "tried_alloc / 20", "tried_alloc / 2"}, NULL},
    {"unused", PIECES, FACT_pytorch_allocated, NULL,
     SIZED " AND " AT_LEAST(UNUSED, "35")
     " AND " UNUSED " / 4 >= tried_alloc",
     {UNUSED, "tried_alloc"}, NULL},
    /* Unless every release with this form of the message lacks segments. */
    {"segments", PIECES, FACT_pytorch_allocated, NULL,
     SIZED " AND " AT_LEAST(UNUSED, "35")
     " AND gpu_free + " UNUSED " >= tried_alloc AND gpu_free < tried_alloc "
     "AND coalesce(oom_words NOT IN ('bare', 'cached', 'reserved'), TRUE) "
     "AND coalesce(vcmp(torch_version, CASE WHEN device_kind = 'hip' THEN "
     "'2.11.0' ELSE '2.1.0' END) >= 0, TRUE)",
     {"gpu_free + " UNUSED, "tried_alloc"}, NULL},
    {"outside_own", OUTSIDE_OF, FACT_outside_framework, NULL,
     OUTSIDE " AND " OUTSIDE_OWN " >= outside_framework / 100 * 70",
     {"outside_framework"}, PERCENT("outside_framework")},
    {"outside_others", OUTSIDE_OF, FACT_outside_framework, NULL,
     OUTSIDE " AND " OUTSIDE_OWN " <= outside_framework / 100 * 30",
     {OTHERS}, PERCENT(OTHERS)},
    {"outside", OUTSIDE_OF, FACT_outside_framework, NULL,
     OUTSIDE, {"outside_framework"},
     PERCENT("outside_framework")},
    /* Without the cache and the process, the owner of the rest is unknown. */
    {"beside", ALONE, FACT_pytorch_allocated, NULL,
     SIZED " AND " UNUSED " IS NULL AND "
     "process_in_use IS NULL AND "
     AT_LEAST("(gpu_total - gpu_free - pytorch_allocated)", "245"),
     {"gpu_total - gpu_free - pytorch_allocated"},
     PERCENT("gpu_total - gpu_free - pytorch_allocated")},
    {"copy", COPIED, FACT_pytorch_allocated, NULL,
     IS_COPIED " = 1", {"tried_alloc"}, NULL},
    {"copies", COPIED, FACT_pytorch_allocated, NULL,
     IS_COPIED " IN (2, 3, 4)", {NULL}, COPIES},
    {"one_tensor", ALONE, FACT_pytorch_allocated, NULL,
     SIZED " AND " AT_LEAST("tried_alloc", "195")
     " AND coalesce(stage, '') <> 'optimizer'",
     {"tried_alloc"}, PERCENT("tried_alloc")},
    /* A small request on a full GPU: the step lacks more than this. The GPU of
     * a server with an allocated pool is meant to be full. */
    {"small", ALONE, FACT_pytorch_allocated, NULL,
     SIZED " AND tried_alloc > gpu_free AND "
     "tried_alloc - gpu_free < gpu_total / 100 AND "
     AT_LEAST("pytorch_allocated", "845")
     " AND pytorch_allocated * 1000 < 1005 * gpu_total AND "
     "coalesce(stage, '') NOT IN ('serve', 'capture', 'wake')",
     {NULL}, PERCENT("pytorch_allocated")},
    /* A person describes the failure: there is no message with numbers. */
    {"told", ALONE, FACT_oom_words, NULL, "oom_words = 'told'", {NULL}, NULL},
    {"limit", ALONE, FACT_memory_limit, NULL, "memory_limit < gpu_total",
     {"memory_limit", "gpu_total"}, NULL},
    {"own_among", OWN, FACT_own_process_listed, NULL,
     "own_process_listed = 1 AND other_in_use >= 0 AND "
     "process_in_use >= 0",
     {"process_in_use"}, NULL},
    {"own_listed", OWN, FACT_own_process_listed, NULL,
     "own_process_listed = 1 AND process_in_use >= 0",
     {"process_in_use"}, NULL},
    /* The kernel's message has the scope: a limit or the machine. */
    {"memcg_full", SCOPE, FACT_oom_scope, NULL,
     "oom_scope = 'memcg'", {NULL}, NULL},
    {"machine_full", SCOPE, FACT_oom_scope, NULL,
     "oom_scope = 'machine'", {NULL}, NULL},
};

static struct note remark_of(struct diagnosis *d,
                             const struct remark_rule *rule,
                             const struct fact_list *facts) {
    struct note n = note_of(
        arena_printf(d->a, "diagnose.remark.%s", rule->key).p);
    for (size_t i = 0; i < 3 && rule->amounts[i] != NULL; i++)
        note_add(&n, write_bytes(d->a, reader_value(d->r, rule->amounts[i],
                                                    facts)));
    if (rule->number != NULL)
        note_add(&n, write_count(d->a, reader_value(d->r, rule->number,
                                                    facts)));
    return n;
}

void remarks_by_rules(struct diagnosis *d, struct finding *f) {
    const struct fact *torch = facts_last(&d->context, FACT_torch_version);
    struct fact_list facts = fact_list_copy(d->a, &f->facts, 1);
    if (torch != NULL)
        facts_add(d->a, &facts, torch);
    bool is_made[FAMILIES] = {false};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct remark_rule *rule = &rules[i];
        bool is_its = rule->component == NULL ||
                      str_eq(f->entry->component, str_of(rule->component));
        bool is_of_host = f->entry->mechanism == MECHANISM_host_ram &&
                          rule->of == FACT_gpu_free;
        if (!is_its || is_of_host || (rule->family != ALONE && is_made[rule->family]) ||
            facts_last(&facts, rule->of) == NULL ||
            when_truth(d, str_of(rule->when), &facts, f->form).truth !=
                TRUTH_TRUE)
            continue;
        remark_add(d, f, remark_of(d, rule, &facts));
        is_made[rule->family] = true;
    }
}
