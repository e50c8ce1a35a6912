/* fit.c: `oomkb fit --model NAME --gpu NAME ...`: does it fit, and what would
 * make it fit? Every option is a fact by another name; what is behind
 * --config and --from-log is read here, the library reads no files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"

#define ROOM_BYTES 8192
#define FILE_BYTES_MAX ((size_t)64 << 20) /* of a GGUF file: its front */

/* Options that are facts. */
static const struct {
    const char *option, *fact;
} facts[] = {
    {"--model", "model"},
    {"--engine", "engine"},
    {"--engine-version", "engine_version"},
    {"--gpu", "gpu_name"},
    {"--gpu-memory", "gpu_total"},
    {"--gpus", "gpu_count"},
    {"--tp", "tensor_parallel"},
    {"--pp", "pipeline_parallel"},
    {"--dp", "data_parallel"},
    {"--dtype", "dtype"},
    {"--quantization", "quantization"},
    {"--kv-cache-dtype", "kv_cache_dtype"},
    {"--block-size", "block_size"},
    {"--max-model-len", "max_model_len"},
    {"--max-num-seqs", "max_num_seqs"},
    {"--max-num-batched-tokens", "max_num_batched_tokens"},
    {"--gpu-memory-utilization", "gpu_memory_utilization"},
    {"--kv-available", "kv_available"},
    {"--concurrency", "concurrency"},
};

struct asking {
    char room[ROOM_BYTES]; /* "fact=value" one after the other */
    size_t used;
    const char *list[CLI_FIT_MAX + CLI_ANSWERS_MAX + 1];
    size_t count;
    const char *config_path, *log_path;
    char *config; /* malloc's */
    size_t config_bytes;
    oomkb_report *report;
    oomkb_fit_question question;
};

static const char *fact_of(const char *option) {
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (strcmp(facts[i].option, option) == 0) {
            return facts[i].fact;
        }
    }
    return NULL;
}

static bool take_fact(struct asking *q, const char *fact, const char *value) {
    char *at = q->room + q->used;
    size_t left = sizeof q->room - q->used;
    int n = snprintf(at, left, "%s=%s", fact, value);
    if (n < 0 || (size_t)n >= left) {
        return false;
    }
    q->used += (size_t)n + 1;
    q->list[q->count++] = at;
    return true;
}

static bool take_option(struct asking *q, const char *option,
                        const char *value) {
    const char *fact = fact_of(option);
    if (fact != NULL) {
        return take_fact(q, fact, value);
    }
    if (strcmp(option, "--compare") == 0) {
        q->question.compare = value;
    } else if (strcmp(option, "--sweep") == 0) {
        q->question.sweep = value;
    } else if (strcmp(option, "--config") == 0) {
        q->config_path = value;
    } else {
        q->log_path = value;
    }
    return true;
}

/* ---- files ---- */

static int file_error(struct cli *c, const char *path) {
    return input_error(c, path, errno != 0 ? errno : EIO);
}

/* What of the file fits into FILE_BYTES_MAX; false: it cannot be read. */
static bool read_front(struct asking *q, FILE *in) {
    size_t cap = 0, got = 1;
    while (got > 0 && q->config_bytes < FILE_BYTES_MAX) {
        if (q->config_bytes == cap) {
            cap = cap > 0 ? cap * 2 : PIECE_BYTES;
            char *longer = realloc(q->config, cap);
            if (longer == NULL) {
                return false;
            }
            q->config = longer;
        }
        got = fread(q->config + q->config_bytes, 1, cap - q->config_bytes, in);
        q->config_bytes += got;
    }
    return !ferror(in);
}

/* A config.json has to end within that; of a GGUF file the front will do. */
static int read_config(struct cli *c, struct asking *q) {
    errno = 0;
    FILE *in = fopen(q->config_path, "rb");
    if (in == NULL) {
        return file_error(c, q->config_path);
    }
    bool is_read = read_front(q, in), is_whole = feof(in) != 0;
    int number = errno;
    fclose(in);
    if (!is_read) {
        errno = number;
        return file_error(c, q->config_path);
    }
    bool is_gguf = q->config_bytes >= 4 && memcmp(q->config, "GGUF", 4) == 0;
    return is_whole || is_gguf
               ? 0
               : cli_usage(c, "cli.error.fit_file", q->config_path, NULL);
}

static int feed(struct cli *c, oomkb_scan *scan, FILE *in, const char *path) {
    char piece[PIECE_BYTES];
    oomkb_error err;
    size_t n = 1;
    while (n > 0) {
        n = fread(piece, 1, sizeof piece, in);
        if (n > 0 && oomkb_scan_feed(scan, piece, n, &err) != OOMKB_OK) {
            return cli_failed_at(c, path, &err);
        }
    }
    return ferror(in) ? file_error(c, path) : 0;
}

static int read_log(struct cli *c, struct asking *q, oomkb *kb) {
    bool is_stdin = strcmp(q->log_path, "-") == 0;
    oomkb_options options = cli_options(c);
    options.answers = NULL;
    oomkb_scan *scan = NULL;
    oomkb_error err;
    errno = 0;
    FILE *in = is_stdin ? stdin : fopen(q->log_path, "rb");
    if (in == NULL) {
        return file_error(c, q->log_path);
    }
    int status = 0;
    if (oomkb_scan_new(kb, &options, &scan, &err) != OOMKB_OK) {
        status = cli_failed(c, &err);
    }
    status = status == 0 ? feed(c, scan, in, q->log_path) : status;
    if (!is_stdin) {
        fclose(in);
    }
    if (status != 0) {
        oomkb_scan_free(scan);
        return status;
    }
    return oomkb_scan_finish(scan, &q->report, &err) == OOMKB_OK
               ? input_whole(c, q->log_path, q->report, STATUS_FOUND)
               : cli_failed_at(c, q->log_path, &err);
}

/* ---- the command ---- */

static int gather(struct cli *c, struct asking *q, oomkb *kb) {
    q->question.size = sizeof q->question;
    for (size_t i = 0; i < c->fit_count; i++) {
        if (!take_option(q, c->fit[i].option, c->fit[i].value)) {
            return cli_usage(c, "cli.error.fit_room", c->fit[i].option, NULL);
        }
    }
    for (size_t i = 0; i < c->answer_count; i++) {
        q->list[q->count++] = c->answers[i];
    }
    q->question.facts = q->list;
    int status = q->config_path != NULL ? read_config(c, q) : 0;
    if (status == 0 && q->log_path != NULL) {
        status = read_log(c, q, kb);
    }
    q->question.config = q->config;
    q->question.config_bytes = q->config_bytes;
    q->question.config_name = q->config_path;
    q->question.report = q->report;
    return status;
}

static int answer(struct cli *c, const struct asking *q, oomkb *kb) {
    oomkb_options options = cli_options(c);
    oomkb_error err;
    int fits = -1;
    options.answers = NULL;
    int code = oomkb_fit_write(kb, &q->question, c->format, &options,
                               cli_write, c, &fits, &err);
    if (code == OOMKB_ERROR_IO) {
        c->is_pipe_closed = errno == EPIPE;
        return STATUS_FOUND;
    }
    if (code != OOMKB_OK) {
        return cli_failed(c, &err);
    }
    return fits > 0    ? STATUS_FOUND
           : fits == 0 ? STATUS_NONE
                       : STATUS_ERROR;
}

int run_fit(struct cli *c) {
    if (c->operand_count > 0) {
        return cli_usage(c, "cli.error.fit_operand", c->operands[0], NULL);
    }
    oomkb *kb = cli_kb(c);
    if (kb == NULL) {
        return STATUS_ERROR;
    }
    struct asking q = {.used = 0};
    int status = gather(c, &q, kb);
    if (status == 0) {
        status = answer(c, &q, kb);
    }
    oomkb_report_free(q.report);
    free(q.config);
    return status;
}
