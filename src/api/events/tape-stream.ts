/** The tape of blocks as Server-Sent Events, for every caller that may ask for blocks. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { Fault } from '../../core/fault.ts'
import { callerOf } from '../../http/caller-address.ts'
import type { BlockTape } from './block-tape.ts'
import type { StreamParts } from './event-streams.ts'
import { beginEvents } from './stream-head.ts'

/** Parts of the server that the stream needs. */
export type TapeStreamParts = Pick<StreamParts, 'admit' | 'addressOf' | 'release'> & {
  readonly tape: BlockTape
  /** Streams at once; 0: none. */
  readonly most: number
}

const path = '/v1/blocks/events'
/** As for the list of blocks. */
const weight = 10
/** Streams of one address: tabs that are seen at the same time. */
const mostOfAddress = 16
/** A reader that is this far behind is cut off; it can connect again. */
const mostUnsentBytes = 65_536

/** Adds the route. Returns the function that ends every stream. */
export function mountTape(http: FastifyInstance, parts: TapeStreamParts): () => void {
  const open = new Set<{ readonly caller: string; readonly raw: FastifyReply['raw'] }>()
  http.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      const caller = admitted(request, parts, [...open])
      reply.hijack()
      parts.release(request.raw)
      const { raw } = reply
      const stream = { caller, raw }
      open.add(stream)
      beginEvents(raw)
      const send = (text: string): void => {
        if (raw.writableLength > mostUnsentBytes) raw.destroy()
        else raw.write(text)
      }
      const end = parts.tape.read((blocks) =>
        send(blocks === undefined ? ': quiet\n\n' : `data: ${blocks}\n\n`),
      )
      raw.once('close', () => {
        open.delete(stream)
        end()
      })
    },
  })
  return () => {
    for (const { raw } of open) raw.end()
  }
}

/**
 * The name under which the caller is counted. Throws `key-required`, `rate-limited`, and
 * `overloaded` for too many.
 */
function admitted(
  { raw, headers, query }: FastifyRequest,
  { admit, addressOf, most }: TapeStreamParts,
  open: readonly { readonly caller: string }[],
): string {
  const address = addressOf(raw)
  const caller = callerOf(address)
  admit({ headers, query, address, weight })
  const own = open.filter((one) => one.caller === caller).length
  if (own >= mostOfAddress || open.length >= most)
    throw new Fault('overloaded', `too many look on already: ${open.length}`, {
      detail: { reset: 30 },
    })
  return caller
}
