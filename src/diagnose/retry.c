/* retry.c: the corrected command as words, for a program that starts it again.
 *
 *     vllm serve M --max-model-len=131072 --port 1
 *     fix 1: --max-model-len 40032, a flag, enough
 *     vllm serve M --max-model-len=40032 --port 1
 *
 * No person checks the command before it runs, so it takes only a fix that is a
 * flag of this command's engine, that arithmetic calls enough, and only for a
 * failure before the server was ready. Words are changed, never a line that a
 * shell would parse.
 */
#include "diagnose/retry.h"

#include "diagnose/command.h"
#include "diagnose/work.h"

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
        const struct fix *fix = &out.first->fixes[i];
        if (is_sure(fix) && command_words_with(a, engine, argv, fix->command,
                                               &out.argv)) {
            out.change = fix->command;
            out.why_not = NULL;
            return out;
        }
    }
    return out;
}
