/* wrap.c: tells a line cut at a width from one wrapped at a blank, and both
 * from two separate lines.
 *
 *     ...max seq len (32768), 8.0|      cut at W columns, inside a token:
 *     0 GiB KV cache is needed, w|      joined
 *     ...larger than the available|     cut at a blank: a pattern's blank
 *     KV cache memory              |    matches the newline, nothing to do
 *
 * A wrong join is worse than a missed one, so all of this must hold:
 * - The line before is exactly W wide, and no line near is wider, unless text
 *   was cut at W before.
 * - W is a usual width, or text was cut at W before, or a second line near is
 *   W wide.
 * - The seam lies inside a word or a number.
 * - The two lines do not begin alike (rows of a table, lines of one logger).
 * - The text is not wrapped at blanks and W wide by chance: the words on both
 *   sides of the seam are not two known words, and the line before does not
 *   itself begin with a word that did not fit above.
 * - If two lines of one width are the only evidence, the word that the seam
 *   cuts is a known one (wrap_words.def).
 */
#include "log/wrap.h"

#include <string.h>

#include "base/utf8.h"
#include "log/cursor.h"
#include "base/plain.h"

#define WIDTH_LEAST 40
#define FILLED_LEAST 68 /* with the next word */
#define LONG_LABEL 12 /* a first word this long before a colon is a label */
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const uint32_t usual_widths[] = {60,  64,  70,  72,  76,  78,  79,
                                        80,  90,  100, 110, 120, 128, 130,
                                        132, 140, 150, 160, 180, 200};

static const char *const word_lines[] = {
#include "log/wrap_words.def"
};

/* Behind these words a sentence may continue with a capital. */
static const char *const joining_words[] = {
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has",
    "have", "in", "is", "of", "on", "or", "than", "the", "to", "was", "with",
    NULL};

/* A line that begins with one of these continues no other line. */
static const char *const first_words[] = {
    "error", "fatal", "from", "import", "killed", "panic", "raise", "return",
    "self", "terminate", "terminating", "warning", "what", NULL};

/* Compares s, in small letters, with the first word of a line of the list. */
static int compare_word(struct str s, const char *line) {
    size_t i = 0;
    while (i < s.n && line[i] > ' ' && to_lower(s.p[i]) == line[i])
        i++;
    return (i < s.n ? (unsigned char)to_lower(s.p[i]) : 0) -
           (line[i] > ' ' ? (unsigned char)line[i] : 0);
}

static bool is_known(struct str word) {
    size_t from = 0, to = COUNT(word_lines);
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (compare_word(word, word_lines[middle]) >= 0)
            from = middle;
        else
            to = middle;
    }
    struct str rest = str_of(word_lines[from]);
    while (rest.n > 0)
        if (str_eq_nocase(word, str_cut(rest, ' ', &rest)))
            return true;
    return false;
}



static bool is_usual(uint32_t width) {
    for (size_t i = 0; i < COUNT(usual_widths); i++)
        if (usual_widths[i] == width)
            return true;
    return false;
}

static uint32_t width_of(struct str s) {
    if (s.n > 4 * WRAP_WIDTH_MAX)
        return 0;
    if (plain_is_printable(s))
        return s.n <= WRAP_WIDTH_MAX ? (uint32_t)s.n : 0;
    size_t columns = utf8_width(s);
    return columns <= WRAP_WIDTH_MAX ? (uint32_t)columns : 0;
}

/* The letters, digits and '_' at the front. */
static struct str first_word(struct str s) {
    size_t n = 0;
    while (n < s.n && is_word(s.p[n]))
        n++;
    return str_slice(s, 0, n);
}

static bool is_plain_word(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_letter(s.p[i]))
            return false;
    return s.n > 0;
}

static bool goes_on_letter(char a, struct str text, bool is_strong) {
    char b = text.p[0], next = text.n > 1 ? text.p[1] : '\0';
    bool is_unit = a == 'i' && b == 'B' && !is_word(next); /* "Gi|B" */
    if (is_letter(b))
        return is_lower(b) || is_strong || !is_lower(a) || is_unit;
    if (b == '`')
        return next != '\0' && !is_word(next) && next != '`';
    if (b == '-')
        return is_strong || is_letter(next);
    return strchr("_.,:;)]}%'\"", b) || (is_strong && strchr("/=\\", b));
}

static bool goes_on_digit(struct str text) {
    if (text.p[0] == '/')
        return text.n > 1 && is_digit(text.p[1]);
    return is_digit(text.p[0]) || strchr(".,:)]}%_'\"", text.p[0]);
}

/* True if one blank stood at the seam. */
static bool is_blank_seam(char a, struct str text) {
    char next = text.n > 1 ? text.p[1] : '\0';
    return text.p[0] == ' ' ? a != ' ' && next != ' ' && next != '\t'
                            : text.p[0] != '\t';
}

/* a is no letter, no digit and no closing bracket. */
static bool goes_on_mark(char a, struct str text, bool is_strong) {
    char b = text.p[0];
    if (is_strong && strchr("\"'", a) && strchr(".,:;)", b))
        return true;
    if (a == '-' && b == '-')
        return text.n > 1 && is_letter(text.p[1]); /* a flag */
    if (is_digit(b))
        return strchr(".,_-=/(['\"", a) != NULL;
    bool opens = strchr("_-/=(<[{'\"`\\", a) != NULL;
    if (is_word(b))
        return opens || (a == '.' && is_lower(b));
    return is_strong && (a == '_' || opens) && strchr("/=\\", b) != NULL;
}

/* True if a and the text's first byte can be neighbours inside one word,
 * number, path or name. A letter beside a digit is more often "Process 12" or
 * "23.69 GiB", wrapped. */
static bool is_inside_token(char a, struct str text, bool is_strong) {
    char b = text.p[0];
    if (a == ' ' || b == ' ')
        return is_strong && is_blank_seam(a, text);
    if (is_digit(a))
        return goes_on_digit(text);
    if (a == ')' || a == ']')
        return strchr(".,:;)", b) != NULL;
    if (is_letter(a))
        return !is_digit(b) && goes_on_letter(a, text, is_strong);
    return goes_on_mark(a, text, is_strong);
}

bool wrap_may_cut(char before, struct str text) {
    return is_inside_token(before, text, true);
}

static char class_of(char c) {
    return is_digit(c) ? '0' : is_letter(c) ? 'a' : c;
}

/* True if both lines begin with the same classes of characters, and the letters
 * of the first three are the same. */
static bool begins_alike(const struct wrap_line *before, struct str text) {
    for (size_t i = 0; i < WRAP_HEAD; i++) {
        char here = i < text.n ? text.p[i] : '\0';
        if (before->head[i] != here &&
            class_of(before->head[i]) != class_of(here))
            return false;
        if (is_letter(here) && is_letter(before->head[i]) && i < 3 &&
            to_lower(here) != to_lower(before->head[i]))
            return false;
    }
    return true;
}

/* True for "llama_model_loader: ...", "initialization: ...": a line of its own.
 */
static bool has_label(struct str text) {
    struct str word = first_word(text);
    bool has_colon = str_starts(str_slice(text, word.n, 2), STR(": "));
    return has_colon && (word.n >= LONG_LABEL ||
                         str_find_char(word, '_') < word.n);
}

/* The same, unless the label began on the line before: "RESO|URCE_". */
static bool has_own_label(char before, struct str text) {
    bool is_name = is_letter(before) && is_letter(text.p[0]) &&
                   !is_lower(before) && !is_lower(text.p[0]);
    return has_label(text) && !is_name;
}

static bool was_seen(const struct wrap_widths *widths, uint32_t width) {
    return widths->seen[width] > widths->least;
}

static bool was_wider(const struct wrap_widths *widths, uint32_t width) {
    for (size_t i = 0; i < WRAP_RECENT; i++)
        if (widths->recent[i] > width &&
            widths->recent_place[i] >= widths->least)
            return true;
    return false;
}

static struct str word_before(const struct wrap_line *before) {
    bool is_whole = before->is_word_plain &&
                    before->word_length <= WRAP_WORD_MAX;
    return (struct str){before->word, is_whole ? before->word_length : 0};
}

/* True if the words on both sides of the seam are together a known word. */
static bool is_word_cut(const struct wrap_line *before, struct str text) {
    char whole[2 * WRAP_WORD_MAX];
    struct str front = word_before(before), rest = first_word(text);
    if (front.n == 0 || rest.n > WRAP_WORD_MAX)
        return false;
    memcpy(whole, front.p, front.n);
    memcpy(whole + front.n, rest.p, rest.n);
    return is_known((struct str){whole, front.n + rest.n});
}

/* True if two whole words meet at the seam: the text was wrapped at a blank,
 * and is W wide by chance. */
static bool is_between_words(const struct wrap_line *before, struct str text) {
    struct str front = word_before(before), rest = first_word(text);
    if (!is_letter(before->last) || !is_plain_word(rest) || !is_known(rest) ||
        is_word_cut(before, text))
        return false;
    bool is_long = front.n == 0 && rest.n >= 3 && before->word_length >= 4;
    return is_long || is_known(front);
}

/* True for a drawn line: one mark fills its beginning and stands at its end. */
static bool is_ruler(const struct wrap_line *before) {
    char mark = before->head[0];
    if (is_letter(mark) || is_digit(mark) || before->last != mark)
        return false;
    for (size_t i = 1; i < WRAP_HEAD; i++)
        if (before->head[i] != mark)
            return false;
    return true;
}

/* True if these are two separate lines, whatever their widths. */
static bool is_apart(const struct wrap_line *before, struct str text) {
    return text.n == 0 || is_ruler(before) ||
           has_own_label(before->last, text) || before->is_word_wrapped ||
           is_between_words(before, text) ||
           (!before->is_joined && begins_alike(before, text));
}

/* True if two lines of one unusual width are the only evidence of a cut, and
 * the seam lies between letters that are no known word. */
static bool is_chance(const struct wrap_widths *widths,
                      const struct wrap_line *before, struct str text,
                      uint32_t width) {
    uint32_t cut = before->width;
    if (width != cut || was_seen(widths, cut) || before->is_joined ||
        before->is_same_width || is_usual(cut) ||
        is_usual(before->text_width))
        return false;
    return is_letter(before->last) && is_letter(text.p[0]) &&
           !is_word_cut(before, text);
}

/* True if the widths and the bytes at the seam allow a cut. */
static bool may_be_cut(const struct wrap_widths *widths,
                       const struct wrap_line *before, struct str text,
                       uint32_t width) {
    uint32_t cut = before->width;
    bool is_sure = was_seen(widths, cut) || before->is_joined;
    bool is_strong = is_sure || before->is_same_width || width == cut;
    bool is_likely = is_strong || is_usual(cut) || is_usual(before->text_width);
    bool is_blank = before->last == ' ' || text.p[0] == ' ';
    if (is_blank && !is_sure)
        return false; /* rows of a table have one width, too */
    return is_likely && is_inside_token(before->last, text, is_strong);
}

static bool is_cut(const struct wrap_widths *widths,
                   const struct wrap_line *before, struct str text,
                   uint32_t width) {
    uint32_t cut = before->width;
    if (cut < WIDTH_LEAST || width == 0 || width > cut ||
        !may_be_cut(widths, before, text, width))
        return false;
    return (was_seen(widths, cut) || !was_wider(widths, cut)) &&
           !is_apart(before, text) && !is_chance(widths, before, text, width);
}

/* True if the line above had no room for this line's first word within the
 * width of this line. */
static bool is_word_wrap(const struct wrap_line *before, struct str text,
                         uint32_t width) {
    struct str word = str_slice(text, 0, str_find_char(text, ' '));
    if (before->width < WIDTH_LEAST || before->width >= width ||
        !is_word(before->last) ||
        !(is_lower(text.p[0]) || is_digit(text.p[0]) ||
          is_any(text.p[0], "(\"'`<")))
        return false;
    return !str_ends(word, STR(":")) &&
           before->width + 1 + word.n > width;
}

/* True for a path or the like, which wrapping at blanks cannot cut. */
static bool is_one_word(struct str text) {
    struct cursor c = {text, 0};
    cursor_blanks(&c);
    struct str head = str_slice(text, c.at, WIDTH_LEAST);
    return head.n == WIDTH_LEAST && str_find_char(head, ' ') == head.n;
}

/* True for "torch.OutOfMemoryError: ...": the name of an error, with its
 * module. */
static bool has_error_name(struct str text) {
    struct str name = str_slice(text, 0, str_find_char(text, ' '));
    return name.n >= LONG_LABEL && str_ends(name, STR(":")) &&
           str_find_char(name, '.') < name.n;
}

/* True if the line above had no room for this line's first word within any
 * width that a line near has. Then this may be its rest, wrapped at a blank. */
static bool is_filled(const struct wrap_widths *widths,
                      const struct wrap_line *before, struct str text,
                      uint32_t width) {
    struct cursor c = {text, 0};
    if (before->width == 0 || width == 0 || cursor_blanks(&c) > 1)
        return false;
    size_t word = str_find_char(cursor_rest(&c), ' ');
    size_t needed = before->width + 1 + word;
    bool is_own = is_lower(text.p[0]) &&
                  (has_label(text) || has_error_name(cursor_rest(&c)));
    if (word == 0 || needed < FILLED_LEAST || width >= needed || is_own)
        return false;
    for (size_t i = 0; i < WRAP_RECENT; i++)
        if (widths->kept[i] >= needed &&
            widths->recent_place[i] >= widths->least)
            return false;
    return true;
}

/* The smallest usual width that holds `least` and all lines near; 0: none. */
static uint32_t fold_width(const struct wrap_widths *widths, uint32_t least) {
    for (size_t i = 0; i < WRAP_RECENT; i++)
        if (widths->kept[i] > least && widths->recent_place[i] >= widths->least)
            least = widths->kept[i];
    for (size_t i = 0; i < COUNT(usual_widths); i++)
        if (usual_widths[i] >= least)
            return usual_widths[i];
    return 0;
}

/* True if a sentence may continue behind a line that ends so. */
static bool may_go_on_behind(char last) {
    return is_word(last) || is_any(last, ",)]'\"`/=%<>-*&+");
}

/* True if this line may be the rest of a sentence, by its first word. A capital
 * seldom continues one, "error: " and "llama_kv_cache: " never do. */
static bool may_be_rest(struct str front, char last, struct str text) {
    struct str word = first_word(text);
    char first = text.p[0], behind = word.n < text.n ? text.p[word.n] : ' ';
    if (!may_go_on_behind(last) || (behind == ':' && word.n > 0) ||
        has_error_name(text) || str_in_nocase(word, first_words))
        return false;
    bool is_capital = is_letter(first) && !is_lower(first);
    bool is_inside = last == ',' || is_any(last, "=-/<(&+") ||
                     str_in_nocase(front, joining_words);
    return is_lower(first) || is_inside ||
           (!is_capital && first != ' ' && first != '[' && first != '\t');
}

/* True for a row of a table: "llm-0   0/1   OOMKilled". */
static bool has_columns(struct str text) {
    return str_find(text, STR("   ")) < text.n;
}

/* True for the rest of a line wrapped at a blank: all lines near fit in a usual
 * width, this one's first word did not fit above, and it reads like the rest of
 * a sentence. */
static bool is_fold(const struct wrap_widths *widths,
                    const struct wrap_line *before, struct str text,
                    uint32_t width) {
    if (before->width < WIDTH_LEAST || width == 0 || before->last == ' ' ||
        text.p[0] == ' ' || text.p[0] == '\t' || is_ruler(before) ||
        begins_alike(before, text) || before->has_columns ||
        has_columns(text))
        return false;
    uint32_t quote = before->quote_width;
    uint32_t widest = before->width > width ? before->width : width;
    uint32_t most = fold_width(widths, widest - quote);
    size_t word = str_find_char(text, ' ');
    return most > 0 && before->width - quote + 1 + word > most &&
           may_be_rest(word_before(before), before->last, text);
}

static void remember(struct wrap_line *w, struct str text, uint32_t width,
                     uint32_t quote_width) {
    *w = (struct wrap_line){.width = width, .quote_width = quote_width};
    if (width == 0)
        return;
    w->text_width = width - quote_width;
    w->has_columns = has_columns(text);
    w->last = text.p[text.n - 1];
    size_t head = text.n < WRAP_HEAD ? text.n : WRAP_HEAD;
    memcpy(w->head, text.p, head);
    size_t from = text.n;
    while (from > 0 && (is_word(text.p[from - 1]) ||
                        (text.p[from - 1] == '\'' && from < text.n)))
        from--; /* "model's" is one word */
    struct str word = str_slice(text, from, text.n);
    w->word_length = (uint32_t)word.n;
    w->is_word_plain = is_plain_word(word);
    if (word.n > 0)
        memcpy(w->word, word.p,
               word.n < WRAP_WORD_MAX ? word.n : WRAP_WORD_MAX);
}

/* The width of the text with its quote mark; 0: it is too wide to have been
 * wrapped, or empty. */
static uint32_t width_with(struct str text, uint32_t quote_width) {
    uint32_t width = width_of(text);
    if (width > 0)
        width += quote_width;
    return width > WRAP_WIDTH_MAX || text.n == 0 ? 0 : width;
}

static void add_width(struct wrap_widths *widths, struct str text,
                      uint32_t width) {
    uint32_t i = widths->next;
    widths->recent[i] = width ? width : (uint32_t)text.n;
    widths->kept[i] = is_one_word(text) ? 0 : widths->recent[i];
    widths->recent_place[i] = widths->place;
    widths->next = (i + 1) % WRAP_RECENT;
}

enum wrap_seam wrap_find_seam(struct wrap_widths *widths,
                              struct wrap_line *before, struct str text,
                              uint32_t quote_width, bool may_join) {
    if (before->place < widths->least)
        *before = (struct wrap_line){0};
    uint32_t width = width_with(text, quote_width);
    bool is_joined = may_join && is_cut(widths, before, text, width);
    bool is_folded =
        may_join && !is_joined && is_fold(widths, before, text, width);
    bool is_wrapped = is_word_wrap(before, text, width);
    bool is_below_full = is_filled(widths, before, text, width);
    uint32_t cut = before->width;
    if (is_joined && (width == cut || before->is_joined))
        widths->seen[cut] = widths->place + 1;
    add_width(widths, text, width);
    bool is_same_width = width == cut && !begins_alike(before, text);
    remember(before, text, width, quote_width);
    before->place = widths->place;
    before->is_joined = is_joined && width == cut;
    before->is_same_width = is_same_width;
    before->is_word_wrapped = is_wrapped && !is_joined;
    before->is_filled_above = is_below_full;
    return is_joined ? WRAP_CUT : is_folded ? WRAP_FOLD : WRAP_NONE;
}
