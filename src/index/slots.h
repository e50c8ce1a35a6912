/* slots.h: where a row of entry_text and entry_list comes from in an entry: a
 * public text or a list of strings that is not here stands in no table and is
 * not searched. */
#ifndef INDEX_SLOTS_H
#define INDEX_SLOTS_H

#include "corpus/entry.h"

/* X(name in C, name in the index, the slot, how many there are) */
#define TEXT_SLOTS(X)                                                          \
    X(title, "title", &e->title, 1)                                            \
    X(root_cause, "root_cause", &e->root_cause, 1)                             \
    X(withdrawn, "withdrawn", &e->withdrawn, 1)                                \
    X(fix_action, "workaround.action", &e->workarounds[i].action,              \
      e->workaround_count)                                                     \
    X(fix_how, "workaround.how", &e->workarounds[i].how, e->workaround_count)  \
    X(fix_trade_off, "workaround.trade_off", &e->workarounds[i].trade_off,     \
      e->workaround_count)                                                     \
    X(fix_because, "workaround.because", &e->workarounds[i].success.because,   \
      e->workaround_count)                                                     \
    X(dead_action, "dead_end.action", &e->dead_ends[i].action,                 \
      e->dead_end_count)                                                       \
    X(dead_why, "dead_end.why", &e->dead_ends[i].why, e->dead_end_count)       \
    X(dead_instead, "dead_end.instead", &e->dead_ends[i].instead,              \
      e->dead_end_count)                                                       \
    X(dead_because, "dead_end.because", &e->dead_ends[i].fail.because,         \
      e->dead_end_count)                                                       \
    X(version_note, "version.note", &e->versions[i].note, e->version_count)    \
    X(hardware_note, "hardware.note", &e->hardware[i].note, e->hardware_count) \
    X(doc_claim, "doc.claim", &e->docs[i].claim, e->doc_count)                 \
    X(evidence_claim, "evidence.claim", &e->evidence[i].claim,                 \
      e->evidence_count)                                                       \
    X(tell_apart, "relation.tell_apart", &e->relations[i].tell_apart,          \
      e->relation_count)

#define LIST_SLOTS(X)                                                          \
    X(prefer, "prefer", &e->prefer, 1)                                         \
    X(when, "when", &e->when, 1)                                               \
    X(renamed_from, "renamed_from", &e->renamed_from, 1)                       \
    X(extract, "signature.extract", &e->signatures[i].extract,                 \
      e->signature_count)                                                      \
    X(fix_when, "workaround.when", &e->workarounds[i].when,                    \
      e->workaround_count)                                                     \
    X(fix_links, "workaround.links", &e->workarounds[i].success.links,         \
      e->workaround_count)                                                     \
    X(dead_when, "dead_end.when", &e->dead_ends[i].when, e->dead_end_count)    \
    X(dead_links, "dead_end.links", &e->dead_ends[i].fail.links,               \
      e->dead_end_count)

enum text_slot {
#define X(name, spelling, slot, count) TEXT_SLOT_##name,
    TEXT_SLOTS(X) TEXT_SLOT_COUNT_OF
#undef X
};
enum list_slot {
#define X(name, spelling, slot, count) LIST_SLOT_##name,
    LIST_SLOTS(X) LIST_SLOT_COUNT_OF
#undef X
};

const char *text_slot_name(enum text_slot slot);
const char *list_slot_name(enum list_slot slot);
const char *lang_name(enum lang lang); /* "en", "zh" */
/* The i-th of that kind in e; NULL when e has no so many. */
struct text *text_slot_of(struct entry *e, enum text_slot which, size_t i);
struct str_list *list_slot_of(struct entry *e, enum list_slot which, size_t i);

#endif
