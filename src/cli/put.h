/* put.h: writing what others chose, safely. Private to cli/. */
#ifndef CLI_PUT_H
#define CLI_PUT_H

#include <stdio.h>

#include "cli/cli.h"

#define TEXT_MAX 2048

void put_safe(FILE *out, const char *text);        /* for a terminal */
void put_json_string(FILE *out, const char *text); /* with its quotes */
void fill_text(struct cli *c, const char *key, const char *const args[2],
               char *room, size_t size);

#endif
