/** Parts of the NFT operations. */

import type { EvmParts } from '../evm/parts.ts'
import type { NftRequests } from './nft-requests.ts'

/** Parts of the EVM operations, and the list of requests to read metadata again. */
export type NftParts = EvmParts & { readonly requests: NftRequests }
