import { Fault } from '../../core/fault.ts'
import type { Status } from '../../shape/status.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { addressIn, callFirn } from '../running-firn.ts'
import { statusLines } from '../status-lines.ts'

/** Reads from a running Firn what it has indexed and prints it. */
export async function status(flags: Flags): Promise<void> {
  const url = `${await addressIn(flags, 'url')}/status`
  const reply = await callFirn(openWorld().transport, {
    url,
    method: 'GET',
    timeoutMs: 5_000,
    maxBytes: 1_048_576,
  })
  const text = Buffer.from(reply.body).toString()
  if (reply.status !== 200) throw new Fault('node-answer', `no status at ${url}: ${reply.status}`)
  if (flags['json'] === true) {
    console.log(text)
    return
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own API wrote it by this shape
  const answer = JSON.parse(text) as Status
  for (const line of statusLines(answer)) console.log(line)
}
