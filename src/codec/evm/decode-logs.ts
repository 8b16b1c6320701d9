/**
 * Logs into token transfers and kept events, by form alone.
 *
 * The kind of a log is known from its first topic, the number of its topics and the length of its
 * data. A log that only resembles a transfer is skipped and never a fault: contracts may log
 * anything.
 */

import { smallWordOf } from './abi/abi.ts'
import { AddressBook } from './columns/address-book.ts'
import {
  type EventColumns,
  type EventKind,
  type TransferColumns,
  eventKinds,
  eventTable,
  transferKinds,
  transferTable,
} from './columns/columns.ts'
import type { Bytes } from './columns/growing.ts'
import { hexNumber, hexText, hexWord, notHex } from './hex.ts'
import { type RawLog, listOf } from './raw.ts'

const zeroDigits = '0'.repeat(40)

type Form = 'transfer' | 'single' | 'batch' | 'deposit' | 'withdrawal' | 'approval' | number

/** First topics of token transfers. Source: keccak-256 of the event signatures of ERC-20, 721, 1155 and WAVAX. */
const transferTopics: readonly (readonly [string, Form])[] = [
  ['ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', 'transfer'],
  ['c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62', 'single'],
  ['4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb', 'batch'],
  ['e1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c', 'deposit'],
  ['7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65', 'withdrawal'],
  ['8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925', 'approval'],
  ['17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31', 'approval'],
]

/** First topics of kept events. Source: as above, of Teleporter, the warp precompile, ERC-1155, 4906, 2309 and 1967. */
const eventTopics: Readonly<Record<EventKind, string>> = {
  [eventKinds.icmBlockchainIdInitialized]:
    '1eac640109dc937d2a9f42735a05f794b39a5e3759d681951d671aabbce4b104',
  [eventKinds.icmSend]: '2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8',
  [eventKinds.icmAddFee]: 'c1bfd1f1208927dfbd414041dcb5256e6c9ad90dd61aec3249facbd34ff7b3e1',
  [eventKinds.icmExecutionFailed]:
    '4619adc1017b82e02eaefac01a43d50d6d8de4460774bc370c3ff0210d40c985',
  [eventKinds.icmExecuted]: '34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c',
  [eventKinds.icmReceive]: '292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34',
  [eventKinds.icmReceipt]: 'd13a7935f29af029349bed0a2097455b91fd06190a30478c575db3f31e00bf57',
  [eventKinds.icmRewardsRedeemed]:
    '3294c84e5b0f29d9803655319087207bc94f4db29f7927846944822773780b88',
  [eventKinds.warpSend]: '56600c567728a800c0aa927500f831cb451df66a7af570eb4df4dfbf4674887d',
  [eventKinds.uri]: '6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b',
  [eventKinds.metadataUpdate]: 'f8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7',
  [eventKinds.batchMetadataUpdate]:
    '6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c',
  [eventKinds.consecutiveTransfer]:
    'deaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d',
  [eventKinds.proxyUpgraded]: 'bc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b',
  [eventKinds.beaconUpgraded]: '1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e',
}

/** Known first topics by their first 32 bits; all of them differ there. */
const forms: ReadonlyMap<number, readonly [string, Form]> = new Map(
  [
    ...transferTopics,
    ...Object.entries(eventTopics).map(([kind, digits]) => [digits, Number(kind)] as const),
  ].map(([digits, form]) => [hexWord(digits, 0), [`0x${digits}`, form] as const]),
)

/** Collects the transfers and kept events of a batch. */
export class LogColumns {
  readonly #addresses: AddressBook
  readonly #arena: Bytes
  readonly #transfers
  readonly #events
  readonly #unexplained = new AddressBook(16)

  constructor(addresses: AddressBook, arena: Bytes, logCount: number) {
    this.#addresses = addresses
    this.#arena = arena
    this.#transfers = transferTable.growing(logCount, arena)
    this.#events = eventTable.growing(0, arena)
  }

  /** Takes one log of the transaction in row `tx`. */
  add(log: RawLog, tx: number): void {
    const list = listOf(log.topics, 'topics')
    const first = list[0]
    if (first === undefined) return
    const known = forms.get(hexWord(topicText(first), 2))
    if (known === undefined || !sameHex(topicText(first), known[0])) {
      this.#unexplained.idOf(log.address, 'log address')
      return
    }
    const place = { log, list, tx, data: hexText(log.data, 'log data') }
    const form = known[1]
    if (typeof form === 'number') this.#keep(place, form)
    else this.#move(place, form)
  }

  transfers(): TransferColumns {
    return transferTable.taken(this.#transfers)
  }

  /** Contracts with logs of other first topics, 20 bytes each. */
  unexplained(): Uint8Array {
    return this.#unexplained.taken()
  }

  events(): EventColumns {
    return eventTable.taken(this.#events)
  }

  #keep(place: Place, kind: number): void {
    const all = this.#events
    all.tx.push(place.tx)
    all.logIndex.push(hexNumber(place.log.logIndex, 'log index'))
    all.address.push(this.#addresses.idOf(place.log.address, 'log address'))
    all.kind.push(kind)
    // The receiver of a range of NFTs gets a number in order of history, as every owner does.
    if (kind === eventKinds.consecutiveTransfer && place.list.length === 4)
      this.#end(topicAt(place.list, 3), 26)
    const start = this.#arena.length
    for (let at = 1; at < place.list.length; at++) this.#arena.pushHex(place.list[at], 'topic', 32)
    all.topics.pushFrom(start)
    all.data.pushHex(place.data, 'log data')
  }

  #move(place: Place, form: Form & string): void {
    const { list, data } = place
    const sizeBytes = (data.length - 2) >>> 1
    if (form === 'transfer') this.#transfer(place, sizeBytes)
    else if (form === 'single' && list.length === 4 && sizeBytes >= 64) this.#single(place)
    else if (form === 'batch' && list.length === 4 && sizeBytes >= 128) this.#batch(place)
    else if (form === 'deposit' && list.length === 2 && sizeBytes >= 32)
      this.#row(place, transferKinds.deposit, { to: topicAt(list, 1) }, 0)
    else if (form === 'withdrawal' && list.length === 2 && sizeBytes >= 32)
      this.#row(place, transferKinds.withdrawal, { from: topicAt(list, 1) }, 0)
  }

  /** ERC-20 and ERC-721 have one first topic. */
  #transfer(place: Place, sizeBytes: number): void {
    const { list, data } = place
    if (
      list.length === 3 &&
      sizeBytes === 32 &&
      isAddress(place.data, 2) &&
      isSmall(topicAt(list, 2))
    )
      this.#threeWords(place, transferKinds.twoIndexed, [topicAt(list, 1), topicAt(list, 2)], 2)
    else if (list.length === 3 && sizeBytes >= 32)
      this.#row(place, transferKinds.erc20, { from: topicAt(list, 1), to: topicAt(list, 2) }, 0)
    else if (list.length === 4 && sizeBytes === 0)
      this.#row(place, transferKinds.erc721, { from: topicAt(list, 1), to: topicAt(list, 2) }, 3)
    else if (list.length === 1 && sizeBytes === 96) this.#oneTopic(place)
    else if (list.length === 2 && sizeBytes === 64)
      this.#threeWords(
        place,
        transferKinds.oneIndexed,
        [topicAt(list, 1), `0x${data.slice(2, 66)}`],
        66,
      )
  }

  /** A row whose value is the first word of data, or whose token id is topic `idTopic`. */
  #row(
    place: Place,
    kind: number,
    ends: { readonly from?: string; readonly to?: string },
    idTopic: number,
  ): void {
    this.#begin(place, kind, 0)
    this.#transfers.from.push(this.#end(ends.from, 26))
    this.#transfers.to.push(this.#end(ends.to, 26))
    if (idTopic === 0) {
      this.#transfers.value.pushInteger(place.data, 2, 66)
      this.#transfers.tokenId.pushEmpty()
      return
    }
    this.#transfers.value.pushEmpty()
    this.#transfers.tokenId.pushInteger(topicAt(place.list, idTopic), 2, 66)
  }

  /** NFTs older than ERC-721: from, to and token id are all data. */
  #oneTopic(place: Place): void {
    this.#begin(place, transferKinds.erc721OneTopic, 0)
    this.#transfers.from.push(this.#end(place.data, 26))
    this.#transfers.to.push(this.#end(place.data, 26 + 64))
    this.#transfers.value.pushEmpty()
    this.#transfers.tokenId.pushInteger(place.data, 2 + 128, 2 + 192)
  }

  /**
   * Three words of which the contract knows which is what. The ends are the first two, the value is the word
   * of data at `at`; the last topic is kept whole, and what may be an address among addresses.
   */
  #threeWords(place: Place, kind: number, ends: readonly [string, string], at: number): void {
    this.#begin(place, kind, 0)
    for (const [column, end] of [
      [this.#transfers.from, ends[0]],
      [this.#transfers.to, ends[1]],
    ] as const)
      column.push(this.#end(end, 26))
    this.#transfers.value.pushInteger(place.data, at, at + 64)
    this.#transfers.tokenId.pushInteger(topicAt(place.list, place.list.length - 1), 2, 66)
    if (place.data.startsWith('0'.repeat(24), at)) this.#end(place.data, at + 24)
  }

  #single(place: Place): void {
    this.#begin(place, transferKinds.erc1155Single, 0)
    this.#transfers.from.push(this.#end(topicAt(place.list, 2), 26))
    this.#transfers.to.push(this.#end(topicAt(place.list, 3), 26))
    this.#transfers.tokenId.pushInteger(place.data, 2, 66)
    this.#transfers.value.pushInteger(place.data, 66, 130)
  }

  #batch(place: Place): void {
    const ids = arrayAt(place.data, 0)
    const values = arrayAt(place.data, 1)
    if (ids === undefined || values === undefined || ids.count !== values.count) return
    for (let entry = 0; entry < ids.count; entry++) {
      const id = ids.start + entry * 64
      const value = values.start + entry * 64
      this.#begin(place, transferKinds.erc1155Batch, entry)
      this.#transfers.from.push(this.#end(topicAt(place.list, 2), 26))
      this.#transfers.to.push(this.#end(topicAt(place.list, 3), 26))
      this.#transfers.tokenId.pushInteger(place.data, id, id + 64)
      this.#transfers.value.pushInteger(place.data, value, value + 64)
    }
  }

  #begin(place: Place, kind: number, batchIndex: number): void {
    const all = this.#transfers
    all.tx.push(place.tx)
    all.logIndex.push(hexNumber(place.log.logIndex, 'log index'))
    all.batchIndex.push(batchIndex)
    all.kind.push(kind)
    all.token.push(this.#addresses.idOf(place.log.address, 'log address'))
  }

  /** The address in the low 20 bytes of a word, its digits from `at`; absent is zero. */
  #end(text: string | undefined, at: number): number {
    return text === undefined ? this.#addresses.idAt(zeroDigits, 0) : this.#addresses.idAt(text, at)
  }
}

type Place = {
  readonly log: RawLog
  readonly list: readonly unknown[]
  readonly tx: number
  readonly data: string
}

function topicText(value: unknown): string {
  const text = hexText(value, 'topic')
  if (text.length !== 66) throw notHex(value, 'topic')
  return text
}

function topicAt(list: readonly unknown[], at: number): string {
  return topicText(list[at])
}

function sameHex(text: string, lower: string): boolean {
  return text === lower || text.toLowerCase() === lower
}

/** Returns whether the word at `at` may be an address: no amount is as large, and no hash as small. */
function isAddress(text: string, at: number): boolean {
  return text.startsWith('0'.repeat(24), at) && !text.startsWith('0'.repeat(8), at + 24)
}

/** Returns whether a topic is below 2^112, as amounts are and addresses are not. */
function isSmall(topic: string): boolean {
  return topic.startsWith('0'.repeat(36), 2)
}

/** Where a dynamic array of words lies in `data`; undefined when it does not fit. */
function arrayAt(data: string, head: number): { start: number; count: number } | undefined {
  const offset = smallWordOf(data, 2 + head * 64)
  if (offset === undefined) return undefined
  const at = 2 + offset * 2
  const count = smallWordOf(data, at)
  const start = at + 64
  return count === undefined || start + count * 64 > data.length ? undefined : { start, count }
}
