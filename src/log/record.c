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
 * The message and other prose of the object become lines. An object without a
 * message is data, and stays one line.
 */
#include "log/record.h"

#include "base/json.h"
#include "log/stream.h"

const char *const record_keys[RECORD_ROLES][12] = {
    [RECORD_MESSAGE] = {"message", "msg", "log", "MESSAGE", "textPayload",
                        "event", "@message", "_raw", "LogEntry", "LogMessage",
                        "stringValue"},
    [RECORD_TIMED_MESSAGE] = {"line", "body", "text"},
    [RECORD_TIME] = {"timestamp", "@timestamp", "time", "ts", "date"},
    [RECORD_PROSE] = {"error", "err", "exc_info", "exception", "stack",
                      "stack_trace", "traceback", "stacktrace"},
    [RECORD_NEST] = {"fields", "jsonPayload", "attributes", "content",
                     "_source", "result", "body", "record"},
};

/* Adds the texts under the keys of a role, at most so many. True if there is
 * one. */
static bool add_texts(struct record *r, struct json *object,
                      enum record_role role, size_t most) {
    struct str text;
    size_t count = 0;
    for (const char *const *key = record_keys[role]; *key && count < most;
         key++) {
        if (!json_get_text(object, *key, &text))
            continue;
        count++;
        if (r->count < RECORD_TEXTS_MAX && text.n > 0)
            r->texts[r->count++] = text;
    }
    return count > 0;
}

static bool has_time(struct json *object) {
    const char *const *key = record_keys[RECORD_TIME];
    while (*key && json_get(object, *key) == NULL)
        key++;
    return *key != NULL;
}

static bool add_message(struct record *r, struct json *object) {
    return add_texts(r, object, RECORD_MESSAGE, 1) ||
           (has_time(object) && add_texts(r, object, RECORD_TIMED_MESSAGE, 1));
}

static void read_who(struct record *r, struct json *object) {
    struct json *kubernetes = json_get(object, "kubernetes");
    struct str pid;
    r->who = stream_none();
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

/* Fluentd and its like end no text with a newline. They mark what containerd
 * cut. */
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
    add_texts(r, object, RECORD_PROSE, RECORD_TEXTS_MAX);
    for (const char *const *key = record_keys[RECORD_NEST]; *key; key++) {
        struct json *nest = json_get(object, *key);
        if (nest && add_message(r, nest)) {
            has_message = true;
            add_texts(r, nest, RECORD_PROSE, RECORD_TEXTS_MAX);
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

static bool has_quoted(struct str s, struct str key) {
    for (size_t at = str_find(s, key); at + key.n < s.n;
         at += 1 + str_find(str_slice(s, at + 1, s.n), key))
        if (at > 0 && s.p[at - 1] == '"' && s.p[at + key.n] == '"')
            return true;
    return false;
}

static bool may_be_record(struct str s) {
    if (s.n < 2 || s.p[0] != '{' || s.p[s.n - 1] != '}')
        return false;
    for (int role = 0; role <= RECORD_TIMED_MESSAGE; role++)
        for (const char *const *key = record_keys[role]; *key; key++)
            if (has_quoted(s, str_of(*key)))
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
