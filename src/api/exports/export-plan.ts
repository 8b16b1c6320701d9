/** Reads from a request which lists, chains, addresses and range of time an export covers. */

import { parseEvmAddress } from '../../core/address.ts'
import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { ExportBody } from '../../shape/events/export-job.ts'
import type { Database } from '../../store/engine/database.ts'
import type { EvmContext } from '../evm/evm-context.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { chainOf, type ChainOf, ownersAndAccountsIn } from '../primary/inputs.ts'
import type { PrimaryContext } from '../primary/network/networks.ts'

/** Unix seconds, both inclusive. */
export type Period = { readonly from: number; readonly until: number }

/** An export that can be read. */
export type ExportPlan =
  | {
      readonly kind: 'evm'
      readonly chains: readonly ServedChain[]
      readonly addresses: readonly string[]
      readonly period: Period
    }
  | {
      readonly kind: 'primary'
      readonly chains: readonly ChainOf[]
      readonly addresses: readonly string[]
      readonly accounts: readonly string[]
      readonly detail: 'all' | 'staking' | 'simple'
      readonly period: Period
    }

const daySeconds = 86_400

/** Reads a body. Throws `bad-parameter` naming what is wrong, and `not-found` for a chain. */
export function planOf({ evm, primary }: ExportContext, body: ExportBody): ExportPlan {
  const first = body.firstDate ?? body.startDate
  const last = body.lastDate ?? body.endDate
  const from = first === undefined ? 0 : secondsOf(first)
  const until = last === undefined ? 2 ** 40 : secondsOf(last) + daySeconds - 1
  if (until < from) throw new Fault('bad-parameter', `lastDate is before firstDate: ${last}`)
  const period = { from, until }
  const { includeChains, addresses = [], cChainEvmAddresses: accounts = [] } = body.options
  if (addresses.length + accounts.length === 0)
    throw new Fault('bad-parameter', 'options.addresses must name an address')
  if (body.type === 'TRANSACTION_EXPORT_EVM') {
    for (const address of addresses) {
      if (!/^0x[0-9a-fA-F]{40}$/.test(address))
        throw new Fault('bad-parameter', `options.addresses must be EVM addresses: ${address}`)
      parseEvmAddress(address)
    }
    return {
      kind: 'evm',
      chains: includeChains.map((id) => evm.chains.find(id)),
      addresses,
      period,
    }
  }
  const chains = includeChains.map((name) => primaryChain(primary.networks, name))
  for (const chain of chains)
    ownersAndAccountsIn(
      namesFor(chain, addresses, accounts).join(','),
      chain.hrp,
      primary.limits.maxAddresses,
    )
  const details = {
    TRANSACTION_EXPORT_PRIMARY_NETWORK: 'all',
    TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING: 'staking',
    TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE: 'simple',
  } as const
  return { kind: 'primary', chains, addresses, accounts, detail: details[body.type], period }
}

/** Addresses whose transactions of a chain are wanted: EVM accounts have some on the C-Chain only. */
export function namesFor(
  { chain }: ChainOf,
  addresses: readonly string[],
  accounts: readonly string[],
): readonly string[] {
  return chain === 'C' ? [...addresses, ...accounts] : addresses
}

function primaryChain(networks: ExportContext['primary']['networks'], name: string): ChainOf {
  const served = networks.all()
  // An id belongs to one network; a name like `p-chain` means the first served, mainnet before others.
  const sorted = [...served].sort((a) => (a.network === 'mainnet' ? -1 : 1))
  for (const { network } of sorted) {
    try {
      return chainOf(networks, { network, blockchainId: name })
    } catch (error) {
      if (network === sorted.at(-1)?.network) throw error
    }
  }
  throw new Fault('not-found', 'no primary network is served here')
}

function secondsOf(date: string): number {
  const ms = Date.parse(`${date}T00:00:00Z`)
  // 2026-02-30 is read as the second of March by some, and as nothing by others.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date)
    throw new Fault('bad-parameter', `there is no such day: ${date}`)
  return ms / 1_000
}

// All that exports of transactions read.

/** Everything that exports need: the lists they are made of, and where they are kept. */
export type ExportContext = {
  readonly evm: EvmContext
  readonly primary: PrimaryContext
  readonly clock: Clock
  /** The store of what callers keep here, open for writing. */
  readonly store: () => Promise<Database>
}
