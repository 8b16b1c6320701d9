/** Sums of what came to an address of P, X and C, and what left it: AVAX, by where it came from and went. */

import type { PrimaryNetworkTransaction } from '../../../shape/primary/transaction.ts'
import type { Utxo } from '../../../shape/primary/utxo.ts'
import { assetName } from '../kit/format.ts'
import { feeBurned } from '../what-happened.ts'

/** A chain of the primary network. */
export type FlowChain = 'P' | 'X' | 'C'

/** An amount, nAVAX, that came to a chain's funds of the address (`in`) or left them. */
export type Flow = {
  readonly chain: FlowChain
  readonly direction: 'in' | 'out'
  /** An address, or words for what is none. */
  readonly end: string
  readonly isAddress: boolean
  readonly amount: bigint
}

/** Parts of a transaction that flows are made of. */
export type FlowTx = Pick<
  PrimaryNetworkTransaction,
  | 'txHash'
  | 'txType'
  | 'consumedUtxos'
  | 'emittedUtxos'
  | 'evmInputs'
  | 'evmOutputs'
  | 'amountBurned'
  | 'amountL1ValidatorBalanceBurned'
>

/** Transactions of the address by chain. */
export type FlowTxs = Readonly<Record<FlowChain, readonly FlowTx[]>>

/** Ends by name: an address, or words. */
type Ends = Map<string, { readonly isAddress: boolean; amount: bigint }>

/**
 * Flows of an address, largest first. What it paid itself is none. Where several paid, each is taken to have paid its
 * part of everything.
 */
export function flowsOf(address: string, txs: FlowTxs): readonly Flow[] {
  const own = address.replace(/^[PXC]-/, '')
  const names = chainIds(txs)
  const known = new Set(Object.values(txs).flatMap((all) => all.map(({ txHash }) => txHash)))
  const sums = new Map<string, Flow>()
  for (const chain of ['P', 'X', 'C'] as const)
    for (const tx of txs[chain])
      for (const flow of flowsIn(tx, { own, chain, names, known })) {
        const key = `${flow.chain} ${flow.direction} ${flow.end}`
        const amount = flow.amount + (sums.get(key)?.amount ?? 0n)
        sums.set(key, { ...flow, amount })
      }
  return [...sums.values()].toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
}

/** Names of chains by their ids: each transaction makes outputs on its own, or spends what it consumes there. */
function chainIds(txs: FlowTxs): ReadonlyMap<string, FlowChain> {
  const names = new Map<string, FlowChain>()
  for (const chain of ['P', 'X', 'C'] as const)
    for (const { emittedUtxos, consumedUtxos } of txs[chain]) {
      for (const one of emittedUtxos) names.set(one.createdOnChainId, chain)
      for (const one of consumedUtxos) names.set(one.consumedOnChainId, chain)
    }
  return names
}

type Of = {
  readonly own: string
  readonly chain: FlowChain
  readonly names: ReadonlyMap<string, FlowChain>
  /** Ids of all transactions that are given. */
  readonly known: ReadonlySet<string>
}

function flowsIn(tx: FlowTx, of: Of): readonly Flow[] {
  const { chain } = of
  const { payers, imported, paid } = inputsOf(tx, of)
  const { takers, kept } = outputsOf(tx, of)
  const flow = (direction: Flow['direction'], ends: Ends, amount: bigint): readonly Flow[] =>
    shared(ends, amount).map((one) => ({ chain, direction, ...one }))
  const net = kept - paid
  return [
    ...flow('in', imported, totalOf(imported)),
    ...(net < 0n
      ? flow('out', takers, -net)
      : flow('in', payers.size > 0 ? payers : unpaid(tx.txType), net)),
  ]
}

/** Its payments, those whose funds came by no transaction of this chain that is here, and who else paid. */
function inputsOf(
  { consumedUtxos, evmInputs = [] }: FlowTx,
  { own, chain, names, known }: Of,
): { readonly payers: Ends; readonly imported: Ends; readonly paid: bigint } {
  const payers: Ends = new Map()
  const imported: Ends = new Map()
  let paid = 0n
  for (const utxo of consumedUtxos.filter(isAvax)) {
    if (!isOwnedBy(own, utxo)) {
      addOwners(payers, own, utxo)
      continue
    }
    paid += amountOf(utxo)
    const from = names.get(utxo.createdOnChainId)
    if (from !== chain) addWords(imported, `from the ${from ?? 'other'}-Chain`, amountOf(utxo))
    else if (!known.has(utxo.txHash))
      addWords(imported, utxo.blockNumber === '0' ? 'genesis' : 'before', amountOf(utxo))
  }
  for (const { fromAddress, asset } of evmInputs.filter(hasAvax))
    add(payers, fromAddress, BigInt(asset.amount))
  return { payers, imported, paid }
}

/** Outputs that the address keeps, and those that went elsewhere. */
function outputsOf(
  tx: FlowTx,
  { own, names }: Of,
): { readonly takers: Ends; readonly kept: bigint } {
  const takers: Ends = new Map()
  let kept = 0n
  for (const utxo of tx.emittedUtxos.filter(isAvax)) {
    const leaves = utxo.consumedOnChainId !== utxo.createdOnChainId
    if (!isOwnedBy(own, utxo)) addOwners(takers, own, utxo)
    else if (leaves) {
      const to = names.get(utxo.consumedOnChainId) ?? 'other'
      addWords(takers, `to the ${to}-Chain`, amountOf(utxo))
    } else kept += amountOf(utxo)
  }
  for (const { toAddress, asset } of (tx.evmOutputs ?? []).filter(hasAvax))
    add(takers, toAddress, BigInt(asset.amount))
  for (const sum of (tx.amountL1ValidatorBalanceBurned ?? []).filter(isAvaxSum))
    addWords(takers, 'L1 validator balances', BigInt(sum.amount))
  for (const sum of feeBurned(tx).filter(isAvaxSum)) addWords(takers, 'fees', BigInt(sum.amount))
  return { takers, kept }
}

/** Where nobody paid: a reward, a balance of an L1 validator that came back, or something else that did. */
function unpaid(txType: string): Ends {
  const words = /Reward|Renewed/.test(txType)
    ? 'rewards'
    : /L1Validator/.test(txType)
      ? 'L1 validator balances'
      : 'returned'
  const ends: Ends = new Map()
  addWords(ends, words, 1n)
  return ends
}

/** `amount` divided among the ends by their amounts; what does not divide is the last one's. */
function shared(ends: Ends, amount: bigint): readonly Omit<Flow, 'chain' | 'direction'>[] {
  const total = totalOf(ends)
  if (amount <= 0n || total === 0n) return []
  let left = amount
  return [...ends].map(([end, { isAddress, amount: own }], at) => {
    const part = at === ends.size - 1 ? left : (amount * own) / total
    left -= part
    return { end, isAddress, amount: part }
  })
}

function totalOf(ends: Ends): bigint {
  return [...ends.values()].reduce((sum, { amount }) => sum + amount, 0n)
}

function add(ends: Ends, address: string | undefined, amount: bigint): void {
  if (address === undefined) return addWords(ends, 'unknown', amount)
  const before = ends.get(address)?.amount ?? 0n
  ends.set(address, { isAddress: true, amount: before + amount })
}

function addWords(ends: Ends, words: string, amount: bigint): void {
  const before = ends.get(words)?.amount ?? 0n
  ends.set(words, { isAddress: false, amount: before + amount })
}

/** Returns whether an address can spend an output alone, so that it is part of its balance. */
function isOwnedBy(own: string, { addresses, threshold = 1 }: Utxo): boolean {
  return addresses.includes(own) && threshold <= 1
}

/** The first owner of an output; of what it owns with others, that. */
function addOwners(ends: Ends, own: string, utxo: Utxo): void {
  const { addresses } = utxo
  if (addresses.includes(own)) addWords(ends, 'owned with others', amountOf(utxo))
  else add(ends, addresses[0], amountOf(utxo))
}

function isAvax({ asset }: Utxo): boolean {
  return isAvaxSum(asset)
}

function hasAvax({ asset }: { readonly asset: Utxo['asset'] }): boolean {
  return isAvaxSum(asset)
}

function isAvaxSum(asset: Utxo['asset']): boolean {
  return assetName(asset) === 'AVAX'
}

function amountOf({ amount }: Utxo): bigint {
  return BigInt(amount)
}
