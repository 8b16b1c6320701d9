/**
 * The NFT operations: endpoint 8 of document B and its neighbours.
 *
 * They read what indexing found out. None asks a contract or a host of metadata.
 */

import type { DialectRules } from '../dialect.ts'
import { moneyAsNumbers, statusInLowerCase } from '../dialect.ts'
import type { Operation } from '../operation.ts'
import { getNftToken } from './get-nft-token.ts'
import {
  listCollectibleBalances,
  listErc1155Balances,
  listErc721Balances,
} from './list-nft-balances.ts'
import { listNftTokens } from './list-nft-tokens.ts'
import type { NftParts } from './parts.ts'
import { reindexNftToken } from './reindex-nft-token.ts'

/** All of them. */
export function nftOperations(parts: NftParts): Operation[] {
  return [
    listNftTokens(parts),
    getNftToken(parts),
    reindexNftToken(parts),
    listErc721Balances(parts),
    listErc1155Balances(parts),
    listCollectibleBalances(parts),
  ]
}

/** Where document B and the official clients disagree about them, by operation id. */
export const nftDialectRules: DialectRules = {
  listTokens: { documented: statusInLowerCase },
  getTokenDetails: { documented: statusInLowerCase },
  listErc721Balances: { documented: statusInLowerCase, sdk: moneyAsNumbers },
  listErc1155Balances: { documented: statusInLowerCase, sdk: moneyAsNumbers },
  listCollectibleBalances: { documented: statusInLowerCase },
}
