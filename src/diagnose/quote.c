/* quote.c: chooses the line of the log that an answer quotes: the most
 * informative line of a failure's messages. A report of several lines may begin
 * with a header, a command or a counter, and its words may stand first in the
 * line of source that raises them.
 *
 *     [ 18%] Building NVCC (Device) object ...     names nothing
 *     Killed                                       names the end: quoted
 *
 * In a list of counters, that of kills is the most informative; a counter of
 * zero is not informative at all:
 *
 *     under_oom 0
 *     oom_kill 1                                   quoted
 *
 * Of equally informative lines the first one of the worst sighting is quoted.
 */
#include "diagnose/work.h"

enum quote_rank { QUOTE_NONE, QUOTE_FAILURE, QUOTE_MEMORY, QUOTE_BOTH };

static const char *const memory_words[] = {
    "out of memory", "oom", "killed", "bad_alloc", "alloc", "exhausted",
    "memory", "insufficient", "no space", "heap", "sigkill"};
static const char *const failure_words[] = {"error", "fail", "exceed",
                                            "exception", "abort", "cannot",
                                            "unable", "too small", "fault"};

static bool has_word(struct str line, const char *word) {
    struct str w = str_of(word);
    for (size_t i = 0; i + w.n <= line.n; i++) {
        size_t n = 0;
        while (n < w.n && to_lower(line.p[i + n]) == w.p[n])
            n++;
        if (n == w.n)
            return true;
    }
    return false;
}

static bool has_any_word(struct str line, const char *const *words,
                         size_t count) {
    for (size_t i = 0; i < count; i++)
        if (has_word(line, words[i]))
            return true;
    return false;
}

/* True for the head of a traceback, and for a line of source whose quotes stay
 * open: neither has the message. */
static bool is_head(struct str line) {
    return has_word(line, "traceback (most recent") ||
           str_ends(line, STR(" \""));
}

/* True for a frame of the kernel's stack: "out_of_memory+0x114/0x4a0". It names
 * a function and no message. */
static bool is_frame(struct str line) {
    size_t at = str_find(line, STR("+0x"));
    return at < line.n &&
           str_find(str_slice(line, at, line.n), STR("/0x")) < line.n - at;
}

/* The count of a line such as "oom_kill 1"; -1: the line has none. */
static int64_t count_of(struct str line) {
    size_t at = str_find_char(line, ' ');
    int64_t count = -1;
    return at > 0 && at < line.n &&
                   str_to_int(str_slice(line, at + 1, line.n), &count)
               ? count
               : -1;
}

static int rank_of(struct str line) {
    int64_t count = count_of(line);
    bool is_memory = has_any_word(line, memory_words,
                                  sizeof memory_words / sizeof *memory_words);
    bool is_failure =
        has_any_word(line, failure_words,
                     sizeof failure_words / sizeof *failure_words);
    if (is_head(line) || is_frame(line) || count == 0)
        return QUOTE_NONE;
    if (count > 0 && has_word(line, "kill"))
        return QUOTE_BOTH;
    return is_memory && is_failure ? QUOTE_BOTH
           : is_memory             ? QUOTE_MEMORY
           : is_failure            ? QUOTE_FAILURE
                                   : QUOTE_NONE;
}

static uint32_t newlines(struct str text) {
    uint32_t count = 0;
    for (size_t i = 0; i < text.n; i++)
        count += text.p[i] == '\n';
    return count;
}

/* The line number of the message's line `at`. If lines of other streams stand
 * in between, only its first and last line are known. */
static uint32_t number_of(const struct hit *h, uint32_t at) {
    bool is_dense = newlines(h->text) == h->last_line - h->first_line;
    return at == 0 || is_dense ? h->first_line + at : h->last_line;
}

/* Replaces *best by a line of the message that is more informative. */
static void quote_better(const struct hit *h, struct quote *best) {
    struct str rest = h->text;
    for (uint32_t at = 0; rest.n > 0; at++) {
        struct str line = str_trim(str_cut(rest, '\n', &rest));
        int rank = rank_of(line);
        if (line.n > 0 && (best->number == 0 || rank > best->rank))
            *best = (struct quote){line, number_of(h, at), rank};
    }
}

void quote_update(struct quote *best, const struct hit *h) {
    if (best->rank < QUOTE_BOTH)
        quote_better(h, best);
}

struct quote quote_of(const struct incident *i) {
    struct quote best = i->worst->quote;
    for (size_t k = 0; k < i->count; k++) {
        const struct quote *other = &i->sightings[k]->quote;
        best = other->rank > best.rank ? *other : best;
    }
    return best;
}
