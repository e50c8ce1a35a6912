/* entry.c: a whole entry for `oomkb explain` and the pages of a site: what it
 * is, how it is recognised, what helps and what does not, where it is true,
 * and last its sources. No log fills the texts: what a log would say stands as
 * <gpu_count>, in a command as GPU_COUNT. A condition is SQL; its facts are
 * named here, JSON has it whole. */
#include "render/parts.h"

#include "diagnose/diagnose.h"
#include "index/predicate.h"

/* What the rest of this file says is said to one document. */
struct telling {
    const struct teller *t;
    struct document *d;
    struct str device; /* kind that its first message sets; empty: none */
};

static struct block *section(const struct telling *to, const char *key) {
    struct block *under = document_section(to->d, said(to->t, key));
    under->is_open = true;
    return under;
}

static void text(const struct telling *to, struct block *under,
                 struct str words) {
    document_text(to->d, under, TONE_PLAIN, words);
}

/* Said where there is something to fill in. */
static void text_with(const struct telling *to, struct block *under,
                      const char *key, struct str arg) {
    text(to, under, arg.n > 0 ? said_with(to->t, key, &arg, 1) : arg);
}

static struct block *item(const struct telling *to, struct block *under,
                          const char *mark, struct str words,
                          struct str column) {
    struct block *it = document_item(to->d, under, mark, words);
    it->column[0] = column;
    it->column_tone = TONE_DIM;
    return it;
}

/* To the same page as JSON and in the other language, and to its folder. */
static void tell_links(const struct telling *to, struct block *under,
                       struct str id) {
    struct str slug, folder = str_cut(id, '/', &slug);
    document_link(to->d, under, STR("README.md"), folder);
    document_link(to->d, under,
                  arena_printf(to->t->a, "../../%s/%.*s.md", site_other(to->t),
                               STR_ARG(id)),
                  said(to->t, "site.other"));
    document_link(to->d, under,
                  arena_printf(to->t->a, "%.*s.json", STR_ARG(slug)),
                  STR("JSON"));
}

static void tell_head(const struct telling *to, const struct entry *e) {
    struct str withdrawn = said_text(to->t, &e->withdrawn);
    document_title(to->d, TONE_STRONG, said_text(to->t, &e->title));
    struct block *id = document_add(
        to->d, NULL, (struct block){.kind = BLOCK_ID, .text = e->id,
                                    .tone = TONE_DIM,
                                    .column = {shown_kind(to->t, e)}});
    if (to->t->o->is_site)
        tell_links(to, id, e->id);
    if (withdrawn.n > 0)
        document_text(to->d, NULL, TONE_WARN,
                      said_with(to->t, "explain.withdrawn", &withdrawn, 1));
    text(to, NULL, said_text(to->t, &e->root_cause));
}

static struct str unfilled(const struct telling *to, const struct text *is) {
    return template_unfilled(to->t->a, said_text(to->t, is), to->device, false);
}

/* The facts of the conditions, each once. */
static void tell_when(const struct telling *to, struct block *under,
                      const struct str_list *when) {
    bool is_said[FACT_COUNT_OF] = {false};
    struct words out = words_begin(to->t, said(to->t, "report.comma"));
    for (size_t i = 0; i < when->count; i++) {
        struct predicate p = predicate_read(when->at[i], NULL);
        for (size_t k = 0; k < p.fact_count; k++) {
            if (!is_said[p.facts[k]])
                words_add(&out, said_fact(to->t, p.facts[k]));
            is_said[p.facts[k]] = true;
        }
    }
    text(to, under, words_said(&out, "explain.when"));
}

static void tell_signatures(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "explain.recognised");
    text_with(to, under, "explain.same_words",
              in_backquotes(to->t->a, e->same_words_as));
    for (size_t i = 0; i < e->signature_count; i++) {
        const struct signature *s = &e->signatures[i];
        document_code(to->d, under, str_trim(s->sample));
        for (size_t v = 0; v < s->version_count; v++) {
            struct str range = shown_range(to->t, &s->versions[v]);
            text_with(to, under, "explain.printed_by",
                      in_backquotes(to->t->a, range));
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
    for (size_t i = 0; i < rate->links.count; i++)
        document_link(to->d, under, rate->links.at[i], STR(""));
}

/* `name(`, with no blank before it: what Python, and little else, looks like. */
static bool is_call(struct str code) {
    struct str name = str_slice(code, 0, str_find_char(code, '('));
    return name.n > 0 && name.n < code.n && str_find_char(name, ' ') == name.n &&
           str_find_char(name, '"') == name.n;
}

static const char *language_of(struct str code, enum act_kind kind) {
    struct str word = str_slice(code, 0, str_find_char(code, ' '));
    bool is_json = str_starts(code, STR("{\"")) || str_starts(code, STR("\""));
    return is_json                     ? "json"
           : str_ends(word, STR(":")) ? "yaml"
           : is_call(code)             ? "python"
           : kind == ACT_KIND_code     ? "text"
                                       : "sh";
}

static void tell_workarounds(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "explain.fixes");
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct workaround *w = &e->workarounds[i];
        struct str cost[] = {said_word(to->t, WORDS_EFFORT, (int)w->effort),
                             said_word(to->t, WORDS_LOSES, (int)w->loses)};
        struct block *it = item(to, under, "+", unfilled(to, &w->action),
                                said_with(to->t, "explain.cost", cost, 2));
        it->tone = TONE_STRONG;
        struct str command = template_unfilled(to->t->a, w->command,
                                               to->device, true);
        document_code(to->d, it, command)->language =
            language_of(command, w->acts_on.kind);
        text(to, it, unfilled(to, &w->how));
        text(to, it, fix_trade_off(to->t, w));
        text_with(to, it, "explain.fix_id", w->id);
        tell_when(to, it, &w->when);
        tell_rate(to, it, &w->success, false);
    }
}

static void tell_dead_ends(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "report.not_this");
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct dead_end *d = &e->dead_ends[i];
        struct block *it = item(to, under, "x", unfilled(to, &d->action),
                                STR(""));
        it->tone = TONE_STRONG;
        text(to, it, unfilled(to, &d->why));
        text_with(to, it, "explain.instead", unfilled(to, &d->instead));
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

static void tell_sources(const struct telling *to, const struct entry *e) {
    struct block *under = section(to, "explain.sources");
    for (size_t i = 0; i < e->doc_count + e->evidence_count; i++) {
        const struct reference *is = i < e->doc_count
                                         ? &e->docs[i]
                                         : &e->evidence[i - e->doc_count];
        struct block *link = document_link(to->d, under, is->url,
                                           said_text(to->t, &is->claim));
        link->column[0] = is->seen;
        link->column_tone = TONE_DIM;
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
    label = said_with(to->t, "report.label", &label, 1);
    if (value.n > 0)
        document_item(to->d, under, "-",
                      arena_printf(to->t->a, "%.*s%.*s", STR_ARG(label),
                                   STR_ARG(value)));
}

static struct str number_or_none(const struct telling *to, enum unit unit,
                                 int64_t n) {
    return n < 0 ? STR("") : shown_number(to->t, unit, n);
}

static void tell_history(const struct telling *to, const struct entry *e) {
    const struct provenance *from = &e->provenance;
    struct block *under = section(to, "explain.history");
    labelled(to, under, "explain.first_seen", e->first_seen);
    labelled(to, under, "explain.last_verified", e->last_verified);
    if (from->source.n == 0 && from->verification.n == 0)
        return;
    labelled(to, under, "explain.claimed_by", from->source);
    labelled(to, under, "explain.verification", from->verification);
    labelled(to, under, "explain.confidence",
             number_or_none(to, UNIT_RATIO, from->confidence_micro));
    labelled(to, under, "explain.fix_rate",
             number_or_none(to, UNIT_RATIO, from->fix_rate_micro));
    labelled(to, under, "explain.evidence_count",
             number_or_none(to, UNIT_COUNT, from->evidence_count));
}

/* The first of its messages that names a kind of device. */
static struct str device_of(const struct entry *e) {
    for (size_t i = 0; i < e->signature_count; i++) {
        for (size_t k = 0; k < e->signatures[i].set_count; k++) {
            const struct setting *is = &e->signatures[i].set[k];
            if (is->name == FACT_device_kind)
                return is->value;
        }
    }
    return STR("");
}

void entry_document(const struct teller *t, const struct entry *e,
                    struct document *d) {
    struct telling to = {t, d, device_of(e)};
    d->is_page = true;
    tell_head(&to, e);
    tell_signatures(&to, e);
    tell_workarounds(&to, e);
    tell_dead_ends(&to, e);
    tell_where_true(&to, e);
    tell_relations(&to, e);
    tell_history(&to, e);
    tell_sources(&to, e);
}
