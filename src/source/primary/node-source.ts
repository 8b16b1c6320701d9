/**
 * A node as source of a primary network.
 *
 * The Index API is used when it is there and whole: a thousand blocks a call, and the only place
 * that knows proposers and what the X-Chain had before its blocks. Else blocks are read one by one
 * by height, several at a time.
 *
 * What hashes prove is proven here: ids of containers, headers of the C-Chain and what they commit
 * to, and the last block of a read by height, which no later block names yet: the node must know it
 * by the hash of its bytes.
 *
 * While a node starts it answers 404 for chains and indexes that it has not registered yet. A 404
 * is therefore believed only from a node that says that the chain is bootstrapped.
 */

import { equalBytes } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import type { Log } from '../../telemetry/log.ts'
import {
  bytesIn,
  fieldIn,
  idIn,
  integerIn,
  listIn,
  parsed,
  type Reply,
  textIn,
} from '../rpc/node-text.ts'
import { faultOfWords, meaningOfWords } from '../rpc/node-words.ts'
import { cBlocksByNumber } from './c-block-answers.ts'
import { openBlock, openCBlock } from './containers.ts'
import { isAbsence, isRefusal, type NodeApi, nodePaths } from './node-api.ts'
import type {
  BlockBytes,
  PrimaryChain,
  PrimaryIdentity,
  PrimarySource,
  ValidatorHealth,
} from './primary-source.ts'

/** `numToFetch` of `index.getContainerRange`. */
const containersPerCall = 1_024
/** Blocks of the C-Chain are whole there, EVM transactions and all; 64 stay below 32 MiB. */
const cContainersPerCall = 64
/** P- and X-Chain calls take the chain's lock: more at a time gain nothing. */
const callsAtATime = 8

const indexPaths = { P: nodePaths.indexP, X: nodePaths.indexX, C: nodePaths.indexC } as const

/** A source over one node. */
export function createNodeSource(api: NodeApi, log: Log): PrimarySource {
  const complete = new Map<PrimaryChain, boolean>()

  const hasIndex: PrimarySource['hasIndex'] = async (chain, signal) => {
    const known = complete.get(chain)
    if (known !== undefined) return known
    const state = await twice(() => indexState(api, chain, signal))
    if (state === 'empty') return false
    complete.set(chain, state === 'complete')
    log.info('index probed', { chain, state })
    return state === 'complete'
  }

  const headHeight: PrimarySource['headHeight'] = (chain, signal) =>
    whenStarted(api, chain, () => readHead(api, chain, signal), signal)

  /** Reads from an index; when it is gone, the node was started without it and is probed anew. */
  const indexed = async <T>(
    chain: PrimaryChain,
    index: Index<T>,
    signal: AbortSignal,
  ): Promise<T[]> => {
    try {
      return await whenStarted(api, chain, () => containersOf(api, index, signal), signal)
    } catch (error) {
      if (isAbsence(error)) complete.delete(chain)
      throw error
    }
  }

  const blocks: PrimarySource['blocks'] = async (chain, range, signal) => {
    if (!(await hasIndex(chain, signal))) return blocksByHeight(api, chain, range, signal)
    // Index 0 is height 1: block 0 was never accepted by consensus.
    const first =
      range.from === 0 ? await blocksByHeight(api, chain, { from: 0, until: 1 }, signal) : []
    const from = Math.max(range.from, 1)
    const open = (bytes: Uint8Array, at: number): Opened<BlockBytes> =>
      openBlock(chain, at + 1, bytes)
    const index = { path: indexPaths[chain], from: from - 1, until: range.until - 1, open }
    return [...first, ...(await indexed(chain, index, signal))]
  }

  const cBlocks: PrimarySource['cBlocks'] = async (range, signal) => {
    if (!(await hasIndex('C', signal))) return cBlocksByNumber(api, range, signal)
    const from = Math.max(range.from, 1)
    const index = { path: indexPaths.C, from: from - 1, until: range.until - 1, open: openCBlock }
    return indexed('C', index, signal)
  }

  const earlyCount: PrimarySource['earlyCount'] = async (signal) => {
    const last = await twice(() => lastIndex(api, 'X', nodePaths.indexEarly, signal))
    return last === undefined ? 0 : last + 1
  }

  return {
    identity: (signal) => twice(() => readIdentity(api, signal)),
    headHeight,
    hasIndex,
    blocks,
    cBlocks,
    earlyCount,
    earlyTransactions: (range, signal) =>
      indexed('X', { path: nodePaths.indexEarly, ...range, open: openEarly }, signal),
    health: (signal) => readHealth(api, signal),
  }
}

/**
 * Reads twice, for facts that no hash proves and much is built upon. Throws `node-answer` where two
 * answers differ.
 */
async function twice<T>(read: () => Promise<T>): Promise<T> {
  const [first, second] = [await read(), await read()]
  if (JSON.stringify(first) === JSON.stringify(second)) return first
  throw new Fault('node-answer', 'a node says something else when it is asked again')
}

async function readIdentity(api: NodeApi, signal: AbortSignal): Promise<PrimaryIdentity> {
  const info = (method: string, parameters: Reply = {}): Promise<Reply> =>
    api.call(nodePaths.info, method, parameters, signal)
  const networkId = integerIn(await info('info.getNetworkID'), 'networkID')
  const nodeVersion = textIn(await info('info.getNodeVersion'), 'version').slice(0, 200)
  const x = idIn(await info('info.getBlockchainID', { alias: 'X' }), 'blockchainID')
  const c = idIn(await info('info.getBlockchainID', { alias: 'C' }), 'blockchainID')
  const upgrades = await readUpgrades(api, signal)
  const block0 = { height: '0', encoding: 'hexnc' }
  const first = await whenStarted(
    api,
    'P',
    () => api.call(nodePaths.P, 'platform.getBlockByHeight', block0, signal),
    signal,
  )
  // Block 0 is a bare commit block: version 2, type id 4, then the parent, which is the genesis.
  const genesisId = bytesIn(first, 'block', 46).slice(6, 38)
  return {
    networkId,
    nodeVersion,
    genesisId,
    chainIds: { X: x, C: c },
    upgrades,
  }
}

/** Empty for a node that is too old to know. */
async function readUpgrades(api: NodeApi, signal: AbortSignal): Promise<Record<string, number>> {
  const method = 'info.upgrades'
  const reply = await api.tryCall(nodePaths.info, method, {}, signal)
  if (!isRefusal(reply)) return timesOf(reply)
  const fault = faultOfWords(method, reply.refusal, 'stream')
  if (fault.code === 'node-refused') return {}
  throw fault
}

/**
 * Reads something of `chain`. Where it is not there: throws `node-not-yet` until the node says
 * that the chain is bootstrapped, then reads once more, as it may have come between the two.
 */
async function whenStarted<T>(
  api: NodeApi,
  chain: PrimaryChain,
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isAbsence(error)) throw error
    const ready = await api.tryCall(nodePaths.info, 'info.isBootstrapped', { chain }, signal)
    if (isRefusal(ready) || ready['isBootstrapped'] !== true)
      throw new Fault('node-not-yet', `the node has not started this chain yet: ${chain}`)
    return read()
  }
}

/** RFC 3339 members as Unix seconds. */
export function timesOf(reply: Reply): Record<string, number> {
  const times: Record<string, number> = {}
  for (const [name, value] of Object.entries(reply)) {
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
    if (Number.isFinite(time)) times[name] = Math.floor(time / 1_000)
  }
  return times
}

async function readHead(api: NodeApi, chain: PrimaryChain, signal: AbortSignal): Promise<number> {
  if (chain === 'C') {
    const [number] = await api.callEvm([{ method: 'eth_blockNumber', params: [] }], signal)
    return integerIn({ number }, 'number')
  }
  const ready = await api.tryCall(nodePaths.info, 'info.isBootstrapped', { chain }, signal)
  if (!isRefusal(ready) && ready['isBootstrapped'] === false)
    throw new Fault('node-not-yet', `the node is still bootstrapping: ${chain}`)
  const method = chain === 'P' ? 'platform.getHeight' : 'avm.getHeight'
  return integerIn(await api.call(nodePaths[chain], method, {}, signal), 'height')
}

async function blocksByHeight(
  api: NodeApi,
  chain: 'P' | 'X',
  range: { readonly from: number; readonly until: number },
  signal: AbortSignal,
): Promise<BlockBytes[]> {
  const method = chain === 'P' ? 'platform.getBlockByHeight' : 'avm.getBlockByHeight'
  const blocks: BlockBytes[] = []
  for (let from = range.from; from < range.until; from += callsAtATime) {
    const count = Math.min(callsAtATime, range.until - from)
    const some = Array.from({ length: count }, async (_, at) => {
      const parameters = { height: String(from + at), encoding: 'hexnc' }
      const reply = await api.call(nodePaths[chain], method, parameters, signal)
      return { height: from + at, bytes: bytesIn(reply, 'block'), proposer: undefined }
    })
    blocks.push(...(await Promise.all(some)))
  }
  await confirmLast(api, chain, blocks, signal)
  return blocks
}

/**
 * That the node knows the last of these blocks by the hash of its bytes, as no later one names it
 * yet. Throws `node-answer`.
 */
async function confirmLast(
  api: NodeApi,
  chain: 'P' | 'X',
  blocks: readonly BlockBytes[],
  signal: AbortSignal,
): Promise<void> {
  const last = blocks.at(-1)
  if (last === undefined) return
  const method = chain === 'P' ? 'platform.getBlock' : 'avm.getBlock'
  const parameters = { blockID: toCb58(sha256(last.bytes)), encoding: 'hexnc' }
  const reply = await api.tryCall(nodePaths[chain], method, parameters, signal)
  if (isRefusal(reply) && meaningOfWords(reply.refusal) !== 'unknown')
    throw faultOfWords(method, reply.refusal, 'stream')
  if (isRefusal(reply) || !equalBytes(bytesIn(reply, 'block'), last.bytes))
    throw new Fault(
      'node-answer',
      `a node does not know the block it named: ${chain} ${last.height}`,
    )
}

/** A container taken apart, with the id that its bytes have. */
type Opened<T> = { readonly id: Uint8Array; readonly block: T }

/** Containers `[from, until)` of the index at `path`; `open` takes one apart, given its index. */
type Index<T> = {
  readonly path: string
  readonly from: number
  readonly until: number
  readonly open: (bytes: Uint8Array, at: number) => Opened<T>
}

/** A transaction from before the X-Chain's blocks. */
function openEarly(bytes: Uint8Array): Opened<Uint8Array> {
  return { id: sha256(bytes), block: bytes }
}

/** Blocks or transactions in containers of an index. Throws `node-not-yet` beyond its end. */
async function containersOf<T>(api: NodeApi, index: Index<T>, signal: AbortSignal): Promise<T[]> {
  const { path, from, until, open } = index
  const found: T[] = []
  while (from + found.length < until) {
    const startIndex = from + found.length
    const most = path === nodePaths.indexC ? cContainersPerCall : containersPerCall
    const numToFetch = Math.min(most, until - startIndex)
    const parameters = {
      startIndex: String(startIndex),
      numToFetch: String(numToFetch),
      encoding: 'hexnc',
    }
    const reply = await api.call(path, 'index.getContainerRange', parameters, signal)
    const containers = listIn(reply, 'containers')
    if (containers.length === 0) throw new Fault('node-not-yet', `the index ends at ${startIndex}`)
    if (containers.length > numToFetch)
      throw new Fault('node-answer', `a node gives more containers than were requested: ${path}`)
    for (const container of containers) {
      const bytes = bytesIn(container, 'bytes')
      const { id, block } = parsed('container', () => open(bytes, from + found.length))
      if (!equalBytes(id, idIn(container, 'id')))
        throw new Fault('node-answer', `a container of a node's index has another id: ${path}`)
      found.push(block)
    }
  }
  return found
}

/** Highest index, -1 while it is empty; `undefined` when there is no such index. */
async function lastIndex(
  api: NodeApi,
  chain: PrimaryChain,
  path: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const method = 'index.getLastAccepted'
  const read = (): ReturnType<NodeApi['tryCall']> =>
    api.tryCall(path, method, { encoding: 'hexnc' }, signal)
  try {
    const reply = await whenStarted(api, chain, read, signal)
    if (!isRefusal(reply)) return integerIn(reply, 'index')
    const { code } = faultOfWords(method, reply.refusal, 'stream')
    return code === 'node-not-yet' ? -1 : undefined
  } catch (error) {
    if (faultOf(error)?.code === 'node-refused') return undefined
    throw error
  }
}

/** An index switched on late does not begin at height 1 and is of no use. */
async function indexState(
  api: NodeApi,
  chain: PrimaryChain,
  signal: AbortSignal,
): Promise<'absent' | 'empty' | 'complete' | 'incomplete'> {
  const path = indexPaths[chain]
  const last = await lastIndex(api, chain, path, signal)
  if (last === undefined) return 'absent'
  if (last < 0) return 'empty'
  const one = { path, from: 0, until: 1 }
  if (chain === 'C') {
    const [first] = await containersOf(api, { ...one, open: openCBlock }, signal)
    return first?.height === 1 ? 'complete' : 'incomplete'
  }
  const open = (bytes: Uint8Array): Opened<BlockBytes> => openBlock(chain, 1, bytes)
  const [first] = await containersOf(api, { ...one, open }, signal)
  const block = (await blocksByHeight(api, chain, { from: 1, until: 2 }, signal))[0]
  if (first === undefined || block === undefined) return 'empty'
  return equalBytes(first.bytes, block.bytes) ? 'complete' : 'incomplete'
}

async function readHealth(api: NodeApi, signal: AbortSignal): Promise<ValidatorHealth[]> {
  const reply = await api.call(nodePaths.P, 'platform.getCurrentValidators', {}, signal)
  return listIn(reply, 'validators').map((validator) => {
    const uptime = fieldIn(validator, 'uptime')
    const connected = fieldIn(validator, 'connected')
    const isPercent = /^\d{1,3}(?:\.\d{1,20})?$/.test(String(uptime))
    return {
      txId: idIn(validator, 'txID'),
      uptimePercent: isPercent ? Number(uptime) : undefined,
      connected: typeof connected === 'boolean' ? connected : undefined,
    }
  })
}
