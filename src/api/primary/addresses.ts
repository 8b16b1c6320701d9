/** Addresses: when they were last active, and on which chains they were seen. */

import { utxoIdOf } from '../../codec/primary/ids.ts'
import { outputContent } from '../../codec/primary/output-content.ts'
import { toPrimaryAddress } from '../../core/address.ts'
import { keyOf } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { PrimaryAddresses } from '../../shape/operations/primary-addresses.ts'
import type { Static } from '../../shape/type.ts'
import {
  knownNumbers,
  chainsOfAddress,
  numbersOfAddresses,
} from '../../store/query/primary/addresses.ts'
import { transactionsAt, transactionsOfAddresses } from '../../store/query/primary/transactions.ts'
import { type StoredUtxo, utxosByNumber } from '../../store/query/primary/utxos.ts'
import { posRangeOf } from '../../store/schema/primary/position.ts'
import { type Operation } from '../operation/operation.ts'
import { chainNameOf, type ChainOf, addressesIn, amountFrom } from './inputs.ts'
import { networkOperation, chainOperation } from './network-operation.ts'
import type { PrimaryContext } from './network/networks.ts'
import { heightText } from './views/values.ts'

/** Addresses in the query. */
export function getLastActivity(
  context: PrimaryContext,
): Operation<'getLastActivityTimestampByAddresses'> {
  const contract = PrimaryAddresses.getLastActivityTimestampByAddresses
  return chainOperation(context, contract, async (chain, { query }) => {
    const addresses = addressesIn(query.addresses ?? '', chain, context.limits.maxAddresses)
    return lastActivity(chain, addresses, amountFrom('minUtxoAmount', query.minUtxoAmount))
  })
}

/** Addresses in the body. */
export function getLastActivityOfMany(
  context: PrimaryContext,
): Operation<'getLastActivityTimestampByAddressesV2'> {
  const contract = PrimaryAddresses.getLastActivityTimestampByAddressesV2
  return chainOperation(context, contract, async (chain, { query, body }) => {
    const addresses = addressesIn(body.addresses, chain, context.limits.maxBodyAddresses)
    return lastActivity(chain, addresses, amountFrom('minUtxoAmount', query.minUtxoAmount))
  })
}

// Transactions may concern an address without a UTXO of it: as owner of rewards to come. Beyond
// this many in a row the rest is passed over in larger steps.
const firstRead = 4

const mostRead = 256

async function lastActivity(
  chain: ChainOf,
  addresses: readonly Uint8Array[],
  minAmount: bigint,
): Promise<Static<typeof PrimaryAddresses.getLastActivityTimestampByAddresses.response>> {
  const { store } = chain
  const numbers = await knownNumbers(store, addresses)
  const owners = new Set(addresses.map(keyOf))
  const range = posRangeOf(chain.chain)
  let limit = firstRead
  for (let { until } = range; ;) {
    const places = await transactionsOfAddresses(store, {
      from: range.from,
      until,
      order: 'desc',
      limit,
      addresses: numbers,
    })
    for (const row of await transactionsAt(store, places)) {
      const found = await activityIn(chain, row, { owners, minAmount })
      if (found === undefined) continue
      const { utxo, isConsumed } = found
      return {
        timestamp: row.timestamp,
        blockNumber: heightText(row.pos),
        txHash: toCb58(row.txId),
        utxoId: toCb58(utxoIdOf(utxo.txId, utxo.outputIndex)),
        isConsumed,
        chainName: chainNameOf[chain.chain],
        network: chain.network,
      }
    }
    const last = places.at(-1)
    if (last === undefined || places.length < limit)
      throw new Fault('not-found', 'none of these addresses was ever active on this chain')
    until = last
    limit = Math.min(limit * 4, mostRead)
  }
}

/** Of what it spent and made the last, spent before made. */
async function activityIn(
  { store }: ChainOf,
  { made, spent }: Awaited<ReturnType<typeof transactionsAt>>[number],
  { owners, minAmount }: { readonly owners: ReadonlySet<string>; readonly minAmount: bigint },
): Promise<{ readonly utxo: StoredUtxo; readonly isConsumed: boolean } | undefined> {
  const isWanted = (utxo: StoredUtxo): boolean => {
    const { amount, addresses } = outputContent(utxo.output)
    return amount >= minAmount && addresses.some((address) => owners.has(keyOf(address)))
  }
  const greatest = (utxos: readonly StoredUtxo[]): StoredUtxo | undefined =>
    utxos.filter(isWanted).toSorted((a, b) => (idOf(a) < idOf(b) ? 1 : -1))[0]
  const consumed = greatest(await utxosByNumber(store, spent))
  if (consumed !== undefined) return { utxo: consumed, isConsumed: true }
  const numbers = Array.from({ length: made.count }, (_, at) => made.first + at)
  const created = greatest(await utxosByNumber(store, numbers))
  return created === undefined ? undefined : { utxo: created, isConsumed: false }
}

function idOf(utxo: StoredUtxo): string {
  return keyOf(utxoIdOf(utxo.txId, utxo.outputIndex))
}

/** Chains of addresses; addresses never seen are left out. */
export function listChainIds(context: PrimaryContext): Operation<'getChainIdsForAddresses'> {
  const contract = PrimaryAddresses.getChainIdsForAddresses
  return networkOperation(context, contract, async (network, { query }) => {
    const { store, hrp } = network
    const addresses = addressesIn(query.addresses, { hrp }, context.limits.maxAddresses)
    const numbers = await numbersOfAddresses(store, addresses)
    const all = await Promise.all(
      addresses.map(async (address, at) => {
        const number = numbers[at]
        const chains = number === undefined ? [] : await chainsOfAddress(store, number)
        return {
          address: toPrimaryAddress(hrp, address),
          blockchainIds: chains.map((chain) => network.blockchainIds[chain]),
          chainNames: chains.map((chain) => chainNameOf[chain]),
        }
      }),
    )
    return { addresses: all.filter((one) => one.blockchainIds.length > 0) }
  })
}
