/* search_words.c: splitting text into words. Chinese has no blanks, so a run of
 * Han characters is indexed by its overlapping pairs: a word of two characters
 * is then found anywhere, and a longer one as a phrase of pairs. Other words
 * are left to SQLite's tokenizer, which splits at everything but letters and
 * digits. */
#include "index/search.h"

#include "base/utf8.h"

static bool is_han(uint32_t cp) {
    return (cp >= 0x3400 && cp <= 0x9fff) || /* Han */
           (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0x20000 && cp <= 0x3ffff) ||
           (cp >= 0x3041 && cp <= 0x30ff) || /* kana */
           (cp >= 0xac00 && cp <= 0xd7a3);   /* Hangul */
}

/* True for blanks, control characters, marks beyond ASCII, and the quote, which
 * is syntax of FTS5. */
static bool separates_words(uint32_t cp) {
    return cp <= ' ' || cp == '"' || (cp >= 0x7f && cp <= 0xbf) ||
           (cp >= 0x2000 && cp <= 0x303f) || (cp >= 0xfe30 && cp <= 0xfe6f) ||
           (cp >= 0xff00 && cp <= 0xff0f) || (cp >= 0xff1a && cp <= 0xff20) ||
           cp == 0xfffd || cp == 0xfeff;
}

static size_t skip_marks(struct str s) {
    size_t at = 0;
    while (at < s.n) {
        uint32_t cp = 0;
        size_t n = utf8_next(str_slice(s, at, s.n), &cp);
        if (!separates_words(cp))
            break;
        at += n;
    }
    return at;
}

/* Bytes of the word at the front of s. *has_letter: it has a character that the
 * tokenizer keeps. */
static size_t word_bytes(struct str s, bool of_han, bool *has_letter) {
    size_t at = 0;
    *has_letter = false;
    while (at < s.n) {
        uint32_t cp = 0;
        size_t n = utf8_next(str_slice(s, at, s.n), &cp);
        if (separates_words(cp) || is_han(cp) != of_han)
            break;
        *has_letter = *has_letter || cp >= 0x80 || is_letter((char)cp) ||
                      is_digit((char)cp);
        at += n;
    }
    return at;
}

bool search_next(struct str *rest, struct search_word *word) {
    bool has_letter = false;
    while (!has_letter) {
        *rest = str_slice(*rest, skip_marks(*rest), rest->n);
        if (rest->n == 0)
            return false;
        uint32_t cp = 0;
        utf8_next(*rest, &cp);
        word->is_han = is_han(cp);
        size_t n = word_bytes(*rest, word->is_han, &has_letter);
        word->text = str_slice(*rest, 0, n);
        *rest = str_slice(*rest, n, rest->n);
    }
    return true;
}

void search_pairs(struct buf *out, struct str run, bool is_stored) {
    uint32_t cp = 0;
    size_t first = utf8_next(run, &cp);
    bool is_alone = first == run.n;
    while (first < run.n) {
        size_t second = utf8_next(str_slice(run, first, run.n), &cp);
        buf_add(out, str_slice(run, 0, first + second));
        run = str_slice(run, first, run.n);
        first = second;
        if (first < run.n)
            buf_add_char(out, ' ');
    }
    if (is_stored && !is_alone)
        buf_add_char(out, ' ');
    if (is_stored || is_alone)
        buf_add(out, run);
}
