/**
 * Judges answers by the facts a chain was made from. It reads nothing of the product: what a list
 * must hold up to a height, and what a block or a transaction must be, follows from the history.
 */

import type { History, TransferFact, ValueFact } from './history.ts'

/** JSON as it came. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is wrong in it is what is looked for
type Json = any

/** A list a caller may read, and how its items are compared. */
export type ListQuestion = {
  readonly path: string
  /** Expected contents, oldest first. */
  readonly facts: readonly { readonly height: number; readonly text: string }[]
  readonly textOf: (item: Json) => string
}

/** An answer that contradicts the history, or itself. */
export class Wrong extends Error {}

/** Every list of a chain. */
export function listQuestions(history: History): readonly ListQuestion[] {
  const at = `/v1/chains/${history.chainId}`
  const ofPerson = (person: string): ListQuestion[] => {
    const mine = ({ from, to }: { from: string; to: string }): boolean =>
      from === person || to === person
    const list = `${at}/addresses/${person}/transactions`
    const transfers = history.transfers.filter(mine)
    return [
      {
        path: `${list}:listErc20`,
        facts: transfers.filter(({ token }) => token !== history.nft).map(transferText),
        textOf: (item) => transferItem(item, item.erc20Token.address, item.value),
      },
      {
        path: `${list}:listErc721`,
        facts: transfers.filter(({ token }) => token === history.nft).map(transferText),
        textOf: (item) => transferItem(item, item.erc721Token.address, item.erc721Token.tokenId),
      },
      {
        path: `${list}:listNative`,
        facts: history.transactions.filter(mine).map(valueText),
        textOf: valueItem,
      },
      {
        path: `${list}:listInternals`,
        facts: history.internals.filter(mine).map(valueText),
        textOf: valueItem,
      },
    ]
  }
  return history.people.flatMap(ofPerson)
}

/**
 * Pages of one list in the order they came, the height that the first named, and up to where blocks
 * were proven before it was requested.
 */
export type ReadList = {
  readonly items: readonly Json[]
  readonly indexedHeight: number
  readonly proven: number
}

/**
 * Holds a list that was read to its end against the facts: all of them up to the height it named,
 * or to that of its newest item where it was already further, as far as blocks are proven. Throws
 * {@link Wrong}.
 */
export function judgeList(question: ListQuestion, { items: all, ...of }: ReadList): void {
  const newest = all.length === 0 ? -1 : Number(all[0].blockNumber)
  const until = Math.min(Math.max(of.indexedHeight, newest), of.proven)
  const items = all.filter(({ blockNumber }) => Number(blockNumber) <= until)
  const wanted = question.facts
    .filter(({ height }) => height <= until)
    .map(({ text }) => text)
    .toReversed()
  const listed = items.map(question.textOf)
  const at = wanted.findIndex((text, place) => text !== listed[place])
  if (at < 0 && listed.length === wanted.length) return
  const place = at < 0 ? wanted.length : at
  throw new Wrong(
    `${question.path} up to ${until}: ${listed.length} items, not ${wanted.length}; ` +
      `item ${place} is ${listed[place] ?? 'missing'}, not ${wanted[place] ?? 'there'}`,
  )
}

/** Holds a block against the history. Throws {@link Wrong}. */
export function judgeBlock(history: History, height: number, body: Json): void {
  const block = history.blocks[height]
  const wanted = `${block?.hash} ${block?.txHashes.length} ${block?.time}`
  const served = `${body.blockHash} ${body.txCount} ${body.blockTimestamp}`
  if (served !== wanted) throw new Wrong(`block ${height} is ${served}, not ${wanted}`)
}

/** Holds a transaction with its transfers against the history. Throws {@link Wrong}. */
export function judgeTransaction(history: History, fact: ValueFact, body: Json): void {
  const { from, to, value } = fact
  const native = body.nativeTransaction
  const served = `${lower(native.from)} ${lower(native.to)} ${native.value}`
  if (served !== `${from} ${to} ${value}`)
    throw new Wrong(`transaction ${fact.txHash} is ${served}`)
  const moved = history.transfers
    .filter(({ txHash, token }) => txHash === fact.txHash && token !== history.nft)
    .map(({ token, amount }) => `${token} ${amount}`)
  const shown = (body.erc20Transfers ?? []).map(
    (one: Json) => `${one.erc20Token.address.toLowerCase()} ${one.value}`,
  )
  if (shown.join() !== moved.join())
    throw new Wrong(`transaction ${fact.txHash} moved ${shown.join()}, not ${moved.join()}`)
}

function transferText(fact: TransferFact): { height: number; text: string } {
  const { height, txHash, logIndex, token, from, to, amount } = fact
  return { height, text: `${height} ${txHash} ${logIndex} ${token} ${from} ${to} ${amount}` }
}

function transferItem(item: Json, token: string, amount: string): string {
  const { blockNumber, txHash, logIndex } = item
  const ends = `${lower(item.from)} ${lower(item.to)}`
  return `${blockNumber} ${txHash} ${logIndex} ${token.toLowerCase()} ${ends} ${amount}`
}

function valueText({ height, txHash, from, to, value }: ValueFact): {
  height: number
  text: string
} {
  return { height, text: `${height} ${txHash} ${from} ${to} ${value}` }
}

function valueItem(item: Json): string {
  const ends = `${lower(item.from)} ${lower(item.to)}`
  return `${item.blockNumber} ${item.txHash} ${ends} ${item.value}`
}

function lower(party: { readonly address: string }): string {
  return party.address.toLowerCase()
}
