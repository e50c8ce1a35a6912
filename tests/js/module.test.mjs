/* How the package behaves: pieces, streams, the worker, errors, memory. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

import { folder, open, OomkbError, openWorker, samples } from './support.mjs'

const kb = await open()
const LOG = 'examples/vllm-long-context.log'
const log = readFileSync(LOG)

function textOf(report) {
  try {
    return report.write('json')
  } finally {
    report.free()
  }
}

const wanted = textOf(kb.diagnose(log))

test('text, bytes, pieces and compressed bytes say the same', async () => {
  assert.equal(textOf(kb.diagnose(log.toString())), wanted)
  assert.equal(textOf(kb.diagnose(log.buffer.slice(
    log.byteOffset, log.byteOffset + log.length))), wanted)
  const scan = kb.scan()
  for (const byte of log) scan.feed(new Uint8Array([byte]))
  assert.equal(scan.bytes, log.length)
  assert.equal(textOf(scan.finish()), wanted)
  assert.equal(textOf(kb.diagnose(gzipSync(log))), wanted)
  assert.equal(textOf(await kb.diagnoseStream(new Blob([log]))), wanted)
  assert.equal(textOf(await kb.diagnoseStream(new Blob([log]).stream())), wanted)
  assert.equal(textOf(await kb.diagnoseStream([log.subarray(0, 99), log.subarray(99)])),
               wanted)
})

test('a log of 10 MB tells how far it is, and can be given up', async () => {
  const long = Buffer.concat([Buffer.alloc(10 << 20, 'INFO step 12 loss 0.5\n'), log])
  const seen = []
  const report = await kb.diagnoseStream(new Blob([long]),
    { onProgress: (bytes, all) => seen.push([bytes, all]) })
  assert.equal(report.findings[0].entry, 'vllm/kv-cache-too-small')
  report.free()
  assert.ok(seen.length >= 10)
  assert.deepEqual(seen.at(-1), [long.length, long.length])
  const stop = new AbortController()
  await assert.rejects(kb.diagnoseStream(new Blob([long]),
    { signal: stop.signal, onProgress: () => stop.abort() }), { name: 'AbortError' })
})

test('what nobody knows is found nowhere', () => {
  const report = kb.diagnose('all is well\n')
  assert.equal(report.found, false)
  assert.deepEqual(report.findings, [])
  assert.deepEqual(report.fixes, [])
  assert.equal(report.whole, true)
  assert.equal(report.lines, 1)
  report.free()
})

test('errors say what kind they are', () => {
  const refused = kind => ({ name: 'OomkbError', kind })
  assert.throws(() => kb.diagnose(17), refused('usage'))
  assert.throws(() => kb.diagnose(log, { lang: 'fr' }), refused('usage'))
  assert.throws(() => kb.diagnose(log, { facts: { no_such_fact: 1 } }), refused('usage'))
  assert.throws(() => kb.diagnose(log, { inputName: 'a\0b' }), refused('usage'))
  assert.throws(() => kb.explain('vllm/nothing'), refused('usage'))
  assert.throws(() => kb.fit({ model: 'Qwen/Qwen2.5-7C' }), refused('usage'))
  const report = kb.diagnose(log)
  assert.throws(() => report.write('pdf'), refused('usage'))
  report.free()
  report.free()
  assert.throws(() => report.text(), refused('usage'))
  assert.ok(new OomkbError('io', 'x') instanceof Error)
})

test('damaged compressed input is no whole log', () => {
  const damaged = gzipSync(Buffer.concat([log, log]))
  const report = kb.diagnose(damaged.subarray(0, damaged.length - 40))
  assert.equal(report.whole, false)
  report.free()
})

test('an index that is damaged or cut is refused', async () => {
  const index = readFileSync(`${folder}/oomkb.db.gz`)
  await assert.rejects(open({ index: new Uint8Array(64) }), { kind: 'index' })
  await assert.rejects(open({ index: index.subarray(0, 1 << 20) }))
  await assert.rejects(open({ wasm: `${new URL('file:///')}no/such/file` }))
})

test('two in one program do not know of each other', async () => {
  const other = await open({ wasm: readFileSync(`${folder}/oomkb.wasm`),
                             index: readFileSync(`${folder}/oomkb.db.gz`) })
  const one = kb.diagnose(log)
  assert.equal(textOf(other.diagnose(log)), wanted)
  assert.equal(textOf(one), wanted)
})

test('10,000 diagnoses leave the memory as it was', () => {
  const logs = samples().filter((_, i) => i % 50 === 0).map(name => readFileSync(name))
  const once = i => {
    const report = kb.diagnose(logs[i % logs.length], { facts: { gpu_count: 1 } })
    if (i % 5 === 0) report.text()
    if (i % 50 === 0) assert.throws(() => report.answer({ gpu_name: 'nothing' }))
    report.free()
    if (i % 25 === 0) kb.fit({ model: 'Qwen/Qwen2.5-7B-Instruct', gpu_name: 'A10G' })
    if (i % 100 === 0) kb.search('kv cache')
  }
  for (let i = 0; i < 200; i++) once(i)
  const used = kb.usedBytes
  const all = kb.memoryBytes
  for (let i = 0; i < 10000; i++) once(i)
  assert.equal(kb.usedBytes, used)
  assert.equal(kb.memoryBytes, all)
})

test('the worker answers the same', async () => {
  const remote = await openWorker()
  assert.equal(remote.digest, kb.digest)
  const seen = []
  const report = await remote.diagnose(log, { onProgress: (...p) => seen.push(p) })
  assert.equal(report.found, true)
  assert.equal(await report.write('json'), wanted)
  assert.deepEqual(seen.at(-1), [log.length, log.length])
  await report.answer({ gpu_total: '24GiB' })
  assert.notEqual(await report.write('json'), wanted)
  await assert.rejects(report.answer({ no_such_fact: 1 }),
                       { name: 'OomkbError', kind: 'usage' })
  assert.deepEqual(await remote.fit({ report, gpu_name: 'A10G' }),
                   kb.fit({ report: kb.diagnose(log).answer({ gpu_total: '24GiB' }),
                            gpu_name: 'A10G' }))
  await report.free()
  await assert.rejects(report.text(), { name: 'OomkbError' })
  assert.equal((await remote.search('kv cache too small'))[0].id,
               kb.search('kv cache too small')[0].id)
  const [one, two] = await Promise.all([
    remote.diagnose(new Blob([log])), remote.diagnose('all is well\n')])
  assert.deepEqual([one.found, two.found], [true, false])
  await remote.end()
})
