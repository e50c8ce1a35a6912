/* The package as it is installed: what is in it, how large it is, its types,
 * and the program that it brings. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

import { environment, folder, has, native, run } from './support.mjs'

const tarball = join(dirname(folder), readdirSync(dirname(folder))
  .find(name => /^oomkb-[\d.]+\.tgz$/.test(name)))
const LOG = 'examples/vllm-long-context.log'

test('the tarball: what it holds, at most 6 MB', () => {
  const bytes = readFileSync(tarball)
  assert.ok(bytes.length <= 6e6, `${bytes.length} bytes`)
  const names = run('tar', ['-tzf', tarball]).trim().split('\n')
    .filter(name => !name.endsWith('/')).sort()
  assert.deepEqual(names, ['LICENSE', 'README.md', 'cli.mjs', 'client.cjs',
    'client.d.cts', 'client.d.mts', 'client.mjs', 'engine.mjs', 'error.mjs',
    'index.cjs', 'index.d.cts', 'index.d.mts', 'index.mjs',
    ...['jansson', 'libzstd', 'pcre2', 'sqlite3', 'xz-utils', 'zlib'].map(name => `licences/${name}`),
    'oomkb.db.gz', 'oomkb.wasm', 'package.json', 'worker.mjs']
    .map(name => `package/${name}`))
})

test('no dependency, no script, one version', () => {
  const about = JSON.parse(readFileSync(join(folder, 'package.json')))
  assert.equal(about.dependencies, undefined)
  assert.equal(about.scripts, undefined)
  assert.equal(`oomkb ${about.version}`, native(['version']).stdout.split('\n')[0])
})

test('a page needs no eval', () => {
  for (const name of readdirSync(folder).filter(name => name.endsWith('.mjs'))) {
    assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'),
                        /\beval\(|new Function|require\(/, name)
  }
})

const shelled = (words, input) => {
  const { status, stdout, stderr } = spawnSync(process.execPath,
    [join(folder, 'cli.mjs'), ...words], { input, env: environment, maxBuffer: 1 << 28 })
  return { status, stdout: stdout.toString(), stderr: stderr.toString() }
}

const LINES = [
  [LOG], ['--lang', 'zh', LOG], ['--format', 'json', LOG], ['--format=chat', LOG],
  ['--top', '1', '--why', LOG], ['--all', LOG], ['--redact', LOG], ['diagnose', LOG],
  ['--color', 'always', LOG], ['--set', 'gpu_total=24GiB', LOG],
  [LOG, 'README.md'], ['--format', 'json', LOG, 'no-such-file', 'README.md'],
  ['--format', 'markdown', '--redact', LOG, LOG],
  ['--', 'fit'], ['no-such-file'], ['src'], ['--set', 'gpu_name=A1OG', LOG],
  ['--set', 'gpu', LOG], ['--top', '0', LOG], ['--format', 'pdf', LOG],
  ['--format'], ['--lang', 'fr', LOG], ['--why=1', LOG],
  ['--format', 'json', '--top', 'x', LOG],
  ['fit', '--model', 'Qwen/Qwen2.5-7B', '--gpu', 'L40S', '--max-model-len', '32k'],
  ['fit', '--gpu', 'H100', '--', 'vllm', 'serve', 'Qwen/Qwen3-32B', '-tp', '2'],
  ['fit', '--gpu', 'H100', 'vllm serve Qwen/Qwen3-32B -tp 2'],
  ['fit', '--model', 'Qwen/Qwen2.5-72B', '--gpu', 'A10G'], ['fit', '--gpu', 'A10G'],
  ['fit', '--model', 'Qwen/Qwen2.5-7C'], ['fit', '--from-log', LOG, '--gpu', 'A10G'],
  ['fit', '--model', 'Qwen/Qwen2.5-7B', '--gpu', 'A10G', '--compare', 'A10G,L40S',
   '--format', 'csv'],
  ['fit', '--model', 'Qwen/Qwen2.5-7B', '--gpu', 'A10G', '-tp', '2', '--enforce-eager'],
  ['explain', 'vllm/kv-cache-too-small'], ['explain'], ['explain', 'vllm/nothing'],
  ['explain', '--lang', 'zh', '--format', 'markdown', 'slurm/oom-kill'],
  ['search', 'kv', 'cache', 'too', 'small'], ['search', 'qqqqqqqq'], ['search'],
  ['list', 'vllm'], ['list'], ['list', 'gpus'], ['list', 'nothing'],
  ['list', 'a', 'b'], ['version'], ['--version'], ['version', '--format', 'json'],
]

for (const words of LINES) {
  test(`oomkb ${words.join(' ')}`, () => {
    assert.deepEqual(shelled(words), native(words))
  })
}

test('standard input: a log, none, a healthy one, a damaged one', () => {
  const log = readFileSync(LOG)
  for (const input of [log, '', 'all is well\n', Buffer.from([0x1f, 0x8b, 8, 0, 1])]) {
    assert.deepEqual(shelled([], input), native([], input))
    assert.deepEqual(shelled(['--format', 'jsonl', '-'], input),
                     native(['--format', 'jsonl', '-'], input))
  }
})

test('help, and words that only the native program knows', () => {
  assert.match(shelled(['--help']).stdout, /usage: oomkb/)
  assert.equal(shelled(['help']).status, 0)
  for (const words of [['--follow', LOG], ['--jobs', '2', LOG]]) {
    assert.equal(shelled(words).status, 2, words.join(' '))
  }
})

test('installed by npm into an empty folder', t => {
  if (!has('npm')) return t.skip('needs npm')
  const at = mkdtempSync(join(tmpdir(), 'oomkb-npm-'))
  writeFileSync(join(at, 'package.json'), '{"private":true}')
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: at })
  const found = spawnSync('npx', ['--offline', 'oomkb'],
    { cwd: at, input: readFileSync(LOG), env: { ...environment, npm_config_update_notifier: 'false' } })
  assert.equal(found.stdout.toString(), native([], readFileSync(LOG)).stdout)
  assert.equal(found.status, 0)
  writeFileSync(join(at, 'use.mjs'), `
    import { open } from 'oomkb'
    import { openWorker } from 'oomkb/worker'
    const kb = await openWorker()
    const report = await kb.diagnose('java.lang.OutOfMemoryError: Java heap space')
    console.log((await open()).digest === kb.digest, report.found)
    await kb.end()`)
  assert.equal(run(process.execPath, ['use.mjs'], { cwd: at }), 'true true\n')
  writeFileSync(join(at, 'use.cjs'), `
    const { open, OomkbError } = require('oomkb')
    const { openWorker } = require('oomkb/worker')
    const answers = []
    open().then(async kb => {
      try {
        kb.explain('vllm/nothing')
      } catch (error) {
        answers.push(error instanceof OomkbError, error.kind)
      }
      answers.push(new TypeError() instanceof OomkbError)
      answers.push(kb.diagnose('java.lang.OutOfMemoryError: Java heap space').found)
      const worker = await openWorker()
      answers.push(worker.digest === kb.digest, require('oomkb/package.json').version === kb.version)
      await worker.end()
      console.log(answers.join(' '))
    })`)
  assert.equal(run(process.execPath, ['use.cjs'], { cwd: at }),
               'true usage false true true true\n')
})

test('the types, by TypeScript', t => {
  if (!has('npm')) return t.skip('needs npm')
  const at = mkdtempSync(join(tmpdir(), 'oomkb-tsc-'))
  writeFileSync(join(at, 'package.json'), '{"private":true,"type":"module"}')
  cpSync('tests/js/types.ts', join(at, 'types.ts'))
  cpSync('tests/js/required.cts', join(at, 'required.cts'))
  const got = spawnSync('npm', ['install', '--no-audit', '--no-fund', tarball,
                                'typescript@5.9.3'], { cwd: at })
  if (got.status !== 0) return t.skip('needs the npm registry')
  run('npx', ['tsc', '--strict', '--noEmit', '--module', 'nodenext', '--target',
              'es2022', '--lib', 'es2023,dom,dom.iterable', 'types.ts',
              'required.cts'], { cwd: at })
})
