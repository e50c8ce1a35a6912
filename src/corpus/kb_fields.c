/* kb_fields.c: the keys of kb/: engines, models, GPUs, components. */
#include "corpus/fields.h"

#define AT(type, member) .at = offsetof(struct type, member)
#define COUNT(type, member) .count_at = offsetof(struct type, member)

static const struct field context_fields[] = {
    {.key = "pattern", AT(context_pattern, pattern), .type = FIELD_PATTERN,
     .is_required = true,
     .doc = "groups are facts, and `command`: the user's command line"},
    {.key = "set", AT(context_pattern, set), COUNT(context_pattern, set_count),
     .type = FIELD_SETTINGS, .doc = "facts that the line establishes"},
    {.key = "prose", AT(context_pattern, is_prose),
     .type = FIELD_YES_NO,
     .doc = "what people write of the failed run: it counts below the "
            "failure as well, and only where no program says it"},
    {.key = "layer", AT(context_pattern, layer), .type = FIELD_INTEGER,
     .is_derived = true},
    {.key = "weak", .at = FIELD_NOWHERE, .type = FIELD_YES_NO,
     .doc = "no literal of 8 bytes"},
    {0},
};
static const struct shape shape_context = {
    "context", "A line whose facts hold for the whole log.", context_fields,
    sizeof(struct context_pattern)};

static const struct field stage_fields[] = {
    {.key = "stage", AT(stage_anchor, stage), .type = FIELD_CHOICE,
     .words = WORDS_STAGE, .doc = "which stage"},
    {.key = "set", AT(stage_anchor, set), COUNT(stage_anchor, set_count),
     .type = FIELD_SETTINGS,
     .doc = "facts of the incident: those of the innermost such frame"},
    {.key = "holds", AT(stage_anchor, holds), .type = FIELD_YES_NO,
     .doc = "what runs inside that frame is still what it tells"},
    {.key = "frame", AT(stage_anchor, pattern), .type = FIELD_PATTERN,
     .mark_at = offsetof(struct stage_anchor, is_frame),
     .doc = "stands in the incident's traceback"},
    {.key = "passed", AT(stage_anchor, pattern), .type = FIELD_PATTERN,
     .is_alias = true,
     .doc = "a line that was passed before"},
    {.key = "weak", AT(stage_anchor, is_weak), .type = FIELD_YES_NO,
     .doc = "no literal of 8 bytes"},
    {.key = "is_frame", AT(stage_anchor, is_frame), .type = FIELD_YES_NO,
     .is_derived = true},
    {0},
};
static const struct shape shape_stage = {
    "stage", "What a line tells of an incident: `stage`, `set` or both; by one of "
    "`frame`, `passed`.",
    stage_fields, sizeof(struct stage_anchor)};

static const struct field flag_fields[] = {
    {.key = "fact", AT(flag, fact), .type = FIELD_FACT, .is_required = true,
     .doc = "what it sets"},
    {.key = "flag", AT(flag, flag), .type = FIELD_LINE, .is_required = true,
     .doc = "as the engine documents it"},
    {.key = "aliases", AT(flag, aliases), .type = FIELD_LINES,
     .doc = "other spellings on a command line"},
    {.key = "keys", AT(flag, keys), .type = FIELD_LINES,
     .doc = "its names in dumps, config files and Python calls"},
    {.key = "scale", AT(flag, scale), .type = FIELD_LINE,
     .doc = "what a bare number counts: GiB, MiB ..."},
    {.key = "try_down", AT(flag, try_down), .type = FIELD_LINE,
     .doc = "a first value for a fix that lowers it, where the log does not "
            "show the one in force"},
    {.key = "try_up", AT(flag, try_up), .type = FIELD_LINE,
     .doc = "the same for a fix that raises it"},
    {.key = "exists", AT(flag, exists.events),
     COUNT(flag, exists.event_count), .type = FIELD_EVENTS,
     .doc = "which releases take it; left out: all"},
    {.key = "product", AT(flag, exists.product), .type = FIELD_LINE,
     .is_derived = true},
    {0},
};
static const struct shape shape_flag = {
    "flag", "A setting, wherever it is written.", flag_fields,
    sizeof(struct flag)};

static const struct field option_fields[] = {
    {.key = "flag", AT(option, flag), .type = FIELD_LINE, .is_required = true,
     .doc = "the flag or variable; with a value where that came later"},
    {.key = "aliases", AT(option, aliases), .type = FIELD_LINES,
     .doc = "other spellings"},
    {.key = "exists", AT(option, exists.events),
     COUNT(option, exists.event_count), .type = FIELD_EVENTS,
     .doc = "which releases take it; left out: all"},
    {.key = "offloads", AT(option, offloads), .type = FIELD_YES_NO,
     .doc = "moves weights or cache to the host: `fit` then never says that it "
            "does not fit"},
    {.key = "source", AT(option, source), .type = FIELD_LINK,
     .is_required = true, .doc = "where that stands"},
    {.key = "product", AT(option, exists.product), .type = FIELD_LINE,
     .is_derived = true},
    {0},
};
static const struct shape shape_option = {
    "option", "A setting that fixes name and no fact reads.", option_fields,
    sizeof(struct option)};

static const struct field default_fields[] = {
    {.key = "fact", AT(engine_default, fact), .type = FIELD_FACT,
     .is_required = true, .doc = "which setting"},
    {.key = "value", AT(engine_default, value), .type = FIELD_LINE,
     .is_required = true, .doc = "as it would be printed"},
    {.key = "events", AT(engine_default, versions.events),
     COUNT(engine_default, versions.event_count), .type = FIELD_EVENTS,
     .is_required = true, .doc = "in which releases"},
    {.key = "source", AT(engine_default, source), .type = FIELD_LINE,
     .is_required = true, .doc = "where that stands"},
    {.key = "product", AT(engine_default, versions.product), .type = FIELD_LINE,
     .is_derived = true},
    {0},
};
static const struct shape shape_default = {
    "default", "What an engine takes where nobody says.", default_fields,
    sizeof(struct engine_default)};

static const struct field engine_fields[] = {
    {.key = "name", AT(engine, name), .type = FIELD_LINE, .is_required = true,
     .doc = "as people write it"},
    {.key = "newest", AT(engine, newest), .type = FIELD_LINE,
     .is_required = true, .doc = "newest release this was checked against"},
    {.key = "newest_seen", .at = FIELD_NOWHERE, .type = FIELD_DATE,
     .doc = "of what was read, the day of its last release; entries verified "
            "before are due; left out: not known"},
    {.key = "calls", AT(engine, calls), .type = FIELD_LINES,
     .doc = "engines whose code it runs: one word of its own outweighs all of "
            "their frames"},
    {.key = "command", AT(engine, command), .type = FIELD_LINE,
     .doc = "how its command line begins"},
    {.key = "task", AT(engine, task), .type = FIELD_LINE,
     .doc = "what it is for, where that is one thing: train, infer"},
    {.key = "native", AT(engine, is_native), .type = FIELD_YES_NO,
     .doc = "true: its failures print lines, and no traceback"},
    {.key = "lists", AT(engine, lists), .type = FIELD_LINE,
     .doc = "for grep -E: words of the line that lists its settings at start"},
    {.key = "programs", AT(engine, has_programs), .type = FIELD_YES_NO,
     .doc = "what shows the programs of `kb/programs/` is read behind its rows"},
    {.key = "everywhere", AT(engine, is_everywhere), .type = FIELD_YES_NO,
     .doc = "its rows are read whatever the engine is"},
    {.key = "contexts", AT(engine, contexts), COUNT(engine, context_count),
     .type = FIELD_LIST, .shape = &shape_context,
     .doc = "facts for the whole log"},
    {.key = "stages", AT(engine, stages), COUNT(engine, stage_count),
     .type = FIELD_LIST, .shape = &shape_stage,
     .doc = "first row in the traceback; else the row passed last"},
    {.key = "flags", AT(engine, flags), COUNT(engine, flag_count),
     .type = FIELD_LIST, .shape = &shape_flag, .doc = "its settings"},
    {.key = "options", AT(engine, options), COUNT(engine, option_count),
     .type = FIELD_LIST, .shape = &shape_option,
     .doc = "further settings that fixes name"},
    {.key = "idle", AT(engine, idle), .type = FIELD_LINES,
     .doc = "flags that change no memory: `fit` does not remark on them"},
    {.key = "defaults", AT(engine, defaults), COUNT(engine, default_count),
     .type = FIELD_LIST, .shape = &shape_default, .doc = "their defaults"},
    {.key = "id", AT(engine, id), .type = FIELD_ID,
     .is_derived = true},
    {0},
};
const struct shape shape_engine = {
    "engine", "`kb/engines/<id>.yaml`: what an engine prints and takes.",
    engine_fields, sizeof(struct engine)};

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
    {.key = "kind", AT(kv_group, kind), .type = FIELD_WORD,
     .choices = kv_kinds, .is_required = true, .doc = "what the layers keep"},
    {.key = "layers", AT(kv_group, layers), .type = FIELD_INTEGER,
     .is_required = true, .doc = "how many layers"},
    {.key = "kv_heads", AT(kv_group, kv_heads), .type = FIELD_INTEGER,
     .doc = "full, sliding, chunked, cross"},
    {.key = "k_dim", AT(kv_group, k_dim), .type = FIELD_INTEGER,
     .doc = "elements per head; mla: once spread out"},
    {.key = "v_dim", AT(kv_group, v_dim), .type = FIELD_INTEGER,
     .doc = "elements per head; mla: once spread out"},
    {.key = "window", AT(kv_group, window), .type = FIELD_INTEGER,
     .doc = "sliding, chunked: tokens"},
    {.key = "latent_dim", AT(kv_group, latent_dim), .type = FIELD_INTEGER,
     .doc = "mla: kv_lora_rank + qk_rope_head_dim; indexer: bytes a row"},
    {.key = "ratio", AT(kv_group, ratio), .type = FIELD_INTEGER,
     .doc = "mla, indexer: tokens that share one row; left out: one"},
    {.key = "state_bytes", AT(kv_group, state_bytes), .type = FIELD_INTEGER,
     .doc = "state: per layer and sequence, all in 16 bits, where its parts "
            "are not known"},
    {.key = "mixer", AT(kv_group, mixer), .type = FIELD_CHOICE,
     .choices = mixer_words, .doc = "state: how it is made"},
    {.key = "conv_channels", AT(kv_group, conv_channels),
     .type = FIELD_INTEGER, .doc = "state: that its convolution looks back on"},
    {.key = "conv_steps", AT(kv_group, conv_steps), .type = FIELD_INTEGER,
     .doc = "state: tokens that it looks back"},
    {.key = "conv_groups", AT(kv_group, conv_groups), .type = FIELD_INTEGER,
     .doc = "mamba2: n_groups, of which each rank keeps at least one"},
    {.key = "group_channels", AT(kv_group, group_channels),
     .type = FIELD_INTEGER, .doc = "mamba2: conv_channels of one such group"},
    {.key = "state_elements", AT(kv_group, state_elements),
     .type = FIELD_INTEGER, .doc = "state: of the recurrent state, all heads"},
    {.key = "state_dtype", AT(kv_group, state_dtype), .type = FIELD_CHOICE,
     .choices = dtype_words, .doc = "state: that config.json asks for"},
    {.key = "q_rank", AT(kv_group, q_rank), .type = FIELD_INTEGER,
     .doc = "mla: q_lora_rank; left out: queries are not compressed"},
    {.key = "rope_dim", AT(kv_group, rope_dim), .type = FIELD_INTEGER,
     .doc = "mla: qk_rope_head_dim, a part of latent_dim and of k_dim"},
    {.key = "params", AT(kv_group, params), .type = FIELD_INTEGER,
     .doc = "state: weights of one layer's mixer"},
    {.key = "gated", AT(kv_group, is_gated), .type = FIELD_YES_NO,
     .doc = "attention has a gate as wide as its queries"},
    {0},
};
static const struct shape shape_group = {
    "kv group", "Layers that keep the same kind of cache.", group_fields,
    sizeof(struct kv_group)};

static const char *const verified_words[] = {"seen", "computed", "recalled",
                                             NULL};

static const struct field model_fields[] = {
    {.key = "id", AT(model, id), .type = FIELD_LINE, .is_required = true,
     .doc = "Hugging Face id"},
    {.key = "aliases", AT(model, aliases), .type = FIELD_LINES,
     .doc = "what else people call it"},
    {.key = "params", AT(model, params), .type = FIELD_INTEGER,
     .doc = "in all; left out: unknown"},
    {.key = "embedding_params", AT(model, embedding_params),
     .type = FIELD_INTEGER, .doc = "kept at full precision by most quantizers"},
    {.key = "layers", AT(model, layers), .type = FIELD_INTEGER,
     .is_required = true, .doc = "of the decoder"},
    {.key = "hidden_size", AT(model, hidden_size), .type = FIELD_INTEGER,
     .is_required = true, .doc = "elements"},
    {.key = "heads", AT(model, heads), .type = FIELD_INTEGER,
     .doc = "of queries"},
    {.key = "vocab_size", AT(model, vocab_size), .type = FIELD_INTEGER,
     .doc = "tokens"},
    {.key = "intermediate_size", AT(model, intermediate_size),
     .type = FIELD_INTEGER, .doc = "of the dense feed-forward layers"},
    {.key = "max_position", AT(model, max_position), .type = FIELD_INTEGER,
     .doc = "tokens; left out: unknown"},
    {.key = "dtype", AT(model, dtype), .type = FIELD_CHOICE,
     .choices = dtype_words, .is_required = true, .doc = "of the checkpoint"},
    {.key = "quantization", AT(model, quantization), .type = FIELD_LINE,
     .doc = "of the checkpoint, where it is quantized"},
    {.key = "scale_block", AT(model, scale_block), .type = FIELD_INTEGER,
     .doc = "side of the blocks of weights that share a scale, in its maker's "
            "quantized checkpoint"},
    {.key = "since", AT(model, since), .type = FIELD_LINES,
     .doc = "first releases of engines that load it: `vllm 0.8.5`"},
    {.key = "moe", AT(model, is_moe), .type = FIELD_YES_NO,
     .doc = "mixture of experts"},
    {.key = "multimodal", AT(model, is_multimodal), .type = FIELD_YES_NO,
     .doc = "takes more than text"},
    {.key = "experts", AT(model, experts), .type = FIELD_INTEGER,
     .doc = "of one MoE layer, without shared ones"},
    {.key = "expert_size", AT(model, expert_size), .type = FIELD_INTEGER,
     .doc = "intermediate size of one expert"},
    {.key = "shared_size", AT(model, shared_size), .type = FIELD_INTEGER,
     .doc = "intermediate size of all shared experts of a layer together"},
    {.key = "dense_layers", AT(model, dense_layers), .type = FIELD_INTEGER,
     .doc = "MoE: layers whose feed-forward part is dense"},
    {.key = "mlp_layers", AT(model, mlp_layers), .type = FIELD_INTEGER,
     .doc = "layers with a feed-forward part; left out: all"},
    {.key = "plain_mlp", AT(model, has_plain_mlp), .type = FIELD_YES_NO,
     .doc = "feed-forward parts of two matrices; left out: three"},
    {.key = "draft_layers", AT(model, draft_layers), .type = FIELD_INTEGER,
     .doc = "layers that predict further tokens and are counted in params"},
    {.key = "other_params", AT(model, other_params), .type = FIELD_INTEGER,
     .doc = "of towers, encoders, position tables: declared, not counted"},
    {.key = "uncounted", AT(model, uncounted), .type = FIELD_LINE,
     .doc = "why params cannot be counted from this shape"},
    {.key = "groups", AT(model, groups), COUNT(model, group_count),
     .type = FIELD_LIST, .shape = &shape_group, .is_required = true,
     .doc = "what its layers keep"},
    {.key = "verified", AT(model, verified), .type = FIELD_CHOICE,
     .choices = verified_words, .is_required = true,
     .doc = "how sure the shape is"},
    {.key = "sources", AT(model, sources), .type = FIELD_LINKS,
     .doc = "where it stands"},
    {.key = "family", AT(model, family), .type = FIELD_LINE,
     .is_derived = true},
    {0},
};
const struct shape shape_model = {
    "model", "The shape of a model.", model_fields, sizeof(struct model)};

static const struct field model_file_fields[] = {
    {.key = "family", AT(model_file, family), .type = FIELD_ID,
     .is_required = true, .doc = "what its models share"},
    {.key = "models", AT(model_file, models), COUNT(model_file, model_count),
     .type = FIELD_LIST, .shape = &shape_model, .is_required = true,
     .doc = "its models"},
    {0},
};
const struct shape shape_model_file = {
    "model family", "`kb/models/<family>.yaml`: shapes.", model_file_fields,
    sizeof(struct model_file)};

static const struct field gpu_fields[] = {
    {.key = "id", AT(gpu, id), .type = FIELD_LINE, .is_required = true,
     .doc = "as people write it"},
    {.key = "aliases", AT(gpu, aliases), .type = FIELD_LINES,
     .doc = "as drivers print it"},
    {.key = "vendor", AT(gpu, vendor), .type = FIELD_ID, .is_required = true,
     .doc = "nvidia, amd, intel, apple ..."},
    {.key = "nominal_gb", AT(gpu, nominal_gb), .type = FIELD_INTEGER,
     .is_required = true, .doc = "as sold"},
    {.key = "total", AT(gpu, total_low), COUNT(gpu, total_high),
     .type = FIELD_AMOUNTS, .doc = "what torch was seen to report"},
    {.key = "fp8", AT(gpu, has_fp8), .type = FIELD_YES_NO_UNKNOWN,
     .absent = -1, .doc = "multiplies in 8 bits"},
    {.key = "unified", AT(gpu, is_unified), .type = FIELD_YES_NO,
     .doc = "its memory is the host's too; there is one in a machine"},
    {.key = "compute_capability", AT(gpu, compute_capability),
     .type = FIELD_LINE, .doc = "\"8.0\""},
    {.key = "source", AT(gpu, source), .type = FIELD_LINK,
     .doc = "where it was seen"},
    {0},
};
const struct shape shape_gpu = {
    "gpu", "A card and what it really holds.", gpu_fields,
    sizeof(struct gpu)};

static const struct field gpu_file_fields[] = {
    {.key = "gpus", AT(gpu_file, gpus), COUNT(gpu_file, gpu_count),
     .type = FIELD_LIST, .shape = &shape_gpu, .is_required = true,
     .doc = "the cards"},
    {0},
};
const struct shape shape_gpu_file = {
    "gpus", "`kb/gpus.yaml`: real totals.", gpu_file_fields,
    sizeof(struct gpu_file)};

static const struct field component_fields[] = {
    {.key = "id", AT(component, id), .type = FIELD_ID, .is_required = true,
     .doc = "the folder of its entries"},
    {.key = "name", AT(component, name), .type = FIELD_LINE,
     .is_required = true, .doc = "as people write it"},
    {.key = "aliases", AT(component, aliases), .type = FIELD_LINES,
     .doc = "what else people call it: `search` then looks there first"},
    {.key = "folds_into", AT(component, folds_into), .type = FIELD_ID,
     .doc = "counts and searches as that one"},
    {0},
};
const struct shape shape_component = {
    "component", "Who can fail.", component_fields,
    sizeof(struct component)};

static const struct field vocabulary_fields[] = {
    {.key = "components", AT(vocabulary_file, components),
     COUNT(vocabulary_file, component_count), .type = FIELD_LIST,
     .shape = &shape_component, .is_required = true, .doc = "all there are"},
    {0},
};
const struct shape shape_vocabulary = {
    "vocabulary", "`kb/vocabulary.yaml`: components and what they fold into.",
    vocabulary_fields, sizeof(struct vocabulary_file)};

static const struct field term_fields[] = {
    {.key = "en", AT(term, en), .type = FIELD_LINE, .is_required = true,
     .doc = "the English word"},
    {.key = "zh", AT(term, zh), .type = FIELD_LINE, .is_required = true,
     .doc = "what Chinese engineers call it"},
    {.key = "not", AT(term, not_so), .type = FIELD_LINES,
     .doc = "what it is not called here: refused in every Chinese text, "
            "code spans aside"},
    {0},
};
static const struct shape shape_term = {
    "term", "One word in both languages.", term_fields, sizeof(struct term)};

static const char *const phrase_langs[] = {"en", "zh", NULL};

static const struct field phrase_fields[] = {
    {.key = "lang", AT(phrase, lang), .type = FIELD_CHOICE,
     .choices = phrase_langs, .is_required = true,
     .doc = "the language whose texts do without it"},
    {.key = "not", AT(phrase, not_so), .type = FIELD_LINES,
     .doc = "words, whole ones in English; a capital: at the beginning of a "
            "sentence. Code spans, quotes and links are not asked"},
    {.key = "say", AT(phrase, say), .type = FIELD_LINE, .is_required = true,
     .doc = "what is better"},
    {.key = "why", AT(phrase, why), .type = FIELD_LINE, .is_required = true,
     .doc = "the reason"},
    {.key = "open", AT(phrase, is_open), .type = FIELD_YES_NO,
     .doc = "some texts still have it: a warning with their number"},
    {0},
};
static const struct shape shape_phrase = {
    "phrase", "Words that texts do without.", phrase_fields,
    sizeof(struct phrase)};

static const struct field glossary_fields[] = {
    {.key = "terms", AT(glossary_file, terms),
     COUNT(glossary_file, term_count), .type = FIELD_LIST,
     .shape = &shape_term, .is_required = true, .doc = "the words"},
    {.key = "phrases", AT(glossary_file, phrases),
     COUNT(glossary_file, phrase_count), .type = FIELD_LIST,
     .shape = &shape_phrase, .doc = "what texts do without"},
    {0},
};
const struct shape shape_glossary = {
    "glossary", "`kb/glossary.yaml`: what things are called.",
    glossary_fields, sizeof(struct glossary_file)};

static const char *const program_tasks[] = {"train", "infer", "evaluate",
                                             "convert", NULL};

static const struct field program_fields[] = {
    {.key = "id", AT(program, id), .type = FIELD_ID,
     .doc = "value of the fact `program`; left out: it has no levers"},
    {.key = "name", AT(program, name), .type = FIELD_LINE, .is_required = true,
     .doc = "as one types it, or whose variables they are"},
    {.key = "takes", AT(program, takes), .type = FIELD_LINES,
     .doc = "flags and variables that fixes name; those of its levers are "
            "known"},
    {.key = "source", AT(program, source), .type = FIELD_LINK,
     .is_required = true, .doc = "where that stands"},
    {.key = "paths", AT(program, paths), .type = FIELD_LINES,
     .doc = "parts of paths, as frames and commands have them: `nnunetv2/`"},
    {.key = "commands", AT(program, commands), .type = FIELD_LINES,
     .doc = "how its command lines begin"},
    {.key = "lines", AT(program, lines), .type = FIELD_PATTERNS,
     .doc = "patterns of lines that it alone prints"},
    {.key = "layer", AT(program, layer), .type = FIELD_INTEGER, .absent = 1,
     .doc = "of two that show, the lower is meant: 0 what extends a program, 1 "
            "a program (left out), 2 what other programs run, 3 and on what "
            "those are written with"},
    {.key = "base", AT(program, base), .type = FIELD_ID,
     .doc = "the program that it is written with (`detectron2`): whose levers "
            "follow its own, but those of a class that it has itself"},
    {.key = "task", AT(program, task), .type = FIELD_CHOICE,
     .choices = program_tasks, .doc = "what it is for, where that is one thing"},
    {.key = "usual", AT(program, usual), .type = FIELD_CHOICE,
     .choices = program_tasks,
     .doc = "what it mostly does: taken where no line and no frame tells"},
    {.key = "sample", AT(program, sample), .type = FIELD_LINE,
     .doc = "a line that shows it; with `levers`"},
    {.key = "levers", AT(program, levers), COUNT(program, lever_count),
     .type = FIELD_LIST, .shape = &shape_workaround,
     .doc = "its own settings that take less memory, best first"},
    {0},
};
const struct shape shape_program = {
    "program", "What a program takes that is no engine, and its levers.",
    program_fields, sizeof(struct program)};

static const struct field programs_fields[] = {
    {.key = "programs", AT(programs_file, programs),
     COUNT(programs_file, program_count), .type = FIELD_LIST,
     .shape = &shape_program, .is_required = true, .doc = "those that are known"},
    {0},
};
const struct shape shape_programs = {
    "programs",
    "`kb/programs.yaml`, `kb/programs/*.yaml`: what programs take that are no "
    "engines.",
    programs_fields, sizeof(struct programs_file)};

static const struct field evidence_fields[] = {
    {.key = "when", AT(evidence, when), .type = FIELD_PREDICATE,
     .is_required = true, .doc = "what the log shows; unknown counts nothing"},
    {.key = "weight", AT(evidence, weight), .type = FIELD_WEIGHT,
     .is_required = true, .doc = "how much it speaks for the cause, or against"},
    {.key = "family", AT(evidence, family), .type = FIELD_ID,
     .doc = "of evidence of one family the strongest counts"},
    {.key = "because", AT(evidence, because), .type = FIELD_TEXT,
     .is_required = true, .doc = "the same in words, for who reads the report"},
    {0},
};
static const struct shape shape_evidence = {
    "evidence", "What speaks for a cause, or against it.", evidence_fields,
    sizeof(struct evidence)};

static const struct field cause_fields[] = {
    {.key = "id", AT(cause, id), .type = FIELD_ID, .is_required = true,
     .doc = "as entries and fixes name it"},
    {.key = "mechanism", AT(cause, mechanism), .type = FIELD_WORD,
     .words = WORDS_MECHANISM, .is_required = true,
     .doc = "that an unspecified finding takes of it"},
    {.key = "restart", AT(cause, restart), .type = FIELD_WORD,
     .words = WORDS_RESTART, .is_required = true,
     .doc = "what the same start would do, with nothing changed"},
    {.key = "name", AT(cause, name), .type = FIELD_TEXT, .is_required = true,
     .doc = "what filled the memory, or set the limit"},
    {.key = "evidence", AT(cause, evidence), COUNT(cause, evidence_count),
     .type = FIELD_LIST, .shape = &shape_evidence,
     .doc = "what a log says about it"},
    {0},
};
const struct shape shape_cause = {
    "cause", "What filled the memory, or set the limit.", cause_fields,
    sizeof(struct cause)};

static const struct field mechanism_fields[] = {
    {.key = "mechanism", AT(mechanism_causes, mechanism), .type = FIELD_WORD,
     .words = WORDS_MECHANISM, .is_required = true, .doc = "of the entry"},
    {.key = "causes", AT(mechanism_causes, causes),
     COUNT(mechanism_causes, cause_count), .type = FIELD_SHARES,
     .is_required = true, .doc = "how often each is behind it"},
    {0},
};
static const struct shape shape_mechanism = {
    "causes of a mechanism", "For entries that name no causes.",
    mechanism_fields, sizeof(struct mechanism_causes)};

static const struct field cause_file_fields[] = {
    {.key = "causes", AT(cause_file, causes), COUNT(cause_file, cause_count),
     .type = FIELD_LIST, .shape = &shape_cause, .is_required = true,
     .doc = "all there are"},
    {.key = "mechanisms", AT(cause_file, mechanisms),
     COUNT(cause_file, mechanism_count), .type = FIELD_LIST,
     .shape = &shape_mechanism, .is_required = true,
     .doc = "a row for each mechanism"},
    {0},
};
const struct shape shape_cause_file = {
    "causes", "`kb/causes.yaml`: causes, and what a log says about each.",
    cause_file_fields, sizeof(struct cause_file)};

static const struct field number_fields[] = {
    {.key = "id", AT(number, id), .type = FIELD_ID, .is_required = true,
     .doc = "one of src/corpus/ranking.def"},
    {.key = "value", AT(number, micro), .type = FIELD_DECIMAL,
     .is_required = true, .doc = "the number"},
    {.key = "origin", AT(number, origin), .type = FIELD_TEXT,
     .is_required = true, .doc = "where it comes from"},
    {0},
};
const struct shape shape_number = {
    "ranking number", "One number of the ranking.", number_fields,
    sizeof(struct number)};

static const struct field ranking_file_fields[] = {
    {.key = "numbers", AT(ranking_file, numbers),
     COUNT(ranking_file, number_count), .type = FIELD_LIST,
     .shape = &shape_number, .is_required = true, .doc = "each once"},
    {0},
};
const struct shape shape_ranking_file = {
    "ranking", "`kb/ranking.yaml`: the numbers that rank fixes.",
    ranking_file_fields, sizeof(struct ranking_file)};

static const char *const level_words[] = {"error", "warning", "note", NULL};
static const char *const check_words[] = {
    "does_not_fit",    "not_decided",   "weights_alone",
    "weights_beside_experts",           "bad_value",
    "flag_meant",      "flag_of_other", "env_meant",
    "env_of_other",    "env_as_flag",   "shares",
    "not_read",        "unreadable",    "file_missing",
    "service_missing", "bad_env_line",  "config_map_missing",
    "host_below_experts", "template", "open_variable",
    NULL};

static const struct field rule_fields[] = {
    {.key = "id", AT(lint_rule, id), .type = FIELD_ID, .is_required = true,
     .doc = "as the finding names it"},
    {.key = "level", AT(lint_rule, level), .type = FIELD_CHOICE,
     .choices = level_words, .is_required = true,
     .doc = "error: it does not start or dies; note: nothing is lost yet"},
    {.key = "engine", AT(lint_rule, engine), .type = FIELD_ID,
     .doc = "of that engine alone; left out: of all"},
    {.key = "with", AT(lint_rule, with), .type = FIELD_LINES,
     .doc = "settings that are all there: `--flag`, `VARIABLE`, a key of the "
            "container; `x=v`: of that value; `x~v`: with v in it"},
    {.key = "without", AT(lint_rule, without), .type = FIELD_LINES,
     .doc = "settings of which none is there"},
    {.key = "when", AT(lint_rule, when), .type = FIELD_WHEN,
     .doc = "holds of its facts; an unknown one: the rule says nothing"},
    {.key = "check", AT(lint_rule, check), .type = FIELD_CHOICE,
     .choices = check_words, .doc = "what src/launch/ reckons instead"},
    {.key = "at", AT(lint_rule, at), .type = FIELD_LINE,
     .doc = "the setting it is told at; left out: the first of `with`"},
    {.key = "fix", AT(lint_rule, fix), .type = FIELD_LINE,
     .doc = "`drop` or `set VALUE`: what --fix makes of that setting"},
    {.key = "text", AT(lint_rule, text), .type = FIELD_TEXT,
     .is_required = true, .doc = "what is wrong, and what to do"},
    {.key = "source", AT(lint_rule, source), .type = FIELD_LINK,
     .doc = "where that stands"},
    {0},
};
const struct shape shape_lint_rule = {
    "lint rule", "What is wrong with a file before anything runs.",
    rule_fields, sizeof(struct lint_rule)};

static const struct field rule_file_fields[] = {
    {.key = "rules", AT(rule_file, rules), COUNT(rule_file, rule_count),
     .type = FIELD_LIST, .shape = &shape_lint_rule, .is_required = true,
     .doc = "all there are"},
    {0},
};
const struct shape shape_rule_file = {
    "lint", "`kb/lint.yaml`: the rules of `oomkb lint`.", rule_file_fields,
    sizeof(struct rule_file)};
