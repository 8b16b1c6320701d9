/** Finds what a search text means on a primary network. */

import { parsePrimaryAddress, toPrimaryAddress } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { parseId, parseNodeId, toCb58, toNodeId } from '../../core/cb58.ts'
import type { SearchHit } from '../../shape/search-hit.ts'
import { knownNumbers, numberOfNode } from '../../store/query/primary/addresses.ts'
import { blockByHash, blockById } from '../../store/query/primary/blocks.ts'
import { transactionById } from '../../store/query/primary/transactions.ts'
import {
  kindsOfId,
  type NamedAsset,
  type NamedChain,
} from '../../store/query/search/primary-ids.ts'
import { blockIdOf, chainNumbers } from '../../store/schema/primary/position.ts'
import { chainNameOf, parsed } from '../primary/inputs.ts'
import type { ServedNetwork } from '../primary/network/networks.ts'

/** Names of the chains and of the assets of a network. */
export type Names = {
  readonly chains: (network: ServedNetwork) => Promise<readonly NamedChain[]>
  readonly assets: (network: ServedNetwork) => Promise<readonly NamedAsset[]>
}

/** One word may name many assets, since anyone may make them; no reader looks through more. */
const mostAssets = 10

const chains = ['P', 'X', 'C'] as const

/** Hits on one network, in no order. */
export async function primaryHits(
  network: ServedNetwork,
  q: string,
  names: Names,
): Promise<SearchHit[]> {
  const hits = namedHits(network, q, await names.chains(network))
  hits.push(...assetHits(network, q, await names.assets(network)))
  const id = parsed(() => parseId(q))
  if (id !== undefined) hits.push(...(await idHits(network, id)))
  const nodeId = parsed(() => parseNodeId(q))
  if (nodeId !== undefined && (await numberOfNode(network.store, nodeId)) !== undefined) {
    const text = toNodeId(nodeId)
    hits.push(hitOf(network, 'node', { id: text, label: 'node', path: `validators/${text}` }))
  }
  const address = q.startsWith('0x') ? undefined : parsed(() => parsePrimaryAddress(q, network.hrp))
  if (address !== undefined && (await knownNumbers(network.store, [address])).length > 0) {
    const text = toPrimaryAddress(network.hrp, address)
    const path = `blockchains/p-chain/balances?addresses=${text}`
    hits.push(hitOf(network, 'address', { id: text, label: 'address', path }))
  }
  if (/^\d{1,10}$/.test(q)) hits.push(...(await heightHits(network, Number(q))))
  return hits
}

type HitFields = Pick<SearchHit, 'id' | 'label' | 'path'> & Partial<SearchHit>

function hitOf({ network }: ServedNetwork, kind: SearchHit['kind'], fields: HitFields): SearchHit {
  return { kind, network, match: 'id', ...fields, path: `/v1/networks/${network}/${fields.path}` }
}

async function idHits(network: ServedNetwork, id: Uint8Array): Promise<SearchHit[]> {
  const text = toCb58(id)
  const { store } = network
  const paths = {
    subnet: `subnets/${text}`,
    blockchain: `blockchains/${text}`,
    l1Validator: `l1Validators?l1ValidationId=${text}`,
    asset: `blockchains/x-chain/assets/${text}`,
  }
  const labels = {
    subnet: 'subnet',
    blockchain: 'blockchain',
    l1Validator: 'L1 validator',
    asset: 'asset',
  }
  const hits = (await kindsOfId(store, id)).map((kind) =>
    hitOf(network, kind, { id: text, label: labels[kind], path: paths[kind] }),
  )
  for (const chain of chains) {
    const blockchainId = chainNameOf[chain]
    const base = `blockchains/${blockchainId}`
    if ((await transactionById(store, chain, id)) !== undefined) {
      const label = `transaction of the ${blockchainId}`
      hits.push(
        hitOf(network, 'transaction', {
          id: text,
          label,
          blockchainId,
          path: `${base}/transactions/${text}`,
        }),
      )
    }
    if ((await blockByHash(store, chain, id)) !== undefined) {
      const label = `block of the ${blockchainId}`
      hits.push(
        hitOf(network, 'block', { id: text, label, blockchainId, path: `${base}/blocks/${text}` }),
      )
    }
  }
  return hits
}

async function heightHits(network: ServedNetwork, height: number): Promise<SearchHit[]> {
  const hits: SearchHit[] = []
  for (const chain of chains) {
    if (height >= 2 ** 31) continue
    const block = await blockById(network.store, blockIdOf(chainNumbers[chain], height))
    if (block === undefined) continue
    const blockchainId = chainNameOf[chain]
    hits.push(
      hitOf(network, 'block', {
        id: String(height),
        label: `block ${height} of the ${blockchainId}`,
        match: 'height',
        blockchainId,
        path: `blockchains/${blockchainId}/blocks/${height}`,
      }),
    )
  }
  return hits
}

/** Chains by name, and by the EVM chain id of their geneses. */
function namedHits(network: ServedNetwork, q: string, names: readonly NamedChain[]): SearchHit[] {
  const wanted = q.toLowerCase()
  return names.flatMap(({ blockchainId, subnetId, name, evmChainId }) => {
    const isId = String(evmChainId) === q
    const own = name.toLowerCase()
    if (!isId && !own.includes(wanted)) return []
    const id = toCb58(blockchainId)
    const isPrimary = equalBytes(subnetId, new Uint8Array(32))
    const where = isPrimary ? 'of the primary network' : `of subnet ${toCb58(subnetId)}`
    return hitOf(network, 'blockchain', {
      id,
      label: `${name} ${where}`,
      match: isId ? 'id' : own === wanted ? 'name' : 'part',
      blockchainId: id,
      chainId: evmChainId === undefined ? undefined : String(evmChainId),
      path: `blockchains/${id}`,
    })
  })
}

/** Assets of the X-Chain by their whole name or symbol, in order of their making. */
function assetHits(network: ServedNetwork, q: string, names: readonly NamedAsset[]): SearchHit[] {
  const wanted = q.toLowerCase()
  return names
    .filter((asset) => asset.name.toLowerCase() === wanted || asset.symbol.toLowerCase() === wanted)
    .slice(0, mostAssets)
    .map(({ assetId, name, symbol }) => {
      const id = toCb58(assetId)
      return hitOf(network, 'asset', {
        id,
        label: `${name} (${symbol}) of the x-chain`,
        match: 'name',
        blockchainId: chainNameOf.X,
        path: `blockchains/x-chain/assets/${id}`,
      })
    })
}
