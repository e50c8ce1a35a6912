/* texts.c: texts that oomkb_text() hands out as C strings. They must live as
 * long as the base, which any number of threads share: so the base keeps each
 * text it was asked for once, behind a lock. The only thing of the base that
 * ever changes, and nobody can see it change. */
#include <pthread.h>

#include "api/handles.h"

struct kept {
    struct kept *next;
    enum lang lang;
    struct str key, text;
};

struct texts {
    pthread_mutex_t lock;
    struct arena arena;
    struct reader *reader;
    const struct index *index;
    struct kept *first;
};

static void texts_end(void *what) {
    struct texts *t = what;
    arena_free(&t->arena);
    pthread_mutex_destroy(&t->lock);
}

struct texts *texts_new(struct arena *a, const struct index *ix,
                        const struct allocator *from) {
    struct texts *t = arena_alloc(a, sizeof *t);
    if (pthread_mutex_init(&t->lock, NULL) != 0)
        arena_raise(a, FAIL_MEMORY, "no lock to be had");
    arena_init(&t->arena, from, 0);
    t->index = ix;
    arena_defer(a, texts_end, t);
    return t;
}

struct asked {
    struct texts *texts;
    enum lang lang;
    struct str key, text;
};

static void look_up(void *arg) {
    struct asked *q = arg;
    struct texts *t = q->texts;
    if (t->reader == NULL)
        t->reader = reader_new(t->index, &t->arena);
    struct str text = reader_message(t->reader, q->lang, q->key);
    if (text.n == 0)
        return; /* unknown keys are not kept: a caller may invent many */
    struct kept *k = arena_alloc(&t->arena, sizeof *k);
    k->lang = q->lang;
    k->key = arena_str(&t->arena, q->key);
    k->text = arena_str(&t->arena, text);
    k->next = t->first;
    t->first = k;
    q->text = k->text;
}

static const struct kept *find(const struct texts *t, enum lang lang,
                               struct str key) {
    const struct kept *k = t->first;
    while (k != NULL && !(k->lang == lang && str_eq(k->key, key)))
        k = k->next;
    return k;
}

const char *texts_get(struct texts *t, enum lang lang, const char *key) {
    struct asked q = {.texts = t, .lang = lang, .key = str_of(key)};
    pthread_mutex_lock(&t->lock);
    const struct kept *k = find(t, lang, q.key);
    if (k != NULL)
        q.text = k->text;
    else if (arena_guard(&t->arena, look_up, &q, NULL) != FAIL_NONE)
        q.text = (struct str){NULL, 0};
    pthread_mutex_unlock(&t->lock);
    return q.text.n > 0 ? q.text.p : "";
}
