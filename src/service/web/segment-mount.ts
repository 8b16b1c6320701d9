/** Offers the segments of the served chains over HTTP: to another Firn, which checks what it gets. */

import { join } from 'node:path'

import type { ServedChain } from '../../api/operation/chain-directory.ts'
import type { ApiServer } from '../../api/server/server.ts'
import { readManifest } from '../../store/history/manifest.ts'
import { segmentEnding } from '../../store/history/segment-file.ts'
import { segmentFolder, type StoreLocation } from '../../store/open.ts'
import { version } from '../version.ts'
import { offeringOf, pathParameter, unknownFile } from './offered-files.ts'

/**
 * Adds two routes: `/v1/segments`, which segments there are now, and `/v1/segments/{store}/{name}`, the
 * bytes of one. A name follows from the content, so that they never change.
 */
export function mountSegments(
  server: ApiServer,
  options: {
    readonly chains: () => readonly ServedChain[]
    readonly location: Pick<StoreLocation, 'dataDir' | 'segments'>
  },
): void {
  const { http } = server
  const { admitList, admitFile, sendList, sendFile } = offeringOf(server, 'segments')

  http.get('/v1/segments', async (request, reply) => {
    await admitList(request, reply)
    return sendList(request, reply, await listText(options.chains()))
  })

  http.get('/v1/segments/:store/:name', async (request, reply) => {
    await admitFile(request, reply)
    const name = pathParameter(request, 'name')
    const wanted = pathParameter(request, 'store')
    const chain = options.chains().find(({ store }) => store.name === wanted)
    const listed = chain === undefined ? [] : (await readManifest(chain.store)).segments
    // A merge may have replaced it since it was listed.
    if (chain === undefined || listed.every((each) => each.name !== name)) throw unknownFile(name)
    const path = join(segmentFolder(options.location, chain.store.name), name + segmentEnding)
    return sendFile(request, reply, { name, path })
  })
}

/** Chains with the segments that their history lies in now, in order of height. */
async function listText(chains: readonly ServedChain[]): Promise<string> {
  const listed = await Promise.all(
    chains.map(async ({ facts, store }) => ({
      store: store.name,
      evmChainId: String(facts.evmChainId),
      segments: (await readManifest(store)).segments.map(({ stage, from, until, name, tier }) => ({
        stage,
        from,
        until,
        name,
        tier,
      })),
    })),
  )
  return JSON.stringify({ firn: version, chains: listed })
}
