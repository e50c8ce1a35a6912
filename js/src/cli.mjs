#!/usr/bin/env node
/* cli.mjs: `npx oomkb < log`: diagnose, fit, explain, search and list as the
 * native program has them, with its options and exit statuses. What needs the
 * machine (run, facts, lint, feedback ...) is in that program alone. */
import { createReadStream, readFileSync, statSync } from 'node:fs'
import process from 'node:process'

import { open, OomkbError } from './index.mjs'

const FOUND = 0, NONE = 1, FAILED = 2

/* name: [what it takes, the field it sets] */
const OPTIONS = {
  '--format': ['FORMAT', 'format'], '--lang': ['LANG', 'lang'],
  '--set': ['FACT=VALUE', 'set'], '--top': ['N', 'top'],
  '--why': [null, 'why'], '--all': [null, 'all'],
  '--color': ['WHEN', 'color'], '--redact': [null, 'redact'],
  '--help': [null, 'help'], '-h': [null, 'help'],
  '--version': [null, 'version'],
}
const CHOICES = { lang: ['en', 'zh'], color: ['auto', 'always', 'never'] }
const FORMATS = ['text', 'json', 'jsonl', 'markdown', 'html', 'chat', 'csv']
/* Of `fit`; every other word that begins with a dash is a flag of the engine. */
const FIT_FILES = { '--config': 'config', '--from-log': 'fromLog' }
const FIT_WORDS = { '--compare': 'compare', '--sweep': 'sweep' }
const FIT_FACTS = ['--model', '--engine', '--engine-version', '--gpu',
  '--gpu-memory', '--gpus', '--tp', '--pp', '--dp', '--dtype',
  '--quantization', '--kv-cache-dtype', '--block-size', '--max-model-len',
  '--max-num-seqs', '--max-num-batched-tokens', '--gpu-memory-utilization',
  '--kv-available', '--concurrency']
const NAMES = ['models', 'gpus', 'engines', 'facts', 'components']
const COMMANDS = { diagnose, explain, search, list, fit, version, help }

/** What is wrong with the line, by the key of its text. */
class Usage extends Error {
  constructor(key, ...args) {
    super(key)
    this.args = args
  }
}

/* ---- the command line ---- */

function langOfEnvironment(env = process.env) {
  const said = env.LC_ALL || env.LC_MESSAGES || env.LANG || ''
  return said.startsWith('zh') ? 'zh' : 'en'
}

function takeValue(line, name, field, value) {
  if (CHOICES[field] && !CHOICES[field].includes(value)) {
    throw new Usage('cli.error.choice', name, CHOICES[field].join(' '))
  }
  if (field === 'format' && !FORMATS.includes(value)) {
    throw new Usage('cli.error.format', value)
  }
  if (field === 'top' && !(/^\d+$/.test(value) && +value >= 1 && +value <= 1000)) {
    throw new Usage('cli.error.top', value)
  }
  if (field === 'set') {
    if (!value.includes('=')) throw new Usage('cli.error.set', value)
    line.set.push(value)
  } else {
    line[field] = field === 'top' ? +value : value
  }
}

function takeFlag(line, word, rest) {
  const takesNext = !word.includes('=') && rest.length > 0 &&
    (!rest[0].startsWith('-') || /^-\d/.test(rest[0]))
  line.facts.push(takesNext ? `${word}=${rest.shift()}` : word)
}

function takeOption(line, word, rest) {
  const at = word.indexOf('=')
  const name = at > 0 ? word.slice(0, at) : word
  const isFit = line.operands[0] === 'fit'
  const ofFit = isFit && (FIT_FILES[name] ?? FIT_WORDS[name] ??
    (FIT_FACTS.includes(name) ? 'facts' : undefined))
  const [takes, field] = OPTIONS[name] ?? (ofFit ? ['VALUE', ofFit] : [])
  if (field === undefined) {
    if (!isFit) throw new Usage('cli.error.unknown_option', name)
    takeFlag(line, word, rest)
    return
  }
  if (takes === null) {
    if (at > 0) throw new Usage('cli.error.takes_no_value', name)
    line[field] = true
    return
  }
  if (at < 0 && rest.length === 0) {
    throw new Usage('cli.error.needs_value', name, takes)
  }
  const value = at > 0 ? word.slice(at + 1) : rest.shift()
  if (field === 'facts') line.facts.push(`${name.slice(2)}=${value}`)
  else takeValue(line, name, field, value)
}

function readLine(words, line) {
  const rest = [...words]
  let onlyOperands = false
  while (rest.length > 0) {
    const word = rest.shift()
    if (onlyOperands || !word.startsWith('-') || word === '-') {
      onlyOperands ||= line.operands[0] === 'fit'
      line.operands.push(word)
    } else if (word === '--') {
      onlyOperands = true
      line.onlyFiles = line.operands.length === 0
    } else {
      takeOption(line, word, rest)
    }
  }
  const first = line.operands[0]
  const isCommand = !line.onlyFiles && Object.hasOwn(COMMANDS, first ?? '')
  line.command = isCommand ? line.operands.shift() : 'diagnose'
  return line
}

/* ---- what every command needs ---- */

function optionsOf(line) {
  const isTerminal = process.stdout.isTTY === true
  const env = process.env
  const color = line.color === 'always' || (line.color === 'auto' &&
    isTerminal && !env.NO_COLOR && env.TERM !== 'dumb' &&
    (env.TERM || process.platform === 'win32'))
  const columns = /^[1-9]\d{0,3}$/.test(env.COLUMNS ?? '') ? +env.COLUMNS
    : isTerminal ? process.stdout.columns : 0
  return { lang: line.lang, top: line.top, why: line.why, all: line.all,
           redact: line.redact, color: Boolean(color), width: columns || 80 }
}

function put(text) {
  process.stdout.write(text)
}

function filled(kb, line, key, args) {
  const text = kb.message(key, line.lang) || key
  return text.replace(/\{([01])\}/g, (_, i) => args[i] ?? '')
}

/** One line on the standard error, and for JSON an object. */
function complain(line, kind, text) {
  process.stderr.write(`oomkb: ${text}\n`)
  const said = { schema: 1, error: { code: kind, text } }
  return line.format.startsWith('json') ? JSON.stringify(said) : ''
}

function tell(line, kind, text) {
  const json = complain(line, kind, text)
  if (json) put(json + '\n')
  return FAILED
}

function systemText(kb, line, error) {
  const key = { ENOENT: 'missing', EISDIR: 'folder', EACCES: 'denied' }[error.code]
  return key ? filled(kb, line, `cli.error.${key}`, []) : error.message
}

/* ---- diagnose ---- */

function piecesOf(name) {
  if (name === '-') return process.stdin
  if (statSync(name).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
  return createReadStream(name, { highWaterMark: 1 << 18 })
}

const isOfSystem = error => typeof error.code === 'string'

/** {report}, or {kind, text}: why there is none. */
async function examine(kb, line, name) {
  try {
    const report = await kb.diagnoseStream(piecesOf(name),
      { lang: line.lang, inputName: name, facts: line.set })
    if (!report.whole || report.lines > 0) return { report }
    report.free()
    const key = name === '-' ? 'cli.error.empty_stdin' : 'cli.error.empty_file'
    return { kind: 'input', text: `${name}: ${filled(kb, line, key, [])}` }
  } catch (error) {
    if (isOfSystem(error)) {
      return { kind: 'io', text: `${name}: ${systemText(kb, line, error)}` }
    }
    if (!(error instanceof OomkbError)) throw error
    const isOfInput = ['input', 'ceiling'].includes(error.kind)
    return { kind: error.kind,
             text: `${isOfInput ? name + ': ' : ''}${error.message}` }
  }
}

function title(line, name, i) {
  const shown = line.redact ? `${i + 1}/${line.operands.length}` : name
  const above = i > 0 ? '\n' : ''
  if (line.format === 'markdown') return `${above}# \`${shown.replaceAll('`', "'")}\`\n\n`
  return line.format === 'text' ? `${above}==> ${shown} <==\n` : ''
}

async function diagnoseOne(kb, line, name, item) {
  const { report, kind, text } = await examine(kb, line, name)
  if (!report) {
    const json = complain(line, kind, text)
    if (json) item(json)
    return FAILED
  }
  item(report.write(line.format, optionsOf(line)))
  const isCut = !report.whole
  if (isCut) {
    complain({ format: 'text' }, 'input',
             filled(kb, line, 'cli.error.cut', [name, report.lines]))
  }
  const status = report.found ? FOUND : isCut ? FAILED : NONE
  report.free()
  return status
}

async function diagnose(kb, line) {
  const names = line.operands.length > 0 ? line.operands : ['-']
  const isList = names.length > 1 && line.format === 'json'
  const statuses = []
  for (const [i, name] of names.entries()) {
    if (names.length > 1) put(title(line, name, i))
    statuses.push(await diagnoseOne(kb, line, name, text => put(isList
      ? `${i > 0 ? ',\n' : '[\n'}${text.replace(/\n$/, '')}`
      : text.endsWith('\n') ? text : text + '\n')))
  }
  if (isList) put('\n]\n')
  return statuses.includes(FAILED) ? FAILED
    : statuses.includes(FOUND) ? FOUND : NONE
}

/* ---- the other commands ---- */

/** A word as a shell would read it again. */
function quoted(word) {
  if (!/[ \t\n"'`$\\|&;<>()]/.test(word)) return word
  return word.includes("'") ? `"${word}"` : `'${word}'`
}

function contentOf(kb, line, name) {
  try {
    return readFileSync(name === '-' ? 0 : name)
  } catch (error) {
    throw new OomkbError('io', `${name}: ${systemText(kb, line, error)}`)
  }
}

function commandOf(kb, line) {
  const [first, ...more] = line.operands
  if (first === undefined) return undefined
  if (more.length > 0) return line.operands.map(quoted).join(' ')
  return /[ \n]/.test(first) ? first : contentOf(kb, line, first).toString()
}

async function fit(kb, line) {
  const question = {
    facts: [...line.facts, ...line.set], command: commandOf(kb, line),
    compare: line.compare, sweep: line.sweep }
  if (line.config) {
    question.config = contentOf(kb, line, line.config)
    question.configName = line.config
  }
  if (line.fromLog) {
    const { report, kind, text } = await examine(kb, { ...line, set: [] }, line.fromLog)
    if (!report) return tell(line, kind, text)
    question.report = report
  }
  const { text, fits } = kb.fitWrite(question, line.format, optionsOf(line))
  put(text)
  return fits > 0 ? FOUND : fits === 0 ? NONE : FAILED
}

function explain(kb, line) {
  if (line.operands.length !== 1) throw new Usage('cli.error.explain_id')
  put(kb.explain(line.operands[0], { ...optionsOf(line), format: line.format }))
  return FOUND
}

function search(kb, line) {
  if (line.operands.length === 0) throw new Usage('cli.error.search_words')
  const { text, count } = kb.searchWrite(line.operands.join(' '), line.format,
                                         optionsOf(line))
  put(text)
  return count > 0 ? FOUND : NONE
}

function list(kb, line) {
  if (line.operands.length > 1) throw new Usage('cli.error.list_one')
  const what = line.operands[0] ?? 'entries'
  const { text, count } = NAMES.includes(what)
    ? kb.namesWrite(what, line.format, optionsOf(line))
    : kb.listWrite(what === 'entries' ? undefined : what, line.format,
                   optionsOf(line))
  put(text)
  return count > 0 ? FOUND : NONE
}

function version(kb, line) {
  put(line.format.startsWith('json')
    ? JSON.stringify({ schema: 1, oomkb: kb.version, kb: {
        entries: kb.entryCount, digest: kb.digest } }) + '\n'
    : `oomkb ${kb.version}\n${filled(kb, line, 'cli.version.kb',
                                     [kb.entryCount, kb.digest])}\n`)
  return FOUND
}

function help() {
  put(`usage: oomkb [OPTION ...] [FILE ...]
       oomkb COMMAND [OPTION ...] [ARGUMENT ...]

  diagnose [FILE ...]       what went wrong in a log, and what helps (the default)
  fit --model NAME ...      does a model fit? also: fit --gpu H100 -- vllm serve ...
  explain ID                one entry
  search WORDS              entries by words or by a pasted message
  list [WHAT]               entries; models, gpus, engines, facts, components
  version

  --format FORMAT           ${FORMATS.join(' ')}
  --lang en|zh  --set FACT=VALUE  --top N  --why  --all  --color WHEN  --redact

Exit status: 0 found (fit: it fits), 1 not found (it does not), 2 an error.
The options are those of the native program: its manual is docs/oomkb.1.
Nothing is sent anywhere.
`)
  return FOUND
}

/* ---- main ---- */

async function main(words) {
  const line = { format: 'text', lang: langOfEnvironment(), color: 'auto',
                 set: [], facts: [], operands: [] }
  const kb = await open()
  try {
    readLine(words, line)
    const isTyped = line.operands.length === 0 && line.command === 'diagnose' &&
      words.length === 0 && process.stdin.isTTY
    const command = line.help || isTyped ? 'help'
      : line.version ? 'version' : line.command
    return await COMMANDS[command](kb, line)
  } catch (error) {
    if (error instanceof Usage) {
      return tell(line, 'usage', filled(kb, line, error.message, error.args))
    }
    if (error instanceof OomkbError) return tell(line, error.kind, error.message)
    throw error
  }
}

/* A reader that has seen enough closes the pipe: no error of ours. */
process.stdout.on('error', error => {
  if (error.code !== 'EPIPE') {
    process.stderr.write(`oomkb: stdout: ${error.message}\n`)
    process.exitCode = FAILED
  }
})
process.exitCode = await main(process.argv.slice(2))
