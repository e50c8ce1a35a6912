/* text_numbers.c: the one sentence with the numbers: what was asked for, what
 * was there, and the line that says so. A table of sentences, each with the
 * facts it needs; the first one whose facts are all known is said. */
#include "render/page.h"

#define FACTS_MAX 4
#define GENERIC_FACTS 4
#define VALUE_COLUMNS 48

struct sentence {
    const char *key;
    enum fact_name needs[FACTS_MAX];
    size_t count;
};

#define SENTENCE(key, ...) \
    {key, {__VA_ARGS__}, \
     sizeof((enum fact_name[]){__VA_ARGS__}) / sizeof(enum fact_name)}

/* {0}.. are the facts in this order, the line comes last. */
static const struct sentence sentences[] = {
    SENTENCE("numbers.kv_request", FACT_kv_needed, FACT_kv_available,
             FACT_max_model_len),
    SENTENCE("numbers.kv", FACT_kv_needed, FACT_kv_available),
    SENTENCE("numbers.kv_tokens", FACT_kv_tokens, FACT_max_model_len),
    SENTENCE("numbers.swa_tokens", FACT_tried_tokens,
             FACT_swa_available_tokens, FACT_available_tokens),
    SENTENCE("numbers.tokens", FACT_tried_tokens, FACT_available_tokens),
    SENTENCE("numbers.pool", FACT_pool_needed, FACT_pool_available),
    SENTENCE("numbers.alloc_limit", FACT_requested_bytes, FACT_alloc_limit),
    SENTENCE("numbers.shm", FACT_shm_requested, FACT_shm_limit),
    SENTENCE("numbers.smem", FACT_smem_required, FACT_smem_limit),
    SENTENCE("numbers.alloc_limit", FACT_tried_alloc, FACT_alloc_limit),
    SENTENCE("numbers.alloc", FACT_tried_alloc, FACT_gpu_free,
             FACT_gpu_total),
    SENTENCE("numbers.alloc_free", FACT_tried_alloc, FACT_gpu_free),
    SENTENCE("numbers.alloc_capped", FACT_tried_alloc, FACT_memory_limit,
             FACT_pytorch_allocated),
    SENTENCE("numbers.tried", FACT_tried_alloc),
    SENTENCE("numbers.host_request", FACT_requested_bytes, FACT_host_free),
    SENTENCE("numbers.tokens_alone", FACT_tried_tokens),
    SENTENCE("numbers.host_limit", FACT_host_used, FACT_memory_limit),
    SENTENCE("numbers.host_killed", FACT_process_name, FACT_host_rss),
    SENTENCE("numbers.memory_limit", FACT_memory_limit),
};

/* What is known of a name: the message's own, else what is in force. */
static const struct fact *known_fact(const struct report *rep,
                                     const struct finding *f,
                                     enum fact_name name) {
    const struct fact *own = facts_last(&f->facts, name);
    if (own == NULL || !own->known) {
        own = facts_last(&rep->context, name);
    }
    return own != NULL && own->known ? own : NULL;
}

/* "(line 12)", empty where no fact has a line. */
static struct str where(const struct teller *t, uint32_t line) {
    if (line == 0) {
        return (struct str){NULL, 0};
    }
    struct str number = shown_number(t, UNIT_COUNT, line);
    return said_with(t, "numbers.where", &number, 1);
}

static bool say_sentence(const struct teller *t, const struct report *rep,
                         const struct finding *f, const struct sentence *s,
                         struct str *out) {
    struct str args[FACTS_MAX + 1];
    uint32_t line = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct fact *fact = i == 0
                                      ? facts_last(&f->facts, s->needs[0])
                                      : known_fact(rep, f, s->needs[i]);
        if (fact == NULL || !fact->known) {
            return false;
        }
        args[i] = shown_short(t, shown_fact(t, fact), VALUE_COLUMNS);
        line = line == 0 ? fact->line : line;
    }
    args[s->count] = where(t, line);
    *out = said_with(t, s->key, args, s->count + 1);
    return true;
}

/* What was wanted at start is a product: the share of the whole card. */
static struct str at_start(const struct teller *t, const struct report *rep,
                           const struct finding *f) {
    const struct fact *free_ = known_fact(rep, f, FACT_gpu_free);
    const struct fact *total = known_fact(rep, f, FACT_gpu_total);
    const struct fact *share =
        known_fact(rep, f, FACT_gpu_memory_utilization);
    int64_t wanted = 0;
    bool is_known = free_ != NULL && total != NULL && share != NULL &&
                    mul_div_floor(total->number, share->number, UNITS_MICRO,
                                  &wanted);
    if (!is_known) {
        return (struct str){NULL, 0};
    }
    const struct fact *printed = facts_last(&f->facts, FACT_requested_bytes);
    if (printed != NULL && printed->known) {
        wanted = printed->number; /* not one reckoned beside it */
    }
    struct str args[] = {shown_number(t, UNIT_BYTES, wanted),
                         shown_fact(t, share), shown_fact(t, total),
                         shown_fact(t, free_), where(t, free_->line)};
    return said_with(t, "numbers.at_start_wanted", args, 5);
}

/* A wake-up says no size: what sleep gave back has to be free again. */
static struct str at_wake(const struct teller *t, const struct report *rep,
                          const struct finding *f) {
    const struct fact *stage = facts_last(&f->facts, FACT_stage);
    const struct fact *freed = known_fact(rep, f, FACT_sleep_freed);
    if (stage == NULL || !str_eq(stage->word, STR("wake")) || freed == NULL) {
        return (struct str){NULL, 0};
    }
    struct str args[] = {shown_fact(t, freed), where(t, freed->line)};
    return said_with(t, "numbers.sleep_freed", args, 2);
}

/* What is said elsewhere, and words of ours by which causes are told apart. */
static bool is_worth_saying(const struct fact *f) {
    static const enum fact_name no[] = {
        FACT_stage, FACT_gpu_index, FACT_engine, FACT_device_kind,
        FACT_oom_words, FACT_settings_listed, FACT_task};
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        if (f->name == no[i]) {
            return false;
        }
    }
    bool is_nothing = fact_unit(f->name) == UNIT_BYTES && f->number == 0;
    return f->known && f->line > 0 && f->source == SOURCE_LOG &&
           fact_unit(f->name) != UNIT_VERSION && !is_nothing;
}

/* The first few facts of the message, labelled. */
static struct str generic(const struct teller *t, const struct finding *f) {
    struct buf out;
    buf_init_in(&out, t->a, 16 * 1024);
    size_t count = 0;
    uint32_t line = 0;
    for (size_t i = 0; i < f->facts.count && count < GENERIC_FACTS; i++) {
        const struct fact *fact = &f->facts.at[i];
        if (!is_worth_saying(fact)) {
            continue;
        }
        struct str pair[] = {said_fact(t, fact->name),
                             shown_short(t, shown_fact(t, fact),
                                         VALUE_COLUMNS)};
        if (count++ > 0) {
            buf_add(&out, said(t, "report.comma"));
        }
        buf_add(&out, said_with(t, "report.seen_fact", pair, 2));
        line = line == 0 ? fact->line : line;
    }
    if (count == 0) {
        struct str number = shown_number(t, UNIT_COUNT, f->first_line);
        return said_with(t, "numbers.only_line", &number, 1);
    }
    struct str list[] = {settled(t->a, &out), where(t, line)};
    return said_with(t, "numbers.generic", list, 2);
}

struct str text_numbers(const struct teller *t, const struct report *rep,
                        const struct finding *f) {
    if (f->shortage == SHORT_FREE_AT_START) {
        struct str wanted = at_start(t, rep, f);
        if (wanted.n > 0) {
            return wanted;
        }
    }
    struct str said_so = {NULL, 0};
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        if (say_sentence(t, rep, f, &sentences[i], &said_so)) {
            return said_so;
        }
    }
    said_so = at_wake(t, rep, f);
    return said_so.n > 0 ? said_so : generic(t, f);
}
