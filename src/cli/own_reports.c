/* own_reports.c: reads and changes the file of the user's own reports. */
#include "cli/own_reports.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replace.h"

static _Noreturn void raise_io(struct own_reports_file *o, const char *path) {
    arena_raise(&o->arena, FAIL_IO, "%s: %s", path, strerror(errno));
}

static void refuse(struct own_reports_file *o, const char *key) {
    cli_usage(o->c, key, o->path, NULL);
    o->is_refused = true;
}

/* ---- path ---- */

/* By the specification a path that is not absolute is ignored. */
static bool path_find(char path[OWN_REPORTS_PATH_MAX]) {
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    int n = -1;
    if (data != NULL && data[0] == '/')
        n = snprintf(path, OWN_REPORTS_PATH_MAX, "%s/oomkb/feedback.txt", data);
    else if (home != NULL && home[0] == '/')
        n = snprintf(path, OWN_REPORTS_PATH_MAX,
                     "%s/.local/share/oomkb/feedback.txt", home);
    return n > 0 && n < OWN_REPORTS_PATH_MAX - 16;
}

/* Makes every folder of the path, for this user only. */
static void folders_make(struct own_reports_file *o) {
    char *folder = (char *)arena_str(&o->arena, str_of(o->path)).p;
    for (char *at = folder + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            raise_io(o, folder);
        *at = '/';
    }
}

static void lock_take(struct own_reports_file *o) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const char *path = arena_printf(&o->arena, "%s.lock", o->path).p;
    o->lock = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    if (o->lock < 0)
        raise_io(o, path);
    while (fcntl(o->lock, F_SETLKW, &whole) != 0)
        if (errno != EINTR)
            raise_io(o, path);
}

bool file_put(struct cli *c, const char *path, const char *bytes, size_t n) {
    char text[OWN_REPORTS_PATH_MAX + 256];
    int why = file_replace(path, (struct str){bytes, n}, 0600, true);
    snprintf(text, sizeof text, "%s: %s", path, strerror(why));
    return why == 0 || cli_error(c, "io", text) != STATUS_ERROR;
}

/* ---- reading ---- */

static bool is_id(const char *word) {
    size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789._/-");
    return n > 0 && word[n] == '\0';
}

static bool is_date(const char *word) {
    static const char shape[] = "0000-00-00";
    for (size_t i = 0; i < sizeof shape; i++)
        if (shape[i] == '0' ? !is_digit(word[i]) : word[i] != shape[i])
            return false;
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

static void lines_read(struct own_reports_file *o) {
    char *words = (char *)arena_str(&o->arena,
                                    (struct str){o->text, o->bytes}).p;
    size_t from = 0, cap = 0;
    while (from < o->bytes) {
        char *line = words + from;
        char *end = memchr(line, '\n', o->bytes - from);
        size_t to = end != NULL ? (size_t)(end - words) + 1 : o->bytes;
        if (end != NULL)
            *end = '\0';
        bool is_report = line[0] != '#' && line[strspn(line, " \t")] != '\0';
        struct own_line read = {.from = from, .to = to};
        if (is_report && line_read(line, &read))
            *ARENA_ADD(&o->arena, o->at, o->count, cap) = read;
        else
            o->unreadable += is_report;
        from = to;
    }
    o->reports = arena_array(&o->arena, o->count + 1, sizeof *o->reports);
    for (size_t i = 0; i < o->count; i++)
        o->reports[i] = arena_printf(&o->arena, "%s %s %s", o->at[i].entry,
                                     o->at[i].fix, o->at[i].outcome).p;
}

/* Reads `size` bytes: the file may grow while it is read. */
static void text_read(struct own_reports_file *o, size_t size) {
    ssize_t got = 1;
    o->text = arena_alloc(&o->arena, size + FEEDBACK_LINE_BYTES_MAX + 1);
    while (o->bytes < size && got > 0) {
        got = input_piece(o->in, o->text + o->bytes, size - o->bytes);
        o->bytes += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        raise_io(o, o->path);
    lines_read(o);
}

/* Opens and reads the file. Only a regular file is read: a pipe or a device
 * might block, or never end. */
static void open_all(void *arg) {
    struct own_reports_file *o = arg;
    struct stat s = {.st_size = 0};
    if (!path_find(o->path)) {
        refuse(o, "cli.error.no_home");
        return;
    }
    if (o->is_changing) {
        folders_make(o);
        lock_take(o);
    }
    o->in = open(o->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is_absent = o->in < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (!is_absent && (o->in < 0 || fstat(o->in, &s) != 0))
        raise_io(o, o->path);
    if (!is_absent && !S_ISREG(s.st_mode)) {
        refuse(o, "cli.error.feedback_kind");
        return;
    }
    o->is_broken = true;
    if (s.st_size > OWN_REPORTS_BYTES_MAX) {
        refuse(o, "cli.error.feedback_large");
        return;
    }
    text_read(o, (size_t)s.st_size);
    o->is_broken = false;
}

bool own_reports_open(struct cli *c, struct own_reports_file *o,
                      bool is_changing) {
    *o = (struct own_reports_file){
        .c = c, .is_changing = is_changing, .in = -1, .lock = -1};
    bool is_open = cli_guard(c, &o->arena, open_all, o) && !o->is_refused;
    if (!is_open)
        own_reports_close(o);
    return is_open;
}

void own_reports_close(struct own_reports_file *o) {
    arena_free(&o->arena);
    if (o->in >= 0)
        close(o->in);
    if (o->lock >= 0)
        close(o->lock); /* releases the lock */
    o->in = o->lock = -1;
}

void own_reports_warn(const struct own_reports_file *o) {
    if (o->unreadable > 0)
        cli_remark(o->c, "cli.feedback.unreadable", o->path,
                   digits_of((int64_t)o->unreadable).text);
}

bool own_reports_read(struct cli *c, struct own_reports_file *o) {
    const char *format = c->format;
    *o = (struct own_reports_file){.in = -1, .lock = -1};
    if (!path_find(o->path))
        return true;
    c->format = "text"; /* stdout is for the reports */
    bool is_open = own_reports_open(c, o, false);
    c->format = format;
    if (is_open)
        own_reports_warn(o);
    else if (o->is_broken) /* stderr has the reason */
        cli_error_json(c, "io", "the file of your own reports could not be "
                       "read whole");
    else
        o->reports = NULL;
    return is_open || !o->is_broken;
}
