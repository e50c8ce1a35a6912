/* numbers.c: the sentence with this log's numbers: what was asked for, what was
 * there, what is missing, and the line of the log. It is the first of a table
 * whose facts are all known. */
#include "base/limits.h"
#include "memory/span.h"
#include "render/parts.h"

#include <inttypes.h>

#define FACTS_MAX 4
#define GENERIC_FACTS 4
#define ALSO_FACTS 2
#define HOLDERS_MAX 4 /* processes that are listed */
#define VALUE_COLUMNS 48
#define LINE_COLUMNS 200
#define SHARED_LEAST (INT64_C(1) << 30) /* of shared memory that is mentioned */

struct sentence {
    const char *key;
    bool is_pair; /* the first two are need and have */
    enum fact_name needs[FACTS_MAX];
    size_t count;
};

#define SENTENCE(key, is_pair, ...) \
    {key, is_pair, {__VA_ARGS__}, \
     sizeof((enum fact_name[]){__VA_ARGS__}) / sizeof(enum fact_name)}

/* {0}.. are the facts in this order, the line comes last. */
static const struct sentence sentences[] = {
    SENTENCE("numbers.kv_request", true, FACT_kv_needed, FACT_kv_available,
             FACT_max_model_len),
    SENTENCE("numbers.kv", true, FACT_kv_needed, FACT_kv_available),
    SENTENCE("numbers.kv_tokens", true, FACT_max_model_len, FACT_kv_tokens),
    SENTENCE("numbers.swa_tokens", true, FACT_tried_tokens,
             FACT_swa_available_tokens, FACT_available_tokens),
    SENTENCE("numbers.tokens", true, FACT_tried_tokens, FACT_available_tokens),
    SENTENCE("numbers.pool", true, FACT_pool_needed, FACT_pool_available),
    SENTENCE("numbers.alloc_limit", true, FACT_requested_bytes,
             FACT_alloc_limit),
    SENTENCE("numbers.shm", true, FACT_shm_requested, FACT_shm_limit),
    SENTENCE("numbers.smem", true, FACT_smem_required, FACT_smem_limit),
    SENTENCE("numbers.alloc_limit", true, FACT_tried_alloc, FACT_alloc_limit),
    SENTENCE("numbers.alloc", true, FACT_tried_alloc, FACT_gpu_free,
             FACT_gpu_total),
    SENTENCE("numbers.alloc_free", true, FACT_tried_alloc, FACT_gpu_free),
    SENTENCE("numbers.alloc_capped", false, FACT_tried_alloc,
             FACT_memory_limit, FACT_pytorch_allocated),
    SENTENCE("numbers.tried", false, FACT_tried_alloc),
    SENTENCE("numbers.tried", false, FACT_tensor_bytes),
    SENTENCE("numbers.host_request", true, FACT_requested_bytes,
             FACT_host_free),
    SENTENCE("numbers.tokens_alone", false, FACT_tried_tokens),
    SENTENCE("numbers.host_limit", true, FACT_host_used, FACT_memory_limit),
    SENTENCE("numbers.host_killed_shared", false, FACT_process_name,
             FACT_host_rss, FACT_shmem_rss),
    SENTENCE("numbers.host_killed_limit", false, FACT_process_name,
             FACT_host_rss, FACT_memory_limit),
    SENTENCE("numbers.host_killed_limit", false, FACT_process_name,
             FACT_host_rss, FACT_host_limit),
    SENTENCE("numbers.host_killed_total", false, FACT_process_name,
             FACT_host_rss, FACT_host_total),
    SENTENCE("numbers.host_killed", false, FACT_process_name, FACT_host_rss),
    SENTENCE("numbers.memory_limit", false, FACT_memory_limit),
    SENTENCE("numbers.largest", false, FACT_largest_process, FACT_largest_rss),
};

/* The fact of the finding, else that of the whole log; NULL: unknown. */
static const struct fact *known_fact(const struct report *rep,
                                     const struct finding *f,
                                     enum fact_name name) {
    const struct fact *own = facts_last(&f->facts, name);
    if (own == NULL || !own->known)
        own = facts_last(&rep->context, name);
    return own != NULL && own->known ? own : NULL;
}

/* "(line 12)"; empty without a line. */
static struct str where(const struct render *t, uint32_t line) {
    return line == 0 ? STR("") : TR(t, "numbers.where", count_text(t, line));
}

/* "(lines 3 and 5)": need and limit are often on two lines. */
static struct str where_both(const struct render *t, uint32_t one,
                             uint32_t other) {
    if (one == 0 || other == 0 || one == other)
        return where(t, one > 0 ? one : other);
    return TR(t, "numbers.where_both", count_text(t, one),
              count_text(t, other));
}

/* The words with the end of the sentence: the missing amount, or a full
 * stop. */
static struct str ended(const struct render *t, struct str words,
                        struct str short_by) {
    struct str end = short_by.n > 0 ? TR(t, "numbers.short_by", short_by)
                                    : tr(t, "numbers.stop");
    return arena_printf(t->a, "%.*s%.*s", STR_ARG(words), STR_ARG(end));
}

/* False: a fact is unknown. */
static bool fill_sentence(const struct render *t, const struct report *rep,
                          const struct finding *f, const struct sentence *s,
                          struct str *out) {
    struct str args[FACTS_MAX + 1];
    const struct fact *known[FACTS_MAX] = {NULL};
    uint32_t line = 0;
    struct comparison c = {.short_by = STR("")};
    for (size_t i = 0; i < s->count; i++) {
        const struct fact *fact = i == 0
                                      ? facts_last(&f->facts, s->needs[0])
                                      : known_fact(rep, f, s->needs[i]);
        if (fact == NULL || !fact->known ||
            (fact->name == FACT_shmem_rss && fact->number < SHARED_LEAST))
            return false;
        known[i] = fact;
        line = line == 0 ? fact->line : line;
    }
    if (s->is_pair) {
        c = amounts_compared(t, fact_unit(s->needs[0]), known[0]->number,
                             known[1]->number);
        args[0] = c.need;
        args[1] = c.have;
    }
    for (size_t i = s->is_pair ? 2 : 0; i < s->count; i++)
        args[i] = short_text(t, fact_text(t, known[i]), VALUE_COLUMNS);
    args[s->count] = s->is_pair ? where_both(t, known[0]->line, known[1]->line)
                                : where(t, line);
    *out = ended(t, tr_args(t, s->key, args, s->count + 1), c.short_by);
    return true;
}

/* At start an engine asks for a share of the whole card. */
static struct str at_start(const struct render *t, const struct report *rep,
                           const struct finding *f) {
    const struct fact *free_ = known_fact(rep, f, FACT_gpu_free);
    const struct fact *total = known_fact(rep, f, FACT_gpu_total);
    const struct fact *share = known_fact(rep, f, FACT_gpu_memory_utilization);
    const struct fact *printed = facts_last(&f->facts, FACT_requested_bytes);
    int64_t wanted = 0;
    if (free_ == NULL || total == NULL || share == NULL ||
        !mul_div_floor(total->number, share->number, UNITS_MICRO, &wanted))
        return STR("");
    if (printed != NULL && printed->known)
        wanted = printed->number;
    struct comparison c =
        amounts_compared(t, UNIT_BYTES, wanted, free_->number);
    return ended(t,
                 TR(t, "numbers.at_start_wanted", c.need,
                    fact_text(t, share), fact_text(t, total), c.have,
                    where(t, free_->line)),
                 c.short_by);
}

/* A wake-up needs what sleep released; its message has no size. */
static struct str at_wake(const struct render *t, const struct report *rep,
                          const struct finding *f) {
    const struct fact *stage = facts_last(&f->facts, FACT_stage);
    const struct fact *freed = known_fact(rep, f, FACT_sleep_freed);
    if (stage == NULL || !str_eq(stage->word, STR("wake")) || freed == NULL)
        return STR("");
    return TR(t, "numbers.sleep_freed", fact_text(t, freed),
              where(t, freed->line));
}

/* The fact's label; a TPU has a label of its own. */
static struct str label_of(const struct render *t,
                           const struct fact_list *facts,
                           enum fact_name name) {
    const struct fact *device = facts_last(facts, FACT_device_kind);
    bool is_tpu = device != NULL && str_eq_nocase(device->word, STR("tpu"));
    return is_tpu && name == FACT_gpu_total ? tr(t, "numbers.tpu_memory")
                                            : label_text(t, name);
}

/* Memory of another process: holders_text() lists it. */
static bool is_holder(const struct fact *fact) {
    return fact->name == FACT_other_in_use && fact->pid != FACT_NONE;
}

/* True for an amount above 0 that the log has. */
static bool is_printed(const struct fact *fact) {
    return fact->known && fact->line != 0 && fact->source == SOURCE_LOG &&
           fact->number > 0;
}

/* "weights 7.15 GiB, GPU memory 8.00 GiB": amounts that the log prints. but:
 * the amounts in bytes except this one and the request; NULL: all. */
static struct str listed_facts(const struct render *t,
                               const struct fact_list *facts,
                               const enum fact_name *but, size_t most,
                               uint32_t *line) {
    struct words out = words_begin(t, tr(t, "report.comma"));
    for (size_t i = 0; i < facts->count && out.count < most; i++) {
        const struct fact *fact = &facts->at[i];
        enum unit unit = fact_unit(fact->name);
        bool is_request = fact->name == FACT_tried_alloc ||
                          fact->name == FACT_requested_bytes;
        bool is_wanted = but ? unit == UNIT_BYTES && !is_request &&
                                   fact->name != *but
                             : unit == UNIT_BYTES || unit == UNIT_TOKENS;
        if (!is_wanted || is_holder(fact) || !is_printed(fact))
            continue;
        words_add(&out,
                  TR(t, "report.seen_fact", label_of(t, facts, fact->name),
                     short_text(t, fact_text(t, fact), VALUE_COLUMNS)));
        *line = *line == 0 ? fact->line : *line;
    }
    return words_end(&out);
}

/* The text without "**", which a report copied from a page may have. */
static struct str without_bold(struct arena *a, struct str s) {
    struct buf out = buf_in(a, s.n);
    for (size_t i = 0; i < s.n; i++) {
        bool is_mark = str_starts(str_from(s, i), STR("**"));
        i += is_mark;
        if (!is_mark)
            buf_add_char(&out, s.p[i]);
    }
    return buf_str(&out);
}

/* The line up to a closing quote that was not opened on it: behind that the
 * text around the message goes on. */
static struct str without_rest(struct str line) {
    struct str closing = STR(" .,:;)}]`\"");
    for (size_t i = 1; i < line.n; i++) {
        char c = line.p[i];
        struct str front = str_slice(line, 0, i);
        bool is_mark = (c == '"' || c == '`') && line.p[i - 1] != ' ' &&
                       str_find_char(front, c) == front.n;
        bool is_at_end =
            i + 1 == line.n ||
            str_find_char(closing, line.p[i + 1]) < closing.n;
        if (is_mark && is_at_end)
            return front;
    }
    return line;
}

/* The first amounts of the message with their labels, else the message. */
static struct str generic(const struct render *t, const struct finding *f,
                          bool *has_amounts) {
    uint32_t line = 0;
    struct str all = listed_facts(t, &f->facts, NULL, GENERIC_FACTS, &line);
    *has_amounts = all.n > 0;
    if (all.n == 0) {
        struct str rest, first = str_cut(f->text, '\n', &rest);
        first = without_bold(t->a, without_rest(str_trim(first)));
        struct str args[] = {count_text(t, f->text_line),
                             short_text(t, first, LINE_COLUMNS)};
        return args[1].n > 0 ? tr_args(t, "numbers.only_line", args, 2)
                             : args[1];
    }
    return ended(t, TR(t, "numbers.generic", all, where(t, line)), STR(""));
}

/* Behind a single amount: others of the log to compare it with. */
static struct str also(const struct render *t, const struct report *rep,
                       const struct finding *f, enum fact_name but) {
    uint32_t line = 0;
    struct str list = listed_facts(t, &f->facts, &but, ALSO_FACTS, &line);
    if (list.n == 0)
        list = listed_facts(t, &rep->context, &but, ALSO_FACTS, &line);
    return tr_if(t, "numbers.also", list);
}

/* *more becomes the sentence with further amounts. */
static struct str sentence_text(const struct render *t,
                                const struct report *rep,
                                const struct finding *f, struct str *more) {
    bool has_amounts = false;
    struct str words = f->shortage == SHORT_FREE_AT_START ? at_start(t, rep, f)
                                                          : STR("");
    for (size_t i = 0;
         i < sizeof sentences / sizeof *sentences && words.n == 0; i++) {
        const struct sentence *s = &sentences[i];
        if (fill_sentence(t, rep, f, s, &words) && s->count == 1)
            *more = also(t, rep, f, s->needs[0]);
    }
    words = words.n > 0 ? words : at_wake(t, rep, f);
    if (words.n == 0) {
        *more = also(t, rep, f, FACT_tried_alloc);
        words = generic(t, f, &has_amounts);
    }
    *more = has_amounts ? STR("") : *more;
    return words;
}

/* "org/Qwen2.5-3B", "models/Qwen2.5-3B": Qwen2.5-3B. */
static struct str model_called(const struct render *t,
                               const struct fact *model) {
    struct str name = model->text.n > 0 ? model->text : model->word;
    for (size_t at = str_find_char(name, '/'); at + 1 < name.n;
         at = str_find_char(name, '/')) {
        name = str_from(name, at + 1);
    }
    return short_text(t, name, VALUE_COLUMNS);
}

/* "The weights of Qwen2.5-14B take about 27.5 GiB on this GPU.", if they exceed
 * it while they load, by the estimate of a fix. */
static struct str weights_need(const struct render *t, const struct report *rep,
                               const struct finding *f) {
    const struct fact *model = known_fact(rep, f, FACT_model);
    for (size_t i = 0; model != NULL && i < f->fix_count; i++) {
        const struct estimate *e = &f->fixes[i].estimate;
        if (f->fixes[i].has_estimate && f->shortage == SHORT_ALLOCATION &&
            e->quantity == FACT_weights_bytes && e->before.known &&
            e->limit.known && e->before.low > e->limit.high)
            return TR(t, "numbers.weights_need", model_called(t, model),
                      bytes_text(t, span_middle(e->before)));
    }
    return STR("");
}

/* "Qwen2.5-3B takes 36 KiB per token." */
static struct str per_token(const struct render *t, const struct report *rep,
                            const struct finding *f) {
    const struct fact *model = known_fact(rep, f, FACT_model);
    struct span slope = f->kv.slope;
    if (!f->has_kv || !slope.known || slope.low != slope.high ||
        slope.low <= 0 || model == NULL || f->shortage != SHORT_KV_POOL)
        return STR("");
    return TR(t, "numbers.per_token", model_called(t, model),
              bytes_text(t, slope.low));
}

/* Adds a sentence, and a full stop behind a quoted line that has none. */
static void add_sentence(const struct render *t, struct buf *out,
                         struct str sentence) {
    struct str so_far = {out->p, out->n};
    bool is_english = t->lang == LANG_EN;
    bool is_ascii = so_far.n > 0 && so_far.p[so_far.n - 1] > 0 &&
                    str_ends(so_far, STR(".")); /* the log's own full stop */
    bool is_ended = str_ends(so_far, STR(".")) || str_ends(so_far, STR("。")) ||
                    str_ends(so_far, STR("!")) || str_ends(so_far, STR("?"));
    if (so_far.n > 0 && sentence.n > 0) {
        buf_add(out, is_ended     ? STR("")
                     : is_english ? STR(".")
                                  : STR("。"));
        buf_add(out, is_english || is_ascii ? STR(" ") : STR(""));
    }
    buf_add(out, sentence);
}

struct str numbers_text(const struct render *t, const struct report *rep,
                        const struct finding *f) {
    struct str more = STR("");
    struct buf out = buf_in(t->a, PROCESS_NAMES_BYTES_MAX);
    add_sentence(t, &out, sentence_text(t, rep, f, &more));
    add_sentence(t, &out, more);
    add_sentence(t, &out, per_token(t, rep, f));
    add_sentence(t, &out, weights_need(t, rep, f));
    add_sentence(t, &out, times_text(t, f));
    if (str_eq(str_of(f->outlook.because.key),
               STR("diagnose.outlook.restarted")))
        add_sentence(t, &out, note_text(t, &f->outlook.because));
    return kept_text(t->a, &out);
}

/* True for one of the processes that hold most. */
static bool is_among_largest(const struct finding *f, size_t which) {
    size_t larger = 0;
    for (size_t i = 0; i < f->facts.count; i++) {
        const struct fact *other = &f->facts.at[i];
        int64_t more = other->number - f->facts.at[which].number;
        larger += is_holder(other) && (more > 0 || (more == 0 && i < which));
    }
    return is_holder(&f->facts.at[which]) && larger < HOLDERS_MAX;
}

/* "Held by pid 1253: 1.08 GiB, pid 1254 (python3): 512 MiB." */
struct str holders_text(const struct render *t, const struct finding *f) {
    struct words list = words_begin(t, tr(t, "report.and"));
    for (size_t i = 0; i < f->facts.count && list.count < HOLDERS_MAX; i++) {
        const struct fact *fact = &f->facts.at[i];
        struct str amount = fact_text(t, fact); /* kept in t->amounts */
        const char *key = fact->word.n > 0 ? "report.holder_named"
                                           : "report.holder";
        if (is_among_largest(f, i))
            words_add(&list,
                      TR(t, key, arena_printf(t->a, "%" PRId64, fact->pid),
                         amount, short_text(t, fact->word, VALUE_COLUMNS)));
    }
    return words_into(&list, "report.held_by");
}
