/* units.c: reading and printing amounts, and arithmetic that checks for
 * overflow.
 *
 *     "-1,234.50 MiB" -> mantissa -123450, decimals 2, factor 1<<20
 *     value = round(mantissa * factor / 10^decimals)
 *     ends  = round((2 * mantissa -+ 1) * factor / (2 * 10^decimals))
 *
 * All of it is in integers of 128 bits. What does not fit them is beyond 64
 * bits in any case, since at most 18 decimals count (further ones are less than
 * a thousandth of a byte). Exponents, decimal commas and text behind the unit
 * are refused.
 */
#include "base/units.h"

#include <string.h>

__extension__ typedef __int128 i128;

#define DECIMALS_MAX 18
#define KIB INT64_C(1024)

static const char BEYOND[] = "beyond what 64 bits hold";

struct unit {
    const char *name;
    int64_t factor;
};

/* Compared without case. */
static const struct unit units[] = {
    {"b", 1},
    {"byte", 1},
    {"bytes", 1},
    {"kib", KIB},
    {"mib", KIB * KIB},
    {"gib", KIB * KIB * KIB},
    {"tib", KIB * KIB * KIB * KIB},
    {"kb", 1000},
    {"mb", 1000000},
    {"gb", 1000000000},
    {"tb", 1000000000000},
    {"ki", KIB},
    {"mi", KIB * KIB},
    {"gi", KIB * KIB * KIB},
    {"ti", KIB * KIB * KIB * KIB},
};

/* Compared with case: vLLM reads a small k as a thousand. */
static const struct unit capitals[] = {
    {"K", KIB},
    {"M", KIB * KIB},
    {"G", KIB * KIB * KIB},
    {"T", KIB * KIB * KIB * KIB},
};

int64_t units_factor(struct str unit) {
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (str_eq_nocase(unit, str_of(units[i].name)))
            return units[i].factor;
    for (size_t i = 0; i < sizeof capitals / sizeof capitals[0]; i++)
        if (str_eq(unit, str_of(capitals[i].name)))
            return capitals[i].factor;
    return 0;
}

struct number {
    i128 mantissa;
    int decimals;
    bool overflows;
};

static void push_digit(struct number *n, char c) {
    n->overflows |= __builtin_mul_overflow(n->mantissa, 10, &n->mantissa);
    n->overflows |= __builtin_add_overflow(n->mantissa, c - '0', &n->mantissa);
}

/* True if the comma at `at` separates thousands: exactly three digits
 * follow. */
static bool is_thousands(struct str s, size_t at) {
    for (size_t i = at + 1; i <= at + 3; i++)
        if (i >= s.n || !is_digit(s.p[i]))
            return false;
    return at + 4 >= s.n || !is_digit(s.p[at + 4]);
}

/* Read the digits before the point. Returns where they end; `from` if there are
 * none. */
static size_t read_whole(struct str s, size_t from, struct number *n) {
    size_t i = from;
    while (i < s.n) {
        if (is_digit(s.p[i]))
            push_digit(n, s.p[i]);
        else if (s.p[i] != ',' || i == from || !is_thousands(s, i))
            break;
        i++;
    }
    return i;
}

static size_t read_decimals(struct str s, size_t from, struct number *n) {
    size_t i = from;
    for (; i < s.n && is_digit(s.p[i]); i++) {
        if (n->decimals == DECIMALS_MAX)
            continue;
        push_digit(n, s.p[i]);
        n->decimals++;
    }
    return i;
}

/* Hexadecimal digits behind 0x, as assemblers and drivers print bytes. */
static bool read_hex(struct str s, struct number *n, struct str *rest) {
    size_t i = 2;
    for (; i < s.n && hex_digit(s.p[i]) >= 0; i++) {
        n->overflows |= __builtin_mul_overflow(n->mantissa, 16, &n->mantissa);
        n->overflows |= __builtin_add_overflow(
            n->mantissa, hex_digit(s.p[i]), &n->mantissa);
    }
    *rest = str_trim(str_slice(s, i, s.n));
    return i > 2;
}

/* The number at the front of s; false when there is none. *rest is the rest. */
static bool read_number(struct str s, struct number *n, struct str *rest) {
    if (s.n > 2 && s.p[0] == '0' && s.p[1] == 'x')
        return read_hex(s, n, rest);
    size_t start = s.n && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
    size_t i = read_whole(s, start, n);
    size_t digits = i - start;
    if (i < s.n && s.p[i] == '.') {
        size_t end = read_decimals(s, i + 1, n);
        digits += end - i - 1;
        i = end;
    }
    if (start && s.p[0] == '-')
        n->mantissa = -n->mantissa;
    *rest = str_trim(str_slice(s, i, s.n));
    return digits > 0;
}

/* a / b for b > 0, rounded to the nearest, halves away from zero. */
static i128 round_div(i128 a, i128 b) {
    i128 quotient = a / b, left = a % b;
    if (left < 0)
        left = -left;
    if (left >= b - left)
        quotient += a < 0 ? -1 : 1;
    return quotient;
}

static int64_t clamp(i128 n) {
    return n > INT64_MAX ? INT64_MAX : n < INT64_MIN ? INT64_MIN : (int64_t)n;
}

static bool refuse(struct amount *out, const char *why) {
    *out = (struct amount){.why = why};
    return false;
}

static bool scale_number(const struct number *n, int64_t factor,
                         struct amount *out) {
    i128 power = 1, twice;
    for (int i = 0; i < n->decimals; i++)
        power *= 10;
    if (n->overflows ||
        __builtin_mul_overflow(n->mantissa, (i128)factor * 2, &twice))
        return refuse(out, BEYOND);
    i128 value = round_div(twice, 2 * power);
    if (value > INT64_MAX || value < INT64_MIN)
        return refuse(out, BEYOND);
    bool is_exact = factor == 1 && n->decimals == 0;
    i128 half = is_exact ? 0 : factor;
    *out = (struct amount){
        .known = true,
        .value = (int64_t)value,
        .low = clamp(round_div(twice - half, 2 * power)),
        .high = clamp(round_div(twice + half, 2 * power)),
    };
    return true;
}

bool units_read(struct str text, int64_t scale, struct amount *out) {
    struct str s = str_trim(text), unit;
    struct number n = {0};
    if (str_eq_nocase(s, STR("N/A")) || str_eq_nocase(s, STR("[N/A]")))
        return refuse(out, "printed as N/A");
    if (!read_number(s, &n, &unit))
        return refuse(out, "not a number");
    int64_t factor = unit.n ? units_factor(unit) : scale;
    if (factor <= 0)
        return refuse(out, "not a unit of memory");
    return scale_number(&n, factor, out);
}

/* Hundredths of a unit as "12.34", or as "12" if is_whole. */
static void put_hundredths(struct buf *out, uint64_t hundredths,
                           bool is_whole) {
    units_count(out, (int64_t)(hundredths / 100));
    if (!is_whole)
        buf_printf(out, ".%02llu", (unsigned long long)(hundredths % 100));
}

static uint64_t magnitude(int64_t n) {
    return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

/* Names of the powers of 1024. */
static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};

void units_short(struct buf *out, int64_t bytes) {
    uint64_t size = magnitude(bytes);
    size_t step = 0;
    i128 factor = 1, hundredths = (i128)size * 100;
    while (step < 4 && hundredths >= 100 * KIB) {
        factor *= KIB;
        step++;
        hundredths = round_div((i128)size * 100, factor);
    }
    uint64_t n = (uint64_t)hundredths;
    uint64_t tenths = (n + 5) / 10;
    bool has_two = n < 10 * 100;
    bool is_whole = size % (uint64_t)factor == 0 ||
                    tenths >= 100 * 10;
    buf_add(out, bytes < 0 ? STR("-") : STR(""));
    if (is_whole || has_two)
        put_hundredths(out, is_whole ? n + 50 : n, is_whole);
    else
        buf_printf(out, "%llu.%llu", (unsigned long long)(tenths / 10),
                   (unsigned long long)(tenths % 10));
    buf_printf(out, " %s", size == 1 ? "byte" : names[step]);
}

void units_bytes(struct buf *out, int64_t bytes) {
    uint64_t size = magnitude(bytes);
    if (bytes < 0)
        buf_add_char(out, '-');
    if (size < (uint64_t)KIB) {
        buf_printf(out, "%u %s", (unsigned)size, size == 1 ? "byte" : "bytes");
        return;
    }
    size_t step = 1;
    i128 factor = KIB, hundredths = round_div((i128)size * 100, factor);
    while (step < 4 && hundredths >= 100 * KIB) {
        factor *= KIB;
        step++;
        hundredths = round_div((i128)size * 100, factor);
    }
    bool is_whole = step < 3 && size % (uint64_t)factor == 0;
    put_hundredths(out, (uint64_t)hundredths, is_whole);
    buf_printf(out, " %s", names[step]);
}

void units_count(struct buf *out, int64_t n) {
    char text[32];
    size_t at = sizeof text, digits = 0;
    for (uint64_t left = magnitude(n); left > 0 || digits == 0; left /= 10) {
        if (digits > 0 && digits % 3 == 0)
            text[--at] = ',';
        text[--at] = (char)('0' + left % 10);
        digits++;
    }
    if (n < 0)
        text[--at] = '-';
    buf_add(out, (struct str){text + at, sizeof text - at});
}

void units_ratio(struct buf *out, int64_t micro) {
    uint64_t left = magnitude(micro);
    if (micro < 0)
        buf_add_char(out, '-');
    buf_printf(out, "%llu", (unsigned long long)(left / UNITS_MICRO));
    left %= UNITS_MICRO;
    if (left == 0)
        return;
    int digits = 6;
    for (; left % 10 == 0; left /= 10)
        digits--;
    buf_printf(out, ".%0*llu", digits, (unsigned long long)left);
}

bool mul_i64(int64_t a, int64_t b, int64_t *out) {
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

bool add_i64(int64_t a, int64_t b, int64_t *out) {
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

bool mul_div_floor(int64_t a, int64_t b, int64_t c, int64_t *out) {
    if (c <= 0)
        return false;
    i128 product = (i128)a * b;
    i128 quotient = product / c - (product % c < 0 ? 1 : 0);
    if (quotient > INT64_MAX || quotient < INT64_MIN)
        return false;
    *out = (int64_t)quotient;
    return true;
}

int64_t ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b > 0 ? 1 : 0);
}
