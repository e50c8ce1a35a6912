/* index.cjs: the same for require(). The engine is a module, which old releases
 * of Node only import(), so open() brings it; it gives a promise anyway. */
'use strict'

/** Errors are made by the module: they are known by their name. */
class OomkbError extends Error {
  constructor(kind, text) {
    super(text)
    this.name = 'OomkbError'
    this.kind = kind
  }

  static [Symbol.hasInstance](error) {
    return error instanceof Error && error.name === 'OomkbError'
  }
}

exports.OomkbError = OomkbError
exports.open = async from => (await import('./index.mjs')).open(from)
