/* version.c: `oomkb version`: the versions of the program and of its knowledge
 * base. */
#include <stdio.h>

#include "cli/cli.h"

int run_version(struct cli *c) {
    oomkb *kb = cli_kb(c);
    if (kb == NULL) /* of --version */
        return STATUS_ERROR;
    struct digits count = digits_of((int64_t)oomkb_entry_count(kb));
    if (cli_is_json(c)) {
        printf("{\"schema\":1,\"oomkb\":");
        put_json_string(stdout, oomkb_version());
        printf(",\"kb\":{\"entries\":%s,\"digest\":", count.text);
        put_json_string(stdout, oomkb_digest(kb));
        printf("}}\n");
        return STATUS_FOUND;
    }
    printf("oomkb %s\n", oomkb_version());
    cli_print(c, "cli.version.kb", count.text, oomkb_digest(kb));
    return STATUS_FOUND;
}
