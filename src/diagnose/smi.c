/* smi.c: facts from a pasted table of nvidia-smi or gpustat: of the card that
 * failed, and of one that is idle.
 *
 *     |   0  NVIDIA GeForce RTX 3090   Off | 00000000:01:00.0  On |   N/A |
 *     | 30%   40C   P8   30W / 350W |  20993MiB / 24576MiB |   0% Default |
 *     |    0   N/A  N/A     4711      C   python3             20480MiB |
 *
 *     index, memory.total [MiB], memory.used [MiB]
 *     0, 24576 MiB, 20993 MiB
 *
 *     pid, process_name, used_gpu_memory [MiB]
 *     4711, python3, 20480 MiB
 *
 *     [0] Tesla V100-SXM2-16GB | 44'C,   0 % | 15836 / 16130 MB | jane(15826M)
 *
 * A card or a process is one row: the facts gpu_row, and gpu_columns for the
 * titles above. A listed process that is not this one still holds its memory
 * when the table is printed, before a start or after the failure. The free
 * memory counts only in a table above the failure, and only if the message has
 * no amounts of PyTorch: it is the memory before the load. The total is the
 * driver's; CUDA can allocate 97 to 100 percent of it.
 */
#include "diagnose/work.h"

#include <string.h>

#define HANDED_OUT_PERCENT 97
#define SMI_CELLS_MAX 16

struct smi_row {
    int64_t gpu, pid; /* FACT_NONE: not in the row */
    int64_t total, used, free; /* bytes; -1: not in the row */
    struct str name;  /* name of the process */
    uint32_t line;
    bool is_above;    /* above the failure */
};

static bool mib_of(struct str cell, int64_t *bytes) {
    size_t end = str_find(cell, STR("MiB"));
    int64_t mib;
    return end < cell.n &&
           str_to_int(str_trim(str_slice(cell, 0, end)), &mib) &&
           mul_i64(mib, INT64_C(1) << 20, bytes);
}

/* ---- csv ---- */

static void csv_cell(struct smi_row *row, struct str title, struct str cell) {
    struct str unit, name = str_cut(title, ' ', &unit);
    int64_t n;
    if (str_eq(name, STR("index")) && str_to_int(cell, &n))
        row->gpu = n;
    else if (str_eq(name, STR("pid")) && str_to_int(cell, &n))
        row->pid = n;
    else if (str_eq(name, STR("process_name")) || str_eq(name, STR("name")))
        row->name = cell;
    else if (str_eq(name, STR("memory.total")))
        (void)mib_of(cell, &row->total);
    else if (str_eq(name, STR("memory.free")))
        (void)mib_of(cell, &row->free);
    else if (str_starts(name, STR("used_")) || str_eq(name, STR("memory.used")))
        (void)mib_of(cell, &row->used);
}

static void csv_read(struct smi_row *row, struct str titles, struct str text) {
    for (size_t i = 0; i < SMI_CELLS_MAX && titles.n > 0 && text.n > 0; i++) {
        struct str title = str_trim(str_cut(titles, ',', &titles));
        csv_cell(row, title, str_trim(str_cut(text, ',', &text)));
    }
}

/* ---- boxes ---- */

static struct str next_word(struct str *text) {
    *text = str_trim(*text);
    return str_cut(*text, ' ', text);
}

/* Reads "0 N/A N/A 4711 C python3 20480MiB": the pid stands before the type. */
static void box_process(struct smi_row *row, struct str text) {
    struct str word = next_word(&text), last = word;
    (void)str_to_int(word, &row->gpu);
    while (text.n > 0) {
        last = word;
        word = next_word(&text);
        bool is_type = STR_IS_ONE(word, "C", "G", "C+G", "M+C", "M");
        if (is_type && row->pid == FACT_NONE && str_to_int(last, &row->pid))
            row->name = str_trim(text);
    }
    (void)mib_of(word, &row->used);
    row->name.n -= row->name.n > word.n ? word.n : 0;
    row->name = str_trim(row->name);
}

/* Reads "0 NVIDIA ... 20993MiB / 24576MiB". */
static void box_card(struct smi_row *row, struct str text, size_t slash) {
    struct str front = str_trim(str_slice(text, 0, slash)), word;
    (void)mib_of(str_slice(text, slash + 1, text.n), &row->total);
    word = next_word(&text);
    (void)str_to_int(word, &row->gpu);
    size_t from = front.n;
    while (from > 0 && front.p[from - 1] != ' ' && front.p[from - 1] != '|')
        from--;
    (void)mib_of(str_slice(front, from, front.n), &row->used);
}

/* ---- gpustat ---- */

/* Reads "0] Tesla V100-SXM2-16GB | 44'C,   0 % | 15836 / 16130 MB". The unit is
 * MiB, by gpustat's source, although it prints MB. */
static void stat_read(struct smi_row *row, struct str text) {
    struct str cells, memory = {NULL, 0}, total;
    int64_t used_mib, total_mib;
    (void)str_to_int(str_cut(text, ']', &cells), &row->gpu);
    while (cells.n > 0)
        memory = str_cut(cells, '|', &cells);
    struct str used = str_cut(memory, '/', &total);
    total = str_trim(total);
    if (str_to_int(str_trim(used), &used_mib) &&
        str_to_int(str_cut(total, ' ', &total), &total_mib)) {
        (void)mul_i64(used_mib, INT64_C(1) << 20, &row->used);
        (void)mul_i64(total_mib, INT64_C(1) << 20, &row->total);
    }
}

/* ---- rows ---- */

static struct smi_row row_of(struct str titles, const struct capture *c) {
    struct smi_row row = {.gpu = FACT_NONE, .pid = FACT_NONE, .total = -1,
                          .used = -1, .free = -1};
    struct str memory = STR("MiB /");
    size_t at = str_find(c->text, memory);
    if (titles.n > 0 && str_find(c->text, STR(", ")) < c->text.n)
        csv_read(&row, titles, c->text);
    else if (str_find(c->text, STR("] ")) < 3)
        stat_read(&row, c->text);
    else if (at < c->text.n)
        box_card(&row, c->text, at + memory.n - 1);
    else
        box_process(&row, c->text);
    return row;
}

struct smi_table {
    struct smi_row *at;
    size_t count, cap;
};

static struct smi_table table_of(const struct diagnosis *d) {
    struct smi_table t = {0};
    struct str titles = {NULL, 0};
    const struct hit_run *rows = &d->with_fact[FACT_gpu_row];
    const struct hit_run *columns = &d->with_fact[FACT_gpu_columns];
    struct failure_end end = {0};
    if (rows->count > 0)
        end = failure_end_of(d);
    for (size_t i = 0, k = 0; i < rows->count; i++) {
        const struct hit *h = rows->at[i];
        for (; k < columns->count && columns->at[k] <= h; k++)
            titles = hit_capture(columns->at[k], FACT_gpu_columns)->text;
        t.at = arena_grow(d->a, t.at, t.count, &t.cap, sizeof *t.at);
        t.at[t.count] = row_of(titles, hit_capture(h, FACT_gpu_row));
        t.at[t.count].line = h->first_line;
        t.at[t.count].is_above = h->order <= end.first;
        t.count++;
    }
    return t;
}

/* The card that the message names, else the only one of the table; FACT_NONE:
 * the table has several. */
static int64_t card_of(const struct sighting *s, const struct smi_table *t) {
    const struct fact *named = facts_first(&s->facts, FACT_gpu_index);
    int64_t gpu = FACT_NONE;
    if (named)
        return named->number;
    for (size_t i = 0; i < t->count; i++) {
        if (t->at[i].gpu != FACT_NONE && gpu != FACT_NONE &&
            t->at[i].gpu != gpu)
            return FACT_NONE;
        gpu = t->at[i].gpu != FACT_NONE ? t->at[i].gpu : gpu;
    }
    return gpu == FACT_NONE ? 0 : gpu;
}

/* The program without its folders ("/usr/lib/xorg/Xorg"), which may hold a
 * person's name. */
static struct str program_name(struct str name) {
    for (size_t at = str_find_char(name, '/'); at < name.n;
         at = str_find_char(name, '/'))
        name = str_slice(name, at + 1, name.n);
    return name;
}

static void row_fact_add(struct diagnosis *d, struct sighting *s,
                         const struct smi_row *row, enum fact_name name,
                         int64_t bytes) {
    struct fact f = fact_number(name, SOURCE_LOG, bytes);
    f.line = row->line;
    f.pid = row->pid;
    f.word = name == FACT_other_in_use ? program_name(row->name) : f.word;
    if (name == FACT_gpu_total) {
        f.ranged = true;
        f.low = bytes / 100 * HANDED_OUT_PERCENT;
        f.high = bytes;
    }
    sighting_add_fact(d, s, f);
}

static void card_derive(struct diagnosis *d, struct sighting *s,
                        const struct smi_row *row) {
    int64_t free = row->free >= 0 ? row->free : row->total - row->used;
    bool is_counted = row->free >= 0 || (row->total >= 0 && row->used >= 0);
    if (row->total > 0 && !facts_first(&s->facts, FACT_gpu_total))
        row_fact_add(d, s, row, FACT_gpu_total, row->total);
    if (row->used >= 0)
        row_fact_add(d, s, row, FACT_gpu_used, row->used);
    if (is_counted && row->is_above && free >= 0 &&
        !facts_first(&s->facts, FACT_pytorch_allocated) &&
        !facts_first(&d->context, FACT_free_before_load))
        row_fact_add(d, s, row, FACT_free_before_load, free);
}

/* A card is idle below the first limit, and full above the second one. */
#define IDLE_PERCENT 5
#define FULL_PERCENT 80

static bool holds_less(const struct smi_row *row, int64_t percent) {
    return row->pid == FACT_NONE && row->gpu != FACT_NONE && row->total > 0 &&
           row->used >= 0 && row->used <= row->total / 100 * percent;
}

static void idle_derive(struct diagnosis *d, struct sighting *s,
                      const struct smi_table *t) {
    const struct smi_row *idle = NULL;
    bool is_any_full = false;
    for (size_t i = 0; i < t->count; i++) {
        const struct smi_row *row = &t->at[i];
        idle = idle == NULL && holds_less(row, IDLE_PERCENT) ? row : idle;
        is_any_full = is_any_full || (row->pid == FACT_NONE && row->total > 0 &&
                                      row->used >= 0 &&
                                      !holds_less(row, FULL_PERCENT));
    }
    if (idle && is_any_full) {
        struct fact f = fact_number(FACT_idle_gpu, SOURCE_LOG, idle->gpu);
        f.line = idle->line;
        sighting_add_fact(d, s, f);
        row_fact_add(d, s, idle, FACT_idle_free, idle->total - idle->used);
    }
}

static bool is_of_device(const struct sighting *s) {
    const struct fact *kind = facts_first(&s->facts, FACT_device_kind);
    return !kind || str_eq(kind->word, STR("cuda"));
}

void smi_derive(struct diagnosis *d, struct sighting *s) {
    struct smi_table t = is_of_device(s) ? table_of(d) : (struct smi_table){0};
    int64_t gpu = card_of(s, &t), others = 0;
    int64_t own = stream_of_number(d, s->places[0].stream)->pid;
    bool lists = facts_first(&s->facts, FACT_other_in_use) ||
                 facts_first(&s->facts, FACT_process_in_use);
    const struct smi_row *first = NULL;
    idle_derive(d, s, &t);
    for (size_t i = 0; gpu != FACT_NONE && i < t.count; i++) {
        const struct smi_row *row = &t.at[i];
        if (row->gpu != FACT_NONE && row->gpu != gpu)
            continue;
        if (row->pid == FACT_NONE) {
            card_derive(d, s, row);
        } else if (!lists && row->used >= 0 && row->pid != own &&
                   add_i64(others, row->used, &others)) {
            row_fact_add(d, s, row, FACT_other_in_use, row->used);
            first = first ? first : row;
        }
    }
    if (first)
        row_fact_add(d, s, first, FACT_others_in_use, others);
}
