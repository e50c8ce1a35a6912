/* answer.c: the answer to a log, in the order of use:
 *
 *     what failed                     title, entry
 *     this log's numbers              need, have, short by; bars
 *     Do this first / Or / Do not     advice.c
 *     To be sure                      questions, and the fixes that they decide
 *     More                            pages to read
 *
 * One root has 25 lines, two have 40; further roots have one line each. The
 * consequences of a root have one line at most. --all has everything, --why the
 * reason for each rank. */
#include "render/parts.h"

#define LINES_ONE 25
#define LINES_TWO 40
#define ROOTS_SHOWN 2
#define ROOTS_NAMED 6
#define REMARKS 2
#define QUESTIONS 2
#define LINKS 2
#define SURELY_SHOWN 2 /* fixes that are not left out for length */
#define HUNDREDTH_MICRO 10000

/* ---- suspects ----
 *
 * Lines that look like memory and that no entry explains. The first one is
 * shown, since the others may follow from it; of those only the line numbers
 * are listed. The usual meaning of its words is the root_cause of its entry;
 * the way to find out more is the entry's first fix. */
#define LINE_COLUMNS 400

static struct str need_text(const struct render *t, const struct finding *f) {
    struct need_and_have of = suspect_amounts(f);
    struct str need = of.need != NULL ? fact_text(t, of.need) : STR("");
    if (of.need == NULL || of.have == NULL)
        return tr_if(t, "report.suspect_need", need);
    struct comparison c = amounts_compared(t, UNIT_BYTES, of.need->number,
                                           of.have->number);
    return TR(
        t, c.short_by.n > 0 ? "report.suspect_short" : "report.suspect_both",
        c.need, c.have, c.short_by);
}

static struct str suspect_others(const struct render *t,
                                 const struct report *rep) {
    struct words lines = words_begin(t, tr(t, "report.comma"));
    for (size_t i = 1; i < rep->suspect_count; i++)
        words_add(&lines, count_text(t, rep->suspects[i].first_line));
    return words_into(&lines, "report.suspect_others");
}

static struct str would_tell(const struct render *t, const struct finding *f) {
    return f->fix_count > 0 ? localized(t, &f->fixes[0].how) : STR("");
}

static void add_suspects(const struct render *t, const struct report *rep) {
    const struct finding *f = &rep->suspects[0];
    struct str line = count_text(t, f->first_line), rest;
    struct str text = str_trim(str_cut(str_trim(f->text), '\n', &rest));
    document_title(t, TONE_STRONG, TR(t, "report.suspect", line));
    document_text(t, NULL,
                  in_backquotes(t->a, short_text(t, text, LINE_COLUMNS)));
    document_text(t, NULL, need_text(t, f));
    document_text(t, NULL, suspect_others(t, rep));
    document_text(t, document_section(t, "report.suspect_means"),
                  localized(t, &f->entry->root_cause));
    document_item(t, document_section(t, "report.to_be_sure"), "?",
                  would_tell(t, f));
    document_text(t, NULL, tr(t, "report.suspect_new"));
}

static struct json *json_suspect(const struct render *t,
                                 const struct finding *f) {
    struct need_and_have of = suspect_amounts(f);
    bool has_both = of.need != NULL && of.have != NULL;
    int64_t missing = has_both ? of.need->number - of.have->number : 0;
    return JSON(
        t, {"line", json_int(t->a, f->first_line)},
        {"text", json_text(t->a, f->text)},
        {"why_not", json_text(t->a, tr(t, "report.suspect_why_not"))},
        {"would_tell", json_str_or_null(t->a, would_tell(t, f))},
        {"entry", json_text(t->a, f->entry->id)},
        {"means", json_text(t->a, localized(t, &f->entry->root_cause))},
        {"need", of.need ? json_fact(t, of.need) : json_new_null(t->a)},
        {"have", of.have ? json_fact(t, of.have) : json_new_null(t->a)},
        {"short_by", json_int_or_null(t, missing > 0, missing)},
        {"facts", json_facts(t, f->facts.at, f->facts.count)});
}

struct json *json_suspects(const struct render *t, const struct report *rep) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < rep->suspect_count; i++)
        json_push(list, json_suspect(t, &rep->suspects[i]));
    return list;
}

static bool is_root(const struct finding *f) {
    return f->role == ROLE_root || f->cause < 0;
}

/* ---- one root ---- */

static const enum tone severity_tones[SEVERITY_COUNT_OF] = {
    [SEVERITY_failure] = TONE_STRONG, [SEVERITY_warning] = TONE_WARN,
    [SEVERITY_recovery] = TONE_DIM,   [SEVERITY_info] = TONE_DIM,
    [SEVERITY_suspect] = TONE_DIM,
};

static void add_head(const struct render *t, const struct finding *f) {
    const struct entry *e = f->entry;
    bool is_failure = e->severity == SEVERITY_failure;
    struct block id = {.kind = BLOCK_ID, .text = e->id,
                       .tone = severity_tones[e->severity]};
    id.column[0] = is_failure ? id.column[0] : severity_text(t, e);
    document_title(t, TONE_STRONG, title_text(t, f));
    document_add(t, NULL, id);
}

/* A remark that changes nothing in the answer is shown with --all only. A
 * remark that casts doubt on the rest is kept longest: numbers that do not
 * agree, settings that were not in force, a size that the allocator chose,
 * memory of another library, a request that lacks very little. */
static void add_remarks(const struct render *t, const struct finding *f) {
    size_t count = 0;
    bool is_doubtful = f->is_contradictory ||
                       f->reconciliation.outcome == RECONCILE_EXPLAINED ||
                       f->reconciliation.outcome == RECONCILE_RESIDUAL;
    for (size_t i = 0; i < f->remark_count; i++) {
        struct str key = str_of(f->remarks[i].key);
        bool is_aside = STR_IS_ONE(key, "diagnose.remark.cards",
                                   "diagnose.remark.model_guess");
        bool casts_doubt =
            is_doubtful ||
            STR_HAS_ONE(key, ".not_", ".small", ".block_", ".outside_own");
        if (t->o->all || (count < REMARKS && !is_aside)) {
            document_text(t, NULL, note_text(t, &f->remarks[i]))->spare =
                casts_doubt ? SPARE_DOUBT
                : count > 0 ? SPARE_NEXT_REMARK
                            : SPARE_REMARK;
            count++;
        }
    }
}

/* The first consequence of the root; with --all all findings that it caused. */
static void add_followers(const struct render *t, const struct report *rep,
                          size_t root) {
    for (size_t i = 0; i < rep->finding_count; i++) {
        const struct finding *f = &rep->findings[i];
        bool is_of = f->cause >= 0 && (size_t)f->cause == root && i != root;
        if (!is_of || (f->role != ROLE_consequence && !t->o->all))
            continue;
        document_toned(t, NULL, TONE_DIM,
                       TR(t, "report.followed_by", title_text(t, f),
                          lines_text(t, f->first_line, f->first_line)))
            ->spare = SPARE_FOLLOWER;
        if (!t->o->all)
            return;
    }
}

/* The version rows that apply here, and the first links. */
static void add_sources(const struct render *t, const struct finding *f) {
    const struct entry *e = f->entry;
    for (size_t i = 0; i < f->version_count; i++) {
        const struct version_line *v = &f->versions[i];
        struct str args[] = {v->row->range.product,
                             short_text(t, v->version, 32),
                             localized(t, &v->row->note)};
        if (v->in_range == RANGE_INSIDE && v->version.n > 0 && args[2].n > 0)
            document_toned(t, NULL, TONE_DIM,
                           tr_args(t, "report.version", args, 3));
    }
    struct block *seen = document_section(t, "report.evidence");
    for (size_t i = 0; i < e->evidence_count && i < LINKS; i++)
        document_link(t, seen, e->evidence[i].url, STR(""));
}

/* "At tts/losses.py:643 in loss (line 12): attention, forward pass." */
static struct str place_text(const struct render *t, const struct finding *f) {
    const struct fact *frame = facts_last(&f->facts, FACT_frame);
    const struct fact *stage = facts_last(&f->facts, FACT_stage);
    const struct fact *work = facts_last(&f->facts, FACT_work);
    struct words doing = words_begin(t, tr(t, "report.comma"));
    int word = 0; /* unknown */
    words_add(&doing, work ? work_text(t, work->word) : STR(""));
    if (stage && word_named(WORDS_STAGE, stage->word, &word) && word > 0)
        words_add(&doing, word_text(t, WORDS_STAGE, word));
    struct str what = words_end(&doing);
    if (frame == NULL) { /* the title of an entry of one mechanism has it */
        bool is_open = f->entry->mechanism == MECHANISM_unspecified;
        return is_open ? tr_if(t, "report.in_stage", what) : STR("");
    }
    struct str args[] = {frame->word, count_text(t, frame->line), what};
    return tr_args(t, args[2].n > 0 ? "report.at_stage" : "report.at", args, 3);
}

static void add_root(const struct render *t, const struct report *rep, size_t i,
                     bool is_main) {
    const struct finding *f = &rep->findings[i];
    add_head(t, f);
    document_text(t, NULL, numbers_text(t, rep, f));
    document_text(t, NULL, holders_text(t, f))->spare = SPARE_HOLDERS;
    if (f->turn != NULL)
        document_text(t, NULL, step_text(t, f->turn))->spare = SPARE_DEAD_END;
    document_text(t, NULL, place_text(t, f))->spare = SPARE_REMARK;
    add_remarks(t, f);
    if (t->o->all)
        document_text(t, NULL, localized(t, &f->entry->root_cause));
    document_bars(t, bars_of(t, f))->spare = SPARE_BARS;
    add_advice(t, rep, f, is_main);
    add_followers(t, rep, i);
    if (t->o->all)
        add_sources(t, f);
}

/* ---- questions ---- */

/* "1", "1 and 3": fixes of the first root whose verdict the fact would
 * decide. */
static struct str fixes_decided(const struct render *t,
                                const struct finding *f, enum fact_name fact) {
    struct chosen c = fixes_chosen(t, f);
    struct words list = words_begin(t, tr(t, "report.and"));
    size_t sure = t->o->all || t->o->top > 0 ? c.count : SURELY_SHOWN;
    for (size_t i = 0; i < c.count && i < sure; i++) {
        const struct needs *needs = &c.at[i]->estimate.needs;
        bool is_needed = false;
        for (size_t k = 0; k < needs->count; k++)
            is_needed = is_needed || needs->at[k] == fact;
        if (is_needed && c.at[i]->has_estimate)
            words_add(&list, fix_number(t, f, c.at[i]));
    }
    return words_end(&list);
}

static struct str question_text(const struct render *t,
                                const struct report *rep,
                                const struct question *q) {
    struct str args[] = {note_text(t, &q->ask), {NULL, 0},
                         str_of(fact_spelling(q->fact))};
    for (size_t i = 0; i < rep->finding_count && args[1].n == 0; i++) {
        if (is_root(&rep->findings[i])) {
            args[1] = fixes_decided(t, &rep->findings[i], q->fact);
            break;
        }
    }
    const char *key = args[1].n > 0           ? "report.ask_decides"
                      : q->fact == FACT_stage ? "report.ask_cause"
                      : q->about != NULL      ? "report.ask_about"
                                              : "report.ask_more";
    if (args[1].n == 0 && q->about != NULL)
        args[1] = fix_action(t, q->about);
    return tr_args(t, key, args, 3);
}

/* True if a fix of the first finding has this command. */
static bool is_shown_command(const struct render *t, const struct report *rep,
                             struct str command) {
    if (rep->finding_count == 0)
        return false;
    struct chosen c = fixes_chosen(t, &rep->findings[0]);
    for (size_t i = 0; i < c.count; i++)
        if (str_eq(fix_command(c.at[i]), command))
            return true;
    return false;
}

static void add_questions(const struct render *t, const struct report *rep) {
    struct block *under = document_section(t, "report.to_be_sure");
    size_t most = t->o->all ? SIZE_MAX : QUESTIONS;
    for (size_t i = 0; i < rep->question_count && i < most; i++) {
        const struct question *q = &rep->questions[i];
        struct block *item =
            document_item(t, under, "?", question_text(t, rep, q));
        item->spare = i > 0 ? SPARE_QUESTION : SPARE_NEVER;
        if (t->o->all || !is_shown_command(t, rep, q->how))
            document_code(t, item, q->how)->spare = SPARE_HOW;
    }
}

/* ---- --why ---- */

static void add_causes(const struct render *t, struct block *under,
                       const struct finding *f) {
    for (size_t i = 0; i < f->cause_count; i++) {
        const struct belief *b = &f->causes[i];
        if (b->p_micro < HUNDREDTH_MICRO)
            continue;
        struct words because = words_begin(t, tr(t, "report.comma"));
        for (size_t k = 0; k < b->because_count; k++)
            words_add(&because, localized(t, &b->because[k]->because));
        struct str args[] = {localized(t, &b->cause->name),
                             number_text(t, UNIT_RATIO,
                                         b->p_micro / HUNDREDTH_MICRO *
                                         HUNDREDTH_MICRO),
                             words_end(&because)};
        document_item(
            t, under, "-",
            tr_args(t, args[2].n > 0 ? "report.cause_for" : "report.cause",
                    args, 3));
    }
}

static void add_why(const struct render *t, const struct finding *f) {
    struct block *under = document_section(t, "report.why");
    under->is_open = true;
    document_text(t, under, note_text(t, &f->because));
    add_causes(t, under, f);
    for (size_t i = 0; i < f->fix_count; i++) {
        const struct fix *fix = &f->fixes[i];
        bool is_offered = fix_is_offered(fix);
        struct block *item = document_item(t, under, fix_number(t, f, fix).p,
                                           is_offered ? fix_action(t, fix)
                                                      : fix_unusable(t, fix));
        document_toned(t, item, TONE_DIM, fix_worth(t, fix));
    }
}

/* ---- the whole ---- */

static void add_limits(const struct render *t, const struct report *rep) {
    if (rep->truncated)
        document_toned(t, NULL, TONE_WARN, tr(t, "report.truncated"));
    document_toned(t, NULL, TONE_WARN, gave_up_text(t, rep));
}

static void add_nothing(const struct render *t, const struct report *rep) {
    if (rep->suspect_count > 0) {
        add_suspects(t, rep);
        add_limits(t, rep);
        add_questions(t, rep);
        return;
    }
    document_title(t, TONE_STRONG, tr(t, "report.nothing"));
    document_text(t, NULL, input_text(t, rep));
    add_limits(t, rep);
    document_text(t, NULL, seen_text(t, &rep->context));
    document_text(t, NULL, tr(t, "report.nothing_next"));
    add_questions(t, rep);
}

/* The number of roots that are shown in full: the first one, and a second one
 * of the same severity. */
static size_t roots_shown(const struct report *rep, const size_t *roots,
                          size_t count) {
    size_t shown = count < ROOTS_SHOWN ? count : ROOTS_SHOWN;
    while (shown > 1 && rep->findings[roots[shown - 1]].entry->severity !=
                            rep->findings[roots[0]].entry->severity)
        shown--;
    return shown;
}

/* Further roots, a line each. */
static void add_named(const struct render *t, const struct report *rep,
                      const size_t *roots, size_t shown, size_t count) {
    struct block *under = document_section(t, "report.also_found");
    under->is_open = true;
    for (size_t i = shown; i < count; i++) {
        const struct finding *f = &rep->findings[roots[i]];
        document_item(t, under, "-",
                      TR(t, "report.root", title_text(t, f),
                         lines_text(t, f->first_line, f->first_line),
                         f->entry->id));
    }
}

static void add_more(const struct render *t, const struct report *rep,
                     const size_t *roots, size_t count) {
    struct words ids = words_begin(t, tr(t, "report.comma"));
    for (size_t i = 0; i < count; i++) {
        words_add(&ids,
                  TR(t, "report.explain", rep->findings[roots[i]].entry->id));
    }
    document_toned(t, NULL, TONE_DIM, words_into(&ids, "report.more"));
    if (count > 0 &&
        str_eq(rep->findings[roots[0]].entry->component, STR("unknown")))
        document_toned(t, NULL, TONE_DIM, tr(t, "report.suspect_new"));
}

void report_document(const struct render *given, const struct report *rep) {
    struct render own = *given;
    const struct render *t = &own;
    own.amounts = arena_alloc(t->a, sizeof *own.amounts);
    size_t roots[ROOTS_SHOWN + ROOTS_NAMED], count = 0;
    for (size_t i = 0;
         i < rep->finding_count && count < ROOTS_SHOWN + ROOTS_NAMED; i++)
        if (is_root(&rep->findings[i]))
            roots[count++] = i;
    size_t shown = t->o->all ? count : roots_shown(rep, roots, count);
    for (size_t i = 0; i < shown; i++) {
        if (i > 0)
            document_add(t, NULL, (struct block){.kind = BLOCK_RULE});
        add_root(t, rep, roots[i], i == 0);
    }
    if (count == 0) {
        add_nothing(t, rep);
        return;
    }
    if (shown < count)
        add_named(t, rep, roots, shown, count);
    add_questions(t, rep);
    for (size_t i = 0; i < shown && t->o->why; i++)
        add_why(t, &rep->findings[roots[i]]);
    add_limits(t, rep);
    add_more(t, rep, roots, shown);
    bool is_long = t->o->all || t->o->why || t->o->top > 0;
    t->d->lines_most = is_long ? 0 : shown == 1 ? LINES_ONE : LINES_TWO;
}
