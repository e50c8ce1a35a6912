/* read_model.c: models, by number and by what people call them.
 *
 *     as it stands          exact
 *     its last part         exact for a local path, else another's copy
 *     unpacked              a repack: -AWQ, -Q4_K_M.gguf, -bnb-4bit
 *     without its tag       Ollama's default: llama3.1
 *     as words              another spelling: llama3.1:8b
 *     a run of its words    a tuned one: Hermes-3-Llama-3.1-8B
 *
 * The first that the catalogue knows is the answer; from the third on it is a
 * guess and said to be one. A guess never changes a size or a family
 * (model_words_may_stand).
 */
#include "index/model_name.h"
#include "index/read.h"

static const char *const kv_kinds[] = {
#define X(w) #w,
    KV_KIND_WORDS(X)
#undef X
};

static enum kv_kind row_kv_kind(struct row *row) {
    struct str word = row_view(row);
    for (int i = 0; i < KV_KIND_COUNT_OF; i++) {
        if (str_eq(word, str_of(kv_kinds[i]))) {
            return (enum kv_kind)i;
        }
    }
    db_damaged(row->db, "a cache is of no kind");
}

static void read_state(struct row *row, struct kv_group *group) {
    group->ratio = row_count(row);
    group->mixer = row_text(row);
    group->conv_channels = row_count(row);
    group->conv_steps = row_count(row);
    group->conv_groups = row_count(row);
    group->group_channels = row_count(row);
    group->state_elements = row_count(row);
    group->state_dtype = row_text(row);
}

static void read_groups(struct reader *r, struct model *m, uint32_t number) {
    struct row row = reader_ask(r, QUERY_kv_group);
    row_bind_int(&row, number);
    size_t cap = 0;
    while (row_next(&row)) {
        row_expect(&row, m->group_count);
        m->groups = arena_grow(r->arena, m->groups, m->group_count, &cap,
                               sizeof *m->groups);
        struct kv_group *group = &m->groups[m->group_count++];
        group->kind = row_kv_kind(&row);
        group->layers = row_count(&row);
        group->kv_heads = row_count(&row);
        group->k_dim = row_count(&row);
        group->v_dim = row_count(&row);
        group->window = row_count(&row);
        group->latent_dim = row_count(&row);
        group->state_bytes = row_count(&row);
        group->q_rank = row_count(&row);
        group->rope_dim = row_count(&row);
        group->params = row_count(&row);
        group->is_gated = row_bool(&row);
        read_state(&row, group);
    }
}

/* What the parameters are counted from. */
static void read_counts(struct row *row, struct model *m) {
    m->experts = row_count(row);
    m->expert_size = row_count(row);
    m->shared_size = row_count(row);
    m->dense_layers = row_count(row);
    m->mlp_layers = row_count(row);
    m->draft_layers = row_count(row);
    m->other_params = row_count(row);
    m->has_plain_mlp = row_bool(row);
    m->uncounted = row_text(row);
}

static void read_model_row(struct reader *r, struct model *m,
                           uint32_t number) {
    struct row row = reader_ask(r, QUERY_model);
    row_bind_int(&row, number);
    if (!row_next(&row)) {
        db_damaged(r->db, "a model is missing");
    }
    m->id = row_text(&row);
    m->family = row_text(&row);
    m->params = row_count(&row);
    m->embedding_params = row_count(&row);
    m->layers = row_count(&row);
    m->hidden_size = row_count(&row);
    m->heads = row_count(&row);
    m->vocab_size = row_count(&row);
    m->intermediate_size = row_count(&row);
    m->max_position = row_count(&row);
    m->dtype = row_text(&row);
    m->quantization = row_text(&row);
    m->is_moe = row_bool(&row);
    m->is_multimodal = row_bool(&row);
    m->verified = row_text(&row);
    read_counts(&row, m);
    row_done(&row);
}

static struct str_list read_words(struct reader *r, enum query query,
                                  uint32_t number) {
    struct row row = reader_ask(r, query);
    row_bind_int(&row, number);
    return read_strings(&row);
}

static const struct model *model_numbered(struct reader *r, uint32_t number) {
    for (struct model_slot *slot = r->models; slot; slot = slot->next) {
        if (slot->number == number) {
            return &slot->model;
        }
    }
    struct model_slot *slot = arena_alloc(r->arena, sizeof *slot);
    slot->number = number;
    read_model_row(r, &slot->model, number);
    slot->model.aliases = read_words(r, QUERY_model_alias, number);
    slot->model.sources = read_words(r, QUERY_model_source, number);
    read_groups(r, &slot->model, number);
    slot->next = r->models;
    r->models = slot;
    return &slot->model;
}

/* ---- by name ---- */

static const struct model *look_up(struct reader *r, const char *form,
                                   struct str name) {
    struct row row = reader_ask(r, QUERY_model_name);
    row_bind_text(&row, str_of(form));
    row_bind_text(&row, name);
    if (name.n == 0 || !row_next(&row)) {
        return NULL;
    }
    uint32_t number = row_number(&row);
    row_done(&row);
    return model_numbered(r, number);
}

static const struct model *by_spelling(struct reader *r,
                                       const struct model_name *name,
                                       bool *is_copy) {
    const struct model *m = look_up(r, "name", name->full);
    *is_copy = false;
    if (m == NULL) {
        m = look_up(r, "last", name->last);
        *is_copy = !name->is_path && name->full.n > name->last.n;
    }
    return m;
}

/* "llama3.1": what Ollama takes without a tag. */
static const struct model *by_default_tag(struct reader *r,
                                          const struct model_name *name) {
    if (name->full.n > name->last.n ||
        str_find(name->last, STR(":")) < name->last.n) {
        return NULL;
    }
    return look_up(r, "name", arena_printf(r->arena, "%.*s:latest",
                                           STR_ARG(name->last)));
}

/* The longest run of words that the catalogue knows as a name. */
static const struct model *by_words(struct reader *r, struct str bare) {
    struct model_words words = model_words_of(r->arena, bare);
    for (size_t count = words.count; count > 0; count--) {
        for (size_t from = 0; from + count <= words.count; from++) {
            if (count < words.count &&
                !model_words_may_stand(&words, from, count)) {
                continue;
            }
            const struct model *m = look_up(
                r, "words", model_words_join(r->arena, &words, from, count));
            if (m != NULL) {
                return m;
            }
        }
    }
    return NULL;
}

struct model_match reader_model(struct reader *r, struct str name) {
    struct arena *a = r->arena;
    struct model_name given = model_name_of(a, name), bare = given;
    struct model_match match = {.model = NULL};
    bare.full = model_name_bare(a, given.full, &match.quantization);
    bare.last = model_name_bare(a, given.last, &match.quantization);
    bool is_packed = bare.last.n < given.last.n;
    match.model = by_spelling(r, &given, &match.is_guess);
    if (match.model == NULL && is_packed) {
        match.model = by_spelling(r, &bare, &match.is_guess);
        match.is_guess = true;
    }
    if (match.model == NULL) {
        match.model = by_default_tag(r, &given);
        match.is_guess = true;
    }
    if (match.model == NULL) {
        match.model = by_words(r, bare.last);
        match.is_guess = true;
    }
    match.is_guess = match.is_guess && match.model != NULL;
    return match;
}
