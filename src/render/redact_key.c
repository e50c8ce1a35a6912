/* redact_key.c: what its own name gives away. Tokens begin as their makers
 * have them begin (hf_, sk-, ghp_, AKIA); others stand behind a name that says
 * what they are (--api-key X, PASSWORD=X, "Bearer X"); so do machines and
 * users (--host X, MASTER_ADDR=X, user=X). The name stays, the value goes. */
#include "render/redact.h"

#define TOKEN_BYTES_MIN 8
#define NAME_BYTES_MAX 64

static bool has_digit(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (is_digit(s.p[i])) {
            return true;
        }
    }
    return false;
}

static bool has_upper(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] >= 'A' && s.p[i] <= 'Z') {
            return true;
        }
    }
    return false;
}

/* ---- by how it begins ---- */

struct maker {
    const char *begins, *more; /* letters and digits, and these */
};

static const struct maker makers[] = {
    {"hf_", ""},       {"api_org_", ""},  {"sk-", "_-"},
    {"sk_", "_"},      {"pk-", "_-"},     {"rk_", "_"},
    {"ghp_", ""},      {"gho_", ""},      {"ghu_", ""},
    {"ghs_", ""},      {"ghr_", ""},      {"github_pat_", "_"},
    {"glpat-", "_-"},  {"xoxb-", "-"},    {"xoxp-", "-"},
    {"xoxa-", "-"},    {"xoxr-", "-"},    {"xoxs-", "-"},
    {"AKIA", ""},      {"ASIA", ""},      {"AROA", ""},
    {"AIza", "_-"},    {"ya29.", "_-."},  {"eyJ", "_-."},
    {"nvapi-", "_-"},  {"npm_", ""},      {"dop_v1_", ""},
    {"pypi-", "_-"},   {"gsk_", ""},      {"r8_", ""},
};

/* hf_overrides is an option and sk-learn a package; a token is longer, or has
 * a digit or a capital among its letters. */
static bool is_token(struct str behind) {
    return behind.n >= 2 * TOKEN_BYTES_MIN ||
           (behind.n >= TOKEN_BYTES_MIN &&
            (has_digit(behind) || has_upper(behind)));
}

static size_t token_bytes(struct str s) {
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        struct str begins = str_of(makers[i].begins);
        if (!str_starts(s, begins)) {
            continue;
        }
        size_t n = run_of(s, begins.n, makers[i].more);
        bool is_word = is_in_word(char_at(s, begins.n + n));
        if (!is_word && is_token(str_slice(s, begins.n, n))) {
            return begins.n + n;
        }
    }
    return 0;
}

/* ---- by the name before it ---- */

static const char *const token_names[] = {
    "api_key", "apikey", "secret", "secret_key", "access_key", "access_key_id",
    "secret_access_key", "password", "passwd", "passphrase", "auth_token",
    "access_token", "refresh_token", "session_token", "api_token", "hf_token",
    "hub_token", "bot_token", "private_key", "credential", "credentials",
    "authorization", "wandb_key", NULL};
static const char *const host_names[] = {
    "host", "hostname", "host_name", "node", "node_name", "nodename",
    "nodelist", "master_addr", "server_name", "rdzv_endpoint",
    "dist_init_addr", "node_ip_address", "slurm_nodelist",
    "slurmd_nodename", NULL};
static const char *const user_names[] = {
    "user", "username", "user_name", "login", "logname", "slurm_job_user",
    "sudo_user", NULL};

/* The name in the form of the lists: no dashes before it, '_' for '-'. */
static struct str plain_name(struct str name, char room[NAME_BYTES_MAX]) {
    size_t n = 0;
    for (size_t i = 0; i < name.n && n < NAME_BYTES_MAX; i++) {
        if (name.p[i] != '-' || n > 0) {
            room[n++] = name.p[i] == '-' ? '_' : name.p[i];
        }
    }
    return (struct str){room, n};
}

/* MY_API_KEY is an API key, too; eos_token is no token. */
static bool is_token_name(struct str name) {
    for (size_t i = 0; token_names[i] != NULL; i++) {
        struct str known = str_of(token_names[i]);
        struct str end = str_slice(name, name.n - known.n, known.n);
        bool is_end = name.n > known.n && str_eq_nocase(end, known) &&
                      name.p[name.n - known.n - 1] == '_';
        if (is_end || str_eq_nocase(name, known)) {
            return true;
        }
    }
    return false;
}

/* Bytes between a name and its value: = or :, quotes and blanks round it, or
 * only blanks behind --name; 0: no value follows. */
static size_t gap_bytes(struct str s, size_t at, bool is_option) {
    size_t n = 0;
    if (char_at(s, at) == '"' || char_at(s, at) == '\'') {
        n++;
    }
    size_t blanks = 0;
    while (char_at(s, at + n + blanks) == ' ') {
        blanks++;
    }
    char sign = char_at(s, at + n + blanks);
    if (sign == '=' || sign == ':') {
        n += blanks + 1;
        while (char_at(s, at + n) == ' ') {
            n++;
        }
    } else if (is_option && n == 0 && blanks > 0) {
        n = blanks;
    } else {
        return 0;
    }
    char quote = char_at(s, at + n);
    return quote == '"' || quote == '\'' ? n + 1 : n;
}

static size_t value_bytes(struct str s, size_t at) {
    static const struct str marks = {"\"'`,;)]}<", 9};
    size_t n = 0;
    while (at + n < s.n && (unsigned char)s.p[at + n] > ' ' &&
           str_find_char(marks, s.p[at + n]) == marks.n) {
        n++;
    }
    return n;
}

static bool says_nothing(struct str value) {
    static const char *const words[] = {
        "none", "null", "true", "false", "auto", "localhost", "0.0.0.0",
        "127.0.0.1", "bearer", "basic", "required", "missing", "not", "is",
        "memory", "memory,", "ram", NULL};
    return value.n == 0 || value.p[0] == '-' || value.p[0] == '*' ||
           value.p[0] == '$' || str_is_one_of(value, words);
}

/* What a value of this name is. False: nothing secret. */
static bool kind_of(struct str name, struct str value, bool is_option,
                    enum secret_kind *kind) {
    bool is_bare = str_eq_nocase(name, STR("token")) &&
                   (is_option || (value.n >= 16 && has_digit(value)));
    *kind = SECRET_TOKEN;
    if (is_token_name(name) || is_bare) {
        return true;
    }
    bool is_name = is_letter(value.p[0]);
    *kind = SECRET_HOST;
    if (str_is_one_of(name, host_names)) {
        return is_name;
    }
    *kind = SECRET_USER;
    return str_is_one_of(name, user_names) && is_name &&
           !is_common_user(value);
}

/* A host goes without its port; what has a domain is net_at()'s. */
static size_t host_bytes(struct str value) {
    size_t n = run_of(value, 0, "-_");
    char next = char_at(value, n);
    return next == '.' || next == '/' || next == '@' ||
                   str_starts(str_slice(value, n, value.n), STR("://"))
               ? 0
               : n;
}

static size_t named_value_at(struct secrets *s, struct str text, size_t at,
                             struct buf *out) {
    char room[NAME_BYTES_MAX];
    size_t n = run_of(text, at, "_-");
    bool is_option = n > 2 && text.p[at] == '-' && text.p[at + 1] == '-';
    struct str name = plain_name(str_slice(text, at, n), room);
    size_t gap = n > 0 ? gap_bytes(text, at + n, is_option) : 0;
    if (gap == 0 || name.n == 0) {
        return 0;
    }
    size_t from = at + n + gap;
    struct str value = str_slice(text, from, value_bytes(text, from));
    enum secret_kind kind;
    if (says_nothing(value) || !kind_of(name, value, is_option, &kind)) {
        return 0;
    }
    if (kind == SECRET_HOST) {
        value = str_slice(value, 0, host_bytes(value));
    }
    if (value.n == 0) {
        return 0;
    }
    buf_add(out, str_slice(text, at, n + gap));
    buf_add(out, secret_placeholder(s, kind, value));
    return n + gap + value.n;
}

/* "Bearer X", "Basic X" */
static size_t bearer_at(struct secrets *s, struct str text, size_t at,
                        struct buf *out) {
    static const char *const words[] = {"bearer", "basic", NULL};
    size_t n = run_of(text, at, "");
    bool is_word = str_is_one_of(str_slice(text, at, n), words);
    if (!is_word || char_at(text, at + n) != ' ') {
        return 0;
    }
    struct str value =
        str_slice(text, at + n + 1, value_bytes(text, at + n + 1));
    if (value.n < TOKEN_BYTES_MIN || !is_token(value)) {
        return 0;
    }
    buf_add(out, str_slice(text, at, n + 1));
    buf_add(out, secret_placeholder(s, SECRET_TOKEN, value));
    return n + 1 + value.n;
}

size_t key_at(struct secrets *s, struct str text, size_t at,
              struct buf *out) {
    char before = char_before(text, at);
    if (is_in_word(before)) {
        return 0;
    }
    size_t n = token_bytes(str_slice(text, at, text.n));
    if (n > 0) {
        buf_add(out, secret_placeholder(s, SECRET_TOKEN,
                                        str_slice(text, at, n)));
        return n;
    }
    n = bearer_at(s, text, at, out);
    if (n > 0 || before == '-') {
        return n;
    }
    return named_value_at(s, text, at, out);
}
