/* threads.c: one base, sixteen threads, sixteen logs. Each thread goes the
 * whole way of the public header with a log of its own, and what it is told
 * must be, byte for byte, what a single thread is told on a base of its own.
 * threads_check.sh builds this with ThreadSanitizer; then a race fails too.
 *
 * Usage: threads [INDEX]; without one the base that is built in.
 */
#include <oomkb/oomkb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 16
#define LOG_BYTES 4096

/* ---- sixteen logs: eight failures, each with two sets of numbers ---- */

static const char *const logs[] = {
    "INFO 11-20 03:12:08 [core.py:455] Initializing a V1 LLM engine (v0.9.@) "
    "with config: model='Qwen/Qwen2.5-7B', max_seq_len=32768\n"
    "INFO 11-20 03:13:05 [gpu_worker.py:227] Available KV cache memory: "
    "1.@ GiB\n"
    "ValueError: To serve at least one request with the models's max seq len "
    "(32768), (1.75 GiB KV cache is needed, which is larger than the available "
    "KV cache memory (1.@ GiB). Based on the available memory, the estimated "
    "maximum model length is 2@000. Try increasing `gpu_memory_utilization` "
    "or decreasing `max_model_len` when initializing the engine.\n",

    "Traceback (most recent call last):\n"
    "  File \"train.py\", line @, in <module>\n    loss.backward()\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate @.00 GiB. "
    "GPU 0 has a total capacity of 23.69 GiB of which 1.@ GiB is free. "
    "Including non-PyTorch memory, this process has 22.10 GiB memory in use. "
    "Of the allocated memory 20.@ GiB is allocated by PyTorch, and 1.20 GiB "
    "is reserved by PyTorch but unallocated.\n",

    "[12345.@] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), "
    "order=0, oom_score_adj=0\n"
    "[12345.@] Out of memory: Killed process 41@ (python3) "
    "total-vm:9@000000kB, anon-rss:61000000kB, file-rss:0kB, "
    "shmem-rss:0kB, UID:0 pgtables:120000kB oom_score_adj:0\n",

    "Traceback (most recent call last):\n"
    "  File \"model.py\", line @, in forward\n    return self.head(x)\n"
    "RuntimeError: CUDA out of memory. Tried to allocate 1.@0 GiB (GPU @; "
    "23.69 GiB total capacity; 20.31 GiB already allocated; 1.02 GiB free; "
    "21.4@ GiB reserved in total by PyTorch)\n",

    "step @\nRuntimeError: CUDA error: out of memory\n"
    "CUDA kernel errors might be asynchronously reported at some other API "
    "call, so the stacktrace below might be incorrect. @ @ @\n",

    "INFO healthy: @ of @ steps, @.5 GiB of @ GiB in use\n",

    "INFO 11-20 [llm_engine.py:161] Initializing an LLM engine (v0.5.@) with "
    "config: model='facebook/opt-13b', max_seq_len=2048\n"
    "INFO 11-20 [gpu_executor.py:83] # GPU blocks: 7@, # CPU blocks: 3@\n"
    "ValueError: The model's max seq len (16384) is larger than the maximum "
    "number of tokens that can be stored in KV cache (11@). Try increasing "
    "`gpu_memory_utilization` or decreasing `max_model_len` when initializing "
    "the engine.\n",

    "ValueError: Free memory on device (1@.50/23.69 GiB) on startup is less "
    "than desired GPU memory utilization (0.9, 21.32 GiB). Decrease GPU memory "
    "utilization or reduce GPU memory used by other processes. @ @ @\n",
};
#define LOG_KINDS (sizeof logs / sizeof *logs)

/* The i-th log: every '@' of its text is a digit. */
static void make_log(size_t i, char log[LOG_BYTES]) {
    const char *text = logs[i % LOG_KINDS];
    size_t n = strlen(text);
    if (n >= LOG_BYTES) {
        abort();
    }
    for (size_t k = 0; k <= n; k++) {
        log[k] = text[k] == '@' ? (char)('0' + i % 10) : text[k];
    }
}

/* ---- what one user is told ---- */

struct told {
    char *bytes;
    size_t n;
    size_t failures;
    int code; /* the first that was not OOMKB_OK */
};

static int add(void *ctx, const char *bytes, size_t n) {
    struct told *told = ctx;
    char *grown = realloc(told->bytes, told->n + n + 1);
    if (grown == NULL) {
        return 1;
    }
    memcpy(grown + told->n, bytes, n);
    grown[told->n + n] = '\0';
    told->bytes = grown;
    told->n += n;
    return 0;
}

static void note(struct told *told, int code, const oomkb_error *err) {
    if (code != OOMKB_OK && told->code == OOMKB_OK) {
        told->code = code;
        fprintf(stderr, "error %d: %s\n", code, err->text);
    }
}

/* In pieces whose length differs from thread to thread. */
static oomkb_report *scan(const oomkb *kb, const char *log, size_t piece,
                          struct told *told) {
    oomkb_scan *scan = NULL;
    oomkb_report *report = NULL;
    oomkb_error err = {0};
    note(told, oomkb_scan_new(kb, NULL, &scan, &err), &err);
    for (size_t at = 0, left = strlen(log); scan != NULL && left > 0;) {
        size_t n = left < piece ? left : piece;
        note(told, oomkb_scan_feed(scan, log + at, n, &err), &err);
        at += n;
        left -= n;
    }
    if (scan != NULL) {
        note(told, oomkb_scan_finish(scan, &report, &err), &err);
    }
    return report;
}

static void write_all(oomkb_report *report, struct told *told) {
    static const char *const langs[] = {"en", "zh"};
    oomkb_error err = {0};
    for (size_t k = 0; k < 2; k++) {
        oomkb_options o = {.size = sizeof o, .lang = langs[k], .why = 1};
        for (const char *const *f = oomkb_formats(); *f != NULL; f++) {
            if (strcmp(*f, "csv") == 0) {
                continue; /* of lists and fit alone */
            }
            note(told, oomkb_report_write(report, *f, &o, add, told, &err),
                 &err);
        }
        for (size_t i = 0; i < oomkb_report_questions(report); i++) {
            const char *fact = "", *ask = "";
            note(told, oomkb_report_question(report, i, langs[k], &fact, &ask,
                                             &err), &err);
            add(told, fact, strlen(fact));
            add(told, ask, strlen(ask));
        }
    }
}

/* The one thing of a base that is made when it is asked for: first of all, so
 * that nothing else has yet brought the threads into an order. */
static void add_words(const oomkb *kb, struct told *told) {
    static const char *const keys[] = {"verdict.enough", "verdict.not_enough",
                                       "verdict.unknown", "no.such.key"};
    for (size_t i = 0; i < 2 * sizeof keys / sizeof *keys; i++) {
        const char *text = oomkb_text(kb, i % 2 ? "zh" : "en", keys[i / 2]);
        add(told, text, strlen(text));
    }
}

static struct told whole_way(const oomkb *kb, size_t i) {
    struct told told = {0};
    oomkb_error err = {0};
    char log[LOG_BYTES];
    add_words(kb, &told);
    make_log(i, log);
    oomkb_report *report = scan(kb, log, 1 + 37 * i, &told);
    if (report == NULL) {
        return told;
    }
    told.failures = oomkb_report_failures(report);
    write_all(report, &told);
    note(&told, oomkb_report_answer(report, "gpu_total=48GiB", &err), &err);
    write_all(report, &told);
    oomkb_report_free(report);
    return told;
}

/* ---- the threads ---- */

struct worker {
    const oomkb *kb;
    pthread_barrier_t *start;
    const struct told *expected;
    size_t number, right;
    int rounds;
};

static void *work(void *arg) {
    struct worker *w = arg;
    pthread_barrier_wait(w->start);
    for (int round = 0; round < w->rounds; round++) {
        struct told told = whole_way(w->kb, w->number);
        const struct told *e = w->expected;
        w->right += told.code == OOMKB_OK && told.n == e->n &&
                    memcmp(told.bytes, e->bytes, e->n) == 0;
        free(told.bytes);
    }
    return NULL;
}

static oomkb *open_base(const char *path) {
    oomkb *kb = NULL;
    oomkb_error err;
    if (oomkb_open(path, &kb, &err) != OOMKB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return kb;
}

/* Alone, each log on a base that has seen no other. */
static int tell_alone(const char *path, struct told expected[THREADS]) {
    int wrong = 0;
    for (size_t i = 0; i < THREADS; i++) {
        oomkb *kb = open_base(path);
        expected[i] = whole_way(kb, i);
        oomkb_close(kb);
        size_t wanted = strstr(logs[i % LOG_KINDS], "healthy") ? 0 : 1;
        if (expected[i].code != OOMKB_OK || expected[i].failures != wanted) {
            fprintf(stderr, "log %zu: %zu failures instead of %zu\n", i,
                    expected[i].failures, wanted);
            wrong++;
        }
    }
    return wrong;
}

static int tell_together(const char *path, int rounds,
                         const struct told expected[THREADS]) {
    oomkb *kb = open_base(path); /* nothing in it is warm */
    pthread_barrier_t start;
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    int wrong = 0;
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){kb, &start, &expected[i], i, 0,
                                    rounds};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) {
            fprintf(stderr, "no thread %zu\n", i);
            exit(1);
        }
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (workers[i].right != (size_t)rounds) {
            fprintf(stderr, "thread %zu: %zu of %d as when alone\n", i,
                    workers[i].right, rounds);
            wrong++;
        }
    }
    pthread_barrier_destroy(&start);
    oomkb_close(kb);
    return wrong;
}

int main(int argc, char **argv) {
    static struct told expected[THREADS];
    const char *path = argc > 1 ? argv[1] : NULL;
    int rounds = getenv("OOMKB_ALL") != NULL ? 4 : 1;
    int wrong = tell_alone(path, expected);
    wrong += tell_together(path, rounds, expected);
    for (size_t i = 0; i < THREADS; i++) {
        free(expected[i].bytes);
    }
    printf("%d threads, %d rounds: %s\n", THREADS, rounds,
           wrong == 0 ? "as when alone" : "wrong");
    return wrong != 0;
}
