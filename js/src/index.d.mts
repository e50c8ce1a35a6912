/** A value of a fact: a size has its unit ("24GiB"), a bare number is a count,
 * or bytes where the fact is an amount of memory. */
export type Facts = Record<string, string | number> | string[]
export type Lang = 'en' | 'zh'
export type Format = 'text' | 'json' | 'jsonl' | 'markdown' | 'html' | 'chat' | 'csv'
export type Kind = 'memory' | 'ceiling' | 'usage' | 'io' | 'index' | 'input' | 'unknown'
export type Bytes = ArrayBuffer | ArrayBufferView
export type Source = Blob | ReadableStream<Bytes | string> |
  AsyncIterable<Bytes | string> | Iterable<Bytes | string>
/** What a schema of the project describes: report, entry or fit. */
export type Json = { [key: string]: any }

/** What the engine refused; the message says what would be right. */
export class OomkbError extends Error {
  constructor(kind: Kind, text: string)
  readonly kind: Kind
}

export interface ReadOptions {
  lang?: Lang
  /** The name of the log in the report; "-" by default. */
  inputName?: string
  /** What the log does not say; wins over it: { gpu_name: 'A10G' }. */
  facts?: Facts
  /** What is known of the machine at hand; used where the log says nothing. */
  machine?: Facts
  /** "ENTRY FIX worked" or "ENTRY FIX failed", one for each attempt. */
  ownReports?: string[]
}

export interface StreamOptions extends ReadOptions {
  /** Bytes read, and bytes of all, where that is known. */
  onProgress?: (bytes: number, all?: number) => void
  totalBytes?: number
  signal?: AbortSignal
}

export interface WriteOptions {
  lang?: Lang
  /** Columns of text: 80 by default, 60 at least. */
  width?: number
  /** Fixes of a finding; 0: all. */
  top?: number
  color?: boolean
  why?: boolean
  all?: boolean
  redact?: boolean
}

export interface Fix extends Json {
  id: string
  action: string
}

export interface Finding extends Json {
  entry: string
  title: string
  role: string
  severity: string
  fixes: Fix[]
}

export interface Question extends Json {
  fact: string
  ask: string
}

export interface ReportObject extends Json {
  schema: number
  findings: Finding[]
  questions: Question[]
}

export class Report {
  private constructor()
  /** Was a known failure found? */
  readonly found: boolean
  /** Was all of the input read? */
  readonly whole: boolean
  readonly lines: number
  readonly findings: Finding[]
  /** Those of the first finding, best first. */
  readonly fixes: Fix[]
  readonly questions: Question[]
  write(format?: Format, options?: WriteOptions): string
  text(options?: WriteOptions): string
  markdown(options?: WriteOptions): string
  toObject(options?: WriteOptions): ReportObject
  toJSON(): ReportObject
  answer(facts: Facts): this
  free(): void
}

export class Scan {
  private constructor()
  readonly bytes: number
  feed(piece: string | Bytes): this
  finish(): Report
  free(): void
}

export interface FitQuestion {
  /** What starts the engine: "vllm serve MODEL -tp 2"; facts win over it. */
  command?: string
  /** model, engine, gpu_name, max_model_len, concurrency ...; flags as the
   * engine spells them. Those named beside `facts` count as well. */
  facts?: Facts
  /** A config.json, or the front of a GGUF file. */
  config?: string | Bytes
  configName?: string
  /** "H100,L40S" or "tensor_parallel=1,2,4" */
  compare?: string
  sweep?: 'max_model_len'
  [fact: string]: unknown
}

export interface FitObject extends Json {
  schema: number
  verdict: string
}

/** 1 it fits, 2 it is likely to, 0 it does not, -1 not known. */
export interface FitText {
  text: string
  fits: 1 | 2 | 0 | -1
}

export interface CountedText {
  text: string
  count: number
}

export interface EntrySummary extends Json {
  id: string
  title: string
}

export class KnowledgeBase {
  private constructor()
  readonly version: string
  readonly digest: string
  readonly entryCount: number
  readonly memoryBytes: number
  readonly usedBytes: number
  diagnose(log: string | Bytes, options?: ReadOptions): Report
  diagnoseStream(source: Source, options?: StreamOptions): Promise<Report>
  scan(options?: ReadOptions): Scan
  fit(question: string | FitQuestion & { report?: Report }, options?: WriteOptions & { format?: undefined }): FitObject
  fit(question: string | FitQuestion & { report?: Report }, options: WriteOptions & { format: Format }): string
  fitWrite(question: string | FitQuestion & { report?: Report }, format?: Format, options?: WriteOptions): FitText
  explain(id: string, options?: WriteOptions & { format?: Format }): string
  search(words: string, options?: WriteOptions): EntrySummary[]
  searchWrite(words: string, format?: Format, options?: WriteOptions): CountedText
  list(component?: string, options?: WriteOptions): EntrySummary[]
  listWrite(component?: string, format?: Format, options?: WriteOptions): CountedText
  names(what: 'models' | 'gpus' | 'engines' | 'facts' | 'components', options?: WriteOptions): Json[]
  namesWrite(what: string, format?: Format, options?: WriteOptions): CountedText
  message(key: string, lang?: Lang): string
}

export type Place = string | URL | Response | Bytes
export interface Places {
  wasm?: Place | WebAssembly.Module | Promise<Place>
  index?: Place | Promise<Place>
}

export function open(from?: Places): Promise<KnowledgeBase>
