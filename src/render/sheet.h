/* sheet.h: the Markdown that markdown.c and its parts write on. Private to
 * render/. What is written on it is cleaned and escaped, so that nothing from
 * a log becomes markup, HTML, a link or a mention. A paragraph is one line:
 * GitHub's comments and chats break where a line breaks. */
#ifndef RENDER_SHEET_H
#define RENDER_SHEET_H

#include "render/parts.h"

struct sheet {
    const struct teller *t;
    struct buf *out;
};

/* ---- blocks, each with a blank line before it ---- */
void sheet_blank(struct sheet *s);
void sheet_heading(struct sheet *s, int level, struct str text);
void sheet_text(struct sheet *s, struct str text); /* empty: nothing */
void sheet_quote(struct sheet *s, struct str text);
/* As it is, behind a fence longer than any run of backquotes in it. kind:
 * "sh", "text". indent: where it belongs to an item. */
void sheet_code(struct sheet *s, uint32_t indent, const char *kind,
                struct str code);

/* ---- pieces of a line ---- */
void sheet_raw(struct sheet *s, const char *markup); /* ours */
void sheet_put(struct sheet *s, struct str text);    /* `code` in it stays */
void sheet_strong(struct sheet *s, struct str text);
void sheet_span(struct sheet *s, struct str code);   /* as inline code */
void sheet_url(struct sheet *s, struct str https_url);
/* An entry's id: a link on a site, else code. */
void sheet_entry(struct sheet *s, struct str id);

/* markdown_fix.c: fixes and dead ends, in the order of the report */
void markdown_fixes(struct sheet *s, const struct report *rep,
                    const struct finding *f, bool is_main);

#endif
