/* ask.c: passes a workload to `fit`, as a command line and facts of the file.
 *
 *     # image: vllm/vllm-openai:v0.21.0      gives the release
 *     'vllm' 'serve' 'Qwen/Qwen3-8B' '-tp' '2'
 *
 * A workload without a program, but with an image or with flags of only one
 * engine, gets that engine's command in front. `fit` refuses values that cannot
 * be meant; the reason is kept for the finding. */
#include "launch/work.h"

#include "api/fit_input.h"
#include "api/fit_value.h"
#include "diagnose/command.h"
#include "base/limits.h"

/* ---- which engine ---- */

/* The engine's name in images and programs: "llama" for "llama.cpp". */
struct str engine_short_name(const struct engine *e) {
    return str_slice(e->id, 0, str_find_char(e->id, '.'));
}

/* The engine's program: "vllm"; empty if it is a module of Python. */
static struct str engine_program(const struct engine *e) {
    struct str rest, program = str_cut(e->command, ' ', &rest);
    return str_starts(program, STR("python")) ? STR("") : program;
}

static void list_join(struct arena *a, struct str_list *list,
                      const struct str_list *more) {
    struct str *at = arena_array(a, list->count + more->count, sizeof *at);
    for (size_t i = 0; i < list->count + more->count; i++)
        at[i] = i < list->count ? list->at[i] : more->at[i - list->count];
    *list = (struct str_list){at, list->count + more->count};
}

struct engine_words engine_words_of(struct arena *a, struct reader *r) {
    struct engine_words all = {0};
    for (uint32_t i = 0; i < reader_engine_count(r); i++) {
        const struct engine *e = reader_engine(r, i);
        struct str names[] = {engine_short_name(e), engine_program(e)};
        struct str_list list = {names, names[1].n > 0 ? 2 : 1};
        if (e->command.n > 0 && str_in(e->id, fit_engines))
            list_join(a, &all.names, &list);
        list_join(a, &all.clients, &e->clients);
        list_join(a, &all.lookalikes, &e->lookalikes);
    }
    return all;
}

static const struct engine *engine_in(struct lint_work *k, struct str text) {
    struct str small = arena_lower(k->a, text);
    for (size_t i = 0; i < k->engines.lookalikes.count; i++)
        if (str_find(small, k->engines.lookalikes.at[i]) < small.n)
            return NULL;
    for (const char *const *id = fit_engines; *id != NULL; id++) {
        const struct engine *e = reader_engine_by_id(k->r, str_of(*id));
        if (e == NULL || e->command.n == 0)
            continue;
        /* "text-generation-inference", as images are named */
        struct str program = engine_program(e), slug = arena_swap(
            k->a, arena_lower(k->a, e->name), ' ', '-');
        if ((program.n > 0 && str_find(small, program) < small.n) ||
            str_find(small, engine_short_name(e)) < small.n ||
            str_find(small, slug) < small.n)
            return e;
    }
    return NULL;
}

const struct flag *flag_of_variable(const struct engine *e,
                                    struct str variable) {
    for (size_t i = 0; i < e->flag_count; i++)
        for (size_t n = 0; n < e->flags[i].aliases.count; n++)
            if (str_eq(variable, e->flags[i].aliases.at[n]) &&
                str_starts(e->flags[i].flag, STR("--")))
                return &e->flags[i];
    return NULL;
}

/* The engine of an image without a command, if one of its variables is a flag
 * of that engine. */
static const struct engine *engine_of_variables(struct lint_work *k,
                                                const struct workload *w) {
    const struct engine *e = engine_in(k, w->image);
    for (size_t i = 0; e != NULL && i < w->env.count; i++)
        if (flag_of_variable(e, w->env.at[i].name) != NULL)
            return e;
    return NULL;
}

/* True for "vllm" and "$BUILD/bin/llama-server"; false for a flag and for
 * "$PROGRAM". */
static bool starts_program(const struct workload *w) {
    struct str first = word_at(&w->words, 0);
    struct str base = path_base(first);
    return first.n > 0 && first.p[0] != '-' &&
           str_find_char(base, '$') == base.n;
}

/* True if a shell is started. The file need not show what "/bin/sh
 * /app/start.sh" runs. */
static bool starts_shell(const struct workload *w) {
    return word_is_shell(word_at(&w->words, 0));
}

/* True if a word names the engine's program: "vllm", or the module of "python3
 * -m sglang.launch_server". */
static bool names_program(const struct workload *w, const struct engine *e) {
    struct str rest, program = engine_program(e);
    if (program.n == 0)
        for (rest = e->command; rest.n > 0;)
            program = str_cut(rest, ' ', &rest);
    for (size_t i = 1; i < w->words.count; i++)
        if (str_find(w->words.at[i].text, program) <
            w->words.at[i].text.n)
            return true;
    return false;
}

bool workload_is_script(const struct workload *w) {
    return starts_program(w) && (str_ends(w->words.at[0].text, STR(".sh")) ||
                                 str_ends(w->words.at[0].text, STR(".py")));
}

/* The engine in the words before the first flag: "python3 -m
 * sglang.launch_server". */
static const struct engine *engine_of_program(struct lint_work *k,
                                              const struct workload *w) {
    const struct engine *e = NULL;
    for (size_t i = 0; e == NULL && i < w->words.count; i++) {
        struct str text = w->words.at[i].text;
        bool is_module = i > 0 && str_eq(w->words.at[i - 1].text, STR("-m"));
        if (str_starts(text, STR("--")) && i > 0)
            break;
        bool is_path = str_find_char(text, ' ') == text.n;
        if (i > 0 && is_path && !is_module)
            text = path_base(text); /* only the last part of a path is a
                                       program: /root/.ollama/models is none */
        if (i < 6 || is_module)
            e = str_starts(text, STR("-")) ? NULL : engine_in(k, text);
    }
    return e;
}

/* True if a flag of the engine other than that of the model is set. --model-id
 * is a flag of other servers as well. */
static bool sets_memory(const struct engine *e, const struct workload *w) {
    for (size_t i = 0; i < w->words.count; i++) {
        const struct flag *flag = flag_of_word(e, w->words.at[i].text);
        if (flag != NULL && flag->fact != FACT_model)
            return true;
    }
    return false;
}

static const struct engine *engine_of_flags(struct lint_work *k,
                                            const struct workload *w) {
    const char **flags = arena_array(k->a, w->words.count + 1, sizeof *flags);
    size_t count = 0;
    for (size_t i = 0; i < w->words.count; i++)
        if (str_starts(w->words.at[i].text, STR("--")))
            flags[count++] = arena_str(k->a, w->words.at[i].text).p;
    const struct engine *e =
        count >= 2 ? fit_engine_of_flags(k->r, flags) : NULL;
    return e != NULL && sets_memory(e, w) ? e : NULL;
}

/* True for a first word that the image's own program takes: a verb, a model. */
static bool word_is_of_image(struct lint_work *k, struct str word) {
    bool is_path = word.n > 0 && word.p[0] == '/';
    return STR_IS_ONE(path_base(word), "serve", "server") ||
           reader_model(k->r, word).model != NULL ||
           (!is_path && str_find_char(word, '/') < word.n);
}

static const struct engine *engine_of_words(struct lint_work *k,
                                            const struct workload *w) {
    const struct engine *e = NULL;
    if (!starts_program(w)) {
        e = w->image.n > 0 ? engine_in(k, w->image) : NULL;
        return e != NULL ? e : engine_of_flags(k, w);
    }
    e = engine_of_program(k, w);
    if (e == NULL && !starts_shell(w) && !workload_is_script(w) &&
        !word_is_of_image(k, w->words.at[0].text))
        return NULL; /* a program of no engine, which may start none */
    if (e == NULL && w->image.n > 0)
        e = engine_in(k, w->image);
    return e != NULL && starts_shell(w) && !names_program(w, e) ? NULL : e;
}

/* True for words that name an engine but start none:
 *
 *     llama-server --version           prints and ends
 *     llama-bench -m X                 a client: serves nobody
 *     python -m sglang.bench_serving   a client: a module
 *     vllm bench serve --model X       a client: two words */
static bool starts_none(const struct lint_work *k, const struct workload *w) {
    struct str before = {NULL, 0};
    for (size_t i = 0; i < w->words.count; i++) {
        struct str word = w->words.at[i].text, base = path_base(word);
        struct str both = arena_printf(k->a, "%.*s %.*s", STR_ARG(before),
                                       STR_ARG(word));
        if (str_eq(word, STR("--version")) ||
            str_starts(word, STR("--help")) ||
            list_has(&k->engines.clients, base) ||
            list_has(&k->engines.clients, both) ||
            (str_eq(before, STR("-m")) && word_is_client(&k->engines, word)))
            return true;
        before = base;
    }
    return false;
}

/* The engine that takes the flags, by the image or by the words; NULL: none. */
static const struct engine *engine_of_workload(struct lint_work *k,
                                               const struct workload *w) {
    if (starts_none(k, w))
        return NULL;
    if (w->words.count == 0)
        return w->image.n > 0 ? engine_of_variables(k, w) : NULL;
    return engine_of_words(k, w);
}

/* ---- the command ---- */

static void put_quoted(struct buf *out, struct str word) {
    bool has_single = str_find_char(word, '\'') < word.n;
    bool is_plain = word.n > 0;
    for (size_t i = 0; i < word.n; i++)
        is_plain = is_plain && !is_any(word.p[i], " \t\n\"'`$\\|&;<>()#*?");
    const char *quote = is_plain ? "" : has_single ? "\"" : "'";
    buf_printf(out, "%s%.*s%s ", quote, STR_ARG(word), quote);
}

/* Writes variables of flags as flags, unless the command line has that flag. */
static void put_variables(struct buf *out, const struct target *it) {
    for (size_t i = 0; i < it->w->env.count; i++) {
        const struct lint_setting *s = &it->w->env.at[i];
        const struct flag *flag = flag_of_variable(it->engine, s->name);
        if (flag == NULL || s->value.n == 0 ||
            word_of_fact(it, flag->fact) < it->w->words.count ||
            setting_find(&it->w->env, s->name) != s)
            continue;
        put_quoted(out, flag->flag);
        put_quoted(out, s->value);
    }
}

/* The part of a shell's script from the engine's command on. The words before
 * it (ray start --num-gpus=1) have other flags. */
static struct str from_program(const struct engine *e, struct str script) {
    struct str rest, program = str_cut(e->command, ' ', &rest);
    size_t at = str_find(script, program);
    bool is_word = at < script.n && at > 0 &&
                   strchr(" \n;&|", script.p[at - 1]) != NULL &&
                   at + program.n < script.n &&
                   script.p[at + program.n] == ' ';
    return is_word ? str_from(script, at) : script;
}

/* True if the first word is the verb of the command that is put in front:
 * "serve" of "vllm serve". */
static bool is_verb_again(const struct target *it) {
    struct str verb = {NULL, 0};
    str_cut(it->engine->command, ' ', &verb);
    return verb.n > 0 && str_eq(word_at(&it->w->words, 0), verb);
}

/* The path without a folder that is unknown: "Qwen3-8B" for
 * "$HOME/models/Qwen3-8B" and "$(pwd)/Qwen3-8B". */
static struct str without_folder(struct str path) {
    struct str base = path_base(path);
    bool is_open = path.n > 0 && path.p[0] == '$';
    bool is_known = base.n > 0 && base.n < path.n;
    for (size_t i = 0; i < base.n; i++)
        is_known = is_known && strchr("$`()\"' ", base.p[i]) == NULL;
    return is_open && is_known ? base : path;
}

/* The word as `fit` reads it. Of a shell's script it is the engine's command;
 * the output of a command is a gap. */
static struct str word_for_fit(const struct target *it, size_t i) {
    struct str text = it->w->words.at[i].text;
    if (i > 0 && starts_shell(it->w))
        return from_program(it->engine, text);
    text = without_folder(text);
    return str_find(text, STR("$(")) < text.n ? STR("$OUTPUT") : text;
}

/* The number of words to skip at `--quantization modelopt`: it is 8 bits or 4,
 * and the name of the checkpoint tells which. */
static size_t words_without_width(const struct target *it, size_t i) {
    struct option_word o = option_at(&it->w->words, i);
    bool is_known = false;
    if (!STR_IS_ONE(o.name, "--quantization", "-q") ||
        !str_eq(o.value, STR("modelopt")))
        return 0;
    for (size_t n = 0; n < it->w->words.count; n++) {
        struct str base = path_base(it->w->words.at[n].text);
        is_known = is_known || STR_HAS_ONE(base, "NVFP4", "nvfp4", "FP4");
    }
    size_t all = it->w->words.at[i].text.n;
    return !is_known ? 0 : o.name.n < all ? 1 : 2;
}

static const char *command_of(struct lint_work *k, const struct target *it) {
    const struct workload *w = it->w;
    struct buf out = buf_in(k->a, LINT_TEXT_BYTES_MAX);
    if (w->image.n > 0)
        buf_printf(&out, "# image: %.*s\n", STR_ARG(w->image));
    if (!starts_program(w) || engine_of_program(k, w) == NULL)
        buf_printf(&out, "%.*s ", STR_ARG(it->engine->command));
    for (size_t i = is_verb_again(it); i < w->words.count; i++) {
        size_t silent = words_without_width(it, i);
        if (silent == 0)
            put_quoted(&out, word_for_fit(it, i));
        else
            i += silent - 1;
    }
    put_variables(&out, it);
    buf_add_char(&out, '\n');
    return arena_str(k->a, buf_str(&out)).p;
}

/* ---- facts for predicates ---- */

static void add_fact(struct lint_work *k, struct target *it,
                     const struct fact *f) {
    *ARENA_ADD(k->a, it->facts.at, it->facts.count, it->facts.cap) = *f;
}

static void add_bytes(struct lint_work *k, struct target *it,
                      enum fact_name name, int64_t bytes) {
    struct fact f = {.name = name, .source = SOURCE_USER, .known = true,
                     .number = bytes, .low = bytes, .high = bytes,
                     .gpu = FACT_NONE, .rank = FACT_NONE, .pid = FACT_NONE};
    add_fact(k, it, &f);
}

/* Reads "16gb", "64Gi", "512m". All units are powers of 1024, as in docker. */
static bool bytes_of_key(struct str text, int64_t *bytes) {
    struct amount amount;
    struct str number = text;
    static const char letters[] = "bkmgt";
    while (number.n > 0 && is_letter(number.p[number.n - 1]))
        number.n--;
    char unit = number.n < text.n ? to_lower(text.p[number.n]) : 'b';
    const char *at = strchr(letters, unit);
    if (at == NULL ||
        !units_read(str_trim(number), INT64_C(1) << 10 * (at - letters),
                    &amount))
        return false;
    *bytes = amount.value;
    return true;
}

#define SHM_OF_DOCKER (INT64_C(64) << 20)

static void add_keys(struct lint_work *k, struct target *it) {
    const struct workload *w = it->w;
    const struct lint_setting *shm = setting_find(&w->keys, STR("shm_size"));
    const struct lint_setting *ipc = setting_find(&w->keys, STR("ipc"));
    const struct lint_setting *limit = setting_find(&w->keys, STR("mem_limit"));
    bool is_hosts = ipc != NULL && str_eq(ipc->value, STR("host"));
    int64_t bytes;
    if (shm != NULL && bytes_of_key(shm->value, &bytes))
        add_bytes(k, it, FACT_shm_limit, bytes);
    else if (shm == NULL && w->is_container && !is_hosts)
        add_bytes(k, it, FACT_shm_limit, SHM_OF_DOCKER);
    if (limit != NULL && bytes_of_key(limit->value, &bytes) && bytes > 0)
        add_bytes(k, it, FACT_host_limit, bytes);
}

/* Adds the weights of all ranks of one machine: the bytes that are read while
 * the model loads. */
static void add_weights(struct lint_work *k, struct target *it) {
    const struct fit *fit = it->fit;
    int64_t all = fit->weights.low, nodes = machines_of(it->w);
    int64_t ranks = fit->c.in[FACT_tensor_parallel].number *
                    fit->c.in[FACT_pipeline_parallel].number;
    if (fit->weights.known && nodes > 0 &&
        mul_i64(all, ranks > 1 ? ranks : 1, &all))
        add_bytes(k, it, FACT_weights_bytes, all / nodes);
}

struct fit_call { /* a question for `fit`, run within arena_guard() */
    struct lint_work *k;
    oomkb_fit_question question;
    const struct fit *fit;
};

static void fit_call_run(void *arg) {
    struct fit_call *q = arg;
    struct fit_wishes wishes = {.machine = q->k->o->machine,
                                .takes_unknown = true};
    q->fit = fit_sheet_of(q->k->a, q->k->o->kb, q->k->r, &q->question,
                          &wishes)->fit;
}

/* The answer of `fit`. NULL: it refused; *fault is the reason, in English. */
static const struct fit *fit_of(struct lint_work *k, const struct target *it,
                                struct str *fault) {
    struct fit_call q = {.k = k};
    struct fault raised;
    q.question = (oomkb_fit_question){.size = sizeof q.question,
                                      .facts = facts_of(k, it->w),
                                      .command = command_of(k, it)};
    enum fail fail = arena_guard(k->a, fit_call_run, &q, &raised);
    if (fail == FAIL_MEMORY || fail == FAIL_CEILING || fail == FAIL_INDEX)
        arena_raise(k->a, fail, "%s", raised.text);
    *fault = fail != FAIL_NONE ? arena_str(k->a, str_of(raised.text))
                               : STR("");
    return q.fit;
}

/* Asks with the served name in place of the path. The verdict is at most
 * `likely`, since the name may differ from the path's model. */
static void fit_by_served_name(struct lint_work *k, struct target *it) {
    const struct workload *w = workload_by_served(k, it);
    struct target other = {.w = w, .engine = it->engine};
    if (w == NULL)
        return;
    const struct fit *fit = fit_of(k, &other, &other.fault);
    if (fit == NULL || fit->c.model == NULL ||
        (fit->fits != FIT_YES && fit->fits != FIT_LIKELY))
        return;
    struct fit *likely = arena_alloc(k->a, sizeof *likely);
    *likely = *fit;
    likely->fits = FIT_LIKELY;
    it->fit = likely;
    it->fits = FIT_LIKELY;
    it->served = fit->c.in[FACT_model].word;
}

/* Takes back a "does not fit" that rests on a default of `fit`, or that the
 * engine avoids by itself. */
static void verdict_withdraw(struct lint_work *k, struct target *it) {
    enum gap gap = gap_of(it);
    struct str fault;
    if (it->fits != FIT_NO)
        return;
    if (gap == GAP_LENGTH) {
        struct target other = {.w = workload_short(k, it),
                               .engine = it->engine};
        const struct fit *fit = fit_of(k, &other, &fault);
        if (fit != NULL && fit->fits == FIT_NO) {
            it->fit = fit;
            gap = GAP_NONE;
        }
    }
    if (gap == GAP_OTHER && it->fit->weights.known &&
        card_most(it) > 0 && it->fit->weights.low > card_most(it))
        gap = GAP_NONE;
    it->is_placed = is_placed_by_engine(it);
    if (gap != GAP_NONE || it->is_placed)
        it->fits = FIT_UNKNOWN;
}

static void fit_use(struct lint_work *k, struct target *it) {
    it->fits = it->fit != NULL ? it->fit->fits : FIT_UNKNOWN;
    if (it->fit != NULL)
        verdict_withdraw(k, it);
    bound_by_name(k, it);
    if (it->fits == FIT_UNKNOWN)
        fit_by_served_name(k, it);
    if (is_likely_by_size(k, it))
        it->fits = FIT_LIKELY;
    it->room = room_for_weights(it);
    for (int n = 0; it->fit != NULL && n < FACT_COUNT_OF; n++)
        if (it->fit->c.in[n].known && n != FACT_weights_bytes)
            add_fact(k, it, &it->fit->c.in[n]);
    if (it->fit != NULL)
        add_weights(k, it);
}

void target_fit(struct lint_work *k, struct target *it) {
    it->engine = engine_of_workload(k, it->w);
    if (it->engine == NULL)
        return;
    it->fit = fit_of(k, it, &it->fault);
    if (it->fit == NULL &&
        str_find(it->fault, STR(FIT_NO_ENGINE)) < it->fault.n) {
        it->engine = NULL; /* "vllm --version", "ollama serve", a script */
        return;
    }
    fit_use(k, it);
    add_keys(k, it);
}

const struct flag *flag_of_word(const struct engine *e, struct str word) {
    struct str rest;
    return command_flag_row(e, str_cut(word, '=', &rest));
}

size_t word_of_fact(const struct target *it, enum fact_name fact) {
    const struct word_list *words = &it->w->words;
    size_t i = 0;
    const struct flag *flag = NULL;
    for (; i < words->count && (flag == NULL || flag->fact != fact); i++)
        flag = flag_of_word(it->engine, words->at[i].text);
    return flag != NULL && flag->fact == fact ? i - 1 : words->count;
}
