/* support-bot.c: a support bot on liboomkb, for any chat that can be piped.
 *     cc support-bot.c $(pkg-config --cflags --libs oomkb) -o support-bot
 *     printf '%s\0' "$(cat crash.log)" model=Qwen/Qwen2.5-7B | ./support-bot
 * Messages and replies end with a NUL byte. One line without a failure answers
 * the last reply: a value for what it asked, or fact=value. */
#define _POSIX_C_SOURCE 200809L
#include <oomkb/oomkb.h>
#include <stdio.h>
#include <string.h>

struct chat { oomkb *kb; oomkb_report *last; const char *lang, *asked; };

static int put(void *out, const char *bytes, size_t n) {
    return fwrite(bytes, 1, n, out) != n;
}

static int hear(struct chat *c, const char *message, oomkb_error *err) {
    oomkb_report *r;
    int code = oomkb_diagnose(c->kb, message, strlen(message), NULL, &r, err);
    if (code != OOMKB_OK)
        return code;
    int names = strchr(message, '=') != NULL;
    const char *end = strchr(message, '\n');
    if (c->last && (names || c->asked) && (!end || !end[1]) &&
        !oomkb_report_failures(r)) {
        char said[512];
        snprintf(said, sizeof said, "%s%s%s", names ? "" : c->asked,
                 names ? "" : "=", message);
        oomkb_report_free(r);
        return oomkb_report_answer(c->last, said, err);
    }
    oomkb_report_free(c->last);
    c->last = r; /* in Chinese when its log came with Chinese in it */
    c->lang = strpbrk(message, "\xe4\xe5\xe6\xe7\xe8\xe9") ? "zh" : "en";
    return OOMKB_OK;
}

int main(void) {
    struct chat c = {.lang = "en"};
    size_t room = 0;
    char *message = NULL;
    const char *question;
    oomkb_error err = {0};
    if (oomkb_open(NULL, &c.kb, &err) != OOMKB_OK)
        return fprintf(stderr, "support-bot: %s\n", err.text), 2;
    while (getdelim(&message, &room, '\0', stdin) > 0) {
        int code = hear(&c, message, &err);
        oomkb_options o = {
            .size = sizeof o, .lang = c.lang, .top = 3, .redact = 1};
        if (code ||
            oomkb_report_write(c.last, "markdown", &o, put, stdout, &err))
            printf("%s\n", err.text);
        c.asked = NULL;
        if (c.last && oomkb_report_question(c.last, 0, c.lang, &c.asked,
                                            &question, NULL) == OOMKB_OK)
            printf("\n**%s** `%s=`\n", question, c.asked);
        putchar('\0');
        fflush(stdout);
    }
}
