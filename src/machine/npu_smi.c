/* npu_smi.c: Ascend cards from the table of `npu-smi info`: two lines for each
 * chip, then the processes:
 *
 *     | 0     910B3        | OK           | 91.9   36   0 / 0            |
 *     | 0                  | 0000:C1:00.0 | 0      0 / 0   3400 / 65536  |
 *     | NPU     Chip       | Process id   | Process name | Process memory(MB) |
 *     | 0       0          | 4711         | python3      | 3000          |
 *
 * The last pair of the second line is HBM, or the memory of a card without HBM.
 * MB are MiB. Chips are numbered in the order of the table, as programs number
 * them.
 */
#include "base/limits.h"
#include "machine/source.h"

#include <inttypes.h>
#include <stdio.h>

#define ORIGIN "npu-smi"
#define CELLS 4

struct chip {
    int64_t npu, chip;
};

struct chips {
    struct machine_lines *m;
    struct chip at[MACHINE_CARDS_MAX];
    size_t count;
    int64_t npu;     /* of the first of a pair of lines; -1: none */
    struct str name;
    bool is_process; /* in the second table */
};

/* The cells of "| a | b |". Returns their number. */
static size_t cells_of(struct str line, struct str cell[CELLS]) {
    size_t count = 0;
    struct str rest = str_trim(line);
    if (!str_starts(rest, STR("|")))
        return 0;
    rest = str_slice(rest, 1, rest.n);
    while (rest.n > 0 && count < CELLS)
        cell[count++] = str_trim(str_cut(rest, '|', &rest));
    return count;
}

/* The first word of text, if it is a number. */
static bool number_at(struct str text, int64_t *n, struct str *rest) {
    struct str word = str_cut(text, ' ', rest);
    *rest = str_trim(*rest);
    return str_to_int(word, n);
}

/* "0   0 / 0   3400 / 65536": the last pair. */
static bool last_pair(struct str text, int64_t *used, int64_t *total) {
    bool is_found = false;
    while (str_find_char(text, '/') < text.n) {
        struct str left = str_trim(str_cut(text, '/', &text)), last = left;
        for (size_t i = 0; i < left.n; i++)
            if (left.p[i] == ' ')
                last = str_slice(left, i + 1, left.n);
        struct str word = str_cut(str_trim(text), ' ', &(struct str){0});
        is_found = str_to_int(last, used) && str_to_int(word, total);
    }
    return is_found && *total > 0 && *used >= 0 && *used <= *total;
}

static void add_chip(struct chips *c, struct str first, struct str third) {
    int64_t chip, used, total;
    char owner[32];
    struct str rest;
    if (!number_at(first, &chip, &rest) || c->count == MACHINE_CARDS_MAX ||
        !last_pair(third, &used, &total))
        return;
    snprintf(owner, sizeof owner, "gpu %zu", c->count);
    c->at[c->count++] = (struct chip){c->npu, chip};
    machine_add(c->m, FACT_gpu_name, owner,
                arena_printf(c->m->a, "Ascend %.*s", STR_ARG(c->name)), ORIGIN);
    machine_add_bytes(c->m, FACT_gpu_total, owner, total << 20, ORIGIN);
    machine_add_bytes(c->m, FACT_gpu_free, owner, (total - used) << 20,
                      ORIGIN);
}

static void add_process(struct chips *c, const struct str cell[CELLS]) {
    int64_t npu, chip, pid, used;
    struct str rest;
    char owner[64];
    if (!number_at(cell[0], &npu, &rest) || !number_at(rest, &chip, &rest) ||
        !str_to_int(cell[1], &pid) || !str_to_int(cell[3], &used) || used < 0)
        return;
    for (size_t i = 0; i < c->count; i++) {
        if (c->at[i].npu != npu || c->at[i].chip != chip)
            continue;
        snprintf(owner, sizeof owner, "gpu %zu, pid %" PRId64, i, pid);
        machine_add_bytes(c->m, FACT_other_in_use, owner, used << 20, ORIGIN);
    }
}

void npu_smi_read(struct machine_lines *m, struct str text) {
    struct chips c = {.m = m, .npu = -1};
    struct str line, rest;
    while (line_next(&text, &line)) {
        struct str cell[CELLS] = {{NULL, 0}};
        size_t count = cells_of(line, cell);
        int64_t n;
        if (count > 1 && str_starts(cell[1], STR("Process id"))) {
            c.is_process = true;
        } else if (c.is_process && count == CELLS) {
            add_process(&c, cell);
        } else if (count < 3 || !number_at(cell[0], &n, &rest)) {
            c.npu = -1;
        } else if (rest.n > 0 && c.npu < 0) {
            c.npu = n;
            c.name = str_cut(rest, ' ', &rest);
        } else if (c.npu >= 0) {
            add_chip(&c, cell[0], cell[2]);
            c.npu = -1;
        }
    }
    if (c.count > 0)
        machine_add(m, FACT_gpu_count, "", arena_printf(m->a, "%zu", c.count),
                    ORIGIN);
}
