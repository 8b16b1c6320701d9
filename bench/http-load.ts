/**
 * Keeps HTTP/1.1 connections busy, one request at a time on each, and times every answer.
 *
 * Written on bare sockets, so that the caller costs less than the server it measures. Every
 * answer must be 200 with a content-length.
 */

import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** Task of this thread. */
type Task = {
  readonly host: string
  readonly port: number
  readonly paths: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Requests that warm the server up and are not counted: on a busy machine a time would warm less. */
  readonly warming?: number
}

const { host, port, paths, connections, seconds, warming = 3_000 }: Task = workerData
const requests = paths.map((path) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: bench\r\n\r\n`),
)
const latencies: number[] = []
let bytes = 0
let next = 0
let answered = 0
let countedFrom = Number.POSITIVE_INFINITY
let end = Number.POSITIVE_INFINITY

// It never sleeps: to wake a sleeping processor costs a server 35 us an answer on a virtual machine,
// which is no work of the server and more than all of a bare one's.
let isOver = false
const stayAwake = (): void => {
  if (!isOver) setImmediate(stayAwake)
}
stayAwake()

await Promise.all(Array.from({ length: connections }, run))
isOver = true
parentPort?.postMessage({
  requests: latencies.length,
  bytes,
  latencies: Float64Array.from(latencies),
})

/** One connection until the end. */
function run(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host)
    let sentAt = 0
    let waiting = 0
    let head = ''
    const send = (): void => {
      sentAt = performance.now()
      waiting = -1
      head = ''
      socket.write(requests[next++ % requests.length] ?? '')
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (chunk: Buffer) => {
      if (waiting === -1) {
        head += chunk.toString('latin1')
        const cut = head.indexOf('\r\n\r\n')
        if (cut === -1) return
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head.slice(0, 400)))
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
        waiting = cut + 4 + length - head.length
        if (performance.now() > countedFrom) bytes += length
      } else waiting -= chunk.length
      if (waiting > 0) return
      const now = performance.now()
      if (++answered === warming) {
        countedFrom = now
        end = now + seconds * 1_000
        parentPort?.postMessage('counting')
      }
      if (now > countedFrom) latencies.push(now - sentAt)
      if (now < end) return send()
      socket.end()
      resolve()
    })
  })
}
