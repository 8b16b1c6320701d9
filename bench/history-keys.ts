/**
 * Questions to a history in many files, each of which stays as it is: with the directory as it stands before a merge, and
 * with all segments asked.
 *
 *     node bench/history-keys.ts [transfers] [numbers of files, by commas] [plain or rich] [all]
 *
 * Microseconds by the clock, the lower quartile of many questions, files in the page cache and open. Each kind of
 * question is about keys of the same kind whatever the number of files. Behind `all` stands what all segments take, whose
 * answers must be the same.
 */

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { toHex } from '../src/core/bytes.ts'
import type { Clock } from '../src/core/world.ts'
import { EvmIngest } from '../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import { type Database, type Reader, statement } from '../src/store/engine/database.ts'
import { type Manifest, readManifest, writeManifest } from '../src/store/history/manifest.ts'
import { mergeDue } from '../src/store/history/merge-segments.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore } from '../src/store/open.ts'
import {
  balanceCandidates,
  balancesOfHolders,
  balancesOfPairs,
} from '../src/store/query/evm/balances.ts'
import { transactionByHash } from '../src/store/query/evm/transactions.ts'
import { transfersOfAddress, transfersOfToken } from '../src/store/query/evm/transfers.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { bucketOf, startStorage } from '../test/support/stores/object-storage.ts'
import { decodedChain } from './decoded-chain.ts'
import { plainShape, usualShape } from './evm-chain.ts'
import { nameTokens } from './list-server.ts'

const transfersPerBlock = { rich: 54, plain: 200 }
const kind = process.argv[4] === 'rich' ? 'rich' : 'plain'
const blocks = Math.ceil(Number(process.argv[2] ?? 1_023_000) / transfersPerBlock[kind])
/** Some segments are left over, and of the directory files of each tier. */
const counts = (process.argv[3] ?? '23,191,1023').split(',').map(Number)
const asked = 400
const name = 'growth'

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
const range = { from: 0, until: Number.MAX_SAFE_INTEGER }
const newest = Number.MAX_SAFE_INTEGER
const tokensQuestion = statement('select id from token order by id')
const addressesQuestion = statement('select max(id) from address')
const hashesQuestion = statement(
  'select hash from evm_transaction where pos >= ? and pos < ? order by pos',
  {
    over: 'oldest',
    within: { pos: [0, 1] },
  },
)

const figures = new Map<string, string[]>()
for (const count of counts) await measure(count)
console.log(`${blocks} blocks, ${kind}`)
for (const [question, values] of figures)
  console.log(`${question.padEnd(44)} ${values.map((each) => each.padStart(10)).join(' ')}`)

function note(question: string, figure: number | string): void {
  const shown = typeof figure === 'string' ? figure : figure.toFixed(figure < 100 ? 1 : 0)
  figures.set(question, [...(figures.get(question) ?? []), shown])
}

async function measure(count: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-history-keys-'))
  const storage = await startStorage()
  try {
    const folder = join(dataDir, 'cache')
    const bucket = bucketOf(storage, { folder, fileBytes: fileBytesOf(count), mostOpen: 4_096 })
    const location = { store: 'embedded', dataDir, segments: folder, bucket, freeze: {} }
    const writer = await openStore(location, name, chainTables, 'write')
    const seconds = await fill(writer, count)
    storage.files.clear()
    const reader = await openStore(location, name, chainTables, 'read')
    const manifest = await readManifest(reader)
    const transfers = blocks * transfersPerBlock[kind]
    note('files', manifest.segments.filter(({ stage }) => stage === 'blocks').length)
    note('… of the directory', manifest.directory.length)
    note('bytes a transfer', bytesIn(manifest.segments) / transfers)
    note('… of the directory', bytesIn(manifest.directory) / transfers)
    note('µs a transfer to make and merge the directory', (seconds * 1e6) / transfers)
    const byDirectory = await ask(reader)
    await writer.transaction((changes) =>
      writeManifest(changes, manifest, { ...manifest, directory: [] }),
    )
    if (process.argv[5] === 'all') {
      for (const each of [...figures.keys()].slice(0, 5)) note(each, '')
      for (const [question, hash] of await ask(reader))
        if (hash !== byDirectory.get(question)) throw new Error(`answers differ: ${question}`)
    }
    await reader.close()
    await writer.close()
  } finally {
    storage.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** No two segments fit into a file. */
function fileBytesOf(count: number): number {
  return Math.round((250 * blocks * transfersPerBlock[kind]) / count)
}

function bytesIn(files: Manifest['segments']): number {
  return files.reduce((sum, { bytes = 0 }) => sum + bytes, 0)
}

/** Each batch becomes a segment; returns the seconds that the directory took. */
async function fill(database: Database, count: number): Promise<number> {
  const lease = await takeLease(database, 'bench', clock)
  const history = database.history
  if (lease === undefined || history === undefined) throw new Error('no lease')
  const freezing = {
    history,
    leastRows: 0,
    mostRowsBefore: Number.MAX_SAFE_INTEGER,
    rowsInTables: 0,
  }
  const ingest = new EvmIngest({ database, lease, clock, openRollup, freezing })
  const shape = { ...(kind === 'plain' ? plainShape : usualShape), blocks }
  const blocksPerBatch = Math.ceil(blocks / count)
  const work = { path: shape, blocksPerBatch, window: 100, reading: 'unchecked' as const }
  const merging = {
    reader: database,
    history,
    pause: async (): Promise<void> => undefined,
    commit: database.transaction,
  }
  let seconds = 0
  for await (const batch of decodedChain(work, () => undefined)) {
    await ingest.blocks(batch)
    const began = performance.now()
    while ((await mergeDue(merging)) !== undefined);
    seconds += (performance.now() - began) / 1_000
  }
  await database.transaction((changes) => changes.run(nameTokens))
  return seconds
}

/** Notes how long questions take; returns the hashes of their answers. */
async function ask(store: Reader): Promise<ReadonlyMap<string, string>> {
  const tokens = (await store.all(tokensQuestion)).map(([id]) => id)
  const most = (await store.get(addressesQuestion))?.[0] ?? 0
  const half = Math.floor(blocks / 2)
  const busy = Array.from({ length: 40 }, (_, at) => 20 + at)
  const rare = Array.from({ length: 400 }, (_, at) => Math.floor(most * 0.5) + at * 7)
  const pairsOf = async (
    addressIds: readonly number[],
    limit: number,
  ): Promise<[number, number][]> => {
    const pairs: [number, number][] = []
    for (const addressId of addressIds) {
      const query = { addressId, afterToken: 0, limit, height: newest }
      for (const { token } of await balanceCandidates(store, query))
        pairs.push([addressId, token.id])
    }
    return pairs
  }
  const pairs = await pairsOf(rare, 2)
  const often = await pairsOf(busy, 5)
  const hashes: Uint8Array[] = []
  for (let at = 1; at < blocks; at += Math.ceil(blocks / asked))
    hashes.push(
      ...(await store.all(hashesQuestion, [at * 2 ** 20, at * 2 ** 20 + 1])).map(([hash]) => hash),
    )
  const held = (of: readonly [number, number][], height: number) => (at: number) => {
    const [addressId = 0, tokenId = 0] = of[at % of.length] ?? []
    return balancesOfPairs(store, { addressIds: [addressId], tokenIds: [tokenId], height })
  }
  const holders = (of: readonly number[], height: number) => (at: number) =>
    balancesOfHolders(store, { tokenId: of[at % of.length] ?? 0, after: 0, at: height, limit: 100 })
  const listed = (of: readonly number[], standard: 20 | 721, limit: number) => (at: number) =>
    transfersOfAddress(store, { addressId: of[at % of.length] ?? 0, standard, range, limit })
  const cases: Readonly<Record<string, (at: number) => Promise<unknown>>> = {
    'ten transfers of a busy address': listed(busy, 20, 10),
    'ten transfers of a rare address': listed(rare, 20, 10),
    'a list in which a busy address has nothing': listed(busy, 721, 10),
    'an address without anything': (at) =>
      transfersOfAddress(store, { addressId: 1e8 + at, standard: 20, range, limit: 10 }),
    'ten transfers of a rare token': (at) =>
      transfersOfToken(store, { tokenId: tokens.at(-1 - (at % 200)) ?? 0, range, limit: 10 }),
    'a transaction by its hash': (at) =>
      transactionByHash(store, hashes[at % hashes.length] ?? new Uint8Array(32)),
    'a hash that is not there': (at) =>
      transactionByHash(
        store,
        (hashes[at % hashes.length] ?? new Uint8Array(32)).map((byte) => 255 - byte),
      ),
    'a balance, changed seldom': held(pairs, newest),
    'a balance, changed often': held(often, newest),
    'a balance at half the height': held(often, half),
    'ten balances of a rare address': (at) =>
      balanceCandidates(store, {
        addressId: rare[at % rare.length] ?? 0,
        afterToken: 0,
        limit: 10,
        height: newest,
      }),
    'ten balances of a busy address': (at) =>
      balanceCandidates(store, {
        addressId: busy[at % busy.length] ?? 0,
        afterToken: 0,
        limit: 10,
        height: newest,
      }),
    '100 holders of a busy token': holders(tokens.slice(0, 20), newest),
    '100 holders at half the height': holders(tokens.slice(0, 20), half),
    'holders of a rare token': holders(tokens.slice(-200), newest),
  }
  const answered = new Map<string, string>()
  for (const [question, answer] of Object.entries(cases)) {
    const times: number[] = []
    const digest = createHash('sha256')
    for (let at = 0; at < asked; at++) {
      const said = await answer(at)
      digest.update(structured(said))
    }
    for (let at = 0; at < asked; at++) {
      const began = performance.now()
      await answer(at)
      times.push(performance.now() - began)
    }
    answered.set(question, digest.digest('hex'))
    note(question, (times.toSorted((a, b) => a - b)[Math.floor(asked / 4)] ?? 0) * 1_000)
  }
  return answered
}

/** An answer as text, whatever class its bytes have. */
function structured(answer: unknown): string {
  return JSON.stringify(answer ?? null, function (this: Record<string, unknown>, key, value) {
    const own = this[key]
    return own instanceof Uint8Array ? toHex(own) : value
  })
}
