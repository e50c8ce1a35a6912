/* beside.c: opens the files that a linted file names.
 *
 *     .env, --env-file       the values of ${NAME} in a compose file
 *     .env.example           in place of .env, which is not published; reported
 *     env_file: vllm.env     the environment of a service
 *     extends: {file: base.yml, service: base}
 *     envFrom: a ConfigMap   in one of the files that are linted together
 *
 * Each file is opened once, through lint_options. A file that cannot be read is
 * remarked where it is named, and a line that docker compose refuses, where it
 * stands. */
#include "launch/workload.h"

#include "base/limits.h"

struct beside_file {
    struct str path;
    const struct source *src; /* NULL: it cannot be read */
    struct documents documents;
    bool is_parsed, is_reported; /* its YAML was parsed; its faults were
                                    reported */
};

void remark(struct beside *b, const char *check, struct span_of_file at,
            struct str what, struct str more) {
    struct remark_list *list = &b->remarks;
    *ARENA_ADD(b->a, list->at, list->count, list->cap) =
        (struct remark_of_file){check, at, {what, more}};
}

/* ---- opening ---- */

static struct str path_beside(struct arena *a, const struct source *from,
                              struct str path) {
    struct str folder = from != NULL ? from->path : STR("");
    if (str_starts(path, STR("/")))
        return path;
    while (folder.n > 0 && folder.p[folder.n - 1] != '/')
        folder.n--;
    return arena_printf(a, "%.*s%.*s", STR_ARG(folder), STR_ARG(path));
}

static struct beside_file *file_of(struct beside *b, struct str path) {
    for (size_t i = 0; i < b->file_count; i++)
        if (str_eq(b->files[i].path, path))
            return &b->files[i];
    if (b->file_count == LINT_BESIDE_MAX || b->o->open == NULL)
        return NULL;
    if (b->files == NULL)
        b->files = arena_array(b->a, LINT_BESIDE_MAX, sizeof *b->files);
    struct beside_file *file = &b->files[b->file_count++];
    struct str text;
    *file = (struct beside_file){.path = arena_str(b->a, path)};
    if (b->o->open(b->o->open_arg, b->a, file->path, &text))
        file->src = source_new(b->a, file->path, text);
    return file;
}

const struct source *beside_open(struct beside *b, const struct source *from,
                                 struct str path, struct span_of_file at,
                                 bool is_reported) {
    if (path.n == 0)
        return NULL;
    struct beside_file *file = file_of(b, path_beside(b->a, from, path));
    if (file != NULL && file->src != NULL)
        return file->src;
    if (is_reported && b->o->open != NULL)
        remark(b, "file_missing", at, path, STR(""));
    return NULL;
}

/* ---- NAME=value ---- */

/* Reads "a\"b" up to its closing quote. False: there is none. */
static bool read_quoted(struct arena *a, struct str text, struct str *value) {
    struct buf out = buf_in(a, text.n + 1);
    for (size_t i = 1; i < text.n; i++) {
        if (text.p[i] == text.p[0]) {
            *value = arena_str(a, buf_str(&out));
            return true;
        }
        bool is_escape = text.p[i] == '\\' && text.p[0] == '"' &&
                         i + 1 < text.n;
        buf_add_char(&out, text.p[is_escape ? ++i : i]);
    }
    return false;
}

static bool is_quoted_text(struct str text) {
    return text.n > 0 && (text.p[0] == '"' || text.p[0] == '\'');
}

/* Reads the value behind "=" or ":". False: a quote is not closed. */
static bool read_value(struct beside *b, struct str text,
                       const struct variables *scope, struct str *value) {
    bool is_quoted = is_quoted_text(text);
    size_t blank = str_find(text, STR(" #")), tab = str_find(text, STR("\t#"));
    if (!is_quoted) /* without a comment */
        *value = str_trim(str_slice(text, 0, blank < tab ? blank : tab));
    else if (!read_quoted(b->a, text, value))
        return false;
    if (!is_quoted || text.p[0] == '"')
        *value = variables_filled(b->a, scope, *value);
    return true;
}

/* Reads NAME=value. False: docker compose refuses the line. */
static bool read_pair(struct beside *b, struct str line,
                      const struct variables *scope, struct str *name,
                      struct str *value) {
    size_t n = 0;
    if (str_starts(line, STR("export ")))
        line = str_trim(str_from(line, 7));
    while (n < line.n && (is_word(line.p[n]) || is_any(line.p[n], ".-[]")))
        n++;
    *name = str_slice(line, 0, n);
    struct str rest = str_trim(str_from(line, n));
    if (n == 0)
        return false;
    if (rest.n == 0) { /* a name without a value: its value in the scope */
        variable_value(scope, *name, value);
        return true;
    }
    if (rest.p[0] != '=' && rest.p[0] != ':')
        return false;
    return read_value(b, str_trim(str_from(rest, 1)), scope, value);
}

/* The end of the line at `from`, and of the lines within the quotes of its
 * value. */
static size_t pair_end(struct str text, size_t from) {
    struct str rest, value, line = str_cut(str_from(text, from), '\n', &rest);
    size_t end = from + line.n;
    str_cut(line, '=', &value);
    value = str_trim(value);
    if (!is_quoted_text(value) || str_trim(line).p[0] == '#')
        return end;
    size_t begin = (size_t)(value.p - text.p);
    for (size_t i = begin + 1; i < text.n; i++) {
        i += text.p[i] == '\\' && value.p[0] == '"';
        if (i < text.n && text.p[i] == value.p[0])
            return i <= end ? end : line_end(text, i);
    }
    return end;
}

/* Bad lines are reported the first time that a file is read. Of a script that
 * is sourced before the start only plain assignments are read, without values
 * that a command prints. */
void env_file_read(struct beside *b, const struct source *src,
                   const struct variables *scope, struct setting_list *out) {
    struct beside_file *file = file_of(b, src->path);
    struct setting_list all = {0};
    struct variables known = {&all, true};
    bool is_script = str_ends(src->path, STR(".sh"));
    if (scope->names != NULL)
        settings_copy(b->a, &all, scope->names);
    for (size_t from = 0, end; from < src->text.n; from = end + 1) {
        struct str name, value = STR("");
        end = pair_end(src->text, from);
        struct span_of_file at = {from, end, src};
        struct str line = str_trim(str_slice(src->text, from, end - from));
        if (line.n == 0 || line.p[0] == '#')
            continue;
        if (!read_pair(b, line, &known, &name, &value)) {
            if (!is_script && file != NULL && !file->is_reported)
                remark(b, "bad_env_line", at, line, STR(""));
        } else if (!is_script || !STR_HAS_ONE(value, "$(", "`")) {
            setting_add(b->a, &all, name, value, at);
            setting_add(b->a, out, name, value, at);
        }
    }
    if (file != NULL)
        file->is_reported = true;
}

/* The first example file that is there; NULL: none. */
static const struct source *example_of(struct beside *b,
                                       const struct source *from,
                                       struct str path) {
    static const char *const ends[] = {".example", ".sample", ".template",
                                       ".dist", "-example"};
    const struct source *src = NULL;
    for (size_t i = 0; src == NULL && i < sizeof ends / sizeof *ends; i++)
        src = beside_open(
            b, from, arena_printf(b->a, "%.*s%s", STR_ARG(path), ends[i]),
            (struct span_of_file){0}, false);
    return src;
}

const struct source *env_file_open(struct beside *b,
                                   const struct source *from, struct str path,
                                   struct span_of_file at, bool is_reported) {
    const struct source *src = beside_open(b, from, path, at, false);
    if (src != NULL)
        return src;
    src = example_of(b, from, path);
    if (src == NULL)
        return beside_open(b, from, path, at, is_reported);
    remark(b, "example_values", at, path, src->path);
    return src;
}

void env_files_read(struct beside *b, const struct source *compose,
                    struct setting_list *out) {
    const char *const *names = b->o->env_files;
    const struct variables so_far = {out, true};
    const struct source *src = NULL;
    size_t at = str_find_char(compose->text, '$'); /* the first variable */
    if ((names == NULL || *names == NULL) && at < compose->text.n)
        src = env_file_open(b, compose, STR(".env"),
                            (struct span_of_file){at, at + 1, compose}, false);
    if (src != NULL)
        env_file_read(b, src, &so_far, out);
    for (; names != NULL && *names != NULL; names++) {
        src = beside_open(b, NULL, str_of(*names), (struct span_of_file){0},
                          false);
        if (src != NULL)
            env_file_read(b, src, &so_far, out);
    }
}

/* ---- YAML ---- */

static void parse_file(struct beside *b, struct beside_file *file) {
    struct complaints c = {.a = b->a, .scratch = b->a};
    if (file->is_parsed)
        return;
    file->is_parsed = true;
    file->documents = yaml_read_foreign(&c, file->src);
    if (c.errors == 0 || c.count == 0)
        return;
    const struct diag *d = &c.list[0];
    size_t at = source_byte(file->src, (struct place){d->line, d->column, 1});
    remark(b, "not_read", (struct span_of_file){at, at + 1, file->src},
           d->message, STR(""));
}

const struct node *service_elsewhere(struct beside *b,
                                     const struct source *src,
                                     struct str name,
                                     const struct node **services) {
    struct beside_file *file = file_of(b, src->path);
    if (file == NULL || file->src == NULL)
        return NULL;
    parse_file(b, file);
    *services = file->documents.count > 0
                    ? node_get(file->documents.at[0], "services") : NULL;
    return *services != NULL ? pair_named(*services, name) : NULL;
}

/* ---- ConfigMaps ---- */

static void config_map_add(struct arena *a, const struct node *root,
                           struct config_map **list, size_t *count,
                           size_t *cap) {
    const struct node *meta = member(root, "metadata");
    const struct node *data = member(root, "data");
    const struct node *items = member(root, "items"), *item;
    if (str_eq(scalar_of(member(root, "kind")), STR("List")))
        for (size_t i = 0; (item = node_item(items, i)) != NULL; i++)
            config_map_add(a, item, list, count, cap);
    if (!str_eq(scalar_of(member(root, "kind")), STR("ConfigMap")) ||
        data == NULL || data->kind != NODE_MAP)
        return;
    *ARENA_ADD(a, *list, *count, *cap) =
        (struct config_map){scalar_of(member(meta, "name")),
                            scalar_of(member(meta, "namespace")), data};
}

const struct config_maps *config_maps_of(struct arena *a,
                                         const struct lint_text *files,
                                         size_t count) {
    struct config_maps *maps = arena_alloc(a, sizeof *maps);
    struct config_map *list = NULL;
    size_t found = 0, cap = 0;
    for (size_t i = 0; i < count; i++) {
        struct complaints c = {.a = a, .scratch = a};
        if (str_find(files[i].text, STR("ConfigMap")) == files[i].text.n)
            continue;
        const struct source *src = source_new(a, files[i].path, files[i].text);
        struct documents all = yaml_read_foreign(&c, src);
        for (size_t n = 0; n < all.count; n++)
            config_map_add(a, all.at[n], &list, &found, &cap);
    }
    *maps = (struct config_maps){list, found};
    return maps;
}

const struct config_map *config_map_named(const struct beside *b,
                                          struct str name,
                                          struct str name_space) {
    const struct config_maps *maps = b->o->maps;
    for (size_t i = 0; maps != NULL && i < maps->count; i++) {
        const struct config_map *m = &maps->at[i];
        bool is_other = name_space.n > 0 && m->name_space.n > 0 &&
                        !str_eq(name_space, m->name_space);
        if (name.n > 0 && str_eq(m->name, name) && !is_other)
            return m;
    }
    return NULL;
}
