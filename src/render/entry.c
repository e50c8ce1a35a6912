/* entry.c: a whole entry for `oomkb explain` and the pages of a site: what it
 * is, how it is recognised, what helps and what does not, where it is true,
 * who says so. */
#include "render/parts.h"

/* What the rest of this file says is said to one document. */
struct telling {
    const struct teller *t;
    struct document *d;
};

static struct block *section(const struct telling *to, const char *key) {
    struct block *under = document_section(to->d, said(to->t, key));
    under->is_open = true;
    return under;
}

static struct block *text(const struct telling *to, struct block *under,
                          struct str words) {
    return document_text(to->d, under, TONE_PLAIN, words);
}

static struct block *item(const struct telling *to, struct block *under,
                          const char *mark, struct str words,
                          struct str column) {
    struct block *it = document_item(to->d, under, mark, words);
    it->column[0] = column;
    it->column_tone = TONE_DIM;
    return it;
}

static void link_to(const struct telling *to, struct block *under,
                    struct str url, struct str seen, struct str claim) {
    document_add(to->d, under,
                 (struct block){.kind = BLOCK_LINK, .href = url,
                                .column = {seen}, .column_tone = TONE_DIM,
                                .text = claim});
}

static struct str nothing(void) {
    return (struct str){NULL, 0};
}

static void tell_head(const struct telling *to, const struct entry *e) {
    struct str withdrawn = said_text(to->t, &e->withdrawn);
    document_add(to->d, NULL,
                 (struct block){.kind = BLOCK_TITLE, .tone = TONE_STRONG,
                                .text = said_text(to->t, &e->title)});
    document_add(to->d, NULL, (struct block){.kind = BLOCK_ID, .text = e->id,
                                             .tone = TONE_DIM,
                                             .column = {shown_kind(to->t, e)}});
    if (withdrawn.n > 0) {
        document_text(to->d, NULL, TONE_WARN,
                      said_with(to->t, "explain.withdrawn", &withdrawn, 1));
    }
    text(to, NULL, said_text(to->t, &e->root_cause));
}

static void tell_when(const struct telling *to, struct block *under,
                      const struct str_list *when) {
    for (size_t i = 0; i < when->count; i++) {
        struct str code = in_backquotes(to->t->a, when->at[i]);
        text(to, under, said_with(to->t, "explain.when", &code, 1));
    }
}

static void tell_signatures(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "explain.recognised");
    if (e->same_words_as.n > 0) {
        struct str code = in_backquotes(to->t->a, e->same_words_as);
        text(to, under, said_with(to->t, "explain.same_words", &code, 1));
    }
    for (size_t i = 0; i < e->signature_count; i++) {
        const struct signature *s = &e->signatures[i];
        document_code(to->d, under, str_trim(s->sample));
        for (size_t v = 0; v < s->version_count; v++) {
            struct str range = shown_range(to->t, &s->versions[v]);
            text(to, under, in_backquotes(to->t->a, range));
        }
    }
    tell_when(to, under, &e->when);
}

/* The stored rate, and what it rests on. */
static void tell_rate(const struct telling *to, struct block *under,
                      const struct rate *rate, bool is_failure) {
    text(to, under, is_failure ? shown_failure(to->t, rate)
                               : shown_stored_rate(to->t, rate));
    text(to, under, said_text(to->t, &rate->because));
    text(to, under, rate->source);
    for (size_t i = 0; i < rate->links.count; i++) {
        link_to(to, under, rate->links.at[i], nothing(), nothing());
    }
}

static void tell_workarounds(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "explain.fixes");
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct workaround *w = &e->workarounds[i];
        struct block *it = item(to, under, "+", said_text(to->t, &w->action),
                                fix_cost(to->t, w->effort, w->loses));
        document_code(to->d, it, w->command);
        text(to, it, said_text(to->t, &w->how));
        text(to, it, fix_trade_off(to->t, w));
        text(to, it, said_with(to->t, "explain.fix_id", &w->id, 1));
        tell_when(to, it, &w->when);
        tell_rate(to, it, &w->success, false);
    }
}

static void tell_dead_ends(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "report.not_this");
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct dead_end *d = &e->dead_ends[i];
        struct str instead = said_text(to->t, &d->instead);
        struct block *it = item(to, under, "x", said_text(to->t, &d->action),
                                nothing());
        text(to, it, said_text(to->t, &d->why));
        if (instead.n > 0) {
            text(to, it, said_with(to->t, "explain.instead", &instead, 1));
        }
        tell_when(to, it, &d->when);
        tell_rate(to, it, &d->fail, true);
    }
}

static void tell_where_true(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "explain.where");
    for (size_t i = 0; i < e->version_count; i++) {
        const struct compatibility *c = &e->versions[i];
        struct str range = shown_range(to->t, &c->range);
        struct block *it =
            item(to, under, "-", in_backquotes(to->t->a, range),
                 said_word(to->t, WORDS_RANGE_STATUS, (int)c->status));
        text(to, it, said_text(to->t, &c->note));
    }
    for (size_t i = 0; i < e->hardware_count; i++) {
        const struct hardware *h = &e->hardware[i];
        struct block *it =
            item(to, under, "-", h->name,
                 said_word(to->t, WORDS_RANGE_STATUS, (int)h->status));
        text(to, it, said_text(to->t, &h->note));
    }
}

static void tell_references(const struct telling *to, const char *key,
                            const struct reference *at, size_t count) {
    struct block *under = section(to, key);
    for (size_t i = 0; i < count; i++) {
        link_to(to, under, at[i].url, at[i].seen,
                said_text(to->t, &at[i].claim));
    }
}

static void tell_relations(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "explain.related");
    for (size_t i = 0; i < e->relation_count; i++) {
        const struct relation *r = &e->relations[i];
        struct block *it =
            item(to, under, "-", r->entry,
                 said_word(to->t, WORDS_RELATION, (int)r->kind));
        it->href = to->t->o->is_site
                       ? arena_printf(to->t->a, "../%.*s.md",
                                      STR_ARG(r->entry))
                       : it->href;
        text(to, it, said_text(to->t, &r->tell_apart));
    }
}

static void labelled(const struct telling *to, struct block *under,
                     const char *key, struct str value) {
    struct str label = said(to->t, key);
    struct str both[] = {said_with(to->t, "report.label", &label, 1), value};
    if (value.n > 0) {
        text(to, under, arena_printf(to->t->a, "%.*s%.*s", STR_ARG(both[0]),
                                     STR_ARG(both[1])));
    }
}

static struct str number_or_none(const struct telling *to, enum unit unit,
                                 int64_t n) {
    return n < 0 ? nothing() : shown_number(to->t, unit, n);
}

static void tell_history(const struct telling *to, const struct entry *e) {
    const struct provenance *from = &e->provenance;
    struct block *under = section(to, "explain.history");
    labelled(to, under, "explain.first_seen", e->first_seen);
    labelled(to, under, "explain.last_verified", e->last_verified);
    if (from->source.n == 0 && from->verification.n == 0) {
        return;
    }
    labelled(to, under, "explain.claimed_by", from->source);
    labelled(to, under, "explain.verification", from->verification);
    labelled(to, under, "explain.confidence",
             number_or_none(to, UNIT_RATIO, from->confidence_micro));
    labelled(to, under, "explain.fix_rate",
             number_or_none(to, UNIT_RATIO, from->fix_rate_micro));
    labelled(to, under, "explain.evidence_count",
             number_or_none(to, UNIT_COUNT, from->evidence_count));
}

/* To the same page as JSON and in the other language, and to the index. */
static void tell_links(const struct telling *to, struct str id) {
    struct arena *a = to->t->a;
    bool is_zh = to->t->lang == LANG_ZH;
    struct str slug = str_slice(id, str_find_char(id, '/') + 1, id.n);
    document_add(to->d, NULL, (struct block){.kind = BLOCK_RULE});
    link_to(to, NULL, arena_printf(a, "%.*s.json", STR_ARG(slug)), nothing(),
            STR("JSON"));
    link_to(to, NULL, arena_printf(a, "../../%s/%.*s.md", is_zh ? "en" : "zh",
                                   STR_ARG(id)),
            nothing(), is_zh ? STR("English") : STR("中文"));
    link_to(to, NULL, STR("../index.md"), nothing(), said(to->t, "list.all"));
}

void entry_document(const struct teller *t, const struct entry *e,
                    struct document *d) {
    struct telling to = {t, d};
    d->is_page = true;
    tell_head(&to, e);
    tell_signatures(&to, e);
    tell_workarounds(&to, e);
    tell_dead_ends(&to, e);
    tell_where_true(&to, e);
    tell_references(&to, "explain.docs", e->docs, e->doc_count);
    tell_references(&to, "explain.evidence", e->evidence, e->evidence_count);
    tell_relations(&to, e);
    tell_history(&to, e);
    if (t->o->is_site) {
        tell_links(&to, e->id);
    }
}
