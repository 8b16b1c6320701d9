/** All that the NFT operations answer from. */

import type { EvmContext } from '../evm-context.ts'
import type { NftRequests } from './nft-requests.ts'

/** All that the EVM operations answer from, and the list of requests to read metadata again. */
export type NftContext = EvmContext & { readonly requests: NftRequests }
