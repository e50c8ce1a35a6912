/* tables.h: the nouns of a corpus (entry, engine, model ...) as SQL tables, for
 * search, and for users who open the index with sqlite3. Tables, columns and
 * their comments come from corpus/fields.h:
 *
 *     a noun             entry, engine, model ...: `number`, and a column a key
 *     a mapping in it    columns prefixed by its key: success_basis
 *     a text             a column a language: title_en, title_zh
 *     a list             a table of its own, prefixed by its owner's name:
 *                        entry_workarounds, entry_workarounds_cures; `number`
 *                        and `workarounds_at` are the place of a row
 *     a list of lines    the same, with one column: value
 *
 *     SELECT e.id, w.id, w.success_worked, w.success_tried
 *       FROM entry e JOIN entry_workarounds w USING (number);
 *
 * Numbers and places count from 0. An empty text is '', vocabularies are their
 * words, shares and rates are millionths (_micro; -1: not known). */
#ifndef INDEX_TABLES_H
#define INDEX_TABLES_H

#include "corpus/fields.h"
#include "index/db.h"

struct table;

/* Creates the tables of a noun and of the lists in it. */
struct table *table_new(struct db *db, const char *name,
                        const struct shape *shape);
void table_write(struct table *t, size_t number, const void *noun);

#endif
