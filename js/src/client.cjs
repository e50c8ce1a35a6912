/* client.cjs: client.mjs for require(). */
'use strict'

exports.openWorker = async from => (await import('./client.mjs')).openWorker(from)
