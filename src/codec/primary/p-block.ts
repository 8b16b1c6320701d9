/**
 * P-Chain blocks, before and since Banff.
 *
 * Source: avalanchego vms/platformvm/block (codec.go has the type ids).
 */

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
    0: struct({ ...common, transaction }),
    1: struct(common),
    2: struct(common),
    3: struct({ ...common, transactions }),
    4: struct({ ...common, transaction }),
    29: struct({ time: u64, transactions, ...common, transaction }),
    30: struct({ time: u64, ...common }),
    31: struct({ time: u64, ...common }),
    32: struct({ time: u64, ...common, transactions }),
  }),
)
/** Decoded {@link pBlock}. */
export type PBlock = Decoded<typeof pBlock>

/** Upstream's name of a block type, as the API shows it. */
export const pBlockNames: Readonly<Record<PBlock['typeId'], string>> = {
  0: 'ApricotProposalBlock',
  1: 'ApricotAbortBlock',
  2: 'ApricotCommitBlock',
  3: 'ApricotStandardBlock',
  4: 'ApricotAtomicBlock',
  29: 'BanffProposalBlock',
  30: 'BanffAbortBlock',
  31: 'BanffCommitBlock',
  32: 'BanffStandardBlock',
}

/** The block of `bytes`. Throws `bad-bytes`. The slices of its transactions are views. */
export function decodePBlock(bytes: Uint8Array): PBlock {
  return decode(pBlock, bytes)
}

/** Transactions of a block as the API orders them: decided ones first, then the proposal. */
export function transactionsOf(block: PBlock): readonly Sliced<PTransaction>[] {
  switch (block.typeId) {
    case 0:
    case 4:
      return [block.transaction]
    case 3:
    case 32:
      return block.transactions
    case 29:
      return [...block.transactions, block.transaction]
    default:
      return []
  }
}
