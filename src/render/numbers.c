/* numbers.c: the line with this log's numbers: what was asked for, what was
 * there, what is missing, and the line of the log that says so. A table of
 * sentences, each with the facts it needs; the first one whose facts are all
 * known is said. */
#include "base/limits.h"
#include "memory/span.h"
#include "render/parts.h"

#include <inttypes.h>

#define FACTS_MAX 4
#define GENERIC_FACTS 4
#define ALSO_FACTS 2
#define HOLDERS_MAX 4 /* processes that are named */
#define VALUE_COLUMNS 48
#define LINE_COLUMNS 200
#define SHARED_TOLD (INT64_C(1) << 30)

struct sentence {
    const char *key;
    bool is_pair; /* its first two are need and have */
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
};

/* What is known of a name: the message's own, else what is in force. */
static const struct fact *known_fact(const struct report *rep,
                                     const struct finding *f,
                                     enum fact_name name) {
    const struct fact *own = facts_last(&f->facts, name);
    if (own == NULL || !own->known)
        own = facts_last(&rep->context, name);
    return own != NULL && own->known ? own : NULL;
}

/* "(line 12)", empty where no fact has a line. */
static struct str where(const struct teller *t, uint32_t line) {
    return line == 0 ? STR("") : SAID(t, "numbers.where", shown_count(t, line));
}

/* "(lines 3 and 5)": need and limit often stand apart. */
static struct str where_both(const struct teller *t, uint32_t one,
                             uint32_t other) {
    if (one == 0 || other == 0 || one == other)
        return where(t, one > 0 ? one : other);
    return SAID(t, "numbers.where_both", shown_count(t, one),
                shown_count(t, other));
}

/* The sentence's end: what is missing, if anything is. */
static struct str ended(const struct teller *t, struct str words,
                        struct str short_by) {
    struct str end = short_by.n > 0 ? SAID(t, "numbers.short_by", short_by)
                                    : said(t, "numbers.stop");
    return arena_printf(t->a, "%.*s%.*s", STR_ARG(words), STR_ARG(end));
}

static bool say_sentence(const struct teller *t, const struct report *rep,
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
            (fact->name == FACT_shmem_rss && fact->number < SHARED_TOLD))
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
        args[i] = shown_short(t, shown_fact(t, known[i]), VALUE_COLUMNS);
    args[s->count] = s->is_pair ? where_both(t, known[0]->line, known[1]->line)
                                : where(t, line);
    *out = ended(t, said_with(t, s->key, args, s->count + 1), c.short_by);
    return true;
}

/* What was wanted at start is a product: the share of the whole card. */
static struct str at_start(const struct teller *t, const struct report *rep,
                           const struct finding *f) {
    const struct fact *free_ = known_fact(rep, f, FACT_gpu_free);
    const struct fact *total = known_fact(rep, f, FACT_gpu_total);
    const struct fact *share =
        known_fact(rep, f, FACT_gpu_memory_utilization);
    const struct fact *printed = facts_last(&f->facts, FACT_requested_bytes);
    int64_t wanted = 0;
    if (free_ == NULL || total == NULL || share == NULL ||
        !mul_div_floor(total->number, share->number, UNITS_MICRO, &wanted))
        return STR("");
    if (printed != NULL && printed->known)
        wanted = printed->number; /* not one reckoned beside it */
    struct comparison c =
        amounts_compared(t, UNIT_BYTES, wanted, free_->number);
    return ended(t,
                 SAID(t, "numbers.at_start_wanted", c.need,
                      shown_fact(t, share), shown_fact(t, total), c.have,
                      where(t, free_->line)),
                 c.short_by);
}

/* A wake-up says no size: what sleep gave back has to be free again. */
static struct str at_wake(const struct teller *t, const struct report *rep,
                          const struct finding *f) {
    const struct fact *stage = facts_last(&f->facts, FACT_stage);
    const struct fact *freed = known_fact(rep, f, FACT_sleep_freed);
    if (stage == NULL || !str_eq(stage->word, STR("wake")) || freed == NULL)
        return STR("");
    return SAID(t, "numbers.sleep_freed", shown_fact(t, freed),
                where(t, freed->line));
}

/* A TPU's memory is not a GPU's. */
static struct str label_of(const struct teller *t,
                           const struct fact_list *facts,
                           enum fact_name name) {
    const struct fact *device = facts_last(facts, FACT_device_kind);
    bool is_tpu = device != NULL && str_eq_nocase(device->word, STR("tpu"));
    return is_tpu && name == FACT_gpu_total ? said(t, "numbers.tpu_memory")
                                            : said_fact(t, name);
}

/* holders_said() says who. */
static bool is_holder(const struct fact *fact) {
    return fact->name == FACT_other_in_use && fact->pid != FACT_NONE;
}

/* An amount that the log has, and not nothing. */
static bool is_printed(const struct fact *fact) {
    return fact->known && fact->line != 0 && fact->source == SOURCE_LOG &&
           fact->number > 0;
}

/* "weights 7.15 GiB, GPU memory 8.00 GiB": amounts that the log prints; others:
 * those of bytes beside this one and beside what was asked for. */
static struct str listed_facts(const struct teller *t,
                               const struct fact_list *facts,
                               const enum fact_name *others, size_t most,
                               uint32_t *line) {
    struct words out = words_begin(t, said(t, "report.comma"));
    for (size_t i = 0; i < facts->count && out.count < most; i++) {
        const struct fact *fact = &facts->at[i];
        enum unit unit = fact_unit(fact->name);
        bool is_request = fact->name == FACT_tried_alloc ||
                          fact->name == FACT_requested_bytes;
        bool is_wanted = others ? unit == UNIT_BYTES && !is_request &&
                                      fact->name != *others
                                : unit == UNIT_BYTES || unit == UNIT_TOKENS;
        if (!is_wanted || is_holder(fact) || !is_printed(fact))
            continue;
        words_add(&out,
                  SAID(t, "report.seen_fact", label_of(t, facts, fact->name),
                       shown_short(t, shown_fact(t, fact), VALUE_COLUMNS)));
        *line = *line == 0 ? fact->line : *line;
    }
    return words_end(&out);
}

/* A report pasted from a page keeps its marks of bold print. */
static struct str without_bold(struct arena *a, struct str s) {
    struct buf out;
    buf_init_in(&out, a, s.n);
    for (size_t i = 0; i < s.n; i++) {
        bool is_mark = str_starts(str_from(s, i), STR("**"));
        i += is_mark;
        if (!is_mark)
            buf_add_char(&out, s.p[i]);
    }
    return buf_str(&out);
}

/* Where prose or a string of some program goes on behind the message: its
 * closing mark, which nothing has opened here. */
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

/* The first few amounts of the message, labelled; else the message. */
static struct str generic(const struct teller *t, const struct finding *f,
                          bool *has_amounts) {
    uint32_t line = 0;
    struct str all = listed_facts(t, &f->facts, NULL, GENERIC_FACTS, &line);
    *has_amounts = all.n > 0;
    if (all.n == 0) {
        struct str rest, first = str_cut(f->text, '\n', &rest);
        first = without_bold(t->a, without_rest(str_trim(first)));
        struct str args[] = {shown_count(t, f->text_line),
                             shown_short(t, first, LINE_COLUMNS)};
        return args[1].n > 0 ? said_with(t, "numbers.only_line", args, 2)
                             : args[1];
    }
    return ended(t, SAID(t, "numbers.generic", all, where(t, line)), STR(""));
}

/* Behind a single amount: others of the log, which it may be held against. */
static struct str also(const struct teller *t, const struct report *rep,
                       const struct finding *f, enum fact_name told) {
    uint32_t line = 0;
    struct str list = listed_facts(t, &f->facts, &told, ALSO_FACTS, &line);
    if (list.n == 0)
        list = listed_facts(t, &rep->context, &told, ALSO_FACTS, &line);
    return said_of(t, "numbers.also", list);
}

static struct str sentence_said(const struct teller *t,
                                const struct report *rep,
                                const struct finding *f, struct str *more) {
    bool has_amounts = false;
    struct str words = f->shortage == SHORT_FREE_AT_START ? at_start(t, rep, f)
                                                          : STR("");
    for (size_t i = 0;
         i < sizeof sentences / sizeof *sentences && words.n == 0; i++) {
        const struct sentence *s = &sentences[i];
        if (say_sentence(t, rep, f, s, &words) && s->count == 1)
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
static struct str model_called(const struct teller *t,
                               const struct fact *model) {
    struct str name = model->text.n > 0 ? model->text : model->word;
    for (size_t at = str_find_char(name, '/'); at + 1 < name.n;
         at = str_find_char(name, '/')) {
        name = str_from(name, at + 1);
    }
    return shown_short(t, name, VALUE_COLUMNS);
}

/* "The weights of Qwen2.5-14B take about 27.5 GiB on this GPU.": while they
 * load, where that is more than there is. The fixes have reckoned it. */
static struct str weights_need(const struct teller *t, const struct report *rep,
                               const struct finding *f) {
    const struct fact *model = known_fact(rep, f, FACT_model);
    for (size_t i = 0; model != NULL && i < f->fix_count; i++) {
        const struct estimate *e = &f->fixes[i].estimate;
        bool is_telling = f->fixes[i].has_estimate &&
                          f->shortage == SHORT_ALLOCATION &&
                          e->quantity == FACT_weights_bytes &&
                          e->before.known && e->limit.known &&
                          e->before.low > e->limit.high;
        if (is_telling) {
            return SAID(t, "numbers.weights_need", model_called(t, model),
                        shown_bytes(t, span_middle(e->before)));
        }
    }
    return STR("");
}

/* "Qwen2.5-3B takes 36 KiB per token." */
static struct str per_token(const struct teller *t, const struct report *rep,
                            const struct finding *f) {
    const struct fact *model = known_fact(rep, f, FACT_model);
    struct span slope = f->kv.slope;
    bool is_told = f->has_kv && slope.known && slope.low == slope.high &&
                   slope.low > 0 && model != NULL &&
                   f->shortage == SHORT_KV_POOL;
    if (!is_told)
        return STR("");
    return SAID(t, "numbers.per_token", model_called(t, model),
                shown_bytes(t, slope.low));
}

/* A line of the log is quoted as it stands, often without a full stop. */
static void add_sentence(const struct teller *t, struct buf *out,
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

struct str numbers_said(const struct teller *t, const struct report *rep,
                        const struct finding *f) {
    struct buf out;
    struct str more = STR("");
    buf_init_in(&out, t->a, PROCESS_NAMES_BYTES_MAX);
    add_sentence(t, &out, sentence_said(t, rep, f, &more));
    add_sentence(t, &out, more);
    add_sentence(t, &out, per_token(t, rep, f));
    add_sentence(t, &out, weights_need(t, rep, f));
    add_sentence(t, &out, shown_times(t, f));
    if (str_eq(str_of(f->outlook.because.key),
               STR("diagnose.outlook.restarted")))
        add_sentence(t, &out, said_note(t, &f->outlook.because));
    return settled(t->a, &out);
}

/* Of many processes those that hold most are named. */
static bool is_among_largest(const struct finding *f, size_t which) {
    size_t larger = 0;
    for (size_t i = 0; i < f->facts.count; i++) {
        const struct fact *other = &f->facts.at[i];
        int64_t more = other->number - f->facts.at[which].number;
        larger += is_holder(other) && (more > 0 || (more == 0 && i < which));
    }
    return is_holder(&f->facts.at[which]) && larger < HOLDERS_MAX;
}

/* "Held by pid 1253: 1.08 GiB, pid 1254 (python3): 512 MiB." Who is ended is
 * known by its pid. */
struct str holders_said(const struct teller *t, const struct finding *f) {
    struct words list = words_begin(t, said(t, "report.and"));
    for (size_t i = 0; i < f->facts.count && list.count < HOLDERS_MAX; i++) {
        const struct fact *fact = &f->facts.at[i];
        struct str amount = shown_fact(t, fact); /* written so from here on */
        const char *key = fact->word.n > 0 ? "report.holder_named"
                                           : "report.holder";
        if (is_among_largest(f, i))
            words_add(&list,
                      SAID(t, key, arena_printf(t->a, "%" PRId64, fact->pid),
                           amount, shown_short(t, fact->word, VALUE_COLUMNS)));
    }
    return words_said(&list, "report.held_by");
}
