/** Facts that every page uses: the chains served and their heights and the time of what is shown. */

import type { ChainInfo } from '../../../shape/evm/chain-info.ts'
import type { ChainStatus, Status } from '../../../shape/status.ts'
import { visible } from './format.ts'

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

/** Coin of a chain; wei without a name where the chain is unknown. */
export function coinOf(world: World, chainId: string): Coin {
  return chainOf(world, chainId)?.networkToken ?? { symbol: '', decimals: 18 }
}

/** Status of an EVM chain that is indexed here. */
export function statusOf({ status }: World, chainId: string): ChainStatus | undefined {
  return status?.chains.find(({ evmChainId }) => String(evmChainId) === chainId)
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

let behindMs = 0
let endMs = Number.POSITIVE_INFINITY

/** Milliseconds since 1970. */
export function now(): number {
  return Math.min(endMs, Date.now() - behindMs)
}

/** Follows the recordings of a status. */
export function followRecording(recording: Status['recording']): void {
  if (recording === undefined) return
  behindMs = Date.now() - recording.time * 1_000
  endMs = recording.endTime * 1_000
}
