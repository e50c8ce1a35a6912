/* disguise.c: frames, wraps and dirt, put round lines at random. */
#include "support/disguise.h"

#include <string.h>

#define CEILING ((size_t)64 << 20)

uint32_t disguise_roll(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

struct dress { /* what one log is dressed with */
    enum disguise as;
    uint32_t *seed;
    size_t width;
    uint32_t number; /* of the line */
    struct buf *out;
};

/* ---- one line at a time ---- */

static void put_hard_wrapped(struct dress *d, struct str line) {
    do {
        buf_add(d->out, str_slice(line, 0, d->width));
        buf_add_char(d->out, '\n');
        line = str_slice(line, d->width, line.n);
    } while (line.n > 0);
}

static void put_word_wrapped(struct dress *d, struct str line) {
    while (line.n > d->width) {
        size_t at = d->width;
        while (at > 0 && line.p[at] != ' ')
            at--;
        if (at == 0)
            break;
        buf_add(d->out, str_slice(line, 0, at));
        buf_add_char(d->out, '\n');
        line = str_slice(line, at + 1, line.n);
    }
    buf_add(d->out, line);
    buf_add_char(d->out, '\n');
}

static void put_escaped(struct buf *out, struct str s, const char *newline) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c == '\n')
            buf_add(out, str_of(newline));
        else if ((unsigned char)c < ' ' || c == '<' || c == '>')
            buf_printf(out, "\\u%04x", (unsigned char)c);
        else
            buf_add_char(out, c);
    }
}

static void put_docker(struct dress *d, struct str line, bool is_whole) {
    buf_add(d->out, STR("{\"log\":\""));
    put_escaped(d->out, line, "\\n");
    buf_printf(d->out, "%s\",\"stream\":\"stderr\",\"time\":\"2025-05-20T10:47:"
               "%02u.123456789Z\"}\n", is_whole ? "\\n" : "", d->number % 60);
}

static void put_journald(struct dress *d, struct str line) {
    buf_printf(d->out, "{\"_HOSTNAME\":\"node-%u\",\"SYSLOG_IDENTIFIER\":"
               "\"serve\",\"_PID\":\"4711\",\"MESSAGE\":\"", d->number % 3);
    put_escaped(d->out, line, "\\n");
    buf_add(d->out, STR("\",\"PRIORITY\":\"6\"}\n"));
}

static void put_cloud(struct dress *d, struct str line) {
    buf_add(d->out, STR("{\"timestamp\":1747738057000,\"message\":\""));
    put_escaped(d->out, line, "\\n");
    buf_add(d->out, STR("\",\"logStreamName\":\"serve\"}\n"));
}

static void put_cri(struct dress *d, struct str line, char kind) {
    buf_printf(d->out, "2025-05-20T10:47:%02u.123456789Z stderr %c %.*s\n",
               d->number % 60, kind, STR_ARG(line));
}

static void put_pieces(struct dress *d, struct str line) {
    while (line.n > d->width) {
        struct str piece = str_slice(line, 0, d->width);
        if (d->as == DISGUISE_CRI_CUT)
            put_cri(d, piece, 'P');
        else
            put_docker(d, piece, false);
        line = str_slice(line, d->width, line.n);
    }
    if (d->as == DISGUISE_CRI_CUT)
        put_cri(d, line, 'F');
    else
        put_docker(d, line, true);
}

static void put_prefixed(struct dress *d, const char *prefix,
                         struct str line) {
    buf_printf(d->out, "%s%.*s\n", prefix, STR_ARG(line));
}

/* Something that does not show, at about every `each` bytes. */
static void put_with(struct dress *d, struct str line,
                     const char *const *dirt, uint32_t count, uint32_t each) {
    for (size_t i = 0; i < line.n; i++) {
        if (disguise_roll(d->seed, each) == 0)
            buf_add(d->out, str_of(dirt[disguise_roll(d->seed, count)]));
        buf_add_char(d->out, line.p[i]);
    }
    buf_add_char(d->out, '\n');
}

static void put_blanks(struct dress *d, struct str line) {
    static const char *const runs[] = {" ", " ", " ", "  ", "\t", "   "};
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == ' ')
            buf_add(d->out, str_of(runs[disguise_roll(d->seed, 6)]));
        else
            buf_add_char(d->out, line.p[i]);
    }
    buf_add_char(d->out, '\n');
}

static void put_returns(struct dress *d, struct str line) {
    if (disguise_roll(d->seed, 4) == 0)
        for (uint32_t i = 0; i < 5; i++)
            buf_printf(d->out, "\r %u%%|##    | %u/100", 20 * i, 20 * i);
    buf_printf(d->out, "%.*s\r\n", STR_ARG(line));
}

static void put_dirty(struct dress *d, struct str line) {
    static const char *const colours[] = {"\x1b[36m", "\x1b[0m", "\x1b[1;31m",
                                          "\x1b[K"};
    static const char *const written[] = {"\\x1b[36m", "#033[0m", "^[[1;31m",
                                          "[1;32m", "\\u001b[0m"};
    static const char *const noise[] = {"\x01", "\x7f", "\xe2\x80\x8b",
                                        "\xef\xbb\xbf", "\xc2\x85"};
    if (d->as == DISGUISE_COLOURS)
        put_with(d, line, colours, 4, 12);
    else if (d->as == DISGUISE_WRITTEN_COLOURS)
        put_with(d, line, written, 5, 40);
    else
        put_with(d, line, noise, 5, 25);
}

static void put_line(struct dress *d, struct str line) {
    switch (d->as) {
    case DISGUISE_NONE:
    case DISGUISE_REPR:
    case DISGUISE_COUNT: put_prefixed(d, "", line); return;
    case DISGUISE_HARD_WRAP: put_hard_wrapped(d, line); return;
    case DISGUISE_WORD_WRAP: put_word_wrapped(d, line); return;
    case DISGUISE_DOCKER: put_docker(d, line, true); return;
    case DISGUISE_DOCKER_CUT:
    case DISGUISE_CRI_CUT: put_pieces(d, line); return;
    case DISGUISE_CRI: put_cri(d, line, 'F'); return;
    case DISGUISE_JOURNALD: put_journald(d, line); return;
    case DISGUISE_KUBECTL:
        put_prefixed(d, "[pod/serve-6c9/main] ", line);
        return;
    case DISGUISE_SYSLOG:
        put_prefixed(d, "May 20 10:47:37 node7 serve[4711]: ", line);
        return;
    case DISGUISE_RANK: put_prefixed(d, "[rank3]: ", line); return;
    case DISGUISE_WORKER:
        put_prefixed(d, "(EngineCore_DP0 pid=402) ", line);
        return;
    case DISGUISE_LABEL: put_prefixed(d, "3: ", line); return;
    case DISGUISE_SGLANG:
        put_prefixed(d, "[2025-05-20 10:47:37 DP1 TP3] ", line);
        return;
    case DISGUISE_PDSH: put_prefixed(d, "node7: ", line); return;
    case DISGUISE_GREP:
        put_prefixed(d, "logs/train.log:37:", line);
        return;
    case DISGUISE_CLOUD: put_cloud(d, line); return;
    case DISGUISE_QUOTE: put_prefixed(d, "> ", line); return;
    case DISGUISE_COMMENT: put_prefixed(d, "# ", line); return;
    case DISGUISE_COLOURS:
    case DISGUISE_WRITTEN_COLOURS:
    case DISGUISE_NOISE: put_dirty(d, line); return;
    case DISGUISE_BLANKS: put_blanks(d, line); return;
    case DISGUISE_RETURNS: put_returns(d, line); return;
    }
}

static void put_repr(struct dress *d, struct str text) {
    buf_add(d->out, STR("ERROR worker failed: RuntimeError('"));
    put_escaped(d->out, text, "\\n");
    buf_add(d->out, STR("')\n"));
}

struct str disguised(struct arena *a, struct str text, enum disguise as,
                     uint32_t *seed) {
    struct buf out = buf_in(a, CEILING);
    struct dress d = {.as = as, .seed = seed, .out = &out,
                      .width = 60 + disguise_roll(seed, 141)};
    if (as == DISGUISE_REPR) {
        put_repr(&d, text);
        return buf_str(&out);
    }
    while (text.n > 0) {
        d.number++;
        put_line(&d, str_cut(text, '\n', &text));
    }
    return buf_str(&out);
}

struct str in_utf16(struct arena *a, struct str text) {
    char *wide = arena_alloc(a, 2 * text.n + 2);
    wide[0] = '\xFF';
    wide[1] = '\xFE';
    for (size_t i = 0; i < text.n; i++)
        wide[2 + 2 * i] = (unsigned char)text.p[i] < 0x80 ? text.p[i] : '?';
    return (struct str){wide, 2 * text.n + 2};
}

/* ---- a log that has nothing to say ---- */

static void put_healthy_line(struct buf *out, uint32_t *seed) {
    uint32_t n = disguise_roll(seed, 100000), m = disguise_roll(seed, 60);
    switch (disguise_roll(seed, 9)) {
    case 0:
        buf_printf(out, "INFO 05-20 10:47:%02u metrics.py:116] throughput %u.%u"
                   " tokens/s, running %u\n", m, n, n % 10, m);
        return;
    case 1:
        buf_printf(out, "10.0.0.%u - \"POST /v1/completions HTTP/1.1\" 200 OK\n",
                   m);
        return;
    case 2:
        buf_printf(out, "{\"level\":\"info\",\"msg\":\"request %u done\","
                   "\"ms\":%u}\n", n, m);
        return;
    case 3:
        buf_printf(out, "May 20 10:47:%02u node%u kubelet[%u]: volume \"token-"
                   "%u\" mounted\n", m, m % 7, n % 40, n);
        return;
    case 4:
        buf_printf(out, "%u%%|#####     | %u/1000 [00:%02u, 1.5it/s]\n", m, n,
                   m);
        return;
    case 5: buf_add(out, STR("\n")); return;
    case 6:
        buf_printf(out, "  worker %u: kv blocks %u of %u, memory of the host "
                   "fine, out of work\n", m, n, n + m);
        return;
    case 7:
        for (uint32_t i = 0; i < m; i++)
            buf_printf(out, "%08x ", n * (i + 1));
        buf_add(out, STR("\n"));
        return;
    default:
        buf_printf(out, "step %u | loss 0.%u | failed to beat the best, will "
                   "allocate time\n", n, m);
        return;
    }
}

struct str healthy_log(struct arena *a, size_t bytes, uint32_t *seed) {
    struct buf out = buf_in(a, CEILING);
    while (out.n < bytes)
        put_healthy_line(&out, seed);
    return buf_str(&out);
}
