/**
 * Peers that lie about blocks, beside honest ones, and what a source over them gives: a recorded
 * network's blocks, or nothing.
 */

import { zstdCompressSync } from 'node:zlib'

import { buildGenesis, localStartTimes } from '../../../src/codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../../../src/codec/primary/genesis-config.ts'
import { readGenesis } from '../../../src/codec/primary/genesis.ts'
import { encodePeerMessage, type PeerMessage } from '../../../src/codec/warp/peer-message.ts'
import { equalBytes, fromHex, isZero } from '../../../src/core/bytes.ts'
import { faultOf } from '../../../src/core/fault.ts'
import { sha256 } from '../../../src/core/hash.ts'
import type { World } from '../../../src/core/world.ts'
import { parsePeer } from '../../../src/peer/address-book.ts'
import { frameOf } from '../../../src/peer/frame.ts'
import { createIdentity } from '../../../src/peer/identity.ts'
import type { PeerLimits } from '../../../src/peer/limits.ts'
import { PeerPool } from '../../../src/peer/pool.ts'
import { PeerSource, type PeerSourceOptions } from '../../../src/source/peers/peer-source.ts'
import { openBlock } from '../../../src/source/primary/containers.ts'
import type { PrimarySource } from '../../../src/source/primary/primary-source.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { recordingNamed, unzipped } from '../chains/recorded-network.ts'
import { type BlockQuestionMessage, honestAnswer, ServedChain, wrapped } from './block-peer.ts'
import { quickLimits, realWorld, stakerKeys } from './warp-network.ts'
import { type Answering, startValidator, type Validator } from './warp-validator.ts'

/** Chains of a recorded network: as they are, and another history of valid form. */
export type Truth = {
  readonly networkId: number
  readonly genesis: Uint8Array
  readonly xChainId: Uint8Array
  readonly P: ServedChain
  readonly X: ServedChain
  readonly other: Readonly<Record<'P' | 'X', ServedChain>>
  /** The true blocks, of which the height is another. */
  readonly still: Readonly<Record<'P' | 'X', ServedChain>>
}

/** The network of the recording with this name. */
export function truthOf(name: string): Truth {
  const recording = recordingNamed(name)
  const P = [recording.p0, ...recording.p].map(fromHex)
  const X = [recording.x0, ...recording.x].map(fromHex)
  const genesis = genesisIn(recording.genesis, P[0]!)
  const inner = (chain: 'P' | 'X', all: readonly Uint8Array[]): ServedChain => {
    const bare = all.map((container, at) => openBlock(chain, at, container).block.bytes)
    return new ServedChain(chain, 0, wrapped(chain, bare, { salt: 7 }))
  }
  return {
    networkId: recording.source.networkId,
    genesis,
    xChainId: readGenesis(genesis).xChainId,
    P: new ServedChain('P', 0, P),
    X: new ServedChain('X', 0, X),
    other: { P: inner('P', P), X: inner('X', X) },
    still: {
      P: new ServedChain('P', 0, P.slice(0, -1)),
      X: new ServedChain('X', 0, X.slice(0, -1)),
    },
  }
}

function genesisIn(own: string | undefined, block0: Uint8Array): Uint8Array {
  if (own !== undefined) return buildGenesis(parseGenesisConfig(own))
  const config = parseGenesisConfig(unzipped('data/genesis/local.json.gz'))
  const id = block0.slice(6, 38)
  const found = localStartTimes(config.startTime, 1_900_000_000n)
    .map((startTime) => buildGenesis({ ...config, startTime }))
    .find((bytes) => equalBytes(sha256(bytes), id))
  if (found === undefined) throw new Error('no genesis has the recorded id')
  return found
}

/** Draws in [0, 1). */
export type Draw = () => number

/** Answers in place of an honest peer's. */
type Lie = (
  honest: PeerMessage | undefined,
  question: BlockQuestionMessage,
  to: Answering,
  of: { readonly truth: Truth; readonly draw: Draw },
) => void

type Items = Extract<PeerMessage, { items: readonly Uint8Array[] }>

/** A lie about the blocks of an answer, told where there is an answer with blocks. */
function altering(
  change: (items: readonly Uint8Array[], draw: Draw) => readonly Uint8Array[],
): Lie {
  return (honest, { kind }, { send }, { draw }) => {
    if (honest === undefined) return
    const hasBlocks = kind === 'get' || kind === 'get-ancestors'
    send(hasBlocks && 'items' in honest ? { ...honest, items: change(honest.items, draw) } : honest)
  }
}

function noise(size: number, draw: Draw): Uint8Array {
  return Uint8Array.from({ length: size }, () => Math.floor(draw() * 256))
}

function serving(chains: (truth: Truth) => Readonly<Record<'P' | 'X', ServedChain>>): Lie {
  return (_, question, { send }, { truth }) => {
    const chain = chains(truth)[isZero(question.chainId) ? 'P' : 'X']
    const answer = honestAnswer(chain, question)
    if (answer !== undefined) send(answer)
  }
}

const flipped = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, place) => (place === at ? byte ^ 1 : byte))

/** Every kind of lie, by name. `votes`: it says the truth of what is accepted. */
export const lies: Readonly<Record<string, { readonly lie: Lie; readonly votes: boolean }>> = {
  garbage: { votes: true, lie: altering((items, draw) => items.map(() => noise(300, draw))) },
  cut: {
    votes: true,
    lie: altering((items, draw) =>
      items.map((one) => one.slice(0, Math.floor(draw() * one.length))),
    ),
  },
  shuffled: { votes: true, lie: altering((items) => items.toReversed()) },
  gap: { votes: true, lie: altering((items) => items.toSpliced(1, 1)) },
  oneByOne: { votes: true, lie: altering((items) => items.slice(0, 1)) },
  few: { votes: true, lie: altering((items) => items.slice(0, 10)) },
  none: { votes: true, lie: altering(() => []) },
  tail: { votes: true, lie: altering((items, draw) => [...items, noise(200, draw)]) },
  alteredInside: {
    votes: true,
    lie: altering((items, draw) =>
      items.map((one) => flipped(one, Math.floor(draw() * (one.length >> 1)))),
    ),
  },
  /** Signatures are in no id: nothing is stored of them. */
  alteredSignature: {
    votes: true,
    lie: altering((items) =>
      items.map((one) => (one.length > 1_500 ? flipped(one, one.length - 1) : one)),
    ),
  },
  tooMany: {
    votes: true,
    lie: altering((items) => Array.from({ length: 5_000 }, () => items[0] ?? new Uint8Array())),
  },
  wrongKind: {
    votes: true,
    lie: (honest, { kind }, { send }) => {
      if (honest === undefined || !('items' in honest)) return
      if (kind === 'get-ancestors') send({ ...honest, kind: 'put' } as Items)
      else if (kind === 'get') send({ ...honest, kind: 'ancestors' } as Items)
      else send(honest)
    },
  },
  otherNumber: {
    votes: false,
    lie: (honest, { requestId }, { send }) => {
      if (honest !== undefined && 'items' in honest) send({ ...honest, requestId: requestId + 2 })
    },
  },
  otherChain: {
    votes: false,
    lie: serving((truth) => ({ P: truth.X, X: truth.P })),
  },
  alternative: { votes: false, lie: serving((truth) => truth.other) },
  standsStill: { votes: false, lie: serving((truth) => truth.still) },
  oldFork: {
    votes: false,
    lie: (honest, question, to, of) => {
      // The true blocks, and one of its own above them.
      const isTip = question.kind === 'get-accepted-frontier' || question.kind === 'get-accepted'
      if (isTip) serving((truth) => truth.other)(honest, question, to, of)
      else if (honest !== undefined) to.send(honest)
    },
  },
  saysAll: {
    votes: false,
    lie: (honest, question, { send }, { draw }) => {
      const { kind, ids, chainId, requestId } = question
      const place = { chainId, requestId }
      if (kind === 'get-accepted') send({ kind: 'accepted', ...place, items: ids })
      else if (kind === 'get-accepted-frontier') {
        send({ kind: 'accepted-frontier', ...place, items: [noise(32, draw)] })
      } else if (honest !== undefined) send(honest)
    },
  },
  saysNothing: { votes: false, lie: () => undefined },
  slow: {
    votes: true,
    lie: (honest, { kind }, { send, socket }) => {
      if (honest === undefined) return
      if (kind !== 'get' && kind !== 'get-ancestors') return send(honest)
      setTimeout(() => socket.destroyed || send(honest), 450)
    },
  },
  drops: {
    votes: true,
    lie: (honest, { kind }, { send, socket }) => {
      if (kind === 'get' || kind === 'get-ancestors') socket.destroy()
      else if (honest !== undefined) send(honest)
    },
  },
  bomb: {
    votes: true,
    lie: (honest, { kind }, { send }) => {
      if (kind === 'get-ancestors' || kind === 'get') {
        send({ kind: 'compressed', bytes: zstdCompressSync(new Uint8Array(64 * 2 ** 20)) })
      } else if (honest !== undefined) send(honest)
    },
  },
  endless: {
    votes: true,
    lie: (honest, { kind }, { send, socket }) => {
      if (honest === undefined) return
      send(honest)
      if (kind !== 'get' && kind !== 'get-ancestors') return
      const frame = frameOf(encodePeerMessage(honest))
      const more = setInterval(() => {
        if (socket.destroyed) clearInterval(more)
        else socket.write(frame)
      }, 1)
    },
  },
  trickles: {
    votes: true,
    lie: (honest, { kind }, { send, socket }) => {
      if (honest === undefined) return
      if (kind !== 'get' && kind !== 'get-ancestors') return send(honest)
      socket.write(frameOf(encodePeerMessage(honest)).slice(0, -10))
    },
  },
}

/** Peers of a network: how each lies, `undefined` where it does not; it may be changed. */
export type Network = {
  readonly validators: readonly Validator[]
  readonly lies: (string | undefined)[]
  readonly close: () => Promise<void>
}

/** Starts `count` peers that serve the network. */
export async function startPeers(
  truth: Truth,
  count: number,
  draw: Draw,
  note: (question: BlockQuestionMessage) => void = () => undefined,
): Promise<Network> {
  const liesOf: (string | undefined)[] = Array.from({ length: count }, () => undefined)
  const validators = await Promise.all(
    liesOf.map((_, at) =>
      startValidator({
        ...stakerKeys(at),
        networkId: truth.networkId,
        behaviour: { kind: 'sign' },
        blocks: (question, to) => {
          note(question)
          const isP = isZero(question.chainId)
          const isX = equalBytes(question.chainId, truth.xChainId)
          const chain = isP ? truth.P : isX ? truth.X : undefined
          const honest = honestAnswer(chain, question)
          const name = liesOf[at]
          if (name !== undefined) lies[name]!.lie(honest, question, to, { truth, draw })
          else if (honest !== undefined) to.send(honest)
        },
      }),
    ),
  )
  const close = async (): Promise<void> => {
    await Promise.all(validators.map((one) => one.close()))
  }
  return { validators, lies: liesOf, close }
}

/** A source over peers, with its connections. */
export type OpenSource = {
  readonly source: PrimarySource
  readonly peers: PeerPool
  readonly close: () => Promise<void>
}

/** Opens a source that believes all of the peers. */
export function openSource(
  truth: Truth,
  { validators }: Pick<Network, 'validators'>,
  more: Partial<PeerSourceOptions> & { readonly limits?: PeerLimits } = {},
): OpenSource {
  const world: Pick<World, 'clock' | 'random' | 'files'> = { ...realWorld(), files: noFiles() }
  const configured = validators.map(({ nodeId, port }) => parsePeer(`${nodeId}@127.0.0.1:${port}`))
  const { networkId } = truth
  const peers = new PeerPool({
    world,
    log: more.log ?? silentLog,
    networkId,
    identity: createIdentity(world),
    nodePeers: undefined,
    limits: more.limits ?? quickLimits,
    configured,
    bootstrappers: [],
    allowPrivateIps: true,
  })
  const source = new PeerSource({
    peers,
    networkId,
    bootstrappers: configured.map(({ nodeId }) => nodeId),
    checkpoints: {},
    genesis: async () => [truth.genesis],
    upgrades: {},
    newestUpgrade: 1_761_750_000,
    stored: { validators: async () => [], blockId: async () => undefined },
    node: undefined,
    folder: 'peers',
    everyMs: 20,
    world,
    log: silentLog,
    ...more,
  })
  return { source, peers, close: () => peers.close() }
}

/** Files in memory. */
export function noFiles(): World['files'] {
  const held = new Map<string, Uint8Array>()
  return {
    read: async (path) => held.get(path),
    write: async (path, bytes) => void held.set(path, bytes),
    remove: async (path) => void held.delete(path),
    list: async (folder) =>
      [...held.keys()].flatMap((path) =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      ),
  }
}

/** Blocks that are read at once: several of the answers of peers that give few. */
const atOnce = 32

/**
 * Reads a chain from a source as a stream does, from its first block on. Returns whether all was
 * read up to the true tip and live there; `'silent'` where no tip was believed in time. Throws for
 * any block or tip that is not the truth's. `stored` is moved: where to go on after a kill.
 */
export async function readAll(
  source: PrimarySource,
  served: ServedChain,
  signal: AbortSignal,
  stored = { height: 0 },
): Promise<'live' | 'silent'> {
  const chain = served.chain === 'X' ? 'X' : 'P'
  for (;;) {
    const next = stored.height + 1
    try {
      const head = await source.headHeight(chain, signal)
      if (head > served.height) throw new Error(`a tip that nobody accepted: ${head}`)
      if (next > head && head === served.height) return 'live'
      if (next > head) continue
      const until = Math.min(head + 1, next + atOnce)
      const blocks = await source.blocks(chain, { from: next, until }, signal)
      for (const [at, container] of served.containers(next, until).entries()) {
        const expected = openBlock(chain, next + at, container).block
        const found = blocks[at]
        const isEqual =
          found?.height === expected.height &&
          equalBytes(found.bytes, expected.bytes) &&
          JSON.stringify(found.proposer) === JSON.stringify(expected.proposer)
        if (!isEqual) throw new Error(`a wrong block: ${chain} ${next + at}`)
      }
      stored.height = until - 1
    } catch (error) {
      if (signal.aborted) return 'silent'
      if (faultOf(error)?.retryable !== true) throw error
    }
  }
}
