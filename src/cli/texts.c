/* texts.c: texts of the program by the public header, and untrusted text made
 * safe for a terminal or for JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "cli/cli.h"

/* The built-in knowledge base has every key, so a missing text means that
 * memory ran out. _Exit() drops the buffer of stdout, so that no incomplete
 * answer is written. */
static _Noreturn void no_memory(const char *key) {
    fprintf(stderr, "oomkb: out of memory for the text %s\n", key);
    _Exit(STATUS_ERROR);
}

/* The texts of the program are in the built-in knowledge base. One given by
 * --kb is used for logs only. */
const char *cli_text(struct cli *c, const char *key) {
    int code = OOMKB_OK;
    if (c->words == NULL) {
        oomkb *built_in = NULL;
        code = oomkb_open(NULL, &built_in, NULL);
        c->words = code == OOMKB_OK ? built_in : NULL;
    }
    const char *text =
        c->words != NULL ? oomkb_text(c->words, c->lang, key) : "";
    if (text[0] == '\0' && (c->words != NULL || code == OOMKB_ERROR_MEMORY))
        no_memory(key);
    return text[0] != '\0' ? text : key;
}

static void put_visible(FILE *out, uint32_t cp) {
    char bytes[4];
    bool is_blank = cp == '\n' || cp == '\t';
    fwrite(bytes, 1, utf8_bytes(is_blank ? ' ' : utf8_visible(cp), bytes),
           out);
}

/* Writes the text on one line, without what controls a terminal. Allocates
 * nothing: it also writes that memory is out. */
void put_safe(FILE *out, const char *text) {
    struct str rest = str_of(text);
    while (rest.n > 0) {
        uint32_t cp;
        rest = str_from(rest, utf8_next(rest, &cp));
        put_visible(out, cp);
    }
}

void put_json_string(FILE *out, const char *text) {
    struct str rest = str_of(text);
    fputc('"', out);
    while (rest.n > 0) {
        uint32_t cp;
        rest = str_from(rest, utf8_next(rest, &cp));
        if (cp == '"' || cp == '\\')
            fprintf(out, "\\%c", (char)cp);
        else if (cp < ' ' || cp == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)cp);
        else
            put_visible(out, cp);
    }
    fputc('"', out);
}

static void put_quoted(FILE *out, const char *word) {
    fputc('\'', out);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            fputs("'\\'", out);
        fputc(*word, out);
    }
    fputc('\'', out);
}

void put_words(FILE *out, char *const *words, size_t count) {
    static const char special[] = " \t\n\"'`$\\|&;<>()*?#~{}[]!";
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? " " : "", out);
        if (words[i][0] != '\0' && strpbrk(words[i], special) == NULL)
            fputs(words[i], out);
        else
            put_quoted(out, words[i]);
    }
}

bool is_one_of(const char *word, const char *const *list) {
    while (*list != NULL && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

/* Writes the text of a key into room, with {0} and {1} filled in; cut at its
 * end. */
void fill_text(struct cli *c, const char *key, const char *arg0,
               const char *arg1, char *room, size_t size) {
    const char *text = cli_text(c, key);
    bool is_raw = text == key; /* there is no text: the key with its argument */
    size_t n = 0;
    room[0] = '\0';
    while (*text != '\0' && n + 1 < size) {
        bool is_place = text[0] == '{' && (text[1] == '0' || text[1] == '1') &&
                        text[2] == '}';
        if (!is_place) {
            room[n++] = *text++;
            room[n] = '\0';
            continue;
        }
        const char *arg = text[1] == '0' ? arg0 : arg1;
        snprintf(room + n, size - n, "%s", arg != NULL ? arg : "");
        n += strlen(room + n);
        text += 3;
    }
    if (is_raw && arg0 != NULL)
        snprintf(room + n, size - n, " %s", arg0);
}

struct digits digits_of(int64_t n) {
    struct digits d;
    snprintf(d.text, sizeof d.text, "%" PRId64, n);
    return d;
}

struct moment cli_now(bool is_utc) {
    time_t now = time(NULL);
    struct moment m = {""};
    struct tm at;
    if (is_utc && gmtime_r(&now, &at) != NULL)
        strftime(m.text, sizeof m.text, "%Y-%m-%dT%H:%M:%SZ", &at);
    if (!is_utc && localtime_r(&now, &at) != NULL)
        strftime(m.text, sizeof m.text, "%Y-%m-%d %H:%M:%S", &at);
    return m;
}

void cli_print(struct cli *c, const char *key, const char *arg0,
               const char *arg1) {
    char line[TEXT_MAX];
    fill_text(c, key, arg0, arg1, line, sizeof line);
    for (char *at = line; at != NULL;) { /* texts of the program may have
                                            several lines */
        char *end = strchr(at, '\n');
        if (end != NULL)
            *end++ = '\0';
        put_safe(stdout, at);
        fputc('\n', stdout);
        at = end;
    }
}
