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

enum telling { TELLING_NONE, TELLING_FAILS, TELLING_MEMORY, TELLING_SAYS };

static const char *const says[] = {
    "out of memory", "oom", "killed", "bad_alloc", "alloc", "exhausted",
    "memory", "insufficient", "no space", "heap", "sigkill"};
static const char *const fails[] = {"error", "fail", "exceed", "exception",
                                    "abort", "cannot", "unable", "too small",
                                    "fault"};

static bool holds(struct str line, const char *word) {
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

static bool holds_one(struct str line, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (holds(line, words[i]))
            return true;
    return false;
}

/* True for the head of a traceback, and for a line of source whose quotes stay
 * open: neither has the message. */
static bool is_head(struct str line) {
    return holds(line, "traceback (most recent") || str_ends(line, STR(" \""));
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

static int telling_of(struct str line) {
    int64_t count = count_of(line);
    bool is_said = holds_one(line, says, sizeof says / sizeof *says);
    bool is_failing = holds_one(line, fails, sizeof fails / sizeof *fails);
    if (is_head(line) || count == 0)
        return TELLING_NONE;
    if (count > 0 && holds(line, "kill"))
        return TELLING_SAYS;
    return is_said && is_failing ? TELLING_SAYS
           : is_said             ? TELLING_MEMORY
           : is_failing          ? TELLING_FAILS
                                 : TELLING_NONE;
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
        int telling = telling_of(line);
        if (line.n > 0 && (best->number == 0 || telling > best->telling))
            *best = (struct quote){line, number_of(h, at), telling};
    }
}

void quote_take(struct quote *best, const struct hit *h) {
    if (best->telling < TELLING_SAYS)
        quote_better(h, best);
}

struct quote quote_of(const struct incident *i) {
    struct quote best = i->worst->quote;
    for (size_t k = 0; k < i->count; k++) {
        const struct quote *other = &i->sightings[k]->quote;
        best = other->telling > best.telling ? *other : best;
    }
    return best;
}
