/* texts.c: the C strings that oomkb_text() returns. They are valid as long as
 * the knowledge base, which any number of threads share: so each text is cached
 * once, behind a lock. This cache is the only mutable part of a knowledge base
 * and is not visible to callers. */
#include <pthread.h>

#include "api/handles.h"

struct cached_text {
    struct cached_text *next;
    enum lang lang;
    struct str key, text;
};

struct texts {
    pthread_mutex_t lock;
    struct arena arena;
    struct reader *reader;
    const struct index *index;
    struct cached_text *first;
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

struct lookup {
    struct texts *texts;
    enum lang lang;
    struct str key, text;
};

static void look_up(void *arg) {
    struct lookup *q = arg;
    struct texts *t = q->texts;
    if (t->reader == NULL)
        t->reader = reader_new(t->index, &t->arena);
    struct str text = reader_message(t->reader, q->lang, q->key);
    if (text.n == 0)
        return; /* unknown keys are not cached: there is no end of them */
    struct cached_text *k = arena_alloc(&t->arena, sizeof *k);
    k->lang = q->lang;
    k->key = arena_str(&t->arena, q->key);
    k->text = arena_str(&t->arena, text);
    k->next = t->first;
    t->first = k;
    q->text = k->text;
}

static const struct cached_text *find(const struct texts *t, enum lang lang,
                                      struct str key) {
    const struct cached_text *k = t->first;
    while (k != NULL && !(k->lang == lang && str_eq(k->key, key)))
        k = k->next;
    return k;
}

const char *texts_get(struct texts *t, enum lang lang, const char *key) {
    struct lookup q = {.texts = t, .lang = lang, .key = str_of(key)};
    pthread_mutex_lock(&t->lock);
    const struct cached_text *k = find(t, lang, q.key);
    if (k != NULL)
        q.text = k->text;
    else if (arena_guard(&t->arena, look_up, &q, NULL) != FAIL_NONE)
        q.text = (struct str){NULL, 0};
    pthread_mutex_unlock(&t->lock);
    return q.text.n > 0 ? q.text.p : "";
}
