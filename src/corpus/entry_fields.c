/* entry_fields.c: the keys of an entry. (kb_fields.c has those of kb/.)
 *
 * One row is one key: what FORMAT.md says of it, where its value lands, what
 * it takes. all_of and none_of fill the same list; the mark tells them apart.
 * Nothing here reads anything. */
#include "corpus/fields.h"

#define AT(type, member) .at = offsetof(struct type, member)
#define COUNT(type, member) .count_at = offsetof(struct type, member)

/* ---- items of the lists that have a type of their own ---- */

static const struct field setting_fields[] = {
    {.key = "name", AT(setting, name), .type = FIELD_FACT, .doc = "a fact"},
    {.key = "value", AT(setting, value), .type = FIELD_LINE,
     .doc = "as a log prints it"},
    {0},
};
static const struct field event_fields[] = {
    {.key = "is_fixed", AT(version_event, is_fixed), .type = FIELD_YES_NO,
     .doc = "else introduced"},
    {.key = "version", AT(version_event, version), .type = FIELD_LINE,
     .doc = "the first behind, or of, the range"},
    {0},
};
static const struct field share_fields[] = {
    {.key = "cause", AT(cause_share, cause), .type = FIELD_ID,
     .doc = "of kb/causes.yaml"},
    {.key = "share", AT(cause_share, share_micro), .type = FIELD_RATIO,
     .absent = -1, .doc = "how often"},
    {0},
};
static const struct field cure_fields[] = {
    {.key = "cause", AT(cure, cause), .type = FIELD_ID,
     .doc = "of kb/causes.yaml"},
    {.key = "strength", AT(cure, strength), .type = FIELD_WORD,
     .words = WORDS_STRENGTH, .doc = "how often it ends such a failure"},
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
    {.key = "product", AT(version_range, product), .type = FIELD_ID,
     .is_required = true, .doc = "whose releases: vllm, torch, cuda ..."},
    {.key = "events", AT(version_range, events),
     COUNT(version_range, event_count), .type = FIELD_EVENTS,
     .is_required = true,
     .doc = "in the range from `introduced` up to, not including, `fixed`"},
    {0},
};
static const struct shape shape_range = {
    "printed by", "Releases that print a message.", range_fields,
    sizeof(struct version_range)};

static const struct field signature_fields[] = {
    {.key = "id", AT(signature, id), .type = FIELD_ID, .is_required = true,
     .doc = "unique in this file"},
    {.key = "pattern", AT(signature, pattern), .type = FIELD_PATTERN,
     .is_required = true, .doc = "named groups are facts"},
    {.key = "weak", AT(signature, is_weak), .type = FIELD_YES_NO,
     .doc = "no literal of 8 bytes: needs `^` or `$` and an `all_of`"},
    {.key = "versions", AT(signature, versions),
     COUNT(signature, version_count), .type = FIELD_LIST,
     .shape = &shape_range, .doc = "which releases print it"},
    {.key = "set", AT(signature, set), COUNT(signature, set_count),
     .type = FIELD_SETTINGS, .doc = "facts that the message establishes"},
    {.key = "extract", AT(signature, extract), .type = FIELD_PATTERNS,
     .doc = "run over and over inside the message"},
    {.key = "sample", AT(signature, sample), .type = FIELD_LINE,
     .is_required = true, .doc = "lines that it must match; our own words"},
    {0},
};
static const struct shape shape_signature = {
    "signature", "A message that makes the entry a candidate.",
    signature_fields, sizeof(struct signature)};

static const struct field condition_fields[] = {
    {.key = "pattern", AT(condition, pattern), .type = FIELD_PATTERN,
     .is_required = true, .doc = "what must, or must not, stand there"},
    {.key = "scope", AT(condition, scope), .type = FIELD_WORD,
     .words = WORDS_SCOPE, .doc = "where; left out: message"},
    {.key = "weak", AT(condition, is_weak), .type = FIELD_YES_NO,
     .doc = "no literal of 8 bytes: needs `^` or `$`"},
    {.key = "is_none_of", AT(condition, is_none_of), .type = FIELD_YES_NO,
     .is_derived = true, .doc = "of none_of: must not stand there"},
    {0},
};
static const struct shape shape_condition = {
    "condition", "A pattern that decides between entries of a group.",
    condition_fields, sizeof(struct condition)};

static const struct field acts_on_fields[] = {
    {.key = "flag", AT(acts_on, flag), .type = FIELD_LINE,
     .doc = "the flag or variable it changes"},
    {.key = "change", AT(acts_on, change), .type = FIELD_WORD,
     .words = WORDS_CHANGE, .doc = "which way; with `flag`"},
    {.key = "kind", AT(acts_on, kind), .type = FIELD_WORD,
     .words = WORDS_ACT_KIND, .doc = "what it does, where it is no flag"},
    {0},
};
const struct shape shape_acts_on = {
    "acts_on", "What a fix changes: a flag and its way, or a kind.",
    acts_on_fields, sizeof(struct acts_on)};

static const struct field rate_fields[] = {
    {.key = "basis", AT(rate, basis), .type = FIELD_WORD,
     .words = WORDS_BASIS, .is_required = true,
     .doc = "what the numbers rest on"},
    {.key = "worked", AT(rate, worked), .type = FIELD_INTEGER,
     .doc = "reports, measured: how many; in `fail`: how many failed"},
    {.key = "tried", AT(rate, tried), .type = FIELD_INTEGER,
     .doc = "reports, measured: out of how many"},
    {.key = "maintainers_worked", AT(rate, maintainers_worked),
     .type = FIELD_INTEGER,
     .doc = "reports: the same of the project's own people, kept apart"},
    {.key = "maintainers_tried", AT(rate, maintainers_tried),
     .type = FIELD_INTEGER, .doc = "reports: out of how many of theirs"},
    {.key = "people", AT(rate, people), .type = FIELD_INTEGER,
     .doc = "reports: how many people report in the links, where that is more "
            "than one each; `because` says who"},
    {.key = "rate", AT(rate, rate_micro), .type = FIELD_RATIO, .absent = -1,
     .doc = "estimate, ai_generated"},
    {.key = "because", AT(rate, because), .type = FIELD_TEXT,
     .doc = "estimate: what it rests on; with `people`: who they are"},
    {.key = "how", AT(rate, because), .type = FIELD_TEXT, .is_alias = true,
     .doc = "measured: how it was reproduced"},
    {.key = "source", AT(rate, source), .type = FIELD_LINE,
     .doc = "ai_generated: from where"},
    {.key = "links", AT(rate, links), .type = FIELD_LINKS,
     .doc = "reports: who reported; estimate: where it can be read"},
    {0},
};
const struct shape shape_rate = {
    "rate", "How often it works, or fails; never a bare percentage.",
    rate_fields, sizeof(struct rate)};

static const struct field workaround_fields[] = {
    {.key = "use", AT(workaround, use), .type = FIELD_ID,
     .doc = "the fix of `kb/fixes/` that gives every key left out here"},
    {.key = "id", AT(workaround, id), .type = FIELD_ID,
     .doc = "stable: feedback and reports refer to it; left out: `use`"},
    {.key = "action", AT(workaround, action), .type = FIELD_TEXT,
     .doc = "a verb and what it changes"},
    {.key = "how", AT(workaround, how), .type = FIELD_TEXT,
     .doc = "the steps; never the action again"},
    {.key = "acts_on", AT(workaround, acts_on), .type = FIELD_MAP,
     .shape = &shape_acts_on, .doc = "what it changes"},
    {.key = "command", AT(workaround, command), .type = FIELD_LINE,
     .doc = "template; `{fact}` is filled in, `{fact|16}` where nothing is "
            "known is 16"},
    {.key = "command_when", AT(workaround, command_when), .type = FIELD_WHEN,
     .doc = "not known to be true: the fix is shown without its command"},
    {.key = "effort", AT(workaround, effort), .type = FIELD_WORD,
     .words = WORDS_EFFORT,
     .doc = "what it takes to try it; left out: of its acts_on"},
    {.key = "loses", AT(workaround, loses), .type = FIELD_WORD,
     .words = WORDS_LOSES,
     .doc = "what one gives up for it; left out: of its acts_on"},
    {.key = "frees", AT(workaround, frees), .type = FIELD_WORD,
     .words = WORDS_FREES,
     .doc = "what it shrinks or makes room in; left out: of its acts_on"},
    {.key = "cures", AT(workaround, cures), COUNT(workaround, cure_count),
     .type = FIELD_CURES,
     .doc = "how often it alone ends a failure of that cause; left out: of "
            "its acts_on"},
    {.key = "trade_off", AT(workaround, trade_off), .type = FIELD_TEXT,
     .doc = "what is lost by it"},
    {.key = "when", AT(workaround, when), .type = FIELD_WHEN,
     .doc = "false: does not apply; unknown: applies if"},
    {.key = "effect", AT(workaround, effect), .type = FIELD_WORD,
     .words = WORDS_EFFECT, .doc = "which arithmetic estimates it"},
    {.key = "success", AT(workaround, success), .type = FIELD_MAP,
     .shape = &shape_rate, .doc = "left out: no evidence"},
    {.key = "keys", AT(workaround, keys), .type = FIELD_LINES,
     .doc = "of a lever: what configurations and calls name its flag"},
    {.key = "source", AT(workaround, source), .type = FIELD_LINK,
     .doc = "of a lever: where that stands; left out: its program's"},
    {0},
};
const struct shape shape_workaround = {
    "workaround",
    "A fix. `id`, `action`, `how` and `acts_on` stand in it, or in the fix "
    "that it uses.",
    workaround_fields, sizeof(struct workaround)};

static const struct field act_fields[] = {
    {.key = "flag", AT(act, acts_on.flag), .type = FIELD_LINE,
     .doc = "the flag or variable it changes"},
    {.key = "change", AT(act, acts_on.change), .type = FIELD_WORD,
     .words = WORDS_CHANGE, .doc = "which way; with `flag`"},
    {.key = "kind", AT(act, acts_on.kind), .type = FIELD_WORD,
     .words = WORDS_ACT_KIND, .doc = "what it does, where it is no flag"},
    {.key = "effort", AT(act, effort), .type = FIELD_WORD,
     .words = WORDS_EFFORT, .is_required = true,
     .doc = "what it takes to try it"},
    {.key = "loses", AT(act, loses), .type = FIELD_WORD, .words = WORDS_LOSES,
     .doc = "what one gives up for it; left out: each fix says it"},
    {.key = "frees", AT(act, frees), .type = FIELD_WORD, .words = WORDS_FREES,
     .doc = "what it shrinks or makes room in; left out: each fix says it"},
    {.key = "cures", AT(act, cures), COUNT(act, cure_count),
     .type = FIELD_CURES,
     .doc = "how often it alone ends a failure of that cause; left out: each "
            "fix says it"},
    {.key = "effect", AT(act, effect), .type = FIELD_WORD,
     .words = WORDS_EFFECT, .doc = "which arithmetic estimates it"},
    {.key = "when", AT(act, when), .type = FIELD_WHEN,
     .doc = "what must hold of every such fix, beside its own `when`"},
    {0},
};
const struct shape shape_act = {
    "act", "What fixes of one acts_on have in common.", act_fields,
    sizeof(struct act)};

static const struct field fix_file_fields[] = {
    {.key = "fixes", AT(fix_file, fixes), COUNT(fix_file, fix_count),
     .type = FIELD_LIST, .shape = &shape_workaround,
     .doc = "fixes that entries `use`"},
    {.key = "acts", AT(fix_file, acts), COUNT(fix_file, act_count),
     .type = FIELD_LIST, .shape = &shape_act,
     .doc = "what a flag and its change, or a kind, does"},
    {0},
};
const struct shape shape_fix_file = {
    "fixes", "`kb/fixes/*.yaml`: what several entries share.",
    fix_file_fields, sizeof(struct fix_file)};

static const struct field dead_end_fields[] = {
    {.key = "action", AT(dead_end, action), .type = FIELD_TEXT,
     .is_required = true, .doc = "a name"},
    {.key = "why", AT(dead_end, why), .type = FIELD_TEXT,
     .is_required = true, .doc = "why it fails"},
    {.key = "acts_on", AT(dead_end, acts_on), .type = FIELD_MAP,
     .shape = &shape_acts_on, .doc = "what it changes"},
    {.key = "when", AT(dead_end, when), .type = FIELD_WHEN,
     .doc = "only then is it a dead end"},
    {.key = "fail", AT(dead_end, fail), .type = FIELD_MAP,
     .shape = &shape_rate, .doc = "how often it fails"},
    {.key = "instead", AT(dead_end, instead), .type = FIELD_TEXT,
     .doc = "what to do instead"},
    {0},
};
static const struct shape shape_dead_end = {
    "dead end", "A popular fix that does not help.", dead_end_fields,
    sizeof(struct dead_end)};

static const struct field compatibility_fields[] = {
    {.key = "product", AT(compatibility, range.product), .type = FIELD_ID,
     .is_required = true, .doc = "vllm, torch, cuda ..."},
    {.key = "status", AT(compatibility, status), .type = FIELD_WORD,
     .words = WORDS_RANGE_STATUS, .is_required = true,
     .doc = "what holds in the range"},
    {.key = "events", AT(compatibility, range.events),
     COUNT(compatibility, range.event_count), .type = FIELD_EVENTS,
     .is_required = true,
     .doc = "in the range from `introduced` up to, not including, `fixed`"},
    {.key = "note", AT(compatibility, note), .type = FIELD_TEXT,
     .doc = "what changed"},
    {0},
};
static const struct shape shape_compatibility = {
    "version", "Releases in which it is true.", compatibility_fields,
    sizeof(struct compatibility)};

static const struct field hardware_fields[] = {
    {.key = "name", AT(hardware, name), .type = FIELD_LINE,
     .is_required = true, .doc = "the card"},
    {.key = "status", AT(hardware, status), .type = FIELD_WORD,
     .words = WORDS_RANGE_STATUS, .is_required = true,
     .doc = "what holds on it"},
    {.key = "note", AT(hardware, note), .type = FIELD_TEXT,
     .doc = "what is special"},
    {0},
};
static const struct shape shape_hardware = {
    "hardware", "Cards on which it was seen.", hardware_fields,
    sizeof(struct hardware)};

static const struct field reference_fields[] = {
    {.key = "url", AT(reference, url), .type = FIELD_LINK,
     .is_required = true, .doc = "where"},
    {.key = "seen", AT(reference, seen), .type = FIELD_DATE,
     .is_required = true, .doc = "when it was read"},
    {.key = "claim", AT(reference, claim), .type = FIELD_TEXT,
     .is_required = true, .doc = "what it is cited for"},
    {0},
};
static const struct shape shape_reference = {
    "reference", "Who says so.", reference_fields, sizeof(struct reference)};

static const struct field relation_fields[] = {
    {.key = "kind", AT(relation, kind), .type = FIELD_WORD,
     .words = WORDS_RELATION, .is_required = true, .doc = "how they stand"},
    {.key = "entry", AT(relation, entry), .type = FIELD_ENTRY,
     .is_required = true, .doc = "to which"},
    {.key = "tell_apart", AT(relation, tell_apart), .type = FIELD_TEXT,
     .doc = "confused_with: how to tell them apart"},
    {0},
};
static const struct shape shape_relation = {
    "relation", "How this entry stands to another.", relation_fields,
    sizeof(struct relation)};

static const struct field provenance_fields[] = {
    {.key = "source", AT(provenance, source), .type = FIELD_LINE,
     .is_required = true, .doc = "whose claim it was"},
    {.key = "verification", AT(provenance, verification), .type = FIELD_ID,
     .is_required = true, .doc = "as its source says"},
    {.key = "confidence", AT(provenance, confidence_micro),
     .type = FIELD_RATIO, .absent = -1, .doc = "as its source says"},
    {.key = "fix_rate", AT(provenance, fix_rate_micro), .type = FIELD_RATIO,
     .absent = -1, .doc = "as its source says"},
    {.key = "evidence_count", AT(provenance, evidence_count),
     .type = FIELD_INTEGER, .absent = -1, .doc = "as its source says"},
    {0},
};
static const struct shape shape_provenance = {
    "provenance", "An entry that began as somebody else's claim.",
    provenance_fields, sizeof(struct provenance)};

static const char *const states[] = {"draft", NULL};

static const struct field entry_fields[] = {
    {.key = "status", .at = FIELD_NOWHERE, .type = FIELD_CHOICE,
     .choices = states,
     .doc = "draft: what it lacks is a warning, and no index has it; left out "
            "when it is whole"},
    {.key = "id", AT(entry, id), .type = FIELD_ENTRY, .is_derived = true,
     .is_head = true, .doc = "component/slug"},
    {.key = "title", AT(entry, title), .type = FIELD_TEXT,
     .is_required = true, .doc = "what happened, in one line"},
    {.key = "component", .is_head = true, AT(entry, component), .type = FIELD_ID,
     .doc = "who failed; left out: the folder"},
    {.key = "mechanism", .is_head = true, AT(entry, mechanism), .type = FIELD_WORD,
     .words = WORDS_MECHANISM, .is_required = true,
     .doc = "what ran out, and why"},
    {.key = "severity", .is_head = true, AT(entry, severity), .type = FIELD_WORD,
     .words = WORDS_SEVERITY, .is_required = true,
     .doc = "whether the job died of it; suspect: words that no entry knows, told apart from findings"},
    {.key = "role", .is_head = true, AT(entry, role), .type = FIELD_WORD, .words = WORDS_ROLE,
     .doc = "cause, or what a cause drags along; left out: root"},
    {.key = "root_cause", AT(entry, root_cause), .type = FIELD_TEXT,
     .is_required = true, .doc = "why it happened"},
    {.key = "causes", AT(entry, causes), COUNT(entry, cause_count),
     .type = FIELD_SHARES,
     .doc = "what can have caused it, and how often; left out: the row of its "
            "mechanism in `kb/causes.yaml`"},
    {.key = "signatures", .is_head = true, AT(entry, signatures), COUNT(entry, signature_count),
     .type = FIELD_LIST, .shape = &shape_signature,
     .doc = "any one makes this entry a candidate"},
    {.key = "same_words_as", .is_head = true, AT(entry, same_words_as), .type = FIELD_ENTRY,
     .doc = "the head of its group, whose signatures it answers"},
    {.key = "prefer", .is_head = true, AT(entry, prefer), .type = FIELD_ENTRIES,
     .doc = "this entry before those, where both hold equally"},
    {.key = "all_of", .is_head = true, AT(entry, conditions), COUNT(entry, condition_count),
     .type = FIELD_LIST, .shape = &shape_condition, .doc = "must stand there"},
    {.key = "none_of", .is_head = true, AT(entry, conditions), COUNT(entry, condition_count),
     .type = FIELD_LIST, .shape = &shape_condition,
     .mark_at = offsetof(struct condition, is_none_of), .is_alias = true,
     .doc = "must not stand there"},
    {.key = "when", .is_head = true, AT(entry, when), .type = FIELD_WHEN,
     .doc = "conditions over facts"},
    {.key = "workarounds", AT(entry, workarounds),
     COUNT(entry, workaround_count), .type = FIELD_LIST,
     .shape = &shape_workaround, .doc = "what helps"},
    {.key = "dead_ends", AT(entry, dead_ends), COUNT(entry, dead_end_count),
     .type = FIELD_LIST, .shape = &shape_dead_end, .doc = "what does not"},
    {.key = "versions", AT(entry, versions), COUNT(entry, version_count),
     .type = FIELD_LIST, .shape = &shape_compatibility,
     .doc = "where it is true"},
    {.key = "hardware", AT(entry, hardware), COUNT(entry, hardware_count),
     .type = FIELD_LIST, .shape = &shape_hardware, .doc = "on which cards"},
    {.key = "docs", AT(entry, docs), COUNT(entry, doc_count),
     .type = FIELD_LIST, .shape = &shape_reference, .doc = "documentation"},
    {.key = "evidence", AT(entry, evidence), COUNT(entry, evidence_count),
     .type = FIELD_LIST, .shape = &shape_reference,
     .doc = "reports and sources"},
    {.key = "relations", AT(entry, relations), COUNT(entry, relation_count),
     .type = FIELD_LIST, .shape = &shape_relation, .doc = "other entries"},
    {.key = "first_seen", AT(entry, first_seen), .type = FIELD_DATE,
     .is_required = true, .doc = "the oldest report known"},
    {.key = "last_verified", AT(entry, last_verified), .type = FIELD_DATE,
     .is_required = true, .doc = "when this file was last checked"},
    {.key = "renamed_from", AT(entry, renamed_from), .type = FIELD_ENTRIES,
     .doc = "ids it had before; they go on working"},
    {.key = "withdrawn", .is_head = true, AT(entry, withdrawn), .type = FIELD_TEXT,
     .doc = "why it no longer speaks"},
    {.key = "provenance", AT(entry, provenance), .type = FIELD_MAP,
     .shape = &shape_provenance, .doc = "where it came from"},
    {0},
};
const struct shape shape_entry = {
    "entry", "`entries/<component>/<slug>.yaml`: one known failure.",
    entry_fields, sizeof(struct entry)};
