/**
 * A node of the recorded primary network, with an Index API of P and X or without, that can be restarted
 * and can lie. Headers of its C-Chain are those of AvalancheGo, from the recording of its EVM side.
 *
 * While it starts it behaves as AvalancheGo 1.14 was seen to: first no connection, then 503 on the
 * P-Chain and 404 on the chains that are not registered yet, while `info.isBootstrapped` says no.
 */

import { readFileSync } from 'node:fs'

import type { RawBlock } from '../../../src/codec/evm/raw.ts'
import { to0x, toHex } from '../../../src/core/bytes.ts'
import { parseId, toCb58 } from '../../../src/core/cb58.ts'
import { Fault } from '../../../src/core/fault.ts'
import { sha256 } from '../../../src/core/hash.ts'
import type { HttpReply, HttpRequest, Transport } from '../../../src/core/world.ts'
import { openRecordedPrimary } from '../../../src/source/primary/recorded-source.ts'
import { openRecording } from '../../../src/source/recorded/recording.ts'
import { type NodeCall, replyText } from './json-rpc-reply.ts'

/** The network whose node this is. */
export const nodeRecordingPath = new URL('../../../demo/primary.firnrec', import.meta.url).pathname
/** Its genesis. */
export const nodeGenesis = new URL('../../../demo/genesis.json.gz', import.meta.url).pathname

/** Its actions beside answering. */
export type NodeBehaviour = {
  /** Numbers of requests at which it is ended and started again. */
  readonly restartsAt?: readonly number[]
  /** Chains that answer 404 although the node says that they are there. */
  readonly without?: readonly string[]
  readonly hasIndex?: boolean
  /** What it tells in the place of the truth: of one call, or the text of a whole reply. */
  readonly lie?: (call: NodeCall, result: unknown) => unknown
  readonly garble?: (text: string) => string
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

/** Opens the node of the demo's recording. */
export function openPrimaryNode(behaviour: NodeBehaviour = {}): PrimaryNode {
  const { restartsAt = [], without = [], hasIndex = false } = behaviour
  const { lie = (_call, result) => result, garble = (text) => text } = behaviour
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
    if (path.startsWith('/ext/index/') && (!hasIndex || !/[PX]\/block$/.test(path))) return absent()
    if (isRegistering && chain === 'P') return reply(503, 'API call rejected')
    if (isRegistering && chain !== undefined) {
      unregistered++
      return absent()
    }
    if (chain !== undefined && without.includes(chain)) return absent()
    const outcomeOf = async (call: NodeCall): Promise<object> => {
      const result = await resultOf(path, call, !isRegistering)
      const said = lie(call, result === unknown ? undefined : result)
      return said === undefined
        ? { error: { code: -32_000, message: 'not found' } }
        : { result: said }
    }
    return reply(200, garble(await replyText(body, outcomeOf)))
  }
  return { transport: { request }, requests: () => requests, unregistered: () => unregistered }
}

const recording = openRecordedPrimary(readFileSync(nodeRecordingPath))
const evm = openRecording(readFileSync(new URL('../../../demo/c-chain.firnrec', import.meta.url)))
/** It has nothing of that id. */
const unknown = Symbol('unknown')
const { signal } = new AbortController()

async function resultOf(
  path: string,
  { method, params }: NodeCall,
  isBootstrapped: boolean,
): Promise<unknown> {
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
    case 'platform.getBlock':
      return blockOfId('P', String(named['blockID']))
    case 'avm.getBlock':
      return blockOfId('X', String(named['blockID']))
    case 'index.getLastAccepted':
      return { index: String((await head(path.includes('/P/') ? 'P' : 'X')) - 1) }
    case 'index.getContainerRange':
      return containers(path.includes('/P/') ? 'P' : 'X', named)
    case 'eth_getBlockByNumber':
      return cBlock(Number(params[0]), params[1] === true)
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

async function blockOfId(chain: 'P' | 'X', blockId: string): Promise<unknown> {
  const wanted = toHex(parseId(blockId))
  const until = (await recording.headHeight(chain, signal)) + 1
  const blocks = await recording.blocks(chain, { from: chain === 'P' ? 1 : 0, until }, signal)
  const found = blocks.find(({ bytes }) => toHex(sha256(bytes)) === wanted)
  return found === undefined ? unknown : { block: to0x(found.bytes) }
}

/** Bare inner blocks, as they are before the fork of the proposervm. */
async function containers(
  chain: 'P' | 'X',
  named: Readonly<Record<string, string>>,
): Promise<unknown> {
  const from = Number(named['startIndex']) + 1
  const range = { from, until: from + Number(named['numToFetch']) }
  const blocks = await recording.blocks(chain, range, signal)
  return {
    containers: blocks.map(({ bytes }) => ({ id: toCb58(sha256(bytes)), bytes: to0x(bytes) })),
  }
}

async function cBlock(height: number, isWhole: boolean): Promise<unknown> {
  if (height > (await recording.headHeight('C', signal))) return null
  const range = { from: height, until: height + 1 }
  return evm.blocks(
    range,
    ([unit]) => {
      const { transactions, ...block }: RawBlock & { readonly uncles?: unknown } = unit?.block ?? {}
      if (!Array.isArray(transactions) || isWhole) return { ...block, transactions }
      return { ...block, transactions: transactions.map(({ hash }: { hash: unknown }) => hash) }
    },
    signal,
  )
}

function reply(status: number, text: string): HttpReply {
  return { status, headers: {}, body: new TextEncoder().encode(text) }
}
