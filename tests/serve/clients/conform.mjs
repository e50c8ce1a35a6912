// conform.mjs PROGRAM: the protocol's conformance suite, as far as it asks what any
// server has. The suite speaks HTTP: each of its messages is handed to `oomkb mcp` and
// the answer back, unread. Its other scenarios call tools of a server made for it.
import http from 'node:http';
import { spawn } from 'node:child_process';
import readline from 'node:readline';

const program = process.argv[2];
const scenarios = ['server-initialize', 'ping', 'tools-list'];

/** One `oomkb mcp`; ask(message) gives its answer, undefined for a notification. */
function server() {
    const child = spawn(program, ['mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const waiting = new Map();
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
        const { id } = JSON.parse(line);
        waiting.get(id)?.(line);
        waiting.delete(id);
    });
    const ask = (message) => {
        child.stdin.write(JSON.stringify(message) + '\n');
        return message.id === undefined ? undefined
            : new Promise((resolve) => waiting.set(message.id, resolve));
    };
    return { ask, end: () => child.stdin.end() };
}

async function body(request) {
    const parts = [];
    for await (const part of request) parts.push(part);
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

async function reply(mcp, request, response) {
    if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
    }
    const line = await mcp.ask(await body(request));
    response.writeHead(line ? 200 : 202, { 'Content-Type': 'application/json' });
    response.end(line);
}

function run(url, scenario) {
    const child = spawn('npx', ['conformance', 'server', '--url', url, '--scenario', scenario],
        { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (part) => { said += part; });
    child.stderr.on('data', (part) => { said += part; });
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, said })));
}

let failed = 0;
for (const scenario of scenarios) {
    const mcp = server();
    const web = http.createServer((request, response) => reply(mcp, request, response));
    await new Promise((resolve) => web.listen(0, '127.0.0.1', resolve));
    const { status, said } = await run(`http://127.0.0.1:${web.address().port}/mcp`, scenario);
    console.log(`${status === 0 ? 'ok  ' : 'FAIL'} conformance: ${scenario}`);
    if (status !== 0) console.log(said);
    failed += status !== 0;
    web.close();
    web.closeAllConnections();
    mcp.end();
}
process.exit(failed ? 1 : 0);
