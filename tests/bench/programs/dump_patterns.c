/* The patterns of an index, as written and as PCRE2 gets them, each ended by
 * NUL: dump_patterns INDEX. For the peers, which look for the same. */
#include "index/index.h"
#include "match/pattern_text.h"

#include "scan.h"

struct dumping {
    struct arena arena;
    struct bytes image;
};

static void put(struct str s) {
    fwrite(s.p, 1, s.n, stdout);
    putchar('\0');
}

static void dump(void *arg) {
    struct dumping *d = arg;
    struct str image = {d->image.at, d->image.n};
    struct index *ix = index_open(&d->arena, image);
    struct reader *reader = reader_new(ix, &d->arena);
    for (size_t i = 0; i < index_pattern_count(ix); i++) {
        const struct pattern *p = reader_pattern(reader, (uint32_t)i);
        struct pattern_text text;
        struct pattern_error error;
        if (!pattern_text_prepare(&d->arena, p->text, &text, &error))
            give_up("a pattern cannot be prepared");
        put(p->text);
        put(text.text);
    }
}

int main(int argc, char **argv) {
    struct dumping d = {.image = file_bytes(argc == 2 ? argv[1] : "")};
    struct fault fault = {0};
    arena_init(&d.arena, NULL, 0);
    if (arena_guard(&d.arena, dump, &d, &fault) != FAIL_NONE)
        give_up(fault.text);
    arena_free(&d.arena);
    return 0;
}
