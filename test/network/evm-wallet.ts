/** Transactions of EVM chains, signed here and judged by real nodes. */

import { encodeRlp, type Rlp } from '../../src/codec/evm/proof/rlp.ts'
import { concatBytes, fromBigint, to0x } from '../../src/core/bytes.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { itemAt } from '../../src/core/item-at.ts'
import { type Key, sign } from './keys.ts'
import type { NodeRpc, JsonObject } from './node-rpc.ts'
import { settled } from './real-network.ts'

/** An action on a chain; without `to` a contract is made. */
export type Call = {
  readonly to?: Uint8Array
  readonly data?: Uint8Array
  readonly value?: bigint
  readonly gas?: bigint
  /** A unit of gas, wei. */
  readonly fees?: { readonly most: bigint; readonly tip: bigint }
  /** Addresses with storage keys: predicates of precompiles lie there. */
  readonly accessList?: readonly (readonly [Uint8Array, readonly Uint8Array[]])[]
}

/** Far above what quiet chains ask for. */
const usualFees = { most: 500_000_000_000n, tip: 1n }
const defaultGas = 3_000_000n

/** Sends transactions of one key on one chain, one after the other. */
export class EvmWallet {
  readonly #node: () => NodeRpc
  readonly #path: string
  readonly #key: Key
  #chainId: bigint | undefined
  /** A node tells of a receipt before it counts the transaction, when it executes them later. */
  #nextNonce = 0n
  #last: Promise<unknown> = Promise.resolve()

  /** `path` is that of the chain's RPC below the node's URL. */
  constructor(node: () => NodeRpc, path: string, key: Key) {
    this.#node = node
    this.#path = path
    this.#key = key
  }

  /** The chain's answer to a question. */
  ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return this.#node().ask(this.#path, method, params)
  }

  /** Sends a transaction and gives its receipt. Throws where it fails, unless `mayFail`. */
  send(call: Call, mayFail = false): Promise<JsonObject> {
    const sent = this.#last.then(() => this.#send(call, mayFail))
    this.#last = sent.catch(() => undefined)
    return sent
  }

  /** Sends transactions with these nonces on, and waits for none of them. */
  async post(calls: readonly Call[], firstNonce: number): Promise<void> {
    for (const [at, call] of calls.entries()) {
      const signed = await this.#signed(call, BigInt(firstNonce + at))
      await this.ask('eth_sendRawTransaction', to0x(signed))
    }
  }

  async #signed(call: Call, nonce: bigint): Promise<Uint8Array> {
    this.#chainId ??= BigInt(String(await this.ask('eth_chainId')))
    const { most, tip } = call.fees ?? usualFees
    const fields: Rlp[] = [
      number(this.#chainId),
      number(nonce),
      number(tip),
      number(most),
      number(call.gas ?? defaultGas),
      call.to ?? new Uint8Array(),
      number(call.value ?? 0n),
      call.data ?? new Uint8Array(),
      (call.accessList ?? []).map(([of, keys]) => [of, [...keys]]),
    ]
    const typed = (items: readonly Rlp[]): Uint8Array =>
      concatBytes(Uint8Array.of(2), encodeRlp(items))
    const signature = sign(keccak256(typed(fields)), this.#key)
    return typed([
      ...fields,
      number(BigInt(itemAt(signature, 64))),
      withoutZeros(signature.subarray(0, 32)),
      withoutZeros(signature.subarray(32, 64)),
    ])
  }

  async #send(call: Call, mayFail: boolean): Promise<JsonObject> {
    const address = to0x(this.#key.evm)
    const transactionCount = BigInt(
      String(await this.ask('eth_getTransactionCount', address, 'latest')),
    )
    const nonce = transactionCount > this.#nextNonce ? transactionCount : this.#nextNonce
    const signed = await this.#signed(call, nonce)
    const hash = String(await this.ask('eth_sendRawTransaction', to0x(signed)))
    this.#nextNonce = nonce + 1n
    let receipt: JsonObject | null = null
    await settled(`${this.#path} includes ${hash}`, async () => {
      receipt = (await this.ask('eth_getTransactionReceipt', hash)) as JsonObject | null
      return receipt !== null
    })
    const done = receipt as JsonObject | null
    if (done === null) throw new Error('no receipt')
    if (done['status'] !== '0x1' && !mayFail) throw new Error(`transaction ${hash} failed`)
    return done
  }
}

function number(value: bigint): Uint8Array {
  return withoutZeros(fromBigint(value, 32))
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0)
  return first < 0 ? new Uint8Array() : bytes.slice(first)
}
