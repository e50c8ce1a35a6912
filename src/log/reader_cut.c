/* reader_cut.c: cuts bytes into the segments that reader.c reads: at '\n' and
 * '\r', and where a line is longer than LOG_LINE_MAX. */
#include "log/reader.h"

/* Bytes of s without a character that is cut at its end. */
static size_t whole_characters(struct str s) {
    size_t n = s.n;
    for (size_t back = 1; back <= 3 && back <= s.n; back++) {
        unsigned char c = (unsigned char)s.p[s.n - back];
        if (c < 0x80)
            break;
        if (c >= 0xC0) {
            size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
            n = length > back ? s.n - back : s.n;
            break;
        }
    }
    return n > 0 ? n : s.n;
}

/* Adds bytes to the segment. A long one is read in pieces, which are cut
 * between characters and do not depend on how the bytes were fed. */
static void add_bytes(struct log_reader *r, struct str bytes) {
    r->has_bytes = r->has_bytes || bytes.n > 0;
    while (r->bufs[BUF_SEGMENT].n + bytes.n > LOG_LINE_MAX) {
        size_t fits = LOG_LINE_MAX - r->bufs[BUF_SEGMENT].n;
        buf_add(&r->bufs[BUF_SEGMENT], str_slice(bytes, 0, fits));
        bytes = str_slice(bytes, fits, bytes.n);
        struct str piece = buf_str(&r->bufs[BUF_SEGMENT]);
        piece.n = whole_characters(piece);
        reader_segment(r, piece);
        r->is_long = true;
        r->place += piece.n;
        buf_drop_front(&r->bufs[BUF_SEGMENT], piece.n);
    }
    buf_add(&r->bufs[BUF_SEGMENT], bytes);
}

/* Ends the segment at '\r', '\n' or the end of the log. An empty segment is
 * read only if it is the whole line. */
static void end_segment(struct log_reader *r, struct str last, bool ends_line) {
    if (r->bufs[BUF_SEGMENT].n > 0 || last.n > LOG_LINE_MAX) {
        add_bytes(r, last);
        last = buf_str(&r->bufs[BUF_SEGMENT]);
    }
    if (last.n > 0 || (ends_line && !r->has_output))
        reader_segment(r, last);
    r->place += last.n + 1;
    buf_clear(&r->bufs[BUF_SEGMENT]);
    r->is_long = false;
}

static void end_line(struct log_reader *r) {
    r->stats.lines++;
    r->has_bytes = r->has_output = false;
    r->stream = 0;
}

/* Cuts bytes without a '\n' at each '\r'. Returns what is behind the last. */
static struct str cut_returns(struct log_reader *r, struct str bytes) {
    size_t at = str_find_char(bytes, '\r');
    while (at < bytes.n) {
        r->has_bytes = true;
        end_segment(r, str_slice(bytes, 0, at), false);
        bytes = str_slice(bytes, at + 1, bytes.n);
        at = str_find_char(bytes, '\r');
    }
    return bytes;
}

static size_t find_from(struct str bytes, size_t from, char c) {
    return from + str_find_char(str_slice(bytes, from, bytes.n), c);
}

/* The next '\r' of the block is looked for once, not once a line. */
void reader_block(struct log_reader *r, struct str bytes) {
    size_t next_return = find_from(bytes, 0, '\r');
    for (size_t from = 0; from < bytes.n;) {
        size_t at = find_from(bytes, from, '\n');
        struct str last = {bytes.p + from, at - from};
        if (next_return < at) {
            last = cut_returns(r, last);
            next_return = find_from(bytes, at, '\r');
        }
        if (at == bytes.n) {
            add_bytes(r, last);
            break;
        }
        end_segment(r, last, true);
        end_line(r);
        from = at + 1;
    }
}

void reader_end(struct log_reader *r) {
    if (r->has_bytes) {
        end_segment(r, STR(""), true);
        end_line(r);
    }
}
