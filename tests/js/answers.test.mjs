/* What the package answers is what the native program answers, byte for byte. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { native, open, samples } from './support.mjs'

const kb = await open()
const LANGS = ['en', 'zh']

function answered(name, lang) {
  const report = kb.diagnose(readFileSync(name), { lang, inputName: name })
  try {
    return report.write('json', { lang })
  } finally {
    report.free()
  }
}

for (const lang of LANGS) {
  test(`every sample of the corpus, ${lang}`, () => {
    const all = samples()
    assert.ok(all.length >= 900, `${all.length} samples`)
    for (let at = 0; at < all.length; at += 100) {
      const names = all.slice(at, at + 100)
      const { stdout } = native(['--format', 'json', '--lang', lang, ...names])
      const ours = names.map(name => answered(name, lang))
      const list = `[\n${ours.map(json => json.replace(/\n$/, '')).join(',\n')}\n]\n`
      if (list === stdout) continue
      for (const [i, name] of names.entries()) {
        const { stdout: one } = native(['--format', 'json', '--lang', lang, name])
        assert.equal(ours[i], one, name)
      }
      assert.fail('the list differs, and no item of it')
    }
  })
}

function questions() {
  const models = kb.names('models').map(model => model.name)
  const gpus = kb.names('gpus').map(gpu => gpu.name)
  const engines = kb.names('engines').map(engine => engine.name)
  const asked = []
  for (let i = 0; i < 240; i++) {
    const facts = { model: models[(i * 37) % models.length],
                    gpu_name: gpus[(i * 11) % gpus.length],
                    engine: engines[i % engines.length] }
    if (i % 3 === 0) facts.max_model_len = 1024 << i % 8
    if (i % 4 === 0) facts.tensor_parallel = 1 << i % 3
    if (i % 5 === 0) facts.concurrency = 1 + i % 40
    asked.push(facts)
  }
  return asked
}

test('fit, 240 questions', () => {
  const counts = {}
  for (const [i, facts] of questions().entries()) {
    const lang = LANGS[i % 2]
    const words = Object.entries(facts).flatMap(
      ([name, value]) => ['--set', `${name}=${value}`])
    const theirs = native(['fit', '--format', 'json', '--lang', lang, ...words])
    let ours
    try {
      const { text, fits } = kb.fitWrite(facts, 'json', { lang })
      ours = { status: fits > 0 ? 0 : fits === 0 ? 1 : 2, stdout: text, stderr: '' }
    } catch (error) {
      ours = { status: 2, stderr: `oomkb: ${error.message}\n`, stdout:
        JSON.stringify({ schema: 1, error: { code: error.kind, text: error.message } }) + '\n' }
    }
    assert.deepEqual(ours, theirs, JSON.stringify(facts))
    counts[ours.status] = (counts[ours.status] ?? 0) + 1
  }
  assert.ok(counts[0] > 20 && counts[1] > 20, JSON.stringify(counts))
})

test('fit of a command, with a comparison, of a report', () => {
  const command = 'vllm serve Qwen/Qwen3-32B -tp 2 --max-model-len 32k'
  const { stdout } = native(['fit', '--format', 'json', '--gpu', 'H100',
                             '--compare', 'H100,L40S', command])
  const ours = kb.fitWrite({ command, gpu: 'H100', compare: 'H100,L40S' }, 'json')
  assert.equal(ours.text, stdout)
  const log = 'examples/vllm-long-context.log'
  const report = kb.diagnose(readFileSync(log), { inputName: log })
  const theirs = native(['fit', '--format', 'json', '--from-log', log,
                         '--set', 'gpu_name=A10G'])
  assert.equal(kb.fitWrite({ report, gpu_name: 'A10G' }, 'json').text, theirs.stdout)
  report.free()
})

for (const format of ['text', 'markdown', 'html', 'chat', 'jsonl']) {
  test(`the format ${format}`, () => {
    for (const name of samples().filter((_, i) => i % 25 === 0)) {
      const lang = LANGS[name.length % 2]
      const report = kb.diagnose(readFileSync(name), { lang, inputName: name })
      const theirs = native(['--format', format, '--lang', lang, '--why', name])
      assert.equal(report.write(format, { lang, why: true }), theirs.stdout, name)
      report.free()
    }
  })
}

test('entries, searches and lists', () => {
  for (const lang of LANGS) {
    for (const { id } of kb.list().filter((_, i) => i % 10 === 0)) {
      const { stdout } = native(['explain', '--lang', lang, '--format', 'json', id])
      assert.equal(kb.explain(id, { lang, format: 'json' }), stdout, id)
    }
    for (const words of ['kv cache too small', '显存 碎片', 'exit code 137',
                         'nothing of this wrd exists qqqq']) {
      const { stdout } = native(['search', '--lang', lang, '--format', 'json', words])
      assert.equal(kb.searchWrite(words, 'json', { lang }).text, stdout, words)
    }
    for (const what of ['models', 'gpus', 'engines', 'facts', 'components']) {
      const { stdout } = native(['list', '--lang', lang, '--format', 'json', what])
      assert.equal(kb.namesWrite(what, 'json', { lang }).text, stdout, what)
    }
  }
})

test('an answer to a question is what --set says', () => {
  const log = 'examples/vllm-long-context.log'
  const report = kb.diagnose(readFileSync(log), { inputName: log })
  assert.equal(report.questions[0].fact, 'gpu_total')
  assert.throws(() => report.answer({ gpu_name: 'A1OG' }),
                { name: 'OomkbError', kind: 'usage', message: /A10G/ })
  assert.equal(report.write('json'), native(['--format', 'json', log]).stdout)
  report.answer({ gpu_total: '24GiB' })
  assert.equal(report.write('json'),
               native(['--format', 'json', '--set', 'gpu_total=24GiB', log]).stdout)
  report.free()
})
