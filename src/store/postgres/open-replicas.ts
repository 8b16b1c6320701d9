/** Opens the servers that a deployment reads from. */

import { positionOf, type Member, Replicas } from '../engine/replicas.ts'
import { type Link, readerOf } from './link.ts'
import { StoreNames } from './names.ts'
import { type ServerOptions, useServer } from './server.ts'

/** Servers that stores are read from: `urls` in the order of {@link Replicas}. */
export type ReadServers = { readonly replicas: Replicas; readonly urls: readonly string[] }

/** The replicas at `urls`, then the server of `store`, which `options` name. Connects to none yet. */
export function openReplicas(options: ServerOptions, urls: readonly string[]): ReadServers {
  const all = [...urls, options.url]
  return {
    replicas: new Replicas(all.map((url, at) => memberAt({ ...options, url }, at))),
    urls: all,
  }
}

function memberAt(options: ServerOptions, at: number): Member {
  const { server, leave } = useServer(options)
  const link: Link = {
    name: `reader ${at + 1}`,
    // The question calls a function of the server, so no table must exist.
    names: new StoreNames('pg_catalog'),
    use: (work) => server.reads.use(work),
  }
  return {
    name: link.name,
    position: () => positionOf(readerOf(link)),
    close: leave,
  }
}
