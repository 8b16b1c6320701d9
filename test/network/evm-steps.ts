/** Life on EVM chains: payments, contracts, logs of transfers, and messages that arrive. */

import { concatBytes, fromBigint, fromHex, to0x } from '../../src/core/bytes.ts'
import { keccak256 } from '../../src/core/hash.ts'
import type { EvmWallet } from './evm-wallet.ts'
import { keyNamed } from './keys.ts'
import { warpPrecompile } from './l1-steps.ts'

const transferTopic = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'))

/** Puts 11 bytes before `code` that make a contract of it. `code` has at most 255 bytes. */
function creationOf(code: Uint8Array): Uint8Array {
  return concatBytes(fromHex('60'), Uint8Array.of(code.length), fromHex('80600b6000396000f3'), code)
}

/**
 * Logs a transfer from the caller: the amount is the first word of the call, the receiver the
 * second. CALLDATALOAD, MSTORE, then LOG3.
 */
const token = creationOf(
  concatBytes(
    fromHex('60003560005260203533'),
    fromHex('7f'),
    transferTopic,
    fromHex('60206000a300'),
  ),
)

/**
 * Succeeds where the first predicate of the transaction is a message that was verified:
 * `getVerifiedWarpMessage(0)` of the precompile, whose second word says so.
 */
const receiver = creationOf(
  concatBytes(
    fromHex('636f82535060e01b600052604060006024600073'),
    warpPrecompile,
    fromHex('5afa15603b576020511560' + '3b5760006000a0005b60006000fd'),
  ),
)

async function create(evm: EvmWallet, data: Uint8Array): Promise<Uint8Array> {
  const receipt = await evm.send({ data })
  return fromHex(String(receipt['contractAddress']))
}

/** Pays, makes a token and moves it, and lets a transaction fail. */
export async function liveOn(evm: EvmWallet): Promise<void> {
  for (const name of ['first', 'second'])
    await evm.send({ to: keyNamed(name).evm, value: 10n ** 17n })
  const address = await create(evm, token)
  for (const amount of [1n, 250n, 10n ** 30n]) {
    const receiverWord = concatBytes(new Uint8Array(12), keyNamed('first').evm)
    await evm.send({ to: address, data: concatBytes(fromBigint(amount, 32), receiverWord) })
  }
  await evm.send({ data: fromHex('60006000fd') }, true)
}

/**
 * Returns whether the Warp precompile of a chain takes the message that `sign` gives.
 *
 * A signature counts in the epoch it was made for. The contract's own block may begin one, so it comes
 * first; where one begins between signing and delivery all the same, it is signed again.
 */
export async function receives(
  evm: EvmWallet,
  sign: () => Promise<Uint8Array>,
  epoch: () => Promise<string>,
): Promise<boolean> {
  const to = await create(evm, receiver)
  for (let left = 2; ; left--) {
    const before = await epoch()
    const accessList = [[warpPrecompile, predicateOf(await sign())]] as const
    const receipt = await evm.send({ to, accessList }, true)
    if (receipt['status'] === '0x1') return to0x(to) === String(receipt['to']).toLowerCase()
    if (left === 0 || (await epoch()) === before) return false
  }
}

/** A signed message as the storage keys that a transaction hands to the Warp precompile. */
export function predicateOf(signed: Uint8Array): Uint8Array[] {
  const padding = new Uint8Array((32 - ((signed.length + 1) % 32)) % 32)
  const predicate = concatBytes(signed, Uint8Array.of(0xff), padding)
  return Array.from({ length: predicate.length / 32 }, (_, at) =>
    predicate.slice(at * 32, at * 32 + 32),
  )
}
