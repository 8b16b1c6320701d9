/** Changes of the state by a transaction. */

import { stateChangesOf } from '../../../codec/evm/state-changes.ts'
import { fromHex } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { heightOf } from '../../../store/query/evm/position.ts'
import { transactionByHash } from '../../../store/query/evm/transactions.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import type { EvmContext } from '../evm-context.ts'
import { labelsOf } from '../rich-addresses.ts'

/** The most accounts that are shown, and slots of all of them. The totals say how many there are. */
const mostShown = 1_000

/**
 * State changes of a transaction. They are not stored: while no node tells them the answer is 503, and says why.
 * Throws `not-found` for a transaction that is not indexed.
 */
export function listStateChanges({
  chains,
  addressBooks,
}: EvmContext): Operation<'listStateChanges'> {
  return operation(EvmTransactions.listStateChanges, async ({ path, signal }) => {
    const { chainId, txHash } = path
    const chain = chains.find(chainId)
    const row = await transactionByHash(chain.store, fromHex(txHash))
    if (row === undefined) throw new Fault('not-found', `transaction is not known here: ${txHash}`)
    const of = { txHash: txHash.toLowerCase(), height: heightOf(row.pos) }
    const { accounts, ...counts } = stateChangesOf(await told(chain, of, signal), mostShown)
    const labels = await labelsOf(
      addressBooks(chain),
      accounts.map(({ address }) => address),
    )
    return {
      body: {
        ...counts,
        accounts: accounts.map(({ balance, nonce, codeBytes, storage, ...account }) => ({
          ...account,
          label: labels.of(account.address),
          balanceBefore: balance?.before,
          balanceAfter: balance?.after,
          nonceBefore: nonce?.before,
          nonceAfter: nonce?.after,
          codeBytesBefore: codeBytes?.before,
          codeBytesAfter: codeBytes?.after,
          storage: storage.map(({ slot, before, after }) => ({
            slot,
            valueBefore: before,
            valueAfter: after,
          })),
        })),
      },
    }
  })
}

async function told(
  { stateChanges }: ServedChain,
  of: { readonly txHash: string; readonly height: number },
  signal: AbortSignal,
): Promise<unknown> {
  if (stateChanges === undefined)
    throw new Fault('not-served', 'state changes come from a node, and this chain has none')
  try {
    return await stateChanges(of, signal)
  } catch (error) {
    if (faultOf(error)?.code !== 'node-refused') throw error
    throw new Fault('not-served', 'no node of this chain traces state changes', { cause: error })
  }
}
