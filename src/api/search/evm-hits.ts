/** Finds what a search text means on an EVM chain. */

import { toChecksumAddress } from '../../core/address.ts'
import { fromHex, to0x } from '../../core/bytes.ts'
import type { SearchHit } from '../../shape/search-hit.ts'
import { hasActivity } from '../../store/query/evm/addresses.ts'
import { blockByHash, blockByHeight } from '../../store/query/evm/blocks.ts'
import { creationOfContract } from '../../store/query/evm/contracts.ts'
import { transactionByHash } from '../../store/query/evm/transactions.ts'
import { beginningWith } from '../../store/query/search/hash-beginnings.ts'
import { tokensNamed } from '../../store/query/search/tokens-named.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { nftHits } from './nft-hits.ts'
import type { SearchContext } from './search-context.ts'

// Limit for one chain: no reader looks through more tokens of one name.
const mostTokens = 10
/** One letter begins every second name. */
const leastBeginning = 2
// Of labels, and of verified contracts.
const mostNamed = 10
const mostBegun = 4

/** Hits on one chain, in no order. */
export async function evmHits(
  context: SearchContext,
  chain: ServedChain,
  q: string,
  signal: AbortSignal,
): Promise<SearchHit[]> {
  const { facts } = chain
  const chainId = String(facts.evmChainId)
  const hits = chainHits(chain, q)
  const found = (
    kind: SearchHit['kind'],
    match: SearchHit['match'],
    what: string,
    folder: string,
  ): void => {
    const label = `${what} ${facts.name}`
    const path = `/v1/chains/${chainId}/${folder}/${q}`
    hits.push({ network: facts.network, chainId, kind, match, id: q, label, path })
  }
  if (/^0x[0-9a-f]{64}$/i.test(q)) {
    const hash = fromHex(q.toLowerCase())
    const [transaction, block] = await Promise.all([
      transactionByHash(chain.store, hash),
      blockByHash(chain.store, hash),
    ])
    if (transaction !== undefined) found('transaction', 'id', 'transaction on', 'transactions')
    if (block !== undefined) found('block', 'id', `block ${block.height} of`, 'blocks')
  } else if (/^0x[0-9a-f]{40}$/i.test(q)) {
    const hit = await addressHit(context, chain, q)
    if (hit !== undefined) hits.push(hit)
  } else if (/^\d{1,15}$/.test(q)) {
    if ((await blockByHeight(chain.store, Number(q))) !== undefined)
      found('block', 'height', `block ${q} of`, 'blocks')
  } else if (/^0x[0-9a-f]{6,}$/i.test(q)) {
    hits.push(...(await begunHits(context, chain, q.slice(2).toLowerCase())))
  } else {
    hits.push(...(await wordHits(context, chain, { q, signal })))
  }
  return hits
}

/** Whatever has a text as its name, or as a part of it. */
async function wordHits(
  context: SearchContext,
  chain: ServedChain,
  { q, signal }: { readonly q: string; readonly signal: AbortSignal },
): Promise<SearchHit[]> {
  const tokens = await tokenHits(context, chain, q)
  const others = await namedHits(context, chain, q)
  return [
    ...(await registryHits(context, chain, { q, signal })),
    ...(await nftHits(context, chain, q)),
    ...tokens,
    ...others.filter(({ id }) => !tokens.some((token) => token.id === id)),
  ]
}

/** Transactions, blocks and addresses that begin with some digits, a few of each. */
async function begunHits(
  context: SearchContext,
  chain: ServedChain,
  digits: string,
): Promise<SearchHit[]> {
  const { facts } = chain
  const chainId = String(facts.evmChainId)
  const at = { network: facts.network, chainId, match: 'part' } as const
  const base = `/v1/chains/${chainId}`
  const begun = await beginningWith(chain.store, digits, mostBegun)
  const addresses = await addressHits(context, chain, begun.addresses)
  return [
    ...begun.transactions.map((id) => ({
      ...at,
      kind: 'transaction' as const,
      id,
      label: `transaction on ${facts.name}`,
      path: `${base}/transactions/${id}`,
    })),
    ...begun.blocks.map(({ hash, height }) => ({
      ...at,
      kind: 'block' as const,
      id: hash,
      label: `block ${height} of ${facts.name}`,
      path: `${base}/blocks/${hash}`,
    })),
    ...addresses.map((hit) => ({ ...hit, match: 'part' as const })),
  ]
}

/** Addresses that the operator calls so, and contracts that are verified under a name that begins so. */
async function namedHits(
  context: SearchContext,
  chain: ServedChain,
  q: string,
): Promise<SearchHit[]> {
  if (q.length < leastBeginning) return []
  const { evmChainId } = chain.facts
  const wanted = q.toLowerCase()
  const labelled = context.labels
    .filter(
      ({ chainId = evmChainId, label }) =>
        chainId === evmChainId && label.toLowerCase().includes(wanted),
    )
    .slice(0, mostNamed)
    .map(({ address }) => address)
  const contracts = await context.contracts.named(chain, q, mostNamed)
  const hits = await addressHits(context, chain, [...labelled, ...contracts])
  return hits.map((hit) => ({
    ...hit,
    match: hit.label.toLowerCase() === wanted ? ('name' as const) : ('part' as const),
  }))
}

/** The address that the chain's registry has under a name. */
async function registryHits(
  context: SearchContext,
  chain: ServedChain,
  { q, signal }: { readonly q: string; readonly signal: AbortSignal },
): Promise<SearchHit[]> {
  const name = q.toLowerCase()
  const found = await context.registryNames.addressOf(chain, name, signal)
  const hits = found === undefined ? [] : await addressHits(context, chain, [found])
  return hits.map((hit) => ({ ...hit, match: 'name', label: name, isLabelled: true }))
}

/** Hits of addresses that the chain has shown, each once. */
async function addressHits(
  context: SearchContext,
  chain: ServedChain,
  addresses: readonly Uint8Array[],
): Promise<SearchHit[]> {
  const distinct = new Set(addresses.map(to0x))
  const hits = await Promise.all([...distinct].map((text) => addressHit(context, chain, text)))
  return hits.flatMap((hit) => hit ?? [])
}

/** The chain itself, by id, name or the symbol of its native token. */
function chainHits({ facts }: ServedChain, q: string): SearchHit[] {
  const id = String(facts.evmChainId)
  const hit = {
    kind: 'chain',
    id,
    label: facts.name,
    network: facts.network,
    chainId: id,
    path: `/v1/chains/${id}`,
  } as const
  if (q === id) return [{ ...hit, match: 'id' }]
  const [name, wanted] = [facts.name.toLowerCase(), q.toLowerCase()]
  if (name === wanted || facts.symbol.toLowerCase() === wanted) return [{ ...hit, match: 'name' }]
  return name.includes(wanted) ? [{ ...hit, match: 'part' }] : []
}

async function addressHit(
  { addressBooks }: SearchContext,
  chain: ServedChain,
  q: string,
): Promise<SearchHit | undefined> {
  const { bytes, id } = await addressBooks(chain).find(q)
  if (id === undefined) return undefined
  const named = (await addressBooks(chain).load([id]))(id)
  const { facts } = chain
  const called = named.token === undefined ? named.rich.label : named.note?.label
  const chainId = String(facts.evmChainId)
  const at = {
    id: toChecksumAddress(bytes),
    match: 'id',
    network: facts.network,
    chainId,
    isLabelled: called === undefined ? undefined : (true as const),
  } as const
  if (named.token !== undefined) {
    const label = called ?? named.token.name ?? named.token.symbol ?? 'token'
    return {
      ...at,
      isSpam: named.rich.isSpam,
      kind: 'token',
      label,
      path: `/v1/chains/${chainId}/addresses/${at.id}`,
    }
  }
  if ((await creationOfContract(chain.store, id)) !== undefined) {
    const path = `/v1/chains/${chainId}/addresses/${at.id}`
    return { ...at, kind: 'contract', label: called ?? `contract on ${facts.name}`, path }
  }
  if (!(await hasActivity(chain.store, id))) return undefined
  const path = `/v1/chains/${chainId}/addresses/${at.id}/transactions`
  return { ...at, kind: 'address', label: called ?? `address on ${facts.name}`, path }
}

async function tokenHits(
  { addressBooks }: SearchContext,
  chain: ServedChain,
  q: string,
): Promise<SearchHit[]> {
  const tokens = q.length < leastBeginning ? [] : await tokensNamed(chain.store, q)
  const addressOf = await addressBooks(chain).load(tokens.map(({ id }) => id))
  const { facts } = chain
  const chainId = String(facts.evmChainId)
  const wanted = q.toLowerCase()
  const hits = tokens.map(({ id, name, symbol }): SearchHit & { readonly rank: number } => {
    const { address, rich, note } = addressOf(id)
    const isWhole = [name, symbol].some((one) => one.toLowerCase() === wanted)
    const isKnown = note?.reputation === 'Benign' || note?.listed === true
    return {
      kind: 'token',
      id: address,
      label: name === '' ? symbol : symbol === '' ? name : `${name} (${symbol})`,
      match: isWhole ? 'name' : 'part',
      network: facts.network,
      chainId,
      path: `/v1/chains/${chainId}/addresses/${address}`,
      isSpam: rich.isSpam,
      rank: (rich.isSpam === true ? 4 : 0) + (isKnown ? 0 : 2) + (isWhole ? 0 : 1),
    }
  })
  // Real ones first, then the oldest.
  return hits
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, mostTokens)
    .map(({ rank: _rank, ...hit }) => hit)
}
