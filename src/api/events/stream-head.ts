import type { ServerResponse } from 'node:http'

/** Begins an answer that is a stream of server-sent events. */
export function beginEvents(raw: ServerResponse): void {
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
}
