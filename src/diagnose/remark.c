/* remark.c: remarks: numbers that contradict each other; those of the table in
 * remark_rules.c; a setting that was named and is not in force; cards that have
 * the printed size; the size of the checkpoint that the host could not load.
 */
#include "diagnose/work.h"
#include "memory/card.h"

#define CARDS_NAMED 6

static const struct fact *fact_in(const struct finding *f, enum fact_name n) {
    return facts_first(&f->facts, n);
}

static void remark_contradiction(struct diagnosis *d, struct finding *f) {
    const struct fact *total = fact_in(f, FACT_gpu_total);
    const struct fact *held = fact_in(f, FACT_pytorch_allocated);
    if (!total || facts_reconcile(&f->facts))
        return;
    if (!held || held->number <= total->number)
        held = fact_in(f, FACT_pytorch_reserved);
    if (held && held->number > total->number)
        remark_add(d, f, NOTE("diagnose.remark.over",
                              write_bytes(d->a, held->number),
                              write_bytes(d->a, total->number)));
    else
        remark_add(d, f, NOTE("diagnose.remark.sums",
                              write_bytes(d->a, total->number)));
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
    struct buf b = buf_in(d->a, 4096);
    for (size_t i = 0; i < cards.count; i++)
        if (is_of_device(cards.at[i], fact_in(f, FACT_device_kind)))
            buf_printf(&b, "%s%.*s", named++ ? NOTE_AND_WORD : "",
                       STR_ARG(cards.at[i]->id));
    if (named >= 1 && named <= CARDS_NAMED)
        remark_add(d, f, NOTE("diagnose.remark.cards",
                              write_bytes(d->a, total->number),
                              arena_str(d->a, buf_str(&b))));
}

/* Who held the memory, where the kernel's victim held less. */
static void remark_largest(struct diagnosis *d, struct finding *f) {
    const struct fact *name = fact_in(f, FACT_largest_process);
    const struct fact *bytes = fact_in(f, FACT_largest_rss);
    const struct fact *victim = fact_in(f, FACT_victim_rss);
    if (name && bytes && victim && victim->number < bytes->number)
        remark_add(d, f, NOTE("diagnose.remark.largest", name->word,
                              write_bytes(d->a, bytes->number),
                              written_line(d->a, bytes->line)));
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
static void remark_checkpoint(struct diagnosis *d, struct finding *f,
                              const struct inputs *c) {
    if (!may_be_loading(f) || !c->model)
        return;
    struct str format = quantization_of(c);
    if (format.n == 0 && reads_gguf(c))
        return;
    struct span bytes = weights_computed(c, 1, 1, format);
    if (format.n == 0) {
        const struct fact *dtype = &c->in[FACT_dtype];
        bool is_given = dtype->known && !str_eq(dtype->word, STR("auto"));
        format = is_given ? dtype->word : c->model->dtype;
    }
    if (bytes.known && bytes.low > 0 && format.n > 0) {
        int64_t middle = bytes.low + (bytes.high - bytes.low) / 2;
        remark_add(d, f, NOTE("diagnose.remark.checkpoint", c->model->id,
                              write_bytes(d->a, middle), format));
    }
}

/* If the first fix is enough, its arithmetic includes the requests that
 * follow. */
static void remarks_settle(struct finding *f) {
    bool is_enough =
        f->fix_count > 0 && fix_verdict(&f->fixes[0]) == VERDICT_ENOUGH;
    size_t kept = 0;
    for (size_t i = 0; i < f->remark_count; i++)
        if (!is_enough || !str_eq(str_of(f->remarks[i].key),
                                  STR("diagnose.remark.small")))
            f->remarks[kept++] = f->remarks[i];
    f->remark_count = kept;
}

void remarks_find(struct diagnosis *d, struct finding *f) {
    remark_contradiction(d, f);
    if (facts_reconcile(&f->facts))
        remarks_by_rules(d, f);
}

void remarks_complete(struct diagnosis *d, struct finding *f,
                      const struct inputs *c) {
    remarks_settle(f);
    remark_overruled(d, f);
    remark_largest(d, f);
    if (d->machine_differs.key != NULL)
        remark_add(d, f, d->machine_differs);
    remark_cards(d, f);
    remark_model_guess(d, f);
    remark_checkpoint(d, f, c);
    catalogue_reconcile(d, f, c);
}
