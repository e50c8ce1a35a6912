/* test_fuzz.c: whatever bytes come in, an answer or one line that refuses comes
 * out, and what comes out is safe to show. Inputs that fuzzing once found worth
 * keeping are in kept/<target>/; here all of them are tried. `make fuzz` looks
 * for more: the same targets under libFuzzer (FUZZ_MAIN is its own then).
 *
 * A target takes bytes and fails by a sanitizer or by abort(). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <oomkb/oomkb.h>

#include "author/author.h"
#include "base/json.h"
#include "base/utf8.h"
#include "index/read.h"
#include "launch/lint.h"
#include "machine/source.h"
#include "match/match.h"
#include "serve/mcp.h"
#include "support/corpus.h"

#define INDEX "build/oomkb.db" /* made before any test is */
#define KEPT "tests/fuzz/kept/"
#define OUT_BYTES_MAX ((size_t)16 << 20)
#define FACTS_MOST 16

struct trial {
    struct arena *a;
    oomkb *kb;
    struct buf out;
};

/* ---- what may come out ---- */

static void refuse(const char *why, struct str text) {
    fprintf(stderr, "%s:\n%.*s\n", why, STR_ARG(text));
    abort();
}

static int take(void *ctx, const char *bytes, size_t n) {
    buf_add(ctx, (struct str){bytes, n});
    return 0;
}

/* Every answer is valid UTF-8 as it would be cleaned: but for the joiners that
 * Markdown and chat put in, nothing that acts on a terminal or is unseen. */
static void expect_shown(struct trial *t, const char *format) {
    static const char *const joined[] = {"markdown", "chat"};
    struct str text = buf_str(&t->out);
    bool has_joiners = strcmp(format, joined[0]) == 0 ||
                       strcmp(format, joined[1]) == 0;
    if (!utf8_valid(text))
        refuse("not UTF-8", text);
    struct buf clean = buf_in(t->a, OUT_BYTES_MAX);
    utf8_clean(&clean, text);
    if (!has_joiners && !str_eq(buf_str(&clean), text))
        refuse("not clean", text);
    struct json *value = NULL;
    if (strcmp(format, "json") == 0 && !json_try_parse(t->a, text, &value))
        refuse("not JSON", text);
}

static bool expect_sane(int code, const oomkb_error *err) {
    struct str text = str_of(err->text);
    bool is_refused = code == OOMKB_ERROR_USAGE || code == OOMKB_ERROR_INPUT ||
                      code == OOMKB_ERROR_CEILING;
    if (code != OOMKB_OK &&
        (!is_refused || text.n == 0 || str_find_char(text, '\n') < text.n))
        refuse("an error that should not be", text);
    return code == OOMKB_OK;
}

/* ---- targets ---- */

static void write_report(struct trial *t, const oomkb_report *report) {
    const char *const *formats = oomkb_formats();
    for (size_t i = 0; formats[i] != NULL; i++) {
        oomkb_error err = {0};
        oomkb_options o = {.size = sizeof o, .redact = (int)i % 2,
                           .lang = i % 3 == 0 ? "zh" : "en", .all = 1};
        buf_clear(&t->out);
        if (expect_sane(oomkb_report_write(report, formats[i], &o, take,
                                           &t->out, &err), &err))
            expect_shown(t, formats[i]);
    }
}

/* Makes a log a long one, of which only lines near a literal are read. */
static struct str healthy_lines_80k(void) {
    static char lines[80 * 1024];
    static const char line[] = "a line of a server that is well\n";
    for (size_t i = 0; i < sizeof lines; i++) {
        lines[i] = line[i % (sizeof line - 1)];
    }
    return (struct str){lines, sizeof lines};
}

/* A log, whole, and again as a pipe brings it, at the beginning of a long one.
 */
static void try_log(struct trial *t, struct str bytes) {
    oomkb_error err = {0};
    oomkb_report *report = NULL;
    oomkb_scan *scan = NULL;
    const oomkb_report *news = NULL;
    if (expect_sane(oomkb_diagnose(t->kb, bytes.p, bytes.n, NULL, &report,
                                   &err), &err)) {
        write_report(t, report);
        oomkb_report_free(report);
    }
    if (!expect_sane(oomkb_scan_new(t->kb, NULL, &scan, &err), &err))
        return;
    size_t half = bytes.n / 2;
    struct str more = healthy_lines_80k();
    if (!expect_sane(oomkb_scan_feed(scan, bytes.p, half, &err), &err) ||
        !expect_sane(oomkb_scan_news(scan, 1, &news, &err), &err) ||
        !expect_sane(oomkb_scan_feed(scan, bytes.p + half, bytes.n - half,
                                     &err), &err) ||
        !expect_sane(oomkb_scan_feed(scan, more.p, more.n, &err), &err)) {
        oomkb_scan_free(scan);
    } else if (expect_sane(oomkb_scan_finish(scan, &report, &err), &err)) {
        oomkb_report_free(report);
    }
}

/* Facts, one a line; behind an empty line a config.json or a GGUF file. A first
 * line that begins with "$ " is a command. */
static void try_fit(struct trial *t, struct str bytes) {
    const char *facts[FACTS_MOST + 1] = {NULL};
    oomkb_fit_question q = {.size = sizeof q, .facts = facts};
    size_t count = 0;
    struct str rest = bytes;
    while (rest.n > 0 && count < FACTS_MOST) {
        struct str line = str_cut(rest, '\n', &rest);
        const char *text = arena_str(t->a, line).p;
        if (line.n == 0)
            break;
        if (str_starts(line, STR("$ ")))
            q.command = text + 2;
        else
            facts[count++] = text;
    }
    q.config = rest.n > 0 ? rest.p : NULL;
    q.config_bytes = rest.n;
    oomkb_error err = {0};
    int fits = 0;
    for (int i = 0; i < 2; i++) {
        const char *format = i == 0 ? "json" : "text";
        buf_clear(&t->out);
        if (expect_sane(oomkb_fit_write(t->kb, &q, format, NULL, take, &t->out,
                                        &fits, &err), &err))
            expect_shown(t, format);
    }
}

static void ignore(void *ctx, const struct diag *d) {
    (void)ctx;
    (void)d;
}

static void try_entry(struct trial *t, struct str bytes) {
    struct entry entry;
    author_read_entry(t->a, STR("entries/x/y.yaml"), bytes, ignore, NULL,
                      &entry);
}

/* Three entries, so that a byte of it is likely to matter; one that opens. */
static struct str small_index(struct arena *a) {
    struct corpus c = tiny_corpus(a);
    struct pattern_list set = corpus_patterns(a, &c);
    for (size_t i = 0; i < set.count; i++)
        pattern_analyze(a, &set.at[i]);
    return index_write(a, &c, &set, scan_rules_build(a, &set));
}

/* An index that somebody means harm with: each five bytes are a place and what
 * stands there now, and its checks are right. It is refused, or it answers. */
static void try_index(struct trial *t, struct str bytes) {
    static const char log[] = "torch.OutOfMemoryError: CUDA out of memory.\n";
    static struct arena of_image; /* made once; libFuzzer has no end */
    static struct str image;
    static size_t tables;
    if (image.n == 0) {
        arena_init(&of_image, NULL, 0);
        image = small_index(&of_image);
        tables = index_open(&of_image, image)->tables.n;
    }
    char *index = arena_alloc(t->a, image.n);
    memcpy(index, image.p, image.n);
    for (size_t i = 0; i + 5 <= bytes.n; i += 5) {
        const unsigned char *p = (const unsigned char *)bytes.p + i;
        size_t at = (size_t)p[0] << 24 | (size_t)p[1] << 16 |
                    (size_t)p[2] << 8 | p[3];
        index[at % image.n] = (char)p[4];
    }
    image_mend_checks((struct str){index, image.n}, tables);
    oomkb_error err = {0};
    oomkb *kb = NULL;
    oomkb_report *report = NULL;
    if (oomkb_open_bytes(index, image.n, &kb, &err) != OOMKB_OK)
        return;
    if (oomkb_diagnose(kb, log, sizeof log - 1, NULL, &report, &err) ==
        OOMKB_OK) {
        oomkb_report_write(report, "json", NULL, take, &t->out, &err);
        oomkb_report_free(report);
    }
    oomkb_entry_write(kb, "pytorch/cuda-oom", "text", NULL, take, &t->out, &err);
    oomkb_search_write(kb, "memory", "json", NULL, take, &t->out, NULL, &err);
    oomkb_close(kb);
}

/* Lines that an agent sends. */
static void try_mcp(struct trial *t, struct str bytes) {
    struct str rest = bytes;
    while (rest.n > 0) {
        struct str line = str_cut(rest, '\n', &rest);
        struct json *value = NULL;
        buf_clear(&t->out);
        if (!mcp_answer(t->kb, line, &t->out))
            refuse("no memory", line);
        struct str reply = buf_str(&t->out);
        if (reply.n > 0 && (str_find_char(reply, '\n') < reply.n ||
                            !json_try_parse(t->a, reply, &value)))
            refuse("not one line of JSON", reply);
    }
}

/* A file that starts something; its name is the first line. */
static void try_lint(struct trial *t, struct str bytes) {
    static const char *const facts[] = {"gpu_name=A10G", NULL};
    static const char *const machine[] = {NULL};
    struct str text, path = str_cut(bytes, '\n', &text);
    struct lint_options o = {.kb = t->kb, .lang = LANG_ZH, .facts = facts,
                             .machine = machine};
    struct lint_file *file = lint_read(t->a, &o, path, text);
    buf_clear(&t->out);
    json_write(lint_json(t->a, &file, 1), true, &t->out);
    expect_shown(t, "json");
    buf_clear(&t->out);
    lint_put_github(file, &t->out);
    lint_put_text(t->a, file, 60, &t->out);
    lint_patch(t->a, file);
}

/* What the machine's tools print: each source reads all of it, and what they
 * make of it goes with a log. */
static void try_facts(struct trial *t, struct str bytes) {
    static const char log[] = "torch.OutOfMemoryError: CUDA out of memory. "
                              "Tried to allocate 2.00 GiB.\n";
    struct machine_lines m = machine_lines_new(t->a);
    size_t half = bytes.n / 2;
    struct nvidia_text nvidia = {.gpus = str_slice(bytes, 0, half),
                                 .processes = str_slice(bytes, half, bytes.n),
                                 .host_total = 1 << 30};
    struct cgroup_text cgroup = {bytes, bytes, bytes, bytes};
    struct cgroup_state state = cgroup_state_of(&cgroup);
    nvidia_smi_read(&m, &nvidia);
    amdgpu_read(&m, &(struct amdgpu_text){1, bytes, bytes, bytes});
    meminfo_read(&m, bytes, bytes);
    system_read(&m, bytes);
    cgroup_place_of(bytes);
    cgroup_read(&m, &state, &(struct cgroup_origins){"a", "b", "c"});
    versions_read(&m, bytes);
    oomkb_options o = {.size = sizeof o, .machine = m.at};
    oomkb_error err = {0};
    oomkb_report *report = NULL;
    if (expect_sane(oomkb_diagnose(t->kb, log, sizeof log - 1, &o, &report,
                                   &err), &err)) {
        buf_clear(&t->out);
        if (expect_sane(oomkb_report_write(report, "text", NULL, take, &t->out,
                                           &err), &err))
            expect_shown(t, "text");
        oomkb_report_free(report);
    }
}

static const struct target {
    const char *name;
    void (*try)(struct trial *t, struct str bytes);
    bool may_raise; /* a house below the API, asked without its guard */
} targets[] = {{"log", try_log, false},     {"fit", try_fit, false},
               {"entry", try_entry, true},  {"index", try_index, false},
               {"mcp", try_mcp, false},     {"lint", try_lint, false},
               {"facts", try_facts, false}};

static oomkb *open_kb(void) {
    static oomkb *kb; /* for all inputs; libFuzzer has no end to close it at */
    oomkb_error err = {0};
    if (kb == NULL && oomkb_open(INDEX, &kb, &err) != OOMKB_OK)
        refuse("no index", str_of(err.text));
    return kb;
}

struct attempt {
    const struct target *target;
    struct trial trial;
    struct str bytes;
};

static void try_guarded(void *ctx) {
    struct attempt *at = ctx;
    at->target->try(&at->trial, at->bytes);
}

static void try_bytes(const struct target *target, struct str bytes) {
    struct arena a;
    struct fault fault;
    arena_init(&a, NULL, 0);
    struct attempt at = {target, {.a = &a, .kb = open_kb()}, bytes};
    buf_init(&at.trial.out, NULL, OUT_BYTES_MAX);
    if (arena_guard(&a, try_guarded, &at, &fault) != FAIL_NONE &&
        !target->may_raise)
        refuse(fault.text, bytes);
    buf_free(&at.trial.out);
    arena_free(&a);
}

#ifdef FUZZ_MAIN

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    const char *name = getenv("OOMKB_FUZZ");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (name != NULL && strcmp(targets[i].name, name) == 0)
            try_bytes(&targets[i], (struct str){(const char *)bytes, n});
    return 0;
}

#else

static void try_kept(const struct target *target, struct arena *a) {
    struct str folder = arena_printf(a, KEPT "%s", target->name);
    DIR *dir = opendir(folder.p);
    assert_non_null(dir);
    size_t count = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        struct str path = arena_printf(a, "%s/%s", folder.p, e->d_name);
        try_bytes(target, file_bytes(a, path.p));
        count++;
    }
    closedir(dir);
    assert_true(count >= 10);
}

/* One case a target, by its name. */
static void test_kept(void **state) {
    struct arena a;
    arena_init(&a, NULL, 0);
    try_kept(*state, &a);
    arena_free(&a);
}

int main(void) {
    struct CMUnitTest tests[sizeof targets / sizeof *targets];
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        tests[i] = (struct CMUnitTest){
            .name = targets[i].name, .test_func = test_kept,
            .initial_state = (void *)(uintptr_t)&targets[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
