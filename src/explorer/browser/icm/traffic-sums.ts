/** Sums of messages, apart from the page that draws them. */

/** A row of the operation `getICMSummary`: messages of two chains, in windows that end now. */
export type RouteOfDay = {
  readonly srcBlockchainId: string
  readonly destBlockchainId: string
  readonly lastDay: number
}

/** A chain and whose it is. */
export type Chain = { readonly blockchainId: string; readonly subnetId: string }

/** Messages by subnet; one between two chains of the same subnet counts once. */
export function trafficOf(
  chains: readonly Chain[],
  routes: readonly RouteOfDay[],
): ReadonlyMap<string, number> {
  const subnetOf = new Map(chains.map(({ blockchainId, subnetId }) => [blockchainId, subnetId]))
  const sums = new Map<string, number>()
  for (const { srcBlockchainId, destBlockchainId, lastDay } of routes)
    for (const subnet of new Set([subnetOf.get(srcBlockchainId), subnetOf.get(destBlockchainId)]))
      if (subnet !== undefined) sums.set(subnet, (sums.get(subnet) ?? 0) + lastDay)
  return sums
}
