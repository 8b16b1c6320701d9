/**
 * A node of a recorded primary network, with an Index API, that misbehaves.
 *
 * Its answers come from a recording of real nodes. Its lies are made of true blocks:
 * another height's, another network's, and a block whose content came before, under the next height
 * and the right parent, in which outputs are spent or rewards are paid a second time.
 */

import { toCb58 } from '../../src/core/cb58.ts'
import { sha256 } from '../../src/core/hash.ts'
import type { Clock, HttpReply, HttpRequest } from '../../src/core/world.ts'
import { callsOf, type NodeCall } from '../support/nodes/json-rpc-reply.ts'
import type { Draws } from '../support/processes/draws.ts'
import type { FaultKind } from './fault-kinds.ts'
import { type Condition, NodeHarms, plainReply, type SimEndpoint } from './node-harms.ts'

/** Blocks of the three chains by height, and what the node says of itself. */
export type PrimaryHistory = {
  readonly identity: {
    readonly networkId: number
    readonly nodeVersion: string
    readonly genesisId: Uint8Array
    readonly chainIds: { readonly X: Uint8Array; readonly C: Uint8Array }
    readonly upgrades: Readonly<Record<string, number>>
  }
  readonly P: readonly Uint8Array[]
  readonly X: readonly Uint8Array[]
  /** As `eth_getBlockByNumber` gives them. */
  readonly C: readonly object[]
}

type Chain = 'P' | 'X' | 'C'
type Outcome = { readonly result: unknown } | { readonly error: object }

/** One node. */
export class PrimarySimNode implements SimEndpoint {
  readonly #harms: NodeHarms
  readonly #history: PrimaryHistory
  readonly #other: PrimaryHistory
  readonly #share: () => number

  constructor(parts: {
    readonly history: PrimaryHistory
    readonly other: PrimaryHistory
    readonly clock: Clock
    readonly draws: Draws
    /** Share of the chains that is there by now. */
    readonly share: () => number
  }) {
    this.#history = parts.history
    this.#other = parts.other
    this.#share = parts.share
    this.#harms = new NodeHarms(parts.clock, parts.draws)
  }

  get conditions(): Set<Condition> {
    return this.#harms.conditions
  }

  request(request: HttpRequest): Promise<HttpReply> {
    return this.#harms.request(request, async () => this.#answer(request))
  }

  #answer({ url, body }: HttpRequest): HttpReply {
    const path = new URL(url).pathname
    const isStarting = this.#isStarting()
    const isIndex = path.startsWith('/ext/index/')
    const gone = isIndex ? this.#harms.has('primary: the index is gone') : undefined
    gone?.took()
    // Only P has an index here, so that X and C are read by height.
    if (gone !== undefined || (isIndex && !path.endsWith('/P/block')))
      return plainReply(404, '404 page not found\n')
    if (isStarting && !path.startsWith('/ext/info')) return plainReply(404, '404 page not found\n')
    const { calls, isBatch } = callsOf(body)
    const replies = calls.map((call) => ({
      jsonrpc: '2.0',
      id: call.id,
      ...this.#outcome(call, isStarting),
    }))
    return plainReply(200, JSON.stringify(isBatch ? replies : replies[0]))
  }

  #isStarting(): boolean {
    const restarts = this.#harms.has('node: restarts')
    return restarts !== undefined && this.#harms.passed(restarts) < 0.8
  }

  #outcome({ method, params }: NodeCall, isStarting: boolean): Outcome {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our client
    const named = (params[0] ?? {}) as Readonly<Record<string, string>>
    const { networkId, nodeVersion, chainIds, upgrades } = this.#history.identity
    switch (method) {
      case 'info.getNetworkID':
        return { result: { networkID: String(networkId) } }
      case 'info.getNodeVersion':
        return { result: { version: nodeVersion } }
      case 'info.getBlockchainID': {
        const id = named['alias'] === 'X' ? chainIds.X : chainIds.C
        return { result: { blockchainID: toCb58(id) } }
      }
      case 'info.upgrades':
        return { result: Object.fromEntries(Object.entries(upgrades).map(upgradeText)) }
      case 'info.isBootstrapped':
        return { result: { isBootstrapped: !isStarting } }
      case 'platform.getHeight':
        return { result: { height: String(this.#head('P')) } }
      case 'avm.getHeight':
        return { result: { height: String(this.#head('X')) } }
      case 'eth_blockNumber':
        return { result: hexOf(this.#head('C')) }
      case 'platform.getBlockByHeight':
        return this.#block('P', Number(named['height']))
      case 'avm.getBlockByHeight':
        return this.#block('X', Number(named['height']))
      case 'platform.getBlock':
        return this.#blockOf('P', String(named['blockID']))
      case 'avm.getBlock':
        return this.#blockOf('X', String(named['blockID']))
      case 'eth_getBlockByNumber':
        return { result: this.#cBlock(Number(params[0])) }
      case 'index.getLastAccepted':
        return { result: { index: String(this.#head('P') - 1) } }
      case 'index.getContainerByIndex':
      case 'index.getContainerRange':
        return this.#containers(Number(named['startIndex'] ?? named['index']), named)
      case 'platform.getCurrentValidators':
        return { result: { validators: [] } }
      default:
        return { error: { code: -32601, message: 'the method does not exist/is not available' } }
    }
  }

  #head(chain: Chain): number {
    const lags = this.#harms.has('node: lags behind')
    lags?.took()
    const top = this.#history[chain].length - 1
    return Math.max(0, Math.floor(top * this.#share()) - (lags === undefined ? 0 : 5))
  }

  #block(chain: 'P' | 'X', height: number): Outcome {
    const bytes = height > this.#head(chain) ? undefined : this.#bytes(chain, height)
    if (bytes === undefined) return { error: { code: -32000, message: 'not found' } }
    return { result: { block: `0x${Buffer.from(bytes).toString('hex')}` } }
  }

  /** Any block that it tells, true or not, it knows by the hash of its bytes, too. */
  #blockOf(chain: 'P' | 'X', id: string): Outcome {
    const all = [...this.#history[chain], ...this.#other[chain]]
    const bytes = all.find((each) => toCb58(sha256(each)) === id)
    if (bytes === undefined) return { error: { code: -32000, message: 'not found' } }
    return { result: { block: `0x${Buffer.from(bytes).toString('hex')}` } }
  }

  #cBlock(height: number): object | null {
    if (height > this.#head('C')) return null
    const swapped = this.#lies('primary: blocks out of order')
    return this.#history.C[swapped && height > 1 ? height - 1 : height] ?? null
  }

  #containers(start: number, named: Readonly<Record<string, string>>): Outcome {
    const most = Math.min(Number(named['numToFetch'] ?? 1), 64)
    const found: object[] = []
    const skips = this.#harms.has('primary: the index skips')
    // From the first container that is requested on, or from the second.
    const skipFrom = skips?.draws.chance(0.3) === true ? start + skips.draws.below(2) : undefined
    for (let at = start; at < start + most; at++) {
      const isSkipped = skipFrom !== undefined && at >= skipFrom
      const height = at + (isSkipped ? 2 : 1)
      const bytes = height > this.#head('P') ? undefined : this.#bytes('P', height)
      if (bytes === undefined) break
      if (isSkipped) skips?.took()
      const hex = `0x${Buffer.from(bytes).toString('hex')}`
      found.push({
        bytes: hex,
        id: toCb58(sha256(bytes)),
        timestamp: '',
        encoding: 'hexnc',
        index: String(at),
      })
    }
    if (named['index'] === undefined) return { result: { containers: found } }
    const [only] = found
    if (only !== undefined) return { result: only }
    return { error: { code: -32000, message: 'no container at index' } }
  }

  #lies(kind: FaultKind): boolean {
    const lies = this.#harms.has(kind)
    if (lies?.draws.chance(0.3) !== true) return false
    lies.took()
    return true
  }

  /** Bytes of a block; height 0 is made from the genesis. */
  #bytes(chain: 'P' | 'X', height: number): Uint8Array | undefined {
    const own = this.#history[chain]
    if (height < 2) return own[height]
    if (this.#lies('primary: blocks out of order')) return own[height - 1]
    if (this.#lies('primary: blocks of another network')) return this.#other[chain][height]
    const bytes = own[height]
    if (bytes === undefined || chain !== 'P') return bytes
    if (this.#lies('primary: a false parent')) return placed(bytes, { parent: new Uint8Array(32) })
    const before = own[height - 1]
    if (before !== undefined && this.#lies('primary: spent again, rewarded again'))
      return placed(before, { parent: sha256(before), height })
    return bytes
  }
}

/**
 * A P-Chain block with another parent or height: both stand behind version, type and, from Banff on,
 * time. Source: avalanchego vms/platformvm/block (codec order of BanffStandardBlock and others).
 */
function placed(
  bytes: Uint8Array,
  to: { readonly parent: Uint8Array; readonly height?: number },
): Uint8Array {
  const copy = bytes.slice()
  const at = (bytes[5] ?? 0) >= 29 ? 14 : 6
  copy.set(to.parent, at)
  if (to.height !== undefined) new DataView(copy.buffer).setBigUint64(at + 32, BigInt(to.height))
  return copy
}

function upgradeText([name, at]: [string, number]): [string, string] {
  return [name, new Date(at * 1_000).toISOString()]
}

function hexOf(height: number): string {
  return `0x${height.toString(16)}`
}
