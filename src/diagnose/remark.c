/* remark.c: remarks about the numbers themselves.
 *
 * Numbers that contradict each other; memory of a process that is not listed; a
 * limit that is PyTorch's and not the card's; a limit that was reached while
 * the machine had free memory, or a machine that was full; a process that is
 * listed under another pid and is the failed one; a setting that was named and
 * is not in force; cards that have the printed size; the size of the checkpoint
 * that the host could not load.
 */
#include "diagnose/work.h"
#include "memory/card.h"

#define CARDS_NAMED 6

static const struct fact *fact_in(const struct finding *f, enum fact_name n) {
    return facts_first(&f->facts, n);
}

void remark_add_amounts(struct diagnosis *d, struct finding *f,
                       const char *key, int64_t x, int64_t y) {
    remark_add(d, f, NOTE(key, write_bytes(d->a, x), write_bytes(d->a, y)));
}

static void remark_contradiction(struct diagnosis *d, struct finding *f) {
    const struct fact *total = fact_in(f, FACT_gpu_total);
    const struct fact *held = fact_in(f, FACT_pytorch_allocated);
    if (!total || facts_reconcile(&f->facts))
        return;
    if (!held || held->number <= total->number)
        held = fact_in(f, FACT_pytorch_reserved);
    if (held && held->number > total->number)
        remark_add_amounts(d, f, "diagnose.remark.over", held->number,
                           total->number);
    else
        remark_add(d, f, NOTE("diagnose.remark.sums",
                              write_bytes(d->a, total->number)));
}

static bool sum_in_use(const struct finding *f, int64_t *sum) {
    const struct fact *own = fact_in(f, FACT_process_in_use);
    if (!own)
        return false;
    *sum = own->number;
    for (size_t i = 0; i < f->facts.count; i++) {
        const struct fact *other = &f->facts.at[i];
        if (other->name == FACT_other_in_use && other->known &&
            other->gpu == own->gpu &&
            !add_i64(*sum, other->number, sum))
            return false;
    }
    return true;
}

/* If total > free + this process + the others, a process is not listed. */
static void remark_unlisted(struct diagnosis *d, struct finding *f) {
    const struct fact *total = fact_in(f, FACT_gpu_total);
    const struct fact *free = fact_in(f, FACT_gpu_free);
    int64_t listed, slack = INT64_C(2) << 30;
    if (!total || !free || !sum_in_use(f, &listed))
        return;
    int64_t used = total->number - free->number;
    if (used - listed > slack)
        remark_add_amounts(d, f, "diagnose.remark.hidden", used - listed, used);
    else if (listed - used > slack)
        remark_add_amounts(d, f, "diagnose.remark.too_much", listed, used);
}

/* The failure is described by a person: the log has no message with numbers. */
static void remark_prose(struct diagnosis *d, struct finding *f) {
    if (facts_say(&f->facts, FACT_oom_words, "told"))
        remark_add(d, f, (struct note){.key = "diagnose.remark.told"});
}

static void remark_torch_limit(struct diagnosis *d, struct finding *f) {
    const struct fact *limit = fact_in(f, FACT_memory_limit);
    const struct fact *total = fact_in(f, FACT_gpu_total);
    if (limit && total && limit->number < total->number)
        remark_add_amounts(d, f, "diagnose.remark.limit", limit->number,
                           total->number);
}

static void remark_free_yet_refused(struct diagnosis *d, struct finding *f) {
    const struct fact *tried = fact_in(f, FACT_tried_alloc);
    const struct fact *free = fact_in(f, FACT_gpu_free);
    if (tried && free && free->number >= tried->number &&
        !fact_in(f, FACT_memory_limit))
        remark_add_amounts(d, f, "diagnose.remark.free_yet", free->number,
                           tried->number);
}

static void remark_own_process(struct diagnosis *d, struct finding *f) {
    const struct fact *own = fact_in(f, FACT_own_process_listed);
    const struct fact *used = fact_in(f, FACT_process_in_use);
    if (own && own->number == 1 && used)
        remark_add(d, f, NOTE(fact_in(f, FACT_other_in_use)
                                  ? "diagnose.remark.own_among"
                                  : "diagnose.remark.own_listed",
                              write_bytes(d->a, used->number)));
}

/* The kernel's message has the scope: a limit or the machine. */
static void remark_oom_scope(struct diagnosis *d, struct finding *f) {
    if (facts_say(&f->facts, FACT_oom_scope, "memcg"))
        remark_add(d, f, note_of("diagnose.remark.memcg_full"));
    else if (facts_say(&f->facts, FACT_oom_scope, "machine"))
        remark_add(d, f, note_of("diagnose.remark.machine_full"));
}

static void remark_overruled(struct diagnosis *d, struct finding *f) {
    for (size_t i = 0; i < d->overruled_count; i++) {
        const struct overruled *o = &d->overruled[i];
        remark_add(d, f, NOTE(o->key, fact_label(d->a, o->named.name),
                              fact_written(d->a, &o->named, false),
                              fact_written(d->a, &o->in_force, false),
                              written_line(d->a, o->in_force.line)));
    }
}

/* True if the card may have printed the message: "HIP out of memory" is not
 * printed for a GeForce. */
static bool is_of_device(const struct gpu *card, const struct fact *device) {
    static const struct {
        const char *device, *vendor;
    } makers[] = {{"cuda", "nvidia"}, {"hip", "amd"}, {"xpu", "intel"},
                {"tpu", "google"}};
    for (size_t i = 0; device && i < sizeof makers / sizeof makers[0]; i++)
        if (str_eq_nocase(device->word, str_of(makers[i].device)))
            return str_eq(card->vendor, str_of(makers[i].vendor));
    return true;
}

static void remark_cards(struct diagnosis *d, struct finding *f) {
    const struct fact *total = fact_in(f, FACT_gpu_total);
    if (!total || facts_first(&d->context, FACT_gpu_name))
        return;
    struct gpu_list cards =
        reader_gpus_of_total(d->r, fact_low(total), fact_high(total));
    size_t named = 0;
    struct buf b;
    buf_init_in(&b, d->a, 4096);
    for (size_t i = 0; i < cards.count; i++)
        if (is_of_device(cards.at[i], fact_in(f, FACT_device_kind)))
            buf_printf(&b, "%s%.*s", named++ ? NOTE_AND_WORD : "",
                       STR_ARG(cards.at[i]->id));
    if (named >= 1 && named <= CARDS_NAMED)
        remark_add(d, f, NOTE("diagnose.remark.cards",
                              write_bytes(d->a, total->number),
                              arena_str(d->a, buf_str(&b))));
}

static void remark_model_guess(struct diagnosis *d, struct finding *f) {
    const struct fact *model = facts_first(&d->context, FACT_model);
    if (model && model->source == SOURCE_LOG && model->why.n > 0)
        remark_add(d, f, NOTE("diagnose.remark.model_guess", model->text,
                              model->word));
}

static bool may_be_loading(const struct finding *f) {
    return f->entry->mechanism == MECHANISM_host_ram &&
           (!fact_in(f, FACT_stage) ||
            facts_say(&f->facts, FACT_stage, "load") ||
            facts_say(&f->facts, FACT_stage, "unknown"));
}

/* True for Ollama and llama.cpp: they load a GGUF file. Its name gives the
 * quantization. */
static bool reads_gguf(const struct inputs *c) {
    return c->in[FACT_engine].known &&
           STR_IS_ONE(c->in[FACT_engine].word, "ollama", "llama.cpp");
}

/* Adds the size of the checkpoint, which is known even if the message is only
 * "Killed". */
static void remark_checkpoint(struct diagnosis *d, struct finding *f) {
    struct inputs c = inputs_of(d, &f->facts);
    if (!may_be_loading(f) || !c.model)
        return;
    struct str format = quantization_of(&c);
    if (format.n == 0 && reads_gguf(&c))
        return;
    struct span bytes = weights_computed(&c, 1, 1, format);
    if (format.n == 0) {
        const struct fact *dtype = &c.in[FACT_dtype];
        bool is_given = dtype->known && !str_eq(dtype->word, STR("auto"));
        format = is_given ? dtype->word : c.model->dtype;
    }
    if (bytes.known && bytes.low > 0 && format.n > 0) {
        int64_t middle = bytes.low + (bytes.high - bytes.low) / 2;
        remark_add(d, f, NOTE("diagnose.remark.checkpoint", c.model->id,
                              write_bytes(d->a, middle), format));
    }
}

void remarks_find(struct diagnosis *d, struct finding *f) {
    if (f->role != ROLE_root)
        return;
    remark_contradiction(d, f);
    if (facts_reconcile(&f->facts)) {
        remark_unlisted(d, f);
        remark_free_yet_refused(d, f);
        remark_sizes(d, f);
    }
    remark_prose(d, f);
    remark_torch_limit(d, f);
    remark_own_process(d, f);
    remark_oom_scope(d, f);
    remark_overruled(d, f);
    if (d->machine_differs.key != NULL)
        remark_add(d, f, d->machine_differs);
    remark_cards(d, f);
    remark_model_guess(d, f);
    remark_checkpoint(d, f);
    catalogue_reconcile(d, f);
}
