/** Places in history, of EVM chains and of the primary network. */

/**
 * Places a block has. A position is that of the block times this, and a place in the block: exact
 * in a double for 2^33 blocks, and more than the gas or bytes of any block pay for.
 */
export const placesPerBlock = 2 ** 20
