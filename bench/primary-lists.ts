/**
 * Speed of what wallets ask about many addresses: pages of UTXOs by amount and by time, balances.
 *
 *     node bench/primary-lists.ts [utxos]
 *
 * A store is filled with unspent outputs of 64 addresses, and a tenth as many spent ones. Each
 * question is asked until two seconds have gone by; the median counts.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { orderedLists } from '../src/indexing/primary/write/ordered-lists.ts'
import { openStore } from '../src/store/open.ts'
import { balancesOfAddresses } from '../src/store/query/primary/balances-of-addresses.ts'
import { utxosOfAddresses } from '../src/store/query/primary/utxos.ts'
import { controlTables } from '../src/store/schema/control.ts'
import { listOf, packTraits } from '../src/store/schema/primary/holding.ts'
import { openHolding, spentHolding } from '../src/store/schema/primary/ledger.ts'
import { primaryTables } from '../src/store/schema/primary/tables.ts'
import type { Table } from '../src/store/schema/table.ts'

const utxos = Number(process.argv[2] ?? 100_000)
const addresses = Array.from({ length: 64 }, (_, at) => at + 1)
const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
const pageSize = 100
const forMs = 2_000

/** Entries in the order of their key, the same for every run. */
function entries(count: number, first: number): Record<string, number[]> & { list: number[] } {
  const rows = Array.from({ length: count }, (_, at) => {
    const mixed = Math.imul(at + first, 2_654_435_761) >>> 0
    const owner = addresses[mixed % addresses.length] ?? 1
    return { list: listOf(owner, 'P'), at: 1_700_000_000 + at, utxo: first + at, amount: mixed }
  })
  rows.sort((a, b) => a.list - b.list || a.at - b.at)
  const plain = packTraits({ asset: 1, kind: 0, needed: 1 })
  return {
    list: rows.map(({ list }) => list),
    created_at: rows.map(({ at }) => at),
    utxo: rows.map(({ utxo }) => utxo),
    amount: rows.map(({ amount }) => amount),
    traits: rows.map(() => plain),
  }
}

async function median(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  const end = performance.now() + forMs
  for (let start = performance.now(); start < end; start = performance.now()) {
    await ask()
    times.push(performance.now() - start)
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
}

try {
  const tables = [...controlTables, ...primaryTables]
  const place = { store: 'embedded', dataDir: folder }
  const writer = await openStore(place, 'lists-bench', tables, 'write')
  const spent = entries(Math.floor(utxos / 10), utxos + 1)
  await writer.transaction(async (batch) => {
    const open = entries(utxos, 1)
    const ordered = orderedLists()
    await batch.insert<Table>(openHolding, {
      ...open,
      ordered: await ordered.flags(batch, Float64Array.from(open.list)),
    })
    await ordered.settle(batch)
    await batch.insert<Table>(spentHolding, { ...spent, spent_at: spent['created_at'] ?? [] })
  })
  await writer.close()
  const reader = await openStore(place, 'lists-bench', tables, 'read')
  const page = { addresses, chain: 'P', minAmount: 0n, limit: pageSize } as const
  const questions = {
    'page by amount': { sortBy: 'amount', includeSpent: false },
    'page by time': { sortBy: 'timestamp', includeSpent: false },
    'page by time, spent ones too': { sortBy: 'timestamp', includeSpent: true },
  } as const
  for (const [name, one] of Object.entries(questions)) {
    const ms = await median(() => utxosOfAddresses(reader, { ...page, ...one, sortOrder: 'desc' }))
    process.stdout.write(`${name.padEnd(30)} ${ms.toFixed(2)} ms\n`)
  }
  const now = await median(() => balancesOfAddresses(reader, { addresses, chain: 'P' }))
  process.stdout.write(`${'balances'.padEnd(30)} ${now.toFixed(2)} ms\n`)
  const moment = 1_700_000_000 + utxos
  const then = await median(() => balancesOfAddresses(reader, { addresses, chain: 'P', moment }))
  process.stdout.write(`${'balances at a moment'.padEnd(30)} ${then.toFixed(2)} ms\n`)
  await reader.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
