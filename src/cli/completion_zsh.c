/* completion_zsh.c: _arguments for every command, with what each option is
 * for, in the language that was asked for. Works from fpath as `_oomkb`, and
 * sourced. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

/* In a specification of _arguments, [ ] : and \ are marks. */
static void put_zsh_help(struct cli *c, const char *key) {
    for (const char *text = cli_text(c, key); *text != '\0'; text++) {
        if (strchr("[]:\\", *text) != NULL)
            fputc('\\', stdout);
        char one[2] = {*text, '\0'};
        put_quoted(one, "'\\''");
    }
}

static void put_zsh_option(struct cli *c, const struct option_row *o) {
    char choices[CHOICES_MAX];
    choices_of(o, choices);
    bool may_repeat = o->id == OPTION_SET || o->id == OPTION_KB;
    printf("            '%s%s%s[", may_repeat ? "*" : "", o->name,
           o->value != NULL ? "=" : "");
    put_zsh_help(c, o->help_key);
    printf("]");
    if (choices[0] != '\0') {
        printf(":%s:(%s)", o->value, choices);
    } else if (o->value != NULL) {
        printf(":%s:%s", o->value, takes_file(o) ? "_files" : "");
    }
    puts("' \\");
}

static const char *zsh_operands(const struct command *c) {
    switch (operand_kind(c)) {
    case OPERAND_NONE: break;
    case OPERAND_FILE: return "'*:file:_files'";
    case OPERAND_ID: return "'1:id:_oomkb_ids'";
    case OPERAND_SHELL: return "'1:shell:(" SHELLS ")'";
    case OPERAND_COMMAND: return "'1:command:_oomkb_commands'";
    case OPERAND_LIST: return "'1:what:_oomkb_lists'";
    }
    return "'*::'";
}

static void put_zsh_command(struct cli *c, const struct command *command,
                            const char *label) {
    printf("        %s) _arguments \\\n", label);
    for (const struct option_row *o = option_rows; o->name != NULL; o++) {
        if ((o->commands & (unsigned)command->bit) != 0)
            put_zsh_option(c, o);
    }
    printf("            %s ;;\n", zsh_operands(command));
}

int put_zsh(struct cli *c) {
    fputs("#compdef oomkb\n"
         "# zsh completion for oomkb; made by `oomkb completion zsh`\n"
         "_oomkb_ids() {\n"
         "    compadd -- ${(f)\"$(" LIST_IDS ")\"}\n"
         "}\n"
         "_oomkb_lists() {\n"
         "    compadd --", stdout);
    putchar(' ');
    put_list_names();
    puts(" ${(f)\"$(" LIST_COMPONENTS ")\"}\n"
         "}\n"
         "_oomkb_commands() {\n"
         "    local -a names\n"
         "    names=(");
    for (const struct command *each = commands; each->name != NULL; each++) {
        printf("        '%s:", each->name);
        put_quoted(cli_text(c, each->help_key), "'\\''");
        puts("'");
    }
    puts("    )\n"
         "    _describe command names\n"
         "}\n"
         "_oomkb() {\n"
         "    local command=''\n"
         "    if (( CURRENT > 2 )); then\n"
         "        command=$words[2]\n"
         "        words=(oomkb \"${(@)words[3,-1]}\")\n"
         "        (( CURRENT-- ))\n"
         "    fi\n"
         "    case $command in");
    for (const struct command *each = commands; each->name != NULL; each++)
        put_zsh_command(c, each, each->name);
    puts("        '')\n"
         "            if [[ $words[CURRENT] != -* ]]; then\n"
         "                _oomkb_commands\n"
         "                _files\n"
         "                return\n"
         "            fi ;|");
    put_zsh_command(c, command_named("diagnose"), "*");
    puts("    esac\n"
         "}\n"
         "if [[ $funcstack[1] == _oomkb ]]; then\n"
         "    _oomkb \"$@\"\n"
         "else\n"
         "    compdef _oomkb oomkb\n"
         "fi");
    return STATUS_FOUND;
}
