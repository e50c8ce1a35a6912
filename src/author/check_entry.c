/* check_entry.c: checks of one entry alone: fixes and dead ends, dates, ids
 * within the file. check_patterns.c has the patterns, check_rates.c the rates;
 * what needs another file is checked with the whole build. */
#include "author/check.h"
#include "corpus/device.h"
#include "corpus/slot.h"

/* True if the text has something to type or set: --flag, `code`, a number, or a
 * word in capitals. */
static bool names_something(struct str how) {
    size_t capitals = 0;
    for (size_t i = 0; i < how.n; i++) {
        char c = how.p[i];
        if (c == '`' || (c >= '0' && c <= '9')
            || (c == '-' && i + 1 < how.n && how.p[i + 1] == '-'))
            return true;
        capitals = (c >= 'A' && c <= 'Z') || c == '_' ? capitals + 1 : 0;
        if (capitals >= 5)
            return true;
    }
    return false;
}

/* The slots of a template are facts or tools. ${VAR} and the {} of a shell or
 * of JSON are not slots. */
static void check_template(const struct entry_check *k, const struct node *n,
                           struct str text) {
    for (size_t i = 0; n != NULL && i < text.n; i++) {
        if (text.p[i] != '{' || (i > 0 && text.p[i - 1] == '$'))
            continue;
        struct slot slot;
        if (!slot_at(str_slice(text, i, text.n), &slot))
            continue;
        enum fact_name name;
        struct place place = node_place_at(n, i);
        place.width = (uint32_t)slot.n;
        enum device_tool tool;
        if (fact_named(slot.name, &name))
            k->fact_used[name] = true;
        else if (device_tool_named(slot.name, &tool))
            k->fact_used[FACT_device_kind] = true;
        else
            complain(k->c, k->src, place, CODE_unknown_fact,
                     "there is no fact `%.*s` to fill in", STR_ARG(slot.name));
    }
}

void check_acts_on(const struct entry_check *k, const struct node *n,
                   const struct acts_on *what) {
    if (n == NULL || n->kind != NODE_MAP)
        return;
    bool has_flag = node_get(n, "flag") != NULL;
    bool has_kind = node_get(n, "kind") != NULL;
    if (has_flag == has_kind)
        complain(k->c, k->src, node_begin(n), CODE_missing_key,
                 "acts_on takes either `flag` (with `change`) or `kind`");
    else if (has_flag && what->change == CHANGE_none)
        complain(k->c, k->src, node_begin(n), CODE_missing_key,
                 "`change` is missing: up, down or set");
}

static void check_action(const struct entry_check *k, const struct node *n,
                         const struct workaround *w) {
    const struct node *how = node_get(n, "how");
    static const char *const langs[LANG_COUNT_OF] = {"en", "zh"};
    bool repeats = false;
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        const struct node *text = node_get(how, langs[lang]);
        if (text == NULL || w->how.in[lang].n == 0
            || !str_eq_nocase(w->how.in[lang], w->action.in[lang]))
            continue;
        repeats = true;
        complain(k->c, k->src, text->place, CODE_action_is_how,
                 "`how` repeats the action; say the steps");
    }
    if (how != NULL && !repeats && w->command.n == 0
        && w->how.in[LANG_EN].n > 0
        && !names_something(w->how.in[LANG_EN]))
        complain(k->c, k->src, how->place, CODE_vague_how,
                 "names no flag, command, code or number to go by");
}

void check_workaround(const struct entry_check *k, const struct node *n,
                      const struct workaround *w) {
    const struct node *how = node_get(n, "how");
    check_action(k, n, w);
    check_acts_on(k, node_get(n, "acts_on"), &w->acts_on);
    check_template(k, node_get(how, "en"), w->how.in[LANG_EN]);
    check_template(k, node_get(how, "zh"), w->how.in[LANG_ZH]);
    check_template(k, node_get(n, "command"), w->command);
    check_when(k, node_get(n, "when"));
    check_rate(k, node_get(n, "success"), &w->success);
}

static void check_workarounds(const struct entry_check *k) {
    const struct entry *e = k->entry;
    const struct node *list = node_get(k->root, "workarounds");
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct node *n = node_item(list, i);
        check_workaround(k, n, &e->workarounds[i]);
        for (size_t j = 0; j < i; j++)
            if (e->workarounds[i].id.n > 0
                && str_eq(e->workarounds[i].id, e->workarounds[j].id))
                complain(k->c, k->src, node_or(node_get(n, "id"), n)->place,
                         CODE_duplicate_workaround,
                         "`%.*s` is the id of a fix above",
                         STR_ARG(e->workarounds[i].id));
    }
}

static void check_dead_ends(const struct entry_check *k) {
    const struct entry *e = k->entry;
    const struct node *list = node_get(k->root, "dead_ends");
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct node *n = node_item(list, i);
        check_acts_on(k, node_get(n, "acts_on"), &e->dead_ends[i].acts_on);
        check_when(k, node_get(n, "when"));
        check_rate(k, node_get(n, "fail"), &e->dead_ends[i].fail);
    }
}

static void check_settings(const struct entry_check *k) {
    for (size_t i = 0; i < k->entry->signature_count; i++) {
        const struct signature *s = &k->entry->signatures[i];
        for (size_t j = 0; j < s->set_count; j++)
            k->fact_used[s->set[j].name] = true;
    }
}

static void check_dates(const struct entry_check *k) {
    const struct entry *e = k->entry;
    if (e->first_seen.n > 0 && e->last_verified.n > 0
        && str_cmp(e->first_seen, e->last_verified) > 0)
        complain(k->c, k->src, node_get(k->root, "last_verified")->place,
                 CODE_bad_date, "verified before it was first seen (%.*s)",
                 STR_ARG(e->first_seen));
}

void check_entry(struct complaints *c, const struct source *src,
                 const struct node *root, const struct entry *e,
                 bool *fact_used) {
    if (root->kind != NODE_MAP)
        return;
    struct entry_check k = {c, src, root, e, fact_used};
    check_dates(&k);
    check_settings(&k);
    check_signatures(&k);
    check_when(&k, node_get(root, "when"));
    check_workarounds(&k);
    check_dead_ends(&k);
}
