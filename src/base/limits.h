/* limits.h: every ceiling on input, with what happens there. A log, a question
 * or a file may be of any size; what the program keeps of it may not. Sizes
 * that a table or a format has by definition stand with it, not here. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* ---- base: text ---- */
/* Bytes of a word for "did you mean"; a longer one is near no name. */
#define NEAR_BYTES_MAX 96
/* Captures of one match of a small pattern; further ones are dropped. */
#define PEG_CAPTURES_MAX 8
/* Symbolic links followed to a file that is replaced; more is a loop. */
#define FILE_LINKS_MAX 8

/* Threads of one job. */
#define PARALLEL_THREADS_MAX 64

/* ---- log: bytes to lines ---- */
/* Bytes of a line; a longer one is read in pieces that are joined. */
#define LOG_LINE_MAX (64 * 1024)
/* Streams told apart (ranks, containers); further ones share the last. */
#define LOG_STREAMS_MAX 256
/* Levels of JSON inside a string of JSON. */
#define LOG_JSON_DEPTH_MAX 4
/* Bytes of a line without its colours and frames: at most three for each byte
 * read, where a bad one becomes U+FFFD. */
#define LOG_CLEAN_BYTES_MAX ((size_t)4 * LOG_LINE_MAX)
/* Further memory of the line reader for one line. */
#define LOG_SCRATCH_BYTES_MAX ((size_t)8 << 20)
/* Bytes of a stream's name; the rest is not compared. */
#define STREAM_NAME_BYTES_MAX 128
/* Rows of the table of framings. */
#define FRAME_ROWS_MAX 64
/* Frames removed from one line; the rest is text. */
#define FRAME_ROUNDS_MAX 12
/* Parts of a log kept before failures, besides its beginning and its end. */
#define HISTORY_ZONES_MAX 64
/* Bytes kept of the beginning and of the end of a log that cannot be read
 * twice. A log no longer than both together is kept whole. */
#define HISTORY_HEAD_BYTES_MAX (4 << 20)
#define HISTORY_TAIL_BYTES_MAX (8 << 20)
/* Bytes of UTF-8 converted from UTF-16 at a time. */
#define ENCODING_BYTES_MAX ((size_t)64 * 1024)
/* Bytes without a newline that are scanned as one line. */
#define PRESCAN_LINE_MAX (256 * 1024)
/* Lines above that the first line of a candidate region may continue. */
#define PRESCAN_CUT_LINES_MAX 4
/* Bytes before a literal that are read with it. */
#define PRESCAN_BACK_BYTES_MAX (64 * 1024)
/* Window of zstd and xz as a power of two (128 MiB); a larger one is
 * refused. */
#define INFLATE_WINDOW_LOG2_MAX 27
/* Texts of one JSON record that are read as lines. */
#define RECORD_TEXTS_MAX 8
/* Bytes of an OSC sequence of a terminal (title, link); a longer one is
 * text. */
#define OSC_BYTES_MAX 256

/* ---- index: the file between build and run ---- */
/* Steps of one SQL statement in units of 100,000; then it is interrupted. */
#define SQL_TICKS_MAX 200
/* Layers of a model of the catalogue. */
#define MODEL_LAYERS_MAX 65536
/* Last folders of a path that are looked up as a model's name. */
#define MODEL_FOLDERS_MAX 3
/* Bytes of the pack behind the tables. */
#define PACK_BYTES_MAX ((size_t)1 << 30)
/* Words of a model's name that are compared. */
#define MODEL_WORDS_MAX 24
/* Bytes of a model's name; a longer text is not a name. */
#define MODEL_NAME_BYTES_MAX 512
/* Bytes of a predicate (`when`). */
#define PREDICATE_BYTES_MAX 4096
/* Parentheses and calls in each other in a predicate. */
#define PREDICATE_DEPTH_MAX 100
/* Facts that one predicate refers to. */
#define PREDICATE_FACTS_MAX 16
/* Bytes of an entry's text that are indexed for search. */
#define SEARCH_COLUMN_BYTES_MAX ((size_t)4 << 20)
/* Items of a list in a record; more is damage. */
#define RECORD_COUNT_MAX (INT64_C(1) << 56)
/* Bytes of a card's name. */
#define GPU_NAME_BYTES_MAX 200
/* Words of a search; further ones are ignored. */
#define SEARCH_WORDS_MAX 48
/* Bytes of one such word. */
#define SEARCH_WORD_BYTES_MAX 256
/* Bytes of the full-text query. */
#define SEARCH_QUERY_BYTES_MAX ((size_t)64 << 10)
/* Entries that a search may return. */
#define SEARCH_FOUND_MAX 1000
/* Best entries by bm25 that are ranked further. */
#define SEARCH_WEIGHED_MAX 200

/* ---- match: lines to hits ---- */
/* Captures kept of one hit. */
#define HIT_CAPTURES_MAX 256
/* Bytes of a command that a pattern captures, and of its line before it. */
#define CAPTURED_COMMAND_MAX 8192
#define COMMAND_LEAD_MAX 1024
/* Bytes of another capture, and of its line in front of it. */
#define CAPTURE_TEXT_MAX 1024
#define CAPTURE_LEAD_MAX 64
/* Bytes kept of the last line of a log. */
#define LAST_LINE_MAX 512
/* Bytes of a text that one search of a pattern covers. */
#define SEARCH_RANGE_MAX (8 * 1024)
/* Bytes of a line in which literals are searched for: three for each byte of a
 * block that 16 threads share. */
#define CANDIDATE_LINE_BYTES_MAX ((size_t)32 << 20)
/* Lines of such a text whose search may exhaust its steps; then the rest of
 * the text is not searched. */
#define COSTLY_LINES_MAX 8
/* Lines of code in a traceback between two frames. */
#define TRACE_CODE_LINES_MAX 64
/* Other lines there. */
#define TRACE_GAP_LINES_MAX 3
/* Lines of code before the first frame of an excerpt. */
#define TRACE_LEAD_LINES_MAX 4
/* Threads that scan one log. */
#define SCAN_WORKERS_MAX 16
/* Bytes of a literal that is looked for; a longer one is cut. */
#define LITERAL_BYTES_MAX 256
/* Lines without a frame that continue the framed line above them. */
#define UNNAMED_LINES_MAX 16
/* Lines of a message, and its bytes. */
#define MESSAGE_LINES_MAX 32
#define MATCH_MESSAGE_MAX 8192
/* Bytes of a label between two parts of a message. */
#define MESSAGE_LABEL_BYTES_MAX 40
/* Failures of one scan; further ones are counted. */
#define MATCH_INCIDENTS_MAX 4096
/* Levels of groups in a pattern; a deeper one is refused at build. */
#define PATTERN_DEPTH_MAX 250
/* Bytes of a pattern as written; a longer one is refused at build. */
#define PATTERN_TEXT_MAX (16 * 1024)
/* Groups of a pattern. */
#define PATTERN_GROUPS_MAX 60
/* Steps (match/steps.h) of one search; then its line is given up, and the
 * report says so. */
#define MATCH_SEARCH_STEPS_MAX 1000000
/* The same at build, where every repeat counts. */
#define BUILD_SEARCH_STEPS_MAX 32000000
/* PCRE2's backtracks from one start position; then the search has found
 * nothing. */
#define MATCH_BACKTRACKS_MAX 100000
/* PCRE2's heap for one search in KiB. */
#define MATCH_HEAP_KIB_MAX 8192
/* Bytes of the stack of JIT-compiled patterns, one per thread. */
#define JIT_STACK_BYTES_MAX (512 * 1024)
/* Steps of all patterns in one log, to which the next is added for each byte;
 * a pattern that takes too large a part is given up, and the report says so. */
#define MATCH_LOG_STEPS_MAX ((uint64_t)64 * 1000 * 1000)
/* Further steps for each byte of the log. */
#define MATCH_BYTE_STEPS_MAX 64

/* ---- memory: the arithmetic ---- */
/* GPUs of one log that are told apart. */
#define BREAKDOWN_CARDS_MAX 64
/* Largest number of ranks that `fit` tries. */
#define FIT_RANKS_MAX 64
/* Configurations that `fit` evaluates in search of a plan; the answer says if
 * more would be needed. */
#define FIT_QUESTIONS_MAX 1000
/* Largest batch that `fit` tries. */
#define FIT_BATCH_MAX (1 << 20)
/* Layers of a shape; more is damage. */
#define SHAPE_LAYERS_MAX 4096
/* Ranks of one engine; more is damage, and no share of a GPU is computed. */
#define ENGINE_RANKS_MAX 4096
/* Keys and tensors of a GGUF file; one with more is refused. */
#define GGUF_KEYS_MAX 100000
#define GGUF_TENSORS_MAX 1000000
/* Bytes of a key of a GGUF file; a longer one is skipped. */
#define GGUF_KEY_BYTES_MAX 256
/* A number of a model's file; a larger one is damage. */
#define MODEL_NUMBER_MAX INT64_C(100000000)
/* Width of a model's layer, number of its experts, width of a matrix. */
#define MODEL_DIM_MAX 1000000
#define MODEL_EXPERTS_MAX 100000
#define MODEL_WIDTH_MAX 100000
/* Factor by which a state is wider than its layer; more is damage, read as
 * 0. */
#define MODEL_EXPAND_MAX 1000
/* Combinations of what a log leaves open that are computed; others are left
 * out. */
#define VARIANTS_MAX 512
/* Releases of an engine that one question is computed for; further ones are
 * not. */
#define RELEASE_BOUNDARIES_MAX 64
/* Jobs of one compilation that count. */
#define COMPILE_JOBS_MAX 256
/* Pixels, frames or tokens of a step that is made smaller; more is ignored. */
#define STEP_SIZE_MAX (1 << 20)
/* Bytes of a formula with its numbers. */
#define FORMULA_BYTES_MAX 4096

/* ---- diagnose: hits to a report ---- */
/* Amounts of one log that bound each other. */
#define BOUND_POINTS_MAX 96
/* Bytes of the remark on one of them. */
#define BOUND_TEXT_BYTES_MAX 1024
/* Suspects shown when no failure was found. */
#define SUSPECTS_MAX 6
/* Places of one failure that are kept; further ones are counted. */
#define INSTANCES_MAX 64
/* Changes made to one command. */
#define COMMAND_EDITS_MAX 32
/* Bytes in front of a command that are looked at for a prompt. */
#define COMMAND_FRONT_BYTES_MAX 1024
/* Amounts of one pattern that may grow; a scan keeps fewer. */
#define GROWTH_LEVELS_MAX 128
/* Things already tried that a log may show. */
#define ATTEMPTS_MAX 8
/* Questions of one report. */
#define QUESTIONS_MAX 5
/* Questions that are ranked for it. */
#define QUESTIONS_GATHERED_MAX 32
/* Reports of a fix that count; further ones are ignored. */
#define RATE_COUNT_MAX INT64_C(1000000)
/* Failures kept of one log; further ones count on the last one of their
 * entry. */
#define SIGHTINGS_MAX 512
/* Duplicates kept of one failure; further ones are only counted. */
#define SIGHTING_PLACES_MAX 16
/* Bytes of a text of an entry with its values filled in. */
#define TEMPLATE_BYTES_MAX (64 * 1024)
/* Bytes of a remark on numbers that contradict each other. */
#define RECONCILE_TEXT_BYTES_MAX 1024
/* Engines that one log may name. */
#define LOG_ENGINES_MAX 16
/* Families of causes of one mechanism. */
#define CAUSE_FAMILIES_MAX 16
/* Dimensions of a tensor that a message names. */
#define TENSOR_DIMS_MAX 12

/* ---- render: a report to text ---- */
/* Bytes of an answer as text. */
#define PLAIN_ANSWER_BYTES_MAX ((size_t)16 << 20)
/* Bytes of a code block, of a paragraph, of a sentence with its values. */
#define CODE_BYTES_MAX ((size_t)4 << 20)
#define PARAGRAPH_BYTES_MAX ((size_t)1 << 20)
#define SENTENCE_BYTES_MAX ((size_t)1 << 20)
/* Bytes of a value that is shown. */
#define SHOWN_VALUE_BYTES_MAX 4096
/* Bytes of a range of amounts. */
#define SHOWN_RANGE_BYTES_MAX ((size_t)4 << 10)
/* Bytes of the names of processes on a GPU. */
#define PROCESS_NAMES_BYTES_MAX ((size_t)16 << 10)
/* Bytes of the name of a model's publisher. */
#define OWNER_BYTES_MAX 256
/* Bytes of one text that is redacted. */
#define REDACTED_BYTES_MAX ((size_t)4 << 20)
/* Rows of the table of redactions. */
#define REDACT_ROWS_MAX 64
/* Redacted values that are numbered; of further ones only the kind is shown. */
#define SECRETS_MAX 1000

/* ---- api: what callers may ask ---- */
/* Knowledge bases opened as one. */
#define BASES_MAX 16
/* Bytes of one answer in any format. */
#define ANSWER_BYTES_MAX ((size_t)256 << 20)
/* Bytes of an index file. */
#define INDEX_BYTES_MAX (INT64_C(1) << 30)
/* A count that a caller may give: GPUs, layers, requests. */
#define FIT_COUNT_MAX 1000000
/* Facts that a question may give. */
#define FIT_FACTS_MAX 128
/* Configurations that are compared side by side. */
#define FIT_COLUMNS_MAX 16
/* Largest number of concurrent requests that `fit` tries. */
#define FIT_REQUESTS_MAX 1000000

/* ---- serve: messages of agents ---- */
/* MiB of a message; a longer one is refused, since a log of that size should
 * be given to the program as a file. */
#define MCP_MESSAGE_MIB_MAX 64
/* Facts of one call; a call with more is refused. */
#define MCP_FACTS_MAX 64

/* ---- machine: facts of this machine ---- */
/* Bytes of one file or output, of all names of devices, of everything. */
#define MACHINE_FILE_BYTES_MAX (64 * 1024)
#define MACHINE_NAMES_BYTES_MAX (1024 * 1024)
#define MACHINE_BYTES_MAX ((size_t)16 << 20)
/* GPUs or chips of one machine. */
#define MACHINE_CARDS_MAX 64
/* Columns of a table that nvidia-smi prints. */
#define SMI_COLUMNS_MAX 32

/* ---- author: the corpus compiler ---- */
/* Bytes of one file. */
#define YAML_BYTES_MAX (1 << 20)
/* Levels of values in values. */
#define YAML_DEPTH_MAX 16
/* Values of one file; an alias counts as all values that it stands for. */
#define YAML_NODES_MAX 100000
/* Files of a corpus. */
#define FILES_MAX 500000
/* Levels of folders of a corpus. */
#define FILES_DEPTH_MAX 4
/* Bytes of a log beside an entry. */
#define FILE_BYTES_MAX (16 << 20)
/* Diagnostics of one build; then it stops. */
#define COMPLAINTS_MAX 2000
/* Bytes of what is found out about one file, samples included. */
#define SCRATCH_BYTES_MAX ((size_t)256 << 20)
/* Bytes that a thread keeps from one sample to the next. */
#define SAMPLE_SCANNER_BYTES_MAX ((size_t)8 << 20)
/* Bytes of a pattern made of an engine's flags. */
#define ENGINE_PATTERN_BYTES_MAX 2048
/* Bytes of the pattern of a draft. */
#define DRAFT_PATTERN_BYTES_MAX 4096
/* Bytes of a line that a draft is made from; the rest is not used. */
#define DRAFT_LINE_BYTES_MAX 600
/* Bytes of a draft. */
#define DRAFT_BYTES_MAX (64 * 1024)
/* Bytes of a file of the corpus as `fmt` lays it out. */
#define LAYOUT_BYTES_MAX (4 << 20)
/* Bytes of the key of a text. */
#define I18N_KEY_BYTES_MAX 200
/* Numbers and names of a text that its translation must contain. */
#define TRANSLATION_TOKENS_MAX 256
/* Bytes shown of a text that a pattern was tried on. */
#define TRIED_TEXT_BYTES_MAX 60
/* Bytes of a JSON schema. */
#define SCHEMA_BYTES_MAX (512 * 1024)
/* Bytes of kb/FORMAT.md. */
#define FORMAT_PAGE_BYTES_MAX (256 * 1024)
/* Bytes of a page of the site. */
#define SITE_PAGE_BYTES_MAX ((size_t)16 << 20)

/* ---- launch: files that start engines ---- */
/* Levels of YAML outside the corpus; what is deeper is not read. */
#define YAML_FOREIGN_DEPTH_MAX 64
/* Levels at which a pod or an application may stand in such a file. */
#define LINT_DEPTH_MAX 24
/* Levels of variables in defaults of variables. */
#define LINT_VARIABLES_DEPTH_MAX 8
/* Texts of a shell within texts (functions, files, quoted commands); calls of
 * functions that are followed in one file. */
#define LINT_NESTING_MAX 12
#define LINT_CALLS_MAX 200
/* Bytes of a value or a command with its variables filled in. */
#define LINT_TEXT_BYTES_MAX ((size_t)1 << 20)
/* Bytes of a finding's message. */
#define LINT_MESSAGE_BYTES_MAX 8192
/* Settings that one finding changes. */
#define LINT_EDITS_MAX 16
/* Variables of all engines that a misspelt one is compared with. */
#define LINT_VARIABLES_MAX 512
/* Bytes of a patch, and of all output of lint. */
#define LINT_PATCH_BYTES_MAX ((size_t)16 << 20)
#define LINT_OUTPUT_BYTES_MAX ((size_t)64 << 20)
/* Files that one file may name; services that extend one another. */
#define LINT_BESIDE_MAX 64
#define LINT_EXTENDS_MAX 8
/* Bytes of a file that is linted. */
#define LINT_FILE_BYTES_MAX ((size_t)1 << 20)

/* ---- cli: what users may ask ---- */
/* Threads (`--jobs`). */
#define JOBS_MAX 256
/* Facts given with --set. */
#define CLI_ANSWERS_MAX 64
/* Files given with --kb. */
#define CLI_KBS_MAX 16
/* Files given with --env-file. */
#define CLI_ENV_FILES_MAX 16
/* Flags of an engine given to `fit`. */
#define CLI_FIT_MAX 64
/* Bytes of all of them as they are passed on. */
#define CLI_FIT_BYTES_MAX 8192
/* Fixes given with --top. */
#define TOP_MAX 1000
/* Restarts of one job (run --apply). */
#define APPLY_MAX 100
/* Bytes of a config.json, or of the front of a GGUF file. */
#define MODEL_FILE_BYTES_MAX ((size_t)64 << 20)
/* Bytes of a file that holds a command. */
#define FIT_COMMAND_BYTES_MAX ((size_t)1 << 20)
/* Bytes of a message that is searched for. */
#define SEARCH_INPUT_BYTES_MAX (64 * 1024)
/* Bytes of a log that an entry is drafted from. */
#define DRAFT_LOG_BYTES_MAX ((size_t)64 << 20)
/* Bytes of a note on a fix. */
#define FEEDBACK_NOTE_BYTES_MAX 500
/* Bytes of a line of the file of feedback. */
#define FEEDBACK_LINE_BYTES_MAX 1200
/* Bytes of the path of the file of the user's own reports. */
#define OWN_REPORTS_PATH_MAX 4096
/* Bytes of that file. */
#define OWN_REPORTS_BYTES_MAX (4 << 20)
/* Bytes of all diagnostics in JSON. */
#define DIAGNOSTICS_BYTES_MAX ((size_t)64 << 20)
/* Bytes of one diagnostic. */
#define DIAG_BYTES_MAX (1 << 20)
/* Bytes at the end of a command's output without a newline that `run` holds
 * back. */
#define RUN_REST_BYTES_MAX (64 * 1024)
/* Bytes of the kernel's messages on a command that it killed. */
#define RUN_KERNEL_BYTES_MAX 8192

#endif
