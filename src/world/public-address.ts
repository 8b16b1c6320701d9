/** The internet addresses that belong to the public. */

import { BlockList, isIP } from 'node:net'

/**
 * IPv4 blocks nobody outside may be reached under.
 *
 * Source: IANA special-purpose address registries; 169.254.169.254 is where clouds keep secrets.
 */
const privateV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Of IPv6 only 2000::/3 is given out, and of that these carry or stand for something else. */
const privateV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

const denied = new BlockList()
for (const [network, bits] of privateV4) denied.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of privateV6) denied.addSubnet(network, bits, 'ipv6')
const given = new BlockList()
given.addSubnet('2000::', 3, 'ipv6')

/** Returns whether `address`, IPv4 or IPv6 text, belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !denied.check(address, 'ipv4')
    case 6:
      // A zone names an interface of this machine.
      if (address.includes('%')) return false
      return given.check(address, 'ipv6') && !denied.check(address, 'ipv6')
    default:
      return false
  }
}
