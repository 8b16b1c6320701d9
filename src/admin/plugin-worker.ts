/** The thread a plugin runs in: imports it, says what it is, then answers one call at a time. */

import { parentPort, workerData } from 'node:worker_threads'

import { pluginApiVersion, type PluginFacts, type VmDecoder, type VmPlugin } from './plugin.ts'

/** A call from the host: `request` with a block's name, or `decode` with a node's answer. */
export type PluginCall = {
  readonly id: number
  readonly blockchainId: string
  readonly method: 'request' | 'decode'
  readonly argument: unknown
}

/** Messages of the thread: first its description or a fault, then one reply per call. */
export type PluginMessage =
  | { readonly facts: PluginFacts }
  | { readonly failed: string }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }

const decoders = new Map<string, VmDecoder>()

try {
  const vm = await imported()
  post({ facts: factsOf(vm) })
  parentPort?.on('message', (call: PluginCall) => post(answer(vm, call)))
} catch (error) {
  post({ failed: messageOf(error) })
}

async function imported(): Promise<VmPlugin> {
  const module: unknown = await import(workerData.file)
  const vm = memberOf(module, 'vm')
  if (typeof vm !== 'object' || vm === null) throw new Error('missing export "vm"')
  const apiVersion = memberOf(vm, 'apiVersion')
  if (apiVersion !== pluginApiVersion) {
    throw new Error(`unsupported vm apiVersion ${String(apiVersion)}`)
  }
  if (!isPlugin(vm)) throw new Error('export "vm" lacks name, version or createDecoder')
  return vm
}

function isPlugin(vm: object): vm is VmPlugin {
  const isName = (value: unknown): boolean => typeof value === 'string' && value.length <= 512
  const aliases = memberOf(vm, 'aliases')
  return (
    isName(memberOf(vm, 'name')) &&
    isName(memberOf(vm, 'version')) &&
    typeof memberOf(vm, 'createDecoder') === 'function' &&
    (aliases === undefined || (Array.isArray(aliases) && aliases.every(isName)))
  )
}

function factsOf({ name, version, aliases = [name] }: VmPlugin): PluginFacts {
  return { name, version, aliases: [...aliases] }
}

function answer(vm: VmPlugin, { id, blockchainId, method, argument }: PluginCall): PluginMessage {
  try {
    let decoder = decoders.get(blockchainId)
    if (decoder === undefined) {
      decoder = vm.createDecoder({ blockchainId })
      decoders.set(blockchainId, decoder)
    }
    const value =
      method === 'request' ? decoder.request(String(argument)) : decoder.decode(argument)
    return { id, value }
  } catch (error) {
    return { id, error: messageOf(error) }
  }
}

/** Members that are read of a plugin; never a name from outside. */
type PluginName = 'vm' | 'apiVersion' | 'aliases' | 'name' | 'version' | 'createDecoder'

function memberOf(value: unknown, name: PluginName): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? Reflect.get(value, name)
    : undefined
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1_024)
}

function post(message: PluginMessage): void {
  parentPort?.postMessage(message)
}
