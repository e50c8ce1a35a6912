/* mcp.c: from a message to its reply. A message is parsed once, the row of its
 * method makes the result, and the reply has the form of the protocol version
 * that the client uses. */
#include "serve/mcp.h"

#include "base/json.h"
#include "base/limits.h"
#include "serve/tools.h"

#define NEWEST_LEGACY "2025-11-25" /* offered to clients of unknown versions */
#define MODERN "2026-07-28"
#define VERSION_KEY "io.modelcontextprotocol/protocolVersion"
#define SERVER_KEY "io.modelcontextprotocol/serverInfo"
#define DAY_MS (INT64_C(24) * 3600 * 1000) /* lists only change with the
                                              program */

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
    struct json *params; /* an empty object if there are none */
    bool is_modern;      /* the version is in each request: MODERN */
    /* The error, if code is not 0. */
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
    return JSON_OBJECT(
        a, {"name", json_spelling(a, "oomkb")},
        {"title", json_spelling(a, "oomkb: out of memory, explained")},
        {"version", json_spelling(a, oomkb_version())});
}

static struct json *capabilities(struct arena *a) {
    return JSON_OBJECT(a, {"tools", json_new_object(a)});
}

static const char instructions[] =
    "A job died of memory: pass its log to diagnose_log, apply the first fix, "
    "and answer the report's questions with facts. Before a launch: "
    "fit_memory. Amounts in JSON are bytes.";

/* ---- methods ---- */

static struct json *initialize(struct message *m) {
    struct str asked, version = STR(NEWEST_LEGACY);
    if (json_get_text(m->params, "protocolVersion", &asked) &&
        STR_IS_ONE(asked, "2024-11-05", "2025-03-26", "2025-06-18"))
        version = asked;
    return JSON_OBJECT(m->a, {"protocolVersion", json_text(m->a, version)},
                       {"capabilities", capabilities(m->a)},
                       {"serverInfo", server_info(m->a)},
                       {"instructions", json_spelling(m->a, instructions)});
}

static struct json *modern_only(struct message *m) {
    return JSON_LIST(m->a, json_spelling(m->a, MODERN));
}

/* Modern results say how long they may be cached. */
static struct json *with_ttl(struct message *m, struct json *o) {
    if (m->is_modern)
        JSON_ADD(o, {"ttlMs", json_int(m->a, DAY_MS)},
                 {"cacheScope", json_spelling(m->a, "public")});
    return o;
}

static struct json *discover(struct message *m) {
    return with_ttl(m, JSON_OBJECT(
        m->a, {"supportedVersions", modern_only(m)},
        {"capabilities", capabilities(m->a)},
        {"instructions", json_spelling(m->a, instructions)}));
}

static struct json *ping(struct message *m) {
    return json_new_object(m->a);
}

static struct json *list_tools(struct message *m) {
    return with_ttl(m, JSON_OBJECT(m->a, {"tools", tools_list(m->a)}));
}

static struct json *call_tool(struct message *m) {
    struct str name = {NULL, 0};
    struct json *arguments = json_get(m->params, "arguments");
    if (!json_get_text(m->params, "name", &name))
        return fail(m, RPC_PARAMS, STR("params.name is missing"));
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

/* ---- requests and replies ---- */

/* Set m->is_modern. False: a modern version that is not supported. */
static bool read_version(struct message *m) {
    struct json *meta = json_get(m->params, "_meta");
    struct str version;
    if (!json_get_text(meta, VERSION_KEY, &version))
        return true;
    m->is_modern = true;
    if (str_eq(version, STR(MODERN)))
        return true;
    m->data = JSON_OBJECT(m->a, {"supported", modern_only(m)},
                          {"requested", json_text(m->a, version)});
    fail(m, RPC_VERSION, STR("this protocol version is not supported"));
    return false;
}

static struct json *result_of(struct message *m) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (str_eq(m->method, str_of(methods[i].name)))
            return methods[i].answer(m);
    return fail(m, RPC_METHOD,
                arena_printf(m->a, "no method is called `%.*s`",
                             STR_ARG(m->method)));
}

static void stamp(struct message *m, struct json *result) {
    struct json *meta = JSON_OBJECT(m->a, {SERVER_KEY, server_info(m->a)});
    if (m->is_modern)
        JSON_ADD(result, {"_meta", meta},
                 {"resultType", json_spelling(m->a, "complete")});
}

static void write_reply(struct message *m, struct json *id,
                        struct json *result, struct buf *out) {
    struct json *error = NULL;
    if (result != NULL)
        stamp(m, result);
    else
        error = JSON_OBJECT(m->a, {"code", json_int(m->a, m->code)},
                            {"message", json_text(m->a, m->text)},
                            {"data", m->data});
    json_write(JSON_OBJECT(m->a, {"jsonrpc", json_spelling(m->a, "2.0")},
                           {"id", id ? id : json_new_null(m->a)},
                           {"result", result}, {"error", error}),
               false, out);
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
        if (json_get(all, "result") || json_get(all, "error"))
            return; /* a reply, but this server sends no requests */
        id = json_get(all, "id");
        fail(&m, RPC_REQUEST, STR("the message has no method"));
    } else {
        id = json_get(all, "id");
        m.params = json_get(all, "params");
        m.params = m.params ? m.params : json_new_object(m.a);
        if (id == NULL)
            return; /* a notification */
        result = read_version(&m) ? result_of(&m) : NULL;
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
