/** Answers of the operations on L1 fees, as far as pages show them. */

/** A page of `subnets:listFunds`; amounts are nAVAX. */
export type FundsPage = {
  readonly feeRate: FeeRate
  readonly subnets: readonly Funds[]
  readonly nextPageToken?: string
}

/** The present fee; the same on every page. */
export type FeeRate = {
  readonly perDay: string
  readonly activeValidators: number
  readonly target: number
}

/** An L1 in sum; `daysLeft` is that of its first active validator to run out. */
export type Funds = {
  readonly subnetId: string
  readonly validatorCount: number
  readonly activeValidatorCount: number
  readonly totalWeight: number
  readonly activeWeight: number
  readonly totalBalance: string
  readonly daysLeft?: number
}
