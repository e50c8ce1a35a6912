/* slot.c: parsing a slot. Braces of a shell or of JSON are not slots: a slot's
 * brace is followed by a name of small letters at once. */
#include "corpus/slot.h"

#include <string.h>

static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_of_fallback(char c) {
    return c > ' ' && c != '{' && c != '}' && c != '|';
}

/* The unit behind a name: ":Gi"; empty: none. */
static struct str unit_at(struct str text) {
    static const char *const units[] = {"GiB", "Gi", "GB", "gb", "G", "g"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]);
        if (text.n > n + 1 && text.p[0] == ':' &&
            memcmp(text.p + 1, units[i], n) == 0 &&
            (text.p[n + 1] == '}' || text.p[n + 1] == '|'))
            return str_slice(text, 1, n);
    }
    return (struct str){NULL, 0};
}

bool slot_at(struct str text, struct slot *out) {
    size_t n = 1, from;
    while (n < text.n && is_of_name(text.p[n]))
        n++;
    struct slot slot = {.name = str_slice(text, 1, n - 1)};
    if (text.n == 0 || text.p[0] != '{' || n == 1)
        return false;
    slot.unit = unit_at(str_slice(text, n, text.n));
    n += slot.unit.n > 0 ? slot.unit.n + 1 : 0;
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
