/** Balances by category, as nodes sum them themselves. */

import { balancesView } from '../api/primary/get-balances.ts'
import { assetBook } from '../api/primary/views/asset.ts'
import { outputContent } from '../codec/primary/output-content.ts'
import { toPrimaryAddress } from '../core/address.ts'
import { toCb58 } from '../core/cb58.ts'
import type { Balances } from '../shape/primary/asset.ts'
import { nodePaths } from '../source/primary/node-api.ts'
import { listIn, replyOf } from '../source/rpc/node-text.ts'
import { balancesOfAddresses } from '../store/query/primary/balances-of-addresses.ts'
import { everyAddress } from '../store/query/primary/whole-state.ts'
import type { PrimaryChain } from '../store/schema/primary/position.ts'
import { type Attempt, type Part, spread, type Subject } from './subject.ts'

/**
 * Balances of a sample of addresses on the P- and X-Chain.
 *
 * @yields Two parts an address.
 */
export async function* balanceParts(subject: Subject): AsyncGenerator<Part> {
  const all = await everyAddress(subject.network.store, Number.MAX_SAFE_INTEGER)
  for (const { id, address } of spread(all, subject.sample)) {
    const text = toPrimaryAddress(subject.network.hrp, address)
    yield {
      name: 'P balances',
      chains: ['P'],
      compare: (attempt) => comparePlatform(subject, { id, address: `P-${text}` }, attempt),
    }
    yield {
      name: 'X balances',
      chains: ['X'],
      compare: (attempt) => compareAvm(subject, { id, address: `X-${text}` }, attempt),
    }
  }
}

/** An owner by our number and by its text. */
type Owner = { readonly id: number; readonly address: string }

async function oursOf(
  { network }: Subject,
  of: { readonly id: number; readonly chain: PrimaryChain; readonly now: number },
): Promise<Balances> {
  const { id, chain, now } = of
  const holdings = await balancesOfAddresses(network.store, {
    addresses: [id],
    chain,
    anyOwner: true,
  })
  // The P-Chain counts what an address owns a part of, the X-Chain only what nobody else owns,
  // however many signatures it needs: vms/avm/service.go GetAllBalances.
  const counted =
    chain === 'P'
      ? holdings
      : {
          ...holdings,
          others: holdings.others.filter(
            ({ output }) => outputContent(output).addresses.length === 1,
          ),
        }
  const assets = [...counted.plain, ...counted.others].map(({ asset }) => asset)
  const book = await assetBook(network.store, network, assets)
  return balancesView({ ...network, chain }, counted, { book, moment: now })
}

/** Amounts by asset, without zeros, in order. */
type Sums = Readonly<Record<string, string>>

function sumsOf(...lists: (Balances['unlockedUnstaked'] | undefined)[]): Sums {
  const sums = new Map<string, bigint>()
  for (const { assetId, amount } of lists.flatMap((list) => list ?? [])) {
    sums.set(assetId, (sums.get(assetId) ?? 0n) + BigInt(amount))
  }
  return inOrder([...sums].map(([assetId, amount]) => [assetId, String(amount)]))
}

function theirsOf(value: unknown): Sums {
  return inOrder(
    Object.entries(replyOf(value ?? {}, 'item')).map(([assetId, amount]) => [
      assetId,
      String(amount),
    ]),
  )
}

function inOrder(entries: readonly (readonly [string, string])[]): Sums {
  const some = entries.filter(([, amount]) => amount !== '0')
  return Object.fromEntries(some.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function comparePlatform(
  subject: Subject,
  { id, address }: Owner,
  { report, now }: Attempt,
): Promise<void> {
  const { node, signal } = subject
  const ours = await oursOf(subject, { id, chain: 'P', now })
  const balance = await node.call(
    nodePaths.P,
    'platform.getBalance',
    { addresses: [address] },
    signal,
  )
  for (const [name, sums, theirs] of [
    ['unlocked', ours.unlockedUnstaked, 'unlockeds'],
    ['stakeable-locked', ours.lockedStakeable, 'lockedStakeables'],
    ['locked', ours.lockedPlatform, 'lockedNotStakeables'],
  ] as const)
    report.compare(`P ${name} balances`, address, sumsOf(sums), theirsOf(balance[theirs]))
  const stake = await node.call(
    nodePaths.P,
    'platform.getStake',
    { addresses: [address], encoding: 'hexnc' },
    signal,
  )
  report.compare(
    'P stakes',
    address,
    sumsOf(ours.unlockedStaked, ours.lockedStaked, ours.pendingStaked),
    theirsOf(stake['stakeds']),
  )
}

async function compareAvm(
  subject: Subject,
  { id, address }: Owner,
  { report, now }: Attempt,
): Promise<void> {
  const { node, signal } = subject
  const ours = await oursOf(subject, { id, chain: 'X', now })
  const reply = await node.call(
    nodePaths.X,
    'avm.getAllBalances',
    { address, includePartial: false },
    signal,
  )
  const theirs = listIn(reply, 'balances').map((item) => {
    const { asset, balance } = replyOf(item, 'item')
    // The node names AVAX by its alias.
    return [
      asset === 'AVAX' ? toCb58(subject.network.avaxAssetId) : String(asset),
      String(balance),
    ] as const
  })
  report.compare('X balances', address, sumsOf(ours.unlockedUnstaked), inOrder(theirs))
}
