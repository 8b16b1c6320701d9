/** Subnets and chains as answers show them. */

import { vmIds } from '../../codec/primary/genesis.ts'
import { primarySubnetId } from '../../codec/primary/ids.ts'
import { keyOf, to0x } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import type { Blockchain, Subnet } from '../../shape/primary/subnet.ts'
import {
  chainsOfSubnets,
  type StoredChain,
  type StoredSubnet,
} from '../../store/query/primary/subnets.ts'
import { genesisView } from './genesis-view.ts'
import type { ServedNetwork } from './network-directory.ts'
import { heightText } from './numbers-view.ts'
import { ownershipView } from './owner-view.ts'

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
