/* mcp.h: oomkb as a server of the Model Context Protocol, for agents.
 *
 * JSON-RPC 2.0, one message a line (the stdio transport). Two forms of the
 * protocol are supported: up to 2025-11-25 a client sends `initialize` first;
 * from 2026-07-28 each request has its version in `_meta`, and
 * `server/discover` lists what is supported.
 * https://modelcontextprotocol.io/specification
 *
 *   tool            arguments                          result
 *   diagnose_log    log, lang, facts                   the report
 *   fit_memory      command or facts, lang             the answer of `fit`
 *   search_entries  words, lang                        entries, best first
 *   explain_entry   id, lang                           one entry
 *   lint_file       path, text, facts, lang            the findings of `lint`
 *
 * Each result has Markdown as text (lint_file: plain text), and the JSON of kb/
 * (report.schema.json, fit.schema.json, list.schema.json, entry.schema.json;
 * lint_file: of `lint --format json`) as structured content.
 */
#ifndef SERVE_MCP_H
#define SERVE_MCP_H

#include <oomkb/oomkb.h>

#include "base/arena.h"
#include "base/buf.h"

/* Answer one message. out gets one line without its newline, or nothing if the
 * message needs no reply. False: out of memory. */
bool mcp_answer(oomkb *kb, struct str message, struct buf *out);

#endif
