/**
 * Recorded networks as sources, and the node of the one with five validators.
 *
 * Its blocks are in `vectors/primary/local-five.json.gz`, its answers in
 * `vectors/warp/recorded-node-answers.json`: one network, one moment, height 44.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

import { fromHex } from '../../../src/core/bytes.ts'
import { parseId } from '../../../src/core/cb58.ts'
import type { Transport } from '../../../src/core/world.ts'
import { openPrimaryHost } from '../../../src/indexing/primary/run/host.ts'
import { openBlock } from '../../../src/source/primary/containers.ts'
import type { PrimarySource } from '../../../src/source/primary/primary-source.ts'
import type { StoreLocation } from '../../../src/store/open.ts'
import { fileWorld } from '../services/primary-service.ts'
import { type Recording, recordingNamed } from './recorded-network.ts'

const vectors = new URL('../../../vectors/', import.meta.url)

/** Blocks and answers of the network of five. */
export const five = recordingNamed('local-five')

/** P-Chain blocks up to `last`, and all of the X-Chain. */
function sourceUpTo(recording: Recording, last: number): PrimarySource {
  const idOf = (name: string): Uint8Array =>
    parseId(recording.answers.chains.find((chain) => chain['name'] === name)?.['id'] ?? '')
  const upgrades = Object.entries(recording.upgrades ?? {}).map(
    ([name, time]) => [name, Date.parse(time) / 1_000] as const,
  )
  const blocks = {
    P: recording.p.slice(0, last).map((hex, at) => openBlock('P', at + 1, fromHex(hex)).block),
    X: [
      { height: 0, bytes: fromHex(recording.x0), proposer: undefined },
      ...recording.x.map((hex, at) => openBlock('X', at + 1, fromHex(hex)).block),
    ],
  }
  return {
    identity: async () => ({
      networkId: recording.source.networkId,
      nodeVersion: 'recorded',
      genesisId: fromHex(recording.p0.slice(12, 76)),
      chainIds: { X: idOf('X-Chain'), C: idOf('C-Chain') },
      upgrades: Object.fromEntries(upgrades),
    }),
    headHeight: async (chain) => (chain === 'C' ? 0 : (blocks[chain].at(-1)?.height ?? 0)),
    hasIndex: async () => true,
    blocks: async (chain, { from, until }) =>
      blocks[chain].filter(({ height }) => height >= from && height < until),
    cBlocks: async () => [],
    earlyCount: async () => 0,
    earlyTransactions: async () => [],
    health: async () => [],
  }
}

// Path under which a recording's own genesis file is read.
const ownGenesis = 'recorded-genesis.json'

/** Where to, and how far. */
export type Indexing = {
  readonly location: StoreLocation
  readonly key: string
  readonly last: number
}

// Local networks start at a time before now; this is an hour after the recording.
const momentMs = 1_795_267_000_000

/** Indexes a P-Chain up to height `last`, and its X-Chain, into a store named `key`. */
export async function indexRecording(
  recording: Recording,
  { location, key, last }: Indexing,
): Promise<void> {
  const { signal } = new AbortController()
  const source = sourceUpTo(recording, last)
  const { genesis } = recording
  const read = async (path: string): Promise<Uint8Array | undefined> =>
    path === ownGenesis ? new TextEncoder().encode(genesis) : fileWorld.files.read(path)
  const world = {
    ...fileWorld,
    clock: { ...fileWorld.clock, now: () => momentMs },
    files: { ...fileWorld.files, read },
  }
  const setting = genesis === undefined ? 'auto' : ownGenesis
  const parts = { key, source, genesis: setting, store: location, world, owner: 'test', signal }
  const host = await openPrimaryHost(parts)
  try {
    for (const chain of ['P', 'X'] as const) {
      const replay = await host.replay(chain)
      const head = await source.headHeight(chain, signal)
      while (replay.height() < head) {
        const range = replay.plan(replay.height() + 1, head)
        assert.ok(range !== undefined)
        const fetched = await replay.fetch(range, signal)
        // The first question about the X-Chain is what it had before its blocks: here nothing.
        if (fetched.length > 0) await host.commit(replay, fetched, signal)
      }
      await host.settled()
    }
    while (await host.judgeMore());
  } finally {
    await host.close()
  }
}

type Answers = {
  readonly answers: readonly {
    readonly method: string
    readonly params: Readonly<Record<string, string>>
    readonly answer: { readonly result?: unknown; readonly error?: unknown }
  }[]
}
const { answers }: Answers = JSON.parse(
  readFileSync(new URL('warp/recorded-node-answers.json', vectors), 'utf8'),
)

/** A transport that says what the network's node said, and nothing else. */
export const fiveNode: Transport = {
  request: async ({ body }) => {
    const request: { method: string; params: [Record<string, string>] } = JSON.parse(String(body))
    const wanted = JSON.stringify(request.params[0])
    const found = answers.find(
      ({ method, params }) => method === request.method && JSON.stringify(params) === wanted,
    )
    assert.ok(found !== undefined, `not recorded: ${request.method} ${wanted}`)
    const reply = JSON.stringify({ jsonrpc: '2.0', id: 0, ...found.answer })
    return { status: 200, headers: {}, body: new TextEncoder().encode(reply) }
  },
}
