/* commands.c: the one table of commands. The first operand that names one is
 * it; without one the operands are logs to diagnose. */
#include <string.h>

#include "cli/cli.h"

#define OWN_COUNT SIZE_MAX /* counts them itself, and says what it takes */

const struct command commands[] = {
    {"diagnose", "[FILE]...", "cli.help.diagnose", FOR_DIAGNOSE, OWN_COUNT,
     run_diagnose},
    {"explain", "ID", "cli.help.explain", FOR_EXPLAIN, OWN_COUNT, run_explain},
    {"list", "[WHAT]", "cli.help.list", FOR_LIST, OWN_COUNT, run_list},
    {"search", "WORDS...", "cli.help.search", FOR_SEARCH, OWN_COUNT,
     run_search},
    {"fit", "--model NAME | COMMAND", "cli.help.fit", FOR_FIT, OWN_COUNT, run_fit},
    {"memory", "[LOG]", "cli.help.memory", FOR_MEMORY, 1, run_memory},
    {"lint", "FILE...", "cli.help.lint", FOR_LINT, OWN_COUNT, run_lint},
    {"run", "[--] COMMAND...", "cli.help.run", FOR_RUN, OWN_COUNT, run_run},
    {"facts", "", "cli.help.facts", FOR_FACTS, 0, run_facts},
    {"feedback", "ID FIX OUTCOME", "cli.help.feedback", FOR_FEEDBACK,
     OWN_COUNT, run_feedback},
    {"new", "[FILE]", "cli.help.new", FOR_NEW, OWN_COUNT, run_new},
    {"build", "DIR -o FILE", "cli.help.build", FOR_BUILD, 1, run_build},
    {"check", "[PATH]...", "cli.help.check", FOR_CHECK, OWN_COUNT, run_check},
    {"fmt", "[PATH]...", "cli.help.fmt", FOR_FMT, OWN_COUNT, run_fmt},
    {"site", "-o DIR", "cli.help.site", FOR_SITE, 0, run_site},
    {"mcp", "", "cli.help.mcp", FOR_MCP, 0, run_mcp},
    {"completion", "SHELL", "cli.help.completion", FOR_COMPLETION, OWN_COUNT,
     run_completion},
    {"version", "", "cli.help.version", FOR_VERSION, 0, run_version},
    {"help", "[COMMAND]", "cli.help.help", FOR_HELP, 1, run_help},
    {NULL, NULL, NULL, 0, 0, NULL},
};

const struct command *command_named(const char *name) {
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}
