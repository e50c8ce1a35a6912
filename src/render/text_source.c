/* text_source.c: where a finding's claims come from, in short: the version
 * rows that hold for the version found, and the first links. The whole list
 * is `oomkb explain`. */
#include "render/page.h"

#define LINKS_SHOWN 2

static const char *version_key(const struct version_line *v) {
    return v->is->status == RANGE_STATUS_fixed ? "report.version_fixed"
                                               : "report.version_affected";
}

static void write_version(struct page *p, const struct version_line *v) {
    bool is_told = v->in_range == RANGE_INSIDE && v->version.n > 0;
    struct str note = said_text(p->t, &v->is->note);
    if (!is_told || note.n == 0) {
        return;
    }
    struct str args[] = {v->is->range.product,
                         shown_short(p->t, v->version, 32), note};
    page_text(p, 0, INK_DIM, said_with(p->t, version_key(v), args, 3));
}

void text_sources(struct page *p, const struct finding *f) {
    const struct entry *e = f->entry;
    page_blank(p);
    for (size_t i = 0; i < f->version_count; i++) {
        write_version(p, &f->versions[i]);
    }
    if (e->evidence_count > 0) {
        page_text(p, 0, INK_DIM, said(p->t, "report.evidence"));
    }
    for (size_t i = 0; i < e->evidence_count && i < LINKS_SHOWN; i++) {
        page_text(p, 2, INK_DIM, e->evidence[i].url);
    }
    page_text(p, 0, INK_DIM, said_with(p->t, "report.explain", &e->id, 1));
}
