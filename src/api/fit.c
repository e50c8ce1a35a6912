/* fit.c: a question of `fit`, from the caller's words to the answer that render
 * writes.
 *
 *     this machine's facts < report's facts < the caller's facts
 *
 * Facts of the caller win, and a model's file wins over its name. Numbers that
 * a log printed for other settings are dropped if the caller changes one of
 * these settings. A size from the caller is exact; one from a log is an
 * interval.
 */
#include "api/fit_input.h"
#include "api/fit_value.h"
#include "base/limits.h"

#include "corpus/version.h"
#include "memory/shape.h"
#include "render/render.h"

#define SWEEP_POINTS 12

struct fit_request {
    struct arena *a;
    struct reader *r;
    const struct oomkb *kb;
    const oomkb_fit_question *question;
    struct fit_input input;
    int64_t requests;
    const struct model *file; /* from question->config; NULL: none */
    int64_t file_bytes;       /* bytes of its weights; 0: not known */
    struct gpu_list gpus;
    struct machine_list machine;
    const struct fact *instead; /* replaces a fact: a column of --compare */
    bool takes_unknown;         /* struct fit_wishes */
    bool is_verdict;
};

static void take_pair(struct fit_request *q, struct str pair) {
    struct str value, name = str_trim(str_cut(pair, '=', &value));
    struct fact f;
    if (str_find_char(pair, '=') == pair.n)
        arena_raise(q->a, FAIL_USAGE, "'%.*s' is not fact=value",
                    STR_ARG(pair));
    if (str_eq(name, STR("concurrency"))) {
        int64_t n;
        if (!str_to_int(str_trim(value), &n) || n < 1 || n > FIT_REQUESTS_MAX)
            arena_raise(q->a, FAIL_USAGE, "concurrency takes a number from 1 "
                        "to 1000000, not '%.*s'", STR_ARG(value));
        q->requests = n;
        return;
    }
    enum fact_name fact = fit_fact_called(q->a, name);
    if (fit_value_read(q->a, fact, value, &f))
        fit_input_set(&q->input, &f);
}

/* The engine whose flags they are: the one that the caller names, else the one
 * that takes most of the flags. */
static const struct engine *engine_for_flags(struct fit_request *q,
                                             const char *const *facts) {
    const struct fact *given = fit_input_fact(&q->input, FACT_engine);
    const struct engine *e =
        given != NULL ? reader_engine_by_id(q->r, given->word)
                     : fit_engine_of_flags(q->r, facts);
    if (given == NULL && e != NULL) {
        struct fact f = fact_word(FACT_engine, SOURCE_DERIVED, e->id);
        f.why = STR("it takes these flags");
        fit_input_set(&q->input, &f);
    }
    return e != NULL ? e : reader_engine_by_id(q->r, STR("vllm"));
}

static void take_pairs(struct fit_request *q, const char *const *facts) {
    for (; *facts != NULL; facts++)
        if ((*facts)[0] != '-')
            take_pair(q, str_of(*facts));
}

/* Facts beside a command win over it. They are read before it, too, since its
 * flags depend on the release that they name. */
static void take_facts(struct fit_request *q) {
    static const char *const none[] = {NULL};
    const char *const *facts = q->question->facts ? q->question->facts : none;
    take_pairs(q, facts);
    if (q->question->command != NULL) {
        fit_take_command(&q->input, q->kb, str_of(q->question->command));
        take_pairs(q, facts);
    }
    const struct engine *e = engine_for_flags(q, facts);
    q->input.is_typed = true;
    for (size_t i = 0; facts[i] != NULL; i++) {
        struct str value, name = str_cut(str_of(facts[i]), '=', &value);
        if (facts[i][0] == '-')
            fit_take_flag(&q->input, e, str_trim(name), str_trim(value));
    }
}

/* ---- from a report ---- */

static const struct fact *fact_given(const struct fit_request *q,
                                     enum fact_name name) {
    return q->instead != NULL && q->instead->name == name
               ? q->instead : fit_input_fact(&q->input, name);
}

static bool is_any_given(const struct fit_request *q,
                         const enum fact_name *names) {
    for (; *names != FACT_COUNT_OF; names++)
        if (fact_given(q, *names) != NULL)
            return true;
    return false;
}

/* True if the caller gives one of these facts with another value than the
 * log's. */
static bool is_any_changed(const struct fit_request *q, const struct inputs *c,
                           const enum fact_name *names) {
    for (; *names != FACT_COUNT_OF; names++) {
        const struct fact *old = &c->in[*names];
        const struct fact *f = fact_given(q, *names);
        if (old->known && f != NULL && (f->number != old->number ||
                                        !str_eq_nocase(f->word, old->word)))
            return true;
    }
    return false;
}

static void drop(struct inputs *c, const enum fact_name *names) {
    for (; *names != FACT_COUNT_OF; names++)
        if (c->in[*names].source == SOURCE_LOG)
            c->in[*names].known = false;
}

/* Drop numbers that the log printed for settings that the caller changes. */
static void drop_outdated(const struct fit_request *q, struct inputs *c) {
    static const enum fact_name layout[] = {
        FACT_model, FACT_max_model_len, FACT_tensor_parallel,
        FACT_pipeline_parallel, FACT_kv_cache_dtype, FACT_dtype,
        FACT_block_size, FACT_engine_version, FACT_max_num_batched_tokens,
        FACT_COUNT_OF};
    static const enum fact_name of_layout[] = {
        FACT_kv_needed, FACT_est_max_model_len, FACT_max_concurrency,
        FACT_kv_tokens, FACT_kv_blocks, FACT_cpu_blocks, FACT_COUNT_OF};
    static const enum fact_name card[] = {
        FACT_model, FACT_gpu_name, FACT_gpu_total, FACT_tensor_parallel,
        FACT_pipeline_parallel, FACT_quantization,
        FACT_gpu_memory_utilization, FACT_COUNT_OF};
    static const enum fact_name of_card[] = {
        FACT_kv_available, FACT_kv_tokens, FACT_kv_blocks, FACT_weights_bytes,
        FACT_requested_bytes, FACT_est_max_model_len, FACT_max_concurrency,
        FACT_COUNT_OF};
    static const enum fact_name step[] = {
        FACT_model, FACT_gpu_name, FACT_gpu_total, FACT_gpu_count,
        FACT_optimizer, FACT_precision, FACT_zero_stage, FACT_offload,
        FACT_lora_rank, FACT_gradient_checkpointing, FACT_batch_size,
        FACT_seq_len, FACT_quantization, FACT_COUNT_OF};
    static const enum fact_name of_step[] = {
        FACT_tried_alloc, FACT_gpu_free, FACT_pytorch_allocated,
        FACT_COUNT_OF};
    if (is_any_changed(q, c, step))
        drop(c, of_step);
    if (is_any_given(q, layout))
        drop(c, of_layout);
    if (is_any_given(q, card) || q->file != NULL)
        drop(c, of_card);
    if (fit_input_fact(&q->input, FACT_gpu_name) != NULL &&
        fit_input_fact(&q->input, FACT_gpu_total) == NULL)
        c->in[FACT_gpu_total].known = false;
}

static void take_list(struct inputs *c, const struct fact_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct fact *f = &list->at[i];
        bool is_own = f->source == SOURCE_LOG || f->source == SOURCE_USER ||
                      f->name == FACT_quantization;
        if (f->known && is_own)
            c->in[f->name] = *f;
    }
}

static void take_report(const struct fit_request *q, struct inputs *c) {
    if (q->question->report == NULL)
        return;
    const struct report *rep = q->question->report->current->report;
    take_list(c, &rep->context);
    if (rep->finding_count > 0)
        take_list(c, &rep->findings[0].facts);
    drop_outdated(q, c);
}

/* ---- the inputs ---- */

/* True for facts of this machine's card, which say nothing about another
 * one. */
static bool is_of_card(enum fact_name name) {
    return name == FACT_gpu_name || name == FACT_gpu_total ||
           name == FACT_gpu_free || name == FACT_others_in_use;
}

static struct str engine_named(const struct fit_request *q) {
    const struct fact *given = fit_input_fact(&q->input, FACT_engine);
    return given != NULL ? given->word : STR("vllm");
}

/* Facts of this machine. All others win over them. */
static void take_machine(const struct fit_request *q, struct inputs *c) {
    struct fact_list here = machine_settled(q->a, q->r, &q->machine,
                                            engine_named(q), true);
    bool is_other = fit_input_fact(&q->input, FACT_gpu_name) != NULL ||
                    fit_input_fact(&q->input, FACT_gpu_total) != NULL;
    for (size_t i = 0; i < here.count; i++) {
        const struct fact *f = &here.at[i];
        if (!is_other || !is_of_card(f->name))
            c->in[f->name] = *f;
    }
}

/* A checkpoint in FP8 by the model's own publisher ("Qwen/Qwen3-32B-FP8") has
 * the publisher's block size. */
static void take_scale_block(struct inputs *c,
                             const struct model_match *m) {
    struct str maker, rest, name = c->in[FACT_model].word;
    maker = str_cut(m->model->id, '/', &rest);
    bool is_own = str_starts(name, maker) && m->model->scale_block > 0 &&
                  str_eq_nocase(m->quantization, STR("fp8"));
    if (is_own && !c->in[FACT_scale_block].known)
        c->in[FACT_scale_block] = fact_number(
            FACT_scale_block, SOURCE_CATALOGUE, m->model->scale_block);
}

static void find_model(struct fit_request *q, struct inputs *c) {
    struct fact *name = &c->in[FACT_model];
    if (q->file != NULL) {
        c->model = q->file;
        *name = fact_word(FACT_model, SOURCE_USER, q->file->id);
        return;
    }
    if (!name->known)
        return;
    struct model_match m = reader_model(q->r, name->word);
    if (m.model == NULL && name->source == SOURCE_USER &&
        !q->takes_unknown)
        refuse_model(q->a, q->r, name->word,
                     "give its --config config.json, or a GGUF file");
    c->model = m.model;
    c->model_is_guess = m.is_guess;
    if (m.model == NULL)
        return;
    take_scale_block(c, &m);
    name->word = m.model->id;
    name->why = m.is_guess ? STR("a guess from a shortened or repacked name")
                           : name->why;
    struct fact *quant = &c->in[FACT_quantization];
    /* --quantization modelopt names the tool; the model's name has the bits */
    bool is_maker = str_eq(quant->word, STR("modelopt")) &&
                    str_eq(m.quantization, STR("nvfp4"));
    quant->known = quant->known && !is_maker;
    if (m.quantization.n > 0 && !quant->known) {
        *quant =
            fact_word(FACT_quantization, SOURCE_DERIVED, m.quantization);
        quant->formula = STR("read off the model's name");
    }
}

static void find_card(struct fit_request *q, struct inputs *c) {
    struct fact *name = &c->in[FACT_gpu_name];
    struct str whole = {NULL, 0};
    int64_t gib;
    if (!name->known)
        return;
    if (fit_slice_named(name->word, &whole, &gib)) {
        if (!c->in[FACT_gpu_total].known)
            c->in[FACT_gpu_total] = fit_slice_total(gib);
        c->gpu = whole.n > 0 ? reader_gpu(q->r, whole) : NULL;
        return;
    }
    c->gpu = reader_gpu(q->r, name->word);
    bool is_size_given = c->in[FACT_gpu_total].source == SOURCE_USER &&
                        c->in[FACT_gpu_total].known;
    if (c->gpu == NULL && name->source == SOURCE_USER && !is_size_given &&
        !q->takes_unknown)
        refuse_gpu(q->a, q->r, name->word,
                   "give its memory, as --gpu-memory 24GiB");
    name->word = c->gpu ? c->gpu->id : name->word;
}

static void take_default(struct inputs *c, enum fact_name name,
                         struct str word, const char *why) {
    if (!c->in[name].known && word.n > 0) {
        c->in[name] = fact_word(name, SOURCE_DEFAULT, word);
        c->in[name].why = str_of(why);
    }
}

/* The question with one fact replaced: a column of --compare. NULL: with none
 * replaced. */
static struct fit_question question_of(struct fit_request *q,
                                       const struct fact *instead) {
    q->instead = instead;
    struct fit_question question = {.requests = q->requests,
                                    .gpus = q->gpus.at,
                                    .gpu_count = q->gpus.count,
                                    .remarks = q->input.remarks,
                                    .remark_count = q->input.remark_count,
                                    .offload = q->input.offload,
                                    .is_verdict = q->is_verdict};
    struct inputs *c = &question.c;
    for (int n = 0; n < FACT_COUNT_OF; n++)
        c->in[n] = fact_blank((enum fact_name)n, SOURCE_LOG);
    take_machine(q, c);
    take_report(q, c);
    for (size_t i = 0; i < q->input.count; i++)
        c->in[q->input.at[i].name] = q->input.at[i];
    if (instead != NULL)
        c->in[instead->name] = *instead;
    take_default(c, FACT_engine, STR("vllm"), "oomkb's");
    c->engine = c->in[FACT_engine].word;
    question.engine = reader_engine_by_id(q->r, c->engine);
    if (question.engine != NULL)
        take_default(c, FACT_engine_version, question.engine->newest,
                     "the newest that is known");
    find_model(q, c);
    find_card(q, c);
    if (q->file_bytes > 0 && !c->in[FACT_weights_bytes].known &&
        c->in[FACT_tensor_parallel].number <= 1) {
        c->in[FACT_weights_bytes] =
            fact_number(FACT_weights_bytes, SOURCE_USER, q->file_bytes);
        c->in[FACT_weights_bytes].why = STR("tensors of the GGUF file");
    }
    return question;
}

/* ---- compare and sweep ---- */

/* The release that a text names, or the newest one for "newest". */
static struct str release_named(const struct fit_request *q, struct str given) {
    struct str engine = engine_named(q);
    const struct engine *e = reader_engine_by_id(q->r, engine);
    if (!str_eq_nocase(given, STR("newest")))
        return given;
    if (e == NULL || e->newest.n == 0)
        arena_raise(q->a, FAIL_USAGE, "no newest release of %.*s is known",
                    STR_ARG(engine));
    return e->newest;
}

static bool is_older(struct str x, struct str y) {
    int order;
    return version_compare(x, y, &order) && order < 0;
}

/* What changed between the oldest and the newest of the compared releases. */
static void find_steps(struct fit_request *q, struct fit_sheet *sheet) {
    struct str low = sheet->columns[0].value, high = low;
    for (size_t i = 1; i < sheet->column_count; i++) {
        struct str one = sheet->columns[i].value;
        low = is_older(one, low) ? one : low;
        high = is_older(high, one) ? one : high;
    }
    struct fact f = fact_word(FACT_engine_version, SOURCE_USER, low);
    struct fit_question question = question_of(q, &f);
    sheet->steps = memory_release_steps(q->a, &question, low, high);
}

static const struct fit *fit_for(struct fit_request *q, const struct fact *f) {
    struct fit *fit = arena_alloc(q->a, sizeof *fit);
    struct fit_question question = question_of(q, f);
    *fit = memory_fit(q->a, &question);
    return fit;
}

static void compare(struct fit_request *q, struct fit_sheet *sheet) {
    struct str all = str_of(q->question->compare);
    enum fact_name fact = FACT_gpu_name;
    if (str_find_char(all, '=') < all.n)
        fact = fit_fact_called(q->a, str_cut(all, '=', &all));
    struct fit_column *columns =
        arena_array(q->a, FIT_COLUMNS_MAX, sizeof *columns);
    while (all.n > 0) {
        struct str one = str_trim(str_cut(all, ',', &all));
        if (sheet->column_count == FIT_COLUMNS_MAX)
            arena_raise(q->a, FAIL_USAGE, "compare takes at most 16 values");
        struct fact f;
        one = fact == FACT_engine_version ? release_named(q, one) : one;
        if (one.n == 0 || !fit_value_read(q->a, fact, one, &f))
            arena_raise(q->a, FAIL_USAGE, "compare takes values parted by "
                        "commas, not '%.*s'", STR_ARG(one));
        columns[sheet->column_count++] =
            (struct fit_column){arena_str(q->a, one), fit_for(q, &f)};
    }
    if (sheet->column_count == 0)
        arena_raise(q->a, FAIL_USAGE,
                    "compare takes GPUs (H100,L40S) or fact=value,value");
    sheet->compared = str_of(fact_spelling(fact));
    sheet->columns = columns;
    if (fact == FACT_engine_version)
        find_steps(q, sheet);
}

static void sweep(struct fit_request *q, struct fit_sheet *sheet) {
    struct str what = str_of(q->question->sweep);
    if (fit_fact_called(q->a, what) != FACT_max_model_len)
        arena_raise(q->a, FAIL_USAGE, "sweep takes max_model_len, not '%.*s'",
                    STR_ARG(what));
    const struct fact *length = &sheet->fit->c.in[FACT_max_model_len];
    int64_t most = length->known ? length->number : 0;
    const struct model *m = sheet->fit->c.model;
    most = m && m->max_position > most ? m->max_position : most;
    struct fit_point *points =
        arena_array(q->a, SWEEP_POINTS, sizeof *points);
    sheet->points = points;
    sheet->point_count = memory_fit_sweep(q->a, sheet->fit, most, points,
                                          SWEEP_POINTS);
}

/* ---- the answer ---- */

static void read_file(struct fit_request *q) {
    struct str bytes = {q->question->config, q->question->config_bytes};
    const char *name = q->question->config_name;
    struct str called = str_of(name != NULL ? name : "config");
    if (bytes.p == NULL)
        return;
    q->file = gguf_is_one(bytes)
                  ? gguf_model(q->a, bytes, called, &q->file_bytes)
                  : hf_config_model(q->a, bytes, called);
}

/* The best verdict of all columns. */
int fit_sheet_verdict(const struct fit_sheet *sheet) {
    static const int numbers[] = {[FIT_YES] = 1, [FIT_LIKELY] = 2,
                                  [FIT_NO] = 0, [FIT_UNKNOWN] = -1};
    static const int ranks[] = {[FIT_YES] = 3, [FIT_LIKELY] = 2,
                                [FIT_NO] = 1, [FIT_UNKNOWN] = 0};
    enum truth_fit best = sheet->fit->fits;
    for (size_t i = 0; i < sheet->column_count; i++) {
        enum truth_fit one = sheet->columns[i].fit->fits;
        best = i == 0 || ranks[one] > ranks[best] ? one : best;
    }
    return numbers[best];
}

/* The answer that is written in full: that of the caller's facts. If the fact
 * that is compared is in the list only, that of the first column that fits. */
static const struct fit *main_answer(struct fit_request *q,
                                     const struct fit_sheet *sheet) {
    enum fact_name fact = sheet->column_count > 0
                              ? fit_fact_called(q->a, sheet->compared)
                              : FACT_COUNT_OF;
    if (sheet->column_count == 0 || sheet->fit->c.in[fact].known)
        return sheet->fit;
    for (size_t i = 0; i < sheet->column_count; i++)
        if (sheet->columns[i].fit->fits == FIT_YES)
            return sheet->columns[i].fit;
    return sheet->columns[0].fit;
}

const struct fit_sheet *fit_sheet_of(struct arena *a, const struct oomkb *kb,
                                     struct reader *r,
                                     const oomkb_fit_question *question,
                                     const struct fit_wishes *wishes) {
    struct fit_request *q = arena_alloc(a, sizeof *q);
    struct fit_sheet *sheet = arena_alloc(a, sizeof *sheet);
    *q = (struct fit_request){.a = a, .question = question, .kb = kb, .r = r,
                         .takes_unknown = wishes->takes_unknown,
                         .is_verdict = wishes->is_verdict};
    q->input.a = a;
    q->input.r = r;
    q->machine = machine_lines(a, wishes->machine);
    take_facts(q);
    read_file(q);
    q->gpus = reader_gpus_of_total(r, 1, INT64_MAX);
    sheet->fit = fit_for(q, NULL);
    if (question->compare != NULL)
        compare(q, sheet);
    if (question->sweep != NULL)
        sweep(q, sheet);
    sheet->main = main_answer(q, sheet);
    return sheet;
}
