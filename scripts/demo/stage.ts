/** Who and what the demo is made with: the network, its chains, and the people on them. */

import { concatBytes, to0x } from '../../src/core/bytes.ts'
import { EvmWallet } from '../../test/network/evm-wallet.ts'
import { type Key, keyNamed } from '../../test/network/keys.ts'
import type { JsonObject } from '../../test/network/node-rpc.ts'
import type { Scene } from '../../test/network/scene.ts'
import { type Argument, argumentsOf, callOf, hexOf } from './abi.ts'

/** Roles of the people on the EVM chains; everybody has one key for all chains. */
export const roles = ['builder', 'trader', 'collector', 'traveller', 'relayer', 'deceiver'] as const

/** One of {@link roles}. */
export type Role = (typeof roles)[number]

/** The key of a role. */
export function keyOf(role: Role): Key {
  return keyNamed(`demo ${role}`)
}

/** An EVM chain of the demo. */
export type Chain = {
  readonly name: string
  readonly symbol: string
  readonly chainNumber: number
  /** 32 bytes. */
  readonly blockchainId: Uint8Array
  /** Path of its RPC below a node. */
  readonly path: string
  /** Wallets of everybody on it; `faucet` owns what genesis gave. */
  readonly of: Readonly<Record<Role | 'faucet', EvmWallet>>
}

/** Everybody's wallets on the chain at `path`. */
export function walletsOn(scene: Scene, path: string, faucet: EvmWallet): Chain['of'] {
  const wallet = (role: Role): EvmWallet =>
    new EvmWallet(() => scene.network.node(1), path, keyOf(role))
  return {
    faucet,
    builder: wallet('builder'),
    trader: wallet('trader'),
    collector: wallet('collector'),
    traveller: wallet('traveller'),
    relayer: wallet('relayer'),
    deceiver: wallet('deceiver'),
  }
}

/** Gives everybody coins of the chain. */
export async function fund({ of }: Chain, coins: bigint): Promise<void> {
  for (const role of roles) await of.faucet.send({ to: keyOf(role).evm, value: coins * 10n ** 18n })
}

/** Codes of the contracts by name. */
export type Codes = ReadonlyMap<string, Uint8Array>

/** Makes a contract; its address. */
export async function deploy(
  codes: Codes,
  evm: EvmWallet,
  of: { readonly name: string; readonly with?: readonly Argument[]; readonly value?: bigint },
): Promise<Uint8Array> {
  const code = codes.get(of.name)
  if (code === undefined) throw new Error(`no such contract: ${of.name}`)
  const data = concatBytes(code, argumentsOf(of.with ?? []))
  const receipt = await evm.send({ data, gas: 6_000_000n, value: of.value ?? 0n })
  return hexOf(receipt['contractAddress'])
}

/** Calls a contract. */
export function call(
  evm: EvmWallet,
  to: Uint8Array,
  signature: string,
  ...given: readonly Argument[]
): Promise<JsonObject> {
  return evm.send({ to, data: callOf(signature, ...given) })
}

/** Things that were made and who did it, for the guides and tests: names to ids as texts. */
export class Cast {
  readonly #names = new Map<string, string>()

  /** Notes an id; bytes as hex. */
  note(name: string, id: Uint8Array | string): void {
    this.#names.set(name, typeof id === 'string' ? id : to0x(id))
  }

  /** All names. */
  all(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#names)
  }
}
