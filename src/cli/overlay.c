/* overlay.c: reading and changing the file of the user's own reports. */
#include "cli/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replace.h"
#include "cli/put.h"

static bool io_error(struct cli *c, const char *path) {
    char text[OVERLAY_PATH_MAX + 256];
    snprintf(text, sizeof text, "%s: %s", path, strerror(errno));
    cli_error(c, "io", text);
    return false;
}

/* ---- where ---- */

/* The specification says that a path which is not absolute counts for none. */
static bool path_find(char path[OVERLAY_PATH_MAX]) {
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    int n = -1;
    if (data != NULL && data[0] == '/') {
        n = snprintf(path, OVERLAY_PATH_MAX, "%s/oomkb/feedback.txt", data);
    } else if (home != NULL && home[0] == '/') {
        n = snprintf(path, OVERLAY_PATH_MAX,
                     "%s/.local/share/oomkb/feedback.txt", home);
    }
    return n > 0 && n < OVERLAY_PATH_MAX - 16;
}

bool overlay_is_placed(void) {
    char path[OVERLAY_PATH_MAX];
    return path_find(path);
}

/* Every folder on the way to path, for this user alone. */
static bool folders_make(struct cli *c, const char *path) {
    char folder[OVERLAY_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *at = folder + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return io_error(c, folder);
        *at = '/';
    }
    return true;
}

/* ---- writing ---- */

bool file_put(struct cli *c, const char *path, const char *bytes, size_t n) {
    errno = file_replace(path, (struct str){bytes, n}, 0600, true);
    return errno == 0 || io_error(c, path);
}

bool overlay_write(struct cli *c, const struct overlay *o, const char *bytes,
                   size_t n) {
    return file_put(c, o->path, bytes, n);
}

static bool lock_take(struct cli *c, struct overlay *o) {
    char path[OVERLAY_PATH_MAX + 16];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(path, sizeof path, "%s.lock", o->path);
    o->lock = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    if (o->lock < 0)
        return io_error(c, path);
    while (fcntl(o->lock, F_SETLKW, &whole) != 0) {
        if (errno != EINTR)
            return io_error(c, path);
    }
    return true;
}

/* ---- reading ---- */

static bool is_id(const char *word) {
    size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789._/-");
    return n > 0 && word[n] == '\0';
}

static bool is_date(const char *word) {
    static const char shape[] = "0000-00-00";
    for (size_t i = 0; i < sizeof shape; i++) {
        bool is_digit = word[i] >= '0' && word[i] <= '9';
        if (shape[i] == '0' ? !is_digit : word[i] != shape[i])
            return false;
    }
    return true;
}

static char *word_cut(char **rest) {
    char *word = *rest + strspn(*rest, " \t");
    char *end = word + strcspn(word, " \t");
    *rest = end + strspn(end, " \t");
    *end = '\0';
    return word;
}

static bool line_read(char *text, struct own_line *out) {
    char *rest = text;
    out->date = word_cut(&rest);
    out->outcome = word_cut(&rest);
    out->entry = word_cut(&rest);
    out->fix = word_cut(&rest);
    out->note = rest;
    return is_date(out->date) && is_id(out->entry) && is_id(out->fix) &&
           (strcmp(out->outcome, "worked") == 0 ||
            strcmp(out->outcome, "failed") == 0);
}

static void lines_read(struct overlay *o) {
    size_t from = 0;
    while (from < o->bytes) {
        char *line = o->words + from;
        char *end = memchr(line, '\n', o->bytes - from);
        size_t to = end != NULL ? (size_t)(end - o->words) + 1 : o->bytes;
        if (end != NULL)
            *end = '\0';
        bool is_said = line[0] != '#' && line[strspn(line, " \t")] != '\0';
        struct own_line read = {.from = from, .to = to};
        if (is_said && line_read(line, &read)) {
            o->at[o->count++] = read;
        } else {
            o->unreadable += is_said;
        }
        from = to;
    }
}

/* A file may grow while it is read; what is there when it is opened counts. */
static bool text_read(struct cli *c, struct overlay *o, FILE *in) {
    o->bytes = fread(o->text, 1, OVERLAY_BYTES_MAX + 1, in);
    if (ferror(in))
        return io_error(c, o->path);
    if (o->bytes > OVERLAY_BYTES_MAX) {
        cli_usage(c, "cli.error.feedback_large", o->path, NULL);
        return false;
    }
    size_t lines = 1;
    for (size_t i = 0; i < o->bytes; i++)
        lines += o->text[i] == '\n';
    memcpy(o->words, o->text, o->bytes);
    o->words[o->bytes] = '\0';
    o->at = calloc(lines, sizeof *o->at);
    if (o->at == NULL)
        return io_error(c, o->path);
    lines_read(o);
    return true;
}

/* A pipe or a device would be waited for, or never end: only a regular file is
 * read. NULL: there is none (*is_absent), or it was said why not. */
static FILE *file_open(struct cli *c, struct overlay *o, bool *is_absent) {
    struct stat s;
    const char *path = o->path;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *is_absent = file < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (*is_absent)
        return NULL;
    if (file < 0 || fstat(file, &s) != 0) {
        io_error(c, path);
    } else if (!S_ISREG(s.st_mode)) {
        cli_usage(c, "cli.error.feedback_kind", path, NULL);
    } else {
        FILE *in = fdopen(file, "rb");
        if (in != NULL)
            return in;
        o->is_broken = true;
        io_error(c, o->path);
    }
    if (file >= 0)
        close(file);
    return NULL;
}

static bool file_read_whole(struct cli *c, struct overlay *o) {
    bool is_absent;
    FILE *in = file_open(c, o, &is_absent);
    if (in == NULL)
        return is_absent;
    o->text = malloc(OVERLAY_BYTES_MAX + 1);
    o->words = malloc(OVERLAY_BYTES_MAX + 1);
    bool is_read = o->text != NULL && o->words != NULL
                       ? text_read(c, o, in)
                       : io_error(c, o->path);
    fclose(in);
    o->is_broken = !is_read;
    return is_read;
}

bool overlay_open(struct cli *c, struct overlay *o, bool is_changing) {
    *o = (struct overlay){.lock = -1};
    bool is_open = path_find(o->path);
    if (!is_open)
        cli_usage(c, "cli.error.no_home", NULL, NULL);
    if (is_open && is_changing)
        is_open = folders_make(c, o->path) && lock_take(c, o);
    is_open = is_open && file_read_whole(c, o);
    if (!is_open) {
        bool is_broken = o->is_broken;
        overlay_close(o);
        o->is_broken = is_broken;
    }
    return is_open;
}

void overlay_close(struct overlay *o) {
    free(o->text);
    free(o->words);
    free(o->at);
    if (o->lock >= 0) {
        close(o->lock); /* and with it the lock */
    }
    *o = (struct overlay){.lock = -1};
}
