/** Calls the administration RPC of a running Firn. */

import { Fault } from '../../core/fault.ts'
import { membersOf } from '../../core/json.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { addressIn, callFirn } from '../running-firn.ts'

// A load of plugins may probe many, each with a limit of five seconds.
const timeoutMs = 120_000

/**
 * Result of a method, for instance `admin.aliasChain`. Throws `node-answer` with the RPC's own
 * words, `node-refused` where administration is not enabled, `node-unreachable`.
 */
export async function callNode(
  flags: Flags,
  method: string,
  params: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const url = `${await addressIn(flags, 'nodeUrl')}/ext/admin`
  const world = openWorld()
  try {
    const reply = await callFirn(world.transport, {
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      timeoutMs,
      maxBytes: 4_194_304,
    })
    const text = new TextDecoder().decode(reply.body)
    if (reply.status === 404) {
      const hint = 'administration is not enabled there; start with --api-admin-enabled=true'
      throw new Fault('node-refused', `${hint}: ${url}`)
    }
    if (reply.status !== 200) throw new Fault('node-answer', `${url} answered ${reply.status}`)
    return resultOf(text, url)
  } finally {
    await world.close()
  }
}

function resultOf(text: string, url: string): Readonly<Record<string, unknown>> {
  const answer = membersOf(JSON.parse(text))
  const error = membersOf(answer['error'])
  if (typeof error['message'] === 'string') throw new Fault('node-answer', error['message'])
  if (answer['result'] === undefined) throw new Fault('node-answer', `${url} gave no result`)
  return membersOf(answer['result'])
}
