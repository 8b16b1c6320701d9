/** The thing that a page shows, as the API gives it. */

import { urlOf } from './contract.ts'

/** The address of its answer; `mayBeUnknown` where the thing exists though the API knows nothing of it. */
export type ShownThing = { readonly url: string; readonly mayBeUnknown: boolean }

/** By the segments of a place; `undefined` for lists and other pages. */
export function shownThing([
  page = '',
  first = '',
  view = '',
  second = '',
  third = '',
]: readonly string[]): ShownThing | undefined {
  const known = (url: string): ShownThing => ({ url, mayBeUnknown: false })
  const [chainId, network] = [first, first]
  switch (`${page} ${view}`) {
    case 'chain ':
      return known(urlOf('/v1/chains/{chainId}', { chainId }))
    case 'chain tx':
      return known(urlOf('/v1/chains/{chainId}/transactions/{txHash}', { chainId, txHash: second }))
    case 'chain block':
      return known(urlOf('/v1/chains/{chainId}/blocks/{blockId}', { chainId, blockId: second }))
    case 'chain address': {
      const url = urlOf('/v1/chains/{chainId}/addresses/{address}', { chainId, address: second })
      return { url, mayBeUnknown: true }
    }
    case 'chain nft': {
      const place = { chainId, address: second, tokenId: third }
      return known(urlOf('/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}', place))
    }
    case 'message ':
      return known(urlOf('/v1/icm/messages/{messageId}', { messageId: first }))
    case 'primary tx': {
      const path = '/v1/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}'
      return known(urlOf(path, { network, blockchainId: second, txHash: third }))
    }
    case 'primary block': {
      const path = '/v1/networks/{network}/blockchains/{blockchainId}/blocks/{blockId}'
      return known(urlOf(path, { network, blockchainId: second, blockId: third }))
    }
    case 'primary node':
      return known(urlOf('/v1/networks/{network}/validators/{nodeId}', { network, nodeId: second }))
    case 'primary subnet':
      return known(
        urlOf('/v1/networks/{network}/subnets/{subnetId}', { network, subnetId: second }),
      )
    default:
      return undefined
  }
}
