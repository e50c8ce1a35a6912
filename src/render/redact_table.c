/* redact_table.c: the patterns of secrets (peg.h has their syntax), in the
 * order in which they are tried at each byte of a text. Each row has a sample,
 * which a test runs.
 *
 * Not redacted are loopback and "any" addresses, ports, the public hosts of
 * models and packages, and paths of every machine (/dev/shm, /usr/lib/...),
 * which explain the failure and identify nobody. */
#include "render/redact.h"

#define VALUE "[^\x01- \"'`,;)%]}<]" /* a byte of what a name is given */

/* ---- names with a value ---- */

#define GAP "\\?[\"']? *[=:] *"
#define OPTION_GAP "(" GAP "| +(?!-))"
#define NAME_ENDS "(?![%w-])"
#define SECRET_WORD "(token|key|pass|pw|secret|auth)"
/* A variable, a mask, a dash or a common word is no secret. */
#define NO_NAME                                                               \
    "(?![\"']?([$][{(]|[$]((?!" SECRET_WORD ")[a-z%d_])*" SECRET_WORD "|"      \
    "(-+|[*]+|none|null|true|false|auto|localhost|0.0.0.0|127.0.0.1|"         \
    "bearer|basic|required|missing|not|is|memory|ram)(?!" VALUE ")))"
#define TOKEN_NAMES                                                           \
    "(api[_-]?key|secret([_-]key)?|access[_-]key([_-]id)?|passw(ord|d)|"      \
    "passphrase|(auth|access|refresh|session|api|hf|hub|bot)[_-]token|"       \
    "private[_-]key|credentials?|authorization|wandb[_-]key|"                 \
    "account[_-]?key|shared[_-]?access[_-]?(key|signature))" NAME_ENDS
/* MY_API_KEY is an API key too; eos_token is no token. */
#define PREFIXED(names) "((?!" names ")[a-z0-9]*[_-]+)*" names
/* Prefixes with which "pass" means a password; alone it may be a pass over a
 * file. */
#define PASS_NAME                                                             \
    "(db|mysql|pg|postgres|redis|smtp|mail|user|root|admin|ftp|ssh|proxy)"    \
    "[_-]*(pass|pwd)" NAME_ENDS
/* A value as a shell and JSON read it: up to the closing quote; without quotes
 * up to a blank, and up to "," or ";" before the next name. */
#define SECRET                                                                \
    "(\"(?!<)(?<token>([^\"\\\n]|\\[^\n])+)\"?|"                              \
    "'(?!<)(?<token>[^'\n]+('\\''[^'\n]*)*)'?|"                               \
    "\\\"(?!<)(?<token>[^\"\\\n]+)|"                                          \
    "(?<token>(" VALUE "|[,;](?=" VALUE ")(?![%l%d_]+[=:]))+))"
#define HOST_NAME                                                             \
    "-*(host([_-]?name)?|node[_-]ip[_-]address|node([_-]?name|list)?|"        \
    "master[_-]addr|server[_-]name|rdzv[_-]endpoint|dist[_-]init[_-]addr|"    \
    "slurm[_-]nodelist|slurmd[_-]nodename)" NAME_ENDS
#define USER_NAME                                                             \
    "-*(user([_-]?name)?|login|logname|slurm[_-]job[_-]user|sudo[_-]user)"    \
    NAME_ENDS
#define NAMED(name) "((?=--)" name OPTION_GAP "|" name GAP ")" NO_NAME

/* ---- tokens with a known prefix ----
 *
 * hf_overrides is an option and sk-learn a package; a token is longer, or has a
 * digit or a capital. */
#define TOKEN_OF(small, all)                                                  \
    "((?=" small "*[A-Z%d])" all "{8,}|" all "{16,})"
#define TOKEN(more) TOKEN_OF("[a-z" more "]", "[%l%d" more "]") "(?!%w)"

/* 40 random bytes or more: capitals, small letters and digits. */
#define RANDOM                                                                \
    "(?=[%w+])(?=[a-z%d/+]*[A-Z])(?=[A-Z%d/+]*[a-z])"                         \
    "(?=[A-Za-z/+]*%d)[A-Za-z%d/+]{40,}={0,2}"

/* ---- machines ---- */

#define URL_BYTE "[^\x01- \"'`,;()%[%]{}<>|]"
#define AUTHORITY "(%w|[.-]+(?=%w))*"
#define AUTHORITY_ENDS "(?!%w|[.-]+%w)"
#define OCTET "(25[0-5]|2[0-4]%d|[01]%d%d|%d%d?)(?!%d)"
#define IPV4 OCTET "." OCTET "." OCTET "." OCTET "(?![%w+-]|.%w)"
#define HEX "[%da-f]{1,4}(?![%da-f])"
#define IPV6                                                                  \
    "(:(?!:))?(?=[a-f:]*%d)((" HEX ":){7}" HEX "|" HEX "(:" HEX ")*::" HEX    \
    "(:" HEX ")*|" HEX "(:" HEX ")+::|::" HEX "(:" HEX ")+)"                  \
    "(?!%w|:[%da-f:])"
#define TOP_LEVEL                                                             \
    "(internal|localdomain|local|lan|corp|intranet|intra|home|arpa|cluster|"  \
    "svc|com|net|org|io|cn|edu|gov|cloud|dev|ai|de|uk|jp|fr|ru|kr|tw|hk|eu|"  \
    "ch|tech|xyz)" AUTHORITY_ENDS
/* "gpu17.rack2.corp"; also "ip-10-0-0-1", as clouds name machines */
#define DOMAIN                                                                \
    "(?!." TOP_LEVEL ")((?!" TOP_LEVEL ")[%l%d-]*.)+" TOP_LEVEL
#define CLOUD "ip-%d([%l%d]|[.-]+(?=[%l%d]))*"
#define LOGIN "[%l%d._%%+-]"
#define COMMON_USER                                                           \
    "(root|administrator|admin|users?|ubuntu|debian|ec2-user|git|jovyan|"     \
    "nobody|public|default|app|docker|ray|vllm|ollama|python|service|none|"   \
    LOGIN "{1,2})"
#define AT_MACHINE                                                            \
    "(?<user>" LOGIN "+)@(?<host>" IPV4 "|(?!%d)(?=[.-]*%w)" AUTHORITY ")"

#define MAC "([%da-f]{2}[:-]){5}[%da-f]{2}(?![%w:-])"
/* The random characters of Kubernetes' names: no vowels, no 0, 1 and 3. */
#define KUBE "[bcdfghj-np-tv-z24-9]"
#define POD_HASH KUBE "{8,10}-" KUBE "{5}(?![%w-])"

/* ---- paths ----
 *
 * A whole path has one placeholder, since its folders have names of people and
 * projects. It ends at blanks and marks, also Chinese ones. */
#define PATH_END "\x01- \"'`,;:()%[%]{}<>|"
#define PATH_BYTES                                                            \
    "([^" PATH_END ".\\\xe3\xef]|\\ |\\|\xe3(?!\x80)|\xef(?!\xbc)|"           \
    ".+(?=[^" PATH_END "]))"
#define ROOTED "(/(?=[%w.\x80-\xff-])|..?/|~[%l%d._-]*/)"
#define WINDOWS "(%l:\\(?!$)|\\\\(?=%w))"
/* a/b/c: two slashes and a letter; a/b may be a model. Chinese text before a
 * well-known folder is no part of the path, since Chinese has no blanks. */
#define NAME_BYTE "[%l%d._\x80-\xff-]"
#define BARE                                                                  \
    "(?=[%d._/-]*[%l\x80-\xff])(?!-)(?=" NAME_BYTE "+/" NAME_BYTE "*/)"     \
    "(?![\x80-\xff]+/(home|root|users|data|mnt|nas|opt|srv|tmp|var|usr|"    \
    "workspace|app|models?|cache|dev|etc|proc|sys)[%d]*/)"
#define ANY_PATH "(?=" ROOTED "|" WINDOWS "|" BARE ")"
#define BEFORE_PATH "[^%w/.\\<]"
#define BEFORE_MACHINE "[^%w/\\<]"

const struct redact_row redact_rows[] = {
    {"[^%w]", true,
     "(?<token>(hf_|api_org_|gh[pousr]_|A[KSR][IO]A|LTAI|AKID|npm_|dop_v1_|"
     "gsk_|r8_)" TOKEN("") "|hv[sbr]." TOKEN("_-") "|SG." TOKEN("_.-")
     "|([sp]k-|AIza|nvapi-|glpat-|pypi-)" TOKEN("_-")
     "|([sr]k_|github_pat_)" TOKEN("_") "|xox[bpars]-" TOKEN("-")
     "|(ya29.|eyJ)" TOKEN("_.-") ")",
     "key sk-proj-a1B2c3D4e5F6 end", "key <token-1> end"},
    {"[^%w]", true, "(?<token>ms-[%da-f]{8}(-[%da-f]{4,12}){4})",
     "ms-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "<token-1>"},
    {"[^%w]", true,
     "(?<token>%d{8,10}:[%w-]{35}(?![%w-])|"
     "[MNO][%w-]{23,27}.[%w-]{6}.[%w-]{27,})",
     "bot 123456789:AAabcdefghijklmnopqrstuvwxyz_-12345", "bot <token-1>"},
    {"[^%w]", true,
     "-----BEGIN ((?!PRIVATE)[A-Z ])*PRIVATE KEY-----"
     "(?<token>([^<-]|-(?!----))+)",
     "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
     "-----BEGIN PRIVATE KEY-----<token-1>-----END PRIVATE KEY-----"},
    {"[^%w]", true, "(ssh-%w+|ecdsa-[%w-]+) (?<token>AAAA[%w+/=]+)",
     "ssh-rsa AAAAB3NzaC1yc2E= x", "ssh-rsa <token-1> x"},
    {"[^%w/+.=-]", true, "(?<token>" RANDOM "|[%da-f]{40})(?![%w/+.-])",
     "key wJalrXUtnFEMIbK7MDENGbPxRfiCYzEXAMPLEKEY end", "key <token-1> end"},
    {"[^%w]", true,
     "([Bb]earer|[Bb]asic|BEARER|BASIC) (?<token>"
     TOKEN_OF("[^\x01- \"'`,;)%]}<A-Z%d]", VALUE) ")",
     "Bearer abc.def-123456", "Bearer <token-1>"},
    {"[^%w-]", false, NAMED(PREFIXED(TOKEN_NAMES)) SECRET,
     "AWS_SECRET_ACCESS_KEY=wJalrXUt/nFEMI/K7MDENG",
     "AWS_SECRET_ACCESS_KEY=<token-1>"},
    {"[^%w-]", false, NAMED(PREFIXED(PASS_NAME)) SECRET, "MYSQL_PWD=a;b",
     "MYSQL_PWD=<token-1>"},
    {"[^%w-]", false, "--pass" NAME_ENDS OPTION_GAP NO_NAME SECRET,
     "--pass \"a b\" -x", "--pass \"<token-1>\" -x"},
    {"[^%w-]", false, "(set-)?cookie[\"']? *[=:] *[\"']?(?<token>[^\"'\n<]+)",
     "Cookie: session=a1; x=2", "Cookie: <token-1>"},
    {"[\"]", false, "auth\\?\" *: *\\?\"(?<token>[%l%d+/=._-]{8,})",
     "{\"auth\":\"dXNlcjpwYXNz\"}", "{\"auth\":\"<token-1>\"}"},
    {"[^%w-]", false,
     "(--token" NAME_ENDS OPTION_GAP "|-*token" NAME_ENDS GAP "(?=[\"']?" VALUE
     "{16})(?=[^\x01- \"'`,;)%]}<%d]*%d))" NO_NAME "(?<token>" VALUE "+)",
     "--token abc", "--token <token-1>"},
    {"[^%w-]", false,
     NAMED(HOST_NAME) "[\"']?(?<host>%l[%w-]*)(?![./@]|://)",
     "--rdzv_endpoint=node1:29500", "--rdzv_endpoint=<host-1>:29500"},
    {"[^%w-]", false,
     "-*(k8s[_-]|pod[_-])?namespace" NAME_ENDS OPTION_GAP NO_NAME "[\"']?"
     "(?!(default|kube-[%l-]+)(?!" VALUE "))(?<namespace>%l" VALUE "*)",
     "--namespace acme", "--namespace <namespace-1>"},
    {"[^%w-]", false,
     "-*served[_-]model[_-]name" NAME_ENDS OPTION_GAP NO_NAME
     "[\"']?(?<model>" VALUE "+)",
     "--served-model-name acme-7b", "--served-model-name <model-1>"},
    {"[^%w./-]", false, "(?<kube>((?!" POD_HASH ")[%l%d]+-)+" POD_HASH ")",
     "acme-serve-7f9c6d5b8b-x2x7k", "<pod-1>"},
    {"[^%w-]", false, NAMED(USER_NAME) "[\"']?(?<user>%l" VALUE "*)",
     "user=ann", "user=<user-1>"},
    {BEFORE_MACHINE, false,
     "(https?|wss?|tcp|grpc|ssh|rediss?|git|ftp|udp)://((?<token>"
     "[^\x01- \"'`,;()%[%]{}<>|@/]+)@)?(?<host>" AUTHORITY
     ")(:[%l%d]*)?(?<rest>" URL_BYTE "{2,})?",
     "https://ann:pw@git.acme.dev:80/x?y",
     "https://<token-1>@<host-1>:80/<path-1>"},
    {BEFORE_MACHINE, false, "(?<path>[%l%d+.-]+://" URL_BYTE "*)",
     "s3://acme-bucket/ckpt", "<path-1>"},
    {BEFORE_MACHINE, false, "(ssh|scp|sftp|rsync) " AT_MACHINE,
     "ssh ann@gpu17.corp", "ssh <user-1>@<host-1>"},
    {BEFORE_MACHINE, false,
     "(?!" COMMON_USER "@)(?<email>" LOGIN "+@(" DOMAIN "|(?!%d)" CLOUD
     "))" AUTHORITY_ENDS "(?!:)",
     "mail ann.lee@acme.com now", "mail <email-1> now"},
    {BEFORE_MACHINE, false,
     "git@(?<host>" AUTHORITY "):(?<path>" URL_BYTE "{2,})",
     "git@github.com:acme/x.git", "git@github.com:<path-1>"},
    {BEFORE_MACHINE, false, AT_MACHINE, "root@10.0.0.9", "root@<ip-1>"},
    {"[^\n]", false, "==" IPV4 "(?!:/)", "torch==12.4.5.8",
     "torch==12.4.5.8"},
    {"[^%w/\\<.:-]", false, "(?<host>" IPV4 "|" IPV6 ")", "on 10.1.2.3:80",
     "on <ip-1>:80"},
    {"[^%w/\\<.:-]", false, "(?<host>" MAC ")", "aa:bb:cc:dd:ee:0f",
     "<host-1>"},
    {"[^%w/\\<.@-]", false,
     "(?<host>" DOMAIN ")(:%d+)?(?=/[%l%d])(?<rest>" URL_BYTE "+)",
     "registry.acme.io/acme/app:1", "<host-1>/<path-1>"},
    {"[^%w/\\<.@-]", false, "(?<host>" CLOUD "|" DOMAIN ")(?![(_])",
     "gpu17.rack2.corp died", "<host-1> died"},
    {"[\"]", true, ANY_PATH "(?<path>[^\"\n]+)(?=\")", "\"/home/ann/a b\"",
     "\"<path-1>\""},
    {"[']", true, ANY_PATH "(?<path>[^'\n]+)(?=')", "'/home/ann/a b'",
     "'<path-1>'"},
    {"[`]", true, ANY_PATH "(?<path>[^`\n]+)(?=`)", "`/home/ann/a b`",
     "`<path-1>`"},
    {BEFORE_PATH, true, "(?<path>" ROOTED PATH_BYTES "*)",
     "see /srv/acme/x.py:12.", "see <path-1>:12."},
    {BEFORE_PATH, true,
     "(?<path>" WINDOWS "(" PATH_BYTES "| (?!\\)(?=[^" PATH_END "\\]*\\))*)",
     "C:\\Users\\Ann Lee\\m x.gguf", "<path-1> x.gguf"},
    {"[^%w/.\\<~:-]", true, "(?<path>" BARE PATH_BYTES "+)",
     "runs/acme/step-100", "<path-1>"},
    {NULL, false, NULL, NULL, NULL},
};

#define PUBLIC                                                                \
    "(huggingface.co|hf.co|github.com|githubusercontent.com|github.io|"       \
    "pytorch.org|nvidia.com|nvcr.io|docker.io|docker.com|ghcr.io|quay.io|"    \
    "python.org|pypi.org|vllm.ai|modelscope.cn|ollama.com|ollama.ai|"         \
    "google.com|readthedocs.io|k8s.io|kubernetes.io|tensorflow.org|"          \
    "kernel.org|example.com|example.org)$"

const char *const redact_signs[SIGN_COUNT_OF] = {
    [SIGN_PUBLIC_HOST] =
        "$|127.|(localhost|0.0.0.0|::1?|auto|none|true|false|null|"
        "host.docker.internal)$|((?!" PUBLIC ")[%w-]*.)*" PUBLIC,
    [SIGN_COMMON_USER] = "(" COMMON_USER ")$",
    [SIGN_ADDRESS] = "(" IPV4 "|" IPV6 ")$",
    [SIGN_PATH] = ANY_PATH,
    [SIGN_COMMON_PATH] =
        "/(dev|proc|sys|usr|etc|bin|sbin|lib|lib64|opt/conda|opt/venv)/|"
        "/opt/rocm|/(dev|proc|sys|usr|etc|bin|sbin|lib|tmp|var|opt|mnt|home|"
        "root|data|models?|app|workspace|v1|metrics|health)/?$",
    [SIGN_HOME] =
        ("~(?<user>[^/\\]+)|((?!(home|users)[/\\])[^/\\]*[/\\]+)*"
         "(home|users)[/\\]+(?<user>[^/\\]+)"),
};
