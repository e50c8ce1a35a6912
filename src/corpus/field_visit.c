/* field_visit.c: every value of a noun, each with the path of its key. */
#include "corpus/fields.h"

#include <stdio.h>

struct walking {
    field_visit visit;
    void *ctx;
};

static void visit_shape(const struct walking *w, const struct shape *shape,
                        const char *noun, const char *above, size_t ordinal);

static void visit_field(const struct walking *w, const struct field *f,
                        const char *noun, const char *path, size_t ordinal) {
    if (f->type == FIELD_MAP) {
        visit_shape(w, f->shape, noun + f->at, path, ordinal);
        return;
    }
    if (f->type != FIELD_LIST) {
        w->visit(w->ctx, f, path, ordinal, noun + f->at);
        return;
    }
    size_t count = *(const size_t *)(const void *)(noun + f->count_at);
    const char *items = *(char *const *)(const void *)(noun + f->at);
    for (size_t i = 0; i < count; i++)
        visit_shape(w, f->shape, items + i * f->shape->size, path, i);
}

static void visit_shape(const struct walking *w, const struct shape *shape,
                        const char *noun, const char *above, size_t ordinal) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        char path[FIELD_PATH_MAX];
        snprintf(path, sizeof path, "%.60s%s%.30s", above,
                 above[0] != '\0' ? "." : "", f->key);
        visit_field(w, f, noun, path, ordinal);
    }
}

void shape_visit(const struct shape *shape, const void *noun,
                 field_visit visit, void *ctx) {
    struct walking w = {visit, ctx};
    visit_shape(&w, shape, noun, "", 0);
}
