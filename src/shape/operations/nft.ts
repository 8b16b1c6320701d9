/** NFTs with their metadata, and who holds them. */

import { Holder, holderPaging } from '../evm/holder.ts'
import {
  Erc1155Token,
  Erc1155TokenBalance,
  Erc721Token,
  Erc721TokenBalance,
} from '../evm/nft-token.ts'
import {
  ChainAddressPath,
  PageQuery,
  blockNumber,
  pageToken,
  tokenId,
  widePageSize,
} from '../evm/parameters.ts'
import { NativeTokenBalance } from '../evm/token.ts'
import { NftTokenPath, contractAddress } from '../nft/nft-path.ts'
import { pageShape } from '../page-shape.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

/** NFTs with their metadata, and who holds them. */
export const Nfts = contracts('NFTs', {
  listTokens: {
    path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens',
    summary: 'Tokens of an NFT contract, in order of their ids',
    pathParameters: ChainAddressPath,
    query: PageQuery,
    response: pageShape({ tokens: Type.Array(Type.Union([Erc721Token, Erc1155Token])) }),
  },
  getNftHoldersByContractAddress: {
    path: '/v2/chains/{chainId}/contracts/{address}/nfts:listHolders',
    summary: 'Holders of the tokens of an NFT contract, and how many each has',
    weight: 500,
    pathParameters: ChainAddressPath,
    query: { ...holderPaging, tokenId },
    response: pageShape({
      addresses: Type.Array(Holder, 'Addresses'),
      nftCollectionName: Optional.Array(Type.String(), 'Name of the collection'),
      nftSymbol: Optional.Array(Type.String(), 'Symbol of the collection'),
      totalHolders: Type.Integer('Holders; see `totalsAreLeast`'),
      totalTokens: Type.Number('Tokens held; of ERC-1155 all units'),
      totalsAreLeast: Optional.Boolean('True where only the first 5000 addresses were counted'),
    }),
  },
  getTokenDetails: {
    path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}',
    summary: 'One token of an NFT contract',
    lane: 'item',
    pathParameters: NftTokenPath,
    response: Type.Union([Erc721Token, Erc1155Token]),
  },
  reindexNft: {
    method: 'POST',
    path: '/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}:reindex',
    summary: 'Read the metadata of a token again, at most once an hour',
    status: 201,
    pathParameters: NftTokenPath,
    response: Type.Void({ description: 'Nothing' }),
  },
  listErc721Balances: {
    path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc721',
    summary: 'ERC-721 tokens an address owns',
    tag: 'EVM balances',
    pathParameters: ChainAddressPath,
    query: { contractAddress, pageToken, pageSize: widePageSize },
    response: pageShape({
      nativeTokenBalance: NativeTokenBalance,
      erc721TokenBalances: Type.Array(Erc721TokenBalance),
    }),
  },
  listErc1155Balances: {
    path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc1155',
    summary: 'ERC-1155 amounts of an address, now or at a block',
    tag: 'EVM balances',
    pathParameters: ChainAddressPath,
    query: { blockNumber, contractAddress, pageToken, pageSize: widePageSize },
    response: pageShape({
      nativeTokenBalance: NativeTokenBalance,
      erc1155TokenBalances: Type.Array(Erc1155TokenBalance),
    }),
  },
  listCollectibleBalances: {
    path: '/v1/chains/{chainId}/addresses/{address}/balances:listCollectibles',
    summary: 'NFTs of an address: ERC-721, then ERC-1155',
    tag: 'EVM balances',
    pathParameters: ChainAddressPath,
    query: { contractAddress, pageToken, pageSize: widePageSize },
    response: pageShape({
      collectibleBalances: Type.Array(
        Type.Union([Erc721TokenBalance, Erc1155TokenBalance]),
        'ERC-721 and ERC-1155 tokens held',
      ),
    }),
  },
} as const satisfies Declarations)
