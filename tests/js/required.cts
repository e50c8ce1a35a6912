/* Read by tsc only: what require() gives has the same types. */
import oomkb = require('oomkb')
import worker = require('oomkb/worker')

async function use(): Promise<string> {
  const kb: oomkb.KnowledgeBase = await oomkb.open()
  const report: oomkb.Report = kb.diagnose('log', { lang: 'zh' })
  const found: boolean = (await (await worker.openWorker()).diagnose('log')).found
  return new oomkb.OomkbError('usage', `${found}`).kind + report.text()
}
void use

// @ts-expect-error it is no class here
new oomkb.Report()
// @ts-expect-error a log is text or bytes
oomkb.open().then(kb => kb.diagnose(17))
