/**
 * Processor time of questions to frozen history beside the same questions to tables: lists from their
 * first page to their last, a hash, and balances and holders, which segments add up.
 *
 *     node bench/frozen-reads.ts [transfers]
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { itemAt } from '../src/core/item-at.ts'
import { type Database, statement } from '../src/store/engine/database.ts'
import { readManifest } from '../src/store/history/manifest.ts'
import { openStore } from '../src/store/open.ts'
import { balanceCandidates, balancesOfPairs, mayHold } from '../src/store/query/evm/balances.ts'
import { indexedHeight } from '../src/store/query/evm/heights.ts'
import { transactionByHash } from '../src/store/query/evm/transactions.ts'
import { transfersOfAddress, transfersOfToken } from '../src/store/query/evm/transfers.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { placesPerBlock } from '../src/store/schema/sums.ts'

/** As in `growth.ts`. */
const transfersPerBlock = 54
const rounds = 300

const wholeHistory = { from: 0, until: Number.MAX_SAFE_INTEGER }
const placesOfToken = statement(
  'select pos from transfer_by_token where token_id = ? order by pos',
  {
    over: 'oldest',
  },
)
const placesOfAddress = statement(
  'select pos from transfer_by_address where address_id = ? and standard = 20 order by pos desc limit 10',
  { over: 'newest' },
)
const hashesOfBlock = statement('select hash from tx where pos >= ? and pos < ? order by pos', {
  over: 'oldest',
  within: { pos: [0, 1] },
})

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
  const lists = await busyLists(store)
  const hashes = await someHashes(store, at)
  const questions: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
    '10 of a long list, first page': (round) => lists(round, 0),
    '… half way': (round) => lists(round, 0.5),
    '… last page': (round) => lists(round, 1),
    '10 transfers of a rare address': (round) =>
      transfersOfAddress(store, {
        addressId: spread(round),
        standard: 20,
        range: wholeHistory,
        limit: 10,
      }),
    '… places only': async (round) => store.all(placesOfAddress, [spread(round)]),
    '… of an address that is nowhere': async (round) => store.all(placesOfAddress, [1e8 + round]),
    'a transaction by its hash': (round) =>
      transactionByHash(store, itemAt(hashes, round % hashes.length)),
    'a page of 100 holders': async (round) => {
      const tokenId = itemAt(tokens, round % tokens.length)
      const addressIds = await mayHold(store, { tokenId, after: 0, at, limit: 100 })
      const tokenIds = addressIds.map(() => tokenId)
      return balancesOfPairs(store, { addressIds, tokenIds, height: at })
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

/** Ten transfers of one of the tokens with most, at a share of the way to the oldest. */
async function busyLists(
  store: Database,
): Promise<(round: number, share: number) => Promise<unknown>> {
  const tokens: { readonly tokenId: number; readonly places: readonly number[] }[] = []
  for (let tokenId = 1; tokens.length < 3 && tokenId < 2_000; tokenId++) {
    const rows = await store.all(placesOfToken, [tokenId])
    if (rows.length > 5_000) tokens.push({ tokenId, places: rows.map(([pos]) => Number(pos)) })
  }
  console.log(`lists of ${tokens.map(({ places }) => places.length).join(', ')} transfers`)
  return (round, share) => {
    const { tokenId, places } = itemAt(tokens, round % tokens.length)
    const last = itemAt(places, Math.max(10, Math.floor((places.length - 1) * (1 - share))))
    return transfersOfToken(store, { tokenId, range: { from: 0, until: last + 1 }, limit: 10 })
  }
}

async function someHashes(store: Database, last: number): Promise<readonly Uint8Array[]> {
  const hashes: Uint8Array[] = []
  for (let height = 1; height < last; height += Math.ceil(last / 100)) {
    const range = [height * placesPerBlock, (height + 1) * placesPerBlock]
    for (const [hash] of (await store.all(hashesOfBlock, range)).slice(0, 3))
      if (hash instanceof Uint8Array) hashes.push(hash)
  }
  return hashes
}
