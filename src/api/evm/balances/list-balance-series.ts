/** Series of the balances of an address on an EVM chain: the coin, and ERC-20 tokens. */

import { toChecksumAddress } from '../../../core/address.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { EvmBalances } from '../../../shape/operations/evm-balances.ts'
import type { Static } from '../../../shape/type.ts'
import { tokensOfIds } from '../../../store/query/evm/addresses.ts'
import { heightAtTime, indexedHeight } from '../../../store/query/evm/heights.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { momentsOf } from '../../operation/paging.ts'
import { subjectOf } from '../address-list.ts'
import type { EvmContext } from '../evm-context.ts'
import { balancesHeader, type Compared, olderOf } from './compared-balances.ts'
import { heldTokens } from './held-tokens.ts'

/** Points read side by side: each may take a question to a node. */
const atOnce = 8

type Token = { readonly id: number; readonly address: string }

type Query = {
  readonly chain: ServedChain
  readonly address: Uint8Array
  readonly addressId: number
  readonly tokens: readonly Token[]
  readonly newest: number
  readonly signal: AbortSignal
  /** The oldest block at which all balances so far were compared. */
  compared: Compared
}

type Point = Static<typeof EvmBalances.listEvmBalanceSeries.response>['series'][number]

/**
 * Balances at each moment, as the lists of balances give them at its block. Where something cannot
 * be given for a point it is absent there, never zero. Cost of a point: a search of the block by
 * halves, the state of it once for the coin, and for each token as a balance at a block.
 */
export function listEvmBalanceSeries(context: EvmContext): Operation<'listEvmBalanceSeries'> {
  return operation(EvmBalances.listEvmBalanceSeries, async ({ path, query, signal }) => {
    const { chain, address: own, id } = await subjectOf(context, path)
    const newest = await indexedHeight(chain.store, 'blocks')
    const tokens = await tokensIn(context, chain, query.contractAddresses ?? [])
    const common = { chain, address: own, addressId: id ?? 0, tokens, newest, signal }
    const subject: Query = { ...common, compared: newest }
    const moments = momentsOf(query, Math.floor(context.clock.now() / 1_000))
    const problems = new Set<string>()
    const series: Point[] = []
    for (let from = 0; from < moments.length; from += atOnce) {
      signal.throwIfAborted()
      const some = moments.slice(from, from + atOnce)
      const points = await Promise.all(
        some.map((at) => pointAt(context, subject, { at, problems })),
      )
      series.push(...points.filter((point) => point !== undefined))
    }
    const notTold = [...problems]
    return {
      body: { series, notTold: notTold.length === 0 ? undefined : notTold },
      indexedHeight: newest < 0 ? undefined : newest,
      headers: tokens.length === 0 ? undefined : balancesHeader(subject.compared, newest),
    }
  })
}

/** Tokens by their addresses. Throws `not-found` for anything but an ERC-20 token of the chain. */
async function tokensIn(
  { addressBooks }: EvmContext,
  chain: ServedChain,
  contracts: readonly string[],
): Promise<Token[]> {
  const book = addressBooks(chain)
  const tokens: Token[] = []
  for (const text of new Set(contracts.map((contract) => contract.toLowerCase()))) {
    const { bytes, id } = await book.find(text)
    const [token] = id === undefined ? [] : await tokensOfIds(chain.store, [id])
    if (id === undefined || token?.standard !== 20)
      throw new Fault('not-found', `no ERC-20 token of this chain: ${text}`)
    tokens.push({ id, address: toChecksumAddress(bytes) })
  }
  return tokens
}

/** The point of a moment; `undefined` before the first block. */
async function pointAt(
  context: EvmContext,
  subject: Query,
  { at, problems }: { readonly at: number; readonly problems: Set<string> },
): Promise<Point | undefined> {
  const { chain, newest } = subject
  const height = await heightAtTime(chain.store, { seconds: at, newest })
  if (height < 0) return undefined
  const point: Point = { timestamp: at, blockNumber: String(height), erc20Balances: [] }
  const native = await orNoted('nativeBalance', problems, () =>
    chain.state.balance(subject.address, height, subject.signal),
  )
  if (native !== undefined) point.nativeBalance = String(native)
  for (const token of subject.tokens) {
    const balance = await orNoted(`balance of ${token.address}`, problems, () =>
      tokenBalance(context, subject, { token, height }),
    )
    const { address: contractAddress } = token
    point.erc20Balances.push({
      contractAddress,
      balance: balance === undefined ? undefined : String(balance),
    })
  }
  return point
}

async function tokenBalance(
  context: EvmContext,
  subject: Query,
  { token, height }: { readonly token: Token; readonly height: number },
): Promise<bigint> {
  const { chain, address: own, addressId, signal } = subject
  const { rows, compared } = await heldTokens(context, chain, {
    address: own,
    addressId,
    moment: { height, isNewest: false, insists: false, signal },
    after: 0,
    limit: 1,
    only: [token.id],
    keep: () => true,
  })
  subject.compared = olderOf(subject.compared, compared)
  return rows[0]?.balance ?? 0n
}

/** Result of `read`; `undefined` when no node has it, which is added to `problems`. */
async function orNoted(
  what: string,
  problems: Set<string>,
  read: () => Promise<bigint>,
): Promise<bigint | undefined> {
  try {
    return await read()
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'not-served') throw error
    problems.add(`${what}: no node can give it at some of these blocks`)
    return undefined
  }
}
