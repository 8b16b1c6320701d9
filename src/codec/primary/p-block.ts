/**
 * P-Chain blocks, before and since Banff.
 *
 * Source: avalanchego vms/platformvm/block (codec.go has the type ids).
 */

import { pBlockTypes, namesOf } from '../../core/type-ids.ts'
import { decode, type Decoded } from '../cursor.ts'
import { array, sliced, struct, union, versioned, type Sliced } from '../kit.ts'
import { u64 } from '../primitives.ts'
import { maxItems } from './limits.ts'
import { pTransaction, type PTransaction } from './p-transaction.ts'
import { id } from './secp.ts'

const common = { parentId: id, height: u64 } as const
const transaction = sliced(pTransaction)
const transactions = array(transaction, maxItems)

/**
 * A P-Chain block. `time` is Unix seconds and missing before Banff (0 to 4).
 *
 * 0, 29 propose `transaction`; 1, 30 abort and 2, 31 commit the proposal before them; 3, 32 hold
 * decided `transactions`; 4 holds one atomic `transaction`. A Banff proposal (29) also holds
 * decided `transactions`, which lie before the proposal.
 */
export const pBlock = versioned(
  union({
    [pBlockTypes.ApricotProposalBlock]: struct({ ...common, transaction }),
    [pBlockTypes.ApricotAbortBlock]: struct(common),
    [pBlockTypes.ApricotCommitBlock]: struct(common),
    [pBlockTypes.ApricotStandardBlock]: struct({ ...common, transactions }),
    [pBlockTypes.ApricotAtomicBlock]: struct({ ...common, transaction }),
    [pBlockTypes.BanffProposalBlock]: struct({ time: u64, transactions, ...common, transaction }),
    [pBlockTypes.BanffAbortBlock]: struct({ time: u64, ...common }),
    [pBlockTypes.BanffCommitBlock]: struct({ time: u64, ...common }),
    [pBlockTypes.BanffStandardBlock]: struct({ time: u64, ...common, transactions }),
  }),
)
/** Decoded {@link pBlock}. */
export type PBlock = Decoded<typeof pBlock>

/** Upstream's name of a block type, as the API shows it. */
export const pBlockNames = namesOf(pBlockTypes)

/** The block of `bytes`. Throws `bad-bytes`. The slices of its transactions are views. */
export function decodePBlock(bytes: Uint8Array): PBlock {
  return decode(pBlock, bytes)
}

/** Transactions of a block as the API orders them: decided ones first, then the proposal. */
export function transactionsOf(block: PBlock): readonly Sliced<PTransaction>[] {
  switch (block.typeId) {
    case pBlockTypes.ApricotProposalBlock:
    case pBlockTypes.ApricotAtomicBlock:
      return [block.transaction]
    case pBlockTypes.ApricotStandardBlock:
    case pBlockTypes.BanffStandardBlock:
      return block.transactions
    case pBlockTypes.BanffProposalBlock:
      return [...block.transactions, block.transaction]
    case pBlockTypes.ApricotAbortBlock:
    case pBlockTypes.ApricotCommitBlock:
    case pBlockTypes.BanffAbortBlock:
    case pBlockTypes.BanffCommitBlock:
      return []
  }
}
