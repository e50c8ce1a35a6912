/* write.c: writes findings as text, as JSON, and as annotations for GitHub.
 *
 *     compose.yml:24:9: error: vllm: ... it does not fit [does-not-fit]
 *             - "40000"
 *               ^~~~~~~
 *       One request of 40,000 tokens needs 9.77 GiB of KV cache; ...
 *
 * The first line of a message stays in the first line; the rest is wrapped
 * below the caret. */
#include "launch/lint.h"

#include <oomkb/oomkb.h>

#include "base/json.h"
#include "base/utf8.h"
#include "render/text_writer.h"

#define INDENT 2

static void put_detail(struct arena *a, struct buf *out, struct str detail,
                       uint32_t width) {
    while (detail.n > 0) {
        struct str line = str_cut(detail, '\n', &detail);
        struct str_list lines =
            wrap_text(a, line, width - INDENT, width - INDENT);
        for (size_t i = 0; i < lines.count; i++)
            buf_printf(out, "%*s%.*s\n", INDENT, "", STR_ARG(lines.at[i]));
    }
}

static void put_finding(struct arena *a, struct buf *out,
                        const struct lint_finding *f, uint32_t width) {
    struct diag d = f->diag;
    struct str detail;
    d.message = str_cut(f->diag.message, '\n', &detail);
    diag_format(&d, out);
    put_detail(a, out, detail, width);
}

static bool has_verdict_finding(const struct lint_file *file,
                    const struct lint_service *s) {
    for (size_t i = 0; i < file->finding_count; i++) {
        const struct lint_finding *f = &file->findings[i];
        bool is_verdict = str_starts(f->rule->check, STR("weights_")) ||
                          STR_IS_ONE(f->rule->check, "does_not_fit",
                                     "not_decided", "room", "bad_value");
        if (is_verdict && str_eq(f->service, s->name))
            return true;
    }
    return false;
}

void lint_put_text(struct arena *a, const struct lint_file *file,
                   uint32_t width, struct buf *out) {
    for (size_t i = 0; i < file->finding_count; i++)
        put_finding(a, out, &file->findings[i], width);
    for (size_t i = 0; i < file->service_count; i++) {
        const struct lint_service *s = &file->services[i];
        if (!s->has_engine || has_verdict_finding(file, s))
            continue;
        utf8_clean(out, file->path);
        buf_printf(out, ":%u: ", s->line);
        utf8_clean(out, s->name);
        buf_add(out, STR(": "));
        utf8_clean(out, s->text);
        buf_add_char(out, '\n');
    }
}

/* ---- JSON ---- */

static struct json *service_json(struct arena *a,
                                 const struct lint_service *s) {
    return JSON_OBJECT(
        a, {"path", json_text(a, s->path)}, {"line", json_int(a, s->line)},
        {"service", json_text(a, s->name)}, {"engine", json_text(a, s->engine)},
        {"verdict", json_spelling(a, fit_spelling(s->fits))},
        {"weights_most", s->room > 0 ? json_int(a, s->room) : NULL},
        {"text", json_text(a, s->text)});
}

static void push_file(struct arena *a, const struct lint_file *file,
                      struct json *services, struct json *diagnostics) {
    for (size_t i = 0; i < file->finding_count; i++) {
        struct json *o = diag_json(a, &file->findings[i].diag);
        json_set(o, "service", json_text(a, file->findings[i].service));
        json_push(diagnostics, o);
    }
    for (size_t i = 0; i < file->service_count; i++)
        if (file->services[i].has_engine)
            json_push(services, service_json(a, &file->services[i]));
}

struct json *lint_json(struct arena *a, struct lint_file *const *files,
                       size_t count) {
    struct json *services = json_new_array(a);
    struct json *diagnostics = json_new_array(a);
    for (size_t i = 0; i < count; i++)
        push_file(a, files[i], services, diagnostics);
    return JSON_OBJECT(a, {"schema", json_int(a, 1)},
                       {"oomkb", json_spelling(a, oomkb_version())},
                       {"services", services}, {"diagnostics", diagnostics});
}

/* ---- GitHub ---- */

/* Escapes %, CR and LF; in a property also ',' and ':'. */
static void put_escaped(struct buf *out, struct str text, bool is_property) {
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool is_special = c == '%' || c == '\r' || c == '\n' ||
                          (is_property && (c == ',' || c == ':'));
        if (is_special)
            buf_printf(out, "%%%02X", c);
        else
            buf_add_char(out, text.p[i]);
    }
}

static const char *command_of(enum diag_level level) {
    switch (level) {
    case DIAG_ERROR: return "error";
    case DIAG_WARNING: return "warning";
    case DIAG_NOTE: return "notice";
    }
    return "error";
}

void lint_put_github(const struct lint_file *file, struct buf *out) {
    for (size_t i = 0; i < file->finding_count; i++) {
        const struct diag *d = &file->findings[i].diag;
        buf_printf(out, "::%s file=", command_of(d->level));
        put_escaped(out, d->path, true);
        buf_printf(out, ",line=%u,col=%u,endColumn=%u,title=oomkb %s::",
                   d->line, d->column, d->column + d->width, d->code);
        put_escaped(out, d->message, false);
        buf_add_char(out, '\n');
    }
}
