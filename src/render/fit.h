/* fit.h: what `oomkb fit` answers: a fit, and others beside it. */
#ifndef RENDER_FIT_H
#define RENDER_FIT_H

#include "memory/releases.h"
#include "render/render.h"

struct fit_column { /* one value of --compare */
    struct str value;
    const struct fit *fit;
};

struct fit_sheet {
    const struct fit *fit;
    const struct fit *told; /* that people read of: fit, or one compared */
    struct str compared; /* the fact that differs; empty: nothing compared */
    const struct fit_column *columns;
    size_t column_count;
    struct release_steps steps; /* --compare engine_version: between them */
    const struct fit_point *points; /* --sweep max_model_len */
    size_t point_count;
};

#endif
