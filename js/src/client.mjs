/* client.mjs: the knowledge base in a Worker, so that no page and no server
 * stands still while a long log is read. The calls are those of index.mjs, and
 * each gives a promise.
 *
 *     import { openWorker } from 'oomkb/worker'
 *     const kb = await openWorker()
 *     const report = await kb.diagnose(file, { onProgress: showBytes })
 *     console.log(report.found, await report.text())
 */
import { OomkbError } from './error.mjs'

async function newWorker(url) {
  if (typeof Worker === 'function') return new Worker(url, { type: 'module' })
  const threads = await import(/* @vite-ignore */ 'node:worker_threads')
  return new threads.Worker(url)
}

function errorOf({ name, kind, message }) {
  if (name === 'OomkbError') return new OomkbError(kind, message)
  return Object.assign(new Error(message), { name })
}

class Line {
  #worker
  #waiting = new Map()
  #last = 0

  constructor(worker) {
    this.#worker = worker
    const broken = event => this.#end(new Error(
      event.message ?? 'the worker ended'))
    if (worker.on) {
      worker.on('message', message => this.#receive(message))
      worker.on('error', broken)
      worker.on('exit', () => broken({}))
    } else {
      worker.onmessage = event => this.#receive(event.data)
      worker.onerror = broken
    }
  }

  #receive({ id, value, error, progress }) {
    const call = this.#waiting.get(id)
    if (!call) return
    if (progress) {
      call.onProgress?.(...progress)
      return
    }
    this.#release(id)
    if (error) call.reject(errorOf(error))
    else call.resolve(value)
  }

  /* Node stays for a worker that is asked something, and for no other. */
  #release(id) {
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#worker.unref?.()
  }

  #end(error) {
    for (const [id, call] of this.#waiting) {
      this.#release(id)
      call.reject(error)
    }
  }

  call(message, { onProgress, signal, transfer } = {}) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const id = ++this.#last
      this.#waiting.set(id, { resolve, reject, onProgress })
      signal?.addEventListener('abort', () =>
        this.#worker.postMessage({ id, abort: true }), { once: true })
      this.#worker.ref?.()
      this.#worker.postMessage({ ...message, id }, transfer)
    })
  }

  end() {
    this.#end(new Error('the worker was ended'))
    return this.#worker.terminate()
  }
}

/** As Report of index.mjs; found, whole and lines are known at once. */
export class WorkerReport {
  #line
  #number

  constructor(line, { report, found, whole, lines }) {
    this.#line = line
    this.#number = report
    Object.assign(this, { found, whole, lines })
  }

  get number() {
    return this.#number
  }

  #call(method, ...args) {
    return this.#line.call({ report: this.#number, method, args })
  }

  write(format, options) {
    return this.#call('write', format, options)
  }

  text(options) {
    return this.#call('text', options)
  }

  markdown(options) {
    return this.#call('markdown', options)
  }

  toObject(options) {
    return this.#call('toObject', options)
  }

  async answer(facts) {
    Object.assign(this, await this.#call('answer', facts))
    return this
  }

  free() {
    return this.#call('free')
  }
}

export class WorkerKnowledgeBase {
  #line

  constructor(line, about) {
    this.#line = line
    Object.assign(this, about)
  }

  #call(method, ...args) {
    return this.#line.call({ method, args })
  }

  /** log: text, bytes, a Blob or a File, or a web stream, which goes over. */
  async diagnose(log, { onProgress, signal, ...options } = {}) {
    const transfer = typeof ReadableStream === 'function' &&
      log instanceof ReadableStream ? [log] : undefined
    return new WorkerReport(this.#line, await this.#line.call(
      { method: 'diagnose', args: [log, options] },
      { onProgress, signal, transfer }))
  }

  fit(question, options) {
    return this.#call('fit', withNumber(question), options)
  }

  fitWrite(question, format, options) {
    return this.#call('fitWrite', withNumber(question), format, options)
  }

  explain(id, options) {
    return this.#call('explain', id, options)
  }

  search(words, options) {
    return this.#call('search', words, options)
  }

  list(component, options) {
    return this.#call('list', component, options)
  }

  names(what, options) {
    return this.#call('names', what, options)
  }

  message(key, lang) {
    return this.#call('message', key, lang)
  }

  /** Ends the worker, and with it every report. */
  end() {
    return this.#line.end()
  }
}

function withNumber(question) {
  return question?.report ? { ...question, report: question.report.number }
    : question
}

/** from.wasm, from.index: as of open(); from.worker: the address of
 * worker.mjs where a page keeps it elsewhere, or a Worker. */
export async function openWorker({ worker, ...from } = {}) {
  const made = worker && typeof worker.postMessage === 'function' ? worker
    : await newWorker(worker ?? new URL('./worker.mjs', import.meta.url))
  const line = new Line(made)
  const base = typeof location === 'object' ? location.href : import.meta.url
  const places = Object.fromEntries(Object.entries(from).map(([name, what]) =>
    [name, typeof what === 'string' || what instanceof URL
      ? new URL(what, base).href : what]))
  return new WorkerKnowledgeBase(line, await line.call(
    { method: 'open', args: [places] }))
}
