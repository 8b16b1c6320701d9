import { BlockChecks } from '../../indexing/evm/read/block-checks.ts'
import type { EvmSource } from '../../source/evm-source.ts'
import { silentLog } from '../../telemetry/log.ts'

/** Checks of every block that a command reads from `source`. */
export function checksOf(source: EvmSource): BlockChecks {
  return new BlockChecks({
    log: silentLog,
    endpoints: () => source.endpoints(),
    checkEvery: 1,
  })
}
