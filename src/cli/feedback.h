/* feedback.h: what the files about the user's own reports share. */
#ifndef CLI_FEEDBACK_H
#define CLI_FEEDBACK_H

#include "cli/overlay.h"

/* On stderr: how many lines of the file could not be read, if any. */
void feedback_warn(struct cli *c, const struct overlay *o);
/* The user's reports as the library takes them, NULL-terminated; NULL: there
 * are none, or the file cannot be opened, which is said on stderr and no reason
 * not to diagnose. For feedback_free(). False after cli_error(): a part of them
 * was read, and an answer that rests on a part would be another one. */
bool feedback_read(struct cli *c, char ***reports);
void feedback_free(char **reports);
/* `oomkb feedback export` */
int feedback_export(struct cli *c);

#endif
