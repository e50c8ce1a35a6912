/* read_gpu.c: GPUs by the names that drivers, clouds and people give them, and
 * by the total that a log prints.
 *
 * Names are compared as words in lower case, without the vendor's: "NVIDIA
 * GeForce RTX 4090", "rtx-4090" and "4090" are the same. A prefix of a name
 * identifies a card only if all cards with this prefix have the same memory
 * ("A100 80GB", but not "A100"). A longer name ("RTX 4090 Laptop", a MIG slice)
 * is another card.
 */
#include "index/read.h"

#include "base/limits.h"

size_t reader_gpu_count(const struct reader *r) {
    return reader_count(r, SECTION_GPU);
}

const struct gpu *reader_gpu_numbered(struct reader *r, uint32_t number) {
    return reader_noun(r, SECTION_GPU, number, &shape_gpu);
}

static bool is_vendor(struct str word) {
    return STR_IS_ONE(word, "nvidia", "tesla", "geforce", "quadro", "amd",
                      "radeon", "instinct", "intel", "corporation", "graphics",
                      "gpu", "r", "tm");
}

static char plain(char c) {
    bool is_kept = is_letter(c) || is_digit(c) || c == '.' ||
                   (unsigned char)c >= 0x80;
    return is_kept ? to_lower(c) : ' ';
}

/* "NVIDIA A100-SXM4-80GB" -> "a100 sxm4 80gb" in buffer. */
static struct str key_of(struct str name, char buffer[GPU_NAME_BYTES_MAX]) {
    size_t uuid = str_find(name, STR("(UUID"));
    size_t most = GPU_NAME_BYTES_MAX;
    struct str s = str_slice(name, 0, uuid < most ? uuid : most);
    size_t n = 0, start = 0;
    for (size_t i = 0; i <= s.n; i++) {
        char c = i < s.n ? plain(s.p[i]) : ' ';
        if (c != ' ') {
            buffer[n++] = c;
            continue;
        }
        if (is_vendor((struct str){buffer + start, n - start}))
            n = start;
        bool has_word = n > start;
        if (has_word && i < s.n)
            buffer[n++] = ' ';
        start = n;
    }
    return str_trim((struct str){buffer, n});
}

enum gpu_match { MATCH_NONE, MATCH_PREFIX, MATCH_EXACT };

/* Blanks do not count, so that "RTX4090" is "RTX 4090". */
static enum gpu_match key_match(struct str query, struct str of) {
    size_t i = 0, k = 0;
    while (i < query.n && k < of.n) {
        if (query.p[i] == ' ') {
            i++;
        } else if (of.p[k] == ' ') {
            k++;
        } else if (query.p[i++] != of.p[k++]) {
            return MATCH_NONE;
        }
    }
    if (i < query.n || query.n == 0)
        return MATCH_NONE;
    if (k == of.n)
        return MATCH_EXACT;
    return of.p[k] == ' ' ? MATCH_PREFIX : MATCH_NONE;
}

/* With and without the product line (rtx ...), which people leave out. */
static enum gpu_match name_match(struct str query, struct str of) {
    static const char *const lines[] = {"rtx ", "rx ", "gtx "};
    enum gpu_match whole = key_match(query, of), bare = MATCH_NONE;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct str line = str_of(lines[i]);
        bare = str_starts(of, line)
                   ? key_match(query, str_slice(of, line.n, of.n))
                   : bare;
    }
    return bare > whole ? bare : whole;
}

static enum gpu_match match_gpu(const struct gpu *gpu, struct str query) {
    char buffer[GPU_NAME_BYTES_MAX + 1];
    enum gpu_match best = name_match(query, key_of(gpu->id, buffer));
    for (size_t i = 0; i < gpu->aliases.count; i++) {
        struct str alias = key_of(gpu->aliases.at[i], buffer);
        enum gpu_match found = name_match(query, alias);
        best = found > best ? found : best;
    }
    return best;
}

const struct gpu *reader_gpu(struct reader *r, struct str name) {
    char buffer[GPU_NAME_BYTES_MAX + 1];
    struct str query = key_of(name, buffer);
    const struct gpu *prefixed = NULL;
    bool is_ambiguous = false;
    for (uint32_t i = 0; i < reader_gpu_count(r); i++) {
        const struct gpu *gpu = reader_gpu_numbered(r, i);
        enum gpu_match match = match_gpu(gpu, query);
        if (match == MATCH_EXACT)
            return gpu;
        if (match == MATCH_PREFIX) {
            is_ambiguous =
                is_ambiguous ||
                (prefixed && prefixed->nominal_gb != gpu->nominal_gb);
            prefixed = prefixed ? prefixed : gpu;
        }
    }
    return is_ambiguous ? NULL : prefixed;
}

struct gpu_list reader_gpus_with_prefix(struct reader *r, struct str name) {
    char buffer[GPU_NAME_BYTES_MAX + 1];
    struct str query = key_of(name, buffer);
    const struct gpu **list =
        arena_array(r->arena, reader_gpu_count(r), sizeof *list);
    size_t count = 0;
    for (uint32_t i = 0; i < reader_gpu_count(r); i++) {
        const struct gpu *gpu = reader_gpu_numbered(r, i);
        if (match_gpu(gpu, query) != MATCH_NONE)
            list[count++] = gpu;
    }
    return (struct gpu_list){list, count};
}

/* The distance of the query to the nearest prefix of whole words of a name. It
 * is doubled, and less 1 if the query is the beginning of that prefix, so that
 * a longer name is nearer than one with another letter. */
static size_t distance_to_prefix(struct str query, struct str key) {
    size_t best = 2 * NEAR_BYTES_MAX;
    for (size_t n = 1; n <= key.n; n++) {
        struct str prefix = str_slice(key, 0, n);
        if (n == key.n || key.p[n] == ' ') {
            size_t d = 2 * near_distance(query, prefix);
            d -= d > 0 && str_starts(prefix, query);
            best = d < best ? d : best;
        }
    }
    return best;
}

static void offer_gpu(struct near *near, const struct gpu *gpu,
                      struct str query, struct str name) {
    static const char *const lines[] = {"", "rtx ", "rx ", "gtx "};
    char buffer[GPU_NAME_BYTES_MAX + 1];
    struct str key = key_of(name, buffer);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct str line = str_of(lines[i]);
        struct str bare = str_slice(key, line.n, key.n);
        size_t d = str_starts(key, line) ? distance_to_prefix(query, bare)
                                         : 2 * NEAR_BYTES_MAX;
        if (d <= 2 * near_enough(query))
            near_offer(near, gpu->id, d);
    }
}

struct near reader_gpus_near(struct reader *r, struct str name) {
    char buffer[GPU_NAME_BYTES_MAX + 1];
    struct str query = key_of(name, buffer);
    struct near near = {.count = 0};
    for (uint32_t i = 0; i < reader_gpu_count(r); i++) {
        const struct gpu *gpu = reader_gpu_numbered(r, i);
        offer_gpu(&near, gpu, query, gpu->id);
        for (size_t k = 0; k < gpu->aliases.count; k++)
            offer_gpu(&near, gpu, query, gpu->aliases.at[k]);
    }
    return near;
}

struct gpu_list reader_gpus_of_total(struct reader *r, int64_t low,
                                     int64_t high) {
    const struct gpu **list =
        arena_array(r->arena, reader_gpu_count(r), sizeof *list);
    struct record totals = reader_record(r, SECTION_GPU_TOTAL, 0);
    size_t count = 0;
    for (uint32_t i = 0; i < reader_gpu_count(r); i++) {
        int64_t least, most;
        record_int(&totals, &least);
        record_int(&totals, &most);
        if (least > 0 && least <= high && most >= low)
            list[count++] = reader_gpu_numbered(r, i);
    }
    record_end(&totals);
    return (struct gpu_list){list, count};
}
