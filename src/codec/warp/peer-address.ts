/**
 * Where a node says it can be reached, and what it signs to prove that it says so.
 *
 * Source: avalanchego network/peer/ip.go, utils/ips/claimed_ip_port.go.
 */

import { concatBytes, fromBigint, isZero } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import { u8At } from '../../core/item-at.ts'

/**
 * An address that a node claims.
 *
 * - `certificate`: DER; its hash is the node id
 * - `ip`: 16 bytes, IPv4 as ::ffff:a.b.c.d
 * - `timestamp`: Unix seconds of the claim; the newest wins
 * - `signature`: by the certificate's key over {@link signedAddressBytes}
 */
export type ClaimedAddress = {
  readonly certificate: Uint8Array
  readonly ip: Uint8Array
  readonly port: number
  readonly timestamp: bigint
  readonly signature: Uint8Array
}

const mappedPrefix = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)

/** The 26 bytes a node signs about its address, with its TLS key and with its BLS key. */
export function signedAddressBytes(ip: Uint8Array, port: number, timestamp: bigint): Uint8Array {
  return concatBytes(ip, fromBigint(BigInt(port), 2), fromBigint(timestamp, 8))
}

/** The id under which a claim is put into a bloom filter: 40 bytes hashed, the last 12 zero. */
export function gossipId(nodeId: Uint8Array, timestamp: bigint): Uint8Array {
  return sha256(concatBytes(nodeId, fromBigint(timestamp, 8), new Uint8Array(12)))
}

/** 16 bytes of an address of 4 or 16 bytes. Throws `bad-bytes`. */
export function toIp16(ip: Uint8Array): Uint8Array {
  if (ip.length === 16) return Uint8Array.from(ip)
  if (ip.length === 4) return concatBytes(mappedPrefix, ip)
  throw new Fault('bad-bytes', `ip address is not 4 or 16 bytes: ${ip.length}`)
}

/** Text of 16 bytes: dotted for IPv4, eight groups of hex else. */
export function ipText(ip: Uint8Array): string {
  if (isIpv4(ip)) return ip.subarray(12).join('.')
  const groups: string[] = []
  for (let at = 0; at < 16; at += 2) {
    groups.push(((u8At(ip, at) << 8) | u8At(ip, at + 1)).toString(16))
  }
  return groups.join(':')
}

/** 16 bytes of a textual address, IPv4 or IPv6 without a zone. Throws `bad-text`. */
export function parseIp(text: string): Uint8Array {
  const dotted = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/i.exec(text)
  if (dotted !== null) {
    const parts = dotted.slice(1).map(Number)
    if (parts.every((part) => part < 256)) return toIp16(Uint8Array.from(parts))
    throw new Fault('bad-text', `not an ip address: ${text}`)
  }
  const halves = text.split('::')
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - left.length - right.length
  const fits = halves.length === 1 ? missing === 0 : halves.length === 2 && missing > 0
  const groups = [...left, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...right]
  if (!fits || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) {
    throw new Fault('bad-text', `not an ip address: ${text}`)
  }
  return concatBytes(...groups.map((group) => fromBigint(BigInt(`0x${group}`), 2)))
}

function isIpv4(ip: Uint8Array): boolean {
  return mappedPrefix.every((byte, at) => ip[at] === byte)
}

/** Returns whether 16 bytes are the unspecified address: 0.0.0.0 or ::. */
export function isUnspecifiedIp(ip: Uint8Array): boolean {
  return isZero(isIpv4(ip) ? ip.subarray(12) : ip)
}

/**
 * Returns whether an address is not one of the public internet: own machine, private, link-local,
 * none.
 */
export function isPrivateIp(ip: Uint8Array): boolean {
  return isIpv4(ip) ? isPrivateIpv4(ip.subarray(12)) : isPrivateIpv6(ip)
}

function isPrivateIpv6(ip: Uint8Array): boolean {
  const [a = 0, b = 0] = ip
  const allZero = isZero(ip.subarray(0, 15))
  // fc00::/7 unique local, fe80::/10 link-local, ff00::/8 multicast, :: and ::1.
  return allZero || (a & 0xfe) === 0xfc || (a === 0xfe && (b & 0xc0) === 0x80) || a === 0xff
}

function isPrivateIpv4([a = 0, b = 0]: Uint8Array): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true
  if (a === 100) return b >= 64 && b < 128
  return (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 169 && b === 254)
}
