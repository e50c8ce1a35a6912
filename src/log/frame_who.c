/* frame_who.c: frames that say which rank or process of a job speaks. The name
 * goes to the stream, the text after the frame keeps its indentation. */
#include "log/frame.h"

/* One blank after the frame belongs to it, further ones to the text; where it
 * may have been the text's, who wrapped that counted it. */
static bool done(struct frame *f, struct cursor *c) {
    f->columns = cursor_char(c, ' ');
    f->text = cursor_rest(c);
    return true;
}

/* "1,3", "prterun-node1-77@1,3", "1,mpirank:3,algo-1", "3" (Horovod). */
static bool take_mpi_rank(struct cursor *c, int64_t *rank) {
    struct str job, rest;
    if (!cursor_until(c, "] ", &job))
        return false;
    struct cursor in = {job, 0};
    size_t comma = str_find_char(job, ',');
    in.at = comma < job.n ? comma + 1 : 0;
    cursor_text(&in, STR("mpirank:"));
    if (!cursor_number(&in, rank))
        return false;
    return cursor_ends(&in) || (cursor_char(&in, ',') &&
                                cursor_until(&in, "", &rest));
}

/* "[1,3]<stderr>:message": mpirun --tag-output, and its relations. */
bool frame_take_mpirun(struct frame *f) {
    struct cursor c = {f->text, 0};
    int64_t rank;
    bool is_whole = cursor_char(&c, '[') && take_mpi_rank(&c, &rank) &&
                    cursor_text(&c, STR("]<std")) &&
                    (cursor_text(&c, STR("out>:")) ||
                     cursor_text(&c, STR("err>:")));
    if (!is_whole)
        return false;
    f->who.rank = rank;
    return done(f, &c);
}

/* "rank0: " */
static bool take_bare_rank(struct frame *f) {
    struct cursor c = {f->text, 0};
    int64_t rank;
    if (!cursor_text(&c, STR("rank")) || !cursor_number(&c, &rank) ||
        !cursor_text(&c, STR(": ")))
        return false;
    f->who.rank = rank;
    f->text = cursor_rest(&c);
    return true;
}

/* "[rank0]: ", "[rank 0] ", "[Rank 0]: ", "[rank: 0] ", "[default0]:",
 * "rank0: " */
bool frame_take_rank(struct frame *f) {
    struct cursor c = {f->text, 0};
    int64_t rank;
    if (!cursor_char(&c, '['))
        return take_bare_rank(f);
    if (!cursor_text(&c, STR("default"))) {
        if (!cursor_text(&c, STR("rank")) && !cursor_text(&c, STR("Rank")))
            return false;
        cursor_char(&c, ':');
        cursor_char(&c, ' ');
    }
    if (!cursor_number(&c, &rank) || !cursor_char(&c, ']'))
        return false;
    bool has_colon = cursor_char(&c, ':');
    if (!has_colon && !cursor_ends(&c) && cursor_peek(&c) != ' ')
        return false;
    f->who.rank = rank;
    return done(f, &c);
}

static bool is_process_name(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_word(s.p[i]) && s.p[i] != ':' && s.p[i] != '.' &&
            s.p[i] != '-')
            return false;
    return s.n > 0;
}

/* " rank=1", " pid=12", ", ip=10.0.0.1" before the closing parenthesis. */
static bool take_attributes(struct cursor *c, struct stream *who) {
    while (!cursor_char(c, ')')) {
        struct str key, value;
        cursor_char(c, ',');
        cursor_char(c, ' ');
        if (!cursor_until(c, "=,) ", &key) || !cursor_char(c, '=') ||
            !cursor_until(c, ",) ", &value))
            return false;
        int64_t number;
        if (!str_to_int(value, &number))
            number = -1;
        if (str_eq(key, STR("pid")))
            who->pid = number;
        else if (str_eq(key, STR("rank")))
            who->rank = number;
        else if (!str_eq(key, STR("ip")) && !str_eq(key, STR("local_rank")))
            return false;
    }
    return true;
}

/* "(Worker_TP0 pid=402) ", "(pid=123) ", "(Name pid=1, ip=10.0.0.1) ",
 * "(VllmWorker rank=1 pid=12) ", "(raylet) " */
bool frame_take_process(struct frame *f) {
    struct cursor c = {f->text, 0};
    struct stream who = {.rank = f->who.rank, .pid = -1};
    struct str name;
    if (!cursor_char(&c, '('))
        return false;
    struct cursor inside = c;
    if (!cursor_until(&c, " ,=)", &name) || !is_process_name(name))
        return false;
    if (cursor_peek(&c) == '=')
        c = inside;
    else
        who.process = name;
    bool is_raylet = str_eq(name, STR("raylet"));
    if (!take_attributes(&c, &who) || (who.pid < 0 && !is_raylet))
        return false;
    if (!cursor_ends(&c) && cursor_peek(&c) != ' ')
        return false;
    f->who.rank = who.rank;
    f->who.pid = who.pid;
    f->who.process = who.process;
    return done(f, &c);
}
