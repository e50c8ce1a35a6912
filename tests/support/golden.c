#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "corpus/fields.h"
#include "support/reports.h"
#include "support/texts.h"

struct str report_shown_as(struct arena *a, const struct report *r,
                           const char *format, enum lang lang) {
    struct render_options o = {.lang = lang};
    struct buf out = buf_in(a, (size_t)1 << 24);
    struct answer answer = {.report = r};
    format_write(format_named(str_of(format)), a, texts_reader(a), &answer, &o,
                 &out);
    assert_true(buf_ok(&out));
    return arena_str(a, buf_str(&out));
}

void expect_golden_file(struct arena *a, const char *file, struct str text) {
    struct str path =
        root_path(a, arena_printf(a, "tests/render/golden/%s", file).p);
    if (getenv("OOMKB_REFRESH") != NULL) {
        FILE *f = fopen(path.p, "wb");
        assert_non_null(f);
        fwrite(text.p, 1, text.n, f);
        fclose(f);
    }
    if (!str_eq(file_text(a, path), text)) {
        fail_msg("%s differs; it is now:\n%.*s", path.p, STR_ARG(text));
    }
}

void expect_golden_reports(struct arena *a, const char *format,
                           const char *suffix) {
    const struct {
        const char *name;
        struct report *report;
    } cases[] = {{"kv-pool", report_of_kv_pool(a)},
                 {"free-at-start", report_of_free_at_start(a)},
                 {"warning", report_of_warning(a)},
                 {"nothing", report_of_nothing(a)},
                 {"hostile", report_of_hostile_log(a)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
            struct str file = arena_printf(a, "%s-%s%s", cases[i].name,
                                           lang_name((enum lang)lang), suffix);
            expect_golden_file(a, file.p,
                               report_shown_as(a, cases[i].report, format,
                                               (enum lang)lang));
        }
    }
}
