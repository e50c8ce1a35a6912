/* web.h: the files of web/, as they are built into the program. Those that end
 * in .html are templates of pages (render/html.c), the others go into a site
 * as they are. */
#ifndef AUTHOR_WEB_H
#define AUTHOR_WEB_H

#include "base/str.h"

struct web_file {
    struct str name; /* "style.css" */
    struct str bytes;
    bool is_template;
};

size_t web_file_count(void);
struct web_file web_file(size_t i);
struct str web_template(const char *name); /* one that there is */

#endif
