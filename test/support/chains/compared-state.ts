/** What a transaction changed according to Firn, compared with what the chain's node has before and after its block. */

import assert from 'node:assert/strict'

import { concatBytes, fromHex } from '../../../src/core/bytes.ts'
import { isObject } from '../../../src/core/json.ts'

/** Stores 1 at slot 0 and becomes a contract that stores its second word at the slot of its first. */
export const storing = fromHex('60016000556008601160003960086000f36020356000355500')

/** Data that has that contract store `value` at `slot`. */
export function storeAt(slot: number, value: number): Uint8Array {
  return concatBytes(word(slot), word(value))
}

function word(value: number): Uint8Array {
  return fromHex(value.toString(16).padStart(64, '0'))
}

type End = 'Before' | 'After'
type Account = { readonly address: string } & {
  readonly [E in End as `balance${E}`]?: string
} & { readonly [E in End as `nonce${E}` | `codeBytes${E}`]?: number } & {
  readonly storage: readonly ({ readonly slot: string } & {
    readonly [E in End as `value${E}`]: string
  })[]
}

/**
 * Asserts that each part of `answer`, Firn's on a transaction that is alone in the block at `height`, is what the node
 * has. Returns the accounts, in lower case, and the number of slots that were compared, of both ends.
 */
export async function compareState(
  answer: unknown,
  height: number,
  askNode: (method: string, ...params: readonly unknown[]) => Promise<unknown>,
): Promise<{ readonly accounts: readonly string[]; readonly slots: number }> {
  assert.ok(isObject(answer) && Array.isArray(answer['accounts']), JSON.stringify(answer))
  const accounts = answer['accounts'] as readonly Account[]
  assert.equal(answer['accountCount'], accounts.length)
  let slots = 0
  for (const account of accounts)
    for (const [end, at] of [
      ['Before', height - 1],
      ['After', height],
    ] as const) {
      const block = `0x${at.toString(16)}`
      const ask = (method: string, ...more: readonly unknown[]): Promise<unknown> =>
        askNode(method, account.address, ...more, block)
      const about = `${account.address} ${end} ${at}`
      const balance = account[`balance${end}`]
      const nonce = account[`nonce${end}`]
      const codeBytes = account[`codeBytes${end}`]
      if (balance !== undefined)
        assert.equal(balance, BigInt(String(await ask('eth_getBalance'))).toString(), about)
      if (nonce !== undefined)
        assert.equal(nonce, Number(await ask('eth_getTransactionCount')), about)
      if (codeBytes !== undefined)
        assert.equal(codeBytes, String(await ask('eth_getCode')).length / 2 - 1, about)
      for (const { slot, ...values } of account.storage) {
        const value = BigInt(String(await ask('eth_getStorageAt', slot)))
        assert.equal(BigInt(values[`value${end}`]), value, about)
        slots++
      }
    }
  return { accounts: accounts.map(({ address }) => address.toLowerCase()), slots }
}
