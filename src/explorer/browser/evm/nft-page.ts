/**
 * NFTs: items of a collection, items an address holds, and one item; this process serves pictures.
 */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Erc1155Token, Erc721Token } from '../../../shape/evm/nft-token.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { attributesOf, clipped, count, ends, named, share, visible, words } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import {
  card,
  CopyButton,
  copied,
  facts,
  heading,
  shown,
  table,
  when,
  type View,
} from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import type { World } from '../kit/world.ts'
import { chainLink, addressLink } from './evm-parts.ts'
import { isSame } from './moved-coins.ts'
import { transferTable } from './transfers.ts'

type Token = (Erc721Token | Erc1155Token) & { readonly balance?: string }

/** A contract, or an owner. */
export type NftsOf = { readonly chainId: string; readonly address: string }

/** NFTs an address holds. */
export function Collectibles({ chainId, address }: NftsOf): JSX.Element {
  return paged({
    path: urlOf('/v1/chains/{chainId}/addresses/{address}/balances:listCollectibles', {
      chainId,
      address,
    }),
    view: ({ collectibleBalances }) => tiles(chainId, collectibleBalances),
  })
}

/** Items of a collection. */
export function Items({ chainId, address }: NftsOf): JSX.Element {
  return paged({
    path: urlOf('/v1/chains/{chainId}/nfts/collections/{address}/tokens', { chainId, address }),
    name: 'items',
    query: { pageSize: 24 },
    view: ({ tokens }) => tiles(chainId, tokens, address),
  })
}

/** Items as pictures; `own` is the collection on whose page they are. */
function tiles(chainId: string, tokens: readonly Token[], own?: string): JSX.Element {
  if (tokens.length === 0) return h('p', { class: 'empty' }, 'None.')
  return h(
    'ul',
    { class: 'tiles' },
    tokens.map((token) =>
      h('li', { key: `${token.address} ${token.tokenId}` }, [
        h('a', { href: to('chain', chainId, 'nft', token.address, token.tokenId) }, [
          h(Picture, { chainId, token }),
          h('b', null, titleOf(token)),
        ]),
        !isSame(token.address, own) &&
          h('small', { class: 'quiet' }, [
            token.balance === undefined ? '' : `${token.balance} × `,
            named('symbol' in token ? token.symbol : undefined, token.address),
          ]),
      ]),
    ),
  )
}

function titleOf({ metadata, tokenId }: Token): string {
  const { name = '' } = metadata
  return name.trim() === '' ? `#${ends(tokenId, 8, 4)}` : clipped(name)
}

/** The picture of an item; its id where it has none, or none that is safe to show. */
function Picture({ chainId, token }: { readonly chainId: string; readonly token: Token }): View {
  const [failed, setFailed] = useState(false)
  const { address, tokenId, metadata } = token
  if (metadata.imageUri === undefined || failed)
    return h('span', { class: 'picture quiet' }, `#${ends(tokenId, 8, 4)}`)
  return h('img', {
    class: 'picture',
    src: `/explorer/pictures/${encodeURIComponent(chainId)}/${address}/${tokenId}`,
    alt: '',
    loading: 'lazy',
    onError: () => setFailed(true),
  })
}

/** An item. */
export type NftProps = NftsOf & { readonly world: World; readonly tokenId: string }

/** One item. */
export function NftPage({ world, chainId, address, tokenId }: NftProps): JSX.Element {
  const answer = useAnswer(
    urlOf('/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}', {
      chainId,
      address,
      tokenId,
    }),
  )
  const collection = useAnswer(
    urlOf('/v1/chains/{chainId}/addresses/{address}', { chainId, address }),
  )
  const name = collection.data?.name ?? ''
  const title = answer.data === undefined ? `#${ends(tokenId)}` : titleOf(answer.data)
  useTitle(`${title} of ${ends(address)}`)
  return h('div', { class: 'stack' }, [
    heading(
      h('span', null, [
        'NFT of ',
        h(
          'a',
          { href: to('chain', chainId, 'address', address) },
          name.trim() === '' ? ends(address) : clipped(name),
        ),
        ' on ',
        chainLink(world, chainId),
      ]),
      title,
    ),
    shown(answer, (token) =>
      h('div', { class: 'grid two top-aligned' }, [
        card('Picture', h(Picture, { chainId, token })),
        h(
          'div',
          { class: 'stack' },
          card('Details', itemFacts(chainId, token, name)),
          traits(token),
        ),
      ]),
    ),
    answer.data?.ercType === 'ERC-1155' ? h(Owners, { chainId, address, tokenId }) : null,
    card(
      'Transfers',
      paged({
        path: urlOf('/v1/chains/{chainId}/tokens/{address}/transfers', { chainId, address }),
        query: { tokenId },
        view: ({ transfers }) => transferTable(chainId, transfers, { own: address }),
      }),
    ),
  ])
}

/** Who has how many of an item, and how many there are. */
function Owners({ chainId, address, tokenId }: Omit<NftProps, 'world'>): JSX.Element {
  return card(
    'Owners',
    paged({
      path: urlOf('/v2/chains/{chainId}/contracts/{address}/nfts:listHolders', {
        chainId,
        address,
      }),
      name: 'owners',
      query: { tokenId },
      view: ({ addresses, totalTokens, totalsAreLeast }) => [
        h('p', { class: 'quiet' }, [
          `Supply ${totalsAreLeast === true ? 'at least ' : ''}${count(totalTokens)}`,
        ]),
        table(
          [['Owner'], ['Amount', 'num'], ['Share', 'num']],
          addresses.map(({ sortKey, ...owner }) => [
            addressLink(chainId, owner),
            count(sortKey),
            share(Number(sortKey), totalTokens),
          ]),
        ),
      ],
    }),
  )
}

/** Attributes of an item, a tile each. */
function traits({ metadata }: Token): View {
  const more = 'attributes' in metadata ? metadata.attributes : undefined
  const pairs = attributesOf(more ?? ('properties' in metadata ? metadata.properties : undefined))
  if (pairs.length === 0) return null
  return card(
    'Traits',
    h(
      'dl',
      { class: 'traits' },
      pairs.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
    ),
    h('span', { class: 'quiet' }, count(pairs.length)),
  )
}

/** A URI; one that is the metadata itself is folded. */
function uriOf(uri: string): JSX.Element {
  const text = h('span', { class: 'id' }, visible(uri.slice(0, 300)))
  return uri.startsWith('data:') ? h('details', null, h('summary', null, 'data:'), text) : text
}

function itemFacts(chainId: string, token: Token, name: string): JSX.Element {
  const { metadata } = token
  const { ownerAddress: owner, ownerLabel: label } = 'ownerAddress' in token ? token : {}
  return facts([
    [
      'Collection',
      [
        addressLink(chainId, {
          address: token.address,
          label: name.trim() === '' ? undefined : name,
        }),
        h(CopyButton, { text: token.address }),
      ],
    ],
    ['Token ID', copied(token.tokenId)],
    ['Standard', token.ercType],
    [
      'Owner',
      owner && [addressLink(chainId, { address: owner, label }), h(CopyButton, { text: owner })],
    ],
    ['Description', visible(metadata.description ?? '')],
    ['Metadata', words(metadata.indexStatus)],
    [
      'Metadata read',
      metadata.metadataLastUpdatedTimestamp === undefined
        ? ''
        : when(metadata.metadataLastUpdatedTimestamp, Date.now()),
    ],
    // Text, not a link: it leads to hosts that strangers name.
    ['Token URI', uriOf(token.tokenUri)],
  ])
}
