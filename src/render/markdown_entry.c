/* markdown_entry.c: a whole entry as Markdown, for `oomkb explain` and, with
 * links between the pages, for `oomkb site`:
 *
 *     DIR/en/<component>/<slug>.md     ../<component>/<slug>.md  another entry
 *                                      ../../zh/<id>.md          the same
 */
#include "render/sheet.h"

#define SEPARATOR " \u00b7 "

static void heading(struct sheet *s, const char *key) {
    sheet_heading(s, 2, said(s->t, key));
}

static void item(struct sheet *s, struct str text) {
    if (text.n > 0) {
        sheet_raw(s, "- ");
        sheet_put(s, text);
        sheet_raw(s, "\n");
    }
}

/* ": note", where there is a note; the line ends. */
static void end_with(struct sheet *s, struct str note) {
    if (note.n > 0) {
        sheet_raw(s, SEPARATOR);
        sheet_put(s, note);
    }
    sheet_raw(s, "\n");
}

static void write_head(struct sheet *s, const struct entry *e) {
    sheet_heading(s, 1, said_text(s->t, &e->title));
    sheet_blank(s);
    sheet_span(s, e->id);
    sheet_raw(s, SEPARATOR);
    sheet_put(s, shown_kind(s->t, e));
    sheet_raw(s, "\n");
    struct str withdrawn = said_text(s->t, &e->withdrawn);
    if (withdrawn.n > 0) {
        sheet_quote(s, said_with(s->t, "explain.withdrawn", &withdrawn, 1));
    }
    sheet_text(s, said_text(s->t, &e->root_cause));
}

static void write_when(struct sheet *s, const struct str_list *when) {
    for (size_t i = 0; i < when->count; i++) {
        sheet_raw(s, "- ");
        sheet_put(s, said(s->t, "explain.when"));
        sheet_raw(s, " ");
        sheet_span(s, when->at[i]);
        sheet_raw(s, "\n");
    }
}

static void write_signature(struct sheet *s, const struct signature *is) {
    sheet_code(s, 0, "text", is->sample);
    if (is->version_count > 0) {
        sheet_blank(s);
    }
    for (size_t i = 0; i < is->version_count; i++) {
        sheet_raw(s, "- ");
        sheet_span(s, shown_range(s->t, &is->versions[i]));
        sheet_raw(s, "\n");
    }
}

static void write_signatures(struct sheet *s, const struct entry *e) {
    if (e->signature_count == 0 && e->same_words_as.n == 0) {
        return;
    }
    heading(s, "explain.recognised");
    if (e->same_words_as.n > 0) {
        struct str code = arena_printf(s->t->a, "`%.*s`",
                                       STR_ARG(e->same_words_as));
        sheet_text(s, said_with(s->t, "explain.same_words", &code, 1));
    }
    for (size_t i = 0; i < e->signature_count; i++) {
        write_signature(s, &e->signatures[i]);
    }
    if (e->when.count > 0) {
        sheet_blank(s);
    }
    write_when(s, &e->when);
}

/* The stored rate, and what it rests on. */
static void write_rate(struct sheet *s, const struct rate *rate,
                       bool is_failure) {
    struct str words = is_failure ? shown_failure(s->t, rate)
                                  : shown_stored_rate(s->t, rate);
    if (words.n > 0) {
        item(s, words);
    }
    item(s, said_text(s->t, &rate->because));
    item(s, rate->source);
    for (size_t i = 0; i < rate->links.count; i++) {
        sheet_raw(s, "- ");
        sheet_url(s, rate->links.at[i]);
        sheet_raw(s, "\n");
    }
}

static void write_workarounds(struct sheet *s, const struct entry *e) {
    if (e->workaround_count > 0) {
        heading(s, "explain.fixes");
    }
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct workaround *w = &e->workarounds[i];
        sheet_heading(s, 3, said_text(s->t, &w->action));
        sheet_text(s, said_text(s->t, &w->how));
        sheet_code(s, 0, "sh", w->command);
        sheet_text(s, fix_trade_off(s->t, w));
        sheet_blank(s);
        item(s, fix_cost(s->t, w->effort, w->loses));
        item(s, said_with(s->t, "explain.fix_id", &w->id, 1));
        write_when(s, &w->when);
        write_rate(s, &w->success, false);
    }
}

static void write_dead_ends(struct sheet *s, const struct entry *e) {
    if (e->dead_end_count > 0) {
        heading(s, "report.not_this");
    }
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct dead_end *d = &e->dead_ends[i];
        sheet_heading(s, 3, said_text(s->t, &d->action));
        sheet_text(s, said_text(s->t, &d->why));
        struct str instead = said_text(s->t, &d->instead);
        if (instead.n > 0) {
            sheet_text(s, said_with(s->t, "explain.instead", &instead, 1));
        }
        sheet_blank(s);
        write_when(s, &d->when);
        write_rate(s, &d->fail, true);
    }
}

static void write_where_true(struct sheet *s, const struct entry *e) {
    if (e->version_count + e->hardware_count == 0) {
        return;
    }
    heading(s, "explain.where");
    sheet_blank(s);
    for (size_t i = 0; i < e->version_count; i++) {
        const struct compatibility *c = &e->versions[i];
        sheet_raw(s, "- ");
        sheet_span(s, shown_range(s->t, &c->range));
        sheet_raw(s, SEPARATOR);
        sheet_put(s, said_word(s->t, WORDS_RANGE_STATUS, (int)c->status));
        end_with(s, said_text(s->t, &c->note));
    }
    for (size_t i = 0; i < e->hardware_count; i++) {
        const struct hardware *h = &e->hardware[i];
        sheet_raw(s, "- ");
        sheet_put(s, h->name);
        sheet_raw(s, SEPARATOR);
        sheet_put(s, said_word(s->t, WORDS_RANGE_STATUS, (int)h->status));
        end_with(s, said_text(s->t, &h->note));
    }
}

static void write_references(struct sheet *s, const char *key,
                             const struct reference *at, size_t count) {
    if (count == 0) {
        return;
    }
    heading(s, key);
    sheet_blank(s);
    for (size_t i = 0; i < count; i++) {
        sheet_raw(s, "- ");
        sheet_url(s, at[i].url);
        if (at[i].seen.n > 0) {
            sheet_raw(s, SEPARATOR);
            sheet_put(s, at[i].seen);
        }
        end_with(s, said_text(s->t, &at[i].claim));
    }
}

static void write_relations(struct sheet *s, const struct entry *e) {
    if (e->relation_count == 0) {
        return;
    }
    heading(s, "explain.related");
    sheet_blank(s);
    for (size_t i = 0; i < e->relation_count; i++) {
        const struct relation *r = &e->relations[i];
        sheet_raw(s, "- ");
        sheet_entry(s, r->entry);
        sheet_raw(s, SEPARATOR);
        sheet_put(s, said_word(s->t, WORDS_RELATION, (int)r->kind));
        end_with(s, said_text(s->t, &r->tell_apart));
    }
}

static void labelled(struct sheet *s, const char *key, struct str value) {
    if (value.n == 0) {
        return;
    }
    struct str label = said(s->t, key);
    struct str with_colon = said_with(s->t, "report.label", &label, 1);
    item(s, arena_printf(s->t->a, "%.*s%.*s", STR_ARG(with_colon),
                         STR_ARG(value)));
}

static struct str number_or_none(const struct teller *t, enum unit unit,
                                 int64_t n) {
    return n < 0 ? (struct str){NULL, 0} : shown_number(t, unit, n);
}

static void write_history(struct sheet *s, const struct entry *e) {
    const struct provenance *from = &e->provenance;
    if (e->first_seen.n + e->last_verified.n + from->source.n +
            from->verification.n == 0) {
        return;
    }
    heading(s, "explain.history");
    sheet_blank(s);
    labelled(s, "explain.first_seen", e->first_seen);
    labelled(s, "explain.last_verified", e->last_verified);
    if (from->source.n == 0 && from->verification.n == 0) {
        return;
    }
    labelled(s, "explain.claimed_by", from->source);
    labelled(s, "explain.verification", from->verification);
    labelled(s, "explain.confidence",
             number_or_none(s->t, UNIT_RATIO, from->confidence_micro));
    labelled(s, "explain.fix_rate",
             number_or_none(s->t, UNIT_RATIO, from->fix_rate_micro));
    labelled(s, "explain.evidence_count",
             number_or_none(s->t, UNIT_COUNT, from->evidence_count));
}

/* To the same page as JSON and in the other language, and to the index. */
static void write_links(struct sheet *s, struct str id) {
    bool is_zh = s->t->lang == LANG_ZH;
    struct str slug = str_slice(id, str_find_char(id, '/') + 1, id.n);
    sheet_blank(s);
    sheet_raw(s, "---\n\n[JSON](");
    buf_printf(s->out, "%.*s.json)", STR_ARG(slug));
    sheet_raw(s, is_zh ? SEPARATOR "[English](../../en/"
                       : SEPARATOR "[\u4e2d\u6587](../../zh/");
    buf_printf(s->out, "%.*s.md)", STR_ARG(id));
    sheet_raw(s, SEPARATOR "[");
    sheet_put(s, said(s->t, "list.all"));
    sheet_raw(s, "](../index.md)\n");
}

void markdown_entry(struct arena *a, struct reader *r,
                    const struct entry *entry, const struct render_options *o,
                    struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct sheet s = {&t, out};
    write_head(&s, entry);
    write_signatures(&s, entry);
    write_workarounds(&s, entry);
    write_dead_ends(&s, entry);
    write_where_true(&s, entry);
    write_references(&s, "explain.docs", entry->docs, entry->doc_count);
    write_references(&s, "explain.evidence", entry->evidence,
                     entry->evidence_count);
    write_relations(&s, entry);
    write_history(&s, entry);
    if (o->is_site) {
        write_links(&s, entry->id);
    }
}
