/* facts.c: makes facts from captured text, each with its GPU and process.
 *
 *   "GPU 3 has ... Process 78729 has 61.41 GiB ... Of the allocated memory
 *    56.64 GiB is allocated by PyTorch, and 4.07 GiB is reserved ..."
 *
 * Every amount is of GPU 3. The pid before other_in_use belongs to that fact.
 * 61.41 GiB is what PyTorch holds and a context, so the listed process is this
 * one: a container sees its own pid, the driver prints the host's. The fact
 * becomes process_in_use, and own_process_listed is true.
 *
 * Nothing is guessed: a derived fact is exact and carries its formula.
 */
#include "diagnose/work.h"

#include <inttypes.h>

/* The most that a process holds besides the tensors that torch counts: a CUDA
 * context with its libraries. 1.5 GiB covers NCCL and cuBLAS workspaces. */
#define CONTEXT_MOST (INT64_C(3) << 29)

void facts_add(struct arena *a, struct fact_list *list, const struct fact *f) {
    *ARENA_ADD(a, list->at, list->count, list->cap) = *f;
}

struct fact_list fact_list_copy(struct arena *a, const struct fact_list *list,
                                size_t more) {
    struct fact_list copy = {.cap = list->count + more};
    copy.at = arena_room(a, copy.cap * sizeof *copy.at);
    for (; copy.count < list->count; copy.count++)
        copy.at[copy.count] = list->at[copy.count];
    return copy;
}

bool facts_same(const struct fact *x, const struct fact *y) {
    if (x->name != y->name || x->known != y->known)
        return false;
    return !x->known || (x->number == y->number && str_eq(x->word, y->word));
}

void facts_drop(struct fact_list *list, enum fact_name name) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].name != name)
            list->at[kept++] = list->at[i];
    list->count = kept;
}

struct fact fact_stated(const struct setting *row, uint32_t line) {
    struct fact f = fact_blank(row->name, SOURCE_LOG);
    fact_read(f.name, row->value, 1, &f);
    f.text = (struct str){NULL, 0};
    f.line = line;
    return f;
}

const struct fact *fact_here(const struct diagnosis *d,
                             const struct sighting *s, enum fact_name name) {
    const struct fact *own = facts_first(&s->facts, name);
    return own ? own : facts_last(&d->context, name);
}

/* The kind that a maker's GPUs are. */
static struct str kind_of_maker(struct str vendor) {
    return str_eq(vendor, STR("amd"))     ? STR("hip")
           : str_eq(vendor, STR("intel")) ? STR("xpu")
                                          : (struct str){NULL, 0};
}

struct str device_of(struct diagnosis *d, const struct fact_list *facts) {
    const struct fact *kind = facts_last(facts, FACT_device_kind);
    const struct fact *name = facts_last(&d->context, FACT_gpu_name);
    kind = kind ? kind : facts_last(&d->context, FACT_device_kind);
    if (kind && !str_eq_nocase(kind->word, STR("cuda")))
        return kind->word;
    if (facts_last(&d->context, FACT_jetson))
        return STR("jetson");
    const struct gpu *gpu = name ? reader_gpu(d->r, name->word) : NULL;
    return gpu ? kind_of_maker(gpu->vendor) : (struct str){NULL, 0};
}

void sighting_add_fact(struct diagnosis *d, struct sighting *s, struct fact f) {
    if (f.known)
        facts_add_new(d->a, &s->facts, &f);
}

bool facts_add_new(struct arena *a, struct fact_list *list,
                   const struct fact *f) {
    for (size_t i = 0; i < list->count; i++) {
        const struct fact *old = &list->at[i];
        if (old->name != f->name || old->gpu != f->gpu)
            continue;
        if (f->name != FACT_other_in_use) {
            if (old->known || !f->known)
                return false;
            list->at[i] = *f;
            return true;
        }
        if (old->pid == f->pid && facts_same(old, f))
            return false;
    }
    facts_add(a, list, f);
    return true;
}

/* ---- one hit's captures ---- */

/* The first card that the message names. Captures before it belong to that card
 * as well. */
static int64_t only_gpu(const struct hit *h) {
    int64_t gpu = FACT_NONE;
    for (size_t i = 0; i < h->capture_count; i++) {
        struct fact f = fact_blank(FACT_gpu_index, SOURCE_LOG);
        if (h->captures[i].name != FACT_gpu_index)
            continue;
        fact_read(FACT_gpu_index, h->captures[i].text, 1, &f);
        if (f.known && gpu == FACT_NONE)
            gpu = f.number;
    }
    return gpu;
}

/* ---- the spelling of a setting in the log ---- */

static bool is_name_part(char c) {
    return is_word(c) || c == '-' || c == '.';
}

static size_t blanks_before(struct str s, size_t n) {
    while (n > 0 && (s.p[n - 1] == ' ' || s.p[n - 1] == '\t'))
        n--;
    return n;
}

/* Removes the last character if it is one of `which`, and returns it; '\0': it
 * is not. */
static char cut_last(struct str *s, const char *which) {
    char c = s->n > 0 ? s->p[s->n - 1] : '\0';
    s->n -= is_any(c, which);
    return is_any(c, which) ? c : '\0';
}

/* True if the name is that of a setting. sign: the character between it and its
 * value, '\0': only blanks. is_sure: it is quoted, or the sign has no blanks
 * round it. */
static bool is_setting(struct str name, char sign, bool is_sure) {
    bool is_flag = str_starts(name, STR("-"));
    bool is_apart = sign != '\0' || is_flag ||
                    (name.n > 0 && is_upper(name.p[0]));
    return name.n > 0 && is_apart &&
           (is_flag || is_sure || str_find_char(name, '_') < name.n);
}

/* A setting as it is typed, up to its value: "--bs ", "batch_size=", "'bs': ",
 * "IMS_PER_BATCH ". Empty for prose ("per device = ") and for dotted tables. */
static struct str setting_spelled(struct str front) {
    struct str left = str_slice(front, 0, blanks_before(front, front.n));
    char sign = cut_last(&left, "=:");
    bool is_tight = sign == '=' && left.n + 1 == front.n;
    left.n = blanks_before(left, left.n);
    char quote = cut_last(&left, "\"'");
    size_t from = left.n;
    while (from > 0 && is_name_part(left.p[from - 1]))
        from--;
    struct str name = str_slice(left, from, left.n);
    bool is_open = quote != '\0' && (from == 0 || left.p[from - 1] != quote);
    if (is_open || !is_setting(name, sign, is_tight || quote != '\0'))
        return (struct str){NULL, 0};
    from -= quote != '\0';
    return str_slice(front, from, front.n);
}

/* ---- facts of one hit ---- */

static bool is_pid_of_next(const struct hit *h, size_t i) {
    return h->captures[i].name == FACT_pid && i + 1 < h->capture_count &&
           h->captures[i + 1].name == FACT_other_in_use;
}

struct fact_list facts_of_hit(struct diagnosis *d, const struct hit *h,
                              const struct signature *signature) {
    const struct fact_list none = {0};
    struct fact_list out = fact_list_copy(
        d->a, &none,
        h->capture_count + (signature ? signature->set_count : 0));
    const struct stream *who = stream_of_number(d, h->stream);
    int64_t gpu = only_gpu(h);
    int64_t pid_of_other = FACT_NONE;
    for (size_t i = 0; i < h->capture_count; i++) {
        const struct capture *c = &h->captures[i];
        struct fact f = fact_blank(c->name, SOURCE_LOG);
        fact_read(c->name, c->text, c->scale, &f);
        f.line = c->line ? c->line : h->first_line;
        f.spelled = setting_spelled(c->front);
        if (c->name == FACT_gpu_index && f.known)
            gpu = f.number;
        f.gpu = gpu;
        f.rank = who->rank;
        f.pid = who->pid;
        if (is_pid_of_next(h, i)) {
            pid_of_other = f.known ? f.number : FACT_NONE;
            continue;
        }
        if (c->name == FACT_other_in_use) {
            f.pid = pid_of_other;
            pid_of_other = FACT_NONE;
        }
        if (c->name == FACT_device_kind && f.known)
            f.word = arena_lower(d->a, f.word);
        facts_add_new(d->a, &out, &f);
    }
    for (size_t i = 0; signature && i < signature->set_count; i++) {
        struct fact f = fact_stated(&signature->set[i], h->first_line);
        facts_add_new(d->a, &out, &f);
    }
    return out;
}

/* ---- derived facts ---- */

static bool number_of(const struct fact_list *list, enum fact_name name,
                      int64_t *out) {
    const struct fact *f = facts_first(list, name);
    if (f)
        *out = f->number;
    return f != NULL;
}

/* Memory that torch holds: allocated and unallocated. If the line was cut
 * before the latter, it is the former, and *is_whole is false. */
static bool torch_holds(const struct fact_list *list, int64_t *out,
                        bool *is_whole) {
    int64_t allocated, rest;
    if (!number_of(list, FACT_pytorch_allocated, &allocated))
        return false;
    *is_whole = true;
    if (number_of(list, FACT_pytorch_reserved, out))
        return true;
    if (!number_of(list, FACT_pytorch_unallocated, &rest)) {
        *is_whole = false;
        rest = 0;
    }
    return add_i64(allocated, rest, out);
}

/* The error of two amounts that are printed with two decimals. */
#define ROUNDING (INT64_C(16) << 20)

/* The least that a process on a card holds: its context. */
#define CONTEXT_LEAST (INT64_C(100) << 20)

/* True if this process must be one of the listed: without it they leave less of
 * the used memory than it holds. */
static bool must_be_listed(const struct fact_list *list, int64_t held) {
    int64_t total, free, listed = 0;
    if (!number_of(list, FACT_gpu_total, &total) ||
        !number_of(list, FACT_gpu_free, &free))
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct fact *f = &list->at[i];
        if (f->name == FACT_other_in_use && f->known &&
            !add_i64(listed, f->number, &listed))
            return false;
    }
    return held > ROUNDING && total - free - listed < held - ROUNDING;
}

/* Counts the listed processes that may be this one: those with the size of
 * PyTorch's memory and a context, or any that is large enough if this one must
 * be listed. A cut amount (is_whole false) proves nothing by its size. */
static size_t count_own(const struct fact_list *list, int64_t held,
                        bool is_whole, size_t *where) {
    bool must_be = must_be_listed(list, held);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct fact *f = &list->at[i];
        if (f->name == FACT_other_in_use && f->known &&
            f->number >= held - ROUNDING &&
            (must_be || (is_whole && f->number - held <= CONTEXT_MOST))) {
            count++;
            *where = i;
        }
    }
    return count;
}

/* In a container the driver may print 0 bytes for each process, including this
 * one. If this one has 0 but holds tensors, all counts of 0 are dropped. */
static void drop_zero_counts(struct fact_list *list) {
    const struct fact *own = facts_first(list, FACT_process_in_use);
    int64_t held;
    if (!own || own->number > 0 ||
        !number_of(list, FACT_pytorch_allocated, &held) || held <= ROUNDING)
        return;
    for (size_t i = 0; i < list->count; i++) {
        struct fact *f = &list->at[i];
        bool is_count = f->name == FACT_process_in_use ||
                        f->name == FACT_other_in_use;
        if (is_count && f->number == 0)
            f->known = false;
    }
}

void facts_derive(struct arena *a, struct fact_list *list) {
    int64_t held;
    bool is_whole;
    size_t where = 0;
    drop_zero_counts(list);
    if (!facts_first(list, FACT_other_in_use))
        return;
    struct fact own = fact_blank(FACT_own_process_listed, SOURCE_DERIVED);
    own.known = true;
    bool has_amount = torch_holds(list, &held, &is_whole);
    if (!has_amount) { /* the line was cut before the amount */
        held = CONTEXT_LEAST;
        is_whole = false;
    }
    if (facts_first(list, FACT_process_in_use)) {
        own.formula = STR("the process itself is named beside the others");
    } else if (count_own(list, held, is_whole, &where) != 1) {
        return; /* the listed processes may belong to anybody */
    } else {
        struct fact *listed = &list->at[where];
        own.number = 1;
        own.gpu = listed->gpu;
        own.line = listed->line;
        own.formula = !has_amount ?
            STR("the one process listed holds all that is not free") :
            arena_printf(
                a, "%" PRId64 " in use = %" PRId64
                " held by PyTorch + %" PRId64 " outside it",
                listed->number, held, listed->number - held);
        listed->name = FACT_process_in_use;
        listed->why = STR("listed under the pid that the host gives it");
    }
    facts_add_new(a, list, &own);
}

struct fact_list facts_in_force(struct diagnosis *d,
                                const struct fact_list *own) {
    size_t answers = d->answers ? d->answers->count : 0;
    struct fact_list all =
        fact_list_copy(d->a, &d->context, own->count + answers);
    for (size_t i = 0; i < own->count; i++)
        facts_add(d->a, &all, &own->at[i]);
    for (size_t i = 0; i < answers; i++)
        facts_add(d->a, &all, &d->answers->at[i]);
    return all;
}
