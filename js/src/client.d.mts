import type {
  Bytes, CountedText, EntrySummary, Facts, FitObject, FitQuestion, FitText,
  Format, Json, Lang, Place, ReadOptions, ReportObject, StreamOptions,
  WriteOptions,
} from './index.mjs'

export class WorkerReport {
  private constructor()
  readonly found: boolean
  readonly whole: boolean
  readonly lines: number
  write(format?: Format, options?: WriteOptions): Promise<string>
  text(options?: WriteOptions): Promise<string>
  markdown(options?: WriteOptions): Promise<string>
  toObject(options?: WriteOptions): Promise<ReportObject>
  answer(facts: Facts): Promise<this>
  free(): Promise<void>
}

type Question = string | FitQuestion & { report?: WorkerReport }

export class WorkerKnowledgeBase {
  private constructor()
  readonly version: string
  readonly digest: string
  readonly entryCount: number
  diagnose(log: string | Bytes | Blob | ReadableStream<Bytes>, options?: StreamOptions): Promise<WorkerReport>
  fit(question: Question, options?: WriteOptions & { format?: undefined }): Promise<FitObject>
  fit(question: Question, options: WriteOptions & { format: Format }): Promise<string>
  fitWrite(question: Question, format?: Format, options?: WriteOptions): Promise<FitText>
  explain(id: string, options?: WriteOptions & { format?: Format }): Promise<string>
  search(words: string, options?: WriteOptions): Promise<EntrySummary[]>
  list(component?: string, options?: WriteOptions): Promise<EntrySummary[]>
  names(what: 'models' | 'gpus' | 'engines' | 'facts' | 'components', options?: WriteOptions): Promise<Json[]>
  message(key: string, lang?: Lang): Promise<string>
  end(): void | Promise<number>
}

export interface WorkerPlaces {
  wasm?: Place | WebAssembly.Module
  index?: Place
  /** Where worker.mjs lies, or a Worker that runs it. */
  worker?: string | URL | Worker
}

export function openWorker(from?: WorkerPlaces): Promise<WorkerKnowledgeBase>
