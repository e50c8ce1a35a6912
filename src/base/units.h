/* units.h: printed amounts <-> integers.
 *
 * KiB MiB GiB TiB are binary; kB KB MB GB TB are decimal (a pattern can set
 * another scale by the name of its group: kb/WRITING.md). A printed decimal
 * stands for every value that prints so: "23.69 GiB" is 25436943811 in
 * [25431575101, 25442312520]. value is rounded to the nearest integer, halves
 * away from zero. There is no floating point: digits are scaled as integers of
 * 128 bits. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/buf.h"
#include "base/str.h"

/* A number read from text. If known is false it is impossible or unreadable,
 * and `why` has the reason in English ("beyond what 64 bits hold", "printed as
 * N/A"). */
struct amount {
    bool known;
    int64_t value, low, high;
    const char *why;
};

#define UNITS_MICRO INT64_C(1000000) /* ratios and seconds are millionths */

/* "2.00 GiB", "512 bytes", "1,024MiB", "-0.25 GiB", "+3 kB", "0xc000". A bare
 * number is multiplied by scale (1: itself; 1<<30: the GiB is printed
 * elsewhere; 10000: percent to millionths). low and high are half a unit of the
 * last printed digit away: "6 GiB" is 5.5 to 6.5 GiB. Only an integer of factor
 * 1 ("512 bytes", "83,392") is exact. A number that was set and not measured
 * (0.9 for a flag) is exact too; the caller who knows that uses value alone.
 * Returns out->known; out is filled either way. */
bool units_read(struct str text, int64_t scale, struct amount *out);
/* The factor of a unit in bytes; 0 if it is not one. "GiB" -> 1<<30, "MB" ->
 * 1000000, "Gi" and "G" -> 1<<30 (as Kubernetes, Docker and Java print). */
int64_t units_factor(struct str unit);

/* "16.00 GiB", "640 KiB", "512 bytes": binary, at most two decimals, halves
 * away from zero; exact values below a GiB are whole ("64 MiB", not
 * "64.00 MiB"). */
void units_bytes(struct buf *out, int64_t bytes);
/* The same in three significant digits: "53.3 MiB", "106 MiB", "19.0 GiB";
 * "24 GiB" if exact. */
void units_short(struct buf *out, int64_t bytes);
void units_count(struct buf *out, int64_t n); /* 262,144 */
void units_ratio(struct buf *out, int64_t micro); /* 0.95, no trailing 0s */

/* False on overflow; then *out is unchanged. */
bool mul_i64(int64_t a, int64_t b, int64_t *out);
bool add_i64(int64_t a, int64_t b, int64_t *out);
/* a * b / c on 128 bits, rounded down (toward minus infinity); c > 0. */
bool mul_div_floor(int64_t a, int64_t b, int64_t c, int64_t *out);
int64_t ceil_div(int64_t a, int64_t b); /* a >= 0, b > 0 */

#endif
