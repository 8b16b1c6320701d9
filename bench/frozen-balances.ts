/**
 * Processor time of questions about balances and holders, whose answers segments add up, beside the
 * same questions to tables.
 *
 *     node bench/frozen-balances.ts [transfers]
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { itemAt } from '../src/core/item-at.ts'
import { type Database, statement } from '../src/store/engine/database.ts'
import { openStore } from '../src/store/engine/open.ts'
import { readManifest } from '../src/store/ice/manifest.ts'
import { balanceCandidates } from '../src/store/query/evm/balance-candidates.ts'
import { balancesOfHolders, mayHold } from '../src/store/query/evm/holders-of-token.ts'
import { indexedHeight } from '../src/store/query/evm/indexed-height.ts'
import { chainTables } from '../src/store/schema/stores.ts'

/** As in `growth.ts`. */
const transfersPerBlock = 54
const rounds = 300

const blocks = Math.ceil(Number(process.argv[2] ?? 1_000_000) / transfersPerBlock)
const folder = mkdtempSync(join(tmpdir(), 'firn-balances-'))
try {
  const tables = await figuresOf('tables')
  const frozen = await figuresOf('at-once')
  console.log(`${'µs of processor'.padEnd(36)} ${'tables'.padStart(8)} ${'frozen'.padStart(8)}`)
  for (const [name, us] of tables)
    console.log(
      name.padEnd(36),
      us.toFixed(0).padStart(8),
      frozen.get(name)?.toFixed(0).padStart(8),
    )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function figuresOf(way: 'tables' | 'at-once'): Promise<ReadonlyMap<string, number>> {
  const dataDir = mkdtempSync(join(folder, way))
  const file = join(import.meta.dirname, 'growth-once.ts')
  execFileSync(process.execPath, [file, way, String(blocks), 'rich', 'off', dataDir])
  const freeze = way === 'tables' ? {} : { freeze: { firn: 'bench' } }
  const location = { store: 'embedded', dataDir, ...freeze }
  const store = await openStore(location, 'growth', chainTables, 'read')
  try {
    const { segments } = await readManifest(store)
    if (segments.length > 0) console.log(`${segments.length} segments`)
    return await measured(store)
  } finally {
    await store.close()
  }
}

async function measured(store: Database): Promise<ReadonlyMap<string, number>> {
  const at = await indexedHeight(store, 'blocks')
  const rows = await store.all(statement('select id from token order by id limit 50'))
  const tokens = rows.map(([id]) => Number(id))
  const tokensOf = (addressId: number, height: number): Promise<unknown> =>
    balanceCandidates(store, { addressId, afterToken: 0, height, limit: 10 })
  const spread = (round: number): number => 100 + ((round * 7_919) % 20_000)
  const questions: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
    'a page of 100 holders': async (round) => {
      const tokenId = itemAt(tokens, round % tokens.length)
      const addressIds = await mayHold(store, { tokenId, after: 0, at, limit: 100 })
      return balancesOfHolders(store, { tokenId, addressIds, at })
    },
    '10 tokens of an address': (round) => tokensOf(spread(round), at),
    '10 tokens of a busy address': (round) => tokensOf(1 + (round % 40), at),
    '10 tokens of an address, half way': (round) => tokensOf(spread(round), Math.floor(at / 2)),
  }
  const figures = new Map<string, number>()
  for (const [name, ask] of Object.entries(questions)) {
    for (let round = 0; round < rounds / 10; round++) await ask(round)
    const before = process.cpuUsage()
    for (let round = 0; round < rounds; round++) await ask(round)
    const { user, system } = process.cpuUsage(before)
    figures.set(name, (user + system) / rounds)
  }
  return figures
}
