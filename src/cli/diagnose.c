/* diagnose.c: the default command. Each input is read and answered in the order
 * of the arguments. An input that cannot be read has its error in that order,
 * and the others still get their answers.
 *
 * Several logs are read by N threads (-j). The main thread writes the answers
 * in order:
 *
 *     operands   a  b  c  d  e  f  g  h           -j 3
 *                told  |  |  |  |  '-- not taken: too far ahead
 *                      |  '--+--'---- taken: being read, or waiting as reports
 *                      '------------- being written by the main thread
 *
 * An input is taken only if it is at most N behind the one that is being
 * written, so at most N reports wait, however many logs there are and however
 * long the first one takes. Input i is kept in slot i % (N + 1).
 *
 * An input that is no regular file (standard input, a pipe) is opened and read
 * when its turn comes: if it is named twice, or if its writer waits for an
 * answer, the result is that of one thread. With fewer logs than threads, each
 * log has its share of them (oomkb_options.threads).
 *
 * Only the main thread writes to stdout and stderr. It shows one line of
 * progress for all inputs together.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/own_reports.h"
#include "cli/progress.h"

#define LOOK_MS 200
/* The usual stack of a first thread. Some systems give other threads much
 * less. */
#define STACK_BYTES ((size_t)8 << 20)

struct slot {
    bool is_done;
    struct log_report log_report;
};

struct jobs {
    const oomkb *kb;
    oomkb_options options; /* of every scan, except the input's name */
    char **names;
    size_t count;
    struct progress progress; /* used by the main thread only */

    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t moved; /* one of them has changed */
    size_t next;          /* the first input that is not taken */
    size_t writing;
    uint64_t read_bytes;
    bool is_stopped;
    struct slot *slots;

    size_t ahead; /* N */
    size_t thread_count;
    pthread_t threads[JOBS_MAX];
};

static struct slot *slot_of(struct jobs *j, size_t i) {
    return &j->slots[i % (j->ahead + 1)];
}

/* True for a regular file, and for a name that does not exist: opening it gives
 * the error. */
static bool is_file(const char *name) {
    struct stat about;
    return !input_is_stdin(name) &&
           (stat(name, &about) != 0 || S_ISREG(about.st_mode));
}

/* ---- in the threads ---- */

static bool add_read(void *ctx, size_t n) {
    struct jobs *j = ctx;
    pthread_mutex_lock(&j->lock);
    j->read_bytes += n;
    bool goes_on = !j->is_stopped;
    pthread_mutex_unlock(&j->lock);
    return goes_on;
}

/* Takes the next input that may be read. False: there is no more. */
static bool take_input(struct jobs *j, size_t *i) {
    pthread_mutex_lock(&j->lock);
    while (!j->is_stopped && j->next < j->count &&
           j->next > j->writing + j->ahead)
        pthread_cond_wait(&j->moved, &j->lock);
    bool is_taken = !j->is_stopped && j->next < j->count;
    if (is_taken)
        *i = j->next++;
    pthread_mutex_unlock(&j->lock);
    return is_taken;
}

static void wait_for_turn(struct jobs *j, size_t i) {
    pthread_mutex_lock(&j->lock);
    while (!j->is_stopped && j->writing < i)
        pthread_cond_wait(&j->moved, &j->lock);
    pthread_mutex_unlock(&j->lock);
}

static void read_input(struct jobs *j, size_t i, struct log_report *out) {
    oomkb_options options = j->options;
    options.input_name = j->names[i];
    *out = (struct log_report){0};
    if (!is_file(j->names[i]))
        wait_for_turn(j, i);
    int in = input_open(j->names[i]);
    if (in < 0) {
        out->number = errno;
        return;
    }
    log_report_read(j->kb, in, &options, add_read, j, out);
    input_close(in);
}

static void *work(void *ctx) {
    struct jobs *j = ctx;
    size_t i = 0;
    while (take_input(j, &i)) {
        struct slot done = {.is_done = true};
        read_input(j, i, &done.log_report);
        pthread_mutex_lock(&j->lock);
        *slot_of(j, i) = done;
        pthread_cond_broadcast(&j->moved);
        pthread_mutex_unlock(&j->lock);
    }
    return NULL;
}

/* ---- in the main thread ---- */

/* Waits until something has changed, LOOK_MS at most. */
static void wait_a_while(struct jobs *j) {
    int64_t at = clock_ms() + LOOK_MS;
    struct timespec until = {.tv_sec = (time_t)(at / 1000),
                             .tv_nsec = (long)(at % 1000) * 1000000};
    pthread_cond_timedwait(&j->moved, &j->lock, &until);
}

/* Waits for the result of operand i; called with 0, 1, ... in order. Until the
 * next call others are read ahead, as many as there are threads. */
static void jobs_await(struct jobs *j, size_t i, struct log_report *out) {
    struct slot *slot = slot_of(j, i);
    pthread_mutex_lock(&j->lock);
    j->writing = i;
    pthread_cond_broadcast(&j->moved);
    while (!slot->is_done) {
        wait_a_while(j);
        uint64_t n = j->read_bytes - j->progress.done_bytes;
        pthread_mutex_unlock(&j->lock); /* writing to a terminal may be slow */
        progress_add(&j->progress, n);
        pthread_mutex_lock(&j->lock);
    }
    *out = slot->log_report;
    *slot = (struct slot){0};
    pthread_mutex_unlock(&j->lock);
    progress_end(&j->progress);
}

/* Stops the threads and frees the jobs; NULL is allowed. */
static void jobs_end(struct jobs *j) {
    if (j == NULL)
        return;
    pthread_mutex_lock(&j->lock);
    j->is_stopped = true;
    pthread_cond_broadcast(&j->moved);
    pthread_mutex_unlock(&j->lock);
    for (size_t i = 0; i < j->thread_count; i++)
        pthread_join(j->threads[i], NULL);
    for (size_t i = 0; i <= j->ahead; i++)
        oomkb_report_free(j->slots[i].log_report.report);
    pthread_cond_destroy(&j->moved);
    pthread_mutex_destroy(&j->lock);
    free(j->slots);
    free(j);
}

/* ---- start ---- */

/* The size of all inputs; 0: unknown, since one of them is no file. */
static uint64_t bytes_of_all(const struct cli *c) {
    uint64_t sum = 0;
    for (size_t i = 0; i < c->operand_count; i++) {
        struct stat about;
        if (!is_file(c->operands[i]))
            return 0;
        bool is_there = stat(c->operands[i], &about) == 0;
        sum += is_there ? (uint64_t)about.st_size : 0;
    }
    return sum;
}

static bool is_stdin_named(const struct cli *c) {
    for (size_t i = 0; i < c->operand_count; i++)
        if (input_is_stdin(c->operands[i]))
            return true;
    return false;
}

/* The condition uses the monotonic clock. */
static bool condition_init(pthread_cond_t *made) {
    pthread_condattr_t how;
    if (pthread_condattr_init(&how) != 0)
        return false;
    bool is_made = pthread_condattr_setclock(&how, CLOCK_MONOTONIC) == 0 &&
                   pthread_cond_init(made, &how) == 0;
    pthread_condattr_destroy(&how);
    return is_made;
}

static struct jobs *jobs_new(struct cli *c, size_t ahead) {
    struct jobs *j = calloc(1, sizeof *j);
    struct slot *slots = calloc(ahead + 1, sizeof *slots);
    if (j == NULL || slots == NULL)
        goto no_memory;
    *j = (struct jobs){.kb = c->kb,
                       .options = input_options(c, "-"),
                       .names = c->operands,
                       .count = c->operand_count,
                       .slots = slots,
                       .ahead = ahead};
    if (pthread_mutex_init(&j->lock, NULL) != 0)
        goto no_memory;
    if (!condition_init(&j->moved)) {
        pthread_mutex_destroy(&j->lock);
        goto no_memory;
    }
    return j;
no_memory:
    free(slots);
    free(j);
    return NULL;
}

static void start_threads(struct jobs *j) {
    pthread_attr_t how;
    if (pthread_attr_init(&how) != 0)
        return;
    bool is_ready = pthread_attr_setstacksize(&how, STACK_BYTES) == 0;
    while (is_ready && j->thread_count < j->ahead) {
        pthread_t *made = &j->threads[j->thread_count];
        is_ready = pthread_create(made, &how, work, j) == 0;
        j->thread_count += is_ready;
    }
    pthread_attr_destroy(&how);
}

/* Starts threads that read the operands. NULL: one thread was requested or is
 * enough, or no more could be started; then inputs are read one by one. */
static struct jobs *jobs_begin(struct cli *c) {
    size_t threads = input_threads(c);
    size_t ahead = threads < c->operand_count ? threads : c->operand_count;
    struct jobs *j = ahead > 1 ? jobs_new(c, ahead) : NULL;
    if (j == NULL)
        return NULL;
    bool is_typed = is_stdin_named(c) && isatty(STDIN_FILENO) == 1;
    j->progress = progress_begin_all(c, is_typed, bytes_of_all(c));
    start_threads(j);
    if (j->thread_count == 0) {
        jobs_end(j);
        return NULL;
    }
    return j;
}

/* ---- one by one ---- */

static bool add_progress(void *ctx, size_t n) {
    progress_add(ctx, n);
    return true;
}

static void read_here(struct cli *c, const char *name, struct log_report *out) {
    int in = input_open(name);
    if (in < 0) {
        *out = (struct log_report){.number = errno};
        return;
    }
    oomkb_options options = input_options(c, name);
    struct progress progress = progress_begin(c, in);
    log_report_read(c->kb, in, &options, add_progress, &progress, out);
    progress_end(&progress);
    input_close(in);
}

static int diagnose_several(struct cli *c) {
    struct jobs *jobs = jobs_begin(c);
    int status = STATUS_NONE;
    c->is_listing = strcmp(c->format, "json") == 0;
    for (size_t i = 0; i < c->operand_count && !c->is_pipe_closed; i++) {
        struct log_report log_report;
        input_title(c, c->operands[i], i, "");
        if (jobs != NULL)
            jobs_await(jobs, i, &log_report);
        else
            read_here(c, c->operands[i], &log_report);
        int one = log_report_write(c, c->operands[i], &log_report);
        status = status_of_both(status, one);
    }
    jobs_end(jobs);
    if (c->is_listing)
        fputs("\n]\n", stdout);
    return status;
}

static int diagnose_all(struct cli *c) {
    if (c->follow)
        return follow_inputs(c);
    if (c->operand_count > 1)
        return diagnose_several(c);
    const char *name = c->operand_count == 1 ? c->operands[0] : "-";
    struct log_report log_report;
    read_here(c, name, &log_report);
    return log_report_write(c, name, &log_report);
}

int run_diagnose(struct cli *c) {
    struct own_reports_file own;
    int status = STATUS_ERROR;
    if (own_reports_read(c, &own)) {
        c->own_reports = own.reports;
        status = diagnose_all(c);
    }
    arena_free(&own.arena);
    return status;
}
