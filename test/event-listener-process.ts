/**
 * Listens to a webhook's socket or stream as a process of its own, and writes down what it hears.
 *
 *     node event-listener-process.ts URL FILE
 *
 * `ws:` is a socket, `http:` a stream. One line for each message: its id for those who listen and the
 * hash of its transaction. It goes on after the last line of FILE; where FILE is empty, at the block
 * that the URL names. Says `open` once it is connected, and ends when the connection does.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs'

import { hashIn, streamed } from './event-listener.ts'

const [, , url = '', file = ''] = process.argv
const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
const last = lines.at(-2)?.split(' ', 1)[0]
const place = last === undefined ? url : `${url.split('?', 1)[0]}?lastEventId=${last}`

function note(id: string, hash: string): void {
  appendFileSync(file, `${id} ${hash}\n`)
}

async function listenToSocket(): Promise<void> {
  const socket = new WebSocket(place)
  socket.addEventListener('open', () => console.log('open'))
  socket.addEventListener('message', ({ data }) => {
    const { id, message } = JSON.parse(String(data)) as { id: string; message: unknown }
    note(id, hashIn(message))
  })
  await new Promise((resolve) => socket.addEventListener('close', resolve))
}

async function listenToStream(): Promise<void> {
  let noted = 0
  await streamed(place, {}, (events) => {
    for (const { id, hash } of events.slice(noted)) note(id, hash)
    noted = events.length
    return false
  })
}

if (url.startsWith('ws:')) await listenToSocket()
else {
  console.log('open')
  await listenToStream().catch(() => undefined)
}
