/* retry.c: the corrected command as words, for a program that starts it again.
 *
 *     vllm serve M --max-model-len=131072 --port 1
 *     fix 1: --max-model-len 40048, a flag, enough
 *     vllm serve M --max-model-len=40048 --port 1
 *
 * No person checks the command before it runs, so it takes only a fix that is a
 * flag of this command's engine, that arithmetic calls enough, and only for a
 * failure before the server was ready. Words are changed, never a line that a
 * shell would parse.
 */
#include "diagnose/retry.h"

#include "base/limits.h"
#include "diagnose/command.h"
#include "diagnose/work.h"

struct flag_change { /* "--flag value"; value empty: a switch */
    struct str flag, value;
    const struct flag *row;
};

struct flag_changes {
    struct flag_change at[RETRY_CHANGES_MAX];
    size_t count;
};

/* Reads the settings. False: one of them is no flag of the engine. */
static bool changes_read(const struct engine *e, struct str settings,
                         struct flag_changes *out) {
    struct shell sh = {settings, '\\'};
    struct shell_token t = shell_next(&sh, 0);
    for (; t.kind == SHELL_WORD; t = shell_next(&sh, t.to)) {
        struct str value, word = shell_unquoted(shell_text(&sh, &t));
        struct flag_change *last =
            out->count > 0 ? &out->at[out->count - 1] : NULL;
        bool is_flag = word.n > 1 && word.p[0] == '-' && !is_digit(word.p[1]);
        if (is_flag && out->count < RETRY_CHANGES_MAX) {
            word = str_cut(word, '=', &value);
            out->at[out->count++] =
                (struct flag_change){word, value, command_flag_row(e, word)};
        } else if (!is_flag && last && last->value.n == 0) {
            last->value = word;
        } else {
            return false;
        }
        if (out->at[out->count - 1].row == NULL)
            return false;
    }
    return t.kind == SHELL_END && out->count > 0;
}

/* ---- words ---- */

static void word_add(struct arena *a, struct str_list *list, size_t *cap,
                     struct str word) {
    list->at = arena_grow(a, list->at, list->count, cap, sizeof *list->at);
    list->at[list->count++] = arena_str(a, word);
}

static bool is_value(struct str word) {
    return word.n > 0 && (word.p[0] != '-' ||
                          (word.n > 1 && is_digit(word.p[1])));
}

static bool is_end_of_flags(struct str word) {
    return str_eq(word, STR("--"));
}

static void add_setting(struct arena *a, struct str_list *out, size_t *cap,
                        const struct flag_change *c) {
    word_add(a, out, cap, c->flag);
    if (c->value.n > 0)
        word_add(a, out, cap, c->value);
}

/* Sets the value at each occurrence of the flag, in the form that it has there;
 * else adds the flag. */
static struct str_list argv_with(struct arena *a, const struct str_list *argv,
                                 const struct flag_change *c) {
    struct str_list out = {0};
    size_t cap = 0;
    bool is_there = false, is_behind = false;
    for (size_t i = 0; i < argv->count; i++) {
        struct str value, word = argv->at[i];
        struct str name = str_cut(word, '=', &value);
        is_behind = is_behind || is_end_of_flags(word);
        if (is_end_of_flags(word) && !is_there) {
            add_setting(a, &out, &cap, c);
            is_there = true;
        }
        if (i == 0 || is_behind || !command_flag_is(name, c->row)) {
            word_add(a, &out, &cap, word);
            continue;
        }
        is_there = true;
        if (value.n > 0 && c->value.n > 0) {
            word_add(a, &out, &cap, arena_printf(a, "%.*s=%.*s", STR_ARG(name),
                                                 STR_ARG(c->value)));
            continue;
        }
        word_add(a, &out, &cap, name);
        if (c->value.n > 0) {
            word_add(a, &out, &cap, c->value);
            i += i + 1 < argv->count && is_value(argv->at[i + 1]);
        }
    }
    if (!is_there)
        add_setting(a, &out, &cap, c);
    return out;
}

static bool is_same(const struct str_list *x, const struct str_list *y) {
    for (size_t i = 0; x->count == y->count && i < x->count; i++)
        if (!str_eq(x->at[i], y->at[i]))
            return false;
    return x->count == y->count;
}

/* ---- conditions ---- */

static bool is_before_ready(const struct finding *f) {
    const struct fact *stage = facts_first(&f->facts, FACT_stage);
    return f->mechanism == MECHANISM_kv_cache_startup ||
           (stage && STR_IS_ONE(stage->word, "load", "profile", "kv_alloc",
                                "capture", "compile"));
}

static bool is_sure(const struct fix *fix) {
    return fix->effort == EFFORT_flag && fix->applies == APPLIES_YES &&
           fix_verdict(fix) == VERDICT_ENOUGH && fix->command.n > 0 &&
           !fix->has_gap && fix->first_try.n == 0;
}

static bool try_fix(struct arena *a, const struct engine *e,
                    const struct fix *fix, const struct str_list *argv,
                    struct retry *out) {
    struct flag_changes changes = {.count = 0};
    struct str_list now = *argv;
    if (!changes_read(e, fix->command, &changes))
        return false;
    for (size_t i = 0; i < changes.count; i++)
        now = argv_with(a, &now, &changes.at[i]);
    if (is_same(&now, argv))
        return false;
    out->argv = now;
    out->change = fix->command;
    return true;
}

struct retry retry_find(struct arena *a, const struct report *rep,
                        const struct engine *engine,
                        const struct str_list *argv, bool also_late) {
    struct retry out = {.why_not = "run.why.no_failure"};
    if (report_failures(rep) == 0)
        return out;
    out.first = &rep->findings[0];
    const struct fact *of = facts_first(&rep->context, FACT_engine);
    bool is_its = engine && of && str_eq(of->word, engine->id);
    out.why_not = !is_its ? "run.why.no_engine"
                  : !also_late && !is_before_ready(out.first)
                      ? "run.why.late" : "run.why.not_sure";
    bool may_try = is_its && (also_late || is_before_ready(out.first));
    for (size_t i = 0; may_try && i < out.first->fix_count; i++) {
        if (is_sure(&out.first->fixes[i]) &&
            try_fix(a, engine, &out.first->fixes[i], argv, &out)) {
            out.why_not = NULL;
            return out;
        }
    }
    return out;
}
