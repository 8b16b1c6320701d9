/**
 * Maxima of primary-network formats.
 *
 * Nodes bound blocks and transactions as a whole (256 KiB, avalanchego codec/codec.go) and single
 * sequences hardly ever, so these follow from the whole. Genesis has no limit in nodes.
 */

/** Items of one sequence: 256 KiB over 4 bytes, the smallest item there is. */
export const maxItems = 65_536

/** One byte string of a block or transaction. */
export const maxBytes = 262_144

/** Memo of a base transaction. Source: avalanchego vms/components/avax/metadata.go. */
export const maxMemoBytes = 256

/**
 * Names and messages; nodes allow 128 for a chain's name, a u16 length allows no more than this.
 */
export const maxTextBytes = 65_535

/** Genesis of a chain, or a memo inside it: four times that of mainnet, the largest known. */
export const maxGenesisBytes = 16_777_216

/** Blocks of the EVM chain carry far less atomic data than their own limit. */
export const maxAtomicTransactions = 16_384
