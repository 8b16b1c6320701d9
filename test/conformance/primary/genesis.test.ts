/**
 * Genesis of mainnet and Fuji answers as their files say. What is expected is added up here from
 * the files themselves; ids are upstream's.
 */

import assert from 'node:assert/strict'
import { readFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import type { Operation } from '../../../src/api/operation/operation.ts'
import { primaryOperations } from '../../../src/api/operations.ts'
import { noPrices } from '../../../src/api/prices/token-lists.ts'
import { createNetworkDirectory, openNetwork } from '../../../src/api/primary/network/networks.ts'
import { parseId } from '../../../src/core/cb58.ts'
import { publicNetworks } from '../../../src/core/network.ts'
import type { World } from '../../../src/core/world.ts'
import { openPrimaryHost } from '../../../src/indexing/primary/run/host.ts'
import type { PrimarySource } from '../../../src/source/primary/primary-source.ts'
import { manualClock } from '../../support/processes/manual-clock.ts'
import { pageTokens } from '../../support/services/evm-context.ts'
import type { Json } from '../../support/services/evm-service.ts'

/** Ids of the genesis bytes. Source: avalanchego genesis/genesis_test.go. */
const genesisIds = {
  mainnet: 'UUvXi6j7QhVvgpbKM89MP5HdrxKm9CaJeHc187TsDNf8nZdLk',
  fuji: 'MSj6o9TpezwsQx4Tv7SHqpVvCbJ8of1ikjsqPZ1bKRjc9zBy3',
} as const

/** One second after genesis: nothing has unlocked, all stakes run. */
const moment = 1_599_696_001

const world: World = {
  clock: manualClock(moment * 1_000),
  random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
  transport: { request: () => Promise.reject(new Error('no network in this test')) },
  files: {
    read: async (path) => readFileSync(path),
    write: () => Promise.reject(new Error('nothing is written in this test')),
    remove: async () => {},
    list: async () => [],
  },
}

const refuse = (): Promise<never> => Promise.reject(new Error('genesis needs no blocks'))

function sourceOf(network: 'mainnet' | 'fuji'): PrimarySource {
  const { networkId, xChainId, cChainId } = publicNetworks[network]
  return {
    identity: async () => ({
      networkId,
      nodeVersion: 'none',
      genesisId: parseId(genesisIds[network]),
      chainIds: { X: parseId(xChainId), C: parseId(cChainId) },
      upgrades: {},
    }),
    headHeight: refuse,
    hasIndex: refuse,
    blocks: refuse,
    cBlocks: refuse,
    earlyCount: refuse,
    earlyTransactions: refuse,
    health: refuse,
  }
}

type Allocation = {
  readonly avaxAddr: string
  readonly initialAmount: number
  readonly unlockSchedule: readonly { readonly amount: number; readonly locktime?: number }[]
}

type Genesis = {
  readonly allocations: readonly Allocation[]
  readonly initialStakedFunds: readonly string[]
  readonly initialStakers: readonly { readonly nodeID: string }[]
}

/** The file, amounts as bigints: they pass 2^53. */
function genesisFile(network: string): Genesis {
  const file = new URL(`../../../data/genesis/${network}.json.gz`, import.meta.url)
  const text = gunzipSync(readFileSync(file)).toString()
  return JSON.parse(text, (key, value: unknown, context?: { source?: string }) =>
    (key === 'amount' || key === 'initialAmount') && context?.source !== undefined
      ? BigInt(context.source)
      : value,
  ) as Genesis
}

type Expected = { x: bigint; unlocked: bigint; locked: bigint; staked: bigint }

function expectedOf({ allocations, initialStakedFunds }: Genesis): Map<string, Expected> {
  const staked = new Set(initialStakedFunds)
  const sums = new Map<string, Expected>()
  for (const { avaxAddr, initialAmount, unlockSchedule } of allocations) {
    const address = avaxAddr.replace(/^X-/, '')
    const sum = sums.get(address) ?? { x: 0n, unlocked: 0n, locked: 0n, staked: 0n }
    sums.set(address, sum)
    sum.x += BigInt(initialAmount)
    for (const { amount, locktime = 0 } of unlockSchedule) {
      if (staked.has(avaxAddr)) sum.staked += BigInt(amount)
      else if (locktime > moment) sum.locked += BigInt(amount)
      else sum.unlocked += BigInt(amount)
    }
  }
  return sums
}

function total(list: Json[]): bigint {
  return list.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

for (const network of ['mainnet', 'fuji'] as const) {
  void test(`genesis of ${network}: balances, UTXOs and validators are those of the file`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firn-genesis-'))
    const host = await openPrimaryHost({
      key: `primary-${network}`,
      source: sourceOf(network),
      genesis: 'auto',
      store: { store: 'embedded', dataDir: folder },
      world,
      owner: 'test',
      signal: new AbortController().signal,
    })
    try {
      const served = await openNetwork(network, host.database)
      assert.ok(served !== undefined)
      const operations = Object.values<Operation>(
        primaryOperations({
          networks: createNetworkDirectory(() => [served]),
          tokens: pageTokens(world.clock),
          clock: world.clock,
          prices: noPrices,
          limits: { maxAddresses: 64, maxBodyAddresses: 1_024, transactionPageUtxos: 4_000 },
        }),
      )
      const ask = async (id: string, path: Json, query: Json): Promise<Json> => {
        const operation = operations.find(({ contract }) => contract.id === id)
        assert.ok(operation !== undefined, id)
        const signal = new AbortController().signal
        const input = { path: { network, ...path }, query, signal } as Json
        const { body, indexedHeight = 0 } = await operation.answer(input)
        // The header tells heights of blocks, also while the X-Chain has none yet.
        assert.ok(indexedHeight >= 0, id)
        return body
      }
      const file = genesisFile(network)
      const expected = [...expectedOf(file)]
      const step = Math.max(1, Math.floor(expected.length / 60))
      for (const [address, want] of expected.filter((_, at) => at % step === 0)) {
        const query = { addresses: address }
        const p = await ask('getBalancesByAddresses', { blockchainId: 'p-chain' }, query)
        assert.equal(total(p.balances.unlockedUnstaked), want.unlocked, address)
        assert.equal(total(p.balances.lockedStakeable), want.locked, address)
        const x = await ask('getBalancesByAddresses', { blockchainId: 'x-chain' }, query)
        assert.equal(total(x.balances.unlockedUnstaked), want.x, address)
      }
      const stakes = expected.reduce((sum, [, { staked }]) => sum + staked, 0n)
      let listed: Json[] = []
      let pageToken: string | undefined
      do {
        const query = { pageSize: 50, ...(pageToken === undefined ? {} : { pageToken }) }
        const page = await ask('listValidators', {}, query)
        listed = [...listed, ...page.validators]
        pageToken = page.nextPageToken
      } while (pageToken !== undefined)
      const nodes = listed.map(({ nodeId }) => nodeId)
      assert.deepEqual(
        nodes.toSorted((a, b) => (a < b ? -1 : 1)),
        file.initialStakers.map(({ nodeID }) => nodeID).toSorted((a, b) => (a < b ? -1 : 1)),
      )
      assert.equal(
        listed.reduce((sum, { amountStaked }) => sum + BigInt(amountStaked), 0n),
        stakes,
      )
      const chains = await ask('listBlockchains', {}, {})
      const ids = chains.blockchains.map(({ blockchainId }: Json) => blockchainId)
      assert.ok(ids.includes(publicNetworks[network].xChainId))
      assert.ok(ids.includes(publicNetworks[network].cChainId))
    } finally {
      await host.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

void test('genesis: a node of another network is refused before anything is stored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-genesis-'))
  const open = (network: 'mainnet' | 'fuji', key: string): ReturnType<typeof openPrimaryHost> =>
    openPrimaryHost({
      key,
      source: sourceOf(network),
      genesis: 'auto',
      store: { store: 'embedded', dataDir: folder },
      world,
      owner: 'test',
      signal: new AbortController().signal,
    })
  try {
    await (await open('fuji', 'primary-fuji')).close()
    await assert.rejects(open('mainnet', 'primary-fuji'), { code: 'foreign-store' })
    await (await open('fuji', 'primary-fuji')).close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
