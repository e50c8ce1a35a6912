/* web.c: the files of web.def. web.S includes their bytes. */
#include "author/site.h"

#define WEB(name, path) extern const char web_##name[], web_##name##_end[];
#include "author/web.def"
#undef WEB

static const struct {
    const char *path, *from, *to;
} files[] = {
#define WEB(name, path) {path, web_##name, web_##name##_end},
#include "author/web.def"
#undef WEB
};

size_t web_file_count(void) {
    return sizeof files / sizeof *files;
}

struct web_file web_file(size_t i) {
    struct str name, path = str_of(files[i].path);
    str_cut(path, '/', &name);
    size_t n = (size_t)(files[i].to - files[i].from);
    return (struct web_file){name, {files[i].from, n},
                             str_ends(name, STR(".html"))};
}

struct str web_template(const char *name) {
    for (size_t i = 0; i < web_file_count(); i++)
        if (str_eq(web_file(i).name, str_of(name)))
            return web_file(i).bytes;
    return STR("");
}
