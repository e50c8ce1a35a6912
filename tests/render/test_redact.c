/* test_redact.c: nothing that names somebody gets out, nothing that the
 * answer needs is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "render/redact.h"
#include "support/corpus.h"
#include "support/reports.h"
#include "support/texts.h"

static void expect_redacted(struct arena *a, const char *text,
                            const char *shown) {
    struct secrets s = {.a = a};
    struct str got = redacted(&s, str_of(text));
    if (!str_eq(got, str_of(shown))) {
        fail_msg("\"%s\"\nbecame  \"%.*s\"\ninstead \"%s\"", text,
                 STR_ARG(got), shown);
    }
}

static void expect_same(struct arena *a, const char *text) {
    expect_redacted(a, text, text);
}

static void every_row_has_its_sample(struct arena *a) {
    for (size_t i = 0; redact_rows[i].pattern != NULL; i++) {
        expect_redacted(a, redact_rows[i].sample, redact_rows[i].shown);
    }
}

static void go_paths(struct arena *a) {
    expect_redacted(a, "open /home/ann/run.py failed", "open <path-1> failed");
    expect_redacted(a, "--model=/data/acme/v2", "--model=<path-1>");
    expect_redacted(a, "'/home/ann b/x y.bin'", "'<path-1>'");
    expect_redacted(a, "/home/ann/my\\ files/x rest", "<path-1> rest");
    expect_redacted(a, "see /srv/acme/x.", "see <path-1>.");
    expect_redacted(a, "/srv/a/x.py:12", "<path-1>:12");
    expect_redacted(a, "~/.cache/x and ~ann/y", "<path-1> and <path-2>");
    expect_redacted(a, "./out ../up", "<path-1> <path-2>");
    expect_redacted(a, "C:\\Users\\ann\\x.gguf ok", "<path-1> ok");
    expect_redacted(a, "C:\\Users\\Ann Lee\\m x.gguf ok",
                    "<path-1> x.gguf ok");
    expect_redacted(a, "\\\\nas\\share\\m", "<path-1>");
    expect_redacted(a, "s3://acme-bucket/ckpt", "<path-1>");
    expect_redacted(a, "file:///home/ann/x", "<path-1>");
    expect_redacted(a, "runs/acme/step-100", "<path-1>");
    expect_redacted(a, "在/home/ann/x。", "在<path-1>。");
    expect_redacted(a, "/home/\xe5\xbc\xa0\xe4\xb8\x89/\xe6\xa8\xa1",
                    "<path-1>");
}

static void go_machines(struct arena *a) {
    expect_redacted(a, "on 10.1.2.3:29500", "on <ip-1>:29500");
    expect_redacted(a, "tcp://10.1.2.3:29500", "tcp://<ip-1>:29500");
    expect_redacted(a, "from 2001:db8::1 and fe80::1ff:fe23:4567:890a",
                    "from <ip-1> and <ip-2>");
    expect_redacted(a, "2001:db8::7: refused", "<ip-1>: refused");
    expect_redacted(a, "[2001:db8:0:1:1:1:1:1]:80", "[<ip-1>]:80");
    expect_redacted(a, "gpu17.rack2.corp died", "<host-1> died");
    expect_redacted(a, "ip-10-0-3-7.ec2.internal", "<host-1>");
    expect_redacted(a, "http://gpu17.corp:8000/v1/acme?x=1",
                    "http://<host-1>:8000/<path-1>");
    expect_redacted(a, "https://ann:pw@git.acme.dev/x",
                    "https://<token-1>@<host-1>/<path-1>");
    expect_redacted(a, "--host gpu17 --port 80", "--host <host-1> --port 80");
    expect_redacted(a, "MASTER_ADDR=node01", "MASTER_ADDR=<host-1>");
    expect_redacted(a, "--rdzv_endpoint=node1:29500",
                    "--rdzv_endpoint=<host-1>:29500");
}

static void go_people(struct arena *a) {
    expect_redacted(a, "mail ann.lee@acme.com now", "mail <email-1> now");
    expect_redacted(a, "ssh ann@gpu17", "ssh <user-1>@<host-1>");
    expect_redacted(a, "scp ann@gpu17.corp:/srv/x/y .",
                    "scp <user-1>@<host-1>:<path-1> .");
    expect_redacted(a, "ann@10.0.0.9", "<user-1>@<ip-1>");
    expect_redacted(a, "user=ann", "user=<user-1>");
    expect_redacted(a, "/home/annie/x as annie", "<path-1> as <user-1>");
}

static void go_tokens(struct arena *a) {
    expect_redacted(a, "hf_AbCdEfGhIjKlMnOpQrStUv", "<token-1>");
    expect_redacted(a, "key sk-proj-a1B2c3D4e5F6 end", "key <token-1> end");
    expect_redacted(a, "ghp_0123456789abcdefghij0123456789abcdef",
                    "<token-1>");
    expect_redacted(a, "AKIAIOSFODNN7EXAMPLE", "<token-1>");
    expect_redacted(a, "AWS_SECRET_ACCESS_KEY=wJalrXUt/nFEMI/K7MDENG",
                    "AWS_SECRET_ACCESS_KEY=<token-1>");
    expect_redacted(a, "Authorization: Bearer abc.def-123456",
                    "Authorization: Bearer <token-1>");
    expect_redacted(a, "--api-key hunter2 -x", "--api-key <token-1> -x");
    expect_redacted(a, "{\"api_key\": \"hunter2\"}",
                    "{\"api_key\": \"<token-1>\"}");
    expect_redacted(a, "HF_TOKEN='a b'", "HF_TOKEN='<token-1>'");
}

/* To its end, whatever it holds. */
static void go_passwords(struct arena *a) {
    expect_redacted(a, "--password \"a b;c$d\" -x",
                    "--password \"<token-1>\" -x");
    expect_redacted(a, "--password \"a\\\"b c\"", "--password \"<token-1>\"");
    expect_redacted(a, "--password 'it'\\''sSECRET' x",
                    "--password '<token-1>' x");
    expect_redacted(a, "--password \"a b", "--password \"<token-1>");
    expect_redacted(a, "--password abc,defSECRET x", "--password <token-1> x");
    expect_redacted(a, "DB_PASSWORD=abc;defSECRET", "DB_PASSWORD=<token-1>");
    expect_redacted(a, "password=abc,max_tokens=3",
                    "password=<token-1>,max_tokens=3");
    expect_redacted(a, "--password=$ecretXYZ", "--password=<token-1>");
    expect_redacted(a, "--password=*starXYZ", "--password=<token-1>");
    expect_redacted(a, "--password=-dashXYZ", "--password=<token-1>");
    expect_redacted(a, "\\\"api_key\\\": \\\"hunter2\\\"",
                    "\\\"api_key\\\": \\\"<token-1>\\\"");
    expect_redacted(a, "--pass X1 -y", "--pass <token-1> -y");
    expect_redacted(a, "PGPASS=x MYSQL_PWD=y DB_PASS=z",
                    "PGPASS=<token-1> MYSQL_PWD=<token-2> DB_PASS=<token-3>");
    expect_redacted(a, "AccountName=x;AccountKey=aB3/+==;EndpointSuffix=y",
                    "AccountName=x;AccountKey=<token-1>;EndpointSuffix=y");
    expect_redacted(a, "-H 'Cookie: session=a b'", "-H 'Cookie: <token-1>'");
    expect_redacted(a, "{\"auths\":{\"r\":{\"auth\":\"dXNlcjpwYXNz\"}}}",
                    "{\"auths\":{\"r\":{\"auth\":\"<token-1>\"}}}");
    expect_same(a, "--api-key $VLLM_API_KEY --token ${TOKEN} -x");
    expect_same(a, "--password --port 80 password: **** api_key=None");
    expect_same(a, "PWD: 3 first_pass=2 pass: 4 auth: enabled");
}

/* By the shape that their makers give them, and by having none. */
static void go_keys(struct arena *a) {
    static const char *const keys[] = {
        "LTAI5tAbCdEfGhIjKlMnOpQr",
        "AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE",
        "ms-0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9",
        "hvs.CAESIJabc123DEF456ghi",
        "SG.ab12CD34ef56GH78.ij90KL12mn34OP56qr78",
        "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
        "MTA1NTU1NTU1NTU1NTU1NTU1.GaBcDe.abcdefghijklmnopqrstuvwxyz0",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYzEXAMPLEKEY1",
        "wJalrXUtnFEMI/K7MDENGbPxRfiCYzEXAMPLEKEY",
        "wJalrXUtnFEMI+K7MDENGbPxRfiCYzEXAMPLE/KEY+2==",
        "0123456789abcdef0123456789abcdef01234567",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        expect_redacted(a, keys[i], "<token-1>");
        struct str text = arena_printf(a, "is \"%s\" here", keys[i]);
        expect_redacted(a, text.p, "is \"<token-1>\" here");
    }
    expect_redacted(a, "ssh-ed25519 AAAAC3NzaC1lZDI1 x",
                    "ssh-ed25519 <token-1> x");
    expect_redacted(a,
                    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nab/+=\n"
                    "-----END RSA PRIVATE KEY-----",
                    "-----BEGIN RSA PRIVATE KEY-----<token-1>"
                    "-----END RSA PRIVATE KEY-----");
    /* a symbol, a digest of an image, a container */
    expect_same(a, "_ZN3c104cuda20CUDACachingAllocator6mallocEPPvmP11CUstream");
    expect_same(a, "FlashAttentionForwardWithPagedKeyValueCacheKernel");
    expect_same(a, "sha256:0123456789abcdef0123456789abcdef0123456789abcdef"
                   "0123456789abcdef");
}

static void go_places_of_a_cluster(struct arena *a) {
    expect_redacted(a, "kubectl logs acme-serve-7f9c6d5b8b-x2x7k -n x",
                    "kubectl logs <pod-1> -n x");
    expect_redacted(a, "--namespace acme --served-model-name acme-7b",
                    "--namespace <namespace-1> --served-model-name <model-1>");
    expect_redacted(a, "registry.acme.io:5000/acme/app:1 died",
                    "<host-1>:5000/<path-1> died");
    expect_redacted(a, "clone git@github.com:acme/secret.git",
                    "clone git@github.com:<path-1>");
    expect_redacted(a, "link aa:bb:cc:dd:ee:0f up", "link <host-1> up");
    expect_redacted(a, "加载 张三/模型/秘密项目 失败", "加载 <path-1> 失败");
    expect_same(a, "--namespace default nvcr.io/nvidia/pytorch:24.01-py3");
    expect_same(a, "llama-70b-instruct-20241122-12345 at 12:34:56");
}

static void equal_stays_equal(struct arena *a) {
    expect_redacted(a, "/a/b /c/d /a/b 10.1.1.1 10.1.1.2 10.1.1.1",
                    "<path-1> <path-2> <path-1> <ip-1> <ip-2> <ip-1>");
}

static void what_the_answer_needs_stays(struct arena *a) {
    expect_same(a, "Qwen/Qwen2.5-7B-Instruct on A100-SXM4-80GB");
    expect_same(a, "23.69 GiB of 24.00 GiB, 5/10 steps, 12 GiB/s");
    expect_same(a, "/dev/shm is 64M; /usr/lib/python3/dist-packages/torch");
    expect_same(a, "localhost:8000 127.0.0.1 0.0.0.0 ::1 http://localhost/v1");
    expect_same(a, "nvidia-cublas-cu12==12.4.5.8 torch@2.6.0 v0.9.1");
    expect_same(a, "c10::Error std::bad_alloc VLLM::EngineCore");
    expect_same(a, "12:34:56 2026-11-21T10:00:00");
    expect_same(a, "torch.cuda.OutOfMemoryError model.layers.0.mlp train.py");
    expect_same(a, "hf_overrides hf_transfer sk-learn eos_token_id=2");
    expect_same(a, "--max-num-batched-tokens 8192 max_tokens=4096");
    expect_same(a, "https://github.com/vllm-project/vllm/issues/1");
    expect_same(a, "user=root host: 12 GiB, node: 3");
    expect_same(a, "");
}

static void placeholders_are_not_redacted_again(struct arena *a) {
    struct secrets s = {.a = a};
    struct str once = redacted(&s, STR("/home/ann/x 10.0.0.9 ann@gpu1"));
    struct str twice = redacted(&s, once);
    assert_true(str_eq(once, twice));
}

/* A log may hold any number of names; none gets out, and it stays quick. */
static void more_names_than_there_is_room_for(struct arena *a) {
    struct secrets s = {.a = a};
    for (int i = 0; i < 3000; i++) {
        struct str text = arena_printf(a, "/home/ann/x%d", i);
        assert_true(str_starts(redacted(&s, text), STR("<path")));
    }
    assert_true(s.count <= 1000);
}

/* Known secrets go from texts of ours, the paths that those name stay. */
static void our_own_words_stay(struct arena *a) {
    struct secrets s = {.a = a};
    redacted(&s, STR("/home/annie/x"));
    struct str shown = redacted_known(
        &s, STR("Look at /srv/docs/x, then at /home/annie/x (annie)."));
    assert_true(str_eq(
        shown, STR("Look at /srv/docs/x, then at <path-1> (<user-1>).")));
}

/* ---- reports ---- */

static struct str written(struct arena *a, const char *format,
                          const struct report *r, bool redact,
                          enum lang lang) {
    struct render_options o = {.redact = redact, .why = true, .all = true,
                               .lang = lang};
    struct buf out = buf_in(a, (size_t)1 << 24);
    struct answer answer = {.report = r};
    format_write(format_named(str_of(format)), a, texts_reader(a), &answer,
                 &o, &out);
    assert_true(buf_ok(&out));
    return arena_str(a, buf_str(&out));
}

static void add_fact(struct arena *a, struct fact_list *list,
                     enum fact_name name, const char *text) {
    struct fact f = {.name = name, .known = true, .word = str_of(text),
                     .text = str_of(text), .line = 7, .gpu = FACT_NONE,
                     .rank = FACT_NONE, .pid = FACT_NONE};
    list->at =
        arena_grow(a, list->at, list->count, &list->cap, sizeof *list->at);
    list->at[list->count++] = f;
}

/* A secret in every string of a report that can hold one. */
static struct report *report_of_secrets(struct arena *a) {
    struct report *r = report_of_kv_pool(a);
    struct finding *f = &r->findings[0];
    r->input_name = STR("/home/annie/logs/serve.log");
    r->command_before = STR("vllm serve /home/annie/acme-7b --host 10.9.8.7");
    r->command_after = STR("vllm serve /home/annie/acme-7b --max-model-len 1");
    add_fact(a, &r->context, FACT_model, "/home/annie/acme-7b");
    add_fact(a, &r->context, FACT_pod, "annie-serve-7f9c-x2x");
    add_fact(a, &f->facts, FACT_process_name, "/home/annie/bin/python");
    f->text = STR("error at /home/annie/acme-7b");
    f->because = (struct note){"report.label", {STR("on 10.9.8.7")}, 1};
    f->remarks = &f->because;
    f->remark_count = 1;
    f->fixes[0].because = f->because;
    f->fixes[0].command = STR("vllm serve /home/annie/acme-7b");
    f->fixes[0].how.in[LANG_EN] = STR("Load /home/annie/acme-7b again.");
    f->fixes[0].how.in[LANG_ZH] = STR("重新加载 /home/annie/acme-7b。");
    f->fixes[0].estimate.formula = STR("1 [model: /home/annie/acme-7b]");
    f->dead_ends[0].dead_end = NULL;
    f->dead_ends[0].action = f->because;
    f->dead_ends[0].why = f->because;
    f->formulas.at[0] = STR("2 [model: /home/annie/acme-7b]");
    f->budget.parts[0].source = STR("model /home/annie/acme-7b");
    r->questions[0].how = STR("kubectl logs annie-serve-7f9c-x2x");
    r->questions[0].ask = f->because;
    r->summary = f->because;
    return r;
}

static void expect_lacks(struct str text, const char *what) {
    if (str_find(text, str_of(what)) != text.n) {
        fail_msg("\"%s\" stands in:\n%.*s", what, STR_ARG(text));
    }
}

static void no_format_shows_a_secret(struct arena *a) {
    static const char *const secrets[] = {"annie", "acme", "10.9.8.7", NULL};
    for (size_t n = 0; format_names[n] != NULL; n++) {
        const char *name = format_names[n];
        if (str_eq(str_of(name), STR("csv"))) {
            continue; /* is for lists */
        }
        for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
            struct str plain = written(a, name, report_of_secrets(a), false,
                                       (enum lang)lang);
            struct str shown = written(a, name, report_of_secrets(a), true,
                                       (enum lang)lang);
            assert_true(str_find(plain, STR("acme")) < plain.n);
            assert_true(str_find(shown, STR("8.00 GiB")) < shown.n);
            for (size_t i = 0; secrets[i] != NULL; i++) {
                expect_lacks(shown, secrets[i]);
            }
        }
    }
}

static void the_report_itself_is_untouched(struct arena *a) {
    struct report *r = report_of_secrets(a);
    struct str before = written(a, "json", r, false, LANG_EN);
    written(a, "json", r, true, LANG_EN);
    assert_true(str_eq(before, written(a, "json", r, false, LANG_EN)));
}

static void hostile_bytes_are_redacted_too(struct arena *a) {
    struct str shown =
        written(a, "text", report_of_hostile_log(a), true, LANG_EN);
    assert_true(shown.n > 0);
}

#define CASE(name) \
    static void test_##name(void **state) { \
        (void)state; \
        with_arena(name); \
    }
CASE(every_row_has_its_sample)
CASE(go_paths)
CASE(go_machines)
CASE(go_people)
CASE(go_tokens)
CASE(go_passwords)
CASE(go_keys)
CASE(go_places_of_a_cluster)
CASE(equal_stays_equal)
CASE(what_the_answer_needs_stays)
CASE(placeholders_are_not_redacted_again)
CASE(more_names_than_there_is_room_for)
CASE(our_own_words_stay)
CASE(no_format_shows_a_secret)
CASE(the_report_itself_is_untouched)
CASE(hostile_bytes_are_redacted_too)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_has_its_sample),
        cmocka_unit_test(test_go_paths),
        cmocka_unit_test(test_go_machines),
        cmocka_unit_test(test_go_people),
        cmocka_unit_test(test_go_tokens),
        cmocka_unit_test(test_go_passwords),
        cmocka_unit_test(test_go_keys),
        cmocka_unit_test(test_go_places_of_a_cluster),
        cmocka_unit_test(test_equal_stays_equal),
        cmocka_unit_test(test_what_the_answer_needs_stays),
        cmocka_unit_test(test_placeholders_are_not_redacted_again),
        cmocka_unit_test(test_more_names_than_there_is_room_for),
        cmocka_unit_test(test_our_own_words_stay),
        cmocka_unit_test(test_no_format_shows_a_secret),
        cmocka_unit_test(test_the_report_itself_is_untouched),
        cmocka_unit_test(test_hostile_bytes_are_redacted_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
