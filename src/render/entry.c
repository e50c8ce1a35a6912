/* entry.c: a whole entry for `oomkb explain` and the pages of a site: what it
 * is, how it is recognised, its fixes and dead ends, where it is true, and its
 * sources. A value that only a log has is written as <gpu_count>, in a command
 * as GPU_COUNT. Of a condition, which is SQL, the facts are listed; JSON has
 * all of it. */
#include "render/parts.h"

#include "diagnose/diagnose.h"
#include "index/predicate.h"

static struct block *section(const struct render *t, const char *key) {
    struct block *under = document_section(t, key);
    under->is_open = true;
    return under;
}

static struct block *item(const struct render *t, struct block *under,
                          const char *mark, struct str words,
                          struct str column) {
    struct block *it = document_item(t, under, mark, words);
    it->column[0] = column;
    it->column_tone = TONE_DIM;
    return it;
}

/* Links to its folder, to the page in the other language and to its JSON. */
static void add_links(const struct render *t, struct block *under,
                      struct str id) {
    struct str slug, folder = str_cut(id, '/', &slug);
    document_link(t, under, STR("README.md"), folder);
    document_link(
        t, under,
        arena_printf(t->a, "../../%s/%.*s.md", site_other(t), STR_ARG(id)),
        tr(t, "site.other"));
    document_link(t, under, arena_printf(t->a, "%.*s.json", STR_ARG(slug)),
                  STR("JSON"));
}

static void add_head(const struct render *t, const struct entry *e) {
    struct str kind = TR(t, "explain.kind", e->component,
                         word_text(t, WORDS_MECHANISM, (int)e->mechanism),
                         word_text(t, WORDS_SEVERITY, (int)e->severity),
                         word_text(t, WORDS_ROLE, (int)e->role));
    document_title(t, TONE_STRONG, localized(t, &e->title));
    struct block *id =
        document_add(t, NULL,
                     (struct block){.kind = BLOCK_ID,
                                    .text = e->id,
                                    .tone = TONE_DIM,
                                    .column = {kind}});
    if (t->o->is_site)
        add_links(t, id, e->id);
    document_toned(t, NULL, TONE_WARN,
                   tr_if(t, "explain.withdrawn", localized(t, &e->withdrawn)));
    document_text(t, NULL, localized(t, &e->root_cause));
}

/* The kind of device that the first of its signatures sets; empty: none. */
static struct str device_of(const struct entry *e) {
    for (size_t i = 0; i < e->signature_count; i++)
        for (size_t k = 0; k < e->signatures[i].set_count; k++)
            if (e->signatures[i].set[k].name == FACT_device_kind)
                return e->signatures[i].set[k].value;
    return STR("");
}

static struct str unfilled(const struct render *t, struct str device,
                           const struct text *is) {
    return template_unfilled(t->a, localized(t, is), device, false);
}

/* The facts of the conditions, each once. */
static void add_when(const struct render *t, struct block *under,
                     const struct str_list *when) {
    bool is_there[FACT_COUNT_OF] = {false};
    struct words out = words_begin(t, tr(t, "report.comma"));
    for (size_t i = 0; i < when->count; i++) {
        struct predicate p = predicate_read(t->a, when->at[i]);
        for (size_t k = 0; k < p.fact_count; k++) {
            if (!is_there[p.facts[k]])
                words_add(&out, label_text(t, p.facts[k]));
            is_there[p.facts[k]] = true;
        }
    }
    document_text(t, under, words_into(&out, "explain.when"));
}

static void add_signatures(const struct render *t, const struct entry *e) {
    struct block *under = section(t, "explain.recognised");
    document_text(t, under,
                  tr_if(t, "explain.same_words",
                        in_backquotes(t->a, e->same_words_as)));
    for (size_t i = 0; i < e->signature_count; i++) {
        const struct signature *s = &e->signatures[i];
        document_code(t, under, str_trim(s->sample));
        for (size_t v = 0; v < s->version_count; v++) {
            struct str range = range_text(t, &s->versions[v]);
            document_text(
                t, under,
                tr_if(t, "explain.printed_by", in_backquotes(t->a, range)));
        }
    }
    add_when(t, under, &e->when);
}

/* The stored rate, its reason and its sources. */
static void add_rate(const struct render *t, struct block *under,
                     const struct rate *rate, bool is_failure) {
    document_text(t, under,
                  is_failure ? failure_text(t, rate)
                             : stored_rate_text(t, rate));
    document_text(t, under, localized(t, &rate->because));
    document_text(t, under, rate->source);
    for (size_t i = 0; i < rate->links.count; i++)
        document_link(t, under, rate->links.at[i], STR(""));
}

/* True for `name(` without a blank, which is Python most often. */
static bool is_call(struct str code) {
    struct str name = str_slice(code, 0, str_find_char(code, '('));
    return name.n > 0 && name.n < code.n && !STR_HAS_ONE(name, " ", "\"");
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

static void add_workarounds(const struct render *t, const struct entry *e) {
    struct block *under = section(t, "explain.fixes");
    struct str device = device_of(e);
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct workaround *w = &e->workarounds[i];
        struct block *it = item(t, under, "+", unfilled(t, device, &w->action),
                                TR(t, "explain.cost",
                                   word_text(t, WORDS_EFFORT, (int)w->effort),
                                   word_text(t, WORDS_LOSES, (int)w->loses)));
        it->tone = TONE_STRONG;
        struct str command = template_unfilled(t->a, w->command, device, true);
        document_code(t, it, command)->language =
            language_of(command, w->acts_on.kind);
        document_text(t, it, unfilled(t, device, &w->how));
        document_text(t, it, fix_trade_off(t, w));
        document_text(t, it, tr_if(t, "explain.fix_id", w->id));
        add_when(t, it, &w->when);
        add_rate(t, it, &w->success, false);
    }
}

static void add_dead_ends(const struct render *t, const struct entry *e) {
    struct block *under = section(t, "report.not_this");
    struct str device = device_of(e);
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct dead_end *d = &e->dead_ends[i];
        struct block *it =
            item(t, under, "x", unfilled(t, device, &d->action), STR(""));
        it->tone = TONE_STRONG;
        document_text(t, it, unfilled(t, device, &d->why));
        document_text(
            t, it,
            tr_if(t, "explain.instead", unfilled(t, device, &d->instead)));
        add_when(t, it, &d->when);
        add_rate(t, it, &d->fail, true);
    }
}

static void add_status(const struct render *t, struct block *under,
                       struct str where, int status, const struct text *note) {
    struct str word = word_text(t, WORDS_RANGE_STATUS, status);
    document_text(t, item(t, under, "-", where, word), localized(t, note));
}

static void add_where_true(const struct render *t, const struct entry *e) {
    struct block *under = section(t, "explain.where");
    for (size_t i = 0; i < e->version_count; i++) {
        const struct compatibility *c = &e->versions[i];
        struct str range = in_backquotes(t->a, range_text(t, &c->range));
        add_status(t, under, range, (int)c->status, &c->note);
    }
    for (size_t i = 0; i < e->hardware_count; i++) {
        const struct hardware *h = &e->hardware[i];
        add_status(t, under, h->name, (int)h->status, &h->note);
    }
}

static void add_sources(const struct render *t, const struct entry *e) {
    struct block *under = section(t, "explain.sources");
    for (size_t i = 0; i < e->doc_count + e->evidence_count; i++) {
        const struct reference *is = i < e->doc_count
                                         ? &e->docs[i]
                                         : &e->evidence[i - e->doc_count];
        struct block *link =
            document_link(t, under, is->url, localized(t, &is->claim));
        link->column[0] = is->seen;
        link->column_tone = TONE_DIM;
    }
}

static void add_relations(const struct render *t, const struct entry *e) {
    struct block *under = section(t, "explain.related");
    for (size_t i = 0; i < e->relation_count; i++) {
        const struct relation *r = &e->relations[i];
        struct block *it = item(t, under, "-", r->entry,
                                word_text(t, WORDS_RELATION, (int)r->kind));
        it->href = t->o->is_site
                       ? arena_printf(t->a, "../%.*s.md", STR_ARG(r->entry))
                       : it->href;
        document_text(t, it, localized(t, &r->tell_apart));
    }
}

static void labelled(const struct render *t, struct block *under,
                     const char *key, struct str value) {
    document_labelled(t, under, tr(t, key), value);
}

static struct str number_or_none(const struct render *t, enum unit unit,
                                 int64_t n) {
    return n < 0 ? STR("") : number_text(t, unit, n);
}

static void add_history(const struct render *t, const struct entry *e) {
    const struct provenance *from = &e->provenance;
    struct block *under = section(t, "explain.history");
    labelled(t, under, "explain.first_seen", e->first_seen);
    labelled(t, under, "explain.last_verified", e->last_verified);
    if (from->source.n == 0 && from->verification.n == 0)
        return;
    labelled(t, under, "explain.claimed_by", from->source);
    labelled(t, under, "explain.verification", from->verification);
    labelled(t, under, "explain.confidence",
             number_or_none(t, UNIT_RATIO, from->confidence_micro));
    labelled(t, under, "explain.fix_rate",
             number_or_none(t, UNIT_RATIO, from->fix_rate_micro));
    labelled(t, under, "explain.evidence_count",
             number_or_none(t, UNIT_COUNT, from->evidence_count));
}

void entry_document(const struct render *t, const struct entry *e) {
    t->d->is_page = true;
    add_head(t, e);
    add_signatures(t, e);
    add_workarounds(t, e);
    add_dead_ends(t, e);
    add_where_true(t, e);
    add_relations(t, e);
    add_history(t, e);
    add_sources(t, e);
}
