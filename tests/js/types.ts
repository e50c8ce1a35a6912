/* Read by tsc only: calls that must be taken, and some that must not. */
import { open, OomkbError, type KnowledgeBase, type Report } from 'oomkb'
import { openWorker } from 'oomkb/worker'

const kb: KnowledgeBase = await open()
const report: Report = kb.diagnose('log', { lang: 'zh', facts: { gpu_count: 2 } })
const action: string = report.fixes[0].action
const ask: string = report.questions[0].ask
report.answer({ gpu_name: 'A10G' }).answer(['gpu_count=2']).free()
const verdict: string = kb.fit({ model: 'm', gpu_name: 'A10G' }).verdict
const text: string = kb.fit('vllm serve m', { format: 'text' })
const id: string = kb.search('kv cache')[0].id
const streamed: Report = await kb.diagnoseStream(new Blob(['x']),
  { onProgress: (bytes: number, all?: number) => void (bytes + (all ?? 0)) })
const scan = kb.scan().feed(new Uint8Array(3))
const worker = await openWorker({ worker: new URL('https://a.example/worker.mjs') })
const found: boolean = (await worker.diagnose(new Blob(['x']))).found
const kind: string = new OomkbError('usage', 'x').kind
void [action, ask, verdict, text, id, streamed, scan, found, kind]

// @ts-expect-error a log is text or bytes
kb.diagnose(17)
// @ts-expect-error there are two languages
kb.diagnose('log', { lang: 'fr' })
// @ts-expect-error a format that does not exist
report.write('pdf')
