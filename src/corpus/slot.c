/* slot.c: see slot.h. Braces of a shell or of JSON are no slot: a name of
 * small letters has to follow at once. */
#include "corpus/slot.h"

static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_of_fallback(char c) {
    return c > ' ' && c != '{' && c != '}' && c != '|';
}

bool slot_at(struct str text, struct slot *out) {
    size_t n = 1, from;
    while (n < text.n && is_of_name(text.p[n]))
        n++;
    struct slot slot = {.name = str_slice(text, 1, n - 1)};
    if (text.n == 0 || text.p[0] != '{' || n == 1)
        return false;
    if (n < text.n && text.p[n] == '|') {
        from = ++n;
        while (n < text.n && is_of_fallback(text.p[n]))
            n++;
        slot.fallback = str_slice(text, from, n - from);
        if (slot.fallback.n == 0)
            return false;
    }
    slot.n = n + 1;
    if (n >= text.n || text.p[n] != '}')
        return false;
    *out = slot;
    return true;
}
