/* oomkb: which known out-of-memory failure a log shows, why, and what helps.
 *
 *     import { open } from 'oomkb'
 *     const kb = await open()
 *     const report = kb.diagnose(log)
 *     if (report.found) console.log(report.text())
 *     report.free()
 *
 * The engine is one WebAssembly module with one thread. What is here lays
 * arguments into its memory and takes texts out; js/bridge.c is the other side.
 * Nothing is sent anywhere: what is read is the package's own two files.
 */
import newEngine from './engine.mjs'
import { OomkbError } from './error.mjs'

const KINDS = ['', 'memory', 'ceiling', 'usage', 'io', 'index', 'input']
const CHUNK_BYTES = 1 << 20
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export { OomkbError }

/* ---- the two files ---- */

/** A place in a page counts from the page. */
const base = typeof location === 'object' ? location.href : import.meta.url

async function bytesOf(from, name) {
  let what = await (from ?? new URL(name, import.meta.url))
  if (typeof what === 'string') what = new URL(what, base)
  if (what instanceof URL && what.protocol === 'file:') {
    const { readFile } = await import(/* @vite-ignore */ 'node:fs/promises')
    return readFile(what)
  }
  if (what instanceof URL) what = await fetch(what)
  if (typeof Response === 'function' && what instanceof Response) {
    if (!what.ok) throw new OomkbError('io', `${what.url}: ${what.status}`)
    what = await what.arrayBuffer()
  }
  return what instanceof ArrayBuffer ? new Uint8Array(what)
    : new Uint8Array(what.buffer, what.byteOffset, what.byteLength)
}

/** The index lies there compressed; a server may have decompressed it. */
async function inflated(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  const stream = new Blob([bytes]).stream()
    .pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

async function instance(wasm) {
  return new Promise((resolve, reject) => {
    newEngine({
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(wasm, imports)
          .then(made => done(made.instance ?? made), reject)
        return {}
      },
    }).then(resolve, reject)
  })
}

/** Reads the package's two files and opens the knowledge base. `from.wasm` and
 * `from.index`: other places, or the bytes. */
export async function open(from = {}) {
  const [wasm, index] = await Promise.all([
    from.wasm instanceof WebAssembly.Module ? from.wasm
      : bytesOf(from.wasm, './oomkb.wasm'),
    bytesOf(from.index, './oomkb.db.gz').then(inflated)])
  const engine = new Engine(await instance(wasm))
  const room = engine.c._js_index_room(index.length)
  if (!room) throw new OomkbError('memory', 'out of memory for the index')
  engine.c.HEAPU8.set(index, room)
  engine.check(engine.c._js_open())
  return new KnowledgeBase(engine)
}

/* ---- the module's memory ---- */

/** Things laid out for one call, all released behind it. */
class Frame {
  constructor(c) {
    this.c = c
    this.blocks = []
  }

  room(bytes) {
    const at = this.c._malloc(bytes || 1)
    if (!at) throw new OomkbError('memory', 'out of memory for an argument')
    this.blocks.push(at)
    return at
  }

  bytes(data) {
    const at = this.room(data.length)
    this.c.HEAPU8.set(data, at)
    return at
  }

  /** NUL ends a text: what stands behind one would be lost without a word. */
  text(value) {
    if (value === undefined || value === null) return 0
    const text = String(value)
    if (text.includes('\0')) {
      throw new OomkbError('usage', 'a NUL byte in an argument')
    }
    return this.bytes(encoder.encode(text + '\0'))
  }

  words(values) {
    const at = this.room(4 * values.length)
    this.c.HEAPU32.set(values, at >> 2)
    return at
  }

  texts(values) {
    if (!values || values.length === 0) return 0
    return this.words([...values.map(value => this.text(value)), 0])
  }

  /** As struct js_options of bridge.c. */
  options(o = {}) {
    return this.words([
      this.text(o.lang), this.text(o.inputName), this.texts(factList(o.facts)),
      this.texts(factList(o.machine)), this.texts(o.ownReports),
      o.width ?? 0, o.top ?? 0, o.color ? 1 : 0, o.why ? 1 : 0,
      o.redact ? 1 : 0, o.all ? 1 : 0])
  }

  end() {
    for (const block of this.blocks) this.c._free(block)
  }
}

/** {gpu_name: 'A10G'}, or ["gpu_name=A10G"] as it is. */
function factList(facts) {
  if (!facts || Array.isArray(facts)) return facts
  return Object.entries(facts).map(([name, value]) => `${name}=${value}`)
}

class Engine {
  constructor(c) {
    this.c = c
  }

  string(at) {
    const heap = this.c.HEAPU8
    return decoder.decode(heap.subarray(at, heap.indexOf(0, at)))
  }

  refused() {
    return new OomkbError(KINDS[this.c._js_error_code()] || 'unknown',
                          this.string(this.c._js_error()))
  }

  check(code) {
    if (code !== 0) throw this.refused()
  }

  /** call(frame) with what it lays out. */
  framed(call) {
    const frame = new Frame(this.c)
    try {
      return call(frame)
    } finally {
      frame.end()
    }
  }

  /** The same of a call that writes: its text. */
  written(call) {
    return this.framed(frame => {
      try {
        this.check(call(frame))
        const at = this.c._js_out()
        return decoder.decode(
          this.c.HEAPU8.subarray(at, at + this.c._js_out_bytes()))
      } finally {
        this.c._js_out_done()
      }
    })
  }
}

/* What nobody freed is freed once nobody can reach it any more. */
const forgotten = new FinalizationRegistry(({ c, handle, release }) =>
  c[release](handle))

class Handle {
  #engine
  #handle
  #release

  constructor(engine, handle, release) {
    this.#engine = engine
    this.#handle = handle
    this.#release = release
    forgotten.register(this, { c: engine.c, handle, release }, this)
  }

  get engine() {
    return this.#engine
  }

  get handle() {
    if (!this.#handle) throw new OomkbError('usage', 'it was freed before')
    return this.#handle
  }

  /** The handle, which from now on is somebody else's to free. */
  take() {
    const handle = this.handle
    forgotten.unregister(this)
    this.#handle = 0
    return handle
  }

  free() {
    if (this.#handle) this.#engine.c[this.#release](this.take())
  }
}

/* ---- reports ---- */

export class Report extends Handle {
  constructor(engine, handle) {
    super(engine, handle, '_js_report_free')
  }

  /** Was a known failure found? */
  get found() {
    return this.engine.c._js_report_failures(this.handle) > 0
  }

  /** Was all of the input read? Not if compressed data was damaged. */
  get whole() {
    return this.engine.c._js_report_is_whole(this.handle) !== 0
  }

  /** How many lines were read. */
  get lines() {
    this.engine.c._js_report_is_whole(this.handle)
    return this.engine.c._js_lines()
  }

  write(format = 'text', options = {}) {
    return this.engine.written(f => this.engine.c._js_report_write(
      this.handle, f.text(format), f.options(options)))
  }

  text(options) {
    return this.write('text', options)
  }

  markdown(options) {
    return this.write('markdown', options)
  }

  /** The report as report.schema.json describes it. */
  toObject(options) {
    return JSON.parse(this.write('json', options))
  }

  toJSON() {
    return this.toObject()
  }

  get findings() {
    return this.toObject().findings
  }

  /** Those of the first finding, best first. */
  get fixes() {
    return this.findings[0]?.fixes ?? []
  }

  get questions() {
    return this.toObject().questions
  }

  /** Answers questions of the report: it is worked out anew, without the log.
   * After an error it is as it was after the answer before. */
  answer(facts) {
    for (const said of factList(facts) ?? []) {
      this.engine.framed(f => this.engine.check(
        this.engine.c._js_report_answer(this.handle, f.text(said))))
    }
    return this
  }
}

/** A log that comes in pieces. */
export class Scan extends Handle {
  #fed = 0

  constructor(engine, options) {
    const handle = engine.framed(f => engine.c._js_scan_new(f.options(options)))
    if (!handle) throw engine.refused()
    super(engine, handle, '_js_scan_free')
  }

  /** Bytes that were fed. */
  get bytes() {
    return this.#fed
  }

  feed(piece) {
    const bytes = bytesOfLog(piece)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const part = bytes.subarray(at, at + CHUNK_BYTES)
      this.engine.framed(f => this.engine.check(
        this.engine.c._js_scan_feed(this.handle, f.bytes(part), part.length)))
    }
    this.#fed += bytes.length
    return this
  }

  /** Ends the scan, also on an error. */
  finish() {
    const report = this.engine.c._js_scan_finish(this.take())
    if (!report) throw this.engine.refused()
    return new Report(this.engine, report)
  }
}

function bytesOfLog(log) {
  if (typeof log === 'string') return encoder.encode(log)
  if (log instanceof ArrayBuffer) return new Uint8Array(log)
  if (ArrayBuffer.isView(log)) {
    return new Uint8Array(log.buffer, log.byteOffset, log.byteLength)
  }
  throw new OomkbError('usage', 'a log is text or bytes')
}

/** Pieces of a Blob, of a web stream or of anything that can be iterated. */
async function* piecesOf(source) {
  if (typeof Blob === 'function' && source instanceof Blob) {
    for (let at = 0; at < source.size; at += CHUNK_BYTES) {
      yield source.slice(at, at + CHUNK_BYTES).arrayBuffer()
    }
  } else if (typeof source.getReader === 'function') {
    const reader = source.getReader()
    try {
      for (let next; !(next = await reader.read()).done;) yield next.value
    } finally {
      reader.releaseLock()
    }
  } else {
    yield* source
  }
}

/* ---- the knowledge base ---- */

export class KnowledgeBase {
  #engine

  constructor(engine) {
    this.#engine = engine
  }

  get version() {
    return this.#engine.string(this.#engine.c._js_version())
  }

  /** Names this knowledge base: 32 hexadecimal digits. */
  get digest() {
    return this.#engine.string(this.#engine.c._js_digest())
  }

  get entryCount() {
    return this.#engine.c._js_entry_count()
  }

  /** Bytes of the module's memory: it grows and never shrinks. */
  get memoryBytes() {
    return this.#engine.c.HEAPU8.length
  }

  /** Of it, what is in use now. */
  get usedBytes() {
    return this.#engine.c._js_used_bytes()
  }

  /** A text of the program ("cli.error.format"), "" when there is none. */
  message(key, lang = 'en') {
    return this.#engine.framed(f => this.#engine.string(
      this.#engine.c._js_text(f.text(lang), f.text(key))))
  }

  scan(options) {
    return new Scan(this.#engine, options)
  }

  /** What a log shows. log: text, or bytes, which may be compressed. */
  diagnose(log, options) {
    const bytes = bytesOfLog(log)
    const scan = this.scan(options)
    try {
      return scan.feed(bytes).finish()
    } finally {
      scan.free()
    }
  }

  /** The same of a Blob, a web stream, or an iterable of pieces. Behind each
   * piece onProgress(bytes, of all, where that is known) is told.
   * options.signal stops it. */
  async diagnoseStream(source, options = {}) {
    const scan = this.scan(options)
    const all = options.totalBytes ?? source.size
    try {
      for await (const piece of piecesOf(source)) {
        options.signal?.throwIfAborted()
        scan.feed(piece)
        options.onProgress?.(scan.bytes, all)
      }
      return scan.finish()
    } finally {
      scan.free()
    }
  }

  /** Does a model fit? question: facts (model, engine, gpu_name,
   * max_model_len ...; flags as the engine spells them), or `command`. An
   * object as fit.schema.json describes it, or text where a format is named. */
  fit(question, options = {}) {
    const answer = this.fitWrite(question, options.format ?? 'json', options)
    return options.format ? answer.text : JSON.parse(answer.text)
  }

  /** The text, and `fits`: 1 it does, 2 it is likely to, 0 it does not, -1 not
   * known. */
  fitWrite(question, format = 'text', options = {}) {
    const { command, config, configName, compare, sweep, report, facts,
            ...more } = typeof question === 'string' ? { command: question }
      : question
    const all = [...factList(facts) ?? [], ...factList(more)]
    const text = this.#engine.written(f => this.#engine.c._js_fit_write(
      f.words([f.texts(all), config ? f.bytes(bytesOfLog(config)) : 0,
               config ? bytesOfLog(config).length : 0,
               config ? f.text(configName ?? 'config') : 0, f.text(compare),
               f.text(sweep), report?.handle ?? 0, f.text(command)]),
      f.text(format), f.options(options)))
    return { text, fits: this.#engine.c._js_fits() }
  }

  /** One entry, by id: Markdown, or what format says. */
  explain(id, options = {}) {
    return this.#engine.written(f => this.#engine.c._js_entry_write(
      f.text(id), f.text(options.format ?? 'markdown'), f.options(options)))
  }

  /** The text, and how many entries are in it. */
  #counted(call) {
    const text = this.#engine.written(call)
    return { text, count: this.#engine.c._js_count() }
  }

  /** Entries for a pasted message or a few words, best first. */
  search(words, options = {}) {
    return JSON.parse(this.searchWrite(words, 'json', options).text).entries
  }

  searchWrite(words, format = 'text', options = {}) {
    return this.#counted(f => this.#engine.c._js_search_write(
      f.text(words), f.text(format), f.options(options)))
  }

  /** Entries of a component ("vllm"), by id; of all without one. */
  list(component, options = {}) {
    return JSON.parse(this.listWrite(component, 'json', options).text).entries
  }

  listWrite(component, format = 'text', options = {}) {
    return this.#counted(f => this.#engine.c._js_list_write(
      f.text(component), f.text(format), f.options(options)))
  }

  /** "models", "gpus", "engines", "facts" or "components". */
  names(what, options = {}) {
    return JSON.parse(this.namesWrite(what, 'json', options).text)[what]
  }

  namesWrite(what, format = 'text', options = {}) {
    return this.#counted(f => this.#engine.c._js_names_write(
      f.text(what), f.text(format), f.options(options)))
  }
}
