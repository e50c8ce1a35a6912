/* mcp.c: messages in, answers out. A message is taken apart once, answered by
 * the row of its method, and wrapped as its era has it. */
#include "serve/mcp.h"

#include "base/json.h"
#include "base/limits.h"
#include "serve/tools.h"

#define NEWEST_SAID "2025-11-25" /* to a client that says an unknown one */
#define MODERN "2026-07-28"
#define VERSION_KEY "io.modelcontextprotocol/protocolVersion"
#define SERVER_KEY "io.modelcontextprotocol/serverInfo"
#define DAY_MS (INT64_C(24) * 3600 * 1000) /* lists change with the program */

/* https://www.jsonrpc.org/specification, and the protocol's own. */
enum rpc_error {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_VERSION = -32022
};

struct message {
    struct arena *a;
    oomkb *kb;
    struct str method;
    struct json *params; /* an empty object where there are none */
    bool is_modern;
    /* An error, if code is set. */
    int code;
    struct str text;
    struct json *data;
};

static struct json *fail(struct message *m, enum rpc_error code,
                         struct str text) {
    m->code = (int)code;
    m->text = text;
    return NULL;
}

static struct json *server_info(struct arena *a) {
    struct json *o = json_new_object(a);
    json_set(o, "name", json_text(a, STR("oomkb")));
    json_set(o, "title", json_text(a, STR("oomkb: out of memory, explained")));
    json_set(o, "version", json_text(a, str_of(oomkb_version())));
    return o;
}

static struct json *capabilities(struct arena *a) {
    struct json *o = json_new_object(a);
    json_set(o, "tools", json_new_object(a));
    return o;
}

static const struct str instructions = {
    .p = "A job died of memory: pass its log to diagnose_log, apply the first "
         "fix, and answer the report's questions with facts. Before a launch: "
         "fit_memory. Amounts in JSON are bytes.",
    .n = sizeof "A job died of memory: pass its log to diagnose_log, apply the "
                "first fix, and answer the report's questions with facts. "
                "Before a launch: fit_memory. Amounts in JSON are bytes." - 1};

/* ---- methods ---- */

static struct json *initialize(struct message *m) {
    static const char *const known[] = {"2024-11-05", "2025-03-26",
                                        "2025-06-18", "2025-11-25"};
    struct str said, version = STR(NEWEST_SAID);
    if (json_get_text(m->params, "protocolVersion", &said)) {
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            version = str_eq(said, str_of(known[i])) ? said : version;
        }
    }
    struct json *o = json_new_object(m->a);
    json_set(o, "protocolVersion", json_text(m->a, version));
    json_set(o, "capabilities", capabilities(m->a));
    json_set(o, "serverInfo", server_info(m->a));
    json_set(o, "instructions", json_text(m->a, instructions));
    return o;
}

static void set_cache(struct message *m, struct json *o) {
    if (m->is_modern) {
        json_set(o, "ttlMs", json_int(m->a, DAY_MS));
        json_set(o, "cacheScope", json_text(m->a, STR("public")));
    }
}

static struct json *discover(struct message *m) {
    struct json *o = json_new_object(m->a), *versions = json_new_array(m->a);
    json_push(versions, json_text(m->a, STR(MODERN)));
    json_set(o, "supportedVersions", versions);
    json_set(o, "capabilities", capabilities(m->a));
    json_set(o, "instructions", json_text(m->a, instructions));
    set_cache(m, o);
    return o;
}

static struct json *ping(struct message *m) {
    return json_new_object(m->a);
}

static struct json *list_tools(struct message *m) {
    struct json *o = json_new_object(m->a);
    json_set(o, "tools", tools_list(m->a));
    set_cache(m, o);
    return o;
}

static struct json *call_tool(struct message *m) {
    struct str name = {NULL, 0};
    struct json *arguments = json_get(m->params, "arguments");
    if (!json_get_text(m->params, "name", &name)) {
        return fail(m, RPC_PARAMS, STR("params.name is missing"));
    }
    struct json *result =
        tools_call(m->a, m->kb, name,
                   arguments ? arguments : json_new_object(m->a));
    return result ? result
                  : fail(m, RPC_PARAMS,
                         arena_printf(m->a, "no tool is called `%.*s`",
                                      STR_ARG(name)));
}

static const struct method {
    const char *name;
    struct json *(*answer)(struct message *m);
} methods[] = {
    {"initialize", initialize}, {"server/discover", discover},
    {"ping", ping},             {"tools/list", list_tools},
    {"tools/call", call_tool},
};

/* ---- the envelope ---- */

/* A request of the modern era says its version each time. */
static bool read_era(struct message *m) {
    struct json *meta = json_get(m->params, "_meta");
    struct str version;
    if (meta == NULL || !json_get_text(meta, VERSION_KEY, &version)) {
        return true;
    }
    m->is_modern = true;
    if (str_eq(version, STR(MODERN))) {
        return true;
    }
    struct json *supported = json_new_array(m->a);
    m->data = json_new_object(m->a);
    json_push(supported, json_text(m->a, STR(MODERN)));
    json_set(m->data, "supported", supported);
    json_set(m->data, "requested", json_text(m->a, version));
    fail(m, RPC_VERSION, STR("this protocol version is not supported"));
    return false;
}

static struct json *result_of(struct message *m) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (str_eq(m->method, str_of(methods[i].name))) {
            return methods[i].answer(m);
        }
    }
    return fail(m, RPC_METHOD,
                arena_printf(m->a, "no method is called `%.*s`",
                             STR_ARG(m->method)));
}

static void stamp(struct message *m, struct json *result) {
    if (m->is_modern) {
        struct json *meta = json_new_object(m->a);
        json_set(meta, SERVER_KEY, server_info(m->a));
        json_set(result, "_meta", meta);
        json_set(result, "resultType", json_text(m->a, STR("complete")));
    }
}

static void write_reply(struct message *m, struct json *id,
                        struct json *result, struct buf *out) {
    struct json *o = json_new_object(m->a);
    json_set(o, "jsonrpc", json_text(m->a, STR("2.0")));
    json_set(o, "id", id ? id : json_new_null(m->a));
    if (result != NULL) {
        stamp(m, result);
        json_set(o, "result", result);
    } else {
        struct json *error = json_new_object(m->a);
        json_set(error, "code", json_int(m->a, m->code));
        json_set(error, "message", json_text(m->a, m->text));
        if (m->data != NULL) {
            json_set(error, "data", m->data);
        }
        json_set(o, "error", error);
    }
    json_write(o, false, out);
}

struct exchange {
    struct arena arena;
    oomkb *kb;
    struct str in;
    struct buf *out;
};

static void answer(void *arg) {
    struct exchange *x = arg;
    struct message m = {.a = &x->arena, .kb = x->kb};
    struct json *all = NULL, *id = NULL, *result = NULL;
    if (x->in.n >> 20 >= MCP_MESSAGE_MIB_MAX) {
        fail(&m, RPC_REQUEST,
             arena_printf(m.a, "the message is longer than %d MiB",
                          MCP_MESSAGE_MIB_MAX));
    } else if (!json_try_parse(m.a, x->in, &all)) {
        fail(&m, RPC_PARSE, STR("the message is not JSON"));
    } else if (!json_get_text(all, "method", &m.method)) {
        if (json_get(all, "result") || json_get(all, "error")) {
            return; /* an answer: nothing was asked here */
        }
        id = json_get(all, "id");
        fail(&m, RPC_REQUEST, STR("the message has no method"));
    } else {
        id = json_get(all, "id");
        m.params = json_get(all, "params");
        m.params = m.params ? m.params : json_new_object(m.a);
        if (id == NULL) {
            return; /* a notification */
        }
        result = read_era(&m) ? result_of(&m) : NULL;
    }
    write_reply(&m, id, result, x->out);
}

bool mcp_answer(oomkb *kb, struct str message, struct buf *out) {
    struct exchange x = {.kb = kb, .in = message, .out = out};
    struct fault fault;
    arena_init(&x.arena, NULL, 0);
    bool is_done =
        arena_guard(&x.arena, answer, &x, &fault) == FAIL_NONE;
    arena_free(&x.arena);
    return is_done;
}
