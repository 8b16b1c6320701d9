/**
 * Paging of the rows of one address or token: its chain, and a page.
 */

import { defaultPageSize } from '../../shape/evm/query.ts'
import type { Database } from '../../store/engine/database.ts'
import { posRange, type PosRange, rangeBefore } from '../../store/query/evm/position.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { numberedPage, type Page } from '../operation/paging.ts'
import type { EvmParts } from './parts.ts'
import { subjectOf } from './subject.ts'

/** A question to the store: rows of an address inside a range, newest first. */
export type AddressQuestion = {
  readonly addressId: number
  readonly range: PosRange
  readonly limit: number
}

/** A list of rows of the address in a path. */
export type AddressList<R> = {
  /** Operation id: tokens of another are refused. */
  readonly route: string
  readonly path: { readonly chainId: string; readonly address: string }
  readonly query: {
    readonly startBlock?: number | undefined
    readonly endBlock?: number | undefined
    readonly pageToken?: string | undefined
    readonly pageSize?: number | undefined
  }
  readonly rows: (store: Database, question: AddressQuestion) => Promise<readonly R[]>
}

/** A page of an address's rows. */
export type AddressPage<R> = {
  readonly chain: ServedChain
  readonly page: Page<R>
}

/** Reads one page; an address the chain has never shown has none. Throws `bad-page-token`. */
export async function addressPage<R extends { readonly pos: number }>(
  parts: EvmParts,
  list: AddressList<R>,
): Promise<AddressPage<R>> {
  const { route, path, query } = list
  const { chain, id, binding } = await subjectOf(parts, path)
  const range = posRange(query.startBlock, query.endBlock)
  const page = await numberedPage(parts.tokens, {
    route,
    subject: binding,
    query,
    limit: query.pageSize ?? defaultPageSize,
    rows: async (before, limit) =>
      id === undefined
        ? []
        : list.rows(chain.store, { addressId: id, range: rangeBefore(range, before), limit }),
    numberOf: ({ pos }) => pos,
  })
  return { chain, page }
}
