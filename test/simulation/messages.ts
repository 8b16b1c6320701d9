/**
 * Logs of the Teleporter messenger on a made-up chain: messages to another chain, and such that come
 * from there.
 *
 * Source: icm-services icm-contracts/avalanche/teleporter/ITeleporterMessenger.sol.
 */

import type { Draws } from '../support/processes/draws.ts'

/** The messenger's address on every chain. */
const messenger = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf'
const topics = {
  send: '2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8',
  receive: '292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34',
  executed: '34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c',
}
const otherChain = '0c'.repeat(32)
/** As the Warp precompile of these chains tells it. */
const ownChain = '5b'.repeat(32)

/** A log as receipts have it. */
export type MessageLog = {
  readonly token: string
  readonly topics: string[]
  readonly data: string
}

/** Logs of a transaction that sends a message, or delivers one. Addresses are `0x` hex. */
export function messageLogs(
  draws: Draws,
  of: { readonly from: string; readonly to: string; readonly nonce: number },
): MessageLog[] {
  const id = Array.from({ length: 32 }, () => byte(draws.below(256))).join('')
  const isSent = draws.chance(0.5)
  const message = tuple(draws, { ...of, destination: isSent ? otherChain : ownChain })
  const log = (topic: string, rest: readonly string[], data: string): MessageLog => ({
    token: messenger,
    topics: [topic, ...rest].map((word) => `0x${word}`),
    data: `0x${data}`,
  })
  if (isSent)
    return [log(topics.send, [id, otherChain], number(0x60) + number(0) + number(0) + message)]
  return [
    log(topics.receive, [id, otherChain, party(of.from)], party(of.from) + number(0x40) + message),
    log(topics.executed, [id, otherChain], ''),
  ]
}

/** The ABI form of a message without receipts. */
function tuple(
  draws: Draws,
  of: {
    readonly from: string
    readonly to: string
    readonly nonce: number
    readonly destination: string
  },
): string {
  const size = draws.below(70)
  const text = byte(draws.below(256)).repeat(size)
  return [
    number(of.nonce),
    party(of.from),
    of.destination,
    party(of.to),
    number(100_000),
    number(0x100),
    number(0x120),
    number(0x140),
    number(0),
    number(0),
    number(size),
    text.padEnd(Math.ceil(size / 32) * 64, '0'),
  ].join('')
}

function number(value: number): string {
  return value.toString(16).padStart(64, '0')
}

function party(address: string): string {
  return address.slice(2).padStart(64, '0')
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
