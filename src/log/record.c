/* record.c: docker's json-file and applications that log JSON lines.
 *
 *     {"log":"text\n","stream":"stderr","time":"..."}        docker
 *     {"level":"error","message":"text","traceback":"..."}   an application
 *     {"timestamp":"...","fields":{"message":"text"}}        Rust's tracing
 *     {"MESSAGE":"text","_PID":"7","SYSLOG_IDENTIFIER":"x"}  journalctl -o json
 *
 * The message and whatever else in the object is prose become lines. An object
 * without a message is left as it stands: it is somebody's data.
 */
#include "log/record.h"

#include "base/json.h"

static const char *const message_keys[] = {"message", "msg", "log", "MESSAGE",
                                           "textPayload", "event"};
static const char *const prose_keys[] = {"error",     "err",   "exc_info",
                                         "exception", "stack", "stack_trace",
                                         "traceback", "stacktrace"};
static const char *const nests[] = {"fields", "jsonPayload"};

static void add_text(struct record *r, struct str text) {
    if (r->count < RECORD_TEXTS_MAX && text.n > 0)
        r->texts[r->count++] = text;
}

static bool add_message(struct record *r, struct json *object) {
    struct str text;
    for (size_t i = 0; i < sizeof message_keys / sizeof message_keys[0]; i++) {
        if (json_get_text(object, message_keys[i], &text)) {
            add_text(r, text);
            return true;
        }
    }
    return false;
}

static void add_prose(struct record *r, struct json *object) {
    struct str text;
    for (size_t i = 0; i < sizeof prose_keys / sizeof prose_keys[0]; i++)
        if (json_get_text(object, prose_keys[i], &text))
            add_text(r, text);
}

static void read_who(struct record *r, struct json *object) {
    struct json *kubernetes = json_get(object, "kubernetes");
    struct str pid;
    r->who = (struct stream){.rank = -1, .pid = -1};
    json_get_int(object, "rank", &r->who.rank);
    json_get_int(object, "pid", &r->who.pid);
    if (json_get_text(object, "_PID", &pid))
        str_to_int(pid, &r->who.pid);
    json_get_text(object, "SYSLOG_IDENTIFIER", &r->who.process);
    if (kubernetes) {
        json_get_text(kubernetes, "pod_name", &r->who.pod);
        json_get_text(kubernetes, "container_name", &r->who.container);
    }
}

static void read_docker(struct record *r, struct json *object) {
    struct str text, side, time;
    bool has_log = json_get_text(object, "log", &text);
    bool has_side = json_get_text(object, "stream", &side);
    r->is_docker =
        has_log && (has_side || json_get_text(object, "time", &time));
    r->is_partial = r->is_docker && !str_ends(text, STR("\n"));
    r->is_stderr = has_side && str_eq(side, STR("stderr"));
}

static bool read_object(struct record *r, struct json *object) {
    bool has_message = add_message(r, object);
    add_prose(r, object);
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        struct json *nest = json_get(object, nests[i]);
        if (nest && add_message(r, nest)) {
            has_message = true;
            add_prose(r, nest);
        }
    }
    return has_message;
}

struct reading {
    struct arena *scratch;
    struct str line;
    struct record *out;
    bool is_record;
};

static void read_line(void *arg) {
    struct reading *r = arg;
    struct json *object;
    if (!json_try_parse(r->scratch, r->line, &object))
        return;
    read_docker(r->out, object);
    read_who(r->out, object);
    r->is_record = read_object(r->out, object);
}

static bool may_be_record(struct str s) {
    static const char *const signs[] = {"\"message\"", "\"msg\"", "\"log\"",
                                        "\"MESSAGE\"", "\"textPayload\"",
                                        "\"event\""};
    if (s.n < 2 || s.p[0] != '{' || s.p[s.n - 1] != '}')
        return false;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (str_find(s, str_of(signs[i])) < s.n)
            return true;
    return false;
}

bool record_read(struct arena *scratch, struct str line, struct record *out) {
    struct reading r = {.scratch = scratch, .line = str_trim(line), .out = out};
    *out = (struct record){0};
    if (!may_be_record(r.line))
        return false;
    return arena_guard(scratch, read_line, &r, NULL) == FAIL_NONE &&
           r.is_record;
}
