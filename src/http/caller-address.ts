/**
 * The caller that an address counts as, where callers share a listener.
 *
 * A household or a machine has a whole IPv6 /64, so its addresses count as one; IPv4 inside IPv6
 * counts as IPv4. Source: RFC 4291, sections 2.2 and 2.5.5.2; RFC 6177.
 */

/** The text under which the caller at `address` is counted. */
export function callerOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`
}
