/** What the engine refused: `kind` is "memory", "ceiling", "usage", "io",
 * "index" or "input"; the message says what, where and what would be right. */
export class OomkbError extends Error {
  constructor(kind, text) {
    super(text)
    this.name = 'OomkbError'
    this.kind = kind
  }
}
