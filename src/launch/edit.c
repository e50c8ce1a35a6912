/* edit.c: the fix of a finding as edits of the file.
 *
 *     - "${MAX_MODEL_LEN:-262144}"  -->  - "${MAX_MODEL_LEN:-131072}"
 *     -c 200000                     -->  -c 131072
 *     - --trust-remote-code         -->  - --trust-remote-code
 *                                        - --enforce-eager
 *
 * A new value replaces the old one, within its quotes or as the default of its
 * variable. A new flag is added behind the last word. */
#include "launch/work.h"

/* True if only "- " or "KEY: " stands before it on the line, and nothing
 * behind. */
static bool is_alone(struct str text, struct span_of_file at) {
    size_t begin = str_line_begin(text, at.from), end = line_end(text, at.to);
    struct str front = str_trim(str_slice(text, begin, at.from - begin));
    struct str back = str_trim(str_slice(text, at.to, end - at.to));
    bool is_item = str_eq(front, STR("-")) || str_ends(front, STR(":"));
    return is_item && (back.n == 0 || back.p[0] == '#');
}

struct lint_edit edit_drop(const struct workload *w, struct span_of_file at) {
    struct str text = w->at.src->text;
    struct lint_edit edit = {.from = at.from, .to = at.to};
    if (is_alone(text, at)) {
        edit.from = str_line_begin(text, at.from);
        edit.to = line_end(text, at.to);
        edit.to += edit.to < text.n;
    } else {
        edit.to = edit.from; /* other words are on the line: no edit */
    }
    return edit;
}

/* ---- a value in the file ---- */

/* Replaces the value. False: it does not stand there exactly once. */
static bool replace_value(const struct workload *w, struct span_of_file at,
                          struct str old, struct str value,
                          struct lint_edit *edit) {
    struct str raw = str_slice(w->at.src->text, at.from, at.to - at.from);
    size_t first = str_find(raw, old);
    struct str rest = str_from(raw, first + old.n);
    if (at.src != w->at.src || /* in another file */
        old.n == 0 || first == raw.n || str_find(rest, old) < rest.n)
        return false;
    *edit = (struct lint_edit){at.from + first, at.from + first + old.n, value};
    return true;
}

/* ---- a flag that is not in the file ---- */

static struct str text_behind_item(struct lint_work *k,
                                   const struct workload *w,
                                   struct span_of_file last, struct str flag,
                                   struct str value) {
    struct str text = w->at.src->text;
    size_t begin = str_line_begin(text, last.from);
    struct str front = str_slice(text, begin, last.from - begin);
    if (str_eq(str_trim(front), STR("-"))) {
        struct str more = value.n > 0
            ? arena_printf(k->a, "\n%.*s\"%.*s\"", STR_ARG(front),
                           STR_ARG(value))
            : STR("");
        return arena_printf(k->a, "\n%.*s%.*s%.*s", STR_ARG(front),
                            STR_ARG(flag), STR_ARG(more));
    }
    return value.n > 0 ? arena_printf(k->a, ", \"%.*s\", \"%.*s\"",
                                      STR_ARG(flag), STR_ARG(value))
                       : arena_printf(k->a, ", \"%.*s\"", STR_ARG(flag));
}

static bool add_flag(struct lint_work *k, const struct workload *w,
                     struct str flag, struct str value,
                     struct lint_edit *edit) {
    if (w->words.count == 0)
        return false;
    struct span_of_file last = w->words.at[w->words.count - 1].at;
    if (last.src != w->at.src || last.to == 0 ||
        w->at.src->text.p[last.to - 1] == '\n')
        return false; /* an unclosed quote */
    *edit = (struct lint_edit){.from = last.to, .to = last.to};
    if (w->is_list)
        edit->text = text_behind_item(k, w, last, flag, value);
    else
        edit->text = arena_printf(k->a, " %.*s%s%.*s", STR_ARG(flag),
                                  value.n > 0 ? " " : "", STR_ARG(value));
    return true;
}

/* ---- a change ---- */

static bool edit_of_change(struct lint_work *k, const struct target *it,
                           const struct fact *change, struct str text,
                           struct lint_edit *edit) {
    const struct word_list *words = &it->w->words;
    struct str old, value, flag = str_cut(text, ' ', &value);
    size_t i = word_of_fact(it, change->name);
    if (!str_starts(flag, STR("-")) || str_find_char(value, ' ') < value.n)
        return false;
    if (i == words->count)
        return add_flag(k, it->w, flag, value, edit);
    str_cut(words->at[i].text, '=', &old);
    if (old.n > 0)
        return replace_value(it->w, words->at[i].at, old, value, edit);
    return value.n > 0 && i + 1 < words->count &&
           replace_value(it->w, words->at[i + 1].at, words->at[i + 1].text,
                         value, edit);
}

/* Adds an edit. Flags that are added behind the same word are joined. */
static void add_edit(struct lint_work *k, struct lint_edit *list,
                     size_t *count, const struct lint_edit *edit) {
    for (size_t i = 0; i < *count; i++) {
        if (list[i].from == edit->from && list[i].to == edit->to &&
            edit->from == edit->to) {
            list[i].text = arena_printf(k->a, "%.*s%.*s",
                                        STR_ARG(list[i].text),
                                        STR_ARG(edit->text));
            return;
        }
    }
    list[(*count)++] = *edit;
}

bool edits_of_plan(struct lint_work *k, const struct target *it,
                   const struct fit_plan *plan, const struct lint_edit **out,
                   size_t *count) {
    struct lint_edit *list = arena_array(k->a, LINT_EDITS_MAX, sizeof *list);
    size_t made = 0;
    if (plan->tier == TIER_hardware) /* a plan with other GPUs is no edit */
        return false;
    for (size_t i = 0; i < plan->count && made < LINT_EDITS_MAX; i++) {
        struct fit_plan one = {.change = {plan->change[i]}, .count = 1};
        struct str text = fit_changes(&k->render, it->fit, &one);
        struct lint_edit edit;
        if (!edit_of_change(k, it, &plan->change[i], text, &edit))
            return false;
        add_edit(k, list, &made, &edit);
    }
    *out = list;
    *count = made;
    return made > 0;
}
