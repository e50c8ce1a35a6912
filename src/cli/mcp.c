/* mcp.c: `oomkb mcp`, a server for agents on stdin and stdout: one message a
 * line, until the input ends. serve/mcp.h has the protocol. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "serve/mcp.h"

/* Answers a message. False: stdout cannot be written, or out of memory. */
static bool reply_to(oomkb *kb, struct str message, struct buf *reply) {
    buf_clear(reply);
    if (!mcp_answer(kb, message, reply) || !buf_ok(reply))
        return false;
    if (reply->n == 0)
        return true;
    buf_add_char(reply, '\n');
    return fwrite(reply->p, 1, reply->n, stdout) == reply->n &&
           fflush(stdout) == 0;
}

int run_mcp(struct cli *c) {
    struct buf reply;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    bool is_well = true;
    buf_init(&reply, NULL, 0);
    while (is_well && (n = getline(&line, &room, stdin)) > 0) {
        size_t bytes = (size_t)n;
        while (bytes > 0 &&
               (line[bytes - 1] == '\n' || line[bytes - 1] == '\r'))
            bytes--;
        if (bytes > 0)
            is_well = reply_to(c->kb, (struct str){line, bytes}, &reply);
    }
    free(line);
    buf_free(&reply);
    return is_well ? STATUS_FOUND : STATUS_ERROR;
}
