/* reports.c: see reports.h. One function builds one report, from the facts
 * up, with the helpers below. */
#include "support/reports.h"

#define MIB INT64_C(1048576)
#define GIB (1024 * MIB)
#define LIT(s) {s, sizeof(s) - 1} /* a struct str, also in constants */
#define LIST(a, type, ...) \
    (type *)copied(a, (type[]){__VA_ARGS__}, sizeof((type[]){__VA_ARGS__}))

static void *copied(struct arena *a, const void *from, size_t n) {
    char *to = arena_alloc(a, n);
    for (size_t i = 0; i < n; i++) {
        to[i] = ((const char *)from)[i];
    }
    return to;
}

static struct text both(const char *en, const char *zh) {
    return (struct text){{str_of(en), str_of(zh)}};
}

static struct span exactly(int64_t n) {
    return (struct span){true, n, n};
}

static struct fact number(enum fact_name name, int64_t n, const char *text,
                          uint32_t line) {
    return (struct fact){.name = name,
                         .source = SOURCE_LOG,
                         .known = true,
                         .number = n,
                         .text = str_of(text),
                         .line = line,
                         .gpu = FACT_NONE,
                         .rank = FACT_NONE,
                         .pid = FACT_NONE};
}

static struct fact word(enum fact_name name, const char *text, uint32_t line) {
    struct fact f = number(name, 0, text, line);
    f.word = f.text;
    return f;
}

static void add(struct arena *a, struct fact_list *list, struct fact f) {
    list->at =
        arena_grow(a, list->at, list->count, &list->cap, sizeof *list->at);
    list->at[list->count++] = f;
}

static struct success reported(int64_t worked, int64_t tried) {
    return (struct success){.known = true,
                            .basis = BASIS_reports,
                            .mean = 750000,
                            .low = 480000,
                            .high = 910000,
                            .worked = worked,
                            .tried = tried,
                            .is_few = tried < 3};
}

static struct report *report_new(struct arena *a, const char *name) {
    struct report *r = arena_alloc(a, sizeof *r);
    r->input_name = str_of(name);
    r->lines = 1204;
    r->bytes = 163840;
    return r;
}

/* ---- a KV pool that is too small ---- */

static struct entry *kv_entry(struct arena *a) {
    struct entry *e = arena_alloc(a, sizeof *e);
    e->id = STR("vllm/kv-cache-too-small");
    e->component = STR("vllm");
    e->mechanism = MECHANISM_kv_cache_startup;
    e->provenance = (struct provenance){.confidence_micro = -1,
                                        .fix_rate_micro = -1,
                                        .evidence_count = -1};
    e->title = both("vLLM will not start: the KV cache is smaller than one "
                    "full-length request",
                    "vLLM 无法启动：KV 缓存装不下一个最大长度的请求");
    e->root_cause = both(
        "vLLM promises every request up to max_model_len tokens and checks at "
        "start that the KV cache can hold one. The cache gets what weights "
        "and activations leave of the card's share.",
        "vLLM 承诺每个请求最长可达 max_model_len 个 token，启动时会检查 KV "
        "缓存能否装下一个这样的请求。缓存得到的是占卡比例内扣除权重和激活之后"
        "剩下的显存。");
    e->evidence = LIST(a, struct reference,
                       {STR("https://example.org/threads/101"),
                        STR("2026-08-07"),
                        both("Printed capacities.", "打印的容量。")},
                       {STR("https://example.org/threads/102"),
                        STR("2026-08-07"),
                        both("Two cards.", "两张卡。")});
    e->evidence_count = 2;
    e->docs = LIST(a, struct reference,
                   {STR("https://docs.example.org/memory"), STR("2026-11-21"),
                    both("Options that save memory.", "省显存的选项。")});
    e->doc_count = 1;
    e->relations =
        LIST(a, struct relation,
             {RELATION_confused_with, STR("vllm/no-kv-blocks"),
              both("There nothing is left at all.", "那里一点不剩。")});
    e->relation_count = 1;
    return e;
}

static struct entry *wrapper_entry(struct arena *a) {
    struct entry *e = arena_alloc(a, sizeof *e);
    e->id = STR("vllm/engine-core-failed");
    e->component = STR("vllm");
    e->mechanism = MECHANISM_unspecified;
    e->role = ROLE_wrapper;
    e->title = both("vLLM's engine process died", "vLLM 引擎进程退出");
    e->root_cause = both("Another failure ended it.", "由另一个故障引起。");
    return e;
}

static const struct workaround kv_ways[] = {
    {.id = LIT("lower-max-model-len"),
     .action = {{LIT("Lower the promised context length"),
                 LIT("降低承诺的上下文长度")}},
     .trade_off = {{LIT("Longer prompts are refused."),
                    LIT("更长的输入会被拒绝。")}},
     .acts_on = {LIT("--max-model-len"), CHANGE_down, ACT_KIND_none},
     .effort = EFFORT_flag,
     .effect = EFFECT_max_model_len},
    {.id = LIT("fp8-kv-cache"),
     .action = {{LIT("Store the KV cache in 8 bits"),
                 LIT("用 8 位存 KV 缓存")}},
     .acts_on = {LIT("--kv-cache-dtype"), CHANGE_set, ACT_KIND_none},
     .loses = LOSES_quality,
     .effect = EFFECT_kv_cache_dtype},
    {.id = LIT("raise-utilization"),
     .action = {{LIT("Give vLLM a larger share of the card"),
                 LIT("提高 vLLM 占用显存的比例")}},
     .acts_on = {LIT("--gpu-memory-utilization"), CHANGE_up, ACT_KIND_none},
     .effort = EFFORT_flag,
     .effect = EFFECT_gpu_memory_utilization_up},
    {.id = LIT("quantized-weights"),
     .action = {{LIT("Load quantized weights"), LIT("换成量化权重")}},
     .acts_on = {{NULL, 0}, CHANGE_none, ACT_KIND_smaller_model},
     .loses = LOSES_quality},
};

static struct estimate kv_estimate(int64_t after, enum verdict verdict) {
    return (struct estimate){.verdict = verdict,
                             .quantity = FACT_kv_needed,
                             .limit = exactly(5529 * MIB + 600 * 1024),
                             .before = exactly(8 * GIB),
                             .after = exactly(after),
                             .share_micro = SHARE_NONE,
                             .capacity_micro = SHARE_NONE,
                             .formula = STR("131072 x 44224 = 5796528128")};
}

static struct fix *kv_fixes(struct arena *a, size_t *count) {
    struct fix fixes[] = {
        {.rank = 1,
         .workaround = &kv_ways[0],
         .success = reported(10, 13),
         .applies = APPLIES_YES,
         .how = both("Pass `--max-model-len` with a value the cache can hold, "
                     "rounded down to a whole block.",
                     "用 `--max-model-len` 设一个缓存装得下的值，向下取整到"
                     "整块。"),
         .command = STR("--max-model-len 44224"),
         .has_estimate = true,
         .estimate = kv_estimate(INT64_C(5796528128), VERDICT_ENOUGH)},
        {.rank = 2,
         .workaround = &kv_ways[1],
         .success = reported(1, 2),
         .applies = APPLIES_IF,
         .how = both("`--kv-cache-dtype fp8` halves the bytes per token.",
                     "`--kv-cache-dtype fp8` 让每个 token 的字节数减半。"),
         .command = STR("--kv-cache-dtype fp8"),
         .has_estimate = true,
         .estimate = kv_estimate(4 * GIB, VERDICT_ENOUGH)},
        {.rank = 3,
         .workaround = &kv_ways[3],
         .success = {.known = true,
                     .basis = BASIS_estimate,
                     .mean = 700000,
                     .low = -1,
                     .high = -1,
                     .worked = -1,
                     .tried = -1},
         .applies = APPLIES_YES,
         .how = both("Take a 4-bit checkpoint.", "换用 4 位权重。")},
        {.rank = 4,
         .workaround = &kv_ways[2],
         .applies = APPLIES_YES,
         .how = both("Raise it in steps of 0.01.", "以 0.01 为步长调高。"),
         .command = STR("--gpu-memory-utilization 0.93"),
         .has_estimate = true,
         .estimate = kv_estimate(8 * GIB, VERDICT_NOT_ENOUGH)},
    };
    fixes[3].estimate.short_by = exactly(1230 * MIB);
    *count = sizeof fixes / sizeof *fixes;
    return copied(a, fixes, sizeof fixes);
}

static const struct dead_end kv_dead_end = {
    .action = {{LIT("Lower max_num_seqs"), LIT("调低 max_num_seqs")}},
    .why = {{LIT("The check is about one request."),
             LIT("这里检查的是一个请求。")}},
    .instead = {{LIT("Lower `--max-model-len`."),
                 LIT("降低 `--max-model-len`。")}},
    .fail = {.basis = BASIS_estimate, .rate_micro = 900000},
};

static struct budget kv_budget(struct arena *a) {
    return (struct budget){
        .total = exactly(24 * GIB),
        .parts = LIST(a, struct budget_part,
                      {"weights", exactly(15 * GIB), STR("log line 31")},
                      {"kv_cache", exactly(5530 * MIB), STR("log line 40")},
                      {"activation", {true, GIB, 3 * GIB / 2}, {NULL, 0}},
                      {"reserve", exactly(2458 * MIB), STR("1 - 0.9")}),
        .count = 4};
}

static struct kv kv_of_pool(void) {
    return (struct kv){.fixed = exactly(0),
                       .slope = exactly(131072),
                       .bytes_per_block = exactly(2 * MIB),
                       .bytes_per_request = exactly(8 * GIB),
                       .tokens = {true, 44200, 44240},
                       .max_concurrency = exactly(67),
                       .fits = FIT_NO,
                       .needs = {{FACT_model}, 1}};
}

static struct finding kv_finding(struct arena *a) {
    struct finding f = {.id = STR("0123456789abcdef"),
                        .entry = kv_entry(a),
                        .role = ROLE_root,
                        .cause = -1,
                        .certainty = CERTAINTY_EXACT,
                        .first_line = 40,
                        .last_line = 40,
                        .count = 2,
                        .text = STR("ValueError: ..."),
                        .shortage = SHORT_KV_POOL,
                        .has_kv = true,
                        .kv = kv_of_pool(),
                        .budget = kv_budget(a)};
    struct fact needed = number(FACT_kv_needed, 8 * GIB, "8.00 GiB", 40);
    needed.ranged = true;
    needed.low = 8 * GIB - 5368709;
    needed.high = 8 * GIB + 5368709;
    add(a, &f.facts, needed);
    add(a, &f.facts,
        number(FACT_kv_available, 5529 * MIB + 600 * 1024, "5.40 GiB", 40));
    add(a, &f.facts, number(FACT_max_model_len, 65536, "65536", 40));
    f.instances = LIST(a, struct instance,
                       {40, 40, FACT_NONE, 0, {NULL, 0, 0}},
                       {52, 53, 1, 1, {NULL, 0, 0}});
    f.instance_count = 2;
    f.formulas.at = LIST(a, struct str, STR("2 x 32 x 8 x 128 x 2 = 131072"));
    f.formulas.count = 1;
    f.fixes = kv_fixes(a, &f.fix_count);
    f.dead_ends = LIST(a, struct dead_end_shown,
                       {.dead_end = &kv_dead_end,
                        .fail = {.known = true,
                                 .basis = BASIS_estimate,
                                 .mean = 900000,
                                 .low = -1,
                                 .high = -1,
                                 .worked = -1,
                                 .tried = -1}});
    f.dead_end_count = 1;
    return f;
}

struct report *report_of_kv_pool(struct arena *a) {
    struct report *r = report_new(a, "serve.log");
    r->findings = LIST(a, struct finding, kv_finding(a),
                       {.id = STR("fedcba9876543210"),
                        .entry = wrapper_entry(a),
                        .role = ROLE_wrapper,
                        .cause = 0,
                        .first_line = 88,
                        .last_line = 90,
                        .count = 1});
    r->finding_count = 2;
    add(a, &r->context, word(FACT_engine, "vllm", 3));
    add(a, &r->context, word(FACT_engine_version, "0.9.1", 3));
    r->command_before =
        STR("vllm serve ./model --max-model-len 65536 --port 8000");
    r->command_after =
        STR("vllm serve ./model --max-model-len 44224 --port 8000");
    r->questions = LIST(a, struct question,
                        {.fact = FACT_model,
                         .ask = {.key = "report.label", .arg = {STR("model")},
                                 .count = 1},
                         .how = STR("curl -s localhost:8000/v1/models")});
    r->question_count = 1;
    return r;
}

/* ---- others hold the card ---- */

static const struct workaround start_ways[] = {
    {.id = LIT("lower-utilization"),
     .action = {{LIT("Start with a smaller share"),
                 LIT("用更小的占卡比例启动")}},
     .acts_on = {LIT("--gpu-memory-utilization"), CHANGE_down,
                 ACT_KIND_none},
     .effort = EFFORT_flag},
    {.id = LIT("end-others"),
     .action = {{LIT("Find and end what holds the card"),
                 LIT("找出并结束占着显卡的进程")}},
     .acts_on = {{NULL, 0}, CHANGE_none, ACT_KIND_kill_process},
     .effort = EFFORT_restart},
};

static struct entry *start_entry(struct arena *a) {
    struct entry *e = arena_alloc(a, sizeof *e);
    e->id = STR("vllm/free-memory-below-utilization");
    e->component = STR("vllm");
    e->mechanism = MECHANISM_other_process;
    e->title = both("vLLM will not start: other programs hold this GPU",
                    "vLLM 无法启动：显卡被其他程序占用");
    e->root_cause =
        both("vLLM checks at start that its share of the card is free.",
             "vLLM 启动时会检查自己那一份显存是否空闲。");
    return e;
}

static struct fix *start_fixes(struct arena *a) {
    const int64_t wanted = INT64_C(48330000000);
    return LIST(
        a, struct fix,
        {.rank = 1,
         .workaround = &start_ways[0],
         .applies = APPLIES_YES,
         .how = both("Start again.", "重新启动。"),
         .command = STR("--gpu-memory-utilization 0.66"),
         .has_estimate = true,
         .estimate = {.verdict = VERDICT_ENOUGH,
                      .quantity = FACT_requested_bytes,
                      .limit = exactly(33758442291),
                      .before = exactly(wanted),
                      .after = exactly(33577240494),
                      .formula = STR("0.66 x 50874606749 = 33577240454")}},
        {.rank = 2,
         .workaround = &start_ways[1],
         .success = reported(9, 11),
         .applies = APPLIES_YES,
         .how = both("Workers of an earlier run survive under other names.",
                     "上次运行的 worker 会以别的名字残留。"),
         .command = STR("nvidia-smi --query-compute-apps=pid,process_name,"
                        "used_memory --format=csv"),
         .has_estimate = true,
         .estimate = {.verdict = VERDICT_UNKNOWN,
                      .quantity = FACT_requested_bytes,
                      .needs = {{FACT_other_in_use}, 1}}});
}

struct report *report_of_free_at_start(struct arena *a) {
    struct report *r = report_new(a, "-");
    struct finding f = {.id = STR("00ff00ff00ff00ff"),
                        .entry = start_entry(a),
                        .role = ROLE_root,
                        .cause = -1,
                        .first_line = 10,
                        .last_line = 10,
                        .count = 1,
                        .shortage = SHORT_FREE_AT_START};
    add(a, &f.facts, number(FACT_gpu_free, 33758442291, "31.44 GiB", 10));
    add(a, &f.facts, number(FACT_gpu_total, 50874606749, "47.38 GiB", 10));
    add(a, &f.facts,
        number(FACT_gpu_memory_utilization, 950000, "0.95", 10));
    f.fixes = start_fixes(a);
    f.fix_count = 2;
    r->findings = LIST(a, struct finding, f);
    r->finding_count = 1;
    return r;
}

/* ---- no failure ---- */

struct report *report_of_warning(struct arena *a) {
    struct report *r = report_new(a, "-");
    struct entry *e = arena_alloc(a, sizeof *e);
    e->id = STR("cuda/pinned-memory-refused");
    e->component = STR("cuda");
    e->mechanism = MECHANISM_pinned;
    e->severity = SEVERITY_warning;
    e->title = both("Pinned memory was refused", "锁页内存申请被拒绝");
    e->root_cause = both("The server runs on, slower.", "服务继续，但变慢。");
    r->findings = LIST(a, struct finding,
                       {.id = STR("1111111111111111"),
                        .entry = e,
                        .cause = -1,
                        .first_line = 7,
                        .last_line = 7,
                        .count = 1});
    r->finding_count = 1;
    return r;
}

struct report *report_of_nothing(struct arena *a) {
    struct report *r = report_new(a, "-");
    r->truncated = true;
    add(a, &r->context, word(FACT_engine, "vllm", 3));
    add(a, &r->context, number(FACT_max_model_len, 32768, "32768", 5));
    add(a, &r->context, number(FACT_enforce_eager, 1, "True", 5));
    return r;
}

/* ---- an enemy's log ---- */

struct report *report_of_hostile_log(struct arena *a) {
    struct report *r = report_of_kv_pool(a);
    char *endless = arena_alloc(a, 5001);
    for (size_t i = 0; i < 5000; i++) {
        endless[i] = 'x';
    }
    r->input_name = STR("evil\033]0;owned\007.log");
    r->command_after = STR("vllm serve \033[2Jmodel \x80\xff");
    struct finding *f = &r->findings[0];
    add(a, &f->facts, word(FACT_process_name, "a\033[31mb\r\nc\x9b", 9));
    add(a, &f->facts, word(FACT_model, endless, 9));
    struct fact impossible = number(FACT_gpu_total, 0, "N/A\x1b", 9);
    impossible.known = false;
    impossible.why = STR("printed as N/A");
    add(a, &f->facts, impossible);
    f->remarks = LIST(a, struct note,
                      {.key = "report.seen",
                       .arg = {STR("\033[5mblink\xe2\x80\xae" "txt")},
                       .count = 1});
    f->remark_count = 1;
    add(a, &r->context, word(FACT_model, endless, 9));
    return r;
}
