/** The EIP-55 case of new addresses, hashed two at a time: 0.7 µs each. */

import { HashMemory } from '../../../codec/evm/hash-memory.ts'
import { firstFree } from '../../../codec/evm/keccak-code.ts'
import { caseMask } from '../../../core/address.ts'
import { toHex } from '../../../core/bytes.ts'
import { storedCase } from '../../../store/query/evm/case-of-address.ts'

const digits = 40
const hashBytes = 32
/** An address's digits, then its hash. */
const stride = digits + hashBytes
/** Addresses hashed in one go: a few pages of memory whatever a batch brings. */
const together = 1_024

/** Finds cases; its memory lives as long as it does. */
export class AddressCases {
  #memory: HashMemory | undefined

  /** Stored cases of `addresses`, 20 bytes each, in their order. */
  of(addresses: readonly Uint8Array[]): Float64Array {
    const cases = new Float64Array(addresses.length)
    for (let from = 0; from < addresses.length; from += together)
      this.#some(addresses.slice(from, from + together), cases, from)
    return cases
  }

  #some(addresses: readonly Uint8Array[], cases: Float64Array, from: number): void {
    const memory = (this.#memory ??= new HashMemory())
    memory.reserve(firstFree + together * stride)
    for (const [at, address] of addresses.entries()) {
      const place = firstFree + at * stride
      memory.text.write(toHex(address), place, 'latin1')
      memory.add(place, digits, place + digits)
    }
    memory.run()
    for (let at = 0; at < addresses.length; at++) {
      const hash = firstFree + at * stride + digits
      cases[from + at] = storedCase(caseMask(memory.bytes.subarray(hash, hash + hashBytes)))
    }
  }
}
