/* write_pack.c: the corpus as the pack of pack.h. Groups and pooled rates are
 * read from the database, where SQL has computed them. */
#include "index/model_name.h"
#include "index/pack.h"
#include "index/codec.h"
#include "index/write.h"

static void pack_number(struct writer *w, enum section section, struct str key,
                        size_t number) {
    uint32_t n = (uint32_t)number;
    record_number(pack_add_key(w->pack, section, key), &n);
}

/* ---- models ---- */

static void pack_name_form(struct writer *w, const char *form,
                           struct str name, size_t model) {
    if (name.n > 0)
        pack_number(w, SECTION_MODEL_NAME,
                    pack_name_key(w->db->arena, form, name), model);
}

/* A name with the tag :latest has no size, so it is found as a whole only, not
 * as a part of another name. */
static void pack_name(struct writer *w, struct str given, size_t model) {
    struct arena *a = w->db->arena;
    struct model_name name = model_name_of(a, given);
    struct str quantization;
    struct str bare = model_name_bare(a, name.last, &quantization);
    struct model_words words = model_words_of(a, bare);
    pack_name_form(w, "name", name.full, model);
    pack_name_form(w, "last", name.last, model);
    if (!str_ends(name.full, STR(":latest")))
        pack_name_form(w, "words", model_words_join(a, &words, 0, words.count),
                       model);
}

static void pack_models(struct writer *w, const struct corpus *c) {
    for (size_t i = 0; i < c->model_count; i++) {
        struct model *m = &c->models[i];
        codec_shape(pack_add(w->pack, SECTION_MODEL), &shape_model, m);
        pack_name(w, m->id, i);
        for (size_t k = 0; k < m->aliases.count; k++)
            pack_name(w, m->aliases.at[k], i);
    }
}

/* ---- entries ---- */

struct member {
    uint32_t number, head;
};

/* The entries in the order of their groups. */
static struct member *read_members(struct writer *w, size_t count) {
    struct member *list = arena_array(w->db->arena, count, sizeof *list);
    struct statement *ask = arena_alloc(w->db->arena, sizeof *ask);
    ask->sql = "SELECT e.number, coalesce(h.number, e.number) FROM entry AS e "
               "LEFT JOIN entry AS h ON h.id = e.same_words_as ORDER BY 2, 1";
    struct row row = row_of(w->db, ask);
    for (size_t i = 0; row_next(&row) && i < count; i++) {
        list[i].number = row_number(&row);
        list[i].head = row_number(&row);
    }
    return list;
}

static void pack_group(struct record *r, const struct member *members,
                       size_t count) {
    record_list(r, NULL, &count, 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = members[i].number;
        record_number(r, &number);
    }
}

/* Write all groups. Returns the number of each entry's group. */
static uint32_t *pack_groups(struct writer *w, size_t count) {
    struct member *members = read_members(w, count);
    uint32_t *group_of = arena_array(w->db->arena, count, sizeof *group_of);
    uint32_t group = 0;
    for (size_t from = 0, to = 0; from < count; from = to, group++) {
        while (to < count && members[to].head == members[from].head)
            group_of[members[to++].number] = group;
        pack_group(pack_add(w->pack, SECTION_GROUP), members + from, to - from);
    }
    return group_of;
}

static void pack_entries(struct writer *w, const struct corpus *c) {
    uint32_t *group_of = pack_groups(w, c->entry_count);
    uint32_t first_pattern = 0;
    for (size_t i = 0; i < c->entry_count; i++) {
        struct entry *e = &c->entries[i];
        struct record *r = pack_add(w->pack, SECTION_ENTRY);
        record_number(r, &first_pattern);
        record_number(r, &group_of[i]);
        codec_entry_head(r, e);
        codec_entry_rest(pack_add(w->pack, SECTION_ENTRY_REST), e);
        first_pattern += (uint32_t)(e->signature_count + e->condition_count);
        pack_number(w, SECTION_ENTRY_ID, e->id, i);
    }
    for (size_t i = 0; i < c->entry_count; i++) {
        struct str_list *names = &c->entries[i].renamed_from;
        for (size_t k = 0; k < names->count; k++)
            pack_number(w, SECTION_ENTRY_ID, names->at[k], i);
    }
}

/* ---- everything but entries ---- */

/* What sets a fact, without the rows that a log is read with. */
static void pack_settings(struct writer *w, const struct engine *e) {
    struct engine settings = {.id = e->id,
                              .flags = e->flags,
                              .flag_count = e->flag_count,
                              .options = e->options,
                              .option_count = e->option_count};
    codec_shape(pack_add(w->pack, SECTION_EVERYWHERE), &shape_engine,
                &settings);
}

static void pack_kb(struct writer *w, const struct corpus *c) {
    for (size_t i = 0; i < c->engine_count; i++) {
        codec_shape(pack_add(w->pack, SECTION_ENGINE), &shape_engine,
                    &c->engines[i]);
        pack_number(w, SECTION_ENGINE_ID, c->engines[i].id, i);
        if (c->engines[i].is_everywhere)
            pack_settings(w, &c->engines[i]);
    }
    pack_models(w, c);
    for (size_t i = 0; i < c->gpu_count; i++)
        codec_shape(pack_add(w->pack, SECTION_GPU), &shape_gpu, &c->gpus[i]);
    for (size_t i = 0; i < c->cause_count; i++) {
        codec_shape(pack_add(w->pack, SECTION_CAUSE), &shape_cause,
                    &c->causes[i]);
        pack_number(w, SECTION_CAUSE_ID, c->causes[i].id, i);
    }
    for (size_t i = 0; i < c->rule_count; i++)
        codec_shape(pack_add(w->pack, SECTION_RULE), &shape_lint_rule,
                    &c->rules[i]);
    for (size_t i = 0; i < c->program_count; i++) {
        codec_shape(pack_add(w->pack, SECTION_PROGRAM), &shape_program,
                    &c->programs[i]);
        pack_number(w, SECTION_PROGRAM_ID, c->programs[i].id, i);
    }
    struct ranking ranking = c->ranking;
    codec_ranking(pack_add(w->pack, SECTION_RANKING), &ranking);
    for (size_t i = 0; i < c->component_count; i++) {
        struct component *component = &c->components[i];
        record_str(pack_add_key(w->pack, SECTION_COMPONENT, component->id),
                   &component->folds_into);
    }
    for (size_t i = 0; i < c->message_count; i++) {
        struct message *message = &c->messages[i];
        record_text(pack_add_key(w->pack, SECTION_MESSAGE, message->key),
                    &message->text);
    }
}

static void pack_pooled(struct writer *w) {
    struct statement *ask = arena_alloc(w->db->arena, sizeof *ask);
    ask->sql = "SELECT * FROM pooled";
    struct row row = row_of(w->db, ask);
    while (row_next(&row)) {
        int mechanism = row_word(&row, WORDS_MECHANISM);
        struct workaround fix = {.use = row_text(&row)};
        fix.acts_on.flag = row_text(&row);
        fix.acts_on.change = (enum change)row_word(&row, WORDS_CHANGE);
        fix.acts_on.kind = (enum act_kind)row_word(&row, WORDS_ACT_KIND);
        int64_t worked = row_int(&row), tried = row_int(&row);
        struct record *r =
            pack_add_key(w->pack, SECTION_POOLED,
                         pack_pooled_key(w->db->arena, mechanism, &fix));
        record_int(r, &worked);
        record_int(r, &tried);
    }
}

/* ---- compiled patterns ---- */

static size_t common(struct str x, struct str y) {
    size_t n = 0;
    while (n < x.n && n < y.n && x.p[n] == y.p[n])
        n++;
    return n;
}

/* PCRE2 puts its tables before each pattern, so the common beginning is stored
 * once. */
static struct str common_beginning(const struct pattern_list *set) {
    struct str head = {NULL, 0};
    for (size_t i = 0; i < set->count; i++) {
        const struct str_list *code = &set->at[i].study.code;
        for (size_t k = 0; k < code->count; k++)
            head = head.p == NULL
                       ? code->at[k]
                       : str_slice(head, 0, common(head, code->at[k]));
    }
    return head;
}

void write_code(struct pack_draft *draft, const struct pattern_list *set) {
    struct str head = common_beginning(set);
    for (size_t i = 0; i < set->count; i++) {
        struct str_list code = set->at[i].study.code;
        struct record *r = pack_add(draft, SECTION_CODE);
        record_list(r, NULL, &code.count, 0);
        for (size_t k = 0; k < code.count; k++) {
            struct str rest = str_slice(code.at[k], head.n, code.at[k].n);
            record_str(r, &rest);
        }
    }
    record_str(pack_add(draft, SECTION_CODE), &head);
}

void write_pack(struct writer *w, const struct corpus *c,
                const struct pattern_list *set) {
    for (size_t i = 0; i < set->count; i++)
        codec_pattern(pack_add(w->pack, SECTION_PATTERN), &set->at[i]);
    write_code(w->pack, set);
    pack_entries(w, c);
    pack_kb(w, c);
    pack_pooled(w);
}
