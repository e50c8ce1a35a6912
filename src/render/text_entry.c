/* text_entry.c: a whole entry for `oomkb explain`: what it is, how it is
 * recognised, what helps and what does not, where it is true, who says so. */
#include "render/page.h"

static void heading(struct page *p, const char *key) {
    page_blank(p);
    page_text(p, 0, INK_STRONG, said(p->t, key));
}

static void labelled(struct page *p, const char *key, struct str value) {
    if (value.n == 0) {
        return;
    }
    struct str label = said(p->t, key);
    page_item(p, 2, said_with(p->t, "report.label", &label, 1), INK_PLAIN,
              value);
}

static void write_head(struct page *p, const struct entry *e) {
    page_pair(p, 0, (struct str){NULL, 0}, INK_STRONG,
              said_text(p->t, &e->title), INK_DIM, e->id);
    page_text(p, 0, INK_DIM, shown_kind(p->t, e));
    struct str withdrawn = said_text(p->t, &e->withdrawn);
    if (withdrawn.n > 0) {
        page_text(p, 0, INK_WARN,
                  said_with(p->t, "explain.withdrawn", &withdrawn, 1));
    }
    page_blank(p);
    page_text(p, 0, INK_PLAIN, said_text(p->t, &e->root_cause));
}

static void write_signatures(struct page *p, const struct entry *e) {
    if (e->signature_count == 0 && e->same_words_as.n == 0) {
        return;
    }
    heading(p, "explain.recognised");
    if (e->same_words_as.n > 0) {
        page_text(p, 2, INK_PLAIN,
                  said_with(p->t, "explain.same_words", &e->same_words_as, 1));
    }
    for (size_t i = 0; i < e->signature_count; i++) {
        const struct signature *s = &e->signatures[i];
        page_text(p, 2, INK_PLAIN, str_trim(s->sample));
        for (size_t v = 0; v < s->version_count; v++) {
            page_text(p, 4, INK_DIM, shown_range(p->t, &s->versions[v]));
        }
    }
    for (size_t i = 0; i < e->when.count; i++) {
        page_item(p, 2, said(p->t, "explain.when"), INK_DIM, e->when.at[i]);
    }
}

/* The stored rate, and what it rests on. */
static void write_rate(struct page *p, const struct rate *rate,
                       bool is_failure) {
    struct str words = is_failure ? shown_failure(p->t, rate)
                                  : shown_stored_rate(p->t, rate);
    if (words.n > 0) {
        page_text(p, 4, INK_DIM, words);
    }
    page_text(p, 4, INK_DIM, said_text(p->t, &rate->because));
    for (size_t i = 0; i < rate->links.count; i++) {
        page_text(p, 6, INK_DIM, rate->links.at[i]);
    }
    page_text(p, 6, INK_DIM, rate->source);
}

static void write_when(struct page *p, const struct str_list *when) {
    for (size_t i = 0; i < when->count; i++) {
        page_item(p, 4, said(p->t, "explain.when"), INK_DIM, when->at[i]);
    }
}

static void write_workarounds(struct page *p, const struct entry *e) {
    if (e->workaround_count == 0) {
        return;
    }
    heading(p, "explain.fixes");
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct workaround *w = &e->workarounds[i];
        page_pair(p, 2, STR("+ "), INK_STRONG, said_text(p->t, &w->action),
                  INK_DIM, fix_cost(p->t, w->effort, w->loses));
        page_text(p, 4, INK_DIM, said_with(p->t, "explain.fix_id", &w->id, 1));
        page_text(p, 4, INK_PLAIN, said_text(p->t, &w->how));
        page_command(p, 8, w->command);
        struct str but = said_text(p->t, &w->trade_off);
        if (but.n > 0) {
            page_text(p, 4, INK_PLAIN,
                      said_with(p->t, "report.trade_off", &but, 1));
        }
        write_when(p, &w->when);
        write_rate(p, &w->success, false);
    }
}

static void write_dead_ends(struct page *p, const struct entry *e) {
    if (e->dead_end_count == 0) {
        return;
    }
    heading(p, "report.not_this");
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct dead_end *d = &e->dead_ends[i];
        page_item(p, 2, STR("x "), INK_STRONG, said_text(p->t, &d->action));
        page_text(p, 4, INK_PLAIN, said_text(p->t, &d->why));
        struct str instead = said_text(p->t, &d->instead);
        if (instead.n > 0) {
            page_text(p, 4, INK_PLAIN,
                      said_with(p->t, "explain.instead", &instead, 1));
        }
        write_when(p, &d->when);
        write_rate(p, &d->fail, true);
    }
}

static void write_where_true(struct page *p, const struct entry *e) {
    if (e->version_count + e->hardware_count == 0) {
        return;
    }
    heading(p, "explain.where");
    for (size_t i = 0; i < e->version_count; i++) {
        const struct compatibility *c = &e->versions[i];
        page_pair(p, 2, (struct str){NULL, 0}, INK_PLAIN,
                  shown_range(p->t, &c->range), INK_DIM,
                  said_word(p->t, WORDS_RANGE_STATUS, (int)c->status));
        page_text(p, 4, INK_DIM, said_text(p->t, &c->note));
    }
    for (size_t i = 0; i < e->hardware_count; i++) {
        const struct hardware *h = &e->hardware[i];
        page_pair(p, 2, (struct str){NULL, 0}, INK_PLAIN, h->name, INK_DIM,
                  said_word(p->t, WORDS_RANGE_STATUS, (int)h->status));
        page_text(p, 4, INK_DIM, said_text(p->t, &h->note));
    }
}

static void write_references(struct page *p, const char *key,
                             const struct reference *at, size_t count) {
    if (count == 0) {
        return;
    }
    heading(p, key);
    for (size_t i = 0; i < count; i++) {
        page_pair(p, 2, (struct str){NULL, 0}, INK_PLAIN, at[i].url, INK_DIM,
                  at[i].seen);
        page_text(p, 4, INK_DIM, said_text(p->t, &at[i].claim));
    }
}

static void write_relations(struct page *p, const struct entry *e) {
    if (e->relation_count == 0) {
        return;
    }
    heading(p, "explain.related");
    for (size_t i = 0; i < e->relation_count; i++) {
        const struct relation *r = &e->relations[i];
        page_pair(p, 2, (struct str){NULL, 0}, INK_PLAIN, r->entry, INK_DIM,
                  said_word(p->t, WORDS_RELATION, (int)r->kind));
        page_text(p, 4, INK_DIM, said_text(p->t, &r->tell_apart));
    }
}

static struct str ratio_or_none(const struct teller *t, int64_t micro) {
    return micro < 0 ? (struct str){NULL, 0}
                     : shown_number(t, UNIT_RATIO, micro);
}

static void write_history(struct page *p, const struct entry *e) {
    const struct provenance *from = &e->provenance;
    heading(p, "explain.history");
    labelled(p, "explain.first_seen", e->first_seen);
    labelled(p, "explain.last_verified", e->last_verified);
    if (from->source.n == 0 && from->verification.n == 0) {
        return;
    }
    labelled(p, "explain.claimed_by", from->source);
    labelled(p, "explain.verification", from->verification);
    labelled(p, "explain.confidence",
             ratio_or_none(p->t, from->confidence_micro));
    labelled(p, "explain.fix_rate", ratio_or_none(p->t, from->fix_rate_micro));
    if (from->evidence_count >= 0) {
        labelled(p, "explain.evidence_count",
                 shown_number(p->t, UNIT_COUNT, from->evidence_count));
    }
}

void text_entry(struct arena *a, struct reader *r, const struct entry *entry,
                const struct render_options *o, struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct page p = page_open(&t, out);
    write_head(&p, entry);
    write_signatures(&p, entry);
    write_workarounds(&p, entry);
    write_dead_ends(&p, entry);
    write_where_true(&p, entry);
    write_references(&p, "explain.docs", entry->docs, entry->doc_count);
    write_references(&p, "explain.evidence", entry->evidence,
                     entry->evidence_count);
    write_relations(&p, entry);
    write_history(&p, entry);
}
