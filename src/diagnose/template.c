/* template.c: fills slots: "--max-model-len {max_model_len}" becomes
 * "--max-model-len 44224".
 *
 * A {name} that is a fact is filled with the value that the arithmetic
 * proposes, else with the known value. The value that the fix is about to
 * change is never filled from the log: it is the one that failed. An unknown
 * value becomes <max_model_len>, in a command MAX_MODEL_LEN, for the reader to
 * fill. Other braces are kept. {gpu_processes} and similar names are the tools
 * of the maker of this device (corpus/device.h).
 *
 *   {memory_limit:Gi}    38Gi, 300Mi: in the unit of the called program
 *   {max_num_seqs|16}    the proposed value; else, if a fix moves the value in
 *                        force, half of it for "down" and twice for "up" (of a
 *                        fraction 0.05 less or more; a small one goes up to
 *                        0.05 below the engine's first try); else 16
 *   {max_num_seqs}       the same, and last the engine's first try (try_down,
 *                        try_up of its flag) in place of 16
 *
 * In a command numbers are bare (65536, 0.66, bytes), and in the unit of the
 * flag if a bare number has one (--swap-space 4 is 4 GiB). In prose bytes have
 * a unit.
 */
#include "corpus/device.h"
#include "base/limits.h"
#include "corpus/slot.h"
#include "diagnose/work.h"

#include <inttypes.h>

/* Writes "4" for --swap-space, whose bare numbers are GiB. False: the flag has
 * no unit. */
static bool write_scaled(struct buf *b, const struct fact *f,
                         const struct engine *engine) {
    const struct flag *flag = engine_flag_of(engine, f->name);
    int64_t micro, factor = flag ? units_factor(flag->scale) : 0;
    if (fact_unit(f->name) != UNIT_BYTES || factor <= 0 ||
        !mul_div_floor(f->number, UNITS_MICRO, factor, &micro))
        return false;
    units_ratio(b, micro);
    return true;
}

static void write_fact(struct buf *b, const struct fact *f, bool is_command) {
    switch (fact_unit(f->name)) {
    case UNIT_BYTES:
        if (!is_command) {
            units_short(b, f->number);
            break;
        } /* fall through */
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT: buf_printf(b, "%" PRId64, f->number); break;
    case UNIT_RATIO:
    case UNIT_SECONDS: units_ratio(b, f->number); break;
    case UNIT_BOOL: buf_add(b, f->number ? STR("true") : STR("false")); break;
    case UNIT_TEXT:
    case UNIT_VERSION: buf_add(b, f->word); break;
    }
}

struct str fact_written(struct arena *a, const struct fact *f,
                        bool is_command) {
    struct buf b = buf_in(a, TEMPLATE_BYTES_MAX);
    write_fact(&b, f, is_command);
    return arena_str(a, buf_str(&b));
}

static const struct fact *value_for(const struct filling *f,
                                    enum fact_name name) {
    if (f->proposed && f->proposed->known && f->proposed->name == name &&
        f->proposed->source != SOURCE_DEFAULT)
        return f->proposed;
    return f->acted_on == (int)name ? NULL : facts_last(f->facts, name);
}

/* Writes <max_model_len> in a text, and MAX_MODEL_LEN in a command: a shell
 * would read < as a redirection. */
static void write_unknown(struct buf *b, struct str name, bool is_command) {
    if (!is_command) {
        buf_add_char(b, '<');
        buf_add(b, name);
        buf_add_char(b, '>');
        return;
    }
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        buf_add_char(b, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}

/* Fills {gpu_processes}: the tool of the maker of this device. */
static bool fill_tool(struct buf *b, const struct filling *f, struct str name) {
    enum device_tool which;
    if (!device_tool_named(name, &which))
        return false;
    const struct fact *told = facts_last(f->facts, FACT_device_kind);
    buf_add(b, device_tool(told && f->device.n == 0 ? told->word : f->device,
                           which));
    return true;
}

/* The step of a fraction: 0.90 to 0.85. */
enum { RATIO_STEP = UNITS_MICRO / 20 };

/* The next value up of a fraction. If it is below the engine's first try, it
 * goes near that in one step. Below a third of it somebody shares the GPU, a
 * trainer beside its rollouts: it goes up by one step from what is in force. */
static int64_t ratio_up(const struct filling *f, const struct fact *now) {
    const struct flag *flag = engine_flag_of(f->engine, now->name);
    struct amount usual = {0};
    int64_t more = now->number + RATIO_STEP;
    bool has_try = flag && flag->try_up.n > 0 &&
                   units_read(flag->try_up, UNITS_MICRO, &usual);
    bool is_shared = has_try && now->number < usual.value / 3;
    return has_try && !is_shared && usual.value - RATIO_STEP > more
               ? usual.value - RATIO_STEP
               : more;
}

static void step_from(const struct filling *f, const struct fact *now,
                      struct fact *out) {
    bool is_ratio = fact_unit(now->name) == UNIT_RATIO;
    int64_t step = is_ratio ? ratio_up(f, now) - now->number : now->number;
    bool may_fall = is_ratio ? now->number > 2 * RATIO_STEP : now->number > 1;
    int64_t most = is_ratio ? UNITS_MICRO : fact_most(now->name);
    out->known = (f->change == CHANGE_down && may_fall) ||
                 (f->change == CHANGE_up && now->number < most - step);
    out->number = !out->known              ? 0
                  : f->change == CHANGE_up ? now->number + step
                  : is_ratio               ? now->number - RATIO_STEP
                                           : now->number / 2;
}

/* A step from the value in force. Not for layers: 99 of them often means
 * all. */
static bool step_for(const struct filling *f, enum fact_name name,
                     struct fact *out) {
    const struct fact *now = facts_last(f->facts, name);
    enum unit unit = fact_unit(name);
    bool is_count = unit == UNIT_COUNT || unit == UNIT_TOKENS ||
                    unit == UNIT_BLOCKS || unit == UNIT_BYTES ||
                    unit == UNIT_RATIO;
    if (f->is_step_too_small || f->acted_on != (int)name || !now || !is_count ||
        now->number <= 0 || name == FACT_gpu_layers)
        return false;
    *out = fact_blank(name, SOURCE_DERIVED);
    step_from(f, now, out);
    return out->known;
}

/* True if the log shows several GPUs or ranks: one that is not the first. */
static bool shows_several(const struct fact_list *facts) {
    const struct fact *gpu = facts_last(facts, FACT_gpu_index);
    const struct fact *rank = facts_last(facts, FACT_rank);
    const struct fact *ranks = facts_last(facts, FACT_ranks_least);
    return (gpu && gpu->number > 0) || (rank && rank->number > 0) ||
           (ranks && ranks->number > 1);
}

/* The proposed value, if the arithmetic used a default that may not be in
 * force. */
static struct str computed_try(struct arena *a, const struct filling *f,
                               enum fact_name name) {
    bool is_one = f->first_try && f->acted_on == (int)name && f->proposed &&
                  f->proposed->known && f->proposed->name == name &&
                  f->proposed->source == SOURCE_DEFAULT;
    return is_one ? fact_written(a, f->proposed, true) : (struct str){NULL, 0};
}

/* The first try of the engine's flag, if the log does not show the value in
 * force. */
static struct str first_try_for(const struct filling *f, enum fact_name name) {
    const struct flag *flag = engine_flag_of(f->engine, name);
    if (!flag || !f->first_try || f->is_step_too_small ||
        f->acted_on != (int)name || facts_last(f->facts, name) != NULL ||
        (name == FACT_tensor_parallel && shows_several(f->facts)))
        return (struct str){NULL, 0};
    return f->change == CHANGE_down ? flag->try_down
           : f->change == CHANGE_up ? flag->try_up
                                    : (struct str){NULL, 0};
}

/* Writes whole units of the program: 38Gi, and 300Mi below one Gi. */
static void write_in_unit(struct buf *b, int64_t bytes, struct str unit) {
    const int64_t mib = INT64_C(1) << 20, gib = INT64_C(1) << 30;
    bool is_large = bytes >= gib;
    buf_printf(b, "%" PRId64, ceil_div(bytes, is_large ? gib : mib));
    char first = is_large ? unit.p[0] : unit.p[0] == 'g' ? 'm' : 'M';
    buf_add_char(b, first);
    buf_add(b, str_slice(unit, 1, unit.n));
}

static void write_value(struct buf *b, const struct filling *f,
                        const struct slot *slot, const struct fact *value) {
    if (slot->unit.n > 0 && fact_unit(value->name) == UNIT_BYTES)
        write_in_unit(b, value->number, slot->unit);
    else if (!f->is_command || !write_scaled(b, value, f->engine))
        write_fact(b, value, f->is_command);
}

static void fill_one(struct buf *b, const struct filling *f,
                     const struct slot *slot) {
    enum fact_name fact;
    struct fact step;
    if (fill_tool(b, f, slot->name))
        return;
    if (!fact_named(slot->name, &fact)) {
        buf_add_char(b, '{');
        buf_add(b, slot->name);
        buf_add_char(b, '}');
        return;
    }
    const struct fact *value = value_for(f, fact);
    struct str first_try = computed_try(b->a, f, fact);
    if (!value && first_try.n == 0 && step_for(f, fact, &step))
        value = &step;
    first_try = first_try.n > 0 ? first_try : first_try_for(f, fact);
    if (value) {
        write_value(b, f, slot, value);
    } else if (slot->fallback.n > 0) {
        buf_add(b, slot->fallback);
    } else if (first_try.n > 0) {
        buf_add(b, first_try);
        *f->first_try = first_try;
    } else {
        write_unknown(b, slot->name, f->is_command);
        if (f->has_gap)
            *f->has_gap = true;
    }
}

struct str template_fill(struct arena *a, struct str template,
                         const struct filling *f) {
    if (str_find_char(template, '{') == template.n)
        return template;
    struct buf b = buf_in(a, TEMPLATE_BYTES_MAX);
    for (size_t i = 0; i < template.n; i++) {
        struct str rest = str_slice(template, i, template.n);
        struct slot slot;
        if (!slot_at(rest, &slot)) {
            buf_add_char(&b, rest.p[0]);
            continue;
        }
        fill_one(&b, f, &slot);
        i += slot.n - 1;
    }
    buf_check(&b, "a text of an entry, filled in,");
    return arena_str(a, buf_str(&b));
}

struct str template_unfilled(struct arena *a, struct str template,
                             struct str device, bool is_command) {
    struct fact kind = fact_blank(FACT_device_kind, SOURCE_LOG);
    kind.word = device;
    kind.known = device_tool(device, TOOL_list).n > 0;
    struct fact_list facts = {.at = &kind, .count = kind.known ? 1 : 0};
    struct filling fill = {.facts = &facts, .acted_on = -1,
                           .is_command = is_command};
    return template_fill(a, template, &fill);
}
