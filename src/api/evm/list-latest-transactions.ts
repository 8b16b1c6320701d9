/** Latest transactions of a chain. */

import { ListLatestTransactions } from '../../shape/evm/list-latest-transactions.ts'
import { defaultPageSize } from '../../shape/evm/query.ts'
import { latestTransactions } from '../../store/query/evm/latest-transactions.ts'
import { posRange } from '../../store/query/evm/position.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken } from '../paging.ts'
import { positionPage } from './list-page.ts'
import { nativeTransactions } from './native-list.ts'
import type { EvmParts } from './parts.ts'
import { heightHeader } from './subject.ts'

/** Document B, endpoint 6. */
export function listLatestTransactions(parts: EvmParts): Operation {
  return operation(ListLatestTransactions, async ({ path, query }) => {
    const chain = parts.chains.find(path.chainId)
    const height = await heightHeader(chain)
    const page = await positionPage({
      tokens: parts.tokens,
      route: ListLatestTransactions.id,
      subject: { chain: chain.facts.key },
      query,
      limit: query.pageSize ?? defaultPageSize,
      range: posRange(undefined, undefined),
      rows: (range, limit) =>
        latestTransactions(chain.store, { status: query.status, range, limit }),
    })
    const transactions = await nativeTransactions(parts, chain, page.rows)
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}
