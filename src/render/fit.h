/* fit.h: what `oomkb fit` answers, as text. One table of formats, one file
 * per format, apart from those of reports: a fit has no findings. */
#ifndef RENDER_FIT_H
#define RENDER_FIT_H

#include "memory/fit.h"
#include "render/render.h"

struct fit_column { /* one value of --compare */
    struct str value;
    const struct fit *fit;
};

struct fit_sheet {
    const struct fit *fit;
    struct str compared; /* the fact that differs; empty: nothing compared */
    const struct fit_column *columns;
    size_t column_count;
    const struct fit_point *points; /* --sweep max_model_len */
    size_t point_count;
};

struct fit_format {
    const char *name;
    void (*write)(struct arena *a, struct reader *r,
                  const struct fit_sheet *sheet,
                  const struct render_options *o, struct buf *out);
};

extern const struct fit_format fit_formats[]; /* ends with name NULL */
const struct fit_format *fit_format_named(struct str name);

void text_fit(struct arena *a, struct reader *r, const struct fit_sheet *sheet,
              const struct render_options *o, struct buf *out);
void json_fit(struct arena *a, struct reader *r, const struct fit_sheet *sheet,
              const struct render_options *o, struct buf *out);
void jsonl_fit(struct arena *a, struct reader *r,
               const struct fit_sheet *sheet, const struct render_options *o,
               struct buf *out);
void markdown_fit(struct arena *a, struct reader *r,
                  const struct fit_sheet *sheet,
                  const struct render_options *o, struct buf *out);

#endif
