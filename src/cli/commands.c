/* commands.c: the one table of commands. The first operand that names one is
 * it; without one the operands are logs to diagnose. */
#include <string.h>

#include "cli/cli.h"

const struct command commands[] = {
    {"diagnose", "[FILE]...", "cli.help.diagnose", FOR_DIAGNOSE, run_diagnose},
    {"explain", "ID", "cli.help.explain", FOR_EXPLAIN, run_explain},
    {"list", "[COMPONENT]", "cli.help.list", FOR_LIST, run_list},
    {"search", "WORDS...", "cli.help.search", FOR_SEARCH, run_search},
    {"fit", "--model NAME", "cli.help.fit", FOR_FIT, run_fit},
    {"feedback", "ID FIX OUTCOME", "cli.help.feedback", FOR_FEEDBACK,
     run_feedback},
    {"new", "[FILE]", "cli.help.new", FOR_NEW, run_new},
    {"build", "DIR -o FILE", "cli.help.build", FOR_BUILD, run_build},
    {"check", "[DIR]", "cli.help.check", FOR_CHECK, run_check},
    {"site", "-o DIR", "cli.help.site", FOR_SITE, run_site},
    {"completion", "SHELL", "cli.help.completion", FOR_COMPLETION,
     run_completion},
    {"version", "", "cli.help.version", FOR_VERSION, run_version},
    {"help", "[COMMAND]", "cli.help.help", FOR_HELP, run_help},
    {NULL, NULL, NULL, 0, NULL},
};

const struct command *command_named(const char *name) {
    for (const struct command *c = commands; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}
