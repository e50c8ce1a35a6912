/* tasks.c: facts from the table of processes in the kernel's report of a kill:
 * who held the memory. The victim's own line may be missing, or the victim may
 * be small.
 *
 *     [  pid  ]   uid  tgid total_vm      rss pgtables_bytes ... name
 *     [2275268]     0 2275268  2001555   705854  9302016 ... tickrs
 *
 * A row of a process that holds some is a fact task_row, "2275268]     0 ...
 * tickrs". Processes of one name count together; what they share counts for
 * each. Of several tables in a log the nearest one is read: a pid that comes
 * again belongs to the next table.
 */
#include "diagnose/work.h"

#define PAGE_BYTES 4096    /* of the kernel; on x86 and nearly everywhere */
#define TABLE_LINES 1000   /* between two such rows of one table, at most */
#define TASKS_MAX 256      /* rows of one table that are read */
#define NUMBERS_BEFORE 3   /* uid, tgid, total_vm; rss follows */

struct task {
    int64_t pid, bytes;
    struct str name;
    uint32_t line;
};

/* The name is what follows the numbers: "(sd-pam)", "npm start". */
static bool task_read(struct task *task, struct str text) {
    struct str rest, cells;
    int64_t number, pages = 0;
    if (!str_to_int(str_cut(text, ']', &cells), &task->pid))
        return false;
    for (int i = 0; cells.n > 0; i++) {
        cells = str_trim(cells);
        if (!str_to_int(str_cut(cells, ' ', &rest), &number))
            break;
        pages = i == NUMBERS_BEFORE ? number : pages;
        cells = rest;
    }
    task->name = cells;
    return cells.n > 0 && mul_i64(pages, PAGE_BYTES, &task->bytes);
}

struct task_table {
    struct task at[TASKS_MAX];
    size_t count;
};

static bool has_pid(const struct task_table *t, int64_t pid) {
    for (size_t i = 0; i < t->count; i++)
        if (t->at[i].pid == pid)
            return true;
    return false;
}

/* False: the row belongs to another table. */
static bool task_add(struct task_table *t, const struct hit *row) {
    struct task task = {.line = row->first_line};
    if (!task_read(&task, hit_capture(row, FACT_task_row)->text))
        return true;
    if (t->count == TASKS_MAX || has_pid(t, task.pid))
        return false;
    t->at[t->count++] = task;
    return true;
}

static bool are_of_one_table(const struct hit *x, const struct hit *y) {
    return y->first_line - x->first_line <= TABLE_LINES;
}

/* Rows above the message first: the victim's line ends the report. */
static struct task_table *tasks_near(const struct diagnosis *d,
                                     const struct sighting *s) {
    const struct hit_run *rows = &d->with_fact[FACT_task_row];
    struct task_table *t = arena_alloc(d->a, sizeof *t);
    const struct hit *last = s->hit;
    size_t above = 0;
    t->count = 0;
    while (above < rows->count && rows->at[above]->order <= s->hit->order)
        above++;
    for (size_t i = above; i > 0 && are_of_one_table(rows->at[i - 1], last) &&
                           task_add(t, rows->at[i - 1]); i--)
        last = rows->at[i - 1];
    if (t->count > 0)
        return t;
    last = s->hit;
    for (size_t i = above; i < rows->count &&
                           are_of_one_table(last, rows->at[i]) &&
                           task_add(t, rows->at[i]); i++)
        last = rows->at[i];
    return t;
}

static struct task sum_of(const struct task_table *t, struct str name) {
    struct task sum = {.name = name};
    int64_t most = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct task *task = &t->at[i];
        if (!str_eq(task->name, name) ||
            !add_i64(sum.bytes, task->bytes, &sum.bytes))
            continue;
        sum.line = task->bytes > most ? task->line : sum.line;
        most = task->bytes > most ? task->bytes : most;
    }
    return sum;
}

void tasks_derive(struct diagnosis *d, struct sighting *s) {
    struct task largest = {0};
    if (!facts_say(&s->facts, FACT_device_kind, "host") ||
        d->with_fact[FACT_task_row].count == 0)
        return;
    struct task_table *t = tasks_near(d, s);
    for (size_t i = 0; i < t->count; i++) {
        struct task sum = sum_of(t, t->at[i].name);
        largest = sum.bytes > largest.bytes ? sum : largest;
    }
    if (largest.bytes == 0)
        return;
    struct fact name = fact_word(FACT_largest_process, SOURCE_LOG,
                                 largest.name);
    struct fact bytes = fact_number(FACT_largest_rss, SOURCE_LOG,
                                    largest.bytes);
    name.line = bytes.line = largest.line;
    sighting_add_fact(d, s, name);
    sighting_add_fact(d, s, bytes);
}
