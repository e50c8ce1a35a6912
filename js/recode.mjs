/* recode.mjs MODULE INDEX OUT: the index as the WebAssembly module compiles its
 * patterns. See recode.c. */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [module, index, out] = process.argv.slice(2)
const { default: newEngine } = await import(pathToFileURL(resolve(module)))
const c = await newEngine({
  wasmBinary: readFileSync(module.replace(/\.mjs$/, '.wasm')) })
const image = readFileSync(index)
const at = c._malloc(image.length)
const length = c._malloc(4)
c.HEAPU8.set(image, at)
const made = c._js_recode(at, image.length, length)
if (!made) throw new Error(`${index}: not recoded`)
writeFileSync(out, c.HEAPU8.subarray(made, made + c.HEAPU32[length >> 2]))
