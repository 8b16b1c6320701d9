/** Names that a release promises to its users besides `/openapi.json` (`docs/guide/compatibility.md`). */

import { listShapeOf } from '../src/api/operation/list-columns.ts'
import { evmDialectRules, primaryDialectRules } from '../src/api/server/dialect.ts'
import { openApiDocument } from '../src/api/server/openapi/openapi.ts'
import { commands } from '../src/cli/commands.ts'
import { exitCodes } from '../src/cli/exit-codes.ts'
import { chainSettings, networkSettings } from '../src/config/chain-settings.ts'
import type { Setting } from '../src/config/setting.ts'
import { settings } from '../src/config/settings.ts'
import { faults } from '../src/core/fault.ts'
import { version } from '../src/core/version.ts'
import type { Contract } from '../src/shape/operations/contract.ts'
import { operations } from '../src/shape/operations/operations.ts'
import { gaugeTable } from '../src/telemetry/gauges.ts'

/** The document of the API, without words and examples. */
export function ownDocument(): unknown {
  return openApiDocument(Object.values(operations), version, {
    ...evmDialectRules,
    ...primaryDialectRules,
  })
}

/** Each name with what kind of thing it stands for, so that another kind is a change. */
export function promisedNames(): readonly string[] {
  const columns = Object.values<Contract>(operations).flatMap((contract) =>
    (listShapeOf(contract)?.columns ?? []).map(
      ({ name, type }) => `column ${contract.id} ${name} ${type}`,
    ),
  )
  return [
    ...Object.entries<Setting>(settings).flatMap(([name, { kind, formerly }]) =>
      [name, ...(formerly === undefined ? [] : [formerly])].map(
        (each) => `setting ${each} ${kind}`,
      ),
    ),
    ...Object.entries(networkSettings).map(
      ([name, { kind }]) => `setting networks.${name} ${kind}`,
    ),
    ...Object.entries(chainSettings).map(([name, { kind }]) => `setting chains.${name} ${kind}`),
    ...Object.entries(gaugeTable).map(
      ([name, { kind, labels }]) => `gauge ${name} ${kind} ${labels.join()}`,
    ),
    ...Object.entries(exitCodes).map(([name, code]) => `exit code ${name} ${code}`),
    ...Object.keys(faults).map((name) => `fault ${name}`),
    ...commands.map(({ words }) => `command ${words}`),
    ...commands.flatMap(({ words, options, required = [] }) =>
      [...required, ...options].map(([flag]) => `flag ${words}: ${flag}`),
    ),
    ...columns,
  ].toSorted()
}
