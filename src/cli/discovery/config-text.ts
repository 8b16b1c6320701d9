/** A configuration as the text of a `firn.yaml`. */

import { stringify } from 'yaml'

import { chainSettings, networkSettings } from '../../config/chain-settings.ts'
import type { Setting } from '../../config/setting.ts'
import { type Config, settings } from '../../config/settings.ts'
import { membersOf, ownValue } from '../../core/json.ts'

/** Settings of `config` that are not the defaults; secrets are left out. */
export function configText(config: Config): string {
  const networks = Object.entries(config.networks).map(([name, network]) => [
    name,
    changed(networkSettings, network ?? {}),
  ])
  const values = new Map<string, unknown>(Object.entries(nested(changed(settings, config))))
  if (networks.length > 0) values.set('networks', Object.fromEntries(networks))
  values.set(
    'chains',
    config.chains.map((chain) => changed(chainSettings, chain)),
  )
  return stringify(Object.fromEntries(values)).trimEnd()
}

function changed(
  table: Readonly<Record<string, Setting>>,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const shown = Object.entries(table).flatMap(([name, setting]) => {
    const value = ownValue(values, name)
    const isDefault = JSON.stringify(value) === JSON.stringify(setting.default)
    return isDefault || setting.secret === true ? [] : [[name, value]]
  })
  return Object.fromEntries(shown)
}

/** `{ 'api.port': 1 }` becomes `{ api: { port: 1 } }`. */
function nested(flat: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const groups = new Map<string, unknown>()
  for (const [path, value] of Object.entries(flat)) {
    const [group = '', name] = path.split('.')
    const before = groups.get(group)
    groups.set(group, name === undefined ? value : { ...membersOf(before), [name]: value })
  }
  return Object.fromEntries(groups)
}
