/* frame.c: templates of pages, filled: a page of the site is a frame round an
 * answer. What is filled in from i18n is escaped, a slot is HTML already. */
#include "render/parts.h"

static struct str slot_named(const struct html_slot *slots, size_t count,
                             struct str name, bool *is_there) {
    for (size_t i = 0; i < count; i++) {
        if (str_eq(str_of(slots[i].name), name)) {
            *is_there = true;
            return slots[i].html;
        }
    }
    return STR("");
}

static struct str filling(const struct teller *t, const struct html_slot *slots,
                          size_t count, struct str name) {
    bool is_there = false, is_value = str_starts(name, STR("="));
    struct str slot = slot_named(slots, count, name, &is_there);
    if (is_there) {
        return slot;
    }
    struct str key = arena_printf(t->a, "site.%.*s",
                                  STR_ARG(str_slice(name, is_value, name.n)));
    struct str text = said(t, key.p);
    if (str_eq(text, key)) {
        arena_raise(t->a, FAIL_USAGE,
                    "the knowledge base has no text %.*s for its pages: build "
                    "it with i18n/ of this release", STR_ARG(key));
    }
    return is_value ? html_plain(t->a, text) : html_of(t, text);
}

void html_fill(struct arena *a, struct reader *r, enum lang lang,
               struct str template, const struct html_slot *slots,
               size_t slot_count, struct buf *out) {
    struct render_options o = {.lang = lang};
    struct teller t = {.a = a, .r = r, .o = &o, .lang = lang};
    while (template.n > 0) {
        size_t open = str_find(template, STR("{{"));
        buf_add(out, str_slice(template, 0, open));
        template = str_slice(template, open, template.n);
        size_t close = str_find(template, STR("}}"));
        if (close < template.n) {
            buf_add(out, filling(&t, slots, slot_count,
                                 str_slice(template, 2, close - 2)));
            close += 2;
        }
        template = str_slice(template, close, template.n);
    }
}

struct str text_in(struct arena *a, enum lang lang, const struct text *text) {
    struct render_options o = {.lang = lang};
    struct teller t = {.a = a, .o = &o, .lang = lang};
    return said_text(&t, text);
}
