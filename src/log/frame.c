/* frame.c: the one table of frames, and the loop over it.
 *
 *     2024-05-20T10:47:37.123456789Z stdout F (Worker pid=402) ERROR 05-20 ...
 *     '------ FRAME_TRANSPORT -------------' '- FRAME_WHO ---' '- FRAME_RECORD
 *
 * Frames nest in any order, so the table is tried again from its top after
 * each success, a bounded number of times. A frame is taken off only when it
 * can be nothing else: what stays too long in a line does little harm, what is
 * lost is lost.
 */
#include "log/frame.h"

#define ROUNDS_MAX 12

/* What a frame may begin with, as bits: most lines begin with a letter that
 * no frame begins with, and cost one look. */
enum first {
    FIRST_GREATER = 1,
    FIRST_MARK = 2, /* "#", "//", "--", "|" and others */
    FIRST_DIGIT = 4,
    FIRST_BLANK = 8,
    FIRST_BRACKET = 16,
    FIRST_PAREN = 32,
    FIRST_SMALL = 64,  /* letter */
    FIRST_MONTH = 128, /* the capital of one */
    FIRST_LEVEL = 256, /* the capital of one, or glog's */
    FIRST_LESS = 512,
    FIRST_CAPITAL_R = 1024 /* "REM" */
};

static unsigned first_of(char c) {
    if (c >= 'a' && c <= 'z')
        return FIRST_SMALL;
    if (is_digit(c))
        return FIRST_DIGIT;
    switch (c) {
    case '>': return FIRST_GREATER;
    case '<': return FIRST_LESS;
    case '#':
    case '/':
    case '-':
    case '*':
    case '|':
    case ';':
    case '%':
    case '!':
    case ':': return FIRST_MARK;
    case 'R': return FIRST_CAPITAL_R;
    case ' ':
    case '\t': return FIRST_BLANK;
    case '[': return FIRST_BRACKET;
    case '(': return FIRST_PAREN;
    case 'J':
    case 'M':
    case 'A':
    case 'S':
    case 'O': return FIRST_MONTH;
    case 'F':
    case 'N':
    case 'D': return FIRST_MONTH | FIRST_LEVEL;
    case 'I':
    case 'W':
    case 'E':
    case 'C':
    case 'T': return FIRST_LEVEL;
    default: return 0;
    }
}

struct frame_reader {
    const char *name;
    enum frame_kind kind;
    unsigned first;   /* enum first, or-ed */
    bool needs_stamp; /* only behind a time or level, whatever it begins with */
    bool (*take)(struct frame *f);
};

static const struct frame_reader readers[] = {
    {"e-mail quote", FRAME_QUOTE, FIRST_GREATER, false, frame_take_quote},
    {"comment", FRAME_QUOTE,
     FIRST_MARK | FIRST_BLANK | FIRST_SMALL | FIRST_CAPITAL_R, false,
     frame_take_mark},
    {"CRI", FRAME_TRANSPORT, FIRST_DIGIT, false, frame_take_cri},
    {"kubectl --prefix", FRAME_TRANSPORT, FIRST_BRACKET, false,
     frame_take_kubectl},
    {"docker compose", FRAME_TRANSPORT, FIRST_SMALL | FIRST_DIGIT, false,
     frame_take_compose},
    {"syslog", FRAME_TRANSPORT, FIRST_MONTH | FIRST_LESS, false,
     frame_take_syslog},
    {"syslog of RFC 5424", FRAME_TRANSPORT, FIRST_LESS, false,
     frame_take_syslog_5424},
    {"kernel's priority", FRAME_TRANSPORT, FIRST_LESS, false,
     frame_take_priority},
    {"gh run view --log", FRAME_TRANSPORT, FIRST_SMALL, false,
     frame_take_job},
    {"syslog unit", FRAME_TRANSPORT, 0, true, frame_take_unit},
    {"dmesg", FRAME_TRANSPORT, FIRST_BRACKET, false, frame_take_dmesg},
    {"mpirun", FRAME_WHO, FIRST_BRACKET, false, frame_take_mpirun},
    {"rank", FRAME_WHO, FIRST_BRACKET | FIRST_SMALL, false, frame_take_rank},
    {"Ray and vLLM process", FRAME_WHO, FIRST_PAREN, false,
     frame_take_process},
    {"timestamp", FRAME_RECORD, FIRST_DIGIT, false, frame_take_stamp},
    {"[timestamp]", FRAME_RECORD, FIRST_BRACKET, false,
     frame_take_stamp_in_brackets},
    {"glog", FRAME_RECORD, FIRST_LEVEL, false, frame_take_glog},
    {"vLLM", FRAME_RECORD, FIRST_LEVEL, false, frame_take_vllm},
    {"level", FRAME_RECORD, FIRST_BRACKET | FIRST_LEVEL, false,
     frame_take_level},
    {"level after a timestamp", FRAME_RECORD, 0, true,
     frame_take_level_after_stamp},
    {"source after a level", FRAME_RECORD, 0, true,
     frame_take_source},
    {"logfmt", FRAME_RECORD, FIRST_SMALL, false, frame_take_logfmt},
    {"label", FRAME_WHO,
     FIRST_BLANK | FIRST_DIGIT | FIRST_SMALL | FIRST_MONTH | FIRST_BRACKET,
     false, frame_take_label},
};

static bool take_one(struct frame *f) {
    unsigned first = f->text.n > 0 ? first_of(f->text.p[0]) : 0;
    if (first == 0 && !f->has_stamp)
        return false;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        const struct frame_reader *r = &readers[i];
        bool is_worth = r->needs_stamp ? f->has_stamp : (r->first & first) != 0;
        if (is_worth && r->take(f)) {
            f->kinds |= (unsigned)r->kind;
            return true;
        }
    }
    return false;
}

/* A level that is part of the message itself ("ERROR: no space left"). */
static bool begins_with_level(struct str s) {
    static const char *const levels[] = {"ERROR:", "WARNING:", "CRITICAL:",
                                         "FATAL:", "INFO:", "DEBUG:"};
    if (s.n == 0 || !is_any(s.p[0], "EWCFID"))
        return false;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (str_starts(s, str_of(levels[i])))
            return true;
    return false;
}

static void note_prefix(struct frame *f, const char *prefix) {
    size_t n = (size_t)(f->text.p - prefix);
    f->columns = (uint32_t)n;
    if (f->is_record && f->prefix.n == 0)
        f->prefix = (struct str){prefix, n};
}

void frame_strip(struct frame *f) {
    const char *prefix = NULL; /* of the record */
    for (int round = 0; round < ROUNDS_MAX; round++) {
        const char *before = f->text.p;
        if (!take_one(f))
            break;
        if (prefix == NULL && (f->kinds & FRAME_RECORD) != 0)
            prefix = before;
    }
    if (prefix != NULL)
        note_prefix(f, prefix);
    if (starts_with(f->text, STR("Traceback (most recent call last)")) ||
        begins_with_level(f->text))
        f->is_record = true;
}
