/**
 * A VM plugin: the decoder of one virtual machine, in one ES module.
 *
 * A plugin does no input or output. It says what to ask the node for a block, and reads the answer;
 * the product asks, limits, caches and serves. It runs in a worker thread of its own with a limit
 * of time and memory, so a plugin that hangs or grows costs only itself.
 *
 * The module is named by its VM id, `<vmId>.mjs` or `<vmId>.js` (or a folder of that name with a
 * `package.json`), lies in the plugin folder and exports `vm`, a {@link VmPlugin}. `examples/xsvm`
 * is a worked one.
 */

/** The export `vm` of a plugin. */
export type VmPlugin = {
  /** Version of this interface. */
  readonly apiVersion: 1
  /** Short name of the virtual machine, `xsvm`. */
  readonly name: string
  /** Version of the plugin. */
  readonly version: string
  /** Names under which the VM is known besides its id; `name` when absent. */
  readonly aliases?: readonly string[]
  /** A decoder for one chain of this VM. May keep nothing between calls. */
  readonly createDecoder: (chain: PluginChain) => VmDecoder
}

/** The chain a decoder is made for. */
export type PluginChain = { readonly blockchainId: string }

/** Reads the blocks of a chain. Values cross a thread: plain JSON only. */
export type VmDecoder = {
  /** Body to POST to the chain's node for a block: the newest, or one by id. */
  readonly request: (block: BlockName) => PluginRequest
  /** The block in the node's answer, parsed JSON. Throws when there is none. */
  readonly decode: (answer: unknown) => VmBlock
}

/** `latest`, or the id of a block as the VM writes it. */
export type BlockName = string

/** A JSON body for the chain's endpoint, `/ext/bc/<chain>` followed by `extension`. */
export type PluginRequest = { readonly extension: string; readonly body: unknown }

/** A block as it is served. */
export type VmBlock = {
  readonly id: string
  readonly parentId: string
  readonly height: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly transactions: readonly VmTransaction[]
}

/** A transaction: what kind it is, and whatever else the plugin tells of it. */
export type VmTransaction = {
  readonly id?: string
  readonly type: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Description that a loaded plugin gave of itself. */
export type PluginFacts = {
  readonly name: string
  readonly version: string
  readonly aliases: readonly string[]
}

/** The only {@link VmPlugin.apiVersion} there is. */
export const pluginApiVersion = 1
