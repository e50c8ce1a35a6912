/* draft_pattern.c: one line of a log, made into a pattern for its like.
 *
 *     pool 3: requested 2.00 GiB, <path-1> holds 0x7f3a10 of pid 4711
 *     |       |         |         |              |              |
 *     text    text      (?<tried_alloc>(?&amount)) 0x[0-9a-f]+  (?<pid>...)
 *                                 [^\n]{0,200}?
 *
 * Text stays, escaped; numbers become groups where the words round them tell
 * which fact they are, else (?&amount) (?&dec) (?&int); what differs from
 * machine to machine (paths, addresses, what was redacted) becomes "anything".
 * The pattern ends behind its last number, for words after it change. Whether
 * it is any good is for pattern_check() and a person. */
#include "author/draft.h"
#include "base/limits.h"
#include "match/match.h"

#define NEAR_BYTES 48 /* words that far before a number are about it */

struct making {
    struct str line;
    struct buf out;
    size_t at;
    size_t last_number; /* bytes of out behind the last number; 0: none */
    bool used[FACT_COUNT_OF];
};

static bool is_word_char(char c) {
    return is_word(c) || (unsigned char)c >= 0x80;
}

static char char_of(const struct making *m, size_t i) {
    return i < m->line.n ? m->line.p[i] : '\0';
}

/* ---- which fact ---- */

/* Words before a number, or behind it, and what it then is. */
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

/* Without a device in the line, "free" and "total" are nobody's: left out. */
static bool fits(const struct making *m, enum fact_name fact, bool is_amount) {
    if (m->used[fact] || (fact_unit(fact) == UNIT_BYTES) != is_amount)
        return false;
    bool is_card = fact == FACT_gpu_total || fact == FACT_gpu_free;
    return !is_card || has_device(m->line);
}

/* ") could not ..." after the number; blanks and brackets do not part. */
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

/* "max_num_seqs=256": the name itself. */
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
        bool says = clues[i].is_behind
                        ? str_eq_nocase(str_slice(behind, 0, words.n), words)
                        : ends_in_word(before, words);
        if (says && fits(m, clues[i].fact, is_amount)) {
            *fact = clues[i].fact;
            return true;
        }
    }
    return false;
}

/* ---- numbers ---- */

/* ",128" and no fourth digit */
static bool is_thousands(const struct making *m, size_t i) {
    return char_of(m, i) == ',' && is_digit(char_of(m, i + 1)) &&
           is_digit(char_of(m, i + 2)) &&
           is_digit(char_of(m, i + 3)) &&
           !is_digit(char_of(m, i + 4));
}

/* Bytes of "1,128.5" here; *is_decimal when it has a point. */
static size_t number_bytes(const struct making *m, bool *is_decimal) {
    size_t end = m->at;
    *is_decimal = false;
    while (is_digit(char_of(m, end)))
        end++;
    bool is_short = end - m->at <= 3;
    while (is_short && is_thousands(m, end))
        end += 4;
    while (char_of(m, end) == '.' && is_digit(char_of(m, end + 1))) {
        *is_decimal = true;
        for (end++; is_digit(char_of(m, end));)
            end++;
    }
    return end - m->at;
}

/* Bytes of a unit at i, blanks before it included; 0: none. */
static size_t unit_bytes(const struct making *m, size_t i) {
    static const char *const units[] = {
        "bytes", "Bytes", "byte", "KiB", "MiB", "GiB", "TiB", "KB", "MB",
        "GB", "TB", "kB", "B", "G", "M", "K", NULL};
    size_t from = i;
    while (char_of(m, from) == ' ')
        from++;
    struct str rest = str_slice(m->line, from, m->line.n);
    for (size_t k = 0; units[k] != NULL; k++) {
        struct str unit = str_of(units[k]);
        if (str_starts(rest, unit) &&
            !is_word_char(char_of(m, from + unit.n)))
            return from + unit.n - i;
    }
    return 0;
}

/* 1.2.3 and 10.0.0.1 are names of something, not amounts. */
static bool is_dotted(struct str s) {
    size_t dots = 0;
    for (size_t i = 0; i < s.n; i++)
        dots += s.p[i] == '.';
    return dots > 1;
}

static void put_number(struct making *m) {
    bool is_decimal;
    size_t n = number_bytes(m, &is_decimal);
    size_t unit = unit_bytes(m, m->at + n);
    enum fact_name fact;
    const char *what = unit > 0     ? "(?&amount)"
                       : is_decimal ? "(?&dec)" : "(?&int)";
    if (is_dotted(str_slice(m->line, m->at, n))) {
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

/* ---- what is anything ---- */

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
}

/* 0x7f3a10 */
static bool put_address(struct making *m) {
    size_t end = m->at + 2;
    if (char_of(m, m->at) != '0' || char_of(m, m->at + 1) != 'x' ||
        !is_hex(char_of(m, end)))
        return false;
    while (is_hex(char_of(m, end)))
        end++;
    buf_add(&m->out, STR("0x[0-9a-fA-F]+"));
    m->at = end;
    return true;
}

/* <path-1>, <host-2>: what redaction left; U+FFFD: what nobody sees */
static bool put_placeholder(struct making *m) {
    size_t end = m->at + 1;
    if (str_starts(str_slice(m->line, m->at, m->line.n), STR("\xEF\xBF\xBD"))) {
        buf_add(&m->out, STR("[^\\n]{0,200}?"));
        m->at += 3;
        return true;
    }
    while (char_of(m, end) >= 'a' && char_of(m, end) <= 'z')
        end++;
    if (char_of(m, m->at) != '<' || char_of(m, end) != '-')
        return false;
    for (end++; is_digit(char_of(m, end));)
        end++;
    if (char_of(m, end) != '>')
        return false;
    buf_add(&m->out, STR("[^\\n]{0,200}?"));
    m->at = end + 1;
    return true;
}

/* /usr/lib/x.so and C:\x, as far as they stand there */
static bool put_path(struct making *m) {
    size_t end = m->at, slashes = 0;
    bool begins = m->at == 0 || !is_word_char(char_of(m, m->at - 1));
    while (begins && (is_word_char(char_of(m, end)) ||
                      (char_of(m, end) != '\0' &&
                       str_find_char(STR("/\\.-+~@"), char_of(m, end)) < 7))) {
        char c = char_of(m, end);
        slashes += c == '/' || c == '\\';
        end++;
    }
    if (slashes < 2)
        return false;
    buf_add(&m->out, STR("[^\\s\"'(),]+"));
    m->at = end;
    return true;
}

/* ---- text ---- */

static void put_text(struct making *m) {
    char c = char_of(m, m->at++);
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
    struct making m = {.line = line};
    buf_init_in(&m.out, a, DRAFT_PATTERN_BYTES_MAX);
    while (m.at < line.n) {
        bool is_inside = m.at > 0 && is_word_char(line.p[m.at - 1]);
        if (put_placeholder(&m) || (!is_inside && put_address(&m)) ||
            put_path(&m))
            continue;
        if (is_digit(line.p[m.at]) && !is_inside) {
            put_number(&m);
        } else if (is_digit(line.p[m.at])) {
            do { /* the digits of a name: fp16, sm_90 */
                put_text(&m);
            } while (is_digit(char_of(&m, m.at)));
        } else {
            put_text(&m);
        }
    }
    struct str all = buf_str(&m.out);
    struct str ended = str_slice(all, 0, m.last_number);
    struct pattern_error error;
    bool is_enough = !is_whole && ended.n > 0 && pattern_check(a, ended, false, false,
                                                  &error) == PATTERN_GOOD;
    return is_enough ? ended : str_trim(all);
}
