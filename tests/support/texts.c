/* texts.c: i18n/<lang>.yaml into an index, without the corpus compiler: a
 * broken entry must not break the tests of rendering. */
#include "support/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#include "match/match.h"

#define MESSAGES_MAX 4096
#define DEPTH_MAX 8

struct str root_path(struct arena *a, const char *path) {
    const char *root = getenv("OOMKB_ROOT");
    return arena_printf(a, "%s/%s", root != NULL ? root : ".", path);
}

struct str file_text(struct arena *a, struct str path) {
    FILE *f = fopen(path.p, "rb");
    if (f == NULL) {
        perror(path.p);
        abort();
    }
    struct buf bytes = buf_in(a, (size_t)64 << 20);
    char piece[4096];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, f)) > 0) {
        buf_add(&bytes, (struct str){piece, n});
    }
    fclose(f);
    return arena_str(a, buf_str(&bytes));
}

struct walk {
    struct arena *a;
    yaml_document_t *doc;
    enum lang lang;
    struct message *at;
    size_t count;
};

static struct str scalar(const yaml_node_t *n) {
    return (struct str){(const char *)n->data.scalar.value,
                        n->data.scalar.length};
}

static struct message *message_of(struct walk *w, struct str key) {
    for (size_t i = 0; i < w->count; i++) {
        if (str_eq(w->at[i].key, key)) {
            return &w->at[i];
        }
    }
    if (w->count == MESSAGES_MAX) {
        abort();
    }
    w->at[w->count].key = key;
    return &w->at[w->count++];
}

static void flatten(struct walk *w, yaml_node_t *map, struct str prefix,
                    int depth) {
    if (map == NULL || map->type != YAML_MAPPING_NODE || depth > DEPTH_MAX) {
        abort();
    }
    yaml_node_pair_t *p = map->data.mapping.pairs.start;
    for (; p < map->data.mapping.pairs.top; p++) {
        struct str key = scalar(yaml_document_get_node(w->doc, p->key));
        yaml_node_t *value = yaml_document_get_node(w->doc, p->value);
        struct str name =
            prefix.n == 0 ? arena_str(w->a, key)
                          : arena_printf(w->a, "%.*s.%.*s", STR_ARG(prefix),
                                         STR_ARG(key));
        if (value->type == YAML_SCALAR_NODE) {
            message_of(w, name)->text.in[w->lang] =
                arena_str(w->a, scalar(value));
        } else {
            flatten(w, value, name, depth + 1);
        }
    }
}

static void read_lang(struct walk *w, const char *path, enum lang lang) {
    struct str text = file_text(w->a, root_path(w->a, path));
    yaml_parser_t parser;
    yaml_document_t doc;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.p,
                                 text.n);
    if (!yaml_parser_load(&parser, &doc)) {
        fprintf(stderr, "%s: %s\n", path, parser.problem);
        abort();
    }
    w->lang = lang;
    w->doc = &doc;
    flatten(w, yaml_document_get_root_node(&doc), (struct str){NULL, 0}, 0);
    yaml_document_delete(&doc);
    yaml_parser_delete(&parser);
}

static int by_key(const void *a, const void *b) {
    return str_cmp(((const struct message *)a)->key,
                   ((const struct message *)b)->key);
}

struct str index_of_entries(struct arena *a, struct entry *entries,
                            size_t count) {
    struct walk w = {.a = a,
                     .at = arena_array(a, MESSAGES_MAX, sizeof *w.at)};
    read_lang(&w, "i18n/en.yaml", LANG_EN);
    read_lang(&w, "i18n/zh.yaml", LANG_ZH);
    qsort(w.at, w.count, sizeof *w.at, by_key);
    struct corpus c = {
        .entries = entries,
        .entry_count = count,
        .messages = w.at,
        .message_count = w.count,
    };
    struct pattern_list patterns = corpus_patterns(a, &c);
    for (size_t i = 0; i < patterns.count; i++)
        pattern_analyze(a, &patterns.at[i]);
    return index_write(a, &c, &patterns, scan_rules_build(a, &patterns));
}

struct reader *texts_reader(struct arena *a) {
    return reader_new(index_open(a, index_of_entries(a, NULL, 0)), a);
}
