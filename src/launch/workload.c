/* workload.c: makes and searches the structures of workload.h. */
#include "launch/workload.h"

struct workload *workload_new(struct arena *a, struct workload_list *list,
                              struct str name, struct span_of_file at) {
    struct workload *w = ARENA_ADD(a, list->at, list->count, list->cap);
    *w = (struct workload){.name = name, .at = at};
    return w;
}

void word_add(struct arena *a, struct word_list *list, struct str text,
              struct span_of_file at) {
    *ARENA_ADD(a, list->at, list->count, list->cap) =
        (struct lint_word){text, at};
}

struct str word_at(const struct word_list *list, size_t i) {
    return i < list->count ? list->at[i].text : STR("");
}

struct workload *workload_copy(struct arena *a, const struct workload *w) {
    struct workload *copy = arena_alloc(a, sizeof *copy);
    *copy = *w;
    copy->words = (struct word_list){0};
    words_copy(a, &copy->words, &w->words, 0);
    return copy;
}

size_t line_end(struct str text, size_t at) {
    return at + str_find_char(str_from(text, at), '\n');
}

size_t closing_at(struct str text, size_t at, char close) {
    int depth = 0;
    for (size_t i = at; i < text.n; i++) {
        depth += text.p[i] == text.p[at];
        depth -= text.p[i] == close;
        if (depth == 0)
            return i;
    }
    return text.n;
}

void words_split(struct arena *a, struct word_list *list, struct str text,
                 struct span_of_file at) {
    while (text.n > 0) {
        struct str word = str_trim(str_cut(text, ' ', &text));
        if (word.n > 0)
            word_add(a, list, word, at);
    }
}

void words_copy(struct arena *a, struct word_list *list,
                const struct word_list *from, size_t first) {
    for (size_t i = first; i < from->count; i++)
        word_add(a, list, from->at[i].text, from->at[i].at);
}

void setting_add(struct arena *a, struct setting_list *list, struct str name,
                 struct str value, struct span_of_file at) {
    *ARENA_ADD(a, list->at, list->count, list->cap) =
        (struct lint_setting){name, value, at};
}

void settings_copy(struct arena *a, struct setting_list *list,
                   const struct setting_list *from) {
    for (size_t i = 0; i < from->count; i++)
        setting_add(a, list, from->at[i].name, from->at[i].value,
                    from->at[i].at);
}

void words_mounted(struct arena *a, struct word_list *words, struct str host,
                   struct str inside) {
    if (host.n == 0 || inside.n < 2 || inside.p[0] != '/')
        return;
    for (size_t i = 0; i < words->count; i++) {
        struct str *text = &words->at[i].text;
        struct str behind = str_slice(*text, inside.n, text->n);
        if (str_starts(*text, inside) &&
            (behind.n == 0 || behind.p[0] == '/'))
            *text = arena_printf(a, "%.*s%.*s", STR_ARG(host), STR_ARG(behind));
    }
}

bool word_is_script_option(struct str word) {
    return word.n >= 2 && word.n <= 5 && word.p[0] == '-' &&
           word.p[word.n - 1] == 'c' && word.p[1] != '-';
}

struct str path_base(struct str path) {
    while (str_find_char(path, '/') < path.n)
        str_cut(path, '/', &path);
    return path;
}

bool word_is_shell(struct str word) {
    return STR_IS_ONE(path_base(word), "sh", "bash", "dash", "ash", "zsh");
}

struct option_word option_at(const struct word_list *words, size_t i) {
    struct option_word it;
    it.name = str_cut(words->at[i].text, '=', &it.value);
    if (it.name.n == words->at[i].text.n && i + 1 < words->count)
        it.value = words->at[i + 1].text;
    return it;
}

struct str option_value(const struct word_list *words,
                        const char *const *names) {
    for (size_t i = 0; i < words->count; i++) {
        struct option_word o = option_at(words, i);
        if (str_in(o.name, names))
            return o.value;
    }
    return STR("");
}

const struct lint_setting *setting_find(const struct setting_list *list,
                                        struct str name) {
    for (size_t i = list->count; i > 0; i--)
        if (str_eq(list->at[i - 1].name, name))
            return &list->at[i - 1];
    return NULL;
}

struct span_of_file node_bytes(const struct node *scalar) {
    const struct source *src = scalar->src;
    struct place end = {scalar->end_line, scalar->end_column, 1};
    size_t from = source_byte(src, scalar->place);
    size_t to = source_byte(src, end);
    while (to > from && (src->text.p[to - 1] == '\n' ||
                         src->text.p[to - 1] == ' '))
        to--;
    return (struct span_of_file){from, to, src};
}

struct place place_of_bytes(struct span_of_file at) {
    struct place place = source_place(at.src, at.from);
    struct place end = source_place(at.src, at.to);
    if (end.line == place.line && end.column > place.column)
        place.width = end.column - place.column;
    return place;
}

const struct node *member(const struct node *map, const char *key) {
    const struct node *found = node_get(map, key);
    const struct node *base = node_get(map, "<<");
    if (found != NULL || base == NULL)
        return found;
    if (base->kind == NODE_MAP)
        return base == map ? NULL : member(base, key);
    for (size_t i = 0; found == NULL && i < base->count; i++)
        found = member(node_item(base, i), key);
    return found;
}

const struct pair *pair_item(const struct node *map, size_t i) {
    bool is_there = map != NULL && map->kind == NODE_MAP && i < map->count;
    return is_there ? &map->pairs[i] : NULL;
}

const struct node *pair_named(const struct node *map, struct str name) {
    const struct pair *pair;
    for (size_t i = 0; (pair = pair_item(map, i)) != NULL; i++)
        if (name.n > 0 && str_eq(pair->key->text, name))
            return pair->value;
    return NULL;
}

struct str scalar_of(const struct node *n) {
    return n != NULL && n->kind == NODE_SCALAR ? n->text : STR("");
}

/* ---- scalars ---- */

struct str node_text(const struct launch_file *f, const struct node *n) {
    return f->scope != NULL ? variables_filled(f->a, f->scope, scalar_of(n))
                            : scalar_of(n);
}

void node_word(const struct launch_file *f, struct word_list *words,
               const struct node *n) {
    struct str text = node_text(f, n);
    if (text.n > 0)
        word_add(f->a, words, text, node_bytes(n));
}

void node_option(const struct launch_file *f, struct word_list *words,
                 const char *flag, const struct node *n) {
    if (scalar_of(n).n > 0)
        word_add(f->a, words, str_of(flag), node_bytes(n));
    node_word(f, words, n);
}

void node_key(const struct launch_file *f, struct workload *w,
              const char *name, const struct node *n) {
    struct str text = node_text(f, n);
    if (text.n > 0)
        setting_add(f->a, &w->keys, str_of(name), text, node_bytes(n));
}

bool pair_at(const struct node *env, size_t i, struct env_pair *out) {
    const struct node *value =
        env->kind == NODE_LIST ? env->items[i] : env->pairs[i].value;
    bool is_text = value->kind == NODE_SCALAR;
    if (env->kind == NODE_LIST) {
        out->name = str_cut(scalar_of(value), '=', &out->value);
        out->at = node_bytes(value);
        return is_text;
    }
    out->name = env->pairs[i].key->text;
    out->value = scalar_of(value);
    out->at = node_bytes(is_text ? value : env->pairs[i].key);
    return true;
}

/* ---- programs that name an engine but start none ---- */

bool word_is_client(const struct engine_words *engines, struct str word) {
    for (size_t i = 0; i < engines->clients.count; i++) {
        struct str client = engines->clients.at[i];
        size_t at = str_find(word, client), end = at + client.n;
        if (at < word.n && (at == 0 || !is_word(word.p[at - 1])) &&
            (end == word.n || !is_word(word.p[end])))
            return true;
    }
    return false;
}
