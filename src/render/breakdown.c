/* breakdown.c: `oomkb memory`: the first card as a bar and as a table of parts
 * that add up to the whole, the tokens in its KV cache, and a table of the
 * other cards. The JSON is an ABI (kb/memory.schema.json). */
#include "render/parts.h"

#include "memory/span.h"

#define SCHEMA 1

/* The breakdown of the start; if the log has none, the card of the first
 * failure whose parts are known. */
static struct breakdown breakdown_of(const struct render *t,
                                     const struct report *rep) {
    struct breakdown b = rep->memory;
    for (size_t i = 0; b.count == 0 && i < rep->finding_count; i++) {
        const struct finding *f = &rep->findings[i];
        if (f->budget.count > 0 && !f->is_contradictory) {
            b.cards = arena_alloc(t->a, sizeof *b.cards);
            b.cards[b.count++] = memory_card_of(t->a, &f->budget);
        }
    }
    return b;
}

/* ---- words ---- */

static struct str share_text(const struct render *t, int64_t bytes,
                             const struct card_memory *card) {
    int64_t of = card->budget.total.known ? span_middle(card->budget.total)
                                          : card->named_bytes;
    int64_t tenths = 0;
    if (of <= 0 || !mul_div_floor(bytes, 1000, of, &tenths))
        return STR("-");
    return arena_printf(t->a, "%d.%d %%", (int)(tenths / 10),
                        (int)(tenths % 10));
}

/* The translation of a source as memory/ writes it: "log line 12". */
static struct str source_text(const struct render *t, struct str source) {
    struct str line = STR("log line ");
    if (str_starts(source, line))
        return TR(t, "breakdown.line", str_from(source, line.n));
    static const struct {
        const char *source, *key;
    } known[] = {{"catalogue", "breakdown.catalogue"},
                 {"default", "breakdown.default"},
                 {"derived", "breakdown.derived"},
                 {"given", "breakdown.user"},
                 {"machine", "breakdown.machine"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(source, str_of(known[i].source)))
            return tr(t, known[i].key);
    return source;
}

static struct str card_label(const struct render *t,
                             const struct card_memory *card) {
    bool is_rank = card->rank != FACT_NONE;
    int64_t number = is_rank ? card->rank : card->gpu;
    if (number == FACT_NONE)
        return tr(t, "breakdown.this");
    return TR(t, is_rank ? "breakdown.rank" : "breakdown.card",
              arena_printf(t->a, "%lld", (long long)number));
}

static struct str fact_word_of(const struct report *rep, enum fact_name name) {
    const struct fact *f = facts_last(&rep->context, name);
    return f != NULL ? f->word : STR("");
}

/* "vLLM 0.9.1, Qwen/Qwen3-8B" */
static struct str title_of(const struct render *t, const struct report *rep) {
    struct words list = words_begin(t, tr(t, "report.comma"));
    const struct engine *e =
        reader_engine_by_id(t->r, fact_word_of(rep, FACT_engine));
    struct str version = fact_word_of(rep, FACT_engine_version);
    struct str model = fact_word_of(rep, FACT_model);
    struct str card = fact_word_of(rep, FACT_gpu_name);
    if (e != NULL)
        words_add(&list, arena_printf(t->a, "%.*s%s%.*s", STR_ARG(e->name),
                                      version.n > 0 ? " " : "",
                                      STR_ARG(version)));
    words_add(&list, short_text(t, model, 60));
    words_add(&list, short_text(t, card, 40));
    struct str of = words_into(&list, "breakdown.title_of");
    return of.n > 0 ? of : tr(t, "breakdown.title");
}

/* ---- blocks ---- */

static void add_parts(const struct render *t, const struct card_memory *card) {
    const struct budget *b = &card->budget;
    struct table *table = TABLE(t, NULL, "breakdown.part", "breakdown.size",
                                "breakdown.share", "breakdown.read_from");
    for (size_t i = 0; i < b->count; i++) {
        int64_t bytes = span_middle(b->parts[i].bytes);
        ROW(t, table, part_label(t, b->parts[i].part), bytes_text(t, bytes),
            share_text(t, bytes, card), source_text(t, b->parts[i].source));
    }
    if (b->total.known) {
        int64_t total = span_middle(b->total);
        const char *key =
            card->is_part_of_card ? "breakdown.whole_free" : "breakdown.whole";
        ROW(t, table, tr(t, key), bytes_text(t, total),
            share_text(t, total, card), STR(""))
            ->tone = TONE_STRONG;
    }
}

static void add_closing(const struct render *t,
                        const struct card_memory *card) {
    const struct budget *b = &card->budget;
    if (!b->total.known) {
        document_toned(t, NULL, TONE_WARN, tr(t, "breakdown.no_total"));
    } else if (card->closing == CLOSING_NO) {
        struct str more =
            bytes_text(t, card->named_bytes - span_middle(b->total));
        document_toned(t, NULL, TONE_WARN, TR(t, "breakdown.too_much", more));
    } else if (card->not_told_bytes > 0) {
        struct str part = str_of(b->parts[b->count - 1].part);
        struct str rest = bytes_text(t, card->not_told_bytes);
        const char *key = str_eq(part, STR("not_told"))
                              ? "breakdown.not_told"
                              : "breakdown.free_or_not_told";
        document_text(t, NULL, TR(t, key, rest));
    }
    if (card->is_part_of_card)
        document_toned(t, NULL, TONE_DIM, tr(t, "breakdown.part_of_card"));
}

static void add_pool(const struct render *t, const struct breakdown *b) {
    bool is_known = b->concurrency.known && b->max_model_len > 0;
    if (b->kv_tokens.known)
        document_text(
            t, NULL,
            TR(t, is_known ? "breakdown.pool_at_once" : "breakdown.pool",
               span_text(t, UNIT_TOKENS, b->kv_tokens),
               hundredths_text(t, b->concurrency),
               number_text(t, UNIT_TOKENS, b->max_model_len)));
}

static struct str part_bytes(const struct render *t,
                             const struct card_memory *card, const char *name) {
    for (size_t i = 0; i < card->budget.count; i++) {
        const struct budget_part *part = &card->budget.parts[i];
        int64_t bytes = span_middle(part->bytes);
        if (str_eq(str_of(part->part), str_of(name)) && bytes > 0)
            return bytes_text(t, bytes);
    }
    return STR("-");
}

static void add_others(const struct render *t, const struct breakdown *b) {
    if (b->count < 2)
        return;
    struct block *under = document_section(t, "breakdown.others");
    struct table *table = TABLE(t, under, "breakdown.this", "budget.weights",
                                "budget.kv_cache", "budget.free");
    for (size_t i = 1; i < b->count; i++) {
        const struct card_memory *card = &b->cards[i];
        ROW(t, table, card_label(t, card), part_bytes(t, card, "weights"),
            part_bytes(t, card, "kv_cache"), part_bytes(t, card, "free"));
    }
}

void memory_document(const struct render *t, const struct report *rep) {
    struct breakdown b = breakdown_of(t, rep);
    if (b.count == 0 || b.cards[0].budget.count == 0) {
        document_title(t, TONE_WARN, tr(t, "breakdown.nothing"));
        document_toned(t, NULL, TONE_DIM, tr(t, "breakdown.nothing_how"));
        return;
    }
    const struct card_memory *card = &b.cards[0];
    document_title(t, TONE_STRONG, title_of(t, rep));
    struct bars *bars = bars_of_budget(t, &card->budget, false);
    if (bars->count > 0)
        bars->bar[0].label = card_label(t, card);
    document_bars(t, bars);
    add_parts(t, card);
    add_closing(t, card);
    add_pool(t, &b);
    add_others(t, &b);
}

/* ---- JSON ---- */

static struct json *number_or_null(const struct render *t, int64_t n) {
    return json_int_or_null(t, n != FACT_NONE, n);
}

static struct json *parts_json(const struct render *t,
                               const struct card_memory *card) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < card->budget.count; i++) {
        const struct budget_part *part = &card->budget.parts[i];
        json_push(list,
                  JSON(t, {"part", json_spelling(t->a, part->part)},
                       {"name", json_text(t->a, part_label(t, part->part))},
                       {"bytes", json_int(t->a, span_middle(part->bytes))},
                       {"low", json_int(t->a, part->bytes.low)},
                       {"high", json_int(t->a, part->bytes.high)},
                       {"source", json_str_or_null(t->a, part->source)}));
    }
    return list;
}

static struct json *cards_json(const struct render *t,
                               const struct breakdown *b) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < b->count; i++) {
        const struct card_memory *card = &b->cards[i];
        bool is_known = card->budget.total.known;
        int64_t whole = is_known ? span_middle(card->budget.total) : 0;
        json_push(list,
                  JSON(t, {"rank", number_or_null(t, card->rank)},
                       {"gpu", number_or_null(t, card->gpu)},
                       {"whole", json_int_or_null(t, is_known, whole)},
                       {"whole_is",
                        !is_known ? json_new_null(t->a)
                                  : json_spelling(t->a, card->is_part_of_card
                                                         ? "free_before_load"
                                                         : "card")},
                       {"parts", parts_json(t, card)},
                       {"not_told",
                        json_int_or_null(t, is_known,
                                         card->not_told_bytes)},
                       {"closes", card->closing == CLOSING_UNKNOWN
                                      ? json_new_null(t->a)
                                      : json_bool(t->a, card->closing ==
                                                            CLOSING_YES)}));
    }
    return list;
}

static struct json *context_json(const struct render *t,
                                 const struct report *rep) {
    static const enum fact_name names[] = {
        FACT_engine, FACT_engine_version, FACT_model, FACT_gpu_name,
        FACT_gpu_memory_utilization};
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct fact *f = facts_last(&rep->context, names[i]);
        if (f != NULL)
            json_set(o, fact_spelling(names[i]), json_fact(t, f));
    }
    return o;
}

struct json *json_memory(const struct render *t, const struct report *rep) {
    struct breakdown b = breakdown_of(t, rep);
    return JSON(
        t, {"schema", json_int(t->a, SCHEMA)},
        {"oomkb", json_text(t->a, t->o->version)},
        {"lang", json_spelling(t->a, lang_name(t->lang))},
        {"input", json_text(t->a, rep->input_name)},
        {"context", context_json(t, rep)}, {"cards", cards_json(t, &b)},
        {"kv", JSON(t, {"tokens", json_span(t, b.kv_tokens)},
                    {"max_model_len",
                     json_int_or_null(t, b.max_model_len > 0,
                                      b.max_model_len)},
                    {"max_concurrency", json_hundredths(t, b.concurrency)})});
}
