/* question.c: chooses questions whose answers would improve the report, each
 * with the command that prints the answer.
 *
 * They are gathered in this order: what a root without an explanation lacks;
 * what the estimates of the applicable fixes need; what their conditions need.
 * Settings of an engine come last: a user who does not know the model will not
 * know its batch size. Known facts are not asked, and there are at most
 * QUESTIONS_MAX questions.
 */
#include "corpus/device.h"
#include "base/limits.h"
#include "diagnose/work.h"

#define FIXES_SHOWN 5 /* three are shown, and two may replace one of them */
#define DMESG "dmesg -T | grep -i -E 'oom|killed process'"
#define GREP_POOL "grep -E 'KV cache (size|memory)|(GPU|cuda) blocks' LOG"
#define GREP_MESSAGE "grep -n -A4 -i 'out of memory' LOG"
#define JOURNAL "journalctl -b | grep -i -E 'memory peak|killed process'"
#define TIME_V "/usr/bin/time -v COMMAND 2>&1 | grep 'Maximum resident'"
#define PRINT_TORCH "python3 -c \"import torch; print(torch.__version__)\""

static const struct fact_question {
    enum fact_name fact;
    const char *ask, *how;
} fact_questions[] = {
    {FACT_model, "diagnose.ask.model", ""},
    {FACT_engine, "diagnose.ask.engine", "ps -eo pid,args | grep -i -E "
                                         "'vllm|sglang|python'"},
    {FACT_engine_version, "diagnose.ask.engine_version", ""},
    {FACT_torch_version, "diagnose.ask.torch_version", PRINT_TORCH},
    {FACT_cuda_version, "diagnose.ask.driver", "gpu_list"},
    {FACT_driver_version, "diagnose.ask.driver", "gpu_list"},
    {FACT_gpu_name, "diagnose.ask.gpu", "gpu_list"},
    {FACT_gpu_total, "diagnose.ask.gpu", "gpu_list"},
    {FACT_gpu_count, "diagnose.ask.gpu", "gpu_list"},
    {FACT_gpu_free, "diagnose.ask.others", "gpu_processes"},
    {FACT_other_in_use, "diagnose.ask.others", "gpu_processes"},
    {FACT_process_in_use, "diagnose.ask.others", "gpu_processes"},
    {FACT_stage, "diagnose.ask.traceback", ""},
    {FACT_os, "diagnose.ask.os", ""},
    {FACT_host_rss, "diagnose.ask.kernel", DMESG},
    {FACT_host_total, "diagnose.ask.host", "free -h"},
    {FACT_host_free, "diagnose.ask.host", "free -h"},
    {FACT_host_used, "diagnose.ask.host", "free -h"},
    {FACT_weights_bytes, "diagnose.ask.weights",
     "grep -m1 -E 'Model loading took|model weights take' LOG"},
    {FACT_activation_peak, "diagnose.ask.profile",
     "grep -E 'activation peak|Actual usage is|Memory profiling' LOG"},
    {FACT_non_torch, "diagnose.ask.profile",
     "grep -E 'activation peak|Actual usage is|Memory profiling' LOG"},
    {FACT_cuda_graph_bytes, "diagnose.ask.profile",
     "grep -E 'Graph capturing finished|CUDA graph' LOG"},
    {FACT_kv_available, "diagnose.ask.profile", GREP_POOL},
    {FACT_kv_tokens, "diagnose.ask.profile", GREP_POOL},
    {FACT_kv_blocks, "diagnose.ask.profile", GREP_POOL},
    {FACT_tried_alloc, "diagnose.ask.message", GREP_MESSAGE},
    {FACT_pytorch_allocated, "diagnose.ask.message", GREP_MESSAGE},
    {FACT_pytorch_reserved, "diagnose.ask.message", GREP_MESSAGE},
    {FACT_pytorch_unallocated, "diagnose.ask.message", GREP_MESSAGE},
    {FACT_shares_host_memory, "diagnose.ask.shared", ""},
    {FACT_task, "diagnose.ask.task", ""},
    {FACT_oom_scope, "diagnose.ask.scope", ""},
    {FACT_gpu_layers, "diagnose.ask.layers", ""},
    {FACT_num_workers, "diagnose.ask.workers", ""},
    {FACT_batch_size, "diagnose.ask.batch", ""},
    {FACT_seq_len, "diagnose.ask.length", ""},
};

/* Where the peak of memory is kept if the user cannot read the kernel's log, or
 * the kernel had no part in the failure. Without a command, a page or a graph
 * of the place may show it. */
static const struct peak_source {
    const char *component;
    enum fact_name fact; /* the fact that names the job */
    const char *prefix, *placeholder, *suffix;
} peak_sources[] = {
    {"slurm", FACT_job_id, "sacct -j ", "JOBID",
     " --format=JobID,State,MaxRSS,ReqMem"},
    {"kubernetes", FACT_pod, "kubectl exec ", "POD",
     " -- cat /sys/fs/cgroup/memory.peak"},
    {"pbs", FACT_job_id, "qstat -fx ", "JOBID", " | grep resources_used"},
    {"systemd", FACT_job_id, JOURNAL, "", ""},
    {"sge", FACT_job_id, "qacct -j ", "JOBID", " | grep maxvmem"},
    {"cloud", FACT_job_id, "", "", ""},
    {"huggingface-spaces", FACT_job_id, "", "", ""},
    {"jupyter", FACT_job_id, "", "", ""},
    {"ray", FACT_job_id, "", "", ""},
    {"dask", FACT_job_id, "", "", ""},
    {"yarn", FACT_job_id, "", "", ""},
    {"spark", FACT_job_id, "", "", ""},
    {"windows", FACT_job_id, "", "", ""},
};

/* The fact's own question; NULL: it has none. */
static const struct fact_question *fact_question_of(enum fact_name name) {
    for (size_t i = 0; i < sizeof fact_questions / sizeof *fact_questions; i++)
        if (fact_questions[i].fact == name)
            return &fact_questions[i];
    return NULL;
}

/* True for settings of the engine. Its first lines show them. */
static bool is_setting(const struct diagnosis *d, enum fact_name n) {
    return engine_flag_of(d->engine, n) != NULL;
}

static struct str version_how(struct diagnosis *d) {
    if (!d->engine)
        return (struct str){NULL, 0};
    return arena_printf(d->a, "pip show %.*s | grep Version",
                        STR_ARG(d->engine->id));
}

/* The command that prints the engine's first lines, if it lists its settings
 * there. */
static struct str settings_how(struct diagnosis *d) {
    if (d->engine->lists.n == 0)
        return (struct str){NULL, 0};
    return arena_printf(d->a, "grep -m3 -E '%.*s' LOG",
                        STR_ARG(d->engine->lists));
}

/* True for facts that the user of the program knows: those with a question of
 * their own, and settings of the engine. Other facts are in logs only and are
 * not asked for a condition. */
static bool is_known_to_user(const struct diagnosis *d, enum fact_name name) {
    return is_setting(d, name) || fact_question_of(name) != NULL;
}

static struct question question_of(struct diagnosis *d, enum fact_name name) {
    bool is_word = fact_unit(name) == UNIT_TEXT;
    struct question q = {.fact = name,
                         .ask = note_of(is_word ? "diagnose.ask.word"
                                                : "diagnose.ask.fact")};
    const struct fact_question *own = fact_question_of(name);
    if (own) {
        q.ask = note_of(own->ask);
        q.how = str_of(own->how);
    }
    if (q.how.n == 0 && is_setting(d, name)) {
        q.how = settings_how(d);
        if (name != FACT_model && !own) { /* the flag, as it is typed */
            q.ask = note_of("diagnose.ask.setting");
            note_add(&q.ask, engine_flag_of(d->engine, name)->flag);
            return q;
        }
    } else if (name == FACT_engine_version) {
        q.how = version_how(d);
    }
    note_add(&q.ask, fact_label(d->a, name));
    return q;
}

struct inquiry {
    struct diagnosis *d;
    struct report *rep;
    const struct fact_list *known; /* of the finding that needs the answer */
    size_t which;                  /* index of that finding in the report */
    const struct fix *about;       /* the fix that needs the answer; NULL: the
                                      cause needs it */
};

static bool is_asked(const struct inquiry *to, const struct question *q) {
    for (size_t i = 0; i < to->rep->question_count; i++) {
        const struct question *old = &to->rep->questions[i];
        bool is_same_text = str_eq(str_of(old->ask.key), str_of(q->ask.key)) &&
                            str_eq(old->how, q->how) && q->how.n > 0;
        if (old->fact == q->fact || is_same_text)
            return true;
    }
    return false;
}

static void question_add(struct inquiry *to, const struct question *q) {
    struct report *rep = to->rep;
    if (rep->question_count < QUESTIONS_GATHERED_MAX && !is_asked(to, q)) {
        rep->questions[rep->question_count] = *q;
        rep->questions[rep->question_count].finding = to->which;
        rep->questions[rep->question_count++].about = to->about;
    }
}

/* True for a native program: it has only the settings of its file. */
static bool is_native(const struct diagnosis *d) {
    return d->engine && d->engine->is_native;
}

/* False for facts that no user knows: derived ones, settings of an engine that
 * is not known, and settings that were not set by the engine's own list. */
static bool is_answerable(const struct diagnosis *d, enum fact_name name) {
    bool is_setting_of_some = name >= FACT_dtype && name <= FACT_prefix_caching;
    return name != FACT_memory_limit && name != FACT_victim_rss &&
           (name != FACT_model || is_setting(d, name)) &&
           (d->engine || !is_setting_of_some) &&
           !(is_setting_of_some && is_native(d) && !is_setting(d, name)) &&
           !(d->lists_settings && name != FACT_model && is_setting(d, name));
}

/* Replaces the name of a tool by that of the maker of this device. */
static struct str tool_of_maker(struct str how, struct str kind) {
    enum device_tool which;
    return device_tool_named(how, &which) ? device_tool(kind, which) : how;
}

/* True for the amounts in PyTorch's message. They are not asked if that message
 * was read. */
static bool is_of_message(const struct inquiry *to, enum fact_name name) {
    return (name == FACT_pytorch_allocated || name == FACT_pytorch_reserved ||
            name == FACT_pytorch_unallocated) &&
           (facts_first(to->known, FACT_tried_alloc) ||
            !facts_first(to->known, FACT_oom_words));
}

/* True if the request exceeds the whole GPU. It fails even on an empty one. */
static bool is_beyond_gpu(const struct inquiry *to) {
    const struct fact *tried = facts_last(to->known, FACT_tried_alloc);
    const struct fact *total = facts_last(to->known, FACT_gpu_total);
    return tried && total && tried->number > total->number;
}

/* True for facts of a GPU. They do not matter to a failure of host memory or of
 * a TPU. */
static bool is_of_gpu(enum fact_name name) {
    return name == FACT_gpu_free || name == FACT_gpu_total ||
           name == FACT_other_in_use || name == FACT_others_in_use;
}

/* True if the framework holds more than nine tenths of the GPU: other processes
 * do not matter. */
static bool is_held_by_framework(const struct inquiry *to) {
    const struct fact *held = facts_last(to->known, FACT_pytorch_reserved);
    const struct fact *total = facts_last(to->known, FACT_gpu_total);
    held = held ? held : facts_last(to->known, FACT_pytorch_allocated);
    return held && total && held->number > total->number / 10 * 9;
}

static bool is_windows(const struct inquiry *to) {
    const struct fact *os = facts_first(to->known, FACT_os);
    os = os ? os : facts_first(&to->rep->context, FACT_os);
    return os && str_eq_nocase(os->word, STR("windows"));
}

/* True if the model is known. Without it nothing follows from the optimizer. */
static bool is_model_known(const struct inquiry *to) {
    return facts_first(to->known, FACT_model) ||
           facts_first(&to->rep->context, FACT_model);
}

/* True if the answer would change nothing, or if there is none. */
static bool is_pointless(const struct inquiry *to, enum fact_name name) {
    bool is_elsewhere = facts_say(to->known, FACT_device_kind, "host") ||
                        facts_say(to->known, FACT_device_kind, "tpu");
    return is_of_message(to, name) ||
           (name == FACT_optimizer && !is_model_known(to)) ||
           (is_of_gpu(name) && (is_elsewhere || is_beyond_gpu(to) ||
                                is_held_by_framework(to)));
}

static void question_add_fact(struct inquiry *to, enum fact_name name) {
    bool is_known = facts_first(to->known, name) ||
                    facts_first(&to->rep->context, name);
    if (!is_known && !is_pointless(to, name) && is_answerable(to->d, name)) {
        struct question q = question_of(to->d, name);
        q.how = tool_of_maker(q.how, device_of(to->d, to->known));
        if (name == FACT_gpu_count && facts_first(to->known, FACT_gpu_total))
            q.ask = note_of("diagnose.ask.gpu_count");
        if (str_starts(q.how, STR("free")) && is_windows(to))
            q.how = STR("systeminfo | findstr Memory");
        question_add(to, &q);
    }
}

/* ---- questions of a finding ---- */

/* True for a word that needs no quotes in a shell. */
static bool is_plain_word(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        bool is_mark = s.p[i] == '.' || (s.p[i] == '-' && i > 0);
        if (!is_word(s.p[i]) && !is_mark)
            return false;
    }
    return s.n > 0;
}

static const struct peak_source *peak_source_of(const struct entry *e) {
    for (size_t i = 0; i < sizeof peak_sources / sizeof peak_sources[0]; i++)
        if (str_eq(e->component, str_of(peak_sources[i].component)))
            return &peak_sources[i];
    return NULL;
}

/* True if the process was killed by SIGKILL, which no process sends to
 * itself. */
static bool is_killed(const struct finding *f) {
    const struct fact *code = facts_first(&f->facts, FACT_exit_code);
    return facts_say(&f->facts, FACT_signal, "SIGKILL") ||
           (code && (code->number == 128 + 9 || code->number == -9));
}

/* True if the failure was caused by the kernel of the user's own machine. */
static bool is_of_kernel(const struct finding *f) {
    return STR_IS_ONE(f->entry->component, "linux-kernel", "docker") ||
           is_killed(f);
}

static struct str how_kept(struct arena *a, const struct peak_source *k,
                           const struct finding *f) {
    const struct fact *who = facts_first(&f->facts, k->fact);
    bool is_named = who && k->placeholder[0] != '\0' &&
                    is_plain_word(who->text);
    struct str name = is_named ? who->text : str_of(k->placeholder);
    return arena_printf(a, "%s%.*s%s", k->prefix, STR_ARG(name), k->suffix);
}

/* Asks for the peak of host memory: where it is kept, else in the kernel's log
 * if the kernel killed the process, else by a second run. */
static void peak_question_add(struct inquiry *to, const struct finding *f) {
    const struct peak_source *k = peak_source_of(f->entry);
    if (!k && is_of_kernel(f)) {
        question_add_fact(to, FACT_host_rss);
        return;
    }
    struct question q = {.fact = FACT_host_rss,
                         .ask = note_of("diagnose.ask.peak")};
    if (k)
        q.how = how_kept(to->d->a, k, f);
    else if (!is_windows(to))
        q.how = STR(TIME_V);
    question_add(to, &q);
}

/* True if frames could choose another entry: the group has several. */
static bool frames_may_decide(struct diagnosis *d, const struct entry *e) {
    uint32_t number;
    return !reader_entry_by_id(d->r, e->id, &number) ||
           reader_group(d->r, number).count > 1;
}

static void root_questions_add(struct inquiry *to, const struct finding *f) {
    const struct entry *e = f->entry;
    if (e->role != ROLE_root) { /* a wrapper that became a root */
        struct question q = question_of(to->d, FACT_stage);
        q.ask = note_of("diagnose.ask.above");
        note_add(&q.ask, written_line(to->d->a, f->first_line));
        q.how = STR("grep -n -i -m20 -E "
                    "'out of memory|error|killed|traceback' LOG");
        question_add(to, &q);
        return;
    }
    bool is_bare = e->mechanism == MECHANISM_host_ram &&
                   !facts_first(&f->facts, FACT_host_rss) &&
                   !facts_first(&f->facts, FACT_host_used) &&
                   !facts_first(&f->facts, FACT_requested_bytes) &&
                   !facts_first(&f->facts, FACT_tried_alloc);
    if (is_bare && is_killed(f))
        peak_question_add(to, f);
    if (e->mechanism == MECHANISM_unspecified && !f->has_trace &&
        !is_native(to->d) && frames_may_decide(to->d, e))
        question_add_fact(to, FACT_stage);
}

/* Asks for the peak only where it is kept. */
static void kept_peak_question_add(struct inquiry *to,
                                   const struct finding *f) {
    const struct peak_source *k = peak_source_of(f->entry);
    if (k != NULL ? k->prefix[0] != '\0' : is_of_kernel(f))
        peak_question_add(to, f);
}

/* True if the report warns against ending other processes: free GPU memory then
 * does not matter. */
static bool is_free_memory_moot(const struct finding *f) {
    for (size_t i = 0; i < f->dead_end_count; i++) {
        const struct dead_end *x = f->dead_ends[i].dead_end;
        if (x != NULL && x->acts_on.kind == ACT_KIND_kill_process)
            return true;
    }
    return false;
}

/* True if frames, a command or the log show the program. */
static bool is_program_shown(const struct inquiry *to,
                             const struct finding *f) {
    return f->has_trace || to->d->script.n > 0 ||
           facts_first(&to->rep->context, FACT_program) != NULL;
}

/* True if a fix shows the batch size: "from 16 to 4". */
static bool is_batch_shown(const struct finding *f) {
    for (size_t i = 0; i < f->fix_count; i++)
        if (f->fixes[i].workaround->effect == EFFECT_batch_size &&
            f->fixes[i].lowers.key != NULL)
            return true;
    return false;
}

/* True if the log or a fix shows the value, or if it does not matter. */
static bool is_settled(const struct inquiry *to, const struct finding *f,
                       enum fact_name name) {
    bool is_free = name == FACT_gpu_free || name == FACT_other_in_use;
    return name == FACT_tried_alloc ||
           (name == FACT_batch_size && is_batch_shown(f)) ||
           (is_free && is_free_memory_moot(f)) ||
           (name == FACT_engine && is_program_shown(to, f));
}

static void need_questions_add(struct inquiry *to, const struct finding *f) {
    for (size_t i = 0; i < f->fix_count && i < FIXES_SHOWN; i++) {
        const struct fix *fix = &f->fixes[i];
        bool is_open = fix->has_estimate && fix_is_offered(fix) &&
                       verdict_is_open(fix->estimate.verdict);
        to->about = fix;
        for (size_t k = 0; is_open && k < fix->estimate.needs.count; k++) {
            enum fact_name name = fix->estimate.needs.at[k];
            if (name == FACT_host_rss)
                kept_peak_question_add(to, f);
            else if (!is_settled(to, f, name))
                question_add_fact(to, name);
        }
    }
}

/* Asks for the conditions of the first fixes. Later ones are not shown. */
static void condition_questions_add(struct inquiry *to,
                                    const struct finding *f) {
    struct fact_list facts = facts_in_force(to->d, &f->facts);
    bool is_shown = is_program_shown(to, f);
    for (size_t i = 0; i < f->fix_count && i < FIXES_SHOWN; i++) {
        const struct str_list *when = &f->fixes[i].workaround->when;
        to->about = &f->fixes[i];
        for (size_t k = 0; f->fixes[i].applies == APPLIES_IF &&
                           k < when->count; k++) {
            struct verdict_when v =
                when_truth(to->d, when->at[k], &facts, f->form);
            for (size_t n = 0; v.truth == TRUTH_UNKNOWN &&
                               n < v.name_count && n < 16; n++) {
                bool is_stage = v.names[n] == FACT_stage && f->has_trace;
                bool is_engine = v.names[n] == FACT_engine && is_shown;
                if (!is_stage && !is_engine &&
                    is_known_to_user(to->d, v.names[n]))
                    question_add_fact(to, v.names[n]);
            }
        }
    }
}

/* True if no possible answer would change the report. FACT_stage is always
 * asked: it stands for the frames, which choose the entry. */
static bool changes_nothing(const struct diagnosis *d, const struct report *rep,
                            const struct question *q) {
    return q->fact != FACT_stage &&
           !answer_would_decide(d, &rep->findings[q->finding],
                                &d->bare[q->finding], q->fact);
}

/* Keeps the questions that decide something, at most QUESTIONS_MAX. */
static void drop_idle_questions(const struct diagnosis *d, struct report *rep) {
    size_t kept = 0;
    for (size_t i = 0; i < rep->question_count && kept < QUESTIONS_MAX; i++)
        if (!changes_nothing(d, rep, &rep->questions[i]))
            rep->questions[kept++] = rep->questions[i];
    rep->question_count = kept;
}

/* Moves settings to the end; the sort is stable. */
static void move_settings_last(const struct diagnosis *d, struct report *rep) {
    size_t kept = 0;
    struct question last[QUESTIONS_GATHERED_MAX];
    size_t last_count = 0;
    for (size_t i = 0; i < rep->question_count; i++) {
        struct question q = rep->questions[i];
        bool is_last = q.fact != FACT_model && is_setting(d, q.fact);
        if (is_last)
            last[last_count++] = q;
        else
            rep->questions[kept++] = q;
    }
    for (size_t i = 0; i < last_count; i++)
        rep->questions[kept++] = last[i];
    rep->question_count = kept;
}

void questions_find(struct diagnosis *d, struct report *rep) {
    rep->questions = arena_array(d->a, QUESTIONS_GATHERED_MAX,
                                 sizeof *rep->questions);
    for (size_t i = 0; i < rep->finding_count; i++) {
        const struct finding *f = &rep->findings[i];
        struct inquiry to = {d, rep, &f->facts, i, NULL};
        bool is_over = f->entry->severity == SEVERITY_recovery ||
                       f->entry->severity == SEVERITY_info;
        if (f->role != ROLE_root || is_over)
            continue;
        root_questions_add(&to, f);
        need_questions_add(&to, f);
        condition_questions_add(&to, f);
    }
    move_settings_last(d, rep);
    drop_idle_questions(d, rep);
}
