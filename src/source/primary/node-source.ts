/**
 * A node as source of a primary network.
 *
 * The Index API is used when it is there and whole: a thousand blocks a call, and the only place
 * that knows proposers and what the X-Chain had before its blocks. Else blocks are read one by one
 * by height, several at a time.
 *
 * While a node starts it answers 404 for chains and indexes that it has not registered yet. A 404
 * is therefore believed only from a node that says that the chain is bootstrapped.
 */

import { fromHex, toHex } from '../../core/bytes.ts'
import { parseId } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { Log } from '../../telemetry/log.ts'
import { faultOfWords } from '../node-words.ts'
import { openBlock, openCBlock } from './containers.ts'
import {
  bytesIn,
  integerIn,
  isAbsence,
  isRefusal,
  listIn,
  type NodeApi,
  nodePaths,
  type Reply,
  textIn,
} from './node-api.ts'
import type {
  BlockBytes,
  CBlock,
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

const indexPaths = {
  P: nodePaths.indexP,
  X: nodePaths.indexX,
  C: nodePaths.indexC,
} as const

/** A source over one node. */
export function createNodeSource(api: NodeApi, log: Log): PrimarySource {
  const complete = new Map<PrimaryChain, boolean>()
  let identity: PrimaryIdentity | undefined

  const hasIndex: PrimarySource['hasIndex'] = async (chain, signal) => {
    const known = complete.get(chain)
    if (known !== undefined) return known
    const state = await indexState(api, chain, signal)
    if (state === 'empty') return false
    complete.set(chain, state === 'complete')
    log.info('index probed', { chain, state })
    return state === 'complete'
  }

  const headHeight: PrimarySource['headHeight'] = (chain, signal) =>
    whenStarted(api, chain, () => readHead(api, chain, signal), signal)

  /** Reads from an index; when it is gone, the node was started without it and is probed anew. */
  const indexed = async (
    chain: PrimaryChain,
    index: Index,
    signal: AbortSignal,
  ): Promise<Uint8Array[]> => {
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
    const index = { path: indexPaths[chain], from: from - 1, until: range.until - 1 }
    const containers = await indexed(chain, index, signal)
    const opened = containers.map((bytes, at) => openBlock(chain, from + at, bytes))
    return [...first, ...opened]
  }

  const cBlocks: PrimarySource['cBlocks'] = async (range, signal) => {
    if (!(await hasIndex('C', signal))) return cBlocksByNumber(api, range, signal)
    const from = Math.max(range.from, 1)
    const index = { path: indexPaths.C, from: from - 1, until: range.until - 1 }
    const containers = await indexed('C', index, signal)
    return containers.map(openCBlock)
  }

  const earlyCount: PrimarySource['earlyCount'] = async (signal) => {
    const last = await lastIndex(api, 'X', nodePaths.indexEarly, signal)
    return last === undefined ? 0 : last + 1
  }

  return {
    identity: async (signal) => (identity ??= await readIdentity(api, signal)),
    headHeight,
    hasIndex,
    blocks,
    cBlocks,
    earlyCount,
    earlyTransactions: (range, signal) =>
      indexed('X', { path: nodePaths.indexEarly, ...range }, signal),
    health: (signal) => readHealth(api, signal),
  }
}

async function readIdentity(api: NodeApi, signal: AbortSignal): Promise<PrimaryIdentity> {
  const info = (method: string, parameters: Reply = {}): Promise<Reply> =>
    api.ask(nodePaths.info, method, parameters, signal)
  const networkId = integerIn(await info('info.getNetworkID'), 'networkID')
  const nodeVersion = textIn(await info('info.getNodeVersion'), 'version')
  const x = parseId(textIn(await info('info.getBlockchainID', { alias: 'X' }), 'blockchainID'))
  const c = parseId(textIn(await info('info.getBlockchainID', { alias: 'C' }), 'blockchainID'))
  const upgrades = await readUpgrades(api, signal)
  const block0 = { height: '0', encoding: 'hexnc' }
  const first = await whenStarted(
    api,
    'P',
    () => api.ask(nodePaths.P, 'platform.getBlockByHeight', block0, signal),
    signal,
  )
  // Block 0 is a bare commit block: version 2, type id 4, then the parent, which is the genesis.
  const genesisId = bytesIn(first, 'block').slice(6, 38)
  return {
    networkId,
    nodeVersion,
    genesisId,
    chainIds: { X: x, C: c },
    upgrades,
  }
}

/** Empty for a node that is too old to tell. */
async function readUpgrades(api: NodeApi, signal: AbortSignal): Promise<Record<string, number>> {
  const method = 'info.upgrades'
  const reply = await api.tryAsk(nodePaths.info, method, {}, signal)
  if (!isRefusal(reply)) return timesOf(reply)
  const fault = faultOfWords(method, reply.refusal, 'stream')
  if (fault.code === 'node-refused') return {}
  throw fault
}

/**
 * Asks for something of `chain`. Where it is not there: throws `node-not-yet` until the node says
 * that the chain is bootstrapped, then asks once more, as it may have come between the two.
 */
async function whenStarted<T>(
  api: NodeApi,
  chain: PrimaryChain,
  ask: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isAbsence(error)) throw error
    const ready = await api.tryAsk(nodePaths.info, 'info.isBootstrapped', { chain }, signal)
    if (isRefusal(ready) || ready['isBootstrapped'] !== true)
      throw new Fault('node-not-yet', `the node has not started this chain yet: ${chain}`)
    return ask()
  }
}

/** RFC 3339 members as Unix seconds. */
function timesOf(reply: Reply): Record<string, number> {
  const times: Record<string, number> = {}
  for (const [name, value] of Object.entries(reply)) {
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
    if (Number.isFinite(time)) times[name] = Math.floor(time / 1_000)
  }
  return times
}

async function readHead(api: NodeApi, chain: PrimaryChain, signal: AbortSignal): Promise<number> {
  if (chain === 'C') {
    const [number] = await api.askEvm([{ method: 'eth_blockNumber', params: [] }], signal)
    return integerIn({ number }, 'number')
  }
  const ready = await api.tryAsk(nodePaths.info, 'info.isBootstrapped', { chain }, signal)
  if (!isRefusal(ready) && ready['isBootstrapped'] === false)
    throw new Fault('node-not-yet', `the node is still bootstrapping: ${chain}`)
  const method = chain === 'P' ? 'platform.getHeight' : 'avm.getHeight'
  return integerIn(await api.ask(nodePaths[chain], method, {}, signal), 'height')
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
      const reply = await api.ask(nodePaths[chain], method, parameters, signal)
      return { height: from + at, bytes: bytesIn(reply, 'block'), proposer: undefined }
    })
    blocks.push(...(await Promise.all(some)))
  }
  return blocks
}

/** Containers `[from, until)` of the index at `path`. */
type Index = { readonly path: string; readonly from: number; readonly until: number }

/** Containers of an index. Throws `node-not-yet` beyond its end. */
async function containersOf(
  api: NodeApi,
  index: Index,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  const { path, from, until } = index
  const found: Uint8Array[] = []
  while (from + found.length < until) {
    const startIndex = from + found.length
    const most = path === nodePaths.indexC ? cContainersPerCall : containersPerCall
    const numToFetch = Math.min(most, until - startIndex)
    const parameters = {
      startIndex: String(startIndex),
      numToFetch: String(numToFetch),
      encoding: 'hexnc',
    }
    const reply = await api.ask(path, 'index.getContainerRange', parameters, signal)
    const containers = listIn(reply, 'containers')
    if (containers.length === 0) throw new Fault('node-not-yet', `the index ends at ${startIndex}`)
    for (const container of containers) found.push(bytesIn(objectIn(container), 'bytes'))
  }
  return found
}

function objectIn(value: unknown): Reply {
  if (typeof value !== 'object' || value === null)
    throw new Fault('node-answer', 'a node’s list holds something that is no object')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON object
  return value as Reply
}

/** Highest index, -1 while it is empty; `undefined` when there is no such index. */
async function lastIndex(
  api: NodeApi,
  chain: PrimaryChain,
  path: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const method = 'index.getLastAccepted'
  const ask = (): ReturnType<NodeApi['tryAsk']> =>
    api.tryAsk(path, method, { encoding: 'hexnc' }, signal)
  try {
    const reply = await whenStarted(api, chain, ask, signal)
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
  const [first] = await containersOf(api, { path, from: 0, until: 1 }, signal)
  if (first === undefined) return 'empty'
  if (chain === 'C') return openCBlock(first).height === 1 ? 'complete' : 'incomplete'
  const block = (await blocksByHeight(api, chain, { from: 1, until: 2 }, signal))[0]
  if (block === undefined) return 'empty'
  // Bare or wrapped, the container of height 1 ends with the inner block, but for a signature.
  return toHex(first).includes(toHex(block.bytes)) ? 'complete' : 'incomplete'
}

async function cBlocksByNumber(
  api: NodeApi,
  range: { readonly from: number; readonly until: number },
  signal: AbortSignal,
): Promise<CBlock[]> {
  const calls = Array.from({ length: range.until - range.from }, (_, at) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${(range.from + at).toString(16)}`, false],
  }))
  const answers = await api.askEvm(calls, signal)
  return answers.map((answer) => {
    if (answer === null) throw new Fault('node-not-yet', 'a node does not have a C-Chain block yet')
    const block = objectIn(answer)
    const extra = block['blockExtraData']
    return {
      height: integerIn(block, 'number'),
      blockId: fromHex(textIn(block, 'hash')),
      parentId: fromHex(textIn(block, 'parentHash')),
      time: integerIn(block, 'timestamp'),
      sizeBytes: integerIn(block, 'size'),
      transactionCount: listIn(block, 'transactions').length,
      extraData: typeof extra === 'string' ? fromHex(extra) : new Uint8Array(),
      proposer: undefined,
    }
  })
}

async function readHealth(api: NodeApi, signal: AbortSignal): Promise<ValidatorHealth[]> {
  const reply = await api.ask(nodePaths.P, 'platform.getCurrentValidators', {}, signal)
  return listIn(reply, 'validators').map((value) => {
    const validator = objectIn(value)
    const uptime = Number(validator['uptime'])
    const connected = validator['connected']
    return {
      txId: parseId(textIn(validator, 'txID')),
      uptimePercent:
        validator['uptime'] !== undefined && Number.isFinite(uptime) ? uptime : undefined,
      connected: typeof connected === 'boolean' ? connected : undefined,
    }
  })
}
