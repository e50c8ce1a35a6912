/* xpu_smi.c: Intel's cards from the CSV of xpu-smi:
 *
 *     Device ID,Device Name,Driver Version,Memory Physical Size
 *     0,"Intel(R) Data Center GPU Max 1550","I915_23","65536.00 MiB"
 *
 *     Timestamp, DeviceId, GPU Memory Used (MiB)
 *     06:14:46.000,    0, 22.45
 *
 * discovery --dump 1,2,8,16; dump -d -1 -m 18 -n 1.
 */
#include "machine/source.h"

#include <inttypes.h>
#include <stdio.h>

#define ORIGIN "xpu-smi"

static struct str unquoted(struct str s) {
    s = str_trim(s);
    return s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"'
               ? str_slice(s, 1, s.n - 2)
               : s;
}

/* "65536.00 MiB", or "22.45" of a column in MiB; false: N/A. */
static bool amount_of(struct str text, const char *unit, struct arena *a,
                      int64_t *bytes) {
    struct fact f = fact_blank(FACT_gpu_total, SOURCE_MACHINE);
    text = arena_printf(a, "%.*s%s", STR_ARG(unquoted(text)), unit);
    fact_read(FACT_gpu_total, text, 1, &f);
    *bytes = f.known ? f.number : 0;
    return f.known;
}

/* The memory in use on that card; -1: not printed. */
static int64_t used_of(struct machine_lines *m, struct str used,
                       int64_t card) {
    struct str line, rest;
    while (line_next(&used, &line)) {
        int64_t id, bytes;
        str_cut(line, ',', &rest);
        struct str number = str_trim(str_cut(rest, ',', &rest));
        if (str_to_int(number, &id) && id == card &&
            amount_of(rest, " MiB", m->a, &bytes))
            return bytes;
    }
    return -1;
}

void xpu_smi_read(struct machine_lines *m, struct str devices,
                  struct str used) {
    struct str line, rest;
    size_t count = 0;
    while (line_next(&devices, &line)) {
        int64_t card, total;
        char owner[32];
        struct str id = str_trim(str_cut(line, ',', &rest));
        struct str name = unquoted(str_cut(rest, ',', &rest));
        struct str driver = unquoted(str_cut(rest, ',', &rest));
        if (!str_to_int(id, &card) || card < 0 ||
            !amount_of(rest, "", m->a, &total))
            continue;
        int64_t taken = used_of(m, used, card);
        snprintf(owner, sizeof owner, "gpu %" PRId64, card);
        if (count++ == 0)
            machine_add(m, FACT_driver_version, "", driver, ORIGIN);
        machine_add(m, FACT_gpu_name, owner, name, ORIGIN);
        machine_add_bytes(m, FACT_gpu_total, owner, total, ORIGIN);
        if (taken >= 0 && taken <= total)
            machine_add_bytes(m, FACT_gpu_free, owner, total - taken, ORIGIN);
    }
    if (count > 0)
        machine_add(m, FACT_gpu_count, "", arena_printf(m->a, "%zu", count),
                    ORIGIN);
}
