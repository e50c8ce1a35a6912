/* kb_fields.c: the keys of the files in kb/. */
#include "corpus/field_rows.h"

static const struct field context_fields[] = {
    KEY(context_pattern, pattern, PATTERN,
        "groups are facts, and `command`: the user's command line", REQUIRED),
    LIST("set", context_pattern, set, set_count, SETTINGS,
        "facts that the line establishes"),
    NAMED("prose", context_pattern, is_prose, YES_NO,
        "what people write of the failed run: it counts below the failure as "
        "well, and only where no program says it"),
    NAMED("printed", context_pattern, is_printed, YES_NO,
        "what the program alone prints, or the shell that ran it: it counts "
        "below the failure as well, with the settings that stand in it"),
    KEY(context_pattern, layer, INTEGER, "", DERIVED),
    NOWHERE("weak", YES_NO, "no literal of 8 bytes"),
    {0},
};
SHAPE(context, context_pattern, "context",
    "A line whose facts hold for the whole log.");

static const struct field stage_fields[] = {
    KEY(stage_anchor, stage, CHOICE, "which stage", .words = WORDS_STAGE),
    LIST("set", stage_anchor, set, set_count, SETTINGS,
        "facts of the incident: those of the innermost such frame"),
    KEY(stage_anchor, holds, YES_NO,
        "what runs inside that frame is still what it tells"),
    NAMED("frame", stage_anchor, pattern, PATTERN,
        "stands in the incident's traceback",
        .mark_at = offsetof(struct stage_anchor, is_frame)),
    NAMED("passed", stage_anchor, pattern, PATTERN,
        "a line that was passed before", ALIAS),
    NAMED("weak", stage_anchor, is_weak, YES_NO, "no literal of 8 bytes"),
    KEY(stage_anchor, is_frame, YES_NO, "", DERIVED),
    {0},
};
static SHAPE(stage, stage_anchor, "stage",
    "What a line tells of an incident: `stage`, `set` or both; by one of "
    "`frame`, `passed`.");

static const struct field flag_fields[] = {
    KEY(flag, fact, FACT, "what it sets", REQUIRED),
    KEY(flag, flag, LINE, "as the engine documents it", REQUIRED),
    KEY(flag, aliases, LINES, "other spellings on a command line"),
    KEY(flag, keys, LINES,
        "its names in dumps, config files and Python calls"),
    KEY(flag, scale, LINE, "what a bare number counts: GiB, MiB ..."),
    KEY(flag, try_down, LINE,
        "a first value for a fix that lowers it, where the log does not show "
        "the one in force"),
    KEY(flag, try_up, LINE, "the same for a fix that raises it"),
    LIST("exists", flag, exists.events, exists.event_count, EVENTS,
        "which releases take it; left out: all"),
    NAMED("product", flag, exists.product, LINE, "", DERIVED),
    {0},
};
static SHAPE(flag, flag, "flag", "A setting, wherever it is written.");

static const struct field option_fields[] = {
    KEY(option, flag, LINE,
        "the flag or variable; with a value where that came later", REQUIRED),
    KEY(option, aliases, LINES, "other spellings"),
    LIST("exists", option, exists.events, exists.event_count, EVENTS,
        "which releases take it; left out: all"),
    KEY(option, offloads, YES_NO,
        "moves weights or cache to the host: `fit` then never says that it "
        "does not fit"),
    KEY(option, source, LINK, "where that stands", REQUIRED),
    NAMED("product", option, exists.product, LINE, "", DERIVED),
    {0},
};
static SHAPE(option, option, "option",
    "A setting that fixes name and no fact reads.");

static const struct field default_fields[] = {
    KEY(engine_default, fact, FACT, "which setting", REQUIRED),
    KEY(engine_default, value, LINE, "as it would be printed", REQUIRED),
    LIST("events", engine_default, versions.events, versions.event_count,
        EVENTS, "in which releases", REQUIRED),
    KEY(engine_default, source, LINE, "where that stands", REQUIRED),
    NAMED("product", engine_default, versions.product, LINE, "", DERIVED),
    {0},
};
static SHAPE(default, engine_default, "default",
    "What an engine takes where nobody says.");

static const struct field engine_fields[] = {
    KEY(engine, id, ID, "", DERIVED),
    KEY(engine, name, LINE, "as people write it", REQUIRED),
    KEY(engine, newest, LINE,
        "newest release this was checked against", REQUIRED),
    NOWHERE("newest_seen", DATE,
        "of what was read, the day of its last release; entries verified "
        "before are due; left out: not known"),
    KEY(engine, calls, LINES,
        "engines whose code it runs: one word of its own outweighs all of "
        "their frames"),
    KEY(engine, command, LINE, "how its command line begins"),
    KEY(engine, clients, LINES,
        "words of commands that start no engine: a program (`llama-bench`), a "
        "part of a module's name (`bench_serving`), a word and the next one "
        "(`ollama list`)"),
    KEY(engine, lookalikes, LINES,
        "other programs with its name in theirs, in small letters: "
        "`llama-swap`"),
    KEY(engine, task, LINE,
        "what it is for, where that is one thing: train, infer"),
    NAMED("native", engine, is_native, YES_NO,
        "true: its failures print lines, and no traceback"),
    KEY(engine, lists, LINE,
        "for grep -E: words of the line that lists its settings at start"),
    NAMED("programs", engine, has_programs, YES_NO,
        "what shows the programs of `kb/programs/` is read behind its rows"),
    NAMED("everywhere", engine, is_everywhere, YES_NO,
        "its rows are read whatever the engine is"),
    LIST("contexts", engine, contexts, context_count, LIST,
        "facts for the whole log", .shape = &shape_context),
    LIST("stages", engine, stages, stage_count, LIST,
        "first row in the traceback; else the row passed last",
        .shape = &shape_stage),
    LIST("flags", engine, flags, flag_count, LIST,
        "its settings", .shape = &shape_flag),
    LIST("options", engine, options, option_count, LIST,
        "further settings that fixes name", .shape = &shape_option),
    KEY(engine, idle, LINES,
        "flags that change no memory: `fit` does not remark on them"),
    LIST("defaults", engine, defaults, default_count, LIST,
        "their defaults", .shape = &shape_default),
    {0},
};
SHAPE(engine, engine, "engine",
    "`kb/engines/<id>.yaml`: what an engine prints and takes.");

static const char *const kv_kinds[] = {
#define X(w) #w,
    KV_KIND_WORDS(X)
#undef X
    NULL};

static const char *const mixer_words[] = {"mamba1", "mamba2", "gdn",
                                          "kda",    "linear", "conv", NULL};
static const char *const dtype_words[] = {"bfloat16", "float16", "float32",
                                          NULL};

static const struct field group_fields[] = {
    KEY(kv_group, kind, WORD,
        "what the layers keep", .choices = kv_kinds, REQUIRED),
    KEY(kv_group, layers, INTEGER, "how many layers", REQUIRED),
    KEY(kv_group, kv_heads, INTEGER, "full, sliding, chunked, cross"),
    KEY(kv_group, k_dim, INTEGER, "elements per head; mla: once spread out"),
    KEY(kv_group, v_dim, INTEGER, "elements per head; mla: once spread out"),
    KEY(kv_group, window, INTEGER, "sliding, chunked: tokens"),
    KEY(kv_group, latent_dim, INTEGER,
        "mla: kv_lora_rank + qk_rope_head_dim; indexer: bytes a row"),
    KEY(kv_group, ratio, INTEGER,
        "mla, indexer: tokens that share one row; left out: one"),
    KEY(kv_group, state_bytes, INTEGER,
        "state: per layer and sequence, all in 16 bits, where its parts are "
        "not known"),
    KEY(kv_group, mixer, CHOICE,
        "state: how it is made", .choices = mixer_words),
    KEY(kv_group, conv_channels, INTEGER,
        "state: that its convolution looks back on"),
    KEY(kv_group, conv_steps, INTEGER, "state: tokens that it looks back"),
    KEY(kv_group, conv_groups, INTEGER,
        "mamba2: n_groups, of which each rank keeps at least one"),
    KEY(kv_group, group_channels, INTEGER,
        "mamba2: conv_channels of one such group"),
    KEY(kv_group, state_elements, INTEGER,
        "state: of the recurrent state, all heads"),
    KEY(kv_group, state_dtype, CHOICE,
        "state: that config.json asks for", .choices = dtype_words),
    KEY(kv_group, q_rank, INTEGER,
        "mla: q_lora_rank; left out: queries are not compressed"),
    KEY(kv_group, rope_dim, INTEGER,
        "mla: qk_rope_head_dim, a part of latent_dim and of k_dim"),
    KEY(kv_group, params, INTEGER, "state: weights of one layer's mixer"),
    NAMED("gated", kv_group, is_gated, YES_NO,
        "attention has a gate as wide as its queries"),
    {0},
};
static SHAPE(group, kv_group, "kv group",
    "Layers that keep the same kind of cache.");

static const char *const verified_words[] = {"seen", "computed", "recalled",
                                             NULL};

static const struct field model_fields[] = {
    KEY(model, id, LINE, "Hugging Face id", REQUIRED),
    KEY(model, aliases, LINES, "what else people call it"),
    KEY(model, params, INTEGER, "in all; left out: unknown"),
    KEY(model, embedding_params, INTEGER,
        "kept at full precision by most quantizers"),
    KEY(model, layers, INTEGER, "of the decoder", REQUIRED),
    KEY(model, hidden_size, INTEGER, "elements", REQUIRED),
    KEY(model, heads, INTEGER, "of queries"),
    KEY(model, vocab_size, INTEGER, "tokens"),
    KEY(model, intermediate_size, INTEGER, "of the dense feed-forward layers"),
    KEY(model, max_position, INTEGER, "tokens; left out: unknown"),
    KEY(model, dtype, CHOICE,
        "of the checkpoint", .choices = dtype_words, REQUIRED),
    KEY(model, quantization, LINE, "of the checkpoint, where it is quantized"),
    KEY(model, scale_block, INTEGER,
        "side of the blocks of weights that share a scale, in its maker's "
        "quantized checkpoint"),
    KEY(model, since, LINES,
        "first releases of engines that load it: `vllm 0.8.5`"),
    NAMED("moe", model, is_moe, YES_NO, "mixture of experts"),
    NAMED("multimodal", model, is_multimodal, YES_NO, "takes more than text"),
    NAMED("encoder", model, is_encoder, YES_NO,
        "each token sees all others: most engines keep no cache of it"),
    NAMED("pooling", model, is_pooling, YES_NO,
        "a decoder that answers with vectors or scores"),
    KEY(model, experts, INTEGER, "of one MoE layer, without shared ones"),
    KEY(model, expert_size, INTEGER, "intermediate size of one expert"),
    KEY(model, shared_size, INTEGER,
        "intermediate size of all shared experts of a layer together"),
    KEY(model, dense_layers, INTEGER,
        "MoE: layers whose feed-forward part is dense"),
    KEY(model, mlp_layers, INTEGER,
        "layers with a feed-forward part; left out: all"),
    NAMED("plain_mlp", model, has_plain_mlp, YES_NO,
        "feed-forward parts of two matrices; left out: three"),
    KEY(model, draft_layers, INTEGER,
        "layers that predict further tokens and are counted in params"),
    KEY(model, other_params, INTEGER,
        "of towers, encoders, position tables: declared, not counted"),
    KEY(model, uncounted, LINE,
        "why params cannot be counted from this shape"),
    LIST("groups", model, groups, group_count, LIST,
        "what its layers keep", .shape = &shape_group, REQUIRED),
    KEY(model, verified, CHOICE,
        "how sure the shape is", .choices = verified_words, REQUIRED),
    KEY(model, sources, LINKS, "where it stands"),
    KEY(model, family, LINE, "", DERIVED),
    {0},
};
SHAPE(model, model, "model", "The shape of a model.");

static const struct field model_file_fields[] = {
    KEY(model_file, family, ID, "what its models share", REQUIRED),
    LIST("models", model_file, models, model_count, LIST,
        "its models", .shape = &shape_model, REQUIRED),
    {0},
};
SHAPE(model_file, model_file, "model family",
    "`kb/models/<family>.yaml`: shapes.");

static const struct field gpu_fields[] = {
    KEY(gpu, id, LINE, "as people write it", REQUIRED),
    KEY(gpu, aliases, LINES, "as drivers print it"),
    KEY(gpu, vendor, ID, "nvidia, amd, intel, apple ...", REQUIRED),
    KEY(gpu, nominal_gb, INTEGER, "as sold", REQUIRED),
    LIST("total", gpu, total_low, total_high, AMOUNTS,
        "what torch was seen to report"),
    NAMED("fp8", gpu, has_fp8, YES_NO_UNKNOWN,
        "multiplies in 8 bits", .absent = -1),
    NAMED("unified", gpu, is_unified, YES_NO,
        "its memory is the host's too; there is one in a machine"),
    KEY(gpu, compute_capability, LINE, "\"8.0\""),
    KEY(gpu, source, LINK, "where it was seen"),
    {0},
};
SHAPE(gpu, gpu, "gpu", "A card and what it really holds.");

static const struct field gpu_file_fields[] = {
    LIST("gpus", gpu_file, gpus, gpu_count, LIST,
        "the cards", .shape = &shape_gpu, REQUIRED),
    {0},
};
SHAPE(gpu_file, gpu_file, "gpus", "`kb/gpus.yaml`: real totals.");

static const struct field component_fields[] = {
    KEY(component, id, ID, "the folder of its entries", REQUIRED),
    KEY(component, name, LINE, "as people write it", REQUIRED),
    KEY(component, aliases, LINES,
        "what else people call it: `search` then looks there first"),
    KEY(component, folds_into, ID, "counts and searches as that one"),
    {0},
};
SHAPE(component, component, "component", "Who can fail.");

static const struct field vocabulary_fields[] = {
    LIST("components", vocabulary_file, components, component_count, LIST,
        "all there are", .shape = &shape_component, REQUIRED),
    {0},
};
SHAPE(vocabulary, vocabulary_file, "vocabulary",
    "`kb/vocabulary.yaml`: components and what they fold into.");

static const struct field term_fields[] = {
    KEY(term, en, LINE, "the English word", REQUIRED),
    KEY(term, zh, LINE, "what Chinese engineers call it", REQUIRED),
    NAMED("not", term, not_so, LINES,
        "what it is not called here: refused in every Chinese text, code "
        "spans aside"),
    {0},
};
static SHAPE(term, term, "term", "One word in both languages.");

static const char *const phrase_langs[] = {"en", "zh", NULL};

static const struct field phrase_fields[] = {
    KEY(phrase, lang, CHOICE,
        "the language whose texts do without it",
        .choices = phrase_langs, REQUIRED),
    NAMED("not", phrase, not_so, LINES,
        "words, whole ones in English; a capital: at the beginning of a "
        "sentence. Code spans, quotes and links are not asked"),
    KEY(phrase, say, LINE, "what is better", REQUIRED),
    KEY(phrase, why, LINE, "the reason", REQUIRED),
    NAMED("open", phrase, is_open, YES_NO,
        "some texts still have it: a warning with their number"),
    {0},
};
static SHAPE(phrase, phrase, "phrase", "Words that texts do without.");

static const struct field glossary_fields[] = {
    LIST("terms", glossary_file, terms, term_count, LIST,
        "the words", .shape = &shape_term, REQUIRED),
    LIST("phrases", glossary_file, phrases, phrase_count, LIST,
        "what texts do without", .shape = &shape_phrase),
    {0},
};
SHAPE(glossary, glossary_file, "glossary",
    "`kb/glossary.yaml`: what things are called.");

static const char *const program_tasks[] = {"train", "infer", "evaluate",
                                             "convert", NULL};

static const struct field program_fields[] = {
    KEY(program, id, ID,
        "value of the fact `program`; left out: it has no levers"),
    KEY(program, name, LINE,
        "as one types it, or whose variables they are", REQUIRED),
    KEY(program, takes, LINES,
        "flags and variables that fixes name; those of its levers are known"),
    KEY(program, source, LINK, "where that stands", REQUIRED),
    KEY(program, paths, LINES,
        "parts of paths, as frames and commands have them: `nnunetv2/`"),
    KEY(program, commands, LINES, "how its command lines begin"),
    KEY(program, lines, PATTERNS, "patterns of lines that it alone prints"),
    KEY(program, layer, INTEGER,
        "of two that show, the lower is meant: 0 what extends a program, 1 a "
        "program (left out), 2 what other programs run, 3 and on what those "
        "are written with", .absent = 1),
    KEY(program, base, ID,
        "the program that it is written with (`detectron2`): whose levers "
        "follow its own, but those of a class that it has itself"),
    KEY(program, task, CHOICE,
        "what it is for, where that is one thing", .choices = program_tasks),
    KEY(program, usual, CHOICE,
        "what it mostly does: taken where no line and no frame tells",
        .choices = program_tasks),
    KEY(program, sample, LINE, "a line that shows it; with `levers`"),
    LIST("levers", program, levers, lever_count, LIST,
        "its own settings that take less memory, best first",
        .shape = &shape_workaround),
    {0},
};
SHAPE(program, program, "program",
    "What a program takes that is no engine, and its levers.");

static const struct field programs_fields[] = {
    LIST("programs", programs_file, programs, program_count, LIST,
        "those that are known", .shape = &shape_program, REQUIRED),
    {0},
};
SHAPE(programs, programs_file, "programs",
    "`kb/programs.yaml`, `kb/programs/*.yaml`: what programs take that are "
    "no engines.");

static const struct field evidence_fields[] = {
    KEY(evidence, when, PREDICATE,
        "what the log shows; unknown counts nothing", REQUIRED),
    KEY(evidence, weight, WEIGHT,
        "how much it speaks for the cause, or against", REQUIRED),
    KEY(evidence, family, ID,
        "of evidence of one family the strongest counts"),
    KEY(evidence, because, TEXT,
        "the same in words, for who reads the report", REQUIRED),
    {0},
};
static SHAPE(evidence, evidence, "evidence",
    "What speaks for a cause, or against it.");

static const struct field cause_fields[] = {
    KEY(cause, id, ID, "as entries and fixes name it", REQUIRED),
    KEY(cause, mechanism, WORD,
        "that an unspecified finding takes of it",
        .words = WORDS_MECHANISM, REQUIRED),
    KEY(cause, restart, WORD,
        "what the same start would do, with nothing changed",
        .words = WORDS_RESTART, REQUIRED),
    KEY(cause, name, TEXT,
        "what filled the memory, or set the limit", REQUIRED),
    LIST("evidence", cause, evidence, evidence_count, LIST,
        "what a log says about it", .shape = &shape_evidence),
    {0},
};
SHAPE(cause, cause, "cause", "What filled the memory, or set the limit.");

static const struct field mechanism_fields[] = {
    KEY(mechanism_causes, mechanism, WORD,
        "of the entry", .words = WORDS_MECHANISM, REQUIRED),
    LIST("causes", mechanism_causes, causes, cause_count, SHARES,
        "how often each is behind it", REQUIRED),
    {0},
};
static SHAPE(mechanism, mechanism_causes, "causes of a mechanism",
    "For entries that name no causes.");

static const struct field cause_file_fields[] = {
    LIST("causes", cause_file, causes, cause_count, LIST,
        "all there are", .shape = &shape_cause, REQUIRED),
    LIST("mechanisms", cause_file, mechanisms, mechanism_count, LIST,
        "a row for each mechanism", .shape = &shape_mechanism, REQUIRED),
    {0},
};
SHAPE(cause_file, cause_file, "causes",
    "`kb/causes.yaml`: causes, and what a log says about each.");

static const struct field number_fields[] = {
    KEY(number, id, ID, "one of src/corpus/ranking.def", REQUIRED),
    NAMED("value", number, micro, DECIMAL, "the number", REQUIRED),
    KEY(number, origin, TEXT, "where it comes from", REQUIRED),
    {0},
};
SHAPE(number, number, "ranking number", "One number of the ranking.");

static const struct field ranking_file_fields[] = {
    LIST("numbers", ranking_file, numbers, number_count, LIST,
        "each once", .shape = &shape_number, REQUIRED),
    {0},
};
SHAPE(ranking_file, ranking_file, "ranking",
    "`kb/ranking.yaml`: the numbers that rank fixes.");

static const char *const level_words[] = {"error", "warning", "note", NULL};
static const char *const check_words[] = {
    "does_not_fit",    "not_decided",   "room",            "weights_alone",
    "weights_beside_experts",           "placed",
    "bad_value",
    "flag_meant",      "flag_of_other", "env_meant",
    "env_of_other",    "env_as_flag",   "shares",
    "not_read",        "unreadable",    "file_missing",
    "service_missing", "bad_env_line",  "config_map_missing",
    "host_below_experts", "template", "open_variable", "example_values",
    NULL};

static const struct field rule_fields[] = {
    KEY(lint_rule, id, ID, "as the finding names it", REQUIRED),
    KEY(lint_rule, level, CHOICE,
        "error: it does not start or dies; note: nothing is lost yet",
        .choices = level_words, REQUIRED),
    KEY(lint_rule, engine, ID, "of that engine alone; left out: of all"),
    KEY(lint_rule, with, LINES,
        "settings that are all there: `--flag`, `VARIABLE`, a key of the "
        "container; `x=v`: of that value; `x~v`: with v in it"),
    KEY(lint_rule, without, LINES, "settings of which none is there"),
    KEY(lint_rule, when, WHEN,
        "holds of its facts; an unknown one: the rule says nothing"),
    KEY(lint_rule, check, CHOICE,
        "what src/launch/ reckons instead", .choices = check_words),
    KEY(lint_rule, at, LINE,
        "the setting it is told at; left out: the first of `with`"),
    KEY(lint_rule, fix, LINE,
        "`drop` or `set VALUE`: what --fix makes of that setting"),
    KEY(lint_rule, text, TEXT, "what is wrong, and what to do", REQUIRED),
    KEY(lint_rule, source, LINK, "where that stands"),
    {0},
};
const struct shape shape_lint_rule = {
    "lint rule", "What is wrong with a file before anything runs.",
    rule_fields, sizeof(struct lint_rule)};

static const struct field rule_file_fields[] = {
    LIST("rules", rule_file, rules, rule_count, LIST,
        "all there are", .shape = &shape_lint_rule, REQUIRED),
    {0},
};
SHAPE(rule_file, rule_file, "lint",
    "`kb/lint.yaml`: the rules of `oomkb lint`.");
