/** Lines of a large file. */

import { createReadStream } from 'node:fs'

/** Bytes of one line after the other, without holding more than a few MiB. */
export function linesOf(path: string): AsyncIterable<Buffer> {
  return lines(path)
}

async function* lines(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 4 * 2 ** 20 })) {
    const data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      yield data.subarray(start, end)
      start = end + 1
    }
    rest = data.subarray(start)
  }
}
