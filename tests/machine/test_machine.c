/* What tools and files of other machines printed, as facts: golden/<source>-
 * <case>.txt holds the texts, <...>.facts the facts, a line each. With
 * GOLDEN_WRITE=1 in the environment the facts are written anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "machine/source.h"
#include "support/corpus.h"

#define FOLDER "tests/machine/golden/"

/* What stands under "== name"; p NULL: it is not there. */
static struct str part(struct arena *a, struct str file, const char *name) {
    struct str head = arena_printf(a, "== %s\n", name);
    size_t from = str_find(file, head);
    if (from == file.n) {
        return (struct str){NULL, 0};
    }
    struct str rest = str_slice(file, from + head.n, file.n);
    size_t end = str_starts(rest, STR("== ")) ? 0
                                              : str_find(rest, STR("\n== "));
    return str_slice(rest, 0, end == rest.n ? end : end + (end > 0));
}

static int64_t number(struct str text, bool is_second) {
    struct str rest, first = str_cut(str_trim(text), ' ', &rest);
    int64_t n = 0;
    str_to_int(is_second ? rest : first, &n);
    return n;
}

static void nvidia(struct machine_lines *m, struct str file) {
    struct str host = part(m->a, file, "host");
    struct str visible = part(m->a, file, "visible");
    nvidia_smi_read(m, &(struct nvidia_text){
                           .gpus = part(m->a, file, "gpus"),
                           .processes = part(m->a, file, "processes"),
                           .mig = part(m->a, file, "mig"),
                           .visible = visible.p ? str_trim(visible) : visible,
                           .host_total = number(host, false),
                           .host_free = number(host, true)});
}

static void amdgpu(struct machine_lines *m, struct str file) {
    amdgpu_read(m, &(struct amdgpu_text){0, part(m->a, file, "name"),
                                         part(m->a, file, "total"),
                                         part(m->a, file, "used")});
}

static void npu(struct machine_lines *m, struct str file) {
    npu_smi_read(m, part(m->a, file, "info"));
}

static void xpu(struct machine_lines *m, struct str file) {
    xpu_smi_read(m, part(m->a, file, "discovery"), part(m->a, file, "dump"));
}

static void meminfo(struct machine_lines *m, struct str file) {
    meminfo_read(m, part(m->a, file, "meminfo"),
                 part(m->a, file, "overcommit"));
}

static void system_of(struct machine_lines *m, struct str file) {
    system_read(m, part(m->a, file, "version"));
}

static void cgroup(struct machine_lines *m, struct str file) {
    struct cgroup_text t = {part(m->a, file, "limit"),
                            part(m->a, file, "peak"),
                            part(m->a, file, "events"),
                            part(m->a, file, "high")};
    struct cgroup_state s = cgroup_state_of(&t);
    cgroup_read(m, &s, &(struct cgroup_origins){"cgroup", "cgroup",
                                                "memory.events"});
    if (s.oom_kills <= 0) /* no fact: 0, or -1 where it is not known */
        machine_add(m, FACT_oom_kill_count, "",
                    arena_printf(m->a, "%" PRId64, s.oom_kills), "cgroup");
}

/* No facts, but where the files are: told as the names of two. */
static void place(struct machine_lines *m, struct str file) {
    struct cgroup_place p = cgroup_place_of(part(m->a, file, "proc"));
    machine_add(m, FACT_container, "", p.v1, "v1");
    machine_add(m, FACT_container, "", p.v2, "v2");
}

static void versions(struct machine_lines *m, struct str file) {
    versions_read(m, part(m->a, file, "names"));
}

static void environment(struct machine_lines *m, struct str file) {
    struct variable at[16];
    size_t n = 0;
    for (; environment_names[n] != NULL; n++) {
        struct str value = part(m->a, file, environment_names[n]);
        at[n] = (struct variable){
            environment_names[n],
            value.p ? arena_str(m->a, str_trim(value)).p : NULL};
    }
    environment_read(m, at, n);
}

static const struct {
    const char *prefix;
    void (*read)(struct machine_lines *m, struct str file);
} sources[] = {{"nvidia-", nvidia},   {"amdgpu-", amdgpu},
               {"npu-", npu},         {"xpu-", xpu},
               {"meminfo-", meminfo}, {"system-", system_of},
               {"cgroup-", cgroup},   {"place-", place},
               {"versions-", versions}, {"environment-", environment}};

static struct str facts_of(struct arena *a, const char *name) {
    struct machine_lines m = machine_lines_new(a);
    char path[512];
    snprintf(path, sizeof path, FOLDER "%s", name);
    struct str file = file_bytes(a, path);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (strncmp(name, sources[i].prefix, strlen(sources[i].prefix)) == 0) {
            sources[i].read(&m, file);
        }
    }
    struct buf out = buf_in(a, 0);
    for (size_t i = 0; i < m.count; i++) {
        buf_printf(&out, "%s\n", m.at[i]);
    }
    return buf_str(&out);
}

static void write_golden(const char *path, struct str facts) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(facts.n == 0 ||
                fwrite(facts.p, 1, facts.n, out) == facts.n);
    fclose(out);
}

static void compare(struct arena *a, const char *name) {
    char path[512];
    struct str facts = facts_of(a, name);
    snprintf(path, sizeof path, FOLDER "%.*s.facts",
             (int)(strlen(name) - 4), name);
    if (getenv("GOLDEN_WRITE") != NULL) {
        write_golden(path, facts);
    }
    struct str golden = file_bytes(a, path);
    if (!str_eq(facts, golden)) {
        fail_msg("%s: facts are\n%.*s", name, STR_ARG(facts));
    }
}

static void each_golden(struct arena *a) {
    DIR *d = opendir(FOLDER);
    size_t count = 0;
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        size_t n = strlen(e->d_name);
        if (n > 4 && strcmp(e->d_name + n - 4, ".txt") == 0) {
            compare(a, e->d_name);
            count++;
        }
    }
    closedir(d);
    assert_true(count > 20);
}

static void texts_become_facts(void **state) {
    (void)state;
    with_arena(each_golden);
}

/* ---- lines, as the library reads them ---- */

static struct machine_fact fact(struct arena *a, const char *line) {
    struct machine_fact f;
    struct str why;
    if (!machine_fact_read(a, str_of(line), &f, &why)) {
        fail_msg("%s: %.*s", line, STR_ARG(why));
    }
    assert_int_equal(f.fact.source, SOURCE_MACHINE);
    return f;
}

static void read_lines(struct arena *a) {
    struct machine_fact f =
        fact(a, "other_in_use[gpu 1, pid 4711]=60988 MiB\tnvidia-smi");
    assert_true(f.fact.known);
    assert_int_equal(f.fact.gpu, 1);
    assert_int_equal(f.fact.pid, 4711);
    assert_int_equal(f.fact.number, INT64_C(60988) << 20);
    assert_true(str_eq(f.fact.why, STR("nvidia-smi")));
    assert_true(str_eq(f.fact.text, STR("60988 MiB")));
    f = fact(a, "engine_version[engine vllm]=0.11.0\tvllm.dist-info");
    assert_true(str_eq(f.engine, STR("vllm")));
    f = fact(a, "gpu_free[gpu 0]=0 MiB");
    assert_true(f.fact.known && f.fact.number == 0);
    assert_false(fact(a, "gpu_total[gpu 0]=[N/A]\tnvidia-smi").fact.known);
    assert_false(fact(a, "other_in_use=17592186044415 MiB").fact.known);
}

static void lines_are_read(void **state) {
    (void)state;
    with_arena(read_lines);
}

static void refuse_lines(struct arena *a) {
    static const char *const wrong[] = {
        "", "gpu_total", "no_such_fact=1", "gpu_total[card 0]=1 GiB",
        "gpu_total[gpu x]=1 GiB", "gpu_total[gpu 0=1 GiB"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct machine_fact f;
        struct str why = {NULL, 0};
        assert_false(machine_fact_read(a, str_of(wrong[i]), &f, &why));
        assert_true(why.n > 0);
    }
}

static void what_is_no_line_is_refused(void **state) {
    (void)state;
    with_arena(refuse_lines);
}

/* ---- what arithmetic may use ---- */

static struct fact_list settled(struct arena *a, const char *const *lines,
                                bool is_now) {
    struct machine_fact at[16];
    size_t n = 0;
    for (; lines[n] != NULL; n++) {
        at[n] = fact(a, lines[n]);
    }
    return machine_settled(a, tiny_reader(a), &(struct machine_list){at, n},
                           STR("vllm"), is_now);
}

static void settle(struct arena *a) {
    static const char *const lines[] = {
        "gpu_total[gpu 0]=24576 MiB", "gpu_total[gpu 1]=24576 MiB",
        "gpu_free[gpu 0]=20000 MiB", "gpu_free[gpu 1]=10000 MiB",
        "gpu_count=2", "engine_version[engine vllm]=0.11.0",
        "engine_version[engine sglang]=0.5.0",
        "other_in_use[gpu 1, pid 7]=9000 MiB", "host_limit=64 GiB",
        "host_limit=32 GiB", "host_peak=31 GiB", NULL};
    struct fact_list then = settled(a, lines, false);
    struct fact_list now = settled(a, lines, true);
    const struct fact *total = facts_first(&then, FACT_gpu_total);
    assert_non_null(total);
    assert_true(total->low < total->high);
    assert_int_equal(total->high, INT64_C(24576) << 20);
    assert_null(facts_first(&then, FACT_gpu_free));
    assert_int_equal(facts_first(&now, FACT_gpu_free)->number,
                     INT64_C(10000) << 20);
    assert_null(facts_first(&then, FACT_gpu_count)); /* a job may use one */
    assert_null(facts_first(&now, FACT_other_in_use));
    assert_null(facts_first(&then, FACT_host_peak));
    assert_true(str_eq(facts_first(&then, FACT_engine_version)->word,
                       STR("0.11.0")));
    assert_int_equal(facts_first(&then, FACT_host_limit)->number,
                     INT64_C(32) << 30);
}

static void facts_settle(void **state) {
    (void)state;
    with_arena(settle);
}

static void settle_unlike(struct arena *a) {
    static const char *const lines[] = {
        "gpu_name[gpu 0]=One card", "gpu_name[gpu 1]=Another card",
        "gpu_total[gpu 0]=24 GiB", "gpu_total[gpu 1]=48 GiB",
        "torch_version=2.8.0", NULL};
    struct fact_list list = settled(a, lines, true);
    assert_null(facts_first(&list, FACT_gpu_name));
    assert_null(facts_first(&list, FACT_gpu_total));
    assert_non_null(facts_first(&list, FACT_torch_version));
}

/* The name of a whole card would bring its memory from the catalogue. */
static void settle_slice(struct arena *a) {
    static const char *const lines[] = {
        "gpu_name[gpu 0]=NVIDIA A100-SXM4-80GB MIG", "gpu_total[gpu 0]=N/A",
        NULL};
    struct fact_list list = settled(a, lines, true);
    assert_int_equal(list.count, 0);
}

static void a_slice_is_no_card(void **state) {
    (void)state;
    with_arena(settle_slice);
}

static void cards_that_differ_say_nothing(void **state) {
    (void)state;
    with_arena(settle_unlike);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_facts),
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(what_is_no_line_is_refused),
        cmocka_unit_test(facts_settle),
        cmocka_unit_test(a_slice_is_no_card),
        cmocka_unit_test(cards_that_differ_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
