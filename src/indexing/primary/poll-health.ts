/** Keeps what the node thinks of validators: it is in no block. */

import { faultOf } from '../../core/fault.ts'
import type { PrimarySource } from '../../source/primary/primary-source.ts'
import { statement } from '../../store/engine/database.ts'
import type { Log } from '../../telemetry/log.ts'
import type { PrimaryHost } from './primary-host.ts'

const question = statement(
  'update staker set uptime = ?, connected = ? where tx_id = ? and (uptime <> ? or connected <> ?)',
)

/** Columns keep ten-thousandths of a percent, the digits nodes give. */
const perPercent = 10_000

/** Asks once and stores what changed. A node that does not answer leaves everything as it is. */
export async function pollHealth(
  host: PrimaryHost,
  source: PrimarySource,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  try {
    const all = await source.health(signal)
    await host.write(async (writer) => {
      for (const { txId, uptimePercent, connected } of all) {
        const uptime = uptimePercent === undefined ? -1 : Math.round(uptimePercent * perPercent)
        const linked = connected === undefined ? -1 : connected ? 1 : 0
        await writer.run(question, [uptime, linked, txId, uptime, linked])
      }
    })
  } catch (error) {
    const fault = faultOf(error)
    if (signal.aborted || fault?.retryable !== true) throw error
    log.warn('uptimes not polled', { code: fault.code, reason: fault.message })
  }
}
