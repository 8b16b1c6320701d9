/**
 * The genesis JSON file of AvalancheGo, read without losing digits.
 *
 * Source: avalanchego genesis/unparsed_config.go, config.go.
 */

import { fromBech32 } from '../../core/bech32.ts'
import { fromHex } from '../../core/bytes.ts'
import { parseNodeId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'

/** An amount that unlocks at `locktime` (Unix seconds, 0 = at once). */
export type LockedAmount = { readonly amount: bigint; readonly locktime: bigint }

/** Funds of one address at genesis: `initialAmount` on the X-Chain, the rest on the P-Chain. */
export type Allocation = {
  readonly evmAddress: Uint8Array
  readonly address: Uint8Array
  readonly initialAmount: bigint
  readonly unlockSchedule: readonly LockedAmount[]
}

/** A validator of genesis. `delegationFee` in millionths. */
export type InitialStaker = {
  readonly nodeId: Uint8Array
  readonly rewardAddress: Uint8Array
  readonly delegationFee: number
  readonly signer:
    | { readonly publicKey: Uint8Array; readonly proofOfPossession: Uint8Array }
    | undefined
}

/** A genesis file. Times and durations in seconds. */
export type GenesisConfig = {
  readonly networkId: number
  readonly allocations: readonly Allocation[]
  readonly startTime: bigint
  readonly initialStakeDuration: bigint
  readonly initialStakeDurationOffset: bigint
  readonly initialStakedFunds: readonly Uint8Array[]
  readonly initialStakers: readonly InitialStaker[]
  readonly cChainGenesis: string
  readonly message: string
}

/** The config of a genesis file's text. Throws `bad-text` naming the field. */
export function parseGenesisConfig(json: string): GenesisConfig {
  const root = objectOf(parseLossless(json), 'genesis')
  const networkId = Number(integerOf(root['networkID'], 'networkID'))
  return {
    networkId,
    allocations: listOf(root['allocations'], 'allocations').map((one) => {
      const item = objectOf(one, 'allocations')
      return {
        evmAddress: fromHex(textOf(item['ethAddr'], 'ethAddr')),
        address: addressOf(item['avaxAddr'], 'avaxAddr'),
        initialAmount: integerOf(item['initialAmount'] ?? 0n, 'initialAmount'),
        unlockSchedule: listOf(item['unlockSchedule'] ?? [], 'unlockSchedule').map((value) => {
          const item = objectOf(value, 'unlockSchedule')
          return {
            amount: integerOf(item['amount'] ?? 0n, 'amount'),
            locktime: integerOf(item['locktime'] ?? 0n, 'locktime'),
          }
        }),
      }
    }),
    startTime: integerOf(root['startTime'], 'startTime'),
    initialStakeDuration: integerOf(root['initialStakeDuration'], 'initialStakeDuration'),
    initialStakeDurationOffset: integerOf(
      root['initialStakeDurationOffset'] ?? 0n,
      'initialStakeDurationOffset',
    ),
    initialStakedFunds: listOf(root['initialStakedFunds'] ?? [], 'initialStakedFunds').map((one) =>
      addressOf(one, 'initialStakedFunds'),
    ),
    initialStakers: listOf(root['initialStakers'] ?? [], 'initialStakers').map((one) => {
      const item = objectOf(one, 'initialStakers')
      return {
        nodeId: parseNodeId(textOf(item['nodeID'], 'nodeID')),
        rewardAddress: addressOf(item['rewardAddress'], 'rewardAddress'),
        delegationFee: Number(integerOf(item['delegationFee'] ?? 0n, 'delegationFee')),
        signer: signerOf(item['signer']),
      }
    }),
    cChainGenesis: textOf(root['cChainGenesis'], 'cChainGenesis'),
    message: textOf(root['message'] ?? '', 'message'),
  }
}

/** Nodes take addresses of any network here, so that a file can be given another network id. */
function addressOf(value: unknown, name: string): Uint8Array {
  const { bytes } = fromBech32(textOf(value, name).replace(/^[PXC]-/, ''))
  if (bytes.length !== 20) throw wrong(name)
  return bytes
}

function signerOf(value: unknown): InitialStaker['signer'] {
  if (value === undefined || value === null) return undefined
  const item = objectOf(value, 'signer')
  return {
    publicKey: fromHex(textOf(item['publicKey'], 'publicKey')),
    proofOfPossession: fromHex(textOf(item['proofOfPossession'], 'proofOfPossession')),
  }
}

/** JSON with every integer as bigint. Throws `bad-text`. */
function parseLossless(json: string): unknown {
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '0')
      : value
  try {
    return JSON.parse(json, revive)
  } catch (error) {
    throw new Fault('bad-text', 'genesis is not JSON', { cause: error })
  }
}

function objectOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(name)
  return Object.fromEntries(Object.entries(value))
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(name)
  return value
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw wrong(name)
  return value
}

function integerOf(value: unknown, name: string): bigint {
  if (typeof value !== 'bigint' || value < 0n) throw wrong(name)
  return value
}

function wrong(name: string): Fault {
  return new Fault('bad-text', `genesis field missing or of the wrong form: ${name}`)
}
