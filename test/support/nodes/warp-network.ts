/** A network of validators in this process, the node that knows them, and our aggregator beside. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { fromHex, to0x, toHex } from '../../../src/core/bytes.ts'
import { parseId, toCb58 } from '../../../src/core/cb58.ts'
import { Fault } from '../../../src/core/fault.ts'
import type { HttpReply, HttpRequest, World } from '../../../src/core/world.ts'
import { type NodeAddress, parsePeer } from '../../../src/peer/address-book.ts'
import { createCertificate, createCertificateKey } from '../../../src/peer/certificate.ts'
import { type Identity, openIdentity } from '../../../src/peer/identity.ts'
import { defaultPeerLimits, type PeerLimits } from '../../../src/peer/limits.ts'
import { PeerPool } from '../../../src/peer/pool.ts'
import { type Log, silentLog } from '../../../src/telemetry/log.ts'
import { type Aggregator, createAggregator } from '../../../src/warp/aggregator.ts'
import { openBls } from '../../../src/warp/bls/bls-native.ts'
import type { Bls } from '../../../src/warp/bls/bls.ts'
import type { MessageSource } from '../../../src/warp/messages/message-source.ts'
import { createNode } from '../../../src/warp/node.ts'
import { nodeValidators } from '../../../src/warp/validator-source.ts'
import { systemClock } from '../processes/system-clock.ts'
import {
  type Behaviour,
  startValidator,
  type Validator,
  type ValidatorOptions,
} from './warp-validator.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../../vectors/warp/${name}`, import.meta.url), 'utf8')
const { keys: pemKeys }: { keys: string[] } = JSON.parse(read('staking-keys.json'))
const { certs }: { certs: { derHex: string }[] } = JSON.parse(read('staking-certs.json'))
const { keys: blsKeys }: { keys: { secretKey: string }[] } = JSON.parse(read('bls-keys.json'))

/** Limits with which misbehaviour is noticed while a test waits. */
export const quickLimits: PeerLimits = {
  ...defaultPeerLimits,
  handshakeMs: 3_000,
  silenceMs: 5_000,
  pingMs: 2_000,
  frameMs: 400,
  answerMs: 500,
  retryMs: 200,
  maxRetryMs: 400,
  tickMs: 20,
}

/** Time as it is, bytes that are not chance. */
export function realWorld(seed = 1): Pick<World, 'clock' | 'random'> {
  let draws = 0
  return {
    clock: systemClock,
    random: {
      bytes: (size) => {
        const hash = createHash('shake256', { outputLength: size })
        return new Uint8Array(hash.update(`${seed}:${draws++}`).digest())
      },
      number: () => 0.5,
    },
  }
}

/** An identity in memory. */
export function memoryIdentity(seed = 1): Promise<Identity> {
  const stored = new Map<string, Uint8Array>()
  return openIdentity(
    {
      ...realWorld(seed),
      files: {
        read: async (path) => stored.get(path),
        write: async (path, bytes) => void stored.set(path, bytes),
        remove: async () => {},
        list: async () => [...stored.keys()],
      },
    },
    'staking',
  )
}

/** Key, certificate and BLS key of local staker `at` (0 to 4), or fresh ones for higher numbers. */
export function stakerKeys(
  at: number,
): Pick<ValidatorOptions, 'keyPem' | 'certificatePem' | 'secret'> {
  const [pem, cert, bls] = [pemKeys[at], certs[at], blsKeys[at]]
  if (pem !== undefined && cert !== undefined && bls !== undefined) {
    return {
      keyPem: pem,
      certificatePem: pemOf(fromHex(cert.derHex)),
      secret: fromHex(bls.secretKey),
    }
  }
  const seed = createHash('sha256').update(`staker ${at}`).digest()
  const key = createCertificateKey(seed)
  const secret = new Uint8Array(createHash('sha256').update(`bls ${at}`).digest())
  secret[0] = 1 // Below the order of the group.
  return {
    keyPem: String(key.export({ format: 'pem', type: 'pkcs8' })),
    certificatePem: pemOf(createCertificate(key, 0)),
    secret,
  }
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** A validator as the node lists it; `publicKey` null for inactive ones. */
type ListedValidator = { nodeId: string; publicKey: string | null; weight: string }

/** Answers of a test's node; change them while the test runs. */
export type NodeState = {
  height: number
  proposedHeight: number
  /** Validators by subnet id in hex. */
  validators: Record<string, ListedValidator[]>
  /** Where they were others: by `subnet:height`. */
  validatorsAt: Record<string, ListedValidator[]>
  /** Epochs by chain id in hex; the node runs no other chains. */
  epochs: Record<string, { number: string; startTime: string; pChainHeight: string }>
  /** Balances of L1 validators by subnet id in hex. */
  balances: Record<string, { nodeID: string; balance: string }[]>
  conversions: Record<string, { conversionID: string; managerChainID: string }>
  /** Subnet by chain id, both hex. */
  chains: Record<string, string>
  peers: { nodeID: string; publicIP: string }[]
  down: boolean
  readonly calls: string[]
}

/** JSON-RPC of the node described by `state`. */
export function nodeTransport(state: NodeState): World['transport'] {
  return {
    request: async (request: HttpRequest) => {
      if (state.down) throw new Fault('node-unreachable', 'the node does not answer')
      const { method, params } = JSON.parse(String(request.body)) as {
        method: string
        params: [Record<string, string>]
      }
      state.calls.push(method)
      const chain = /^\/ext\/bc\/(\w+)\/proposervm$/.exec(new URL(request.url).pathname)?.[1]
      if (chain !== undefined) return epochReply(state.epochs[toHex(parseId(chain))])
      const result = answerOf(state, method, params[0])
      const body =
        typeof result === 'string'
          ? { jsonrpc: '2.0', id: 0, error: { code: -32000, message: result } }
          : { jsonrpc: '2.0', id: 0, result }
      return { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) }
    },
  }
}

/** Nodes have a path for each chain they run, and a page not found for all others. */
function epochReply(epoch: NodeState['epochs'][string] | undefined): HttpReply {
  if (epoch === undefined) {
    return { status: 404, headers: {}, body: new TextEncoder().encode('404 page not found\n') }
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, result: epoch })
  return { status: 200, headers: {}, body: new TextEncoder().encode(body) }
}

function answerOf(state: NodeState, method: string, params: Record<string, string>): unknown {
  const subnet = params['subnetID'] === undefined ? '' : toHex(parseId(params['subnetID']))
  switch (method) {
    case 'info.peers':
      return { numPeers: String(state.peers.length), peers: state.peers }
    case 'info.getNodeID':
      return { nodeID: 'NodeID-111111111111111111116DBWJs' }
    case 'info.getNodeIP':
      return { ip: '127.0.0.1:1' }
    case 'platform.getHeight':
      return { height: String(state.height) }
    case 'platform.getProposedHeight':
      return { height: String(state.proposedHeight) }
    case 'platform.getValidatorsAt': {
      const at = `${subnet}:${params['height']}`
      const list = state.validatorsAt[at] ?? state.validators[subnet] ?? []
      return {
        validators: Object.fromEntries(
          list.map(({ nodeId, publicKey, weight }) => [nodeId, { publicKey, weight }]),
        ),
      }
    }
    case 'platform.getCurrentValidators':
      return {
        validators: (state.balances[subnet] ?? []).map((entry) => ({
          ...entry,
          validationID: toCb58(new Uint8Array(32)),
        })),
      }
    case 'platform.getSubnet':
      if (state.validators[subnet] === undefined) return 'problem retrieving subnet: not found'
      return state.conversions[subnet] ?? { conversionID: '', managerChainID: '' }
    case 'platform.validatedBy': {
      const found = state.chains[toHex(parseId(params['blockchainID'] ?? ''))]
      return found === undefined
        ? 'problem retrieving blockchain: not found'
        : { subnetID: toCb58(fromHex(found)) }
    }
    default:
      return `unknown method ${method}`
  }
}

/** Settings for the start of a network. */
export type NetworkOptions = {
  readonly behaviours: readonly Behaviour[]
  readonly networkId?: number
  readonly weights?: readonly (string | number)[]
  readonly limits?: PeerLimits
  readonly timeoutMs?: number
  readonly validator?: Partial<ValidatorOptions>
  readonly messages?: MessageSource
  readonly configured?: (validators: readonly Validator[]) => readonly string[]
  readonly bootstrappers?: (validators: readonly Validator[]) => readonly string[]
  /** Whether the node lists the validators among its peers; true unless given. */
  readonly listsPeers?: boolean
  readonly log?: Log
  /** Sees the calls of the cryptography. */
  readonly watched?: (bls: Bls) => Bls
}

/** A running network. */
export type TestNetwork = {
  readonly validators: readonly Validator[]
  readonly state: NodeState
  readonly pool: PeerPool
  readonly aggregator: Aggregator
  readonly identity: Identity
  readonly close: () => Promise<void>
}

const primary = '00'.repeat(32)

/** Starts validators, one per behaviour, all of the primary network, and an aggregator. */
export async function startNetwork(options: NetworkOptions): Promise<TestNetwork> {
  const networkId = options.networkId ?? 12_345
  const validators: Validator[] = []
  for (const [at, behaviour] of options.behaviours.entries()) {
    validators.push(
      await startValidator({ ...stakerKeys(at), behaviour, networkId, ...options.validator }),
    )
  }
  const state: NodeState = {
    height: 100,
    proposedHeight: 90,
    validators: {
      [primary]: validators.map(({ nodeId, publicKey }, at) => ({
        nodeId,
        publicKey: to0x(publicKey),
        weight: String(options.weights?.[at] ?? 100),
      })),
    },
    validatorsAt: {},
    epochs: {},
    balances: {},
    conversions: {},
    chains: {},
    peers:
      options.listsPeers === false
        ? []
        : validators.map(({ nodeId, port }) => ({ nodeID: nodeId, publicIP: `127.0.0.1:${port}` })),
    down: false,
    calls: [],
  }
  const world = realWorld()
  const identity = await memoryIdentity()
  const node = createNode(nodeTransport(state), 'http://node.test/')
  const log = options.log ?? silentLog
  const configured: NodeAddress[] = (options.configured?.(validators) ?? []).map(parsePeer)
  const pool = new PeerPool({
    world,
    log,
    networkId,
    identity,
    limits: options.limits ?? quickLimits,
    configured,
    bootstrappers: (options.bootstrappers?.(validators) ?? []).map(parsePeer),
    allowPrivateIps: true,
    nodePeers: node.peers,
  })
  const aggregator = createAggregator({
    world,
    log,
    networkId,
    nodeId: identity.nodeId,
    bls: (options.watched ?? ((bls) => bls))(await openBls(log, world.random)),
    pool,
    validators: nodeValidators(node, world.clock),
    messages: options.messages,
    timeoutMs: options.timeoutMs ?? 5_000,
    maxLookback: 1_000,
  })
  const close = async (): Promise<void> => {
    await aggregator.close()
    await Promise.all(validators.map((validator) => validator.close()))
  }
  return { validators, state, pool, aggregator, identity, close }
}

/** Waits until `holds`, which must be soon. */
export async function until(holds: () => boolean): Promise<void> {
  const began = performance.now()
  while (!holds()) {
    assert.ok(performance.now() - began < 5_000, 'it should have happened by now')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
