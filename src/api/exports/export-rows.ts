/** The rows of an export as CSV, read page by page while they are sent: memory holds one page. */

import { toCb58 } from '../../core/cb58.ts'
import { heightAtTime, indexedHeight } from '../../store/query/evm/heights.ts'
import { listAddressTransactions } from '../evm/transactions/list-address-transactions.ts'
import { type ListShape, listShapeOf } from '../operation/list-columns.ts'
import { csvHead, csvLines } from '../operation/list-format.ts'
import { unknownCaller, type Operation } from '../operation/operation.ts'
import { chainNameOf } from '../primary/inputs.ts'
import { listTransactions } from '../primary/transactions/list-transactions.ts'
import { type ExportContext, type ExportPlan, namesFor } from './export-plan.ts'

const pageSize = 100

/** Types of transactions that a stake begins, changes or ends with. */
const stakingTypes = [
  'AddValidatorTx',
  'AddSubnetValidatorTx',
  'AddDelegatorTx',
  'AddPermissionlessValidatorTx',
  'AddPermissionlessDelegatorTx',
  'RewardValidatorTx',
  'AddAutoRenewedValidatorTx',
  'SetAutoRenewedValidatorConfigTx',
  'RewardAutoRenewedValidatorTx',
]

/** Members that the short form has columns of. */
const simple = ['blockTimestamp', 'blockNumber', 'txHash', 'txType', 'value', 'amountBurned']

/**
 * Lines of the file: a head, then the transactions of each chain and address, oldest first; of several
 * addresses of the P-, X- or C-Chain each transaction once.
 *
 * @yields Text of a page at a time.
 */
export async function* exportLines(
  context: ExportContext,
  plan: ExportPlan,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield* plan.kind === 'evm' ? evmLines(context, plan, signal) : primaryLines(context, plan, signal)
}

type PlanOf<K> = Extract<ExportPlan, { readonly kind: K }>

async function* evmLines(
  context: ExportContext,
  { chains, addresses, period }: PlanOf<'evm'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const list = listAddressTransactions(context.evm)
  const shape = shapeOf(list)
  yield `chainId,address,${csvHead(shape.columns)}`
  for (const { facts, store } of chains) {
    const newest = await indexedHeight(store, 'blocks')
    const first = await heightAtTime(store, { seconds: period.from - 1, newest })
    const last = await heightAtTime(store, { seconds: period.until, newest })
    const query = { startBlock: first + 1, endBlock: last + 1, sortOrder: 'asc', pageSize }
    const chainId = String(facts.evmChainId)
    for (const address of addresses) {
      const path = {
        chainId: facts.blockchainId === undefined ? chainId : toCb58(facts.blockchainId),
        address,
      }
      for await (const items of pagesOf(list, { path, query, shape, signal }))
        yield items
          .map((item) => `${chainId},${address},${csvLines(shape.columns, [item])}`)
          .join('')
    }
  }
}

async function* primaryLines(
  context: ExportContext,
  { chains, addresses, accounts, detail, period }: PlanOf<'primary'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const list = listTransactions(context.primary)
  const whole = shapeOf(list)
  const columns = whole.columns.filter(({ path: [name = ''] }) => simple.includes(name))
  const shape = detail === 'simple' ? { ...whole, columns } : whole
  yield `network,chain,${csvHead(shape.columns)}`
  for (const chain of chains) {
    const names = namesFor(chain, addresses, accounts)
    if (names.length === 0 || (detail === 'staking' && chain.chain !== 'P')) continue
    const name = chainNameOf[chain.chain]
    const query = {
      addresses: names.join(','),
      txTypes: detail === 'staking' ? stakingTypes : undefined,
      startTimestamp: Math.max(0, period.from - 1),
      endTimestamp: period.until + 1,
      sortOrder: 'asc',
      pageSize,
    }
    const path = { network: chain.network, blockchainId: name }
    for await (const items of pagesOf(list, { path, query, shape, signal }))
      yield items
        .map((item) => `${chain.network},${name},${csvLines(shape.columns, [item])}`)
        .join('')
  }
}

function shapeOf({ contract }: Operation): ListShape {
  const list = listShapeOf(contract)
  if (list === undefined) throw new Error(`${contract.id} answers a list`)
  return list
}

/**
 * Items of all pages of a list.
 *
 * @yields Those of a page.
 */
async function* pagesOf(
  list: Operation,
  of: {
    readonly path: Readonly<Record<string, unknown>>
    readonly query: Readonly<Record<string, unknown>>
    readonly shape: ListShape
    readonly signal: AbortSignal
  },
): AsyncGenerator<readonly unknown[]> {
  const { path, query, shape, signal } = of
  let token: unknown
  do {
    signal.throwIfAborted()
    const page = token === undefined ? query : { ...query, pageToken: token }
    const { body } = await list.answer({
      path,
      query: page,
      body: undefined,
      signal,
      caller: unknownCaller,
      charge: () => Promise.resolve(),
    })
    const members = new Map(typeof body === 'object' && body !== null ? Object.entries(body) : [])
    const items: unknown = members.get(shape.name)
    yield Array.isArray(items) ? items : []
    token = members.get('nextPageToken')
  } while (typeof token === 'string' && token !== '')
}
