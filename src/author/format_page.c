/* format_page.c: kb/FORMAT.md, from the tables of fields. Each shape is a
 * section with a table of its keys. A shape is described once, after the first
 * shape that uses it. */
#include "author/author.h"
#include "author/complain.h"
#include "base/limits.h"
#include "corpus/fields.h"

enum { SHAPES_MAX = 64 };

struct page {
    struct buf out;
    const struct shape *described[SHAPES_MAX];
    size_t described_count;
};

static const struct shape *const tops[] = {
    &shape_entry, &shape_engine, &shape_model_file, &shape_gpu_file,
    &shape_vocabulary, &shape_glossary, &shape_programs, &shape_fix_file,
    &shape_cause_file, &shape_rule_file, &shape_ranking_file};

static void put_words(struct page *p, const struct field *f) {
    const char *word;
    for (int i = 0; (word = field_word(f, i)) != NULL; i++)
        buf_printf(&p->out, "%s`%s`", i > 0 ? " " : " One of: ", word);
    buf_add_char(&p->out, '.');
}

static void put_doc(struct page *p, const char *doc) {
    for (; *doc != '\0'; doc++) {
        if (*doc == '|')
            buf_add_char(&p->out, '\\');
        buf_add_char(&p->out, *doc);
    }
}

/* A heading's anchor has dashes where the heading has blanks. */
static void put_link(struct page *p, const char *name) {
    struct str anchor = arena_swap(p->out.a, str_of(name), ' ', '-');
    buf_printf(&p->out, "[%s](#%.*s)", name, STR_ARG(anchor));
}

static void put_field(struct page *p, const struct field *f) {
    buf_printf(&p->out, "| `%s` | ", f->key);
    if (f->type == FIELD_LIST)
        buf_add(&p->out, STR("list of "));
    if (f->type == FIELD_LIST || f->type == FIELD_MAP)
        put_link(p, f->shape->name);
    else
        buf_printf(&p->out, "%s", field_type_name(f->type));
    buf_printf(&p->out, " | %s | ", f->is_required ? "yes" : "");
    put_doc(p, f->doc);
    if (f->type == FIELD_WORD || f->type == FIELD_CHOICE) {
        buf_add_char(&p->out, '.');
        put_words(p, f);
    }
    buf_add(&p->out, STR(" |\n"));
}

static bool was_described(struct page *p, const struct shape *shape) {
    for (size_t i = 0; i < p->described_count; i++)
        if (p->described[i] == shape)
            return true;
    if (p->described_count < SHAPES_MAX)
        p->described[p->described_count++] = shape;
    return false;
}

static void put_shape(struct page *p, const struct shape *shape, int level) {
    if (was_described(p, shape))
        return;
    buf_printf(&p->out, "\n%s %s\n\n%s\n\n", level == 0 ? "##" : "###",
               shape->name, shape->doc);
    buf_add(&p->out, STR("| key | takes | required | what it is |\n"
                         "| --- | --- | --- | --- |\n"));
    for (const struct field *f = field_written(shape->fields); f != NULL;
         f = field_written(f + 1))
        put_field(p, f);
    for (const struct field *f = field_written(shape->fields); f != NULL;
         f = field_written(f + 1))
        if (f->shape != NULL)
            put_shape(p, f->shape, level + 1);
}

static void put_types(struct page *p) {
    buf_add(&p->out, STR("\n## What values look like\n\n| word | it takes |\n"
                         "| --- | --- |\n"));
#define X(type, kind, name, doc)                                               \
    buf_printf(&p->out, "| %s | %s |\n", name, doc);
    FIELD_TYPES(X)
#undef X
}

struct str author_format_page(struct arena *a) {
    struct page p = {.described_count = 0};
    p.out = buf_in(a, FORMAT_PAGE_BYTES_MAX);
    buf_add(&p.out,
            STR("# The keys of the knowledge base\n\n"
                "Generated from the compiler's own table by `oomkb check "
                "--write-docs`; do not edit.\n[WRITING.md](WRITING.md) "
                "teaches how the keys play together.\n"));
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        put_shape(&p, tops[i], 0);
    put_types(&p);
    buf_add(&p.out,
            STR("\n## What is refused\n\n`oomkb check --codes` lists what "
                "the compiler can find wrong, `oomkb explain\nE012` says of "
                "one what is wrong, why, and how to put it right.\n"));
    buf_check(&p.out, "FORMAT.md");
    return arena_str(a, buf_str(&p.out));
}
