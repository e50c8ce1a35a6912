/* model.h: pages on models, as `oomkb site --html` has them: one model with
 * what it takes, or all of them. */
#ifndef RENDER_MODEL_H
#define RENDER_MODEL_H

#include "memory/releases.h"
#include "render/render.h"

struct model_on { /* a GPU, alone */
    const struct gpu *gpu;
    const struct fit *fit;
};

/* Releases of an engine that reckon alike; an end that is empty is open. Of an
 * engine whose rules are not known by release, the newest alone: until = from. */
struct model_kv {
    struct str engine, from, until;
    struct span per_token, request; /* bytes */
};

struct model_sheet {
    const struct model *model; /* NULL: a page of all */
    const struct fit *fit;     /* on no GPU, with every default */
    const struct model_on *on;
    size_t on_count;
    const struct model_kv *kv;
    size_t kv_count;
    struct release_steps steps; /* of vLLM, from the first release in kv on */
    const struct model_sheet *all; /* of a page of all, each with model, fit */
    size_t all_count;
};

/* "Qwen--Qwen2.5-7B-Instruct": the name of its page. */
struct str model_slug(struct arena *a, const struct model *m);

#endif
