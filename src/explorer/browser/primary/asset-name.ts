/** Names of assets of the primary network. */

import { named } from '../kit/format.ts'

type Asset = { readonly symbol: string; readonly assetId?: string }

// AVAX of mainnet, Fuji, networks with the local genesis, and that genesis as network 1337: the
// demo. Source: avalanchego genesis.
const avaxIds: readonly string[] = [
  'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
  'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
  '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  '28N55gFiYRrHWTopC4mybgvTw92x4EmWiZBLCRBgjXFyBgx9UN',
]

/** Symbol of an asset. Its maker chooses it freely, so that all but AVAX come with their id. */
export function assetName({ symbol, assetId }: Asset): string {
  return assetId === undefined || avaxIds.includes(assetId) ? symbol : named(symbol, assetId)
}
