/* redact_net.c: machines and who works on them: URLs, user@host, mail, IPv4
 * and IPv6, host names with a domain. Loopback and "any" addresses stay, and
 * so do the public places where models and packages come from. A port stays.
 *
 * Versions look like addresses (12.4.5.8 behind ==) and C++ names like IPv6
 * (c10::Error): both are told apart by what stands around and inside them. */
#include "render/redact.h"

static bool is_public(struct str host) {
    static const char *const domains[] = {
        "huggingface.co", "hf.co", "github.com", "githubusercontent.com",
        "github.io", "pytorch.org", "nvidia.com", "nvcr.io", "docker.io",
        "docker.com", "ghcr.io", "quay.io", "python.org", "pypi.org",
        "vllm.ai", "modelscope.cn", "ollama.com", "ollama.ai", "google.com",
        "readthedocs.io", "k8s.io", "kubernetes.io", "tensorflow.org",
        "kernel.org", "example.com", "example.org", NULL};
    for (size_t i = 0; domains[i] != NULL; i++) {
        struct str domain = str_of(domains[i]);
        size_t rest = host.n - domain.n;
        bool is_end = host.n >= domain.n && str_ends(host, domain);
        if (is_end && (rest == 0 || host.p[rest - 1] == '.')) {
            return true;
        }
    }
    return false;
}

static bool is_nobodys(struct str host) {
    static const char *const names[] = {
        "localhost", "0.0.0.0", "127.0.0.1", "::1", "::", "auto", "none",
        "true", "false", "null", "host.docker.internal", NULL};
    return host.n == 0 || str_is_one_of(host, names) ||
           str_starts(host, STR("127.")) || is_public(host);
}

/* ---- addresses ---- */

static size_t ipv4_bytes(struct str s) {
    size_t at = 0;
    for (int part = 0; part < 4; part++) {
        size_t digits = 0;
        int value = 0;
        while (digits < 4 && is_digit(char_at(s, at + digits))) {
            value = value * 10 + (s.p[at + digits++] - '0');
        }
        if (digits == 0 || digits > 3 || value > 255) {
            return 0;
        }
        at += digits;
        if (part < 3 && char_at(s, at++) != '.') {
            return 0;
        }
    }
    char next = char_at(s, at);
    bool goes_on = is_in_word(next) || next == '-' || next == '+' ||
                   (next == '.' && is_in_word(char_at(s, at + 1)));
    return goes_on ? 0 : at;
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Groups of at most four digits, colons between: how many, how often two
 * colons stand together, and whether there is a digit below ten. */
struct groups {
    size_t bytes, count, gaps, longest;
    bool has_digit;
};

static struct groups groups_of(struct str s) {
    struct groups g = {0};
    size_t in_group = 0;
    for (; is_hex(char_at(s, g.bytes)) || char_at(s, g.bytes) == ':';
         g.bytes++) {
        if (s.p[g.bytes] == ':') {
            g.gaps += char_before(s, g.bytes) == ':' ? 1 : 0;
            in_group = 0;
            continue;
        }
        g.count += in_group == 0 ? 1 : 0;
        in_group++;
        g.longest = in_group > g.longest ? in_group : g.longest;
        g.has_digit = g.has_digit || is_digit(s.p[g.bytes]);
    }
    return g;
}

/* Eight groups, or fewer round one "::", and a digit somewhere. A colon at
 * the end is the sentence's. */
static size_t ipv6_bytes(struct str s) {
    struct groups g = groups_of(s);
    bool is_sane = g.longest <= 4 && g.has_digit;
    bool is_whole = (g.gaps == 1 && g.count >= 2 && g.count < 8) ||
                    (g.gaps == 0 && g.count == 8);
    if (!is_sane || !is_whole || is_in_word(char_at(s, g.bytes))) {
        return 0;
    }
    bool has_tail = s.p[g.bytes - 1] == ':' && s.p[g.bytes - 2] != ':';
    return has_tail ? g.bytes - 1 : g.bytes;
}

static size_t address_bytes(struct str text, size_t at) {
    struct str rest = str_slice(text, at, text.n);
    char before = char_before(text, at);
    bool is_version = before == '=' && at > 1 && text.p[at - 2] == '=';
    if (is_version || before == '.' || before == '-' || before == ':') {
        return 0;
    }
    size_t n = ipv4_bytes(rest);
    return n > 0 ? n : ipv6_bytes(rest);
}

/* ---- names ---- */

static bool is_domain(struct str last) {
    static const char *const last_labels[] = {
        "internal", "local", "lan", "corp", "intranet", "intra", "localdomain",
        "home", "arpa", "cluster", "svc", "com", "net", "org", "io", "cn",
        "edu", "gov", "cloud", "dev", "ai", "de", "uk", "jp", "fr", "ru", "kr",
        "tw", "hk", "eu", "ch", "tech", "xyz", NULL};
    return str_is_one_of(last, last_labels);
}

/* "gpu17.rack2.corp"; also "ip-10-0-0-1", as clouds name machines. */
static size_t hostname_bytes(struct str s) {
    size_t n = run_of(s, 0, ".-");
    while (n > 0 && (s.p[n - 1] == '.' || s.p[n - 1] == '-')) {
        n--;
    }
    struct str name = str_slice(s, 0, n);
    size_t dot = n;
    while (dot > 0 && name.p[dot - 1] != '.') {
        dot--;
    }
    bool is_cloud = str_starts(name, STR("ip-")) && is_digit(char_at(name, 3));
    bool is_full = dot > 1 && is_domain(str_slice(name, dot, n));
    bool is_call = char_at(s, n) == '(' || char_at(s, n) == '_';
    return (is_full || is_cloud) && !is_call ? n : 0;
}

static void put_host(struct secrets *s, struct str host, struct buf *out) {
    if (is_nobodys(host)) {
        buf_add(out, host);
        return;
    }
    bool is_address = ipv4_bytes(host) == host.n || ipv6_bytes(host) == host.n;
    buf_add(out, secret_placeholder(s, is_address ? SECRET_IP : SECRET_HOST,
                                    host));
}

/* Bytes of whatever names a machine in a URL or behind an @. */
static size_t authority_bytes(struct str s) {
    size_t n = run_of(s, 0, ".-_");
    while (n > 0 && (s.p[n - 1] == '.' || s.p[n - 1] == '-')) {
        n--;
    }
    return n;
}

/* ---- URLs ---- */

static bool names_a_host(struct str scheme) {
    static const char *const of_hosts[] = {"http", "https", "ws", "wss", "tcp",
                                           "grpc", "ssh", "redis", "rediss",
                                           "git", "ftp", "udp", NULL};
    return str_is_one_of(scheme, of_hosts);
}

static size_t url_rest(struct str s) {
    size_t n = 0;
    static const struct str marks = {"\"'`,;()[]{}<>|", 15};
    while (n < s.n && (unsigned char)s.p[n] > ' ' &&
           str_find_char(marks, s.p[n]) == marks.n) {
        n++;
    }
    return n;
}

/* Behind "//": [user:password@] host [:port] [/path]. */
static size_t put_authority(struct secrets *s, struct str rest,
                            struct buf *out) {
    size_t whole = url_rest(rest);
    struct str all = str_slice(rest, 0, whole);
    size_t slash = str_find_char(all, '/');
    size_t sign = str_find_char(str_slice(all, 0, slash), '@');
    size_t at = 0;
    if (sign < slash) {
        buf_add(out, secret_placeholder(s, SECRET_TOKEN,
                                        str_slice(all, 0, sign)));
        buf_add_char(out, '@');
        at = sign + 1;
    }
    size_t n = authority_bytes(str_slice(all, at, all.n));
    struct str host = str_slice(all, at, n);
    put_host(s, host, out);
    at += n;
    size_t port = char_at(all, at) == ':' ? 1 + run_of(all, at + 1, "") : 0;
    buf_add(out, str_slice(all, at, port));
    at += port;
    bool has_path = whole - at > 1 && !is_nobodys(host);
    if (has_path) {
        buf_add_char(out, '/');
        buf_add(out, secret_placeholder(s, SECRET_PATH,
                                        str_slice(all, at, whole - at)));
        return whole;
    }
    return at; /* what is left is looked at as any text */
}

static size_t url_at(struct secrets *s, struct str text, size_t at,
                     struct buf *out) {
    size_t n = run_of(text, at, "+.-");
    struct str scheme = str_slice(text, at, n);
    struct str rest = str_slice(text, at + n, text.n);
    if (n == 0 || !str_starts(rest, STR("://"))) {
        return 0;
    }
    rest = str_slice(rest, 3, rest.n);
    if (!names_a_host(scheme)) { /* file:///home/ann, s3://bucket/x */
        size_t whole = n + 3 + url_rest(rest);
        buf_add(out, secret_placeholder(s, SECRET_PATH,
                                        str_slice(text, at, whole)));
        return whole;
    }
    buf_add(out, scheme);
    buf_add(out, STR("://"));
    return n + 3 + put_authority(s, rest, out);
}

/* ---- user@host ---- */

static void put_user(struct secrets *s, struct str user, struct buf *out) {
    buf_add(out, is_common_user(user)
                     ? user
                     : secret_placeholder(s, SECRET_USER, user));
}

static bool is_after_ssh(struct str text, size_t at) {
    static const char *const programs[] = {"ssh ", "scp ", "sftp ", "rsync ",
                                           NULL};
    struct str before = str_slice(text, 0, at);
    for (size_t i = 0; programs[i] != NULL; i++) {
        if (str_ends(before, str_of(programs[i]))) {
            return true;
        }
    }
    return false;
}

static size_t at_host(struct secrets *s, struct str text, size_t at,
                      struct buf *out) {
    size_t user = run_of(text, at, "._%+-");
    if (user == 0 || char_at(text, at + user) != '@') {
        return 0;
    }
    struct str rest = str_slice(text, at + user + 1, text.n);
    size_t host = authority_bytes(rest);
    struct str name = str_slice(rest, 0, host);
    bool is_address = ipv4_bytes(name) == host;
    if (host == 0 || (is_digit(name.p[0]) && !is_address)) {
        return 0; /* torch@2.6 */
    }
    bool is_mail = hostname_bytes(name) == host && !is_address &&
                   !is_after_ssh(text, at) && char_at(rest, host) != ':' &&
                   !is_common_user(str_slice(text, at, user));
    if (is_mail) {
        buf_add(out, secret_placeholder(s, SECRET_EMAIL,
                                        str_slice(text, at, user + 1 + host)));
    } else {
        put_user(s, str_slice(text, at, user), out);
        buf_add_char(out, '@');
        put_host(s, name, out);
    }
    return user + 1 + host;
}

size_t net_at(struct secrets *s, struct str text, size_t at,
              struct buf *out) {
    char before = char_before(text, at);
    if (is_in_word(before) || before == '/' || before == '\\' ||
        before == '<') {
        return 0;
    }
    size_t n = url_at(s, text, at, out);
    n = n > 0 ? n : at_host(s, text, at, out);
    if (n > 0) {
        return n;
    }
    n = address_bytes(text, at);
    bool may_be_name = before != '.' && before != '-' && before != '@';
    if (n == 0 && may_be_name) {
        n = hostname_bytes(str_slice(text, at, text.n));
    }
    if (n > 0) {
        put_host(s, str_slice(text, at, n), out);
    }
    return n;
}
