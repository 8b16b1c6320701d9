/** The sender of a request behind reverse proxies: the setting `api.trustProxy`. */

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

import { Fault } from '../../../core/fault.ts'
import { ownValue } from '../../../core/json.ts'
import { isLoopback } from '../../../core/web-request.ts'

/** The address of the caller of a request. */
export type AddressReader = (request: IncomingMessage) => string

/** Headers by which proxies say that they pass on another's request. */
const passedOn = ['x-forwarded-for', 'forwarded', 'via']

/** The caller where a proxy on this machine names none, or names one that is not believed. */
const nobody = '0.0.0.0'

/** The address of a socket: what a proxy on this machine passes on is not from this machine. */
function socketAddress({ socket, headers }: IncomingMessage): string {
  const address = socket.remoteAddress ?? ''
  const isPassedOn = passedOn.some((name) => ownValue(headers, name) !== undefined)
  return isPassedOn && isLoopback(bareAddress(address)) ? nobody : address
}

/**
 * Reads the setting: addresses, `10.0.0.0/8`, or `loopback`. `X-Forwarded-For` is believed from
 * these only. It is read from the right: the first address that is not a trusted proxy's is the
 * caller's. Throws `bad-config`.
 */
export function addressReader(trusted: readonly string[]): AddressReader {
  if (trusted.length === 0) return socketAddress
  const list = new BlockList()
  for (const one of trusted) add(list, one)
  return (request) => {
    const { socket, headers } = request
    const forwarded = headers['x-forwarded-for']
    const text = Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')
    let address = socket.remoteAddress ?? ''
    let isNamed = false
    for (const hop of text.split(',').reverse()) {
      const said = bareAddress(hop.trim())
      if (!isTrusted(list, address) || isIP(said) === 0) break
      address = said
      isNamed = true
    }
    return isNamed ? address : socketAddress(request)
  }
}

function add(list: BlockList, one: string): void {
  if (one === 'loopback') {
    list.addSubnet('127.0.0.0', 8, 'ipv4')
    list.addAddress('::1', 'ipv6')
    return
  }
  const [address = '', bits] = one.split('/')
  const family = isIP(address)
  const most = family === 4 ? 32 : 128
  const length = bits === undefined ? most : Number(bits)
  const isNumber = bits === undefined || /^\d{1,3}$/.test(bits)
  if (family === 0 || !isNumber || length > most)
    throw new Fault(
      'bad-config',
      `api.trustProxy takes loopback, addresses and networks like 10.0.0.0/8: ${one}`,
    )
  list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6')
}

function isTrusted(list: BlockList, address: string): boolean {
  const bare = bareAddress(address)
  const family = isIP(bare)
  return family !== 0 && list.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

/** Without brackets and port; IPv4 inside IPv6 as IPv4. */
function bareAddress(text: string): string {
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text
  return /^::ffff:(\d+(?:\.\d+){3})$/i.exec(bare)?.[1] ?? bare
}
