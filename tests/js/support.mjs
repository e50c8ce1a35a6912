/* What the tests of the npm package share: where things are, and the native
 * program, which they are held against. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export const program = resolve(process.env.OOMKB ?? 'build/oomkb')
export const folder = resolve(process.env.OOMKB_NPM ?? 'build/wasm/npm')
export const { open, OomkbError } =
  await import(pathToFileURL(join(folder, 'index.mjs')))
export const { openWorker } =
  await import(pathToFileURL(join(folder, 'client.mjs')))

/** No reports of whoever runs the tests, no language of theirs. */
export const environment = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8',
                             HOME: mkdtempSync(join(tmpdir(), 'oomkb-js-')) }

export function native(words, input) {
  const { status, stdout, stderr } = spawnSync(program, words,
    { input, env: environment, maxBuffer: 1 << 30 })
  return { status, stdout: stdout.toString(), stderr: stderr.toString() }
}

export function run(file, words, options = {}) {
  return execFileSync(file, words, { encoding: 'utf8', stdio: 'pipe', ...options })
}

export function has(command) {
  return spawnSync(command, ['--version']).status === 0
}

/** Every sample of the corpus. */
export function samples() {
  return readdirSync('entries', { recursive: true })
    .filter(name => name.endsWith('.log')).sort()
    .map(name => join('entries', name))
}
