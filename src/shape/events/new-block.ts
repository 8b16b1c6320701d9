/** A block as it passes by. `blockchainId` is that of a chain of the primary network: `p-chain`. */
export type NewBlock = {
  readonly network: string
  readonly chainId?: string
  readonly blockchainId?: string
  readonly name: string
  readonly blockNumber: string
  /** Unix seconds. */
  readonly blockTimestamp: number
  readonly txCount: number
}
