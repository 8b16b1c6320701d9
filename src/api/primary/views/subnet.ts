/** Subnets and chains as answers show them. */

import { vmIds } from '../../../codec/primary/genesis.ts'
import { primarySubnetId } from '../../../codec/primary/ids.ts'
import { keyOf, to0x } from '../../../core/bytes.ts'
import { toCb58 } from '../../../core/cb58.ts'
import { isObject, jsonOf } from '../../../core/json.ts'
import {
  type Blockchain,
  type Subnet,
  allowListNames,
  configIntegers,
  feeConfigIntegers,
  type GenesisData,
} from '../../../shape/primary/subnet.ts'
import {
  chainsOfSubnets,
  type StoredChain,
  type StoredSubnet,
} from '../../../store/query/primary/network.ts'
import type { ServedNetwork } from '../network/networks.ts'
import { heightText, ownershipView } from './values.ts'

/** A subnet and its chains in order of creation. */
export type SubnetWithChains = {
  readonly subnet: StoredSubnet
  readonly chains: readonly StoredChain[]
}

/** Subnets in the order given, each with its chains. */
export async function withChains(
  { store }: ServedNetwork,
  rows: readonly StoredSubnet[],
): Promise<SubnetWithChains[]> {
  const chains = await chainsOfSubnets(
    store,
    rows.map(({ subnetId }) => subnetId),
  )
  const bySubnet = Map.groupBy(chains, ({ subnetId }) => keyOf(subnetId))
  return rows.map((subnet) => ({ subnet, chains: bySubnet.get(keyOf(subnet.subnetId)) ?? [] }))
}

/** A subnet with its chains. */
export function subnetView(
  network: ServedNetwork,
  { subnet: row, chains }: SubnetWithChains,
): Subnet {
  const owner = ownershipView(network.hrp, row.owner)
  const { conversion } = row
  return {
    createBlockTimestamp: row.createdTime,
    createBlockIndex: heightText(row.pos),
    subnetId: toCb58(row.subnetId),
    ownerAddresses: owner.addresses,
    threshold: owner.threshold,
    locktime: owner.locktime,
    subnetOwnershipInfo: owner,
    isL1: conversion !== undefined,
    ...(conversion === undefined
      ? {}
      : {
          l1ConversionTransactionHash: toCb58(conversion.txId),
          l1ValidatorManagerDetails: {
            blockchainId: toCb58(conversion.managerChainId),
            contractAddress: to0x(conversion.managerAddress),
          },
        }),
    blockchains: chains.map(chainView),
  }
}

/** One chain. */
export function chainView(row: StoredChain): Blockchain {
  const genesisData = genesisView(row.genesis)
  return {
    createBlockTimestamp: row.createdAt,
    createBlockNumber: heightText(row.pos),
    blockchainId: toCb58(row.blockchainId),
    vmId: toCb58(row.vmId),
    subnetId: toCb58(row.subnetId),
    blockchainName: row.name,
    evmChainId: row.evmChainId,
    genesisData,
  }
}

/** The P-Chain, which no transaction created. */
export function pChainView(network: ServedNetwork): Blockchain {
  return {
    createBlockTimestamp: network.genesisTime,
    createBlockNumber: '-1',
    blockchainId: network.blockchainIds.P,
    vmId: toCb58(vmIds.platformvm),
    subnetId: toCb58(primarySubnetId),
    blockchainName: 'P-Chain',
  }
}

/** Weights of chains on pages: geneses are the greatest part of such a page. */
export const chainScales = {
  // Ten thousand chains of a public network would be hundreds of megabytes.
  maxWeight: 8_388_608,
  rowsAtOnce: 64,
  weightOf: ({ genesis }: StoredChain): number => genesis.length,
} as const

/** The primary network as a subnet: nobody owns it, and its chains are those of genesis. */
export async function primarySubnetView(network: ServedNetwork): Promise<Subnet> {
  const chains = await chainsOfSubnets(network.store, [primarySubnetId])
  return {
    createBlockTimestamp: network.genesisTime,
    createBlockIndex: '0',
    subnetId: toCb58(primarySubnetId),
    ownerAddresses: [],
    threshold: 0,
    locktime: 0,
    subnetOwnershipInfo: { locktime: 0, threshold: 0, addresses: [] },
    isL1: false,
    blockchains: [pChainView(network), ...chains.map(chainView)],
  }
}

// Genesis of a chain as callers can read it.
//
// The generated clients refuse a whole page for one key of another type, so known keys are
// brought to their types; where that cannot be done, or the bytes are no JSON object, the genesis
// is given as text.

type Json = Readonly<Record<string, unknown>>

const strict = new TextDecoder('utf-8', { fatal: true })

/** Genesis bytes as an object, as their text, or in hex when they are no text. */
export function genesisView(genesis: Uint8Array): GenesisData | undefined {
  if (genesis.length === 0) return undefined
  const text = textOf(genesis)
  if (text === undefined) return to0x(genesis)
  const parsed = jsonOf(text)
  if (!isObject(parsed)) return text
  return normalised(parsed) ?? text
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** A way to bring a value to its type; `undefined` when it cannot be done. */
type Cast = (value: unknown) => unknown

const text: Cast = (value) => {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? `0x${value.toString(16)}`
    : undefined
}

const integer: Cast = (value) => {
  if (typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value)) return safe(Number(value))
  return safe(value)
}

function safe(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined
}

const yesNo: Cast = (value) => (typeof value === 'boolean' ? value : undefined)
const integerOrNull: Cast = (value) => (value === null ? null : integer(value))
const textOrNull: Cast = (value) => (value === null ? null : text(value))
const addresses: Cast = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined

const recordOf =
  (cast: Cast): Cast =>
  (value) => {
    if (!isObject(value)) return undefined
    const entries = Object.entries(value).map(([key, item]) => [key, cast(item)] as const)
    return entries.some(([, item]) => item === undefined) ? undefined : Object.fromEntries(entries)
  }

const members =
  (casts: Readonly<Record<string, Cast>>): Cast =>
  (value) => {
    if (!isObject(value)) return undefined
    const result = new Map(Object.entries(value))
    for (const [key, cast] of Object.entries(casts)) {
      if (!result.has(key)) continue
      // Null stands for absent where the types know no null.
      const given = result.get(key)
      const made = cast(given)
      if (made === undefined && given !== null) return undefined
      if (made === undefined) result.delete(key)
      else result.set(key, made)
    }
    return Object.fromEntries(result)
  }

const all = (names: readonly string[], cast: Cast): Record<string, Cast> =>
  Object.fromEntries(names.map((name) => [name, cast]))

const allowList = members({
  blockTimestamp: integer,
  adminAddresses: addresses,
  managerAddresses: addresses,
  enabledAddresses: addresses,
})

const config = members({
  ...all(Object.keys(configIntegers), integer),
  eip150Hash: text,
  allowFeeRecipients: yesNo,
  feeConfig: members(all(Object.keys(feeConfigIntegers), integer)),
  warpConfig: members({
    blockTimestamp: integer,
    quorumNumerator: integer,
    requirePrimaryNetworkSigners: yesNo,
  }),
  ...all(allowListNames, allowList),
})

const textKeys = [
  'airdropHash',
  'coinbase',
  'difficulty',
  'extraData',
  'gasLimit',
  'gasUsed',
  'mixHash',
  'nonce',
  'number',
  'parentHash',
  'timestamp',
]

const genesisCast = members({
  ...all(textKeys, text),
  airdropAmount: integerOrNull,
  baseFeePerGas: integerOrNull,
  blobGasUsed: textOrNull,
  excessBlobGas: textOrNull,
  alloc: recordOf(members({ balance: text, code: text, storage: recordOf(text) })),
  config,
})

function normalised(genesis: Json): Exclude<GenesisData, string> | undefined {
  const made = genesisCast(genesis)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every known key was cast to its type
  return made as Exclude<GenesisData, string> | undefined
}
