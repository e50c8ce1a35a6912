/* release.c: finds settings of a fix that the user's release does not take.
 *
 *     --kv-cache-memory-bytes   vLLM from 0.10.2 on; the log is of 0.9.1
 *
 * If this is the flag that a fix changes, or one in its command, the fix does
 * not apply, unless its steps name the release and another setting to type:
 * then the fix stays without its command. If only the steps name the setting
 * besides others, the fix stays with a note, unless the steps have that note
 * themselves.
 *
 * Settings are looked up in the file of the log's engine, and in that of
 * PyTorch, on which most engines run. Settings of other programs are not
 * checked. If no version is printed, the form of the message gives a range; if
 * nothing is known, every setting is taken as valid.
 */
#include "diagnose/work.h"

struct lack {
    const struct engine *engine;
    struct setting_match match;
};

static bool is_lacking(struct diagnosis *d, const struct signature *form,
                       const struct version_range *exists) {
    int name = version_fact(d, exists->product);
    if (exists->event_count == 0 || name < 0)
        return false;
    const struct fact *version = facts_first(&d->context, (enum fact_name)name);
    return (version ? version_in_range(exists, version->word)
                    : range_by_form(d, form, exists)) == RANGE_OUTSIDE;
}

/* The first setting in the text that the release of that engine lacks. */
static bool find_lack(struct diagnosis *d, const struct signature *form,
                      struct str text, struct lack *out) {
    size_t at = 0;
    while (engine_setting_next(out->engine, text, &at, &out->match))
        if (is_lacking(d, form, out->match.exists))
            return true;
    return false;
}

/* True if the steps name the release themselves. */
static bool names_version(struct str how, const struct version_range *exists) {
    for (size_t i = 0; i < exists->event_count; i++) {
        struct str version = exists->events[i].version;
        if (version.n > 1 && str_find(how, version) < how.n)
            return true;
    }
    return false;
}

/* True if the text, prose or code, has a setting that the release takes. */
static bool has_taken_setting(struct diagnosis *d, const struct signature *form,
                              struct str text, const struct engine *e) {
    struct setting_match match;
    for (size_t i = 0; i < text.n; i++) {
        if (engine_setting_at(e, text, i, &match)) {
            if (!is_lacking(d, form, match.exists))
                return true;
            i += match.spelling.n - 1;
        }
    }
    return false;
}

static enum lacking lack_of(struct diagnosis *d, const struct workaround *w,
                            const struct signature *form, struct lack *out) {
    struct str how = w->how.in[LANG_EN];
    bool has_flag = engine_setting_at(out->engine, w->acts_on.flag, 0,
                                      &out->match) &&
                    is_lacking(d, form, out->match.exists);
    if (has_flag || find_lack(d, form, w->command, out)) {
        bool has_other = names_version(how, out->match.exists) &&
                         has_taken_setting(d, form, how, out->engine);
        return has_other ? LACKS_PART : LACKS_IT;
    }
    bool is_lack = find_lack(d, form, how, out) &&
                   !names_version(how, out->match.exists);
    return is_lack ? LACKS_PART : LACKS_NOTHING;
}

bool release_lacks_command(struct diagnosis *d, const struct workaround *w,
                           const struct signature *form) {
    struct lack of_engine = {.engine = d->engine};
    struct lack of_torch = {.engine =
                                reader_engine_by_id(d->r, STR("pytorch"))};
    return (of_engine.engine && find_lack(d, form, w->command, &of_engine)) ||
           (of_torch.engine && find_lack(d, form, w->command, &of_torch));
}

enum lacking release_lacks(struct diagnosis *d, const struct workaround *w,
                           const struct signature *form,
                           const struct fact_list *facts, struct note *why) {
    const struct engine *engines[] = {
        d->engine, reader_engine_by_id(d->r, STR("pytorch"))};
    enum lacking worst = LACKS_NOTHING;
    for (size_t i = 0; i < 2; i++) {
        struct lack lack = {.engine = engines[i]};
        enum lacking here =
            engines[i] ? lack_of(d, w, form, &lack) : LACKS_NOTHING;
        if (here <= worst)
            continue;
        worst = here;
        enum fact_name version =
            (enum fact_name)version_fact(d, lack.match.exists->product);
        *why = NOTE("diagnose.applies.release", lack.match.spelling,
                    lack.engine->name, range_written(d->a, lack.match.exists),
                    grounds_written(d, &version, 1, facts, form));
    }
    return worst;
}
