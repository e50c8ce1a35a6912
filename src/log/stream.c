/* stream.c: a table of at most LOG_STREAMS_MAX streams; 0 is the stream of
 * lines without a name. Lines of one stream come in runs, so the last result is
 * tried first. Names are cut at STREAM_NAME_BYTES_MAX, so a hostile log cannot
 * make the table grow further. */
#include "log/stream.h"

#include "base/limits.h"

struct stream_table {
    struct arena *a;
    struct stream at[LOG_STREAMS_MAX];
    uint64_t hash[LOG_STREAMS_MAX];
    uint32_t count, last;
};

void stream_merge(struct stream *who, const struct stream *with) {
    if (with->rank >= 0)
        who->rank = with->rank;
    if (with->pid >= 0)
        who->pid = with->pid;
    if (with->pod.n > 0)
        who->pod = with->pod;
    if (with->container.n > 0)
        who->container = with->container;
    if (with->process.n > 0)
        who->process = with->process;
}

struct stream_table *stream_table_new(struct arena *a) {
    struct stream_table *t = arena_room(a, sizeof *t); /* few are used */
    t->a = a;
    t->at[0] = stream_none();
    t->count = 1;
    t->last = 0;
    return t;
}

static uint64_t mix(uint64_t hash, uint64_t with) {
    hash ^= with + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    return hash;
}

static uint64_t hash_of(const struct stream *s) {
    uint64_t hash = mix((uint64_t)s->rank, (uint64_t)s->pid);
    hash = mix(hash, str_hash(s->pod));
    hash = mix(hash, str_hash(s->container));
    return mix(hash, str_hash(s->process));
}

bool stream_is_same(const struct stream *a, const struct stream *b) {
    return a->rank == b->rank && a->pid == b->pid && str_eq(a->pod, b->pod) &&
           str_eq(a->container, b->container) && str_eq(a->process, b->process);
}

static uint32_t add(struct stream_table *t, const struct stream *s,
                    uint64_t hash) {
    if (t->count == LOG_STREAMS_MAX)
        return LOG_STREAMS_MAX - 1;
    t->at[t->count] = (struct stream){
        .rank = s->rank,
        .pid = s->pid,
        .pod = arena_str(t->a, s->pod),
        .container = arena_str(t->a, s->container),
        .process = arena_str(t->a, s->process),
    };
    t->hash[t->count] = hash;
    return t->count++;
}

uint32_t stream_find(struct stream_table *t, const struct stream *s) {
    if (stream_is_same(s, &t->at[0]))
        return 0;
    struct stream wanted = *s;
    wanted.pod = str_slice(s->pod, 0, STREAM_NAME_BYTES_MAX);
    wanted.container = str_slice(s->container, 0, STREAM_NAME_BYTES_MAX);
    wanted.process = str_slice(s->process, 0, STREAM_NAME_BYTES_MAX);
    if (stream_is_same(&t->at[t->last], &wanted))
        return t->last;
    uint64_t hash = hash_of(&wanted);
    uint32_t id = 1;
    while (id < t->count &&
           (t->hash[id] != hash || !stream_is_same(&t->at[id], &wanted)))
        id++;
    t->last = id < t->count ? id : add(t, &wanted, hash);
    return t->last;
}

const struct stream *stream_all(const struct stream_table *t) {
    return t->at;
}

size_t stream_count(const struct stream_table *t) {
    return t->count;
}
