/* redact_text.c: one text from left to right. At every byte the recognisers
 * are asked in turn; what none of them knows is copied as it is. */
#include "render/redact.h"

#define TEXT_BYTES_MAX ((size_t)4 << 20)

static size_t known_at(struct secrets *s, struct str text, size_t at,
                       struct buf *out) {
    const struct secret *known = secret_at(s, text, at);
    if (known == NULL) {
        return 0;
    }
    buf_add(out, known->placeholder);
    return known->text.n;
}

typedef size_t (*recogniser)(struct secrets *s, struct str text, size_t at,
                             struct buf *out);

static struct str rewritten(struct secrets *s, struct str text,
                            const recogniser by[], size_t count) {
    struct buf out;
    buf_init_in(&out, s->a, TEXT_BYTES_MAX);
    for (size_t at = 0; at < text.n;) {
        size_t n = 0;
        for (size_t i = 0; i < count && n == 0; i++) {
            n = by[i](s, text, at, &out);
        }
        if (n == 0) {
            buf_add_char(&out, text.p[at++]);
        }
        at += n;
    }
    return settled(s->a, &out);
}

struct str redacted(struct secrets *s, struct str text) {
    static const recogniser all[] = {key_at, net_at, path_at, known_at};
    return rewritten(s, text, all, sizeof all / sizeof *all);
}

struct str redacted_known(struct secrets *s, struct str text) {
    static const recogniser known[] = {known_at};
    return rewritten(s, text, known, 1);
}
