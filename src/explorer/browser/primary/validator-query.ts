/** Filters of validators as an address has them, and as the operation takes them. */

/** Name in the address, label, step, name for the operation, and its unit in that of the address. */
export const ranges = [
  // AVAX and nAVAX.
  ['minCapacity', 'Free AVAX from', '0.000000001', 'minDelegationCapacity', 1e9],
  ['maxCapacity', 'to', '0.000000001', 'maxDelegationCapacity', 1e9],
  // Days and seconds.
  ['minDays', 'Days left from', 'any', 'minTimeRemaining', 86_400],
  ['maxDays', 'to', 'any', 'maxTimeRemaining', 86_400],
  ['minFee', 'Fee % from', 'any', 'minFeePercentage', 1],
  ['maxFee', 'to', 'any', 'maxFeePercentage', 1],
  ['minUptime', 'Uptime % from', 'any', 'minUptimePerformance', 1],
  ['maxUptime', 'to', 'any', 'maxUptimePerformance', 1],
] as const

/** Query of the operation: active validators of the primary network unless the address says otherwise. */
export function validatorQuery(
  params: URLSearchParams,
  primary: string,
): Readonly<Record<string, string>> {
  const { status, of, sort, dir, node, ...rest } = Object.fromEntries(params)
  const query: Record<string, string> = {
    validationStatus: status === 'any' ? '' : (status ?? 'active'),
    subnetId: of === 'any' ? '' : (of ?? primary),
    sortBy: sort ?? '',
    sortOrder: dir ?? 'desc',
    nodeIds: node ?? '',
  }
  for (const [name, , , parameter, unit] of ranges) {
    const value = Number(rest[name] ?? '')
    if (rest[name] !== undefined && Number.isFinite(value))
      query[parameter] = String(unit === 1 ? value : Math.round(value * unit))
  }
  return query
}
