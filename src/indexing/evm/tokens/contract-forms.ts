/**
 * Transfers in forms that two standards share, by what their contracts say.
 *
 * A Transfer with nothing, one or three words indexed is one of ERC-20 where the contract has decimals and
 * does not say that it is ERC-721. One with three is of ERC-721 else, one with nothing of its forerunners,
 * and one with one word is no transfer. Source: ERC-20, which says nothing of indexing; ERC-165.
 */

import { type BlockBatch, transferKinds } from '../../../codec/evm/columns/columns.ts'
import { createGenerations, type Generations } from '../../../core/bounded-maps.ts'
import { fromHex, to0x } from '../../../core/bytes.ts'
import { itemAt, u32At, u8At } from '../../../core/item-at.ts'
import type { EvmSource } from '../../../source/evm-source.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { addressIds, tokensOfIds } from '../../../store/query/evm/addresses.ts'
import { decimalsQuestion, factsOf, questionsTo } from './token-metadata.ts'
import { tokenDecimals } from './token-text.ts'

/** Contracts called at once: with seven calls each, below the 1,000 calls of a batch. */
const contractsAtOnce = 100
/** Contracts whose word is kept, some 150 bytes each and up to twice as many. */
const contractsKept = 50_000

/** True for contracts that are ERC-20 tokens, by their address. */
export type KnownForms = Generations<string, boolean>

/** Nothing is known yet. */
export function knownForms(): KnownForms {
  return createGenerations(contractsKept)
}

const { erc20, erc721, erc721OneTopic, senderIndexed } = transferKinds
const shared: ReadonlySet<number> = new Set([erc721, erc721OneTopic, senderIndexed])

/**
 * Gives transfers of ERC-20 form their kind, in `batch` itself. Where the source says nothing about
 * a contract, the form of its logs decides. Faults are those of the source.
 */
export async function asContractsSay(
  batch: BlockBatch,
  source: Pick<EvmSource, 'state'>,
  { known, signal }: { readonly known: KnownForms; readonly signal: AbortSignal },
): Promise<void> {
  const contracts = contractsOf(batch)
  const unknown = [...contracts.values()].filter((one) => known.get(one) === undefined)
  for (let from = 0; from < unknown.length; from += contractsAtOnce) {
    const some = unknown.slice(from, from + contractsAtOnce)
    const decimals = await source.state(some.map(decimalsQuestion), 'latest', signal)
    // Most are collections: what has no decimals is called no further.
    const tokens = some.filter((contract, at) => {
      const answer = itemAt(decimals, at)
      if (answer.kind !== 'not-served' && tokenDecimals(answer) === undefined)
        known.set(contract, false)
      return answer.kind !== 'not-served' && known.get(contract) === undefined
    })
    if (tokens.length === 0) continue
    const answers = await source.state(tokens.flatMap(questionsTo), 'latest', signal)
    const each = answers.length / tokens.length
    for (const [at, contract] of tokens.entries()) {
      const own = answers.slice(at * each, (at + 1) * each)
      if (own.every(({ kind }) => kind === 'not-served')) continue
      known.set(contract, factsOf(own, 0).standard === 0)
    }
  }
  apply(batch, (contract) => known.get(contracts.get(contract) ?? '') === true)
}

/** The same by what is stored of the contracts. */
export async function asStored(batch: BlockBatch, store: Reader): Promise<void> {
  const contracts = contractsOf(batch)
  const ids = await addressIds(store, [...contracts.values()].map(fromHex))
  const tokens = await tokensOfIds(
    store,
    ids.map((id) => id ?? 0),
  )
  const places = [...contracts.keys()]
  const isToken = new Set(places.filter((_, at) => tokens[at]?.standard === 20))
  apply(batch, (contract) => isToken.has(contract))
}

/** Contracts of transfers in forms that are shared, by their place in the list of addresses. */
function contractsOf({ transfers, addresses }: BlockBatch): ReadonlyMap<number, string> {
  const places = new Set<number>()
  for (let row = 0; row < transfers.count; row++)
    if (shared.has(u8At(transfers.kind, row))) places.add(u32At(transfers.token, row))
  return new Map(
    Array.from(places, (at) => [at, to0x(addresses.subarray(at * 20, at * 20 + 20))] as const),
  )
}

function apply({ transfers }: BlockBatch, isToken: (contract: number) => boolean): void {
  const { token, value, tokenId, kind, count } = transfers
  for (let row = 0; row < count; row++) {
    const form = u8At(kind, row)
    if (!shared.has(form) || !isToken(u32At(token, row))) continue
    kind[row] = erc20
    if (form === senderIndexed) continue
    // What looked like the id of a token is the amount.
    value.offset[row] = u32At(tokenId.offset, row)
    value.length[row] = u32At(tokenId.length, row)
    tokenId.length[row] = 0
  }
}
