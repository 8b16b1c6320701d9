/**
 * A node of the recorded primary network, without an Index API, that can be restarted.
 *
 * While it starts it behaves as AvalancheGo 1.14 was seen to: first no connection, then 503 on the
 * P-Chain and 404 on the chains that are not registered yet, while `info.isBootstrapped` says no.
 */

import { readFileSync } from 'node:fs'

import { toCb58 } from '../src/core/cb58.ts'
import { Fault } from '../src/core/fault.ts'
import type { HttpReply, HttpRequest, Transport } from '../src/core/world.ts'
import { openRecordedPrimary } from '../src/source/primary/recorded-source.ts'
import { recordingPath } from './primary-service.ts'

/** Its actions beside answering. */
export type NodeBehaviour = {
  /** Numbers of requests at which it is ended and started again. */
  readonly restartsAt?: readonly number[]
  /** Chains that answer 404 although the node says that they are there. */
  readonly without?: readonly string[]
}

/** A node, and how often it refused while it started. */
export type PrimaryNode = {
  readonly transport: Transport
  readonly requests: () => number
  /** Answers 404 of chains that were not registered yet. */
  readonly unregistered: () => number
}

/** Requests it does not hear after its end, and those that come before its chains are there. */
const deafFor = 4
const registeringFor = 40

type Call = {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** Opens the node of the demo's recording. */
export function openPrimaryNode(behaviour: NodeBehaviour = {}): PrimaryNode {
  const { restartsAt = [], without = [] } = behaviour
  let requests = 0
  let unregistered = 0
  let startedAt = Number.NEGATIVE_INFINITY
  const absent = (): HttpReply => reply(404, '404 page not found\n')
  const request = async ({ url, body }: HttpRequest): Promise<HttpReply> => {
    if (restartsAt.includes(++requests)) startedAt = requests
    const age = requests - startedAt
    if (age < deafFor) throw new Fault('node-unreachable', 'the node does not answer')
    const path = new URL(url).pathname
    const isRegistering = age < registeringFor
    const chain = /^\/ext\/bc\/([PXC])/.exec(path)?.[1]
    if (path.startsWith('/ext/index/')) return absent()
    if (isRegistering && chain === 'P') return reply(503, 'API call rejected')
    if (isRegistering && chain !== undefined) {
      unregistered++
      return absent()
    }
    if (chain !== undefined && without.includes(chain)) return absent()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON-RPC written by our client
    const asked = JSON.parse(String(body)) as Call | Call[]
    const answer = async (call: Call): Promise<object> => ({
      jsonrpc: '2.0',
      id: call.id,
      result: await resultOf(call, !isRegistering),
    })
    const answers = Array.isArray(asked)
      ? await Promise.all(asked.map(answer))
      : await answer(asked)
    return reply(200, JSON.stringify(answers))
  }
  return { transport: { request }, requests: () => requests, unregistered: () => unregistered }
}

const recording = openRecordedPrimary(readFileSync(recordingPath))
const { signal } = new AbortController()

async function resultOf({ method, params }: Call, isBootstrapped: boolean): Promise<unknown> {
  const identity = await recording.identity(signal)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our client
  const named = (params[0] ?? {}) as Readonly<Record<string, string>>
  const head = async (chain: 'P' | 'X' | 'C'): Promise<number> =>
    recording.headHeight(chain, signal)
  switch (method) {
    case 'info.getNetworkID':
      return { networkID: String(identity.networkId) }
    case 'info.getNodeVersion':
      return { version: identity.nodeVersion }
    case 'info.getBlockchainID':
      return {
        blockchainID: toCb58(named['alias'] === 'X' ? identity.chainIds.X : identity.chainIds.C),
      }
    case 'info.upgrades':
      return Object.fromEntries(
        Object.entries(identity.upgrades).map(([name, at]) => [
          name,
          new Date(at * 1_000).toISOString(),
        ]),
      )
    case 'info.isBootstrapped':
      return { isBootstrapped }
    case 'platform.getHeight':
      return { height: String(await head('P')) }
    case 'avm.getHeight':
      return { height: String(await head('X')) }
    case 'eth_blockNumber':
      return `0x${(await head('C')).toString(16)}`
    case 'platform.getBlockByHeight':
      return { block: await blockText('P', Number(named['height'])) }
    case 'avm.getBlockByHeight':
      return { block: await blockText('X', Number(named['height'])) }
    case 'eth_getBlockByNumber':
      return cBlock(Number(params[0]))
    case 'platform.getCurrentValidators':
      return { validators: [] }
    default:
      throw new Error(`not recorded: ${method}`)
  }
}

async function blockText(chain: 'P' | 'X', height: number): Promise<string> {
  if (chain === 'P' && height === 0) {
    // A bare commit block: version, type id, parent, height.
    const { genesisId } = await recording.identity(signal)
    return `0x000000000004${Buffer.from(genesisId).toString('hex')}0000000000000000`
  }
  const [block] = await recording.blocks(chain, { from: height, until: height + 1 }, signal)
  return `0x${Buffer.from(block?.bytes ?? []).toString('hex')}`
}

async function cBlock(height: number): Promise<unknown> {
  const [block] = await recording.cBlocks({ from: height, until: height + 1 }, signal)
  if (block === undefined) return null
  const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`
  return {
    number: `0x${height.toString(16)}`,
    hash: hex(block.blockId),
    parentHash: hex(block.parentId),
    timestamp: `0x${block.time.toString(16)}`,
    size: `0x${block.sizeBytes.toString(16)}`,
    transactions: Array.from({ length: block.transactionCount }, () => '0x'),
    blockExtraData: hex(block.extraData),
  }
}

function reply(status: number, text: string): HttpReply {
  return { status, headers: {}, body: new TextEncoder().encode(text) }
}
