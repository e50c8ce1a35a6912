/* lever.c: adds the levers of the program that failed to the fixes of an entry.
 * An engine has its levers in the row of kb/programs/ with its id. They are
 * added to failures of a library, a driver or the machine, not to those of the
 * engine's own entries.
 *
 *     a lever with the `use` of an entry's fix   replaces that fix: the same in
 *                                                the program's own words
 *     another lever                              is added if it helps against
 *                                                a cause of the entry
 *
 * A lever that the log shows to be in force is not advised again: a switch that
 * is on, a value that is set. A lever that moves a value further (up, down) is
 * advised, with the value in force.
 */
#include "base/units.h"
#include "diagnose/work.h"

#include <inttypes.h>
#include <string.h>

/* ---- the program and its levers ---- */

const struct program *program_of_log(const struct diagnosis *d) {
    const struct fact *f = facts_first(&d->context, FACT_program);
    return f ? reader_program(d->r, f->word) : NULL;
}

/* True for an entry of a library or the system, which concerns any program that
 * runs on it. */
static bool is_of_layer_below(const struct diagnosis *d,
                              const struct entry *e) {
    const struct engine *is = reader_engine_by_id(d->r, e->component);
    return is == NULL || is->task.n == 0;
}

static const struct program *levers_for(const struct diagnosis *d,
                                        const struct entry *e) {
    const struct program *p = program_of_log(d);
    return p == NULL && d->engine != NULL && is_of_layer_below(d, e)
               ? reader_program(d->r, d->engine->id)
               : p;
}

/* True if it cures a cause of the entry by more than a little. */
static bool cures_a_cause(const struct entry *e, const struct workaround *w) {
    for (size_t i = 0; i < w->cure_count; i++)
        for (size_t k = 0; k < e->cause_count; k++)
            if (w->cures[i].strength != STRENGTH_little &&
                str_eq(w->cures[i].cause, e->causes[k].cause))
                return true;
    return false;
}

/* True if the fix of the entry has the lever's flag, by any of its names. The
 * entry's fix is kept then, whatever its direction. */
static bool changes_the_same(const struct workaround *fix,
                             const struct workaround *lever) {
    struct str flag = fix->acts_on.flag;
    return flag.n > 0 && (str_eq(flag, lever->acts_on.flag) ||
                          list_has(&lever->keys, flag));
}

static bool entry_has(const struct entry *e, const struct workaround *lever) {
    for (size_t i = 0; i < e->workaround_count; i++)
        if (changes_the_same(&e->workarounds[i], lever))
            return true;
    return false;
}

/* True if a lever has the same `use` and the fix does not name its flag. */
static bool is_replaced(const struct program *p, const struct workaround *w) {
    for (size_t i = 0; w->use.n > 0 && i < p->lever_count; i++)
        if (str_eq(p->levers[i].use, w->use) &&
            !changes_the_same(w, &p->levers[i]))
            return true;
    return false;
}

static struct workaround_list with_levers(struct diagnosis *d,
                                          const struct entry *e) {
    const struct program *p = levers_for(d, e);
    struct workaround_list list = {e->workarounds, e->workaround_count};
    if (p == NULL || e->role != ROLE_root || e->severity != SEVERITY_failure)
        return list;
    struct workaround *both = arena_array(
        d->a, e->workaround_count + p->lever_count, sizeof *both);
    list = (struct workaround_list){both, 0};
    for (size_t i = 0; i < p->lever_count; i++)
        if (cures_a_cause(e, &p->levers[i]) && !entry_has(e, &p->levers[i]))
            both[list.count++] = p->levers[i];
    for (size_t i = 0; i < e->workaround_count; i++)
        if (!is_replaced(p, &e->workarounds[i]))
            both[list.count++] = e->workarounds[i];
    return list;
}

/* The row of the place (a pod, a Slurm job) that sets the limit of host memory;
 * NULL for an entry of that place. */
static const struct program *place_of(const struct diagnosis *d,
                                      const struct entry *e) {
    const struct fact *f = facts_first(&d->context, FACT_runs_in);
    bool is_own = fact_takes(FACT_runs_in, e->component);
    return f && !is_own ? reader_program(d->r, f->word) : NULL;
}

/* Takes the texts and the command of the place; rates, causes and conditions
 * stay the entry's. */
static void texts_of_place(const struct program *place, struct workaround *w) {
    for (size_t i = 0; w->use.n > 0 && i < place->lever_count; i++) {
        if (str_eq(place->levers[i].use, w->use)) {
            w->action = place->levers[i].action;
            w->how = place->levers[i].how;
            w->command = place->levers[i].command;
        }
    }
}

struct workaround_list workarounds_here(struct diagnosis *d,
                                        const struct entry *e) {
    struct workaround_list list = with_levers(d, e);
    const struct program *place = place_of(d, e);
    if (!place)
        return list;
    struct workaround *written = arena_array(d->a, list.count, sizeof *written);
    for (size_t i = 0; i < list.count; i++) {
        written[i] = list.at[i];
        texts_of_place(place, &written[i]);
    }
    return (struct workaround_list){written, list.count};
}

bool fix_is_general(struct diagnosis *d, const struct entry *e,
                    const struct workaround *w) {
    bool has_no_switch = w->acts_on.flag.n == 0 && w->source.n == 0 &&
                         (w->acts_on.kind == ACT_KIND_code ||
                          w->acts_on.kind == ACT_KIND_smaller_model);
    return has_no_switch && (w->use.n > 0 || is_of_layer_below(d, e)) &&
           levers_for(d, e) != NULL;
}

bool lever_is_of_command(const struct diagnosis *d, const struct workaround *w,
                         struct str command) {
    const struct program *p = program_of_log(d);
    const struct fact *f = facts_first(&d->context, FACT_program);
    bool is_flag = w->acts_on.flag.n > 0 && w->acts_on.flag.p[0] == '-';
    if (!p || !is_flag || w->source.n == 0 || command.n == 0)
        return false;
    bool is_run = f->line == d->script_line; /* the command line shows the
                                                program */
    for (size_t i = 0; !is_run && i < p->commands.count; i++)
        is_run = str_find(command, p->commands.at[i]) < command.n;
    return is_run;
}

/* ---- what is in force ---- */

/* The value of a setting: 256 of "--tile 256", "tile=256" and "\"tile\": 256";
 * empty for a switch. */
static struct str value_of(struct str written, size_t name) {
    struct str manifest = STR("value:");
    size_t at = str_find(written, manifest);
    size_t from = at < written.n && at > name ? at + manifest.n : name;
    while (from < written.n && is_any(written.p[from], " =:,\"'"))
        from++;
    return str_slice(written, from, written.n);
}

/* The length of `name` if the text begins with it as a whole word; else 0. */
static size_t name_end(struct str written, struct str name) {
    char next = written.n > name.n ? written.p[name.n] : '\0';
    bool goes_on = is_word(next) || next == '-';
    return name.n > 0 && str_starts(written, name) && !goes_on ? name.n : 0;
}

static size_t lever_name_end(const struct workaround *w, struct str written) {
    size_t end = name_end(written, w->acts_on.flag);
    for (size_t i = 0; end == 0 && i < w->keys.count; i++)
        end = name_end(written, w->keys.at[i]);
    return end;
}

static bool is_off_word(struct str value) {
    static const char *const words[] = {"false", "0", "off", "no", "none",
                                        "null", "disabled", NULL};
    return str_in_nocase(value, words);
}

/* The last occurrence of the lever above the failure; text NULL: none. */
static struct option_seen option_of(const struct diagnosis *d,
                                    const struct workaround *w) {
    struct option_seen seen = {0};
    struct failure_end end = failure_end_of(d);
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        for (size_t k = 0; k < h->capture_count; k++) {
            const struct capture *c = &h->captures[k];
            size_t name = c->name == FACT_program_option
                              ? lever_name_end(w, c->text) : 0;
            if (name > 0 && hit_is_above(d, &end, h) && !hit_in_message(d, h)) {
                seen.text = c->text;
                seen.value = value_of(c->text, name);
                seen.line = c->line ? c->line : h->first_line;
            }
        }
    }
    return seen;
}

/* The value that the lever's command sets; empty for a switch. */
static struct str value_wanted(const struct workaround *w, struct str command) {
    size_t at = str_find(command, w->acts_on.flag);
    struct str rest = str_slice(command, at, command.n);
    struct str value = w->acts_on.flag.n > 0 && at < command.n
                           ? value_of(rest, w->acts_on.flag.n)
                           : (struct str){NULL, 0};
    return str_slice(value, 0, str_find_char(value, ' '));
}

/* True if the wanted value does not go in the direction of the change: down
 * from 128 to 256, from 0.4 to 0.5. */
static bool is_beyond(enum change change, struct str wanted, struct str now) {
    struct amount w, n;
    return units_read(wanted, UNITS_MICRO, &w) &&
           units_read(now, UNITS_MICRO, &n) &&
           (change == CHANGE_down ? w.value >= n.value : w.value <= n.value);
}

/* True if the command has at most one value: "--tile 256", "tile=256", "". */
static bool sets_one_value(struct str command) {
    struct str rest;
    (void)str_cut(command, ' ', &rest);
    bool is_joined = str_find_char(command, '=') < command.n;
    return rest.n == 0 || (!is_joined && str_find_char(rest, ' ') == rest.n);
}

/* The lever's own value if that is lower, and at least a quarter of the value
 * in force; else half of that (65 for 129 frames). */
static int64_t value_lowered(struct str wanted, int64_t now) {
    int64_t own;
    bool is_near = str_to_int(wanted, &own) && own < now && own >= now / 4;
    return is_near ? own : now / 2 + now % 2;
}

/* The setting's name in the log; a key of Hydra with its whole path. */
static struct str name_lowered(const struct option_seen *seen,
                               struct str flag) {
    struct str name = str_slice(seen->text, 0, seen->text.n - seen->value.n);
    while (name.n > 0 && strchr(" =:,\"'", name.p[name.n - 1]) != NULL)
        name.n--;
    return str_ends(flag, name) ? flag : name;
}

/* Sets the title "Lower imgsz from 640 to 480" and the command "imgsz=480" in
 * the spelling of the log. */
static void lower(const struct diagnosis *d, struct fix *fix,
                  const struct option_seen *seen, struct str to) {
    struct str name = name_lowered(seen, fix->workaround->acts_on.flag);
    bool is_flag = seen->text.n > 0 && seen->text.p[0] == '-';
    bool is_joined = !is_flag || str_find_char(seen->text, '=') < seen->text.n;
    fix->command = arena_printf(d->a, "%.*s%c%.*s", STR_ARG(name),
                                is_joined ? '=' : ' ', STR_ARG(to));
    fix->has_gap = false;
    if (fix->lowers.key == NULL) /* else the title has the name of the fact */
        fix->lowers = NOTE("diagnose.lowers_flag", name, seen->value, to);
}

/* Lowers a share by a step (0.40 to 0.35), for a fix whose own value is not
 * lower. */
static bool lower_share(const struct diagnosis *d, struct fix *fix,
                        const struct option_seen *seen) {
    enum { STEP = UNITS_MICRO / 20 };
    struct amount now;
    if (!units_read(seen->value, UNITS_MICRO, &now) || now.value <= 2 * STEP ||
        now.value > UNITS_MICRO || !sets_one_value(fix->command))
        return false;
    struct buf to = buf_in(d->a, 32);
    units_ratio(&to, now.value - STEP);
    lower(d, fix, seen, arena_str(d->a, buf_str(&to)));
    return true;
}

/* Makes the command a step from the value in force, or empties it if no step is
 * known. */
static void step_command(const struct diagnosis *d, struct fix *fix,
                         struct option_seen *seen, struct str wanted) {
    enum change change = fix->workaround->acts_on.change;
    int64_t now, own = 1;
    bool is_special = str_to_int(wanted, &own) && own < 1; /* 0: no limit */
    bool is_count = change == CHANGE_down && !is_special &&
                    str_to_int(seen->value, &now) && now > 0 &&
                    sets_one_value(fix->command);
    if (is_count && now == 1)
        seen->is_done = true;
    else if (is_count)
        lower(d, fix, seen, arena_printf(d->a, "%" PRId64,
                                         value_lowered(wanted, now)));
    else if (is_beyond(change, wanted, seen->value) &&
             !(change == CHANGE_down && lower_share(d, fix, seen)))
        fix->command = (struct str){NULL, 0};
}

/* True for levers, and for fixes of the entry whose command sets one known
 * value. Only these may be found in force. */
static bool may_be_done(const struct workaround *w, struct str command) {
    bool sets_it = str_eq(command, w->acts_on.flag) ||
                   (value_wanted(w, command).n > 0 && sets_one_value(command));
    return w->source.n > 0 || (w->acts_on.change == CHANGE_set && sets_it);
}

struct option_seen option_in_force(const struct diagnosis *d, struct fix *fix) {
    const struct workaround *w = fix->workaround;
    struct option_seen seen = {0};
    if (!may_be_done(w, fix->command))
        return seen;
    seen = option_of(d, w);
    struct str wanted = value_wanted(w, fix->command);
    bool is_off = is_off_word(seen.value) && !str_eq_nocase(seen.value, wanted);
    if (seen.text.n == 0 || is_off)
        return (struct option_seen){0};
    if (w->acts_on.change == CHANGE_set) {
        seen.is_done = wanted.n == 0 || str_eq_nocase(wanted, seen.value);
        seen.text = seen.is_done ? seen.text : (struct str){NULL, 0};
    } else {
        step_command(d, fix, &seen, wanted);
    }
    return seen;
}
