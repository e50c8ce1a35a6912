/* worker.mjs: the engine in a thread of its own; client.mjs talks to it.
 *
 *     {id, method, args, report}  a call, of that report or of the knowledge base
 *     {id, abort: true}           gives that call up
 * and back
 *     {id, value} | {id, error} | {id, progress: [bytes, of all]}
 *
 * A report stays here: what goes out is its number and what it is.
 */
import { open, OomkbError, Report } from './index.mjs'

const port = typeof self === 'object' && typeof self.postMessage === 'function'
  ? self : (await import(/* @vite-ignore */ 'node:worker_threads')).parentPort
const reports = new Map()
const aborts = new Map()
let kb
let last = 0

function keep(report) {
  reports.set(++last, report)
  return { report: last, found: report.found, whole: report.whole,
           lines: report.lines }
}

const calls = {
  async open(from) {
    kb = await open(from)
    return { version: kb.version, digest: kb.digest,
             entryCount: kb.entryCount }
  },

  async diagnose(id, log, options) {
    const abort = new AbortController()
    aborts.set(id, abort)
    try {
      return await kb.diagnoseStream(
        typeof log === 'string' || ArrayBuffer.isView(log) ||
          log instanceof ArrayBuffer ? new Blob([log]) : log,
        { ...options, signal: abort.signal, onProgress: (bytes, all) =>
          port.postMessage({ id, progress: [bytes, all] }) })
    } finally {
      aborts.delete(id)
    }
  },
}

/** A report in a question stands for itself. */
function known(number) {
  const report = reports.get(number)
  if (!report) throw new OomkbError('usage', 'it was freed before')
  return report
}

function withReport(question) {
  return question && typeof question === 'object' && question.report
    ? { ...question, report: known(question.report) } : question
}

async function answer({ id, method, args, report }) {
  if (report) {
    const of = known(report)
    if (method === 'free') reports.delete(report)
    const value = of[method](...args)
    return value === of ? { found: of.found } : value
  }
  if (method === 'open') return calls.open(...args)
  if (method === 'diagnose') return calls.diagnose(id, ...args)
  if (method.startsWith('fit')) args[0] = withReport(args[0])
  return kb[method](...args)
}

async function receive(message) {
  const { id } = message
  if (message.abort) {
    aborts.get(id)?.abort()
    return
  }
  try {
    const value = await answer(message)
    port.postMessage({ id, value: value instanceof Report ? keep(value)
      : value })
  } catch (error) {
    port.postMessage({ id, error: { name: error.name, kind: error.kind,
                                    message: error.message } })
  }
}

if (port === globalThis.self) {
  port.onmessage = event => receive(event.data)
} else {
  port.on('message', receive)
}
