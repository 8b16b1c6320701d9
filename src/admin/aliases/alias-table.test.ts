import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { faultOf } from '../../core/fault.ts'
import type { Files } from '../../core/world.ts'
import { silentLog } from '../../telemetry/log.ts'
import { createWaits } from '../../telemetry/threads/waits.ts'
import type { NodeChain } from './alias-rules.ts'
import { aliasFile, noAliasStore, createAliasTable, type AliasTable } from './alias-table.ts'

const pId = '11111111111111111111111111111111LpoYY'
const cId = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'
const other = 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'
const cHex = '0x0427d4b22a2a78bcddd456742caf91b56badbff985ee19aef14573e7343fd652'

const chain = (id: string, names: string[], otherNames: string[] = []): NodeChain => ({
  id,
  names,
  otherNames,
  network: 'mainnet',
  kind: 'evm',
  rpcUrls: [],
  isLive: () => true,
})
const chains = [
  chain(pId, ['P', 'platform'], ['p-chain']),
  chain(cId, ['C', 'evm'], ['c-chain', '43114']),
]
const bases = ['admin', 'info', 'health', 'metrics']

/** Files in memory; `fails` makes the next writes fail. */
function memoryFiles(): Files & { fails: boolean; readonly held: Map<string, Uint8Array> } {
  const held = new Map<string, Uint8Array>()
  const files = {
    fails: false,
    held,
    read: async (path: string) => held.get(path),
    write: async (path: string, bytes: Uint8Array) => {
      if (files.fails) throw new Error('disk is full')
      held.set(path, bytes)
    },
    remove: async () => {},
    list: async () => [...held.keys()],
  }
  return files
}

function open(files: Files, known = chains): Promise<AliasTable> {
  const store = aliasFile('aliases.json', files)
  return createAliasTable({
    chains: () => known,
    bases,
    store,
    waits: createWaits(() => 0),
    log: silentLog,
  })
}

/** The message of what `act` throws; empty when it does not. */
async function problem(act: () => Promise<void>): Promise<string> {
  try {
    await act()
    return ''
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    return fault.message
  }
}

void test('names: an id in any form, a built-in name and an alias mean one chain', async () => {
  const table = await open(memoryFiles())
  await table.aliasChain('43114', 'main-c')
  for (const name of [cId, cHex, cHex.slice(2), 'C', 'evm', 'c-chain', '43114', 'main-c']) {
    assert.equal(table.resolve(name), cId, name)
  }
  for (const name of ['', 'c', 'MAIN-C', other, 'nope', '0x', 'constructor', '__proto__']) {
    assert.equal(table.resolve(name), undefined, name)
  }
  assert.deepEqual(table.namesOf(cId), ['C', 'evm', cId, 'main-c'])
  assert.deepEqual(table.namesOf(other), [])
})

void test('names: what the API gives a meaning of its own can never be taken', async () => {
  const table = await open(memoryFiles())
  const reserved =
    'P platform X avm C evm p-chain x-chain c-chain total mainnet testnet fuji 1 43114 99999'.split(
      ' ',
    )
  for (const alias of [...reserved, cId, other, cHex, cHex.slice(2)]) {
    const refused = await problem(() => table.aliasChain(pId, alias))
    assert.equal(refused, `alias already mapped to an ID: ${alias}`)
  }
  assert.deepEqual(table.all(), { chains: [], routes: [] })
})

void test('names: the length is counted in bytes and checked before all else', async () => {
  const table = await open(memoryFiles())
  const cases = [
    ['a'.repeat(512), ''],
    ['b'.repeat(513), 'alias length is too long'],
    ['é'.repeat(256), ''],
    [`${'é'.repeat(256)}a`, 'alias length is too long'],
  ] as const
  for (const [alias, expected] of cases) {
    assert.equal(await problem(() => table.aliasChain('C', alias)), expected)
  }
  const long = 'a'.repeat(513)
  assert.equal(await problem(() => table.aliasChain('nope', long)), 'alias length is too long')
  assert.equal(await problem(() => table.aliasRoute('info', long)), 'alias length is too long')
})

void test('names: no pattern, path trick or unreadable character is a name', async () => {
  const table = await open(memoryFiles())
  const bad = [
    '',
    '.',
    '..',
    '../info',
    'a/../b',
    '{v:[a-z]+}',
    'a b',
    'a?b',
    'a#b',
    'a%2fb',
    'a\\b',
  ]
  const unreadable = ['a\u0000', 'a\n', '\u200b', '\u202ea', '\u2028', '\ud800', 'a\u00a0b']
  for (const alias of [...bad, ...unreadable]) {
    const expected = 'alias contains an invalid character'
    assert.equal(await problem(() => table.aliasChain('C', alias)), expected, JSON.stringify(alias))
    assert.equal(
      await problem(() => table.aliasRoute('info', alias)),
      expected,
      JSON.stringify(alias),
    )
  }
  for (const alias of ['x/y', '/x', 'x/']) {
    assert.equal(
      await problem(() => table.aliasChain('C', alias)),
      'alias contains an invalid character',
    )
  }
  assert.equal(
    await problem(() => table.aliasRoute('{v}', 'fine')),
    'endpoint contains an invalid character',
  )
  for (const alias of ["~:@!$&'()*+,;=-._", 'grüße', '雪', '❄']) {
    assert.equal(await problem(() => table.aliasChain('C', alias)), '', alias)
  }
})

void test('change: when it cannot be saved nothing has changed', async () => {
  const files = memoryFiles()
  const table = await open(files)
  await table.aliasChain('C', 'kept')
  files.fails = true
  await assert.rejects(table.aliasChain('C', 'lost'), /disk is full/)
  await assert.rejects(table.aliasRoute('info', 'lost-too'), /disk is full/)
  await assert.rejects(table.remove('kept'), /disk is full/)
  files.fails = false
  assert.deepEqual(table.all(), { chains: [{ alias: 'kept', target: cId }], routes: [] })
  assert.equal(table.resolve('lost'), undefined)
  assert.equal(await problem(() => table.aliasChain('C', 'lost')), '', 'the name is still free')
})

void test('change: of many that want one name at once, one gets it', async () => {
  const table = await open(memoryFiles())
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => problem(() => table.aliasChain('C', 'wanted'))),
  )
  assert.equal(answers.filter((answer) => answer === '').length, 1)
  assert.deepEqual(table.namesOf(cId), ['C', 'evm', cId, 'wanted'])
})

void test('restart: an alias waits for a chain that is not configured now', async () => {
  const files = memoryFiles()
  await (await open(files)).aliasChain('C', 'mine')
  const without = await open(files, [chain(pId, ['P', 'platform'])])
  assert.equal(without.resolve('mine'), undefined)
  assert.equal(
    await problem(() => without.aliasChain('P', 'mine')),
    'alias already mapped to an ID: mine',
  )
  await without.aliasChain('P', 'second')
  const again = await open(files)
  assert.equal(again.resolve('mine'), cId)
  assert.equal(again.resolve('second'), pId)
})

void test('restart: stored names that can no longer be are dropped, the others stay', async () => {
  const files = memoryFiles()
  const stored = {
    version: 1,
    chains: [
      { alias: 'good', target: cId },
      { alias: 'C', target: pId },
      { alias: 'good', target: pId },
      { alias: '../x', target: pId },
    ],
    routes: [
      { alias: 'admin', target: 'info' },
      { alias: 'fine', target: 'info' },
    ],
  }
  files.held.set('aliases.json', new TextEncoder().encode(JSON.stringify(stored)))
  const table = await open(files)
  assert.deepEqual(table.all(), {
    chains: [{ alias: 'good', target: cId }],
    routes: [{ alias: 'fine', target: 'info' }],
  })
})

void test('restart: a damaged file stops the start instead of losing names', async () => {
  for (const text of [
    '',
    '{',
    '[]',
    '{"version":2,"chains":[],"routes":[]}',
    '{"version":1,"chains":[5],"routes":[]}',
  ]) {
    const files = memoryFiles()
    files.held.set('aliases.json', new TextEncoder().encode(text))
    await assert.rejects(open(files), /not a file of aliases/, text)
  }
})

void test('chains: a chain that becomes known later is found by its names', async () => {
  let known = [chain(pId, ['P', 'platform'])]
  const table = await createAliasTable({
    chains: () => known,
    bases,
    store: noAliasStore,
    waits: createWaits(() => 0),
    log: silentLog,
  })
  assert.equal(table.resolve('C'), undefined)
  known = chains
  assert.equal(table.resolve('C'), cId)
})

/** The table again, as simple as can be: what the reference says, over two lists. */
class Model {
  readonly chainNames = new Map<string, string>()
  readonly routeNames = new Map<string, string>()
  readonly own = new Map([
    ...['P', 'platform', 'p-chain', pId].map((name) => [name, pId] as const),
    ...['C', 'evm', 'c-chain', '43114', cId].map((name) => [name, cId] as const),
  ])

  lookup(name: string): string | undefined {
    return this.chainNames.get(name) ?? this.own.get(name)
  }

  aliasChain(name: string, alias: string): string {
    if (Buffer.byteLength(alias) > 512) return 'alias length is too long'
    const id = this.lookup(name)
    if (id === undefined) return `there is no ID with alias: ${name}`
    if (bad.has(alias) || alias.includes('/')) return 'alias contains an invalid character'
    if (this.lookup(alias) ?? taken.has(alias)) return `alias already mapped to an ID: ${alias}`
    if (this.routeNames.has(`bc/${alias}`)) return reservedText(`bc/${alias}`)
    this.chainNames.set(alias, id)
    return ''
  }

  aliasRoute(endpoint: string, alias: string): string {
    if (Buffer.byteLength(alias) > 512) return 'alias length is too long'
    if (bad.has(alias)) return 'alias contains an invalid character'
    if (bases.includes(alias) || alias === `bc/${cId}`) {
      return `failed to create endpoint as /ext/${alias} already exists`
    }
    const chainName = alias.startsWith('bc/') ? this.lookup(alias.slice(3)) : undefined
    if (chainName !== undefined || alias === 'C' || alias === 'X') return reservedText(alias)
    if (this.routeNames.has(alias)) return reservedText(alias)
    this.routeNames.set(alias, endpoint)
    return ''
  }

  remove(alias: string): string {
    const [wasChain, wasRoute] = [this.chainNames.delete(alias), this.routeNames.delete(alias)]
    return wasChain || wasRoute ? '' : `there is no alias: ${alias}`
  }
}

const reservedText = (alias: string): string =>
  `route is either already aliased or already maps to a handle: /ext/${alias}`
const bad = new Set(['', '..', 'a b', '{v}'])
const taken = new Set(['X', 'total', '7', other])
const names = ['a', 'b', 'c/d', 'bc/a', 'bc/C', `bc/${cId}`, 'C', 'X', 'info', 'total', '7', other]
const aliasNames = [...names, ...bad, 'é'.repeat(256), 'é'.repeat(257)]
const chainNames = ['a', 'b', 'C', 'P', '43114', cId, 'nope', '']

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('chain' as const),
      of: fc.constantFrom(...chainNames),
      alias: fc.constantFrom(...aliasNames),
    }),
    fc.record({
      kind: fc.constant('route' as const),
      of: fc.constantFrom('info', 'a', 'nothing', `bc/${cId}`),
      alias: fc.constantFrom(...aliasNames),
    }),
    fc.record({
      kind: fc.constant('remove' as const),
      of: fc.constant(''),
      alias: fc.constantFrom('a', 'b', 'c/d', 'bc/a'),
    }),
    fc.record({
      kind: fc.constant('restart' as const),
      of: fc.constant(''),
      alias: fc.constant(''),
    }),
  ),
  { maxLength: 60, size: 'max' },
)

void test('model: any changes with restarts in between leave what the model has', async () => {
  let commands = 0
  const property = fc.asyncProperty(steps, async (plan) => {
    const files = memoryFiles()
    const model = new Model()
    let table = await open(files)
    for (const { kind, of, alias } of plan) {
      commands++
      if (kind === 'restart') table = await open(files)
      else if (kind === 'chain') {
        assert.equal(await problem(() => table.aliasChain(of, alias)), model.aliasChain(of, alias))
      } else if (kind === 'route') {
        assert.equal(await problem(() => table.aliasRoute(of, alias)), model.aliasRoute(of, alias))
      } else assert.equal(await problem(() => table.remove(alias)), model.remove(alias))
      for (const name of names) assert.equal(table.resolve(name), model.lookup(name), name)
      for (const name of names) assert.equal(table.routeOf(name), model.routeNames.get(name), name)
    }
  })
  await fc.assert(property, {
    numRuns: Number(process.env['FIRN_LIVE_ALIAS_RUNS'] ?? 50),
    seed: 1,
  })
  assert.ok(commands > 1_000)
})
