/** Operations of a network or of one of its chains, which their path names: each answer says how far it is complete. */

import type { networkNames } from '../../core/network.ts'
import type { Contract } from '../../shape/operations/contract.ts'
import type { Schema, Static } from '../../shape/type.ts'
import { type Input, operation, type Operation } from '../operation/operation.ts'
import { nextToken, type NumberedList, numberedPage } from '../operation/paging.ts'
import { type ChainOf, chainOf, indexedTo } from './inputs.ts'
import type { PrimaryContext, ServedNetwork } from './network/networks.ts'

type OnPath<Path> = Contract & { readonly parameters: { readonly path: Schema<Path> } }
type NetworkPath = { readonly network: (typeof networkNames)[number] }
type ChainPath = NetworkPath & { readonly blockchainId: string }

/** A list of a network, without that which follows from the operation. */
type OwnList<R> = Omit<NumberedList<R>, 'route' | 'subject' | 'query'>

/** A page of rows, and the token of the next in the form a body takes. */
type OwnPage<R> = { readonly rows: readonly R[]; readonly next: { nextPageToken?: string } }

/** Input of an operation of a network, with the height and pages of its list. */
type NetworkInput<C extends Contract> = Input<C> & {
  /** Last height of the P-Chain that was whole before anything was read; absent before the first. */
  readonly indexedHeight?: number
  /** Throws `bad-page-token`. */
  readonly page: <R>(list: OwnList<R>) => Promise<OwnPage<R>>
}

/** An operation of a network, complete up to a height of its P-Chain. */
export function networkOperation<C extends OnPath<NetworkPath>>(
  { networks, tokens }: PrimaryContext,
  contract: C,
  answer: (
    network: ServedNetwork,
    input: NetworkInput<NoInfer<C>>,
  ) => Promise<Static<NoInfer<C>['response']>>,
): Operation<C['id']> {
  return operation<C>(contract, async (input) => {
    const network = networks.find(input.path.network)
    const height = await indexedTo(network.store, 'P')
    const { query } = input
    const subject = { ...input.path, network: network.network }
    const page: NetworkInput<C>['page'] = async (list) => {
      const found = await numberedPage(tokens, { ...list, route: contract.id, subject, query })
      return { rows: found.rows, next: nextToken(found) }
    }
    return { body: await answer(network, { ...input, ...height, page }), ...height }
  })
}

/** An operation of a chain, complete up to a height of it. */
export function chainOperation<C extends OnPath<ChainPath>>(
  { networks }: PrimaryContext,
  contract: C,
  answer: (chain: ChainOf, input: Input<NoInfer<C>>) => Promise<Static<NoInfer<C>['response']>>,
): Operation<C['id']> {
  return operation<C>(contract, async (input) => {
    const chain = chainOf(networks, input.path)
    const height = await indexedTo(chain.store, chain.chain)
    return { body: await answer(chain, input), ...height }
  })
}
