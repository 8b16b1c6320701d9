import { environmentName, type Setting } from '../../config/setting.ts'
import { settings } from '../../config/settings.ts'
import { ownValue } from '../../core/json.ts'
import { checkConfig } from '../../service/check-config.ts'
import { silentLog } from '../../telemetry/log.ts'
import { redactText } from '../../telemetry/redact.ts'
import { openWorld } from '../../world/world.ts'
import { loadConfig } from '../discovery/load-config.ts'
import type { Flags } from '../flags.ts'

/**
 * Prints every setting, its value and who said so; secrets as `***`, URLs without their keys.
 * Throws `bad-config` for what `firn start` would not start with.
 */
export async function showConfig(flags: Flags): Promise<void> {
  const { config, origins } = loadConfig(flags)
  await using world = openWorld()
  await checkConfig(config, { world, log: silentLog })
  const values: Readonly<Record<string, unknown>> = config
  const changed = Object.entries<Setting>(settings).filter(
    ([path]) => flags['changed'] !== true || ownValue(origins, path) !== 'default',
  )
  const rows = changed.map(([path, setting]) => [
    path,
    setting.secret === true && ownValue(origins, path) !== 'default'
      ? '***'
      : shown(ownValue(values, path)),
    ownValue(origins, path) ?? 'default',
    environmentName(path),
  ])
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  for (const row of rows) {
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
  for (const [name, network] of Object.entries(config.networks)) {
    console.log(`networks.${name}  ${shown(network)}`)
  }
  for (const chain of config.chains) {
    console.log(`chain  ${shown(chain)}`)
  }
}

/**
 * JSON of a value. URLs often hold keys: of each, scheme, host and a hash are printed, as in logs.
 */
function shown(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'string' ? redactText(one) : one,
  )
}
