/* settings.c: reading versioned structs of the caller. A caller built against a
 * shorter struct gets defaults for further members; one built against a longer
 * struct is refused only if a further member is not 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"

#define MEMORY_DEFAULT ((uint64_t)256 << 20)

static void *standard_get(void *ctx, size_t bytes) {
    (void)ctx;
    return malloc(bytes);
}

static void standard_put(void *ctx, void *block) {
    (void)ctx;
    free(block);
}

const struct allocator standard_allocator = {standard_get, standard_put, NULL};

/* True if a byte behind the known members is not 0. */
static bool asks_for_unknown(const unsigned char *given, size_t known,
                             size_t n) {
    for (size_t i = known; i < n; i++)
        if (given[i] != 0)
            return true;
    return false;
}

static int refuse_struct(oomkb_error *err, const char *name,
                         const char *what) {
    char text[128];
    snprintf(text, sizeof text, "oomkb_%s%s", name, what);
    return error_set(err, OOMKB_ERROR_USAGE, text);
}

int sized_read(const void *given, void *known, size_t n, const char *name,
               oomkb_error *err) {
    uint32_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return refuse_struct(err, name, ": size is not set: it should be "
                                        "sizeof that struct");
    if (asks_for_unknown(given, n, size))
        return refuse_struct(err, name, " has fields set that this version "
                                        "of oomkb does not know");
    memset(known, 0, n);
    memcpy(known, given, size < n ? size : n);
    return OOMKB_OK;
}

bool lang_read(const char *lang, enum lang *out) {
    bool is_zh = lang != NULL && strcmp(lang, "zh") == 0;
    *out = is_zh ? LANG_ZH : LANG_EN;
    return lang == NULL || is_zh || strcmp(lang, "en") == 0;
}

static void apply(const oomkb_options *o, struct settings *s) {
    static const char *const no_answers[] = {NULL};
    uint64_t memory =
        o->max_memory_bytes != 0 ? o->max_memory_bytes : MEMORY_DEFAULT;
    *s = (struct settings){
        .show = {.lang = s->show.lang,
                 .width = o->width,
                 .top = o->top,
                 .color = o->color != 0,
                 .why = o->why != 0,
                 .all = o->all != 0,
                 .redact = o->redact != 0,
                 .version = str_of(OOMKB_VERSION)},
        .input_name = str_of(o->input_name != NULL ? o->input_name : "-"),
        .answers = o->answers != NULL ? o->answers : no_answers,
        .own_reports = o->own_reports != NULL ? o->own_reports : no_answers,
        .machine = o->machine != NULL ? o->machine : no_answers,
        .threads = o->threads,
        .max_input_bytes = o->max_input_bytes,
        .max_memory_bytes = memory < SIZE_MAX ? (size_t)memory : SIZE_MAX,
        .has_allocator = o->get_memory != NULL,
        .from = standard_allocator,
    };
    if (s->has_allocator)
        s->from = (struct allocator){o->get_memory, o->put_memory,
                                     o->memory_ctx};
}

int settings_read(const oomkb_options *o, struct settings *out,
                  oomkb_error *err) {
    oomkb_options known = {0};
    struct settings s = {0};
    int code = o == NULL ? OOMKB_OK
                         : sized_read(o, &known, sizeof known, "options", err);
    if (code != OOMKB_OK)
        return code;
    if (!lang_read(known.lang, &s.show.lang))
        return error_set(err, OOMKB_ERROR_USAGE,
                         "options.lang should be \"en\" or \"zh\"");
    if ((known.get_memory == NULL) != (known.put_memory == NULL))
        return error_set(err, OOMKB_ERROR_USAGE,
                         "options.get_memory and put_memory go together");
    apply(&known, &s);
    *out = s;
    return OOMKB_OK;
}
