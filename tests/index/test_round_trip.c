/* What is written is what is read: every field of every noun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "support/corpus.h"

static void expect_str(struct str found, struct str expected) {
    if (!str_eq(found, expected)) {
        fail_msg("\"%.*s\" instead of \"%.*s\"", STR_ARG(found),
                 STR_ARG(expected));
    }
}

static void expect_list(struct str_list found, struct str_list expected) {
    assert_int_equal(found.count, expected.count);
    for (size_t i = 0; i < found.count; i++) {
        expect_str(found.at[i], expected.at[i]);
    }
}

static void expect_range(const struct version_range *found,
                         const struct version_range *expected) {
    expect_str(found->product, expected->product);
    assert_int_equal(found->event_count, expected->event_count);
    for (size_t i = 0; i < found->event_count; i++) {
        assert_int_equal(found->events[i].is_fixed,
                         expected->events[i].is_fixed);
        expect_str(found->events[i].version, expected->events[i].version);
    }
}

static void come_back_entries(struct arena *a) {
    struct corpus c = tiny_corpus(a);
    const char *loss = round_trip_loss(a, &c);
    if (loss != NULL) {
        fail_msg("lost on the way: %s", loss);
    }
}

static void come_back_engines(struct arena *a) {
    struct corpus c = tiny_corpus(a);
    struct reader *r = tiny_reader(a);
    const struct engine *in = &c.engines[0];
    const struct engine *out = reader_engine_by_id(r, STR("vllm"));
    assert_int_equal(reader_engine_count(r), 1);
    assert_non_null(out);
    assert_ptr_equal(out, reader_engine(r, 0));
    assert_null(reader_engine_by_id(r, STR("vllm2")));
    expect_str(out->name, in->name);
    expect_str(out->newest, in->newest);
    expect_str(out->command, in->command);
    assert_int_equal(out->context_count, 0); /* they are with their patterns */
    assert_int_equal(reader_naming_count(r), 1);
    const struct context_pattern *row = reader_naming(r, 0)->context;
    expect_str(row->pattern, in->contexts[0].pattern);
    assert_int_equal(row->set_count, 1);
    expect_str(context_engine(row), STR("vllm"));
    assert_true(row->is_prose);
    assert_int_equal(reader_everywhere_count(r), 1);
    assert_ptr_equal(reader_everywhere(r, 0), out);
    expect_str(out->task, STR("infer"));
    assert_true(out->is_everywhere);
    assert_int_equal(out->stage_count, 3);
    assert_int_equal(out->stages[2].set_count, 1);
    assert_int_equal(out->stages[2].set[0].name, FACT_work);
    expect_str(out->stages[2].set[0].value, STR("attention"));
    assert_true(out->stages[2].holds && !out->stages[0].holds);
    expect_str(out->stages[0].stage, STR("profile"));
    expect_str(out->stages[1].pattern, STR("^load"));
    assert_true(out->stages[0].is_frame && !out->stages[0].is_weak);
    assert_true(!out->stages[1].is_frame && out->stages[1].is_weak);
    assert_int_equal(out->flag_count, 2);
    assert_int_equal(out->flags[0].fact, FACT_max_model_len);
    expect_str(out->flags[0].flag, STR("--max-model-len"));
    expect_list(out->flags[0].aliases, in->flags[0].aliases);
    expect_list(out->flags[0].keys, in->flags[0].keys);
    expect_range(&out->flags[0].exists, &in->flags[0].exists);
    expect_str(out->flags[1].scale, STR("GiB"));
    assert_int_equal(out->option_count, 1);
    expect_str(out->options[0].flag, in->options[0].flag);
    expect_list(out->options[0].aliases, in->options[0].aliases);
    expect_range(&out->options[0].exists, &in->options[0].exists);
    expect_str(out->options[0].source, in->options[0].source);
    assert_int_equal(out->default_count, 1);
    assert_int_equal(out->defaults[0].fact, FACT_gpu_memory_utilization);
    expect_str(out->defaults[0].value, STR("0.9"));
    expect_range(&out->defaults[0].versions, &in->defaults[0].versions);
    expect_str(out->defaults[0].source, in->defaults[0].source);
}

static void expect_model(const struct model *out, const struct model *in) {
    expect_str(out->id, in->id);
    expect_list(out->aliases, in->aliases);
    expect_str(out->family, in->family);
    assert_int_equal(out->params, in->params);
    assert_int_equal(out->embedding_params, in->embedding_params);
    assert_int_equal(out->layers, in->layers);
    assert_int_equal(out->hidden_size, in->hidden_size);
    assert_int_equal(out->heads, in->heads);
    assert_int_equal(out->vocab_size, in->vocab_size);
    assert_int_equal(out->intermediate_size, in->intermediate_size);
    assert_int_equal(out->max_position, in->max_position);
    expect_str(out->dtype, in->dtype);
    expect_str(out->quantization, in->quantization);
    assert_true(out->is_moe && out->is_multimodal);
    assert_int_equal(out->experts, in->experts);
    assert_int_equal(out->expert_size, in->expert_size);
    assert_int_equal(out->shared_size, in->shared_size);
    assert_int_equal(out->dense_layers, in->dense_layers);
    assert_int_equal(out->mlp_layers, in->mlp_layers);
    assert_int_equal(out->draft_layers, in->draft_layers);
    assert_int_equal(out->other_params, in->other_params);
    assert_true(out->has_plain_mlp);
    expect_str(out->uncounted, in->uncounted);
    expect_str(out->verified, in->verified);
    expect_list(out->sources, in->sources);
    assert_int_equal(out->group_count, in->group_count);
    for (size_t i = 0; i < in->group_count; i++) {
        struct kv_group read, written; /* with their padding */
        memcpy(&read, &out->groups[i], sizeof read);
        memcpy(&written, &in->groups[i], sizeof written);
        expect_str(read.mixer, written.mixer);
        expect_str(read.state_dtype, written.state_dtype);
        read.mixer = read.state_dtype = (struct str){0};
        written.mixer = written.state_dtype = (struct str){0};
        assert_memory_equal(&read, &written, sizeof read);
    }
}

static void come_back_catalogue(struct arena *a) {
    struct corpus c = tiny_corpus(a);
    struct reader *r = tiny_reader(a);
    for (size_t i = 0; i < c.model_count; i++) {
        struct model_match match = reader_model(r, c.models[i].id);
        assert_non_null(match.model);
        assert_false(match.is_guess);
        expect_model(match.model, &c.models[i]);
    }
    for (size_t i = 0; i < c.gpu_count; i++) {
        const struct gpu *gpu = reader_gpu(r, c.gpus[i].id);
        assert_non_null(gpu);
        expect_str(gpu->id, c.gpus[i].id);
        expect_list(gpu->aliases, c.gpus[i].aliases);
        expect_str(gpu->vendor, c.gpus[i].vendor);
        assert_int_equal(gpu->nominal_gb, c.gpus[i].nominal_gb);
        assert_int_equal(gpu->total_low, c.gpus[i].total_low);
        assert_int_equal(gpu->total_high, c.gpus[i].total_high);
        assert_int_equal(gpu->has_fp8, c.gpus[i].has_fp8);
        assert_int_equal(gpu->is_unified, c.gpus[i].is_unified);
        expect_str(gpu->compute_capability, c.gpus[i].compute_capability);
        expect_str(gpu->source, c.gpus[i].source);
    }
}

static void expect_analysis(const struct pattern_analysis *found,
                            const struct pattern_analysis *expected) {
    expect_str(found->prepared, expected->prepared);
    assert_int_equal(found->needs_utf, expected->needs_utf);
    expect_str(found->suffix, expected->suffix);
}

static void come_back_patterns(struct arena *a) {
    struct corpus c = tiny_corpus(a);
    struct pattern_list set = corpus_patterns(a, &c);
    set.at[1].analysis = (struct pattern_analysis){
        .prepared = STR("\\s+"), .needs_utf = true, .suffix = STR("is free")};
    struct index *ix =
        index_open(a, index_write(a, &c, &set, STR("a prefilter")));
    struct reader *r = reader_new(ix, a);
    assert_int_equal(index_pattern_count(ix), set.count);
    assert_int_equal(set.count, 9);
    for (size_t i = 0; i < set.count; i++) {
        const struct pattern *p = reader_pattern(r, (uint32_t)i);
        assert_int_equal(p->id, i);
        assert_int_equal(p->kind, set.at[i].kind);
        assert_int_equal(p->owner, set.at[i].owner);
        assert_int_equal(p->ordinal, set.at[i].ordinal);
        assert_int_equal(p->is_weak, set.at[i].is_weak);
        expect_str(p->text, set.at[i].text);
        expect_list(p->extract, set.at[i].extract);
        expect_analysis(&p->analysis, &set.at[i].analysis);
        assert_ptr_equal(p, reader_pattern(r, (uint32_t)i));
    }
    assert_int_equal(reader_condition_pattern(r, TINY_FULL, 0), 2);
    assert_int_equal(reader_condition_pattern(r, TINY_FULL, 1), 3);
    assert_int_equal(set.at[5].kind, PATTERN_CONTEXT);
    assert_int_equal(set.at[7].kind, PATTERN_STAGE);
}

static void answer_small_questions(struct arena *a) {
    struct reader *r = tiny_reader(a);
    uint32_t number = 99;
    assert_non_null(reader_entry_by_id(r, STR("vllm/older-name"), &number));
    assert_int_equal(number, TINY_FULL);
    const struct entry *head =
        reader_entry_by_id(r, STR("pytorch/cuda-oom"), NULL);
    assert_ptr_equal(head, reader_entry(r, TINY_HEAD));
    assert_null(reader_entry_by_id(r, STR("pytorch/no-such"), &number));
    struct group group = reader_group(r, TINY_FIRST);
    assert_int_equal(group.count, 2);
    assert_int_equal(group.entries[0], TINY_HEAD);
    assert_int_equal(group.entries[1], TINY_FIRST);
    assert_int_equal(reader_group(r, TINY_FULL).count, 1);
    expect_str(reader_component_fold(r, STR("ggml-metal")), STR("llama.cpp"));
    expect_str(reader_component_fold(r, STR("llama.cpp")), STR("llama.cpp"));
    expect_str(reader_component_fold(r, STR("new")), STR("new"));
    expect_str(reader_message(r, LANG_ZH, STR("report.do_first")),
               STR("先做这一步"));
    assert_int_equal(reader_message(r, LANG_EN, STR("no.such")).n, 0);
}

/* Reports and measured count; the AI's five of five for the same do not. */
static void pool_rates(struct arena *a) {
    struct reader *r = tiny_reader(a);
    struct workaround lower = {
        .acts_on = {STR("--max-model-len"), CHANGE_down, 0}};
    struct workaround raise = {
        .acts_on = {STR("--max-model-len"), CHANGE_up, 0}};
    struct workaround end = {.use = STR("end-other-processes")};
    struct workaround nothing = {.acts_on = {.kind = ACT_KIND_none}};
    struct pooled pooled =
        reader_pooled(r, MECHANISM_kv_cache_startup, &lower);
    assert_int_equal(pooled.worked, 11);
    assert_int_equal(pooled.tried, 14);
    pooled = reader_pooled(r, MECHANISM_kv_cache_startup, &end);
    assert_int_equal(pooled.worked, 2);
    assert_int_equal(pooled.tried, 3);
    assert_int_equal(
        reader_pooled(r, MECHANISM_kv_cache_startup, &raise).tried, 0);
    assert_int_equal(
        reader_pooled(r, MECHANISM_kv_cache_startup, &nothing).tried, 0);
    assert_int_equal(reader_pooled(r, MECHANISM_weights, &lower).tried, 0);
}

static void write_the_same_bytes(struct arena *a) {
    struct str first = tiny_image(a), second = tiny_image(a);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.p, second.p, first.n);
    struct corpus c = tiny_corpus(a);
    c.entries[TINY_HEAD].last_verified = STR("2026-11-22");
    struct index *before = index_open(a, first);
    struct pattern_list set = corpus_patterns(a, &c);
    struct index *after = index_open(a, index_write(a, &c, &set, STR("")));
    assert_int_equal(index_digest(before).n, 32);
    assert_false(str_eq(index_digest(before), index_digest(after)));
    expect_str(index_prefilter(before), STR("a prefilter"));
    expect_str(index_prefilter(after), STR(""));
    assert_int_equal(index_entry_count(before), 3);
}

/* Bytes with NUL and 70,000 of them, over several pages. */
static void keep_any_prefilter(struct arena *a) {
    struct corpus c = tiny_corpus(a);
    struct str bytes = {arena_alloc(a, 70000), 70000};
    memset((char *)bytes.p + 5, 0xfe, 60000);
    struct pattern_list set = corpus_patterns(a, &c);
    struct index *ix = index_open(a, index_write(a, &c, &set, bytes));
    expect_str(index_prefilter(ix), bytes);
}

static void keep_an_empty_corpus(struct arena *a) {
    struct corpus c = {.entries = NULL};
    struct pattern_list set = {NULL, 0};
    struct index *ix = index_open(a, index_write(a, &c, &set, STR("")));
    struct reader *r = reader_new(ix, a);
    assert_int_equal(index_entry_count(ix), 0);
    assert_int_equal(reader_engine_count(r), 0);
    assert_null(reader_model(r, STR("Qwen/Qwen2.5-7B")).model);
    assert_null(reader_gpu(r, STR("A100")));
    assert_null(reader_entry_by_id(r, STR("a/b"), NULL));
}

/* The prefilter's bytes are not read: they do not fit. */
static void write_a_long_pack(void *arg) {
    struct corpus c = tiny_corpus(arg);
    struct pattern_list none = {0};
    index_write(arg, &c, &none, (struct str){"", PACK_BYTES_MAX});
}

static void refuse_a_long_pack(struct arena *a) {
    struct fault fault;
    assert_int_equal(arena_guard(a, write_a_long_pack, a, &fault),
                     FAIL_CEILING);
    assert_string_equal(
        fault.text, "the pack of the index is longer than 1073741824 bytes");
}

static void entries(void **state) {
    (void)state;
    with_arena(come_back_entries);
}
static void engines(void **state) {
    (void)state;
    with_arena(come_back_engines);
}
static void catalogue(void **state) {
    (void)state;
    with_arena(come_back_catalogue);
}
static void patterns(void **state) {
    (void)state;
    with_arena(come_back_patterns);
}
static void questions(void **state) {
    (void)state;
    with_arena(answer_small_questions);
}
static void rates(void **state) {
    (void)state;
    with_arena(pool_rates);
}
static void bytes(void **state) {
    (void)state;
    with_arena(write_the_same_bytes);
}
static void prefilters(void **state) {
    (void)state;
    with_arena(keep_any_prefilter);
}
static void long_packs(void **state) {
    (void)state;
    with_arena(refuse_a_long_pack);
}
static void nothing(void **state) {
    (void)state;
    with_arena(keep_an_empty_corpus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries),   cmocka_unit_test(engines),
        cmocka_unit_test(catalogue), cmocka_unit_test(patterns),
        cmocka_unit_test(questions), cmocka_unit_test(rates),
        cmocka_unit_test(bytes),     cmocka_unit_test(prefilters),
        cmocka_unit_test(long_packs), cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
