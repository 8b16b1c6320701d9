/** Filters of validators as an address has them, and as the operation takes them. */

/** Name in the address, name of the operation, and its unit in that of the address. */
const numbers = [
  // AVAX and nAVAX.
  ['minCapacity', 'minDelegationCapacity', 1e9],
  ['maxCapacity', 'maxDelegationCapacity', 1e9],
  // Days and seconds.
  ['minDays', 'minTimeRemaining', 86_400],
  ['maxDays', 'maxTimeRemaining', 86_400],
  ['minFee', 'minFeePercentage', 1],
  ['maxFee', 'maxFeePercentage', 1],
  ['minUptime', 'minUptimePerformance', 1],
  ['maxUptime', 'maxUptimePerformance', 1],
] as const

/** Active validators of the subnet `primary` unless the address says otherwise. */
export function validatorQuery(
  params: URLSearchParams,
  primary: string,
): Readonly<Record<string, string>> {
  const { status, of, sort, dir, node, ...rest } = Object.fromEntries(params)
  const asked: Record<string, string> = {
    validationStatus: status === 'any' ? '' : (status ?? 'active'),
    subnetId: of === 'any' ? '' : (of ?? primary),
    sortBy: sort ?? '',
    sortOrder: dir ?? 'desc',
    nodeIds: node ?? '',
  }
  for (const [name, parameter, unit] of numbers) {
    const value = Number(rest[name] ?? '')
    if (rest[name] !== undefined && Number.isFinite(value))
      asked[parameter] = String(unit === 1 ? value : Math.round(value * unit))
  }
  return asked
}
