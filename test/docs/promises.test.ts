/**
 * What CONTRIBUTING promises: a type of transaction, a column, a metric, a token event, a setting or an operation that is added in
 * one place only does not pass the checks, which name the places that lack it; nor do a misspelt queue, a page of
 * the explorer that asks at a path that is none, and a reader that takes a row for another than its statement selects.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
/** Tests that say what the compiler cannot. */
const kept = /\/(?:settings-read|migrations)\.test\.ts$/
const copy = mkdtempSync(join(tmpdir(), 'firn-promises-'))
after(() => rmSync(copy, { recursive: true, force: true }))
for (const name of [
  'src',
  'scripts',
  'docs',
  'test',
  'bin',
  'tsconfig.json',
  '.oxlintrc.json',
  'package.json',
  'vectors/stores',
])
  cpSync(join(root, name), join(copy, name), {
    recursive: true,
    filter: (path) => !path.endsWith('.test.ts') || kept.test(path),
  })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

/** Puts `added` behind the one place in a file of the copy where `text` stands. */
function add(file: string, text: string, added: string): void {
  const path = join(copy, file)
  const parts = readFileSync(path, 'utf8').split(text)
  assert.equal(parts.length, 2, `${file} has ${text} once`)
  writeFileSync(path, parts.join(text + added))
}

/** Output of a program of `node_modules` over the copy; it must fail. */
function failing(program: string, ...args: readonly string[]): string {
  const bin = join(root, 'node_modules/.bin', program)
  // A test runner's child would report to this one instead of to its output.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd: copy, env, encoding: 'utf8' })
  assert.notEqual(status, 0, `${program} found nothing: ${stdout}${stderr}`)
  return stdout + stderr
}

/** Files that an output names, each once. */
function filesIn(output: string): readonly string[] {
  return [...new Set(output.match(/src\/[\w/.-]+\.tsx?/g))].toSorted()
}

void test('promises: a type of transaction that is added in one place only', () => {
  add('src/core/type-ids.ts', 'RewardAutoRenewedValidatorTx: 42,', ' NewTx: 44,')
  const lacking = failing('tsc', '--noEmit')
  assert.deepEqual(filesIn(lacking), [
    'src/codec/primary/p-transaction.ts',
    'src/indexing/primary/replay/p/staking.ts',
  ])
  const words = filesIn(failing('tsc', '--noEmit', '-p', 'src/explorer/browser'))
  assert.ok(words.includes('src/explorer/browser/what-happened.ts'), words.join())
  // With a wire format it is a transaction that has to do something, or to be named as one that does not.
  add(
    'src/codec/primary/p-transaction.ts',
    '[pTypes.BaseTx]: struct(base),',
    ' [pTypes.NewTx]: struct(base),',
  )
  const linted = failing('oxlint', 'src/indexing/primary/replay/p/execute.ts')
  assert.match(linted, /Switch is not exhaustive/)
})

void test('promises: a column of a table, one of a batch, a metric and a token event that are added in one place only', () => {
  add('src/store/schema/primary/staking.ts', "'l1_change',\n  {", " extra: 'integer?',")
  add('src/codec/evm/columns/columns.ts', 'twoIndexed: 8,', ' threeIndexed: 9,')
  add('src/codec/evm/columns/columns.ts', 'beaconUpgraded: 21,', ' royalties: 22,')
  add('src/store/schema/evm.ts', "batch_index: 'integer',", " extra: 'integer',")
  add('src/codec/evm/columns/columns.ts', 'batchIndex: words,', ' more: words,')
  add('src/store/schema/metrics.ts', "newAddresses: 'new_addresses',", " extra: 'extra',")
  add('src/shape/metrics/metric-names.ts', "deployers: 'Deployers',", " extra: 'Extra',")
  add('src/shape/metrics/metric-names.ts', "gasUsed: 'Gas used',", " more: 'More',")
  // Rows have the types of the columns that their statement selects.
  add('src/store/meta.ts', "'select value", 's')
  add('src/store/checkpoint.ts', "'select stage, ", 'stage, ')
  add('src/store/schema/control.ts', "owner: 'text", '?')
  const lacking = filesIn(failing('tsc', '--noEmit'))
  for (const file of [
    'src/store/meta.ts',
    'src/store/checkpoint.ts',
    'src/store/lease.ts',
    'src/codec/evm/columns/columns.ts',
    'src/codec/evm/decode-logs.ts',
    'src/indexing/primary/write/batch-rows.ts',
    'src/indexing/evm/write/transfer-rows.ts',
    'src/indexing/evm/write/stored-batch.ts',
    'src/rollup/chain-rollup.ts',
    'src/api/metrics/day-series.ts',
    'src/api/metrics/series.ts',
  ])
    assert.ok(lacking.includes(file), `${file}: ${lacking.join()}`)
})

void test('promises: a column of a table without a migration', () => {
  const unled = failing('node', 'src/store/migrations/migrations.test.ts')
  assert.match(
    unled,
    /tables are not those of version [\d.]+: write migration \d+ in src\/store\/migrations/,
  )
})

void test('promises: a setting of the process and one of a chain that are added in one place only', () => {
  const setting = "flag(false, 'Nothing reads it.'),"
  add('src/config/settings.ts', 'export const settings = {', ` 'api.extra': ${setting}`)
  add('src/config/chain-settings.ts', 'export const chainSettings = {', ` extraOfChain: ${setting}`)
  const unread = failing('node', 'src/config/settings-read.test.ts')
  assert.match(unread, /nothing reads; src\/service is where/)
  for (const name of ['api.extra', 'extraOfChain']) assert.ok(unread.includes(`'${name}'`), unread)
  const stale = failing('node', 'scripts/print-reference.ts', '--check')
  assert.match(stale, /docs\/reference\/settings\.md is stale/)
})

void test('promises: an operation without an answer, a misspelt queue, and a page that asks at a wrong path', () => {
  add(
    'src/shape/operations/evm-blocks.ts',
    "export const EvmBlocks = contracts('EVM blocks', {",
    ` getBlockTwice: {
      path: '/v1/blocks/twice', summary: 'A block, twice',
      response: EvmBlock,
    },`,
  )
  add('src/shape/operations/nft.ts', "lane: 'item", 's')
  const lacking = failing('tsc', '--noEmit')
  assert.match(lacking, /src\/api\/operations\.ts.*\n?.*getBlockTwice/)
  assert.ok(filesIn(lacking).includes('src/shape/operations/nft.ts'), lacking.slice(0, 2_000))
  add('src/explorer/browser/evm/gas-page.ts', "'/v1/chains/{chainId}/block", 'e')
  const pages = filesIn(failing('tsc', '--noEmit', '-p', 'src/explorer/browser'))
  assert.ok(pages.includes('src/explorer/browser/evm/gas-page.ts'), pages.join())
})
