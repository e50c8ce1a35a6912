/* diagnostics.c: complaints about a corpus for programs to read.
 *
 * Text goes to stderr as a compiler's does (base/diag.h); JSON and SARIF go to
 * stdout whole, in the same order, and nothing else does. SARIF is what code
 * review tools take: each code is a rule, each complaint a result. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "cli/corpus.h"
#include "cli/cli.h"

#define KEY_MAX 48

void diagnostics_add(void *ctx, const struct diag *d) {
    struct diagnostics *all = ctx;
    all->list = arena_grow(all->a, all->list, all->count, &all->cap,
                           sizeof *all->list);
    all->list[all->count++] = *d;
}

static struct json *text(struct arena *a, const char *s) {
    return json_text(a, str_of(s));
}

void diagnostics_put(struct arena *a, struct json *page) {
    struct buf out;
    buf_init_in(&out, a, DIAGNOSTICS_BYTES_MAX);
    json_write(page, true, &out);
    buf_add_char(&out, '\n');
    fwrite(out.p, 1, out.n, stdout);
}

/* ---- JSON ---- */

void diagnostics_write_json(struct cli *c, const struct diagnostics *all,
                            const struct author_result *sums) {
    struct arena *a = all->a;
    struct json *page = json_new_object(a);
    struct json *list = json_new_array(a);
    (void)c;
    for (size_t i = 0; i < all->count; i++)
        json_push(list, diag_json(a, &all->list[i]));
    json_set(page, "schema", json_int(a, 1));
    json_set(page, "entries", json_int(a, (int64_t)sums->entries));
    json_set(page, "samples", json_int(a, (int64_t)sums->samples));
    json_set(page, "errors", json_int(a, (int64_t)sums->errors));
    json_set(page, "warnings", json_int(a, (int64_t)sums->warnings));
    json_set(page, "diagnostics", list);
    diagnostics_put(a, page);
}

/* ---- SARIF ---- */

static struct json *message(struct arena *a, struct str s) {
    struct json *o = json_new_object(a);
    json_set(o, "text", json_text(a, s));
    return o;
}

static const char *code_text_of(struct cli *c, const char *code,
                                const char *part) {
    char key[KEY_MAX];
    snprintf(key, sizeof key, "code.%s.%s", code, part);
    return cli_text(c, key);
}

static struct json *json_rule(struct arena *a, const struct sarif_rule *r) {
    struct json *rule = json_new_object(a);
    struct json *level_of = json_new_object(a);
    json_set(level_of, "level", text(a, diag_level_word(r->level)));
    json_set(rule, "id", json_text(a, r->id));
    json_set(rule, "shortDescription", message(a, r->what));
    json_set(rule, "help", message(a, r->help));
    json_set(rule, "defaultConfiguration", level_of);
    return rule;
}

static struct sarif_rules codes_as_rules(struct cli *c, struct arena *a) {
    struct sarif_rules all = {0};
    size_t cap = 0;
    enum diag_level level;
    const char *code;
    for (size_t i = 0; (code = author_code(i, &level)) != NULL; i++) {
        all.at = arena_grow(a, all.at, all.count, &cap, sizeof *all.at);
        all.at[all.count++] = (struct sarif_rule){
            .id = str_of(code), .level = level,
            .what = str_of(code_text_of(c, code, "what")),
            .help = str_of(code_text_of(c, code, "fix"))};
    }
    return all;
}

static struct json *location(struct arena *a, const struct diag *d) {
    struct json *file = json_new_object(a), *region = json_new_object(a);
    struct json *place = json_new_object(a), *o = json_new_object(a);
    json_set(file, "uri", json_text(a, d->path));
    json_set(place, "artifactLocation", file);
    if (d->line > 0) {
        json_set(region, "startLine", json_int(a, d->line));
        json_set(region, "startColumn", json_int(a, d->column));
        json_set(region, "endColumn", json_int(a, d->column + d->width));
        json_set(place, "region", region);
    }
    json_set(o, "physicalLocation", place);
    return o;
}

static struct json *result(struct arena *a, const struct diag *d) {
    struct json *o = json_new_object(a), *places = json_new_array(a);
    if (d->code)
        json_set(o, "ruleId", text(a, d->code));
    json_set(o, "level", text(a, diag_level_word(d->level)));
    json_set(o, "message", message(a, d->message));
    json_push(places, location(a, d));
    json_set(o, "locations", places);
    return o;
}

void diagnostics_write_sarif(struct cli *c, const struct diagnostics *all,
                             const struct sarif_rules *own) {
    struct arena *a = all->a;
    struct sarif_rules rules = own != NULL ? *own : codes_as_rules(c, a);
    struct json *list = json_new_array(a);
    struct json *driver = json_new_object(a), *tool = json_new_object(a);
    struct json *run = json_new_object(a), *runs = json_new_array(a);
    struct json *results = json_new_array(a), *page = json_new_object(a);
    for (size_t i = 0; i < all->count; i++)
        json_push(results, result(a, &all->list[i]));
    for (size_t i = 0; i < rules.count; i++)
        json_push(list, json_rule(a, &rules.at[i]));
    json_set(driver, "name", text(a, "oomkb"));
    json_set(driver, "version", text(a, oomkb_version()));
    json_set(driver, "rules", list);
    json_set(tool, "driver", driver);
    json_set(run, "tool", tool);
    json_set(run, "columnKind", text(a, "unicodeCodePoints"));
    json_set(run, "results", results);
    json_push(runs, run);
    json_set(page, "$schema",
             text(a, "https://json.schemastore.org/sarif-2.1.0.json"));
    json_set(page, "version", text(a, "2.1.0"));
    json_set(page, "runs", runs);
    diagnostics_put(a, page);
}

/* ---- the codes themselves ---- */

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
    } said[] = {{"why", "cli.code.why"}, {"fix", "cli.code.fix"}};
    enum diag_level level;
    const char *code;
    size_t i = 0;
    while ((code = author_code(i, &level)) != NULL &&
           strcmp(code, spelling) != 0)
        i++;
    if (code == NULL)
        return false;
    char line[TEXT_MAX];
    fill_text(c, level == DIAG_ERROR ? "cli.code.error" : "cli.code.warning",
              code, code_text_of(c, code, "what"), line, sizeof line);
    puts(line);
    for (i = 0; i < sizeof said / sizeof *said; i++)
        cli_say(c, said[i].key, code_text_of(c, code, said[i].part), NULL);
    return true;
}
