/** Keeps what the node thinks of validators: it is in no block. */

import type { ValidatorHealth } from '../../../source/primary/primary-source.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'

const question = statement(
  'update staker set uptime = ?, connected = ? where tx_id = ? and (uptime <> ? or connected <> ?)',
  { unsummed: true },
)

/** Columns keep ten-thousandths of a percent, the digits nodes give. */
const perPercent = 10_000

/** Stores what changed. */
export async function writeHealth(writer: Writer, all: readonly ValidatorHealth[]): Promise<void> {
  for (const { txId, uptimePercent, connected } of all) {
    const uptime = uptimePercent === undefined ? -1 : Math.round(uptimePercent * perPercent)
    const linked = connected === undefined ? -1 : connected ? 1 : 0
    await writer.run(question, [uptime, linked, txId, uptime, linked])
  }
}
