/** Facts that every page uses: the chains served and their heights and the time of what is shown. */

import type { ChainInfo } from '../../../shape/evm/chain-info.ts'
import type { ChainStatus, Status } from '../../../shape/status.ts'
import { hexOfCb58, visible } from './format.ts'

/** Chains by answer of the API; status when it is known. */
export type World = { readonly chains: readonly ChainInfo[]; readonly status: Status | undefined }

/** A chain's coin. */
export type Coin = { readonly symbol: string; readonly decimals: number }

/** Name of a chain, or its id. */
export function chainName(world: World, chainId: string): string {
  return visible(chainOf(world, chainId)?.chainName ?? `Chain ${chainId}`)
}

/** A chain by its EVM chain id or blockchain id. */
export function chainOf(world: World, id: string): ChainInfo | undefined {
  return world.chains.find(
    ({ chainId, platformChainId }) => chainId === id || platformChainId === id,
  )
}

/** Returns whether a number is that of no chain here; false until all chains have told theirs. */
export function isUnknown({ chains, status }: World, chainId: string): boolean {
  const told = chains.map((one) => one.chainId)
  const awaits = status?.chains.some(
    ({ kind, evmChainId = '' }) => kind === 'evm' && !told.includes(String(evmChainId)),
  )
  return awaits === false && /^\d+$/.test(chainId) && !told.includes(chainId)
}

/** Coin of a chain; wei without a name where the chain is unknown. */
export function coinOf(world: World, chainId: string): Coin {
  return chainOf(world, chainId)?.networkToken ?? { symbol: '', decimals: 18 }
}

/** Status of an EVM chain that is indexed here. */
export function statusOf({ status }: World, chainId: string): ChainStatus | undefined {
  return status?.chains.find(({ evmChainId }) => String(evmChainId) === chainId)
}

/** The EVM chain that is served alone; `undefined` where others are, or none yet. */
export function onlyChain({ status }: World): string | undefined {
  const [only, ...others] = status?.chains ?? []
  return others.length > 0 || only?.evmChainId === undefined ? undefined : String(only.evmChainId)
}

/** Networks whose P-, X- and C-Chain are indexed here. */
export function primaryNetworks({ status }: World): string[] {
  return [
    ...new Set(
      (status?.chains ?? []).filter(({ kind }) => kind === 'primary').map(({ network }) => network),
    ),
  ]
}

/**
 * The blocks of a chain of a primary network that are here; none (`head` -1) while their number is
 * unknown.
 */
export function primaryHeights(
  { status }: World,
  network: string,
  chain: string,
): { readonly first: number; readonly head: number } {
  const held = status?.chains.find((one) => one.kind === 'primary' && one.network === network)
  const stage = held?.stages.find((one) => `${one.stage.toLowerCase()}-chain` === chain)
  // Of the C-Chain the genesis is not kept.
  return { first: chain === 'c-chain' ? 1 : 0, head: stage?.indexedHeight ?? -1 }
}

/** The chain whose blockchain id in hex is `id`, of those in the status that was read last. */
export function chainOfId(id: string): ChainStatus | undefined {
  const wanted = id.toLowerCase()
  return known?.find(
    ({ blockchainId }) => blockchainId !== undefined && hexOfCb58(blockchainId) === wanted,
  )
}

/** Names of the chains of a subnet that are served here; empty where none is. */
export function chainsOfSubnet({ chains }: World, id: string): string {
  return chains
    .filter(({ subnetId }) => subnetId === id)
    .map(({ chainName: name }) => visible(name))
    .join(', ')
}

let lagMs = 0
let endMs = Number.POSITIVE_INFINITY
let known: readonly ChainStatus[] | undefined
/** Messages are joined here, and were not yet joined to the end. */
let isJoining = false
let wasJoined = false

/** Milliseconds since 1970. */
export function now(): number {
  return Math.min(endMs, Date.now() - lagMs)
}

/** Returns whether a recording is played whose last blocks are still to come. */
export function isPlaying(): boolean {
  return now() < endMs && isRecording()
}

/** Returns whether blocks come of a recording, which no node is beside. */
export function isRecording(): boolean {
  return endMs < Number.POSITIVE_INFINITY
}

/** Follows a status: its recordings give the time, its chains what is missing. */
export function followStatus(status: Status | undefined): void {
  if (status === undefined) return
  known = status.chains
  wasJoined ||= status.messages?.state === 'live'
  isJoining = status.messages !== undefined && !wasJoined
  const { recording } = status
  if (recording === undefined) return
  lagMs = Date.now() - recording.time * 1_000
  endMs = recording.endTime * 1_000
}

// A chain that is read as it grows lacks its newest blocks for a moment.
const newestBlocks = 2

/** Returns whether a chain lacks more than its newest blocks: what is listed or counted of it is not all. */
function isBehind({ state, stages, headHeight }: ChainStatus): boolean {
  return (
    state === 'syncing' &&
    (headHeight < 0 ||
      stages.some(
        (stage) =>
          stage.state === 'syncing' &&
          (stage.headHeight < 0 || stage.headHeight - stage.indexedHeight > newestBlocks),
      ))
  )
}

/** Returns whether all chains of a kind have all of their blocks here. */
export function isWhole({ status }: World, kind: ChainStatus['kind']): boolean {
  return status?.chains.some((one) => one.kind === kind && isBehind(one)) === false
}

/** Names what a chain waits for; `undefined` where it goes on, or has nothing to do. */
export function awaited({ state, reason, stages }: ChainStatus): string | undefined {
  if (state !== 'syncing') return undefined
  return reason ?? stages.find((stage) => stage.state === 'syncing' && stage.reason)?.reason
}

const soonMs = 4_000

/**
 * How often to request what all chains give: often while one of them is behind, else `everyMs`; and the beat at
 * which to request it again at once: a chain came, or is no longer behind, or messages are joined. Also often while a
 * recording is played, in which everything comes within two minutes.
 */
export function pace(everyMs = 60_000): readonly [everyMs: number, beat: string] {
  if (known === undefined) return [Math.min(everyMs, soonMs), '']
  const isWaiting = known.some(isBehind) || isJoining || isPlaying()
  const beats = known.map((one) => `${one.chain} ${one.evmChainId ?? ''} ${isBehind(one)}`)
  return [isWaiting ? Math.min(everyMs, soonMs) : everyMs, `${beats.join()} ${wasJoined}`]
}

/** Words for an empty list of the page at a place: it is final once the chains of that page are indexed. */
export function emptyWords([page = '', id = '']: readonly string[]): string {
  if (known === undefined) return 'No entries so far.'
  const ofPage = known.filter(({ kind, network, evmChainId }) =>
    page === 'chain'
      ? String(evmChainId) === id
      : !['primary', 'l1s', 'staking'].includes(page) || (kind === 'primary' && network === id),
  )
  const missing = ofPage.filter((one) => one.state === 'stopped' || isBehind(one))
  return missing.length === 0
    ? 'No entries.'
    : `No entries so far. Not indexed to the end: ${missing.map(({ name }) => visible(name)).join(', ')}.`
}
