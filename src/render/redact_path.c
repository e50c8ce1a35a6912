/* redact_path.c: paths, and the user names in them. A path becomes one
 * placeholder whole: its folders are named after people and projects. Paths
 * that every machine has (/dev/shm, /usr/lib/...) stay, for they say
 * something about the failure and nothing about anybody. */
#include "render/redact.h"

static bool starts_with_any(struct str s, const char *const list[]) {
    for (size_t i = 0; list[i] != NULL; i++) {
        if (str_starts(s, str_of(list[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_everywhere(struct str path) {
    static const char *const under[] = {
        "/dev/", "/proc/", "/sys/", "/usr/", "/etc/", "/bin/", "/sbin/",
        "/lib/", "/lib64/", "/opt/conda/", "/opt/venv/", "/opt/rocm", NULL};
    static const char *const itself[] = {
        "/dev", "/proc", "/sys", "/usr", "/etc", "/bin", "/sbin", "/lib",
        "/tmp", "/var", "/opt", "/mnt", "/home", "/root", "/data", "/models",
        "/model", "/app", "/workspace", "/v1", "/metrics", "/health", NULL};
    if (path.n > 1 && path.p[path.n - 1] == '/') {
        path.n--;
    }
    return starts_with_any(path, under) || str_is_one_of(path, itself);
}

/* Blanks and marks, those of Chinese (U+3000, U+FF00 and on) too. */
static bool ends_path(struct str rest, size_t at) {
    static const struct str marks = {"\"'`,;:()[]{}<>|", 16};
    char c = rest.p[at], next = char_at(rest, at + 1);
    bool is_wide_mark = (c == '\xe3' && next == '\x80') ||
                        (c == '\xef' && next == '\xbc');
    return (unsigned char)c <= ' ' || is_wide_mark ||
           str_find_char(marks, c) < marks.n;
}

/* Bytes up to the quote that closes the one before byte at, on this line; 0:
 * there is none. */
static size_t quoted_bytes(struct str s, size_t at) {
    char quote = char_before(s, at);
    bool is_quoted = quote == '"' || quote == '\'' || quote == '`';
    struct str rest = str_slice(s, at, s.n);
    struct str line = str_slice(rest, 0, str_find_char(rest, '\n'));
    size_t closing = is_quoted ? str_find_char(line, quote) : line.n;
    return closing < line.n ? closing : 0;
}

/* "C:\Users\Ann Lee\x": does the path go on behind the blank at byte n? */
static bool goes_on(struct str path, size_t n) {
    bool is_windows = char_at(path, 1) == ':' || char_at(path, 0) == '\\';
    size_t word = 1;
    while (n + word < path.n && !ends_path(path, n + word)) {
        word++;
    }
    struct str next = str_slice(path, n + 1, word - 1);
    return is_windows && path.p[n] == ' ' &&
           str_find_char(next, '\\') < next.n && next.p[0] != '\\';
}

/* Bytes of the path at byte at: up to the closing quote where an opening one
 * stands before it, else up to a blank or a mark. */
static size_t path_bytes(struct str s, size_t at) {
    struct str rest = str_slice(s, at, s.n);
    size_t n = quoted_bytes(s, at);
    if (n > 0) {
        return n;
    }
    while (n < rest.n) {
        bool is_escaped = rest.p[n] == '\\' && char_at(rest, n + 1) == ' ';
        bool is_drive = n == 1 && rest.p[n] == ':' && is_letter(rest.p[0]);
        if (ends_path(rest, n) && !is_drive && !goes_on(rest, n)) {
            break;
        }
        n += is_escaped ? 2 : 1;
    }
    while (n > 1 && rest.p[n - 1] == '.') {
        n--; /* the end of a sentence */
    }
    return n < rest.n ? n : rest.n;
}

/* "/home/ann/x" and "C:\Users\ann\x" have a name in them. */
static void learn_user(struct secrets *s, struct str path) {
    static const char *const homes[] = {"home", "Users", "users", NULL};
    bool is_next = path.n > 1 && path.p[0] == '~';
    size_t at = is_next ? 1 : 0;
    while (at < path.n) {
        size_t n = 0;
        while (at + n < path.n && path.p[at + n] != '/' &&
               path.p[at + n] != '\\') {
            n++;
        }
        struct str part = str_slice(path, at, n);
        if (is_next && part.n > 0) {
            if (!is_common_user(part)) {
                secret_placeholder(s, SECRET_USER, part);
            }
            return;
        }
        is_next = is_next || str_is_one_of(part, homes);
        at += n + 1;
    }
}

static bool begins_absolute(struct str s, size_t at) {
    char next = char_at(s, at + 1);
    bool is_name = is_in_word(next) || next == '.' || next == '-' ||
                   (unsigned char)next >= 0x80;
    return s.p[at] == '/' && is_name;
}

static bool begins_relative(struct str s) {
    size_t user = s.n > 0 && s.p[0] == '~' ? 1 + run_of(s, 1, "._-") : 0;
    return str_starts(s, STR("./")) || str_starts(s, STR("../")) ||
           (user > 0 && char_at(s, user) == '/');
}

static bool begins_windows(struct str s) {
    bool is_drive = s.n > 3 && is_letter(s.p[0]) && s.p[1] == ':' &&
                    s.p[2] == '\\';
    bool is_share = str_starts(s, STR("\\\\")) && is_in_word(char_at(s, 2));
    return is_drive || is_share;
}

/* a/b/c: two slashes and a letter; a/b may be a model. */
static bool begins_bare(struct str s) {
    size_t slashes = 0;
    bool has_letter = false;
    size_t n = run_of(s, 0, "._-/");
    for (size_t i = 0; i < n; i++) {
        slashes += s.p[i] == '/' ? 1 : 0;
        has_letter = has_letter || is_letter(s.p[i]);
    }
    return slashes >= 2 && has_letter && s.p[0] != '/' && s.p[0] != '-';
}

static bool begins_path(struct str s, size_t at) {
    struct str rest = str_slice(s, at, s.n);
    char before = char_before(s, at);
    bool is_inside = is_in_word(before) || before == '/' || before == '.' ||
                     before == '\\' || before == '<';
    bool may_be_bare = before != '-' && before != '~' && before != ':';
    return !is_inside &&
           (begins_absolute(s, at) || begins_relative(rest) ||
            begins_windows(rest) || (may_be_bare && begins_bare(rest)));
}

size_t path_at(struct secrets *s, struct str text, size_t at,
               struct buf *out) {
    if (!begins_path(text, at)) {
        return 0;
    }
    size_t n = path_bytes(text, at);
    struct str path = str_slice(text, at, n);
    if (n < 2) {
        return 0;
    }
    if (is_everywhere(path)) {
        buf_add(out, path);
        return n;
    }
    buf_add(out, secret_placeholder(s, SECRET_PATH, path));
    learn_user(s, path);
    return n;
}

bool is_path(struct str whole) {
    return whole.n > 1 && begins_path(whole, 0) && !is_everywhere(whole);
}
