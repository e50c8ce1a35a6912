/* diagnostics.c: writes diagnostics for programs.
 *
 * Text goes to stderr in the form of a compiler (base/diag.h). JSON and SARIF
 * go to stdout as one document, in the same order. SARIF is the format of code
 * review tools: each code is a rule, each diagnostic a result. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "cli/corpus.h"
#include "cli/cli.h"

#define KEY_MAX 48

void diagnostics_add(void *ctx, const struct diag *d) {
    struct diagnostics *all = ctx;
    *ARENA_ADD(all->a, all->list, all->count, all->cap) = *d;
}

void diagnostics_put(struct arena *a, struct json *page, bool is_pretty) {
    struct buf out = buf_in(a, DIAGNOSTICS_BYTES_MAX);
    json_write(page, is_pretty, &out);
    buf_add_char(&out, '\n');
    fwrite(out.p, 1, out.n, stdout);
}

/* ---- JSON ---- */

void diagnostics_write_json(struct cli *c, const struct diagnostics *all,
                            const struct author_result *sums) {
    struct arena *a = all->a;
    struct json *list = json_new_array(a);
    (void)c;
    for (size_t i = 0; i < all->count; i++)
        json_push(list, diag_json(a, &all->list[i]));
    diagnostics_put(
        a, JSON_OBJECT(a, {"schema", json_int(a, 1)},
                       {"entries", json_int(a, (int64_t)sums->entries)},
                       {"samples", json_int(a, (int64_t)sums->samples)},
                       {"errors", json_int(a, (int64_t)sums->errors)},
                       {"warnings", json_int(a, (int64_t)sums->warnings)},
                       {"diagnostics", list}), true);
}

/* ---- SARIF ---- */

static struct json *message(struct arena *a, struct str s) {
    return JSON_OBJECT(a, {"text", json_text(a, s)});
}

static const char *code_text_of(struct cli *c, const char *code,
                                const char *part) {
    char key[KEY_MAX];
    snprintf(key, sizeof key, "code.%s.%s", code, part);
    return cli_text(c, key);
}

static struct json *json_rule(struct arena *a, const struct sarif_rule *r) {
    struct json *level = json_spelling(a, diag_level_word(r->level));
    return JSON_OBJECT(
        a, {"id", json_text(a, r->id)},
        {"shortDescription", message(a, r->what)},
        {"help", message(a, r->help)},
        {"defaultConfiguration", JSON_OBJECT(a, {"level", level})});
}

static struct sarif_rules codes_as_rules(struct cli *c, struct arena *a) {
    struct sarif_rules all = {0};
    size_t cap = 0;
    enum diag_level level;
    const char *code;
    for (size_t i = 0; (code = author_code(i, &level)) != NULL; i++) {
        *ARENA_ADD(a, all.at, all.count, cap) = (struct sarif_rule){
            .id = str_of(code), .level = level,
            .what = str_of(code_text_of(c, code, "what")),
            .help = str_of(code_text_of(c, code, "fix"))};
    }
    return all;
}

static struct json *location(struct arena *a, const struct diag *d) {
    struct json *file = JSON_OBJECT(a, {"uri", json_text(a, d->path)});
    struct json *region = NULL;
    if (d->line > 0)
        region = JSON_OBJECT(
            a, {"startLine", json_int(a, d->line)},
            {"startColumn", json_int(a, d->column)},
            {"endColumn", json_int(a, d->column + d->width)});
    struct json *place =
        JSON_OBJECT(a, {"artifactLocation", file}, {"region", region});
    return JSON_OBJECT(a, {"physicalLocation", place});
}

static struct json *result(struct arena *a, const struct diag *d) {
    return JSON_OBJECT(
        a, {"ruleId", d->code ? json_spelling(a, d->code) : NULL},
        {"level", json_spelling(a, diag_level_word(d->level))},
        {"message", message(a, d->message)},
        {"locations", JSON_LIST(a, location(a, d))});
}

void diagnostics_write_sarif(struct cli *c, const struct diagnostics *all,
                             const struct sarif_rules *own) {
    struct arena *a = all->a;
    struct sarif_rules rules = own != NULL ? *own : codes_as_rules(c, a);
    struct json *list = json_new_array(a), *results = json_new_array(a);
    for (size_t i = 0; i < all->count; i++)
        json_push(results, result(a, &all->list[i]));
    for (size_t i = 0; i < rules.count; i++)
        json_push(list, json_rule(a, &rules.at[i]));
    struct json *driver = JSON_OBJECT(
        a, {"name", json_spelling(a, "oomkb")},
        {"version", json_spelling(a, oomkb_version())}, {"rules", list});
    struct json *run = JSON_OBJECT(
        a, {"tool", JSON_OBJECT(a, {"driver", driver})},
        {"columnKind", json_spelling(a, "unicodeCodePoints")},
        {"results", results});
    const char *schema = "https://json.schemastore.org/sarif-2.1.0.json";
    diagnostics_put(a, JSON_OBJECT(a, {"$schema", json_spelling(a, schema)},
                                   {"version", json_spelling(a, "2.1.0")},
                                   {"runs", JSON_LIST(a, run)}), true);
}

/* ---- codes ---- */

void codes_write(struct cli *c) {
    enum diag_level level;
    const char *code;
    for (size_t i = 0; (code = author_code(i, &level)) != NULL; i++)
        printf("%s  %-7s  %s\n", code, diag_level_word(level),
               code_text_of(c, code, "what"));
}

bool code_explain(struct cli *c, const char *spelling) {
    static const struct {
        const char *part, *key;
    } parts[] = {{"why", "cli.code.why"}, {"fix", "cli.code.fix"}};
    enum diag_level level;
    const char *code;
    size_t i = 0;
    while ((code = author_code(i, &level)) != NULL &&
           strcmp(code, spelling) != 0)
        i++;
    if (code == NULL)
        return false;
    cli_print(c, level == DIAG_ERROR ? "cli.code.error" : "cli.code.warning",
              code, code_text_of(c, code, "what"));
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        cli_print(c, parts[i].key, code_text_of(c, code, parts[i].part), NULL);
    return true;
}
