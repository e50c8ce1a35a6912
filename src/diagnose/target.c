/* target.c: finds the value that the command of a fix would set, and checks its
 * direction.
 *
 *     --max-batch-size 8     "down", but 1 is in force: wrong direction
 *
 * The flag is looked up in the tables of kb/engines/, by any of its spellings:
 * the engine's own first, then that of the entry's component, PyTorch's, and
 * those of programs that run in every log.
 */
#include "diagnose/work.h"

enum { OWN_TABLES = 3 };

/* The table of flags with index i; NULL: none. */
static const struct engine *table_of(struct diagnosis *d,
                                     const struct entry *entry, size_t i) {
    if (i == 0)
        return d->engine;
    if (i < OWN_TABLES) {
        struct str own = reader_component_fold(d->r, entry->component);
        return reader_engine_by_id(d->r, i == 1 ? own : STR("pytorch"));
    }
    return reader_everywhere(d->r, (uint32_t)(i - OWN_TABLES));
}

static size_t table_count(struct diagnosis *d) {
    return OWN_TABLES + reader_everywhere_count(d->r);
}

int flag_sets(struct diagnosis *d, const struct entry *entry, struct str flag) {
    int fact = -1;
    for (size_t i = 0; flag.n > 0 && fact < 0 && i < table_count(d); i++)
        fact = flag_fact(table_of(d, entry, i), flag);
    return fact;
}

/* The value behind a flag: "=0.9 --x", " 0.9"; empty for a switch. */
static struct str value_behind(struct str text, size_t at) {
    size_t end;
    while (at < text.n && (text.p[at] == ' ' || text.p[at] == '='))
        at++;
    for (end = at; end < text.n && text.p[end] > ' ' && text.p[end] != ',' &&
                   text.p[end] != ';' && text.p[end] != '\'' &&
                   text.p[end] != '"'; end++) {
    }
    return str_slice(text, at, end - at);
}

/* The unit of a value: "4" of --swap-space is 4 GiB, "128g" of docker is 128
 * GiB. Removes the unit from the value. */
static int64_t scale_of(const struct flag *flag, struct str *value) {
    char last = value->n > 0 ? value->p[value->n - 1] : '\0';
    char big = (char)(last - 'a' + 'A');
    bool is_small = last == 'k' || last == 'm' || last == 'g';
    int64_t factor = 1;
    if (is_digit(last) && flag) {
        factor = units_factor(flag->scale);
    } else if (is_small && flag && fact_unit(flag->fact) == UNIT_BYTES) {
        factor = units_factor((struct str){&big, 1});
        value->n--;
    }
    return factor > 0 ? factor : 1;
}

static bool find_value(const struct engine *e, struct str command,
                       enum fact_name fact, struct fact *out) {
    struct setting_match match;
    size_t at = 0;
    while (e && engine_setting_next(e, command, &at, &match)) {
        if (flag_fact(e, match.spelling) != (int)fact)
            continue;
        struct str value = value_behind(command, at);
        bool is_switch = value.n == 0 || value.p[0] == '-';
        if (is_switch && fact_unit(fact) == UNIT_BOOL)
            value = STR("true");
        int64_t scale = scale_of(engine_flag_of(e, fact), &value);
        fact_read(fact, value, scale, out);
        return out->known;
    }
    return false;
}

/* The value behind the first word of a command, if no table has its flag. */
static struct str only_value(struct str command, enum fact_name fact) {
    size_t cut = str_find_char(command, ' ');
    size_t joined = str_find_char(command, '=');
    cut = joined < cut ? joined : cut;
    struct str value = str_trim(str_slice(command, cut + 1, command.n));
    return value.n == 0 && fact_unit(fact) == UNIT_BOOL ? STR("true") : value;
}

struct fact command_sets(struct diagnosis *d, const struct entry *entry,
                         struct str command, enum fact_name fact) {
    struct fact out = fact_blank(fact, SOURCE_DERIVED);
    command = str_trim(command);
    if (command.n == 0)
        return out;
    if (fact == FACT_expandable_segments) {
        struct str on = STR("expandable_segments:True");
        out.known = str_find(command, on) < command.n;
        out.number = 1;
        return out;
    }
    for (size_t i = 0; i < table_count(d); i++)
        if (find_value(table_of(d, entry, i), command, fact, &out))
            return out;
    struct str value = only_value(command, fact);
    if (value.n > 0)
        fact_read(fact, value, 1, &out);
    return out;
}

bool is_wrong_direction(enum change change, const struct fact *target,
                        const struct fact *in_force) {
    enum unit unit = fact_unit(target->name);
    return unit != UNIT_BOOL && unit != UNIT_TEXT && unit != UNIT_VERSION &&
           ((change == CHANGE_down && target->number >= fact_high(in_force)) ||
            (change == CHANGE_up && target->number <= fact_low(in_force)));
}
