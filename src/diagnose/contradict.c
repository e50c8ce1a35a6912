/* contradict.c: rules out fixes that contradict a dead end or a remark.
 *
 * A dead end that is true of this log, and a remark, rule out the fixes that do
 * the same. If the arithmetic calls such a fix enough, the fix stays and the
 * dead end is removed: it is the weaker statement.
 *
 * A dead end without a condition rules out nothing. It stands in every report
 * of its entry and warns of one way to do a thing (two settings of one variable
 * at once, a mount on the wrong side); the fix of the same flag is the other
 * way.
 *
 * Of two fixes that change one setting of the log, the one with a command of
 * its own stays. Of two fixes for one setting of the engine, the one that was
 * written for that engine stays.
 */
#include "diagnose/work.h"

#include <string.h>

#define CONTEXT_MOST (INT64_C(700) << 20) /* CUDA context and libraries */

/* True if both change the same flag in the same direction. Without a flag, both
 * must be of one of the kinds that name a single thing to do. */
static bool do_the_same(const struct acts_on *x, const struct acts_on *y) {
    if (x->flag.n > 0 || y->flag.n > 0)
        return str_eq(x->flag, y->flag) && x->change == y->change;
    return x->kind == y->kind &&
           (x->kind == ACT_KIND_kill_process || x->kind == ACT_KIND_shm_size ||
            x->kind == ACT_KIND_upgrade || x->kind == ACT_KIND_downgrade ||
            x->kind == ACT_KIND_more_gpus);
}

static void rule_out(struct fix *fix, const char *key) {
    if (fix_is_offered(fix)) {
        fix->applies = APPLIES_NO;
        fix->because = note_of(key);
    }
}

/* True if the dead end stays. */
static bool dead_end_settles(struct finding *f, const struct dead_end *x) {
    for (size_t i = 0; i < f->fix_count; i++) {
        struct fix *fix = &f->fixes[i];
        if (x->when.count == 0 ||
            !do_the_same(&fix->workaround->acts_on, &x->acts_on))
            continue;
        if (fix_verdict(fix) == VERDICT_ENOUGH && fix->applies == APPLIES_YES)
            return false;
        rule_out(fix, "diagnose.applies.dead_end");
    }
    return true;
}

static void settle_dead_ends(struct finding *f) {
    size_t kept = 0;
    for (size_t i = 0; i < f->dead_end_count; i++) {
        const struct dead_end_shown *x = &f->dead_ends[i];
        if (x->dead_end == NULL || dead_end_settles(f, x->dead_end))
            f->dead_ends[kept++] = *x;
    }
    f->dead_end_count = kept;
}

bool fix_ends_others(const struct workaround *w) {
    return w->acts_on.kind == ACT_KIND_kill_process && w->acts_on.flag.n == 0;
}

static void rule_out_ends(struct finding *f, const char *because) {
    for (size_t i = 0; i < f->fix_count; i++)
        if (fix_ends_others(f->fixes[i].workaround))
            rule_out(&f->fixes[i], because);
}

static void settle_remarks(struct finding *f) {
    for (size_t i = 0; i < f->remark_count; i++)
        if (STR_IS_ONE(str_of(f->remarks[i].key), "diagnose.remark.own_listed",
                       "diagnose.remark.limit"))
            rule_out_ends(f, "diagnose.applies.remark");
}

/* The setting in a fix's command: "--frames" of "--frames 49". Empty for
 * "mlx_lm.lora --batch-size 2", which begins with the program. */
static struct str setting_of_fix(const struct fix *fix) {
    size_t end = 0;
    while (end < fix->command.n && strchr(" =:", fix->command.p[end]) == NULL)
        end++;
    bool is_program = end > 0 && fix->command.p[0] != '-' &&
                      str_find(fix->command, STR(" -")) == end;
    return str_slice(fix->command, 0, is_program ? 0 : end);
}

/* True if another fix changes the same setting: one with its own command, or an
 * earlier one. */
static bool has_better_setting(const struct finding *f, size_t which) {
    const struct fix *fix = &f->fixes[which];
    struct str setting = setting_of_fix(fix);
    for (size_t i = 0; setting.n > 0 && i < f->fix_count; i++) {
        const struct fix *other = &f->fixes[i];
        bool is_first = other->lowers.key == NULL || i < which;
        if (i != which && is_first && fix_is_offered(other) &&
            str_eq(setting_of_fix(other), setting))
            return true;
    }
    return false;
}

/* True if the flag was renamed (llama.cpp's flag under Ollama's name) and there
 * is a fix for the renamed flag itself. */
static bool has_own_fix(const struct finding *f, const struct fix *renamed) {
    for (size_t i = 0; renamed->renamed.n > 0 && i < f->fix_count; i++) {
        const struct acts_on *on = &f->fixes[i].workaround->acts_on;
        if (fix_is_offered(&f->fixes[i]) &&
            str_eq(on->flag, renamed->renamed) &&
            on->change == renamed->workaround->acts_on.change)
            return true;
    }
    return false;
}

static void settle_settings(struct finding *f) {
    for (size_t i = 0; i < f->fix_count; i++) {
        struct fix *fix = &f->fixes[i];
        if ((fix->lowers.key != NULL && has_better_setting(f, i)) ||
            has_own_fix(f, fix))
            rule_out(fix, "diagnose.applies.same_setting");
    }
}

/* There is no other process to end: the memory outside PyTorch is this
 * process's own context, or the other processes are ranks of this job. */
static void settle_others(struct finding *f) {
    const struct fact *outside = facts_first(&f->facts, FACT_outside_framework);
    const struct fact *others = facts_first(&f->facts, FACT_others_in_use);
    const struct fact *ranks = facts_first(&f->facts, FACT_own_ranks);
    bool is_alone = outside != NULL &&
                    outside->high <= CONTEXT_MOST && others == NULL;
    bool is_of_job = ranks != NULL && ranks->number > 0 && others != NULL &&
                     others->number <= CONTEXT_MOST;
    if (is_alone || is_of_job)
        rule_out_ends(f, "diagnose.applies.no_others");
}

void contradictions_resolve(struct finding *f) {
    settle_dead_ends(f);
    settle_others(f);
    settle_remarks(f);
    settle_settings(f);
}
