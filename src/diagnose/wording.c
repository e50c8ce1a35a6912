/* wording.c: writes a fix with the names that the log uses.
 *
 *   --max-num-seqs {max_num_seqs}  the command, filled in (template.c). It may
 *                                  be left out if the flag has a first try:
 *                                  then it is FLAG {fact}
 *   batch_size={batch_size}        --bs 12 if the log has --bs 16
 *   num_workers=0                  --workers 0 if the log has --workers 16
 *   --n-gpu-layers                 num_gpu if Ollama is the engine
 *   "Reduce the batch size from 16 to 12"   the title, with both values
 */
#include "diagnose/work.h"

#include <inttypes.h>

/* True if the template has a program's own name of the fact:
 * "--train_batch_size {batch_size|1}", "batch: {batch_size}". */
static bool is_flag_of(struct str template, enum fact_name fact) {
    size_t value = str_find_char(template, '{');
    struct str slot = str_slice(template, value + 1, template.n);
    return value > 0 && template.p[value - 1] == ' ' &&
           str_starts(slot, str_of(fact_spelling(fact))) &&
           str_find_char(slot, '{') == slot.n;
}

/* The text before the slot of a template such as "batch_size={batch_size}";
 * empty for other templates. */
static struct str name_of_slot(struct str template) {
    size_t value = str_find_char(template, '{');
    struct str slot = str_slice(template, value, template.n);
    bool is_one = value > 0 && template.p[value - 1] == '=' &&
                  str_find_char(slot, '}') + 1 == slot.n;
    return is_one ? str_slice(template, 0, value) : (struct str){NULL, 0};
}

/* The lower value: the proposed one, else half of the value in force. */
static int64_t value_below(const struct fix *fix, const struct fact *now) {
    const struct fact *to = &fix->estimate.proposed;
    bool is_computed = fix->has_estimate && to->known && to->name == now->name;
    return is_computed ? to->number : now->number - now->number / 2;
}

/* Sets the title "Reduce the batch size from 8 to 4". */
static void title_set_lowered(struct diagnosis *d, struct fix *fix,
                              const struct fact *now, int64_t below) {
    fix->lowers = NOTE("diagnose.lowers", fact_label(d->a, now->name),
                       arena_printf(d->a, "%" PRId64, now->number),
                       arena_printf(d->a, "%" PRId64, below));
}

/* For a program whose name of the setting is not known, such as the context
 * length of an application that includes llama.cpp. */
void title_by_value(struct diagnosis *d, struct fix *fix,
                           const struct fact_list *facts, int acted_on) {
    const struct fact *now =
        acted_on == FACT_context_length && fix->lowers.key == NULL &&
                fix->workaround->acts_on.change == CHANGE_down
            ? facts_last(facts, FACT_context_length)
            : NULL;
    if (now && now->number > 1)
        title_set_lowered(d, fix, now, value_below(fix, now));
}

/* True if the fix changes the batch size or the length of a step, by that name
 * or without a name. */
static bool is_for_step(const struct fix *fix, int acted_on) {
    struct str template = fix->workaround->command;
    bool is_step = fix->workaround->effect == EFFECT_batch_size ||
                   fix->workaround->effect == EFFECT_seq_len;
    bool is_bare = template.n == 0 && fix->workaround->acts_on.flag.n == 0;
    return is_step && acted_on >= 0 &&
           (is_bare || name_of_slot(template).n > 0 ||
            is_flag_of(template, (enum fact_name)acted_on));
}

/* Writes "batch_size=12" as "--bs 12" if the log has `--bs 16`. The template
 * "batch_size={batch_size}" stands for any setting that a step grows with: it
 * becomes "--frames 25" if the log has `--frames 49`. */
static void name_as_in_log(struct diagnosis *d, struct fix *fix,
                           const struct fact_list *facts, int acted_on) {
    struct str name = name_of_slot(fix->workaround->command);
    const struct fact *now = is_for_step(fix, acted_on)
                                 ? facts_last(facts, (enum fact_name)acted_on)
                                 : NULL;
    if (now == NULL || now->ranged || now->number <= 1)
        return;
    struct str called = str_of(fact_spelling(now->name));
    struct str slot = str_slice(fix->workaround->command, name.n + 1,
                                fix->workaround->command.n);
    bool is_generic = name.n > 0 && !str_starts(slot, called);
    if (is_generic)
        name = arena_printf(d->a, "%.*s=", STR_ARG(called));
    if (now->spelled.n > 0)
        name = now->spelled;
    int64_t below = value_below(fix, now);
    title_set_lowered(d, fix, now, below);
    if (name.n > 0 && !is_flag_of(fix->workaround->command, now->name)) {
        fix->command = arena_printf(d->a, "%.*s%" PRId64, STR_ARG(name), below);
        fix->has_gap = false;
    }
}

/* Writes a fixed value with the name of the log: "num_workers=0" as "--workers
 * 0" if the log has `--workers 16`. */
static void fixed_as_in_log(struct diagnosis *d, struct fix *fix,
                            const struct fact_list *facts, int acted_on) {
    struct str text = fix->workaround->command;
    size_t cut = str_find_char(text, '=');
    const struct fact *now =
        acted_on >= 0 ? facts_last(facts, (enum fact_name)acted_on) : NULL;
    bool is_one = cut < text.n && str_find_char(text, '{') == text.n &&
                  str_find_char(text, ' ') == text.n;
    if (is_one && now && now->spelled.n > 0 &&
        fact_unit(now->name) == UNIT_COUNT) {
        struct str value = str_slice(text, cut + 1, text.n);
        fix->command = arena_printf(d->a, "%.*s%.*s", STR_ARG(now->spelled),
                                    STR_ARG(value));
    }
}

static struct str with_each(struct arena *a, struct str text, struct str from,
                            struct str to) {
    size_t at = str_find(text, from);
    if (from.n == 0 || at == text.n)
        return text;
    struct str rest = with_each(a, str_slice(text, at + from.n, text.n), from,
                                to);
    return arena_printf(a, "%.*s%.*s%.*s", STR_ARG(str_slice(text, 0, at)),
                        STR_ARG(to), STR_ARG(rest));
}

/* Replaces a flag that the log's engine does not take by its own name of the
 * setting: llama.cpp's --n-gpu-layers is Ollama's num_gpu. */
static void name_as_engine_does(struct diagnosis *d, struct fix *fix,
                                int acted_on) {
    struct str flag = fix->workaround->acts_on.flag;
    const struct flag *own = NULL;
    if (d->engine != NULL && acted_on >= 0 && str_starts(flag, STR("--")) &&
        flag_fact(d->engine, flag) < 0)
        own = engine_flag_of(d->engine, (enum fact_name)acted_on);
    for (int lang = 0; own != NULL && lang < LANG_COUNT_OF; lang++) {
        struct str *how = &fix->how.in[lang];
        fix->action.in[lang] = with_each(d->a, fix->workaround->action.in[lang],
                                         flag, own->flag);
        *how = with_each(d->a, *how, flag, own->flag);
    }
    if (own != NULL) {
        fix->renamed = own->flag;
        fix->command = with_each(d->a, fix->command, flag, own->flag);
    }
}

/* The engine whose flags the template has: that of the log, else the entry's
 * component. */
static const struct engine *settings_of(const struct diagnosis *d,
                                        const struct entry *e) {
    struct str component = reader_component_fold(d->r, e->component);
    return d->engine ? d->engine : reader_engine_by_id(d->r, component);
}

/* The command of a fix. If the entry leaves it out and the flag has a first
 * try, it is made: "--ctx-size {context_length}". */
static struct str command_template(struct arena *a, const struct engine *engine,
                                   const struct workaround *w) {
    int fact = flag_fact(engine, w->acts_on.flag);
    const struct flag *flag =
        fact >= 0 ? engine_flag_of(engine, (enum fact_name)fact) : NULL;
    bool moves = flag && ((w->acts_on.change == CHANGE_down &&
                           flag->try_down.n > 0) ||
                          (w->acts_on.change == CHANGE_up &&
                           flag->try_up.n > 0));
    if (w->command.n > 0 || !moves)
        return w->command;
    struct str name = w->acts_on.flag;
    return arena_printf(a, "%.*s%c{%s}", STR_ARG(name),
                        name.p[0] == '-' ? ' ' : '=',
                        fact_spelling(flag->fact));
}

static bool names_two_flags(struct str action) {
    size_t first = str_find(action, STR("--"));
    struct str rest = str_slice(action, first + 2, action.n);
    return first < action.n && str_find(rest, STR("--")) < rest.n;
}

void texts_fill(struct diagnosis *d, struct fix *fix,
                       const struct entry *e, const struct fact_list *facts,
                       int acted_on) {
    const struct estimate *bound = fix->has_estimate ? &fix->estimate : NULL;
    struct filling fill = {.facts = facts, .acted_on = acted_on,
                           .device = device_of(d, facts),
                           .change = fix->workaround->acts_on.change,
                           .engine = settings_of(d, e),
                           .is_step_too_small =
                               bound && bound->share_micro == 0,
                           .proposed = bound ? &bound->proposed : NULL};
    for (int lang = 0; lang < LANG_COUNT_OF; lang++)
        fix->how.in[lang] = template_fill(d->a, fix->workaround->how.in[lang],
                                          &fill);
    fill.is_command = true;
    fill.has_gap = &fix->has_gap;
    fill.first_try = &fix->first_try;
    fix->command = template_fill(
        d->a, command_template(d->a, fill.engine, fix->workaround), &fill);
    if (names_two_flags(fix->workaround->action.in[LANG_EN]))
        fix->first_try = (struct str){NULL, 0}; /* it is not clear which flag it
                                                   is for */
    name_as_in_log(d, fix, facts, acted_on);
    fixed_as_in_log(d, fix, facts, acted_on);
    name_as_engine_does(d, fix, acted_on);
}
