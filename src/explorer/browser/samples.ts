/** Values that operations of the API answer to here: newest things of what is served. */

import type { NativeTransaction } from '../../shape/evm/native-transaction.ts'
import type { IcmMessage } from '../../shape/icm/icm-message.ts'
import type { L1Validator } from '../../shape/primary/l1-validator.ts'
import type { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'
import type { Validator } from '../../shape/primary/validator.ts'
import { useAnswer } from './answer.ts'
import { primarySubnetId } from './primary-parts.ts'
import { primaryNetworks, type World } from './world.ts'

/** A parameter, and the operation it belongs to. */
export type Asked = {
  readonly name: string
  readonly path: string
  /** Values allowed, where they are few. */
  readonly choices: readonly string[] | undefined
}

/** A value for a parameter; empty where nothing served has one. */
export type Sample = (asked: Asked) => string

/** Asks for one of each thing, once. */
export function useSamples(world: World): Sample {
  const network = primaryNetworks(world)[0]
  const chainId = world.chains[0]?.chainId
  const base = network && `/v1/networks/${encodeURIComponent(network)}`
  const evm = useAnswer<{ transactions: NativeTransaction[] }>(
    chainId && `/v1/chains/${chainId}/transactions?pageSize=1`,
  ).data?.transactions[0]
  const primary = useAnswer<{ transactions: PrimaryNetworkTransaction[] }>(
    base && `${base}/blockchains/p-chain/transactions?pageSize=1`,
  ).data?.transactions[0]
  const validator = useAnswer<{ validators: Validator[] }>(
    base && `${base}/validators?validationStatus=active&pageSize=1`,
  ).data?.validators[0]
  const seat = useAnswer<{ validators: L1Validator[] }>(
    base && `${base}/l1Validators?pageSize=1&includeInactiveL1Validators=true`,
  ).data?.validators[0]
  const message = useAnswer<{ messages: IcmMessage[] }>(chainId && '/v1/icm/messages?pageSize=1')
    .data?.messages[0]
  const owner =
    primary?.emittedUtxos[0]?.addresses[0] ?? validator?.potentialRewards?.rewardAddresses?.[0]
  const asset = primary?.value[0]?.assetId
  return ({ name, path, choices }) => {
    const ofPrimary = path.includes('/networks/')
    const values: Readonly<Record<string, string | undefined>> = {
      chainId,
      network: network ?? world.status?.chains[0]?.network,
      address: evm?.from.address,
      addresses: owner,
      blockchainId: path.includes('/assets/') ? 'x-chain' : 'p-chain',
      blockId: '1',
      tokenId: '1',
      txHash: ofPrimary ? primary?.txHash : evm?.txHash,
      nodeId: validator?.nodeId,
      subnetId: path.startsWith('/v2/subnet/') ? seat?.subnetId : primarySubnetId,
      l1ValidationId: seat?.validationId,
      messageId: message?.messageId,
      assetId: asset,
      q: world.chains[0]?.chainName,
    }
    return choices !== undefined && name !== 'network' ? (choices[0] ?? '') : (values[name] ?? '')
  }
}
