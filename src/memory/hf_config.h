/* hf_config.h: what the parts of the config.json reader share. Private to
 * memory/; the entry point is hf_config_model() in shape.h. */
#ifndef MEMORY_HF_CONFIG_H
#define MEMORY_HF_CONFIG_H

#include "base/json.h"
#include "memory/shape.h"

#define NAMES 6
struct names { /* spellings of one field: the first that is there counts */
    const char *at[NAMES];
};

struct config {
    struct arena *a;
    struct json *top, *text; /* text: where the language model stands */
    struct str name;
    int64_t layers, hidden, heads, kv_heads, head_dim;
};

/* Whole numbers from 0 to a bound; others count as missing. */
int64_t hf_value(const struct config *c, const struct names *names,
                 int64_t otherwise);
int64_t hf_value_in(struct json *object, const char *name, int64_t otherwise);
/* The first that is there of several spellings; of one. */
#define ANY(c, otherwise, ...)                                                 \
    hf_value(c, &(struct names){{__VA_ARGS__}}, otherwise)
#define ONE(c, name, otherwise) hf_value(c, &(struct names){{name}}, otherwise)
bool hf_flag(const struct config *c, const char *name);
struct str hf_word(const struct config *c, const char *name);
bool hf_type_is(const struct config *c, const char *type); /* begins with */
/* Item i of a list under that name; NULL: there is none. */
struct json *hf_item(const struct config *c, const char *name, int64_t i);

/* What a layer of a kind keeps. */
struct kv_group hf_full_group(const struct config *c, int64_t layer);
struct kv_group hf_window_group(const struct config *c, enum kv_kind kind);
struct kv_group hf_state_group(const struct config *c);
struct kv_group hf_cross_group(const struct config *c);

/* All layers, one after another (hf_layer.c). */
void hf_add_layers(const struct config *c, struct model *m);

#endif
