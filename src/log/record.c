/* record.c: docker's json-file and applications that log JSON lines.
 *
 *     {"log":"text\n","stream":"stderr","time":"..."}        docker
 *     {"level":"error","message":"text","traceback":"..."}   an application
 *     {"timestamp":"...","fields":{"message":"text"}}        Rust's tracing
 *     {"MESSAGE":"text","_PID":"7","SYSLOG_IDENTIFIER":"x"}  journalctl -o json
 *     {"@timestamp":"...","@message":"text"}                 CloudWatch
 *     {"id":"...","attributes":{"message":"text"}}           Datadog
 *     {"timestamp":"...","body":{"stringValue":"text"}}      OpenTelemetry
 *
 * The message and whatever else in the object is prose become lines. An object
 * without a message is left as it stands: it is somebody's data.
 */
#include "log/record.h"

#include "base/json.h"

static const char *const message_keys[] = {
    "message",  "msg",  "log",      "MESSAGE",    "textPayload", "event",
    "@message", "_raw", "LogEntry", "LogMessage", "stringValue"};
/* What these hold is a message where a time stands beside them. */
static const char *const other_keys[] = {"line", "body", "text"};
static const char *const time_keys[] = {"timestamp", "@timestamp", "time",
                                        "ts", "date"};
static const char *const prose_keys[] = {"error",     "err",   "exc_info",
                                         "exception", "stack", "stack_trace",
                                         "traceback", "stacktrace"};
static const char *const nests[] = {"fields",  "jsonPayload", "attributes",
                                    "content", "_source",     "result",
                                    "body",    "record"};

static void add_text(struct record *r, struct str text) {
    if (r->count < RECORD_TEXTS_MAX && text.n > 0)
        r->texts[r->count++] = text;
}

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static bool add_first(struct record *r, struct json *object,
                      const char *const *keys, size_t count) {
    struct str text;
    for (size_t i = 0; i < count; i++) {
        if (json_get_text(object, keys[i], &text)) {
            add_text(r, text);
            return true;
        }
    }
    return false;
}

static bool has_time(struct json *object) {
    for (size_t i = 0; i < COUNT(time_keys); i++)
        if (json_get(object, time_keys[i]) != NULL)
            return true;
    return false;
}

static bool add_message(struct record *r, struct json *object) {
    return add_first(r, object, message_keys, COUNT(message_keys)) ||
           (has_time(object) &&
            add_first(r, object, other_keys, COUNT(other_keys)));
}

static void add_prose(struct record *r, struct json *object) {
    struct str text;
    for (size_t i = 0; i < COUNT(prose_keys); i++)
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

/* Fluentd and its kin end no text with a newline: what containerd cut is
 * marked. */
static bool is_partial(struct json *object, struct str text) {
    struct str tag;
    if (json_get_text(object, "logtag", &tag))
        return str_eq(tag, STR("P"));
    return !str_ends(text, STR("\n")) && !json_get(object, "kubernetes") &&
           !json_get(object, "docker");
}

static void read_docker(struct record *r, struct json *object) {
    struct str text, side, time;
    bool has_log = json_get_text(object, "log", &text);
    bool has_side = json_get_text(object, "stream", &side);
    r->is_docker =
        has_log && (has_side || json_get_text(object, "time", &time));
    r->is_partial = r->is_docker && is_partial(object, text);
    r->is_stderr = has_side && str_eq(side, STR("stderr"));
}

static bool read_object(struct record *r, struct json *object) {
    bool has_message = add_message(r, object);
    add_prose(r, object);
    for (size_t i = 0; i < COUNT(nests); i++) {
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
                                        "\"event\"", "\"@message\"",
                                        "\"_raw\"", "\"LogEntry\"",
                                        "\"LogMessage\"",
                                        "\"stringValue\"", "\"line\"",
                                        "\"body\"", "\"text\""};
    if (s.n < 2 || s.p[0] != '{' || s.p[s.n - 1] != '}')
        return false;
    for (size_t i = 0; i < COUNT(signs); i++)
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
