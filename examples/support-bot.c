/* support-bot.c: a support bot on liboomkb, for any chat that can be piped.
 *
 *     cc support-bot.c $(pkg-config --cflags --libs oomkb) -o support-bot
 *     printf '%s\0' "$(cat crash.log)" model=Qwen/Qwen2.5-7B |
 *         ./support-bot | tr '\0' '\n'
 *
 * A message in, a reply out. Each ends with a NUL byte, the one byte that no
 * chat message holds, so a pasted log needs no quoting. A message is a log, or
 * one line about the last one: the value that the last reply asked for, or
 * fact=value for any fact. Replies are Markdown without paths, hosts and names,
 * in Chinese when the message that brought the log has Chinese in it.
 */
#define _POSIX_C_SOURCE 200809L
#include <oomkb/oomkb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chat {
    oomkb *kb;
    oomkb_report *report; /* of the last log; NULL: none yet */
    const char *lang;
    const char *asked; /* the fact that the last reply asked for, or NULL */
};

/* The first bytes of Chinese characters in UTF-8. */
static int is_chinese(const char *message) {
    return strpbrk(message, "\xe4\xe5\xe6\xe7\xe8\xe9") != NULL;
}

static int write_out(void *ctx, const char *bytes, size_t n) {
    return fwrite(bytes, 1, n, ctx) != n;
}

static void ask(struct chat *c) {
    const char *question;
    c->asked = NULL;
    if (oomkb_report_question(c->report, 0, c->lang, &c->asked, &question,
                              NULL) == OOMKB_OK) {
        printf("\n**%s** `%s=`\n", question, c->asked);
    }
}

static int show(struct chat *c, oomkb_error *err) {
    oomkb_options o = {
        .size = sizeof o, .lang = c->lang, .top = 3, .redact = 1};
    return oomkb_report_write(c->report, "markdown", &o, write_out, stdout,
                              err);
}

/* One line about the last log: the value that was asked for, or fact=value. */
static int is_answer(const struct chat *c, const char *message) {
    const char *end = strchr(message, '\n');
    int is_one_line = end == NULL || end[1] == '\0';
    return c->report != NULL && is_one_line &&
           (c->asked != NULL || strchr(message, '=') != NULL);
}

static int answer(struct chat *c, const char *message, oomkb_error *err) {
    char said[512];
    const char *name = strchr(message, '=') ? "" : c->asked;
    snprintf(said, sizeof said, "%s%s%s", name, *name ? "=" : "", message);
    return oomkb_report_answer(c->report, said, err);
}

/* What shows a failure is a log; so is all that is no answer. */
static int hear(struct chat *c, const char *message, oomkb_error *err) {
    oomkb_report *report;
    int code = oomkb_diagnose(c->kb, message, strlen(message), NULL, &report,
                              err);
    if (code != OOMKB_OK) {
        return code;
    }
    if (oomkb_report_failures(report) == 0 && is_answer(c, message)) {
        oomkb_report_free(report);
        return answer(c, message, err);
    }
    oomkb_report_free(c->report);
    c->report = report;
    c->lang = is_chinese(message) ? "zh" : "en";
    return OOMKB_OK;
}

int main(void) {
    struct chat c = {.lang = "en"};
    oomkb_error err = {0};
    char *message = NULL;
    size_t room = 0;
    if (oomkb_open(NULL, &c.kb, &err) != OOMKB_OK) {
        fprintf(stderr, "support-bot: %s\n", err.text);
        return 2;
    }
    while (getdelim(&message, &room, '\0', stdin) > 0) {
        if (hear(&c, message, &err) != OOMKB_OK ||
            show(&c, &err) != OOMKB_OK) {
            printf("%s\n", err.text);
        }
        if (c.report != NULL) {
            ask(&c);
        }
        putchar('\0');
        fflush(stdout);
    }
    free(message);
    oomkb_report_free(c.report);
    oomkb_close(c.kb);
    return 0;
}
