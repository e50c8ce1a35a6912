/* words.c: how JSON and the keys of i18n spell the report's own enums. The
 * vocabularies of the corpus are spelled by corpus/words.h. */
#include "render/parts.h"

const char *certainty_spelling(enum certainty c) {
    switch (c) {
    case CERTAINTY_EXACT: return "exact";
    case CERTAINTY_BY_FACTS: return "by_facts";
    case CERTAINTY_BY_CONTEXT: return "by_context";
    case CERTAINTY_GENERIC: return "generic";
    }
    return "generic";
}

const char *applies_spelling(enum applies a) {
    switch (a) {
    case APPLIES_YES: return "yes";
    case APPLIES_IF: return "if";
    case APPLIES_NO: return "no";
    case APPLIES_ALREADY: return "already";
    }
    return "if";
}

const char *verdict_spelling(enum verdict v) {
    switch (v) {
    case VERDICT_ENOUGH: return "enough";
    case VERDICT_MAY_BE_ENOUGH: return "may_be_enough";
    case VERDICT_NOT_ENOUGH: return "not_enough";
    case VERDICT_UNKNOWN: return "unknown";
    case VERDICT_NONE: return "none";
    }
    return "none";
}
