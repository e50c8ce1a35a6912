/* catalogue.c: the size of a group's state from its parts, and the number of
 * parameters from a model's name. */
#include "corpus/catalogue.h"

#include "base/units.h"

enum { STATE_UNIT_BYTES = 2 }; /* state_bytes is for 16 bits per element */

bool kv_group_sum_state(struct kv_group *g) {
    int64_t conv, all, bytes;
    if (g->kind != KV_state || !mul_i64(g->conv_channels, g->conv_steps, &conv)
        || !add_i64(conv, g->state_elements, &all)
        || !mul_i64(all, STATE_UNIT_BYTES, &bytes))
        return false;
    g->state_bytes = bytes > 0 ? bytes : g->state_bytes;
    return bytes > 0;
}

/* ---- the size in a name ---- */

#define BILLION INT64_C(1000000000)
#define PARAMS_MOST 4000 /* billions; a larger number is not a size */

static bool is_in_word(struct str s, size_t i) {
    return i < s.n && (is_digit(s.p[i]) || is_letter(s.p[i]));
}

static size_t digits_at(struct str s, size_t i) {
    size_t n = 0;
    while (i + n < s.n && is_digit(s.p[i + n]))
        n++;
    return n;
}

/* The size at byte i in tenths of 10^9: "-27b-", "_1.7B."; 0: none. */
static int64_t size_at(struct str s, size_t i) {
    bool begins = i == 0 || (!is_in_word(s, i - 1) && s.p[i - 1] != '.');
    size_t n = begins ? digits_at(s, i) : 0;
    size_t end = i + n;
    int64_t whole = 0, tenth = 0;
    if (n == 0 || !str_to_int(str_slice(s, i, n), &whole))
        return 0;
    if (end < s.n && s.p[end] == '.') {
        n = digits_at(s, end + 1);
        tenth = n > 0 ? s.p[end + 1] - '0' : 0;
        end += 1 + n;
    }
    bool ends = end < s.n && (s.p[end] | 32) == 'b' && !is_in_word(s, end + 1);
    return ends && whole <= PARAMS_MOST ? whole * 10 + tenth : 0;
}

int64_t params_named(struct str name) {
    int64_t most = 0;
    for (size_t i = 0; i < name.n; i++) {
        int64_t size = size_at(name, i);
        most = size > most ? size : most;
    }
    return most * (BILLION / 10);
}
