/* slots.c: the tables of slots.h as functions. It holds no list of its own. */
#include "index/slots.h"

static const char *const text_names[] = {
#define X(name, spelling, slot, count) spelling,
    TEXT_SLOTS(X)
#undef X
};
static const char *const list_names[] = {
#define X(name, spelling, slot, count) spelling,
    LIST_SLOTS(X)
#undef X
};
static const char *const lang_names[LANG_COUNT_OF] = {"en", "zh"};

const char *text_slot_name(enum text_slot slot) { return text_names[slot]; }

const char *list_slot_name(enum list_slot slot) { return list_names[slot]; }

const char *lang_name(enum lang lang) { return lang_names[lang]; }

/* One expression: which == the first ? its slot : which == the second ... */
struct text *text_slot_of(struct entry *e, enum text_slot which, size_t i) {
#define X(name, spelling, slot, count)                                         \
    which == TEXT_SLOT_##name ? (i < (count) ? (slot) : NULL) :
    return TEXT_SLOTS(X) NULL;
#undef X
}

struct str_list *list_slot_of(struct entry *e, enum list_slot which, size_t i) {
#define X(name, spelling, slot, count)                                         \
    which == LIST_SLOT_##name ? (i < (count) ? (slot) : NULL) :
    return LIST_SLOTS(X) NULL;
#undef X
}
