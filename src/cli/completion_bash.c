/* completion_bash.c: one function, _oomkb, that bash calls with the line in
 * COMP_WORDS. A command is the first word that names one; `--name=value` comes
 * as three words. */
#include "cli/completion.h"

#include <stdio.h>

static void put_bash_options(unsigned bits) {
    for (const struct option_row *o = option_rows; o->name != NULL; o++) {
        if ((o->commands & bits) != 0)
            printf(" %s", o->name);
    }
}

static void put_bash_values(void) {
    char choices[CHOICES_MAX];
    puts("    case $prev in");
    for (const struct option_row *o = option_rows; o->name != NULL; o++) {
        choices_of(o, choices);
        if (o->value == NULL)
            continue;
        printf("    %s", o->name);
        if (o->letter != 0)
            printf("|-%c", o->letter);
        if (choices[0] != '\0') {
            printf(") _oomkb_words '%s'; return ;;\n", choices);
        } else if (takes_file(o)) {
            puts(") _oomkb_files; return ;;");
        } else {
            puts(") return ;;");
        }
    }
    puts("    esac");
}

static void put_bash_commands(void) {
    puts("    case $command in");
    for (const struct command *c = commands; c->name != NULL; c++) {
        printf("    %s) options='", c->name);
        put_bash_options((unsigned)c->bit);
        puts("' ;;");
    }
    printf("    *) options='");
    put_bash_options(FOR_DIAGNOSE);
    puts("' ;;\n    esac");
}

/* What stands behind a command that is no option. */
static void put_bash_operands(void) {
    puts("    case $command in");
    for (const struct command *c = commands; c->name != NULL; c++) {
        printf("    %s) ", c->name);
        switch (operand_kind(c)) {
        case OPERAND_NONE: break;
        case OPERAND_FILE: printf("_oomkb_files"); break;
        case OPERAND_ID: printf("_oomkb_words \"$(_oomkb_ids)\""); break;
        case OPERAND_SHELL: printf("_oomkb_words '" SHELLS "'"); break;
        case OPERAND_COMMAND: printf("_oomkb_words \"$words\""); break;
        case OPERAND_LIST:
            printf("_oomkb_words \"");
            put_list_names();
            printf(" $(_oomkb_components)\"");
            break;
        }
        puts(" ;;");
    }
    puts("    *) _oomkb_files\n"
         "        COMPREPLY+=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
         "    esac");
}

int put_bash(struct cli *c) {
    (void)c;
    puts("# bash completion for oomkb; made by `oomkb completion bash`\n"
         "_oomkb_ids() {\n"
         "    " LIST_IDS "\n"
         "}\n"
         "_oomkb_components() {\n"
         "    " LIST_COMPONENTS "\n"
         "}\n"
         "_oomkb_words() {\n"
         "    COMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
         "}\n"
         "_oomkb_files() {\n"
         "    local IFS=$'\\n'\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "}\n"
         "_oomkb() {\n"
         "    local cur prev command='' options i words\n"
         "    COMPREPLY=()\n"
         "    cur=${COMP_WORDS[COMP_CWORD]}\n"
         "    prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    if [[ $cur == = ]]; then cur=''; fi\n"
         "    if [[ $prev == = && $COMP_CWORD -ge 2 ]]; then\n"
         "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    fi");
    printf("    words=' ");
    put_command_names();
    puts(" '\n"
         "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "        if [[ $words == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
         "            command=${COMP_WORDS[i]}\n"
         "            break\n"
         "        fi\n"
         "    done");
    put_bash_values();
    put_bash_commands();
    puts("    if [[ $cur == -* ]]; then\n"
         "        _oomkb_words \"$options\"\n"
         "        return\n"
         "    fi");
    put_bash_operands();
    puts("}\n"
         "complete -o filenames -F _oomkb oomkb");
    return STATUS_FOUND;
}
