/**
 * Prints the pages of `docs/reference` from the tables in the code.
 *
 * With `--check`, prints nothing and ends with 1 when a page is stale.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

import { statusOf } from '../src/api/operation/status.ts'
import { chainSettings, networkSettings } from '../src/config/chain-settings.ts'
import { environmentName, type Setting } from '../src/config/setting.ts'
import { settings } from '../src/config/settings.ts'
import { faults } from '../src/core/fault.ts'
import { gaugeTable } from '../src/telemetry/gauges.ts'
import { databasePage } from './database-page.ts'
import { operationPages } from './operation-pages.ts'

const pages: Readonly<Record<string, string>> = {
  'settings.md': settingsPage(),
  'faults.md': faultsPage(),
  'gauges.md': gaugesPage(),
  'database.md': databasePage(),
  'operations.md': operationsPage(),
}

const isCheck = process.argv.includes('--check')
for (const [name, text] of Object.entries(pages)) {
  const url = new URL(`../docs/reference/${name}`, import.meta.url)
  if (!isCheck) writeFileSync(url, text)
  else if (!existsSync(url) || readFileSync(url, 'utf8') !== text) {
    console.error(`docs/reference/${name} is stale: node scripts/print-reference.ts`)
    process.exitCode = 1
  }
}

function settingsPage(): string {
  const rows = Object.entries<Setting>(settings).map(([path, setting]) => [
    `\`${path}\``,
    formOf(setting),
    shown(setting.default),
    `\`${environmentName(path)}\`${setting.flag === undefined ? '' : ` \`${setting.flag.split(' ')[0]}\``}`,
    setting.meaning,
  ])
  return [
    '# Settings',
    'Printed from `src/config/settings.ts`. Flags win over the environment, the environment over',
    '`firn.yaml`, the file over the default. `firn config show` tells where each value came from.\n' +
      'Relative paths of a file begin in its folder, all others where the program was started.\n',
    table(['setting', 'form', 'default', 'environment, flag', 'meaning'], rows),
    '\n## Entries of `networks`\n',
    table(['setting', 'form', 'default', 'meaning'], entryRows(networkSettings)),
    '\n## Entries of `chains`\n',
    table(['setting', 'form', 'default', 'meaning'], entryRows(chainSettings)),
    '',
  ].join('\n')
}

function entryRows(of: Readonly<Record<string, Setting>>): string[][] {
  return Object.entries(of).map(([name, setting]) => [
    `\`${name}\``,
    formOf(setting),
    shown(setting.default),
    setting.meaning,
  ])
}

function operationsPage(): string {
  const rows = operationPages().map(({ method, path, id, contract, page, questions, test }) => [
    `\`${method} ${path}\``,
    id,
    link(contract),
    link(page),
    questions.map(link).join(' '),
    test === undefined ? '' : link(test),
  ])
  return [
    '# Operations',
    'Printed from `src/shape/operations`: from a URL to its contract, to the page that answers it, to the questions',
    'it asks the store, and to its test.\n',
    table(['URL', 'operation id', 'contract', 'page', 'asks', 'test'], rows),
    '',
  ].join('\n')
}

function link(file: string): string {
  return `[${basename(file, '.ts')}](../../${file})`
}

function faultsPage(): string {
  const rows = Object.entries(faults).map(([code, { retryable, meaning }]) => [
    `\`${code}\``,
    String(Object.entries(statusOf).find(([name]) => name === code)?.[1] ?? ''),
    retryable ? 'yes' : 'no',
    meaning,
  ])
  return [
    '# Faults',
    'Printed from `src/core/fault.ts` and `src/api/operation/status.ts`: every expected failure, the HTTP',
    'status the data API answers, and whether the same call may succeed later.\n',
    table(['code', 'status', 'try again', 'meaning'], rows),
    '',
  ].join('\n')
}

function gaugesPage(): string {
  const rows = Object.entries(gaugeTable).map(([name, { kind, help, labels }]) => [
    `\`${name}\``,
    kind,
    labels.join(', '),
    help,
  ])
  return [
    '# Gauges',
    'Printed from `src/telemetry/gauges.ts`; served at `/ext/metrics` of the node listener.\n',
    table(['name', 'kind', 'labels', 'meaning'], rows),
    '',
  ].join('\n')
}

function formOf(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
      return `integer, ${setting.min} to ${setting.max}`
    case 'word':
      return (setting.words ?? []).join(', ')
    case 'any':
      return 'see meaning'
    default:
      return setting.kind
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' && value === ''
    ? ''
    : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
