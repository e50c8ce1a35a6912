/* stale.c: `oomkb check --stale [DIR]`: what is due to be looked at again.
 * A line each, oldest first; exit status 1 where there is any. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "author/author.h"
#include "cli/corpus.h"
#include "cli/put.h"

enum { DAYS_DEFAULT = 180 };

struct asking {
    struct arena arena;
    const struct cli *c;
    char today[16];
    struct stale_question question;
    struct author_result result;
    struct stale_list due;
};

static void ask(void *arg) {
    struct asking *q = arg;
    const struct cli *c = q->c;
    struct author_options o = {
        .entries_dir = str_of(c->operand_count > 0 ? c->operands[0]
                                                   : "entries"),
        .on_diag = corpus_print_diag};
    q->due = author_stale(&q->arena, &o, &q->question, &q->result);
}

static void put_item_json(const struct stale_item *item) {
    const struct {
        const char *key;
        struct str value;
    } fields[] = {{"entry", item->entry}, {"what", str_of(item->what)},
                  {"date", item->date},   {"about", item->about},
                  {"path", item->path}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char text[TEXT_MAX];
        snprintf(text, sizeof text, "%.*s", STR_ARG(fields[i].value));
        printf("%s\"%s\":", i > 0 ? "," : "{", fields[i].key);
        put_json_string(stdout, text);
    }
    printf(",\"line\":%u,\"days\":%lld}", item->line, (long long)item->days);
}

static void put_json(const struct asking *q) {
    printf("{\"schema\":1,\"today\":\"%s\",\"older_than_days\":%lld,\"due\":[",
           q->today, (long long)q->question.days);
    for (size_t i = 0; i < q->due.count; i++) {
        fputs(i > 0 ? ",\n " : "\n ", stdout);
        put_item_json(&q->due.at[i]);
    }
    puts("]}");
}

static void put_text(struct cli *c, const struct asking *q) {
    char count[24], days[24];
    for (size_t i = 0; i < q->due.count; i++) {
        const struct stale_item *item = &q->due.at[i];
        char line[TEXT_MAX];
        snprintf(line, sizeof line, "%.*s:%u: %s %.*s  %.*s",
                 STR_ARG(item->path), item->line, item->what,
                 STR_ARG(item->date), STR_ARG(item->about));
        put_safe(stdout, line);
        fputc('\n', stdout);
    }
    snprintf(count, sizeof count, "%zu", q->due.count);
    snprintf(days, sizeof days, "%lld", (long long)q->question.days);
    cli_say(c, "cli.stale.sum", count, days);
}

int run_stale(struct cli *c) {
    struct asking q = {.c = c};
    cli_today(q.today);
    q.question = (struct stale_question){
        str_of(q.today), c->days > 0 ? c->days : DAYS_DEFAULT};
    int status = STATUS_ERROR;
    bool is_asked = cli_guard(c, &q.arena, ask, &q);
    if (is_asked && q.result.errors > 0) {
        cli_usage(c, "cli.error.stale_errors", NULL, NULL);
    } else if (is_asked) {
        status = q.due.count > 0 ? STATUS_NONE : STATUS_FOUND;
        if (cli_is_json(c)) {
            put_json(&q);
        } else {
            put_text(c, &q);
        }
    }
    arena_free(&q.arena);
    return status;
}
