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
    o->status = cli_usage(o->c, key, o->path, NULL);
}

static void close_file(void *file) {
    close((int)(intptr_t)file);
}

static int open_file(struct own_reports_file *o, const char *path, int flags) {
    int file = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file >= 0)
        arena_defer(&o->arena, close_file, (void *)(intptr_t)file);
    return file;
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
    int lock = open_file(o, path, O_RDWR | O_CREAT);
    while (lock < 0 || fcntl(lock, F_SETLKW, &whole) != 0)
        if (lock < 0 || errno != EINTR)
            raise_io(o, path);
}

void own_reports_put(struct own_reports_file *o, const char *path,
                     struct str bytes) {
    errno = file_replace(path, bytes, 0600, true);
    if (errno != 0)
        raise_io(o, path);
}

/* ---- reading ---- */

static bool is_id(struct str word) {
    for (size_t i = 0; i < word.n; i++)
        if (!is_lower(word.p[i]) && !is_digit(word.p[i]) &&
            str_find_char(STR("._/-"), word.p[i]) == 4)
            return false;
    return word.n > 0;
}

static bool is_date(struct str word) {
    static const char shape[] = "0000-00-00";
    for (size_t i = 0; i < word.n && i < DAY_BYTES; i++)
        if (shape[i] == '0' ? !is_digit(word.p[i]) : word.p[i] != shape[i])
            return false;
    return word.n == DAY_BYTES;
}

static struct str word_cut(struct str *rest) {
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ' ' && rest->p[n] != '\t')
        n++;
    struct str word = str_slice(*rest, 0, n);
    *rest = str_trim(str_from(*rest, n));
    return word;
}

static bool line_read(struct str line, struct own_line *out) {
    out->date = word_cut(&line);
    out->outcome = word_cut(&line);
    out->entry = word_cut(&line);
    out->fix = word_cut(&line);
    out->note = line;
    return is_date(out->date) && is_id(out->entry) && is_id(out->fix) &&
           STR_IS_ONE(out->outcome, "worked", "failed");
}

static void lines_read(struct own_reports_file *o) {
    size_t cap = 0;
    for (size_t from = 0, to; from < o->text.n; from = to) {
        struct str rest, line = str_cut(str_from(o->text, from), '\n', &rest);
        to = rest.n > 0 ? o->text.n - rest.n : o->text.n;
        struct own_line read = {.from = from, .to = to};
        line = str_trim(line);
        bool is_report = line.n > 0 && line.p[0] != '#';
        if (is_report && line_read(line, &read))
            *ARENA_ADD(&o->arena, o->at, o->count, cap) = read;
        else
            o->unreadable += is_report;
    }
    o->reports = arena_array(&o->arena, o->count + 1, sizeof *o->reports);
    for (size_t i = 0; i < o->count; i++)
        o->reports[i] = arena_printf(&o->arena, "%.*s %.*s %.*s",
                                     STR_ARG(o->at[i].entry),
                                     STR_ARG(o->at[i].fix),
                                     STR_ARG(o->at[i].outcome)).p;
}

/* Reads `size` bytes: the file may grow while it is read. */
static void text_read(struct own_reports_file *o, int in, size_t size) {
    ssize_t got = 1;
    char *text = arena_alloc(&o->arena, size + 1);
    o->text.p = text;
    while (o->text.n < size && got > 0) {
        got = input_piece(in, text + o->text.n, size - o->text.n);
        o->text.n += got > 0 ? (size_t)got : 0;
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
    int in = open_file(o, o->path, O_RDONLY);
    bool is_absent = in < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (!is_absent && (in < 0 || fstat(in, &s) != 0))
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
    text_read(o, in, (size_t)s.st_size);
    o->is_broken = false;
    if (o->use != NULL)
        o->use(o);
}

bool own_reports_open(struct cli *c, struct own_reports_file *o,
                      bool is_changing,
                      void (*use)(struct own_reports_file *o)) {
    *o = (struct own_reports_file){
        .c = c, .is_changing = is_changing, .use = use};
    return cli_guard(c, &o->arena, open_all, o) && o->status != STATUS_ERROR;
}

void own_reports_warn(struct own_reports_file *o) {
    if (o->unreadable > 0)
        cli_remark(o->c, "cli.feedback.unreadable", o->path,
                   digits_of((int64_t)o->unreadable).text);
}

bool own_reports_read(struct cli *c, struct own_reports_file *o) {
    const char *format = c->format;
    *o = (struct own_reports_file){.reports = NULL};
    if (!path_find(o->path))
        return true;
    c->format = "text"; /* stdout is for the reports */
    bool is_open = own_reports_open(c, o, false, own_reports_warn);
    c->format = format;
    if (!is_open)
        o->reports = NULL;
    if (o->is_broken) /* stderr has the reason */
        cli_error_json(c, "io", "the file of your own reports could not be "
                       "read whole");
    return !o->is_broken;
}
