/* draft_pattern.c: from a line of a log to a pattern for similar lines.
 *
 *     pool 3: requested 2.00 GiB, <path-1> holds 0x7f3a10 of pid 4711
 *     |       |         |         |              |              |
 *     text    text      (?<tried_alloc>(?&amount)) 0x[0-9a-f]+  (?<pid>...)
 *                                 [^\n]{0,200}?
 *
 * Text is kept, escaped. Numbers become groups if the words round them identify
 * the fact, else (?&amount), (?&dec) or (?&int). What differs between machines
 * (paths, addresses, redacted values) becomes "anything". The pattern ends
 * behind its last number, since words after it often change. pattern_check()
 * and a person decide whether it is good enough. */
#include "author/draft.h"
#include "base/limits.h"
#include "base/peg.h"
#include "base/plain.h"
#include "match/match.h"

#define NEAR_BYTES 48 /* words within so many bytes before a number count */

/* Parts of a line that are not words. */
#define WORD "%w\x80-\xff"
#define PART "[" WORD ".+~@-]"
enum { REDACTED, ADDRESS, PATH, NUMBER, UNIT, SHAPE_COUNT };
static const char *const shapes[SHAPE_COUNT] = {
    /* <path-1>, <host-2>; U+FFFD, which replaces invisible characters */
    [REDACTED] = "(\xEF\xBF\xBD|<[a-z]*-%d*>)",
    [ADDRESS] = "0x[%da-fA-F]+",
    /* /usr/lib/x.so and C:\x */
    [PATH] = PART "*[/\\]" PART "*[/\\][" WORD ".+~@/\\-]*",
    [NUMBER] = "(%d{1,3}(?!%d)(,%d{3}(?!%d))*|%d+)(.%d+)*", /* 1,128.5 */
    [UNIT] = " *(bytes|Bytes|byte|KiB|MiB|GiB|TiB|KB|MB|GB|TB|kB|B|G|M|K)"
             "(?![" WORD "])",
};
/* Their replacements in the pattern. */
static const char *const anything[] = {
    [REDACTED] = "[^\\n]{0,200}?",
    [ADDRESS] = "0x[0-9a-fA-F]+",
    [PATH] = "[^\\s\"'(),]+",
};

struct making {
    struct str line;
    struct peg_set *set;
    uint16_t shapes[SHAPE_COUNT];
    struct buf out;
    size_t at;
    size_t last_number; /* bytes of out behind the last number; 0: none */
    bool used[FACT_COUNT_OF];
};

static bool is_word_char(char c) {
    return is_word(c) || (unsigned char)c >= 0x80;
}

/* Bytes of that shape at `at`; 0: none. */
static size_t bytes_of(const struct making *m, int shape, size_t at) {
    struct peg_match found;
    struct str rest = str_slice(m->line, at, m->line.n);
    return peg_match(m->set, m->shapes[shape], rest, &found) ? found.n : 0;
}

/* ---- facts of numbers ---- */

/* Words before a number, or behind it, and the fact that they identify. */
static const struct clue {
    const char *words;
    bool is_behind;
    enum fact_name fact;
} clues[] = {
    {"total capacity of", false, FACT_gpu_total},
    {"total capacity", true, FACT_gpu_total},
    {"already allocated", true, FACT_pytorch_allocated},
    {"allocated by PyTorch", true, FACT_pytorch_allocated},
    {"reserved by PyTorch", true, FACT_pytorch_reserved},
    {"reserved in total by PyTorch", true, FACT_pytorch_reserved},
    {"is free", true, FACT_gpu_free},
    {"free", true, FACT_gpu_free},
    {"available", true, FACT_gpu_free},
    {"free", false, FACT_gpu_free},
    {"available", false, FACT_gpu_free},
    {"limit", false, FACT_memory_limit},
    {"requested", false, FACT_tried_alloc},
    {"requesting", false, FACT_tried_alloc},
    {"requires", false, FACT_tried_alloc},
    {"needs", false, FACT_tried_alloc},
    {"to allocate", false, FACT_tried_alloc},
    {"allocate", false, FACT_tried_alloc},
    {"allocating", false, FACT_tried_alloc},
    {"allocation of", false, FACT_tried_alloc},
    {"of size", false, FACT_tried_alloc},
    {"could not be allocated", true, FACT_tried_alloc},
    {"in use", true, FACT_process_in_use},
    {"total", false, FACT_gpu_total},
    {"total", true, FACT_gpu_total},
    {"pid", false, FACT_pid},
    {"process", false, FACT_pid},
    {"rank", false, FACT_rank},
    {"exit code", false, FACT_exit_code},
    {"GPU", false, FACT_gpu_index},
    {"device", false, FACT_gpu_index},
    {"batch size", false, FACT_batch_size},
};

static bool has_device(struct str s) {
    return STR_HAS_ONE(s, "GPU", "NPU", "XPU", "MPS", "CUDA", "HIP", "HBM",
                       "VRAM", "evice", "显存");
}

/* "free" and "total" count only if the line names a device, since they may be
 * about other memory. */
static bool fits(const struct making *m, enum fact_name fact, bool is_amount) {
    if (m->used[fact] || (fact_unit(fact) == UNIT_BYTES) != is_amount)
        return false;
    bool is_card = fact == FACT_gpu_total || fact == FACT_gpu_free;
    return !is_card || has_device(m->line);
}

/* Skip blanks and brackets between a number and its words: ") could not
 * ...". */
static struct str skip_marks(struct str s) {
    while (s.n > 0 && !is_word_char(s.p[0]))
        s = str_slice(s, 1, s.n);
    return s;
}

static struct str drop_marks(struct str s) {
    while (s.n > 0 && !is_word_char(s.p[s.n - 1]))
        s.n--;
    return s;
}

static bool ends_in_word(struct str s, struct str word) {
    return s.n >= word.n &&
           str_eq_nocase(str_slice(s, s.n - word.n, word.n), word) &&
           (s.n == word.n || !is_word_char(s.p[s.n - word.n - 1]));
}

/* True if the name of a fact is before the number: "max_num_seqs=256". */
static bool is_setting(const struct making *m, struct str before,
                       bool is_amount, enum fact_name *fact) {
    size_t n = before.n;
    while (n > 0 && is_word_char(before.p[n - 1]))
        n--;
    struct str name = str_slice(before, n, before.n);
    return name.n > 0 && fact_named(name, fact) &&
           fact_unit(*fact) != UNIT_TEXT && fact_unit(*fact) != UNIT_BOOL &&
           fact_unit(*fact) != UNIT_VERSION && fits(m, *fact, is_amount);
}

static bool fact_of_place(const struct making *m, size_t end, bool is_amount,
                          enum fact_name *fact) {
    size_t from = m->at > NEAR_BYTES ? m->at - NEAR_BYTES : 0;
    struct str before = drop_marks(str_slice(m->line, from, m->at - from));
    struct str behind = skip_marks(str_slice(m->line, end, m->line.n));
    if (is_setting(m, before, is_amount, fact))
        return true;
    for (size_t i = 0; i < sizeof clues / sizeof *clues; i++) {
        struct str words = str_of(clues[i].words);
        bool is_match = clues[i].is_behind
                        ? str_eq_nocase(str_slice(behind, 0, words.n), words)
                        : ends_in_word(before, words);
        if (is_match && fits(m, clues[i].fact, is_amount)) {
            *fact = clues[i].fact;
            return true;
        }
    }
    return false;
}

/* ---- numbers ---- */

static void put_number(struct making *m) {
    size_t n = bytes_of(m, NUMBER, m->at), unit = bytes_of(m, UNIT, m->at + n);
    uint64_t dots = plain_count(str_slice(m->line, m->at, n), '.');
    enum fact_name fact;
    const char *what = unit > 0   ? "(?&amount)"
                       : dots > 0 ? "(?&dec)" : "(?&int)";
    if (dots > 1) { /* versions and addresses: 1.2.3, 10.0.0.1 */
        buf_add(&m->out, STR("[\\d.]+"));
        m->at += n;
        return;
    }
    if (fact_of_place(m, m->at + n + unit, unit > 0, &fact)) {
        m->used[fact] = true;
        buf_printf(&m->out, "(?<%s>%s)", fact_spelling(fact), what);
    } else {
        buf_add(&m->out, str_of(what));
    }
    m->at += n + unit;
    m->last_number = m->out.n;
}

/* ---- variable parts ---- */

static bool put_anything(struct making *m, bool is_inside) {
    for (int i = REDACTED; i <= PATH; i++) {
        size_t n = i > REDACTED && is_inside ? 0 : bytes_of(m, i, m->at);
        if (n > 0) {
            buf_add(&m->out, str_of(anything[i]));
            m->at += n;
            return true;
        }
    }
    return false;
}

/* ---- text ---- */

static void put_text(struct making *m) {
    char c = m->line.p[m->at++];
    if (c == ' ' || c == '\t') {
        if (m->out.n > 0 && m->out.p[m->out.n - 1] != ' ')
            buf_add_char(&m->out, ' ');
        return;
    }
    if (str_find_char(STR("\\^$.|?*+()[]{}"), c) < 14)
        buf_add_char(&m->out, '\\');
    buf_add_char(&m->out, c);
}

struct str draft_pattern(struct arena *a, struct str line, bool is_whole) {
    struct making m = {.line = line, .set = peg_set_new(a, 64)};
    for (int i = 0; i < SHAPE_COUNT; i++)
        m.shapes[i] = peg_add(m.set, shapes[i]);
    m.out = buf_in(a, DRAFT_PATTERN_BYTES_MAX);
    while (m.at < line.n) {
        bool is_inside = m.at > 0 && is_word_char(line.p[m.at - 1]);
        if (put_anything(&m, is_inside))
            continue;
        if (is_digit(line.p[m.at]) && !is_inside)
            put_number(&m);
        else /* also digits of a name: fp16, sm_90 */
            put_text(&m);
    }
    struct str all = buf_str(&m.out);
    struct str ended = str_slice(all, 0, m.last_number);
    struct pattern_error error;
    bool is_enough =
        !is_whole && ended.n > 0 &&
        pattern_check(a, ended, false, false, &error) == PATTERN_GOOD;
    return is_enough ? ended : str_trim(all);
}
