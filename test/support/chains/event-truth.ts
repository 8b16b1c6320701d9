/**
 * Messages that webhooks of a recorded chain must get, read from the recording without our codec.
 */

import { createHmac } from 'node:crypto'

import { rawChain, type DemoChainId } from '../stores/demo-store.ts'

const transferTopics: ReadonlySet<string> = new Set([
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
])

/** Hashes of the transactions of blocks `[from, until)` an address took part in, in order. */
export function activityOf(
  chain: DemoChainId,
  address: string,
  range: { readonly from: number; readonly until: number },
): string[] {
  const mine = address.toLowerCase()
  const padded = `0x${mine.slice(2).padStart(64, '0')}`
  return rawChain(chain)
    .slice(range.from, range.until)
    .flatMap(({ block, receipts }) =>
      block.transactions
        .filter((tx, at) => {
          const receipt = receipts[at]
          const parties = [tx.from, tx.to, receipt?.contractAddress ?? null]
          const isParty = parties.some((party) => party?.toLowerCase() === mine)
          const moved = receipt?.logs.some(
            ({ address: token, topics }) =>
              transferTopics.has(topics[0] ?? '') &&
              (token.toLowerCase() === mine || topics.slice(1).includes(padded)),
          )
          return isParty || moved === true
        })
        .map(({ hash }) => hash),
    )
}

/** Senders of a chain's transactions, those of most of them first. */
export function sendersOf(chain: DemoChainId): string[] {
  const counts = new Map<string, number>()
  for (const { block } of rawChain(chain))
    for (const { from } of block.transactions) counts.set(from, (counts.get(from) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([sender]) => sender)
}

/** The address that took part in most transactions as their sender. */
export function busiestSender(chain: DemoChainId): string {
  const [first] = sendersOf(chain)
  if (first === undefined) throw new Error('the chain has no transactions')
  return first
}

/** The documented signature of a body. */
export function expectedSignature(body: string, secret: string): string {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(body).digest('base64')
}
