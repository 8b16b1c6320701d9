/** The NFT operations served from the bundled chains. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

import { storedRequests } from '../../../src/api/evm/nft/nft-requests.ts'
import { storedNfts } from '../../../src/api/evm/nft/stored-nfts.ts'
import { createRichAddressBooks } from '../../../src/api/evm/rich-addresses.ts'
import type { Operation } from '../../../src/api/operation/operation.ts'
import { nftOperations } from '../../../src/api/operations.ts'
import { noTokenNotes } from '../../../src/api/prices/token-lists.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { openStore } from '../../../src/store/open.ts'
import { nftRequestTables } from '../../../src/store/schema/nft.ts'
import {
  type EvmService,
  evmService,
  type ServiceOptions,
} from '../../support/services/evm-service.ts'
import { stillClock } from '../../support/stores/demo-store.ts'

/** A service with NFTs, and the store of requests beside it. */
export type NftService = EvmService & { readonly requests: Database }

/** Starts one that ends with the test file. */
export async function nftService(options: ServiceOptions): Promise<NftService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-nft-'))
  const requests = await openStore(
    { store: 'embedded', dataDir },
    'nft-requests',
    nftRequestTables,
    'write',
  )
  after(async () => {
    await requests.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const nfts = storedNfts(createRichAddressBooks(stillClock, noTokenNotes))
  const service = await evmService({
    ...options,
    parts: { nfts, ...options.parts },
    more: (parts) =>
      Object.values<Operation>(
        nftOperations({ ...parts, requests: storedRequests(requests, parts.clock) }),
      ),
  })
  return { ...service, requests }
}
