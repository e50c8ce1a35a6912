/* test_formulas.c: every formula that is printed is reckoned again. The small
 * evaluator below knows numbers with thousands commas, + - x /, parentheses,
 * floor ceil min max, and units; every other word is a label. An amount in
 * KiB or larger was rounded to two decimals, so it stands for an interval, and
 * both sides of "=" must overlap. */
#include "memory/cases.h"
#include "memory/demand.h"

struct range {
    long double low, high;
};

struct reader {
    const char *p, *end;
    bool is_broken;
};

static struct range between(long double low, long double high) {
    return (struct range){low, high};
}

static void skip_blanks(struct reader *r) {
    while (r->p < r->end && *r->p == ' ') {
        r->p++;
    }
}

/* The next word, without taking it. */
static struct str peek_word(struct reader *r) {
    skip_blanks(r);
    struct str w = {r->p, 0};
    if (r->p == r->end || (!is_letter(*r->p) && *r->p != '_')) {
        return w;
    }
    while (r->p + w.n < r->end &&
           (is_word(r->p[w.n]) || r->p[w.n] == '-')) {
        w.n++;
    }
    return w;
}

static bool is_operator(struct str w) {
    return str_eq(w, STR("x"));
}

static bool is_function(struct str w) {
    return str_eq(w, STR("floor")) || str_eq(w, STR("ceil")) ||
           str_eq(w, STR("min")) || str_eq(w, STR("max"));
}

static long double factor_of(struct str w) {
    static const char *const names[] = {"KiB", "MiB", "GiB", "TiB"};
    long double factor = 1;
    for (size_t i = 0; i < 4; i++) {
        factor *= 1024;
        if (str_eq(w, str_of(names[i]))) {
            return factor;
        }
    }
    return 0;
}

static void skip_labels(struct reader *r) {
    for (;;) {
        struct str w = peek_word(r);
        if (w.n == 0 || is_operator(w) || is_function(w) || factor_of(w) > 0) {
            return;
        }
        r->p += w.n;
    }
}

/* A unit behind a number or a bracket. */
static struct range with_unit(struct reader *r, struct range v,
                              bool is_number) {
    struct str w = peek_word(r);
    long double factor = factor_of(w);
    if (factor > 0) {
        long double half = is_number ? 0.0050001L : 0;
        r->p += w.n;
        v = between((v.low - half) * factor, (v.high + half) * factor);
    }
    skip_labels(r);
    return v;
}

static struct range read_number(struct reader *r) {
    long double n = 0, scale = 0;
    bool is_minus = *r->p == '-';
    r->p += is_minus;
    for (; r->p < r->end; r->p++) {
        bool is_comma = *r->p == ',' && r->p + 3 < r->end &&
                        is_digit(r->p[1]) && is_digit(r->p[2]) &&
                        is_digit(r->p[3]);
        if (is_comma) {
            continue;
        }
        if (*r->p == '.' && r->p + 1 < r->end && is_digit(r->p[1])) {
            scale = 1;
            continue;
        }
        if (!is_digit(*r->p)) {
            break;
        }
        n = n * 10 + (*r->p - '0');
        scale *= 10;
    }
    n = scale > 0 ? n / scale : n;
    n = is_minus ? -n : n;
    return with_unit(r, between(n, n), true);
}

static struct range read_sum(struct reader *r);

static struct range read_bracket(struct reader *r) {
    r->p++;
    struct range v = read_sum(r);
    skip_blanks(r);
    if (r->p == r->end || *r->p != ')') {
        r->is_broken = true;
    } else {
        r->p++;
    }
    return v;
}

static long double down(long double n) {
    long long whole = (long long)n;
    return (long double)(whole > n ? whole - 1 : whole);
}

static struct range read_function(struct reader *r, struct str name) {
    r->p += name.n;
    r->p++; /* ( */
    struct range v = read_sum(r);
    skip_blanks(r);
    while (r->p < r->end && *r->p == ',') {
        r->p++;
        struct range w = read_sum(r);
        bool least = str_eq(name, STR("min"));
        v.low = (w.low < v.low) == least ? w.low : v.low;
        v.high = (w.high < v.high) == least ? w.high : v.high;
        skip_blanks(r);
    }
    r->is_broken = r->is_broken || r->p == r->end || *r->p != ')';
    r->p++;
    if (str_eq(name, STR("floor"))) {
        v = between(down(v.low), down(v.high));
    }
    if (str_eq(name, STR("ceil"))) {
        v = between(-down(-v.low), -down(-v.high));
    }
    return with_unit(r, v, false);
}

static struct range read_primary(struct reader *r) {
    skip_labels(r);
    struct str w = peek_word(r);
    if (is_function(w)) {
        return read_function(r, w);
    }
    if (r->p < r->end && *r->p == '(') {
        return with_unit(r, read_bracket(r), false);
    }
    if (r->p < r->end && (is_digit(*r->p) || *r->p == '-')) {
        return read_number(r);
    }
    r->is_broken = true;
    return between(0, 0);
}

static struct range hull4(long double a, long double b, long double c,
                          long double d) {
    long double low = a < b ? a : b, high = a < b ? b : a;
    low = c < low ? c : low;
    high = c > high ? c : high;
    return between(d < low ? d : low, d > high ? d : high);
}

static struct range read_product(struct reader *r) {
    struct range v = read_primary(r);
    for (;;) {
        skip_blanks(r);
        bool times = is_operator(peek_word(r));
        if (r->p == r->end || (!times && *r->p != '/')) {
            return v;
        }
        r->p++;
        struct range w = read_primary(r);
        if (!times && w.low <= 0 && w.high >= 0) {
            r->is_broken = true;
            return v;
        }
        if (!times) {
            w = between(1 / w.high, 1 / w.low);
        }
        v = hull4(v.low * w.low, v.low * w.high, v.high * w.low,
                  v.high * w.high);
    }
}

static struct range read_sum(struct reader *r) {
    struct range v = read_product(r);
    for (;;) {
        skip_blanks(r);
        if (r->p == r->end || (*r->p != '+' && *r->p != '-')) {
            return v;
        }
        bool plus = *r->p++ == '+';
        struct range w = read_product(r);
        v = plus ? between(v.low + w.low, v.high + w.high)
                 : between(v.low - w.high, v.high - w.low);
    }
}

static struct range reckon(struct str text, struct str whole) {
    struct reader r = {text.p, text.p + text.n, false};
    struct range v = read_sum(&r);
    skip_blanks(&r);
    if (r.is_broken || r.p != r.end) {
        fail_msg("cannot read \"%.*s\" in \"%.*s\"", STR_ARG(text),
                 STR_ARG(whole));
    }
    return v;
}

static bool overlap(struct range a, struct range b) {
    long double slack = (b.high < 0 ? -b.high : b.high) * 1e-6L + 0.5L;
    return a.low <= b.high + slack && b.low <= a.high + slack;
}

/* One "name = expression = value [<= limit]". Counts what it could check. */
static size_t check_one(struct str text) {
    struct str whole = text;
    text = str_slice(text, 0, str_find(text, STR(" [")));
    size_t first = str_find(text, STR(" = "));
    if (first == text.n) {
        fail_msg("no name in \"%.*s\"", STR_ARG(whole));
    }
    struct str rest = str_slice(text, first + 3, text.n);
    size_t second = str_find(rest, STR(" = "));
    if (second == rest.n) {
        return 0; /* a value alone */
    }
    struct str expression = str_slice(rest, 0, second);
    struct str value = str_slice(rest, second + 3, rest.n);
    size_t relation = str_find(value, STR(" <= "));
    struct str shown = str_slice(value, 0, relation);
    struct range left = reckon(expression, whole);
    struct range right = reckon(shown, whole);
    if (!overlap(left, right)) {
        fail_msg("\"%.*s\" gives %.0Lf to %.0Lf", STR_ARG(whole), left.low,
                 left.high);
    }
    if (relation < value.n) {
        struct range limit =
            reckon(str_slice(value, relation + 4, value.n), whole);
        assert_true(right.low <= limit.high);
    }
    return 1;
}

static size_t check_text(struct str text) {
    size_t checked = 0, start = 0;
    int depth = 0;
    for (size_t i = 0; i <= text.n; i++) {
        bool ends =
            i == text.n || (depth == 0 && text.p[i] == ';' && i + 1 < text.n);
        if (i < text.n) {
            depth += text.p[i] == '[' ? 1 : text.p[i] == ']' ? -1 : 0;
        }
        if (ends && i > start) {
            checked += check_one(str_slice(text, start, i - start));
            start = i + 2;
        }
    }
    return checked;
}

/* ---- the cases ---- */

MODEL(llama_8b, FULL(32, 8, 128));
MODEL(gemma3_27b, FULL(10, 16, 128), SLIDING(52, 16, 128, 1024));
MODEL(chunked, FULL(12, 8, 128),
      {.kind = KV_chunked,
       .layers = 36,
       .kv_heads = 8,
       .k_dim = 128,
       .v_dim = 128,
       .window = 8192});
MODEL(latent, LATENT(61, 576));
MODEL(recurrent, FULL(12, 2, 256), STATE(36, 1097728));
MODEL(uneven, {.kind = KV_full,
               .layers = 24,
               .kv_heads = 12,
               .k_dim = 192,
               .v_dim = 128});

static const struct model *const models[] = {
    NULL, &llama_8b, &gemma3_27b, &chunked, &latent, &recurrent, &uneven};
static const char *const versions[] = {NULL,     "0.6.3",  "0.8.5",
                                       "0.11.0", "0.13.0", "0.16.0",
                                       "0.18.0", "0.20.0", "0.26.0"};

static const struct said situations[][12] = {
    {{FACT_max_model_len, "131072"},
     {FACT_kv_available, "5.40 GiB"},
     {FACT_gpu_total, "79.18 GiB"},
     {FACT_gpu_memory_utilization, "0.9"},
     {FACT_max_num_batched_tokens, "8192"},
     {FACT_activation_peak, "4.76 GiB"},
     {FACT_engine, NULL}},
    {{FACT_max_model_len, "262144"},
     {FACT_kv_needed, "18.35 GiB"},
     {FACT_kv_available, "8.72 GiB"},
     {FACT_est_max_model_len, "121840"},
     {FACT_tensor_parallel, "2"},
     {FACT_engine, NULL}},
    {{FACT_max_model_len, "20000"},
     {FACT_kv_tokens, "10944"},
     {FACT_engine, NULL}},
    {{FACT_gpu_free, "31.44 GiB"},
     {FACT_gpu_total, "47.38 GiB"},
     {FACT_gpu_memory_utilization, "0.95"},
     {FACT_requested_bytes, "45.01 GiB"},
     {FACT_max_model_len, "1024"},
     {FACT_engine, NULL}},
    {{FACT_tried_alloc, "3.44 GiB"},
     {FACT_gpu_total, "79.14 GiB"},
     {FACT_gpu_free, "3.14 GiB"},
     {FACT_other_in_use, "11.35 GiB"},
     {FACT_pytorch_allocated, "63.97 GiB"},
     {FACT_pytorch_unallocated, "28.26 MiB"},
     {FACT_gpu_memory_utilization, "0.9"},
     {FACT_max_num_seqs, "256"},
     {FACT_max_num_batched_tokens, "8192"},
     {FACT_engine, NULL}},
    {{FACT_tried_alloc, "16384 MiB"},
     {FACT_context_length, "131072"},
     {FACT_gpu_free, "11.00 GiB"},
     {FACT_weights_bytes, "5.00 GiB"},
     {FACT_stage, "kv_alloc"},
     {FACT_engine, NULL}},
    {{FACT_tried_alloc, "13107 MiB"},
     {FACT_context_length, "131072"},
     {FACT_gpu_free, "11.00 GiB"},
     {FACT_stage, "profile"},
     {FACT_engine, NULL}},
    {{FACT_tried_alloc, "672 MiB"},
     {FACT_gpu_free, "200.75 MiB"},
     {FACT_gpu_total, "79.18 GiB"},
     {FACT_mem_fraction_static, "0.9"},
     {FACT_weights_bytes, "14.99 GiB"},
     {FACT_stage, "capture"},
     {FACT_engine, NULL}},
    {{FACT_tried_alloc, "29.92 GiB"},
     {FACT_gpu_free, "1.00 GiB"},
     {FACT_gpu_total, "79.18 GiB"},
     {FACT_stage, "optimizer"},
     {FACT_engine, NULL}},
    {{FACT_tried_tokens, "8192"},
     {FACT_available_tokens, "899840"},
     {FACT_swa_available_tokens, "3840"},
     {FACT_engine, NULL}},
    {{FACT_max_model_len, "32768"},
     {FACT_gpu_total, "79.18 GiB"},
     {FACT_gpu_memory_utilization, "0.9"},
     {FACT_weights_bytes, "14.99 GiB"},
     {FACT_activation_peak, "4.76 GiB"},
     {FACT_non_torch, "0.13 GiB"},
     {FACT_host_rss, "21.70 GiB"},
     {FACT_engine, NULL}},
};

static const char *const engines[] = {"vllm", "sglang", "llama.cpp"};

static size_t check_case(struct arena *a, const struct inputs *c) {
    struct formulas f = {0};
    size_t checked = 0;
    memory_kv(a, c, &f);
    demand_show_line(a, c, &f);
    memory_weights(a, c, &f, NULL);
    memory_budget(a, c, &f);
    for (size_t i = 0; i < f.count; i++) {
        checked += check_text(f.at[i]);
    }
    for (int what = 0; what <= SHORT_UNKNOWN; what++) {
        for (int effect = 0; effect < EFFECT_COUNT_OF; effect++) {
            struct estimate e =
                memory_effect(a, c, (enum shortage)what, (enum effect)effect);
            if (e.formula.n) {
                checked += check_text(e.formula);
            }
        }
    }
    return checked;
}

static void every_formula_gives_what_it_says(void **state) {
    (void)state;
    size_t checked = 0;
    for (size_t s = 0; s < sizeof situations / sizeof *situations; s++) {
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
                struct arena a;
                arena_init(&a, NULL, 0);
                struct inputs c =
                    case_of(versions[v], models[m], situations[s]);
                for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
                    c.engine = str_of(engines[e]);
                    checked += check_case(&a, &c);
                }
                arena_free(&a);
            }
        }
    }
    assert_true(checked > 1000);
}

static void a_wrong_formula_is_noticed(void **state) {
    (void)state;
    struct range v = reckon(STR("2 x 32 layers x 8 kv heads"), STR("512"));
    assert_true(v.low == 512 && v.high == 512);
    v = reckon(STR("(ceil(min(1,024 - 1 + 8,192, 4,096) / 16) + 1)"), STR(""));
    assert_true(v.low == 257);
    assert_false(overlap(reckon(STR("0.66 x 47.38 GiB"), STR("")),
                         reckon(STR("31.44 GiB"), STR(""))));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_formula_is_noticed),
        cmocka_unit_test(every_formula_gives_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
