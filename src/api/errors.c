/* errors.c: errors of the layers below as the caller's oomkb_error. The codes
 * are the same numbers, which is asserted here. */
#include <string.h>

#include "api/handles.h"
#include "base/utf8.h"

_Static_assert((int)FAIL_NONE == (int)OOMKB_OK, "codes agree");
_Static_assert((int)FAIL_MEMORY == (int)OOMKB_ERROR_MEMORY, "codes agree");
_Static_assert((int)FAIL_CEILING == (int)OOMKB_ERROR_CEILING, "codes agree");
_Static_assert((int)FAIL_USAGE == (int)OOMKB_ERROR_USAGE, "codes agree");
_Static_assert((int)FAIL_IO == (int)OOMKB_ERROR_IO, "codes agree");
_Static_assert((int)FAIL_INDEX == (int)OOMKB_ERROR_INDEX, "codes agree");
_Static_assert((int)FAIL_INPUT == (int)OOMKB_ERROR_INPUT, "codes agree");

/* Control characters become blanks, so that the text is one line. A text that
 * is too long is cut between characters. */
int error_set(oomkb_error *err, int code, const char *text) {
    if (err == NULL)
        return code;
    size_t n = utf8_cut(str_of(text), sizeof err->text - 1);
    for (size_t i = 0; i < n; i++)
        err->text[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    err->text[n] = '\0';
    err->code = code;
    return code;
}

int error_of(oomkb_error *err, enum fail code, const struct fault *fault) {
    return code == FAIL_NONE ? OOMKB_OK
                             : error_set(err, (int)code, fault->text);
}

bool error_lacks(oomkb_error *err, const struct given *all) {
    char text[96] = "NULL given for ";
    while (all->name != NULL && all->is_there)
        all++;
    if (all->name == NULL)
        return false;
    strncat(text, all->name, sizeof text - strlen(text) - 1);
    error_set(err, OOMKB_ERROR_USAGE, text);
    return true;
}
