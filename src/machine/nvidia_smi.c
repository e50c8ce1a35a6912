/* nvidia_smi.c: NVIDIA's cards and the processes on them.
 *
 *     index, uuid, name, memory.total [MiB], memory.used [MiB], ...
 *     0, GPU-8f1c, NVIDIA H100 80GB HBM3, 81559 MiB, 0 MiB, ...
 *
 * Cards are numbered as a program under CUDA_VISIBLE_DEVICES sees them, from 0.
 * A program gets a slice of a card with MIG, which this table does not show. A
 * card without memory of its own ([N/A]) uses the host's. A value printed as
 * N/A is a fact without a value.
 */
#include "base/limits.h"
#include "machine/source.h"

#include <inttypes.h>
#include <stdio.h>

#define ORIGIN "nvidia-smi"

struct csv_row {
    struct str cell[SMI_COLUMNS_MAX];
    size_t count;
};

static struct csv_row row_of(struct str line) {
    struct csv_row row = {.count = 0};
    while (line.n > 0 && row.count < SMI_COLUMNS_MAX)
        row.cell[row.count++] = str_trim(str_cut(line, ',', &line));
    return row;
}

/* The cell under that title, with the title's unit if it is a bare number. */
static struct str cell(struct arena *a, const struct csv_row *titles,
                       const struct csv_row *row, const char *title) {
    for (size_t i = 0; i < titles->count && i < row->count; i++) {
        struct str unit, name = str_cut(titles->cell[i], ' ', &unit);
        struct str value = row->cell[i];
        int64_t n;
        if (!str_eq(name, str_of(title)))
            continue;
        return unit.n > 2 && str_to_int(value, &n)
                   ? arena_printf(a, "%.*s %.*s", STR_ARG(value),
                                  STR_ARG(str_slice(unit, 1, unit.n - 2)))
                   : value;
    }
    return (struct str){NULL, 0};
}

/* The number of the card for a program; -1: it does not see the card. */
static int64_t seen_as(struct str visible, struct str index,
                       struct str uuid) {
    int64_t n = 0, number = -1;
    if (visible.p == NULL)
        return str_to_int(index, &number) ? number : -1;
    for (; visible.n > 0; n++) {
        struct str one = str_trim(str_cut(visible, ',', &visible));
        bool is_uuid = one.n > 4 && str_starts(uuid, one);
        if (str_eq(one, STR("-1")))
            return -1; /* CUDA ignores the rest of the list */
        if (str_eq(one, index) || is_uuid)
            return n;
    }
    return -1;
}

struct card {
    struct str uuid;
    int64_t number;
};

struct cards {
    struct machine_lines *m;
    const struct nvidia_text *t;
    struct card at[MACHINE_CARDS_MAX];
    size_t count;
};

/* An integrated GPU, which uses the host's memory. */
static void add_shared(struct cards *c, const char *owner) {
    machine_add(c->m, FACT_shares_host_memory, owner, STR("true"), ORIGIN);
    if (c->t->host_total > 0) {
        machine_add_bytes(c->m, FACT_gpu_total, owner, c->t->host_total,
                          "/proc/meminfo");
        machine_add_bytes(c->m, FACT_gpu_free, owner, c->t->host_free,
                          "/proc/meminfo");
    }
}

static bool mib_of(struct str text, int64_t *mib) {
    text = str_trim(text);
    return str_ends(text, STR("MiB")) &&
           str_to_int(str_slice(text, 0, text.n - 3), mib);
}

/* A slice of that card:
 * |  0    1   0   0  |      37MiB / 40192MiB  | 42      0 | ... */
static bool slice_of(struct str line, struct str index, int64_t *used,
                     int64_t *total) {
    struct str rest, total_text;
    str_cut(line, '|', &rest);
    struct str ids = str_trim(str_cut(rest, '|', &rest));
    struct str amounts = str_cut(rest, '|', &rest);
    struct str used_text = str_cut(amounts, '/', &total_text);
    return str_eq(str_cut(ids, ' ', &ids), index) && mib_of(used_text, used) &&
           mib_of(total_text, total);
}

/* A program gets one slice. Its size is known if all slices of the card have
 * the same size, its free memory if there is only one. */
static void add_slice(struct cards *c, const char *owner, struct str index) {
    static const char origin[] = "MIG: a slice of it";
    struct arena *a = c->m->a;
    struct str line, text = c->t->mig;
    size_t from = str_find(text, STR("MIG devices:")), count = 0;
    int64_t used, size, free_mib = 0, total = 0;
    bool is_alike = true;
    text = str_slice(text, from, text.n);
    while (line_next(&text, &line)) {
        if (slice_of(line, index, &used, &size)) {
            is_alike = is_alike && (count == 0 || size == total);
            total = size;
            free_mib = size - used;
            count++;
        }
    }
    bool is_known = is_alike && total > 0;
    machine_add(c->m, FACT_gpu_total, owner,
                is_known ? arena_printf(a, "%" PRId64 " MiB", total)
                         : STR("N/A"), origin);
    if (is_known && count == 1 && free_mib >= 0)
        machine_add(c->m, FACT_gpu_free, owner,
                    arena_printf(a, "%" PRId64 " MiB", free_mib), origin);
}

static void add_card(struct cards *c, const struct csv_row *titles,
                     const struct csv_row *row) {
    struct arena *a = c->m->a;
    struct str uuid = cell(a, titles, row, "uuid");
    struct str total = cell(a, titles, row, "memory.total");
    bool is_mig = str_eq_nocase(cell(a, titles, row, "mig.mode.current"),
                                STR("enabled"));
    int64_t number = seen_as(c->t->visible, cell(a, titles, row, "index"),
                             uuid);
    char owner[32];
    if (number < 0 || c->count == MACHINE_CARDS_MAX)
        return;
    c->at[c->count++] = (struct card){uuid, number};
    snprintf(owner, sizeof owner, "gpu %" PRId64, number);
    struct str name = cell(a, titles, row, "name");
    machine_add(c->m, FACT_gpu_name, owner,
                is_mig ? arena_printf(a, "%.*s MIG", STR_ARG(name)) : name,
                ORIGIN);
    if (is_mig) {
        add_slice(c, owner, cell(a, titles, row, "index"));
        return;
    }
    bool is_number = total.n > 0 && is_digit(total.p[0]);
    if (!is_number && c->t->host_total > 0) {
        add_shared(c, owner);
        return;
    }
    machine_add(c->m, FACT_gpu_total, owner, total, ORIGIN);
    machine_add(c->m, FACT_gpu_free, owner,
                cell(a, titles, row, "memory.free"), ORIGIN);
}

static void add_process(struct cards *c, const struct csv_row *titles,
                        const struct csv_row *row) {
    struct arena *a = c->m->a;
    struct str uuid = cell(a, titles, row, "gpu_uuid");
    struct str pid = cell(a, titles, row, "pid");
    char owner[64];
    int64_t n;
    for (size_t i = 0; i < c->count && str_to_int(pid, &n); i++) {
        if (!str_eq(c->at[i].uuid, uuid))
            continue;
        snprintf(owner, sizeof owner, "gpu %" PRId64 ", pid %" PRId64,
                 c->at[i].number, n);
        struct str used = cell(a, titles, row, "used_memory");
        machine_add(c->m, FACT_other_in_use, owner,
                    used.n > 0 ? used
                               : cell(a, titles, row, "used_gpu_memory"),
                    ORIGIN);
    }
}

static void each_row(struct cards *c, struct str text,
                     void (*take)(struct cards *c, const struct csv_row *titles,
                                  const struct csv_row *row)) {
    struct csv_row titles = {.count = 0};
    struct str line;
    while (line_next(&text, &line)) {
        struct csv_row row = row_of(line);
        bool is_title = str_eq(row.cell[0], STR("index")) ||
                        str_eq(row.cell[0], STR("gpu_uuid"));
        if (is_title && row.count > 1)
            titles = row;
        else if (row.count > 1 && row.count == titles.count)
            take(c, &titles, &row);
    }
}

static void add_driver(struct cards *c, const struct csv_row *titles,
                       const struct csv_row *row) {
    if (c->count == 0) { /* the same for all cards */
        machine_add(c->m, FACT_driver_version, "",
                    cell(c->m->a, titles, row, "driver_version"), ORIGIN);
        c->count = 1;
    }
}

void nvidia_smi_read(struct machine_lines *m, const struct nvidia_text *t) {
    struct cards c = {.m = m, .t = t};
    each_row(&c, t->gpus, add_driver);
    bool is_there = c.count > 0;
    c.count = 0;
    each_row(&c, t->gpus, add_card);
    if (is_there)
        machine_add(m, FACT_gpu_count, "",
                    arena_printf(m->a, "%zu", c.count), ORIGIN);
    each_row(&c, t->processes, add_process);
}
