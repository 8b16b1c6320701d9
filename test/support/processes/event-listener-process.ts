/**
 * Listens to a webhook's stream as a process of its own, and writes down what it hears.
 *
 *     node event-listener-process.ts URL FILE
 *
 * One line for each message: its id for those who listen and the
 * hash of its transaction. It goes on after the last line of FILE; where FILE is empty, at the block
 * that the URL names. Says `open` once it is connected, and ends when the connection does.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs'

import { streamed } from '../services/event-listener.ts'

const [, , url = '', file = ''] = process.argv
const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
const last = lines.at(-2)?.split(' ', 1)[0]
const place = last === undefined ? url : `${url.split('?', 1)[0]}?lastEventId=${last}`

function note(id: string, hash: string): void {
  appendFileSync(file, `${id} ${hash}\n`)
}

console.log('open')
let noted = 0
await streamed(place, {}, (events) => {
  for (const { id, hash } of events.slice(noted)) note(id, hash)
  noted = events.length
  return false
}).catch(() => undefined)
