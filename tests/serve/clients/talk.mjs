// talk.mjs PROGRAM LOG: the clients of both eras call every tool of `oomkb mcp`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as modern from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';

const [command, path] = process.argv.slice(2);
const log = fs.readFileSync(path, 'utf8');

async function talk(name, client, transport) {
    await client.connect(transport);
    assert.equal(client.getServerVersion().name, 'oomkb');
    const { tools } = await client.listTools();
    assert.equal(tools.length, 5);
    const call = (name, args) => client.callTool({ name, arguments: args });
    const report = await call('diagnose_log', { log });
    assert.equal(report.structuredContent.findings[0].entry, 'vllm/kv-cache-too-small');
    const fit = await call('fit_memory', {
        command: 'vllm serve Qwen/Qwen2.5-7B-Instruct', facts: ['gpu_name=A10G'] });
    assert.ok(fit.structuredContent.verdict);
    const found = await call('search_entries', { words: 'oom_kill event' });
    assert.ok(found.structuredContent.entries.length > 0);
    const entry = await call('explain_entry', { id: 'slurm/oom-kill', lang: 'zh' });
    assert.match(entry.content[0].text, /Slurm/);
    const linted = await call('lint_file', { path: 'run.sh', facts: ['gpu_name=A10G'],
        text: '#!/bin/sh\nvllm serve Qwen/Qwen2.5-72B-Instruct\n' });
    assert.equal(linted.structuredContent.services[0].verdict, 'does_not_fit');
    assert.equal((await call('explain_entry', { id: 'nope' })).isError, true);
    await assert.rejects(call('nope', {}));
    await client.close();
    console.log(`ok   ${name}`);
}

const start = { command, args: ['mcp'] };
const self = { name: 'oomkb-test', version: '1' };
await talk('sdk 1.x, initialize', new OldClient(self), new OldStdio(start));
await talk('client 2.x, initialize', new modern.Client(self), new ModernStdio(start));
await talk('client 2.x, 2026-07-28',
    new modern.Client(self, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    new ModernStdio(start));
