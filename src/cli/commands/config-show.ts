import { environmentName, settings, type Setting } from '../../config/settings.ts'
import type { Flags } from '../flags.ts'
import { loadConfig } from '../load-config.ts'

/** Prints every setting, its value and who said so; secrets as `***`. */
export function showConfig(flags: Flags): void {
  const { config, origins } = loadConfig(flags)
  const values: Readonly<Record<string, unknown>> = config
  const rows = Object.entries<Setting>(settings).map(([path, setting]) => [
    path,
    setting.secret === true && origins[path] !== 'default' ? '***' : JSON.stringify(values[path]),
    origins[path] ?? 'default',
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
    console.log(`networks.${name}  ${JSON.stringify(network)}`)
  }
  for (const chain of config.chains) {
    console.log(`chain  ${JSON.stringify({ ...chain, rpcUrls: chain.rpcUrls.map(hostOf) })}`)
  }
}

/** Endpoint URLs often hold keys in their path: only scheme and host are printed. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '***'
}
