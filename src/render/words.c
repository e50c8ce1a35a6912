/* words.c: how JSON and the keys of i18n spell the report's own enums. The
 * vocabularies of the corpus are spelled by corpus/words.h. */
#include "render/parts.h"

const char *certainty_spelling(enum certainty c) {
    static const char *const words[] = {[CERTAINTY_EXACT] = "exact",
                                        [CERTAINTY_BY_FACTS] = "by_facts",
                                        [CERTAINTY_BY_CONTEXT] = "by_context",
                                        [CERTAINTY_GENERIC] = "generic"};
    return words[c];
}

const char *applies_spelling(enum applies a) {
    static const char *const words[] = {[APPLIES_YES] = "yes",
                                        [APPLIES_IF] = "if",
                                        [APPLIES_NO] = "no",
                                        [APPLIES_ALREADY] = "already"};
    return words[a];
}

const char *verdict_spelling(enum verdict v) {
    static const char *const words[] = {
        [VERDICT_ENOUGH] = "enough",
        [VERDICT_MAY_BE_ENOUGH] = "may_be_enough",
        [VERDICT_NOT_ENOUGH] = "not_enough",
        [VERDICT_UNKNOWN] = "unknown",
        [VERDICT_NONE] = "none"};
    return words[v];
}
