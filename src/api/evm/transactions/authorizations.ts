/** Delegations that transactions of type 4 carry, and the accounts that signed them. Source: EIP-7702. */

import { secp256k1 } from '@noble/curves/secp256k1.js'

import { hexBytes, hexQuantity } from '../../../codec/evm/hex.ts'
import { encodeRlp } from '../../../codec/evm/proof/rlp.ts'
import { toChecksumAddress } from '../../../core/address.ts'
import { concatBytes, fromHex } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { isObject } from '../../../core/json.ts'
import type { FullNativeTransaction } from '../../../shape/evm/transaction.ts'
import { heightOf, placeOf } from '../../../store/query/evm/position.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { decimalText } from '../answers.ts'

type Authorization = NonNullable<FullNativeTransaction['authorizations']>[number]

/** Those of the transaction at `pos`, which are not stored. Rejects with faults of the source. */
export async function authorizationsOf(
  chain: ServedChain,
  pos: number,
  signal: AbortSignal,
): Promise<Authorization[] | undefined> {
  const { transactions } = (await chain.block?.(heightOf(pos), signal))?.block ?? {}
  const transaction: unknown = Array.isArray(transactions) ? transactions[placeOf(pos)] : undefined
  const list = isObject(transaction) ? transaction['authorizationList'] : undefined
  return Array.isArray(list)
    ? list.flatMap((one: unknown) => authorizationOf(one) ?? [])
    : undefined
}

function authorizationOf(json: unknown): Authorization | undefined {
  if (!isObject(json)) return undefined
  const address = hexBytes(json['address'])
  const [chainId, nonce] = [json['chainId'], json['nonce']].map(hexQuantity)
  const [parity, r, s] = [json['yParity'], json['r'], json['s']].map(hexQuantity)
  if (address?.length !== 42 || chainId === undefined || nonce === undefined) return undefined
  const message = concatBytes(Uint8Array.of(5), encodeRlp([chainId, address, nonce]))
  return {
    chainId: decimalText(chainId),
    address: toChecksumAddress(fromHex(address)),
    nonce: decimalText(nonce),
    authority: signerOf(keccak256(message), Number(parity), [r, s]),
  }
}

/** The account whose key signed; `undefined` where no key did. */
function signerOf(
  message: Uint8Array,
  parity: number,
  halves: readonly (string | undefined)[],
): string | undefined {
  const [r, s] = halves.map((half) => BigInt(half === undefined || half === '0x' ? 0 : half))
  try {
    const signature = new secp256k1.Signature(r ?? 0n, s ?? 0n).addRecoveryBit(parity || 0)
    if (signature.hasHighS()) return undefined
    const key = signature.recoverPublicKey(message).toBytes(false)
    return toChecksumAddress(keccak256(key.subarray(1)).subarray(12))
  } catch {
    return undefined
  }
}
