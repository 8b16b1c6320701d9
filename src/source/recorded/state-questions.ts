/** The state that a recording must hold so that the API can answer from it. */

import { balanceOfData, balanceOfSelector, wordOf } from '../../codec/evm/abi/abi.ts'
import { proxyCalls, proxySlots } from '../../codec/evm/abi/selectors.ts'
import { transferKinds } from '../../codec/evm/columns/columns.ts'
import { to0x, toHex } from '../../core/bytes.ts'
import { blockchainIdCall } from '../blockchain-id.ts'
import type { StateCall } from '../evm-source.ts'

/** A token transfer as far as state goes. */
export type NotedTransfer = {
  /** A value of `transferKinds`. */
  readonly kind: number
  readonly token: Uint8Array
  readonly holders: readonly Uint8Array[]
  /** Big-endian without leading zero bytes. */
  readonly tokenId: Uint8Array
}

const interfaces = ['01ffc9a7', 'ffffffff', '80ac58cd', 'd9b67a26', '5b5e139f', '0e89341c']

/** Selectors. Source: ERC-20, ERC-165, ERC-721, ERC-1155. */
const selectors = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  supportsInterface: '0x01ffc9a7',
  tokenUri: '0xc87b56dd',
  ownerOf: '0x6352211e',
  uri: '0x0e89341c',
} as const

/** Returns whether later blocks may change the answer: what tokens call themselves stays. */
export function mayChange({ method, target }: StateCall): boolean {
  const { totalSupply, ownerOf } = selectors
  return typeof target === 'string'
    ? method === 'eth_getBalance'
    : [totalSupply, balanceOfSelector, ownerOf].some((selector) => target.data.startsWith(selector))
}

/**
 * Collects questions, each once. Memory: a few hundred bytes for each, for chains that fit a file.
 */
export class StateQuestions {
  readonly #calls = new Map<string, StateCall>()

  constructor() {
    this.#call(blockchainIdCall.to, blockchainIdCall.data)
  }

  /** An address that was seen: its native balance. */
  address(address: Uint8Array): void {
    this.#add({ method: 'eth_getBalance', target: to0x(address) })
  }

  /** A contract that was created: its code, and what it hands calls on to. */
  contract(address: Uint8Array): void {
    const target = to0x(address)
    this.#add({ method: 'eth_getCode', target })
    for (const slot of proxySlots)
      this.#add({ method: 'eth_getStorageAt', target, slot: to0x(slot) })
    for (const call of Object.values(proxyCalls)) this.#call(target, to0x(call))
  }

  /** A transfer: what its token is, and who holds what of it. */
  transfer({ kind, token, holders, tokenId }: NotedTransfer): void {
    const to = to0x(token)
    for (const name of ['name', 'symbol', 'decimals', 'totalSupply'] as const)
      this.#call(to, selectors[name])
    for (const id of interfaces)
      this.#call(to, `${selectors.supportsInterface}${id}${'0'.repeat(56)}`)
    const { erc20, deposit, withdrawal } = transferKinds
    if (kind === erc20 || kind === deposit || kind === withdrawal) {
      for (const holder of holders) this.#call(to, balanceOfData(toHex(holder)))
      return
    }
    const id = wordOf(toHex(tokenId))
    this.#call(to, `${selectors.tokenUri}${id}`)
    this.#call(to, `${selectors.ownerOf}${id}`)
    this.#call(to, `${selectors.uri}${id}`)
  }

  calls(): StateCall[] {
    return [...this.#calls.values()]
  }

  #call(to: string, data: string): void {
    this.#add({ method: 'eth_call', target: { to, data } })
  }

  #add(call: StateCall): void {
    const { target, slot = '' } = call
    const what = typeof target === 'string' ? target : `${target.to ?? ''} ${target.data}`
    this.#calls.set(`${call.method} ${what} ${slot}`, call)
  }
}
