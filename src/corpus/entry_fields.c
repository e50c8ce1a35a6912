/* entry_fields.c: the keys of an entry. (kb_fields.c has those of kb/.)
 *
 * One row is one key: its text in FORMAT.md, the member it fills, the type of
 * its value. all_of and none_of fill the same list; mark_at tells them apart.
 * There is no code here, only tables. */
#include "corpus/field_rows.h"

/* ---- items of the lists that have a type of their own ---- */

static const struct field setting_fields[] = {
    KEY(setting, name, FACT, "a fact"),
    KEY(setting, value, LINE, "as a log prints it"),
    {0},
};
static const struct field event_fields[] = {
    KEY(version_event, is_fixed, YES_NO, "else introduced"),
    KEY(version_event, version, LINE, "the first behind, or of, the range"),
    {0},
};
static const struct field share_fields[] = {
    KEY(cause_share, cause, ID, "of kb/causes.yaml"),
    NAMED("share", cause_share, share_micro, RATIO, "how often", .absent = -1),
    {0},
};
static const struct field cure_fields[] = {
    KEY(cure, cause, ID, "of kb/causes.yaml"),
    KEY(cure, strength, WORD,
        "how often it ends such a failure", .words = WORDS_STRENGTH),
    {0},
};

const struct shape *field_shape(const struct field *f) {
    static const struct shape
        setting = {"setting", "", setting_fields, sizeof(struct setting)},
        event = {"event", "", event_fields, sizeof(struct version_event)},
        share = {"share", "", share_fields, sizeof(struct cause_share)},
        cure = {"cure", "", cure_fields, sizeof(struct cure)};
    return f->type == FIELD_SETTINGS ? &setting
           : f->type == FIELD_EVENTS ? &event
           : f->type == FIELD_SHARES ? &share
           : f->type == FIELD_CURES  ? &cure
                                     : f->shape;
}

/* ---- the keys of an entry ---- */

static const struct field range_fields[] = {
    KEY(version_range, product, ID,
        "whose releases: vllm, torch, cuda ...", REQUIRED),
    LIST("events", version_range, events, event_count, EVENTS,
        "in the range from `introduced` up to, not including, `fixed`",
        REQUIRED),
    {0},
};
static SHAPE(range, version_range, "printed by",
    "Releases that print a message.");

static const struct field signature_fields[] = {
    KEY(signature, id, ID, "unique in this file", REQUIRED),
    KEY(signature, pattern, PATTERN, "named groups are facts", REQUIRED),
    NAMED("weak", signature, is_weak, YES_NO,
        "no literal of 8 bytes: needs `^` or `$`, and an `all_of` where "
        "the mechanism is known"),
    NAMED("prose", signature, is_prose, YES_NO,
        "a person's words: looked for in short texts only"),
    LIST("versions", signature, versions, version_count, LIST,
        "which releases print it", .shape = &shape_range),
    LIST("set", signature, set, set_count, SETTINGS,
        "facts that the message establishes"),
    KEY(signature, extract, PATTERNS, "run over and over inside the message"),
    KEY(signature, sample, LINE,
        "lines that it must match; our own words", REQUIRED),
    {0},
};
static SHAPE(signature, signature, "signature",
    "A message that makes the entry a candidate.");

static const struct field condition_fields[] = {
    KEY(condition, pattern, PATTERN,
        "what must, or must not, stand there", REQUIRED),
    KEY(condition, scope, WORD,
        "where; left out: message", .words = WORDS_SCOPE),
    NAMED("weak", condition, is_weak, YES_NO,
        "no literal of 8 bytes: needs `^` or `$`"),
    KEY(condition, is_none_of, YES_NO,
        "of none_of: must not stand there", DERIVED),
    {0},
};
static SHAPE(condition, condition, "condition",
    "A pattern that decides between entries of a group.");

static const struct field acts_on_fields[] = {
    KEY(acts_on, flag, LINE, "the flag or variable it changes"),
    KEY(acts_on, change, WORD,
        "which way; with `flag`", .words = WORDS_CHANGE),
    KEY(acts_on, kind, WORD,
        "what it does, where it is no flag", .words = WORDS_ACT_KIND),
    {0},
};
SHAPE(acts_on, acts_on, "acts_on",
    "What a fix changes: a flag and its way, or a kind.");

static const struct field rate_fields[] = {
    KEY(rate, basis, WORD,
        "what the numbers rest on", .words = WORDS_BASIS, REQUIRED),
    KEY(rate, worked, INTEGER,
        "reports, measured: how many; in `fail`: how many failed"),
    KEY(rate, tried, INTEGER, "reports, measured: out of how many"),
    KEY(rate, maintainers_worked, INTEGER,
        "reports: the same of the project's own people, kept apart"),
    KEY(rate, maintainers_tried, INTEGER,
        "reports: out of how many of theirs"),
    KEY(rate, people, INTEGER,
        "reports: how many people report in the links, where that is more "
        "than one each; `because` says who"),
    NAMED("rate", rate, rate_micro, RATIO,
        "estimate, ai_generated", .absent = -1),
    KEY(rate, because, TEXT,
        "estimate: what it rests on; with `people`: who they are"),
    NAMED("how", rate, because, TEXT,
        "measured: how it was reproduced", ALIAS),
    KEY(rate, source, LINE, "ai_generated: from where"),
    KEY(rate, links, LINKS,
        "reports: who reported; estimate: where it can be read"),
    {0},
};
SHAPE(rate, rate, "rate",
    "How often it works, or fails; never a bare percentage.");

static const struct field workaround_fields[] = {
    KEY(workaround, use, ID,
        "the fix of `kb/fixes/` that gives every key left out here"),
    KEY(workaround, id, ID,
        "stable: feedback and reports refer to it; left out: `use`"),
    KEY(workaround, action, TEXT, "a verb and what it changes"),
    KEY(workaround, how, TEXT, "the steps; never the action again"),
    KEY(workaround, acts_on, MAP, "what it changes", .shape = &shape_acts_on),
    KEY(workaround, command, LINE,
        "template; `{fact}` is filled in, `{fact|16}` where nothing is known "
        "is 16"),
    KEY(workaround, command_when, WHEN,
        "not known to be true: the fix is shown without its command"),
    KEY(workaround, effort, WORD,
        "what it takes to try it; left out: of its acts_on",
        .words = WORDS_EFFORT),
    KEY(workaround, loses, WORD,
        "what one gives up for it; left out: of its acts_on",
        .words = WORDS_LOSES),
    KEY(workaround, frees, WORD,
        "what it shrinks or makes room in; left out: of its acts_on",
        .words = WORDS_FREES),
    LIST("cures", workaround, cures, cure_count, CURES,
        "how often it alone ends a failure of that cause; left out: of its "
        "acts_on"),
    KEY(workaround, trade_off, TEXT, "what is lost by it"),
    KEY(workaround, when, WHEN, "false: does not apply; unknown: applies if"),
    KEY(workaround, effect, WORD,
        "which arithmetic estimates it", .words = WORDS_EFFECT),
    KEY(workaround, success, MAP,
        "left out: no evidence", .shape = &shape_rate),
    KEY(workaround, keys, LINES,
        "of a lever: what configurations and calls name its flag"),
    KEY(workaround, source, LINK,
        "of a lever: where that stands; left out: its program's"),
    {0},
};
SHAPE(workaround, workaround, "workaround",
    "A fix. `id`, `action`, `how` and `acts_on` stand in it, or in the fix "
    "that it uses.");

static const struct field act_fields[] = {
    NAMED("flag", act, acts_on.flag, LINE, "the flag or variable it changes"),
    NAMED("change", act, acts_on.change, WORD,
        "which way; with `flag`", .words = WORDS_CHANGE),
    NAMED("kind", act, acts_on.kind, WORD,
        "what it does, where it is no flag", .words = WORDS_ACT_KIND),
    KEY(act, effort, WORD,
        "what it takes to try it", .words = WORDS_EFFORT, REQUIRED),
    KEY(act, loses, WORD,
        "what one gives up for it; left out: each fix says it",
        .words = WORDS_LOSES),
    KEY(act, frees, WORD,
        "what it shrinks or makes room in; left out: each fix says it",
        .words = WORDS_FREES),
    LIST("cures", act, cures, cure_count, CURES,
        "how often it alone ends a failure of that cause; left out: each fix "
        "says it"),
    KEY(act, effect, WORD,
        "which arithmetic estimates it", .words = WORDS_EFFECT),
    KEY(act, when, WHEN,
        "what must hold of every such fix, beside its own `when`"),
    {0},
};
SHAPE(act, act, "act", "What fixes of one acts_on have in common.");

static const struct field fix_file_fields[] = {
    LIST("fixes", fix_file, fixes, fix_count, LIST,
        "fixes that entries `use`", .shape = &shape_workaround),
    LIST("acts", fix_file, acts, act_count, LIST,
        "what a flag and its change, or a kind, does", .shape = &shape_act),
    {0},
};
SHAPE(fix_file, fix_file, "fixes",
    "`kb/fixes/*.yaml`: what several entries share.");

static const struct field dead_end_fields[] = {
    KEY(dead_end, action, TEXT, "a name", REQUIRED),
    KEY(dead_end, why, TEXT, "why it fails", REQUIRED),
    KEY(dead_end, acts_on, MAP, "what it changes", .shape = &shape_acts_on),
    KEY(dead_end, when, WHEN, "only then is it a dead end"),
    KEY(dead_end, fail, MAP, "how often it fails", .shape = &shape_rate),
    KEY(dead_end, instead, TEXT, "what to do instead"),
    {0},
};
static SHAPE(dead_end, dead_end, "dead end",
    "A popular fix that does not help.");

static const struct field compatibility_fields[] = {
    NAMED("product", compatibility, range.product, ID,
        "vllm, torch, cuda ...", REQUIRED),
    KEY(compatibility, status, WORD,
        "what holds in the range", .words = WORDS_RANGE_STATUS, REQUIRED),
    LIST("events", compatibility, range.events, range.event_count, EVENTS,
        "in the range from `introduced` up to, not including, `fixed`",
        REQUIRED),
    KEY(compatibility, note, TEXT, "what changed"),
    {0},
};
static SHAPE(compatibility, compatibility, "version",
    "Releases in which it is true.");

static const struct field hardware_fields[] = {
    KEY(hardware, name, LINE, "the card", REQUIRED),
    KEY(hardware, status, WORD,
        "what holds on it", .words = WORDS_RANGE_STATUS, REQUIRED),
    KEY(hardware, note, TEXT, "what is special"),
    {0},
};
static SHAPE(hardware, hardware, "hardware", "Cards on which it was seen.");

static const struct field reference_fields[] = {
    KEY(reference, url, LINK, "where", REQUIRED),
    KEY(reference, seen, DATE, "when it was read", REQUIRED),
    KEY(reference, claim, TEXT, "what it is cited for", REQUIRED),
    {0},
};
static SHAPE(reference, reference, "reference", "Who says so.");

static const struct field relation_fields[] = {
    KEY(relation, kind, WORD,
        "how they stand", .words = WORDS_RELATION, REQUIRED),
    KEY(relation, entry, ENTRY, "to which", REQUIRED),
    KEY(relation, tell_apart, TEXT, "confused_with: how to tell them apart"),
    {0},
};
static SHAPE(relation, relation, "relation",
    "How this entry stands to another.");

static const struct field provenance_fields[] = {
    KEY(provenance, source, LINE, "whose claim it was", REQUIRED),
    KEY(provenance, verification, ID, "as its source says", REQUIRED),
    NAMED("confidence", provenance, confidence_micro, RATIO,
        "as its source says", .absent = -1),
    NAMED("fix_rate", provenance, fix_rate_micro, RATIO,
        "as its source says", .absent = -1),
    KEY(provenance, evidence_count, INTEGER,
        "as its source says", .absent = -1),
    {0},
};
static SHAPE(provenance, provenance, "provenance",
    "An entry that began as somebody else's claim.");

static const char *const states[] = {"draft", NULL};

static const struct field entry_fields[] = {
    NOWHERE("status", CHOICE,
        "draft: what it lacks is a warning, and no index has it; left out "
        "when it is whole", .choices = states),
    KEY(entry, id, ENTRY, "component/slug", DERIVED, HEAD),
    KEY(entry, title, TEXT, "what happened, in one line", REQUIRED),
    KEY(entry, component, ID, "who failed; left out: the folder", HEAD),
    KEY(entry, mechanism, WORD,
        "what ran out, and why", HEAD, .words = WORDS_MECHANISM, REQUIRED),
    KEY(entry, severity, WORD,
        "whether the job died of it; suspect: words that no entry knows, told "
        "apart from findings", HEAD, .words = WORDS_SEVERITY, REQUIRED),
    KEY(entry, role, WORD,
        "cause, or what a cause drags along; left out: root",
        HEAD, .words = WORDS_ROLE),
    KEY(entry, root_cause, TEXT, "why it happened", REQUIRED),
    LIST("causes", entry, causes, cause_count, SHARES,
        "what can have caused it, and how often; left out: the row of its "
        "mechanism in `kb/causes.yaml`"),
    LIST("signatures", entry, signatures, signature_count, LIST,
        "any one makes this entry a candidate",
        HEAD, .shape = &shape_signature),
    KEY(entry, same_words_as, ENTRY,
        "the head of its group, whose signatures it answers", HEAD),
    KEY(entry, prefer, ENTRIES,
        "this entry before those, where both hold equally", HEAD),
    LIST("all_of", entry, conditions, condition_count, LIST,
        "must stand there", HEAD, .shape = &shape_condition),
    LIST("none_of", entry, conditions, condition_count, LIST,
        "must not stand there", HEAD, .shape = &shape_condition,
        .mark_at = offsetof(struct condition, is_none_of), ALIAS),
    KEY(entry, when, WHEN, "conditions over facts", HEAD),
    LIST("workarounds", entry, workarounds, workaround_count, LIST,
        "what helps", .shape = &shape_workaround),
    LIST("dead_ends", entry, dead_ends, dead_end_count, LIST,
        "what does not", .shape = &shape_dead_end),
    LIST("versions", entry, versions, version_count, LIST,
        "where it is true", .shape = &shape_compatibility),
    LIST("hardware", entry, hardware, hardware_count, LIST,
        "on which cards", .shape = &shape_hardware),
    LIST("docs", entry, docs, doc_count, LIST,
        "documentation", .shape = &shape_reference),
    LIST("evidence", entry, evidence, evidence_count, LIST,
        "reports and sources", .shape = &shape_reference),
    LIST("relations", entry, relations, relation_count, LIST,
        "other entries", .shape = &shape_relation),
    KEY(entry, first_seen, DATE, "the oldest report known", REQUIRED),
    KEY(entry, last_verified, DATE,
        "when this file was last checked", REQUIRED),
    KEY(entry, renamed_from, ENTRIES, "ids it had before; they go on working"),
    KEY(entry, withdrawn, TEXT, "why it no longer speaks", HEAD),
    KEY(entry, provenance, MAP,
        "where it came from", .shape = &shape_provenance),
    {0},
};
SHAPE(entry, entry, "entry",
    "`entries/<component>/<slug>.yaml`: one known failure.");
