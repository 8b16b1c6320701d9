/**
 * A validator in this process: the server side of the peer protocol, well-behaved or not.
 *
 * It judges a peer as a node does (network, clock, version, address, signatures), so that a peer
 * it accepts is one a node would accept.
 */

import { createHash, sign as signBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { zstdCompressSync } from 'node:zlib'

import native from '@chainsafe/blst'

import {
  type ClaimedAddress,
  gossipId,
  parseIp,
  signedAddressBytes,
} from '../../../src/codec/warp/peer-address.ts'
import {
  decodePeerMessage,
  encodePeerMessage,
  type Handshake,
  type KnownPeers,
  type PeerMessage,
} from '../../../src/codec/warp/peer-message.ts'
import {
  decodeSignatureRequest,
  encodeSignatureResponse,
} from '../../../src/codec/warp/signature-request.ts'
import { toHex } from '../../../src/core/bytes.ts'
import { parseNodeId } from '../../../src/core/cb58.ts'
import { acceptedKey, nodeIdOf, verifyCertified } from '../../../src/peer/certificate.ts'
import { FrameReader, frameOf } from '../../../src/peer/frame.ts'
import { asksBlocks, type BlockQuestionMessage } from './block-peer.ts'

/** Behaviour of a validator, right or wrong. */
export type Behaviour =
  | { readonly kind: 'sign' | 'sign-compressed' | 'sign-bytewise' | 'sign-slowly' }
  | { readonly kind: 'refuse'; readonly code: number; readonly text?: string }
  | { readonly kind: 'refuse-first'; readonly code: number }
  | { readonly kind: 'answer'; readonly signature: Uint8Array }
  | { readonly kind: 'sign-with'; readonly secret: Uint8Array }
  /**
   * Signs, but something else than was asked; answers a question nobody asked; answers after all
   * limits.
   */
  | { readonly kind: 'sign-other' | 'sign-unasked' | 'sign-too-late' }
  /** Of a private L1: others than `allowed` may ask the P-Chain, and nothing else. */
  | { readonly kind: 'private'; readonly allowed: readonly string[] }
  | {
      readonly kind:
        | 'silent'
        | 'drop'
        | 'unreadable'
        | 'babble'
        | 'bomb'
        | 'oversize'
        | 'pong'
        | 'greet-twice'
    }
  | { readonly kind: 'trickle' | 'flood' | 'deaf' | 'mute' | 'close-greeted' | 'bad-uptime' }
  | { readonly kind: 'other-network' | 'ping-often' }

/** Settings for the start of a validator. */
export type ValidatorOptions = {
  readonly certificatePem: string
  readonly keyPem: string
  readonly secret: Uint8Array
  readonly behaviour: Behaviour
  readonly networkId?: number
  /** Seconds by which its clock differs from ours. */
  readonly clockAhead?: number
  /** What it says, and the least that it takes of others. */
  readonly version?: readonly [number, number, number]
  readonly gossip?: readonly ClaimedAddress[]
  readonly delayMs?: number
  /** Answers questions about blocks; absent: in silence. */
  readonly blocks?: (question: BlockQuestionMessage, to: Answering) => void
  /** Signatures made before, by message in hex: a bench measures the asker, not the signers. */
  readonly presigned?: ReadonlyMap<string, Uint8Array>
}

/** Where answers about blocks go. */
export type Answering = {
  readonly send: (message: PeerMessage) => void
  readonly socket: TLSSocket
}

/** A running validator and what happened to it. */
export type Validator = {
  readonly nodeId: string
  readonly port: number
  readonly publicKey: Uint8Array
  readonly requests: () => number
  readonly connections: () => number
  /** Pings that it answered. */
  readonly pings: () => number
  readonly handshakes: readonly Handshake[]
  readonly refusals: readonly string[]
  readonly setBehaviour: (behaviour: Behaviour) => void
  readonly close: () => Promise<void>
}

/** The claim that a validator signs about its address on this machine. */
export function claimOf(
  { certificatePem, keyPem }: Pick<ValidatorOptions, 'certificatePem' | 'keyPem'>,
  port: number,
  timestamp = 1_700_000_000n,
): ClaimedAddress {
  const ip = parseIp('127.0.0.1')
  return {
    certificate: new X509Certificate(certificatePem).raw,
    ip,
    port,
    timestamp,
    signature: signBytes('sha256', signedAddressBytes(ip, port, timestamp), keyPem),
  }
}

/** Starts a validator on a free port of this machine. */
export async function startValidator(options: ValidatorOptions): Promise<Validator> {
  const secretKey = native.SecretKey.fromBytes(options.secret)
  // Also those that never end their handshake: the server would wait for them for ever.
  const sockets = new Set<Socket>()
  const state = {
    behaviour: options.behaviour,
    requests: 0,
    connections: 0,
    pings: 0,
    handshakes: [] as Handshake[],
    refusals: [] as string[],
  }
  const server = createServer({
    key: options.keyPem,
    cert: options.certificatePem,
    minVersion: 'TLSv1.3',
    requestCert: true,
    rejectUnauthorized: false,
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('secureConnection', (socket) => {
    sockets.add(socket)
    state.connections++
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    serve(socket, options, state, secretKey)
  })
  server.on('tlsClientError', (_, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // `listen` on a port always gives an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    nodeId: nodeIdOf(new X509Certificate(options.certificatePem).raw),
    port,
    publicKey: secretKey.toPublicKey().toBytes(true),
    requests: () => state.requests,
    connections: () => state.connections,
    pings: () => state.pings,
    handshakes: state.handshakes,
    refusals: state.refusals,
    setBehaviour: (behaviour) => {
      state.behaviour = behaviour
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

type State = {
  behaviour: Behaviour
  requests: number
  pings: number
  handshakes: Handshake[]
  refusals: string[]
}

function serve(
  socket: TLSSocket,
  options: ValidatorOptions,
  state: State,
  secretKey: InstanceType<typeof native.SecretKey>,
): void {
  const frames = new FrameReader()
  const send = (message: PeerMessage): void =>
    void socket.write(frameOf(encodePeerMessage(message)))
  let greeted = false
  const presigned = options.presigned ?? new Map<string, Uint8Array>()
  if (state.behaviour.kind === 'mute') return
  const handshake = ownHandshake(options, state.behaviour)
  if (state.behaviour.kind === 'close-greeted') {
    send(handshake)
    socket.end()
    return
  }
  send(handshake)
  if (state.behaviour.kind === 'deaf') socket.pause()
  socket.on('data', (chunk: Uint8Array) => {
    for (const bytes of frames.push(chunk)) {
      const message = decodePeerMessage(bytes)
      if (message.kind === 'handshake') {
        const problem = greeted ? 'second handshake' : problemOf(message, socket, options)
        if (problem !== undefined) {
          state.refusals.push(problem)
          socket.destroy()
          return
        }
        greeted = true
        state.handshakes.push(message)
        send({ kind: 'peer-list', peers: unknownOf(options.gossip, message.knownPeers) })
        misbehaveAfterGreeting(state.behaviour, send, handshake)
      } else if (message.kind === 'ping') {
        state.pings++
        send({ kind: 'pong' })
      } else if (message.kind === 'get-peer-list') {
        send({ kind: 'peer-list', peers: unknownOf(options.gossip, message.knownPeers) })
      } else if (greeted && asksBlocks(message)) options.blocks?.(message, { send, socket })
      else if (message.kind === 'app-request' && greeted) {
        state.requests++
        if (isShutOut(socket, message.chainId, state.behaviour)) continue
        setTimeout(() => {
          if (!socket.destroyed) answer(socket, message, state, { secretKey, presigned })
        }, options.delayMs ?? 0)
      }
    }
  })
}

/**
 * Returns whether a node would drop a question because of its asker. Source: subnets/subnet.go
 * IsAllowed.
 */
function isShutOut(socket: TLSSocket, chainId: Uint8Array, behaviour: Behaviour): boolean {
  if (behaviour.kind !== 'private' || chainId.every((byte) => byte === 0)) return false
  const certificate = socket.getPeerX509Certificate()?.raw
  return certificate === undefined || !behaviour.allowed.includes(nodeIdOf(certificate))
}

/** Claims that the asker's filter does not have. Source: avalanchego utils/bloom/read_filter.go. */
function unknownOf(
  claims: readonly ClaimedAddress[] = [],
  { filter, salt }: KnownPeers,
): ClaimedAddress[] {
  const view = new DataView(filter.buffer, filter.byteOffset)
  const hashes = filter[0]!
  const entries = filter.subarray(1 + 8 * hashes)
  const u64 = (value: bigint): bigint => BigInt.asUintN(64, value)
  return claims.filter(({ certificate, timestamp }) => {
    const id = gossipId(parseNodeId(nodeIdOf(certificate)), timestamp)
    let hash = createHash('sha256').update(id).update(salt).digest().readBigUInt64BE()
    for (let at = 0; at < hashes; at++) {
      hash = u64(hash << 17n) | (hash >> 47n)
      hash ^= view.getBigUint64(1 + 8 * at)
      const index = Number(hash % BigInt(8 * entries.length))
      if ((entries[index >> 3]! & (1 << (index & 7))) === 0) return true
    }
    return false
  })
}

function ownHandshake(
  options: ValidatorOptions,
  behaviour: Behaviour,
): { kind: 'handshake' } & Handshake {
  const [major, minor, patch] = options.version ?? [1, 14, 2]
  return {
    kind: 'handshake',
    networkId: behaviour.kind === 'other-network' ? 54_321 : (options.networkId ?? 12_345),
    time: nowOf(options),
    ip: new Uint8Array(16),
    port: 9651,
    upgradeTime: 1_761_750_000n,
    addressTime: 0n,
    tlsSignature: new Uint8Array(),
    blsSignature: new Uint8Array(),
    tracked: [],
    client: { name: 'avalanchego', major, minor, patch },
    knownPeers: { filter: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0), salt: new Uint8Array(32) },
    allSubnets: false,
  }
}

function nowOf({ clockAhead = 0 }: ValidatorOptions): bigint {
  return BigInt(Math.floor(Date.now() / 1000) + clockAhead)
}

/** Why a node would close: the checks of network/peer/peer.go handleHandshake. */
function problemOf(
  handshake: Handshake,
  socket: TLSSocket,
  options: ValidatorOptions,
): string | undefined {
  const now = nowOf(options)
  const skew = handshake.time > now ? handshake.time - now : now - handshake.time
  if (handshake.networkId !== (options.networkId ?? 12_345)) return 'network'
  if (skew > 60n) return 'clock'
  const { major, minor, patch } = handshake.client
  if (compareVersions([major, minor, patch], options.version ?? [1, 14, 0]) < 0) return 'version'
  if (handshake.port === 0) return 'port'
  if (handshake.addressTime > now + 60n) return 'address time'
  const { filter, salt } = handshake.knownPeers
  const hashes = filter[0] ?? 0
  if (hashes < 1 || hashes > 16 || filter.length < 2 + 8 * hashes || salt.length > 32)
    return 'bloom'
  const certificate = socket.getPeerX509Certificate()?.raw
  const key = certificate === undefined ? undefined : acceptedKey(certificate)
  if (key === undefined) return 'certificate'
  const bytes = signedAddressBytes(handshake.ip, handshake.port, handshake.addressTime)
  if (!verifyCertified(key, bytes, handshake.tlsSignature)) return 'TLS signature'
  try {
    native.Signature.fromBytes(handshake.blsSignature, true)
  } catch {
    return 'BLS signature'
  }
  return undefined
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < 3; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function misbehaveAfterGreeting(
  { kind }: Behaviour,
  send: (message: PeerMessage) => void,
  handshake: PeerMessage,
): void {
  if (kind === 'pong') send({ kind: 'pong' })
  if (kind === 'greet-twice') send(handshake)
  if (kind === 'bad-uptime') send({ kind: 'ping', uptime: 101 })
  if (kind === 'ping-often') for (let at = 0; at < 100; at++) send({ kind: 'ping', uptime: 1 })
}

function answer(
  socket: TLSSocket,
  request: Extract<PeerMessage, { kind: 'app-request' }>,
  state: State,
  keys: {
    readonly secretKey: InstanceType<typeof native.SecretKey>
    readonly presigned: ReadonlyMap<string, Uint8Array>
  },
): void {
  const { chainId, requestId } = request
  const { behaviour } = state
  const { message } = decodeSignatureRequest(request.appBytes)
  const response = (signature: Uint8Array): Uint8Array =>
    encodePeerMessage({
      kind: 'app-response',
      chainId,
      requestId,
      appBytes: encodeSignatureResponse(signature),
    })
  const refuse = (code: number, text: string): void => {
    const bytes = encodePeerMessage({ kind: 'app-error', chainId, requestId, code, message: text })
    socket.write(frameOf(bytes))
  }
  const signed = (): Uint8Array =>
    response(keys.presigned.get(toHex(message)) ?? keys.secretKey.sign(message).toBytes(true))
  const compressed = (bytes: Uint8Array): Uint8Array =>
    frameOf(encodePeerMessage({ kind: 'compressed', bytes: zstdCompressSync(bytes) }))
  switch (behaviour.kind) {
    case 'sign':
    case 'private':
    case 'ping-often':
      return void socket.write(frameOf(signed()))
    case 'sign-compressed':
      return void socket.write(compressed(signed()))
    case 'sign-bytewise':
      for (const byte of frameOf(signed())) socket.write(Uint8Array.of(byte))
      return
    case 'sign-other': {
      const other = keys.secretKey.sign(Uint8Array.of(...message, 1)).toBytes(true)
      return void socket.write(frameOf(response(other)))
    }
    case 'sign-unasked': {
      const appBytes = encodeSignatureResponse(keys.secretKey.sign(message).toBytes(true))
      const unasked = {
        kind: 'app-response',
        chainId,
        requestId: requestId + 1_000,
        appBytes,
      } as const
      return void socket.write(frameOf(encodePeerMessage(unasked)))
    }
    case 'sign-too-late':
      return void setTimeout(() => {
        if (!socket.destroyed) socket.write(frameOf(signed()))
      }, tooLateMs)
    case 'sign-slowly':
      return void setTimeout(() => socket.write(frameOf(signed())), 300)
    case 'refuse':
      return refuse(behaviour.code, behaviour.text ?? 'refused')
    case 'refuse-first':
      if (state.requests === 1) return refuse(behaviour.code, 'not yet')
      return void socket.write(frameOf(signed()))
    case 'answer':
      return void socket.write(frameOf(response(behaviour.signature)))
    case 'sign-with': {
      const other = native.SecretKey.fromBytes(behaviour.secret)
      return void socket.write(frameOf(response(other.sign(message).toBytes(true))))
    }
    case 'drop':
      return void socket.destroy()
    case 'unreadable':
      return void socket.write(frameOf(Uint8Array.of(0xff, 0xff, 0xff)))
    case 'babble':
      for (let sent = 0; sent < 9; sent++) socket.write(frameOf(Uint8Array.of(0xff, 0xff, 0xff)))
      return
    case 'bomb':
      return void socket.write(compressed(new Uint8Array(64 * 1024 * 1024)))
    case 'oversize':
      return void socket.write(Uint8Array.of(0, 0x20, 0, 1))
    case 'trickle': {
      const drip = setInterval(() => {
        if (socket.destroyed) clearInterval(drip)
        else socket.write(Uint8Array.of(0))
      }, 20)
      socket.write(Uint8Array.of(0, 0x10, 0, 0))
      return
    }
    case 'flood':
      // Gossip nobody asked for, 10,000 messages at once.
      return void socket.write(Buffer.concat(Array.from({ length: 10_000 }, () => gossip)))
    default:
      return
  }
}

/** Longer than any request of a test is waited for. */
const tooLateMs = 1_200

/** A frame with an app gossip of one byte. */
const gossip = frameOf(Uint8Array.of(0x82, 0x02, 1, 0))
