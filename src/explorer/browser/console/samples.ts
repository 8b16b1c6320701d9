/** Values that operations of the API answer to here: newest things of what is served. */

import type { ContractMetadata } from '../../../shape/evm/contract.ts'
import type { NativeTransaction } from '../../../shape/evm/transaction.ts'
import type { IcmMessage } from '../../../shape/icm/icm-message.ts'
import type { PrimaryNetworkTransaction } from '../../../shape/primary/transaction.ts'
import type { L1Validator, Validator } from '../../../shape/primary/validator.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { primaryNetworks, type World } from '../kit/world.ts'
import { primarySubnetId } from '../primary/primary-parts.ts'

/** A parameter, and the operation it belongs to. */
export type Parameter = {
  readonly name: string
  readonly path: string
  /** Values allowed, where they are few. */
  readonly choices: readonly string[] | undefined
}

/** A value for a parameter; empty where nothing served has one. */
export type Sample = (parameter: Parameter) => string

/** Newest things of the first chain and network that are served; `undefined`: none, or not here yet. */
type Newest = {
  readonly chainId: string | undefined
  readonly network: string | undefined
  readonly evm: NativeTransaction | undefined
  readonly token: ContractMetadata | undefined
  readonly collection: ContractMetadata | undefined
  readonly primary: PrimaryNetworkTransaction | undefined
  readonly validator: Validator | undefined
  readonly l1Validator: L1Validator | undefined
  readonly message: IcmMessage | undefined
}

/** Reads one of each thing, once. */
export function useSamples(world: World): Sample {
  const newest = useNewest(world)
  return ({ name, path, choices }) => {
    if (choices !== undefined && name !== 'network') return choices[0] ?? ''
    const values: Values = { ...valuesAnywhere(world, newest), ...valuesOn(path, newest) }
    return values[name] ?? ''
  }
}

function useNewest(world: World): Newest {
  const network = primaryNetworks(world)[0]
  const chainId = world.chains[0]?.chainId
  const one = { chainId: chainId ?? '', pageSize: 1 }
  const evm = useAnswer(chainId && urlOf('/v1/chains/{chainId}/transactions', one)).data
    ?.transactions[0]
  const [token, collection] = (
    ['/v1/chains/{chainId}/tokens', '/v1/chains/{chainId}/nfts/collections'] as const
  ).map((list) => useAnswer(chainId && urlOf(list, one)).data?.tokens[0])
  const primary = useAnswer(
    network &&
      urlOf('/v1/networks/{network}/blockchains/{blockchainId}/transactions', {
        network,
        blockchainId: 'p-chain',
        pageSize: 1,
      }),
  ).data?.transactions[0]
  const validator = useAnswer(
    network &&
      urlOf('/v1/networks/{network}/validators', {
        network,
        validationStatus: 'active',
        pageSize: 1,
      }),
  ).data?.validators[0]
  const l1Validator = useAnswer(
    network &&
      urlOf('/v1/networks/{network}/l1Validators', {
        network,
        pageSize: 1,
        includeInactiveL1Validators: true,
      }),
  ).data?.validators[0]
  const message = useAnswer(chainId && urlOf('/v1/icm/messages', { pageSize: 1 })).data?.messages[0]
  return { chainId, network, evm, token, collection, primary, validator, l1Validator, message }
}

type Values = Readonly<Record<string, string | undefined>>

/** Values of parameters that are the same for every operation. */
function valuesAnywhere(world: World, newest: Newest): Values {
  const { chainId, network, evm, primary, validator, l1Validator, message } = newest
  return {
    chainId,
    network: network ?? world.status?.chains[0]?.network,
    address: evm?.from.address,
    addresses: ownerIn(newest),
    blockId: '1',
    tokenId: '1',
    nodeId: validator?.nodeId,
    l1ValidationId: l1Validator?.validationId,
    messageId: message?.messageId,
    assetId: primary?.value[0]?.assetId,
    q: world.chains[0]?.chainName,
  }
}

/** An address of the primary network. */
function ownerIn({ primary, validator }: Newest): string | undefined {
  const owner = primary?.emittedUtxos[0]?.addresses[0]
  return owner ?? validator?.potentialRewards?.rewardAddresses?.[0]
}

/** Values of parameters that mean another thing on another path. */
function valuesOn(path: string, { evm, token, collection, primary, l1Validator }: Newest): Values {
  const contract = path.includes('nfts') ? collection : token
  return {
    ...(/contract|\/tokens\/\{address|nfts|\/addresses\/\{address\}$/.test(path)
      ? { address: contract?.address }
      : {}),
    blockchainId: path.includes('/assets/') ? 'x-chain' : 'p-chain',
    // Of few transactions there are signatures: the document names one.
    txHash: path.includes('/signatureAggregator/')
      ? undefined
      : path.includes('/networks/')
        ? primary?.txHash
        : evm?.txHash,
    subnetId: path.startsWith('/v2/subnet/') ? l1Validator?.subnetId : primarySubnetId,
  }
}
