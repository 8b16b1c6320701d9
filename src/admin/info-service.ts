/**
 * `/ext/info`: what clients read from a node to know where they are, answered about this process.
 *
 * Source: avalanchego api/info/service.go. uint64 values are texts.
 */

import { Fault } from '../core/fault.ts'
import { ownValue } from '../core/json.ts'
import type { AliasTable } from './aliases/alias-table.ts'
import type { Plugins } from './plugins/plugins.ts'
import type { Arguments } from './rpc/rpc-request.ts'
import type { RpcMethod } from './rpc/rpc-server.ts'

/** Identity of this process. */
export type NodeIdentity = {
  /** Read each time: which network a node is of shows only once it answers. */
  readonly network: () => { readonly id: number; readonly name: string }
  /** Version of the product, `firn/1.0.0`. */
  readonly version: string
  /** `NodeID-…` of our peer, where it has one. */
  readonly nodeId?: string | undefined
}

/** Methods of the service `info`. */
export function infoMethods(parts: {
  readonly identity: NodeIdentity
  readonly aliases: AliasTable
  readonly plugins: Plugins
}): Readonly<Record<string, RpcMethod>> {
  const { identity, aliases, plugins } = parts
  return {
    getNetworkID: plain(() => ({ networkID: String(identity.network().id) })),
    getNetworkName: plain(() => ({ networkName: identity.network().name })),
    getNodeID: plain(() => {
      if (identity.nodeId === undefined)
        throw new Fault('not-found', 'this node has no peer identity')
      return { nodeID: identity.nodeId }
    }),
    getNodeVersion: plain(() => ({
      version: identity.version,
      vmVersions: Object.fromEntries(plugins.list().map((vm) => [vm.name, vm.version])),
    })),
    getVMs: plain(() => ({
      vms: Object.fromEntries(plugins.list().map((vm) => [vm.id, vm.aliases])),
      fxs: {},
    })),
    getBlockchainID: {
      params: { alias: 'text' },
      call: (args) => {
        const alias = textOf(args, 'alias')
        const id = aliases.resolve(alias)
        if (id === undefined) throw new Fault('not-found', `there is no ID with alias: ${alias}`)
        return { blockchainID: id }
      },
    },
    isBootstrapped: {
      params: { chain: 'text' },
      call: (args) => {
        const name = textOf(args, 'chain')
        if (name === '') throw new Fault('bad-parameter', "argument 'chain' not given")
        const chain = aliases.chainOf(name)
        if (chain === undefined) {
          throw new Fault('not-found', `there is no chain with alias/ID '${name}'`)
        }
        return { isBootstrapped: chain.isLive() }
      },
    },
  }
}

function plain(call: () => unknown): RpcMethod {
  return { params: {}, call }
}

/** A text argument; empty when it was not given, as Go reads it. */
export function textOf(args: Arguments, name: string): string {
  const value = ownValue(args, name)
  return typeof value === 'string' ? value : ''
}
