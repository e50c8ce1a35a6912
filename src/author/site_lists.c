/* site_lists.c: files of a site for programs: search.json for the search page,
 * sitemap.xml and robots.txt for crawlers, llms.txt for language models. */
#include "author/site.h"

#include "api/handles.h"
#include "base/json.h"
#include "corpus/fields.h"

/* ---- search ---- */

/* The first line of each sample, so that messages are found, too. */
static struct str messages_of(struct making *m, const struct entry *e) {
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    for (size_t i = 0; i < e->signature_count; i++) {
        struct str rest;
        buf_add(&out, str_cut(str_trim(e->signatures[i].sample), '\n', &rest));
        buf_add_char(&out, ' ');
    }
    return arena_str(m->a, buf_str(&out));
}

void site_add_search(struct making *m, const struct listing *list,
                     const struct site_models *models) {
    struct arena *a = m->a;
    struct json *rows = json_new_array(a);
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *e = list->at[i].entry;
        struct str title = text_in(a, m->o.lang, &e->title);
        struct str cause = text_in(a, m->o.lang, &e->root_cause);
        struct str words = messages_of(m, e);
        json_push(rows, JSON_OBJECT(a, {"id", json_text(a, e->id)},
                                    {"title", json_text(a, title)},
                                    {"text", json_text(a, cause)},
                                    {"words", json_text(a, words)}));
    }
    for (size_t i = 0; i < models->count; i++) {
        const struct model *model = models->at[i].model;
        struct str id = arena_printf(a, "models/%.*s",
                                     STR_ARG(model_slug(a, model)));
        json_push(rows, JSON_OBJECT(a, {"id", json_text(a, id)},
                                    {"title", json_text(a, model->id)}));
    }
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    json_write(rows, false, &out);
    buf_add_char(&out, '\n');
    site_add(m, arena_printf(m->a, "%s/search.json", lang_name(m->o.lang)),
             &out);
}

/* ---- sitemap ---- */

static struct str address_in(struct making *m, enum lang lang,
                             struct str rest) {
    return site_address(m, arena_printf(m->a, "%s/%.*s", lang_name(lang),
                                        STR_ARG(rest)));
}

static void add_sitemap(struct making *m) {
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    buf_add(&out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset "
                      "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" "
                      "xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n"));
    for (size_t i = 0; i < m->pages.count; i++) {
        struct str rest, path = m->pages.at[i].path;
        str_cut(path, '/', &rest);
        if (!str_ends(path, STR(".html")) || rest.n == 0)
            continue;
        buf_printf(&out, "<url><loc>%.*s</loc>",
                   STR_ARG(site_address(m, path)));
        for (int l = 0; l < LANG_COUNT_OF; l++)
            buf_printf(&out, "<xhtml:link rel=\"alternate\" "
                       "hreflang=\"%s\" href=\"%.*s\"/>",
                       lang_name((enum lang)l),
                       STR_ARG(address_in(m, (enum lang)l, rest)));
        buf_add(&out, STR("</url>\n"));
    }
    buf_add(&out, STR("</urlset>\n"));
    site_add(m, STR("sitemap.xml"), &out);
    buf_clear(&out);
    struct buf robots = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    buf_printf(&robots, "User-agent: *\nAllow: /\nSitemap: %.*s/sitemap.xml\n",
               STR_ARG(m->wishes->base_url));
    site_add(m, STR("robots.txt"), &robots);
}

/* ---- llms.txt ---- */

static void add_llms(struct making *m, const struct listing *list) {
    static const char *const names[] = {"README.md", "index.json",
                                        "models/README.md"};
    static const char *const keys[] = {"list.all", "site.index",
                                       "site.models"};
    struct note what = {.key = "site.home_what"};
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    buf_printf(&out, "# oomkb\n\n> %.*s\n",
               STR_ARG(say(m->a, m->r, LANG_EN, &what)));
    for (int l = 0; l < LANG_COUNT_OF; l++) {
        enum lang lang = (enum lang)l;
        struct note name = {.key = "site.language"};
        buf_printf(&out, "\n## %.*s\n\n",
                   STR_ARG(say(m->a, m->r, lang, &name)));
        for (size_t i = 0; i < 3; i++) {
            struct note about = {.key = keys[i]};
            struct str path =
                arena_printf(m->a, "%s/%s", lang_name(lang), names[i]);
            buf_printf(&out, "- [%.*s](%.*s)\n",
                       STR_ARG(say(m->a, m->r, lang, &about)),
                       STR_ARG(site_address(m, path)));
        }
    }
    struct note entries = {.key = "list.all"};
    buf_printf(&out, "\n## %.*s\n\n",
               STR_ARG(say(m->a, m->r, LANG_EN, &entries)));
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *e = list->at[i].entry;
        buf_printf(&out, "- [%.*s](%.*s.md): %.*s\n", STR_ARG(e->id),
                   STR_ARG(address_in(m, LANG_EN, e->id)),
                   STR_ARG(text_in(m->a, LANG_EN, &e->title)));
    }
    site_add(m, STR("llms.txt"), &out);
}

void site_add_lists(struct making *m, const struct listing *list) {
    add_sitemap(m);
    add_llms(m, list);
}
