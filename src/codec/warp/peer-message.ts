/**
 * Messages between nodes: those that a requester of signatures or of blocks sends or reads. Everything else a
 * node says, consensus above all, decodes to `other` and is nobody's concern here.
 *
 * Source: avalanchego proto/p2p/p2p.proto, message/messages.go.
 */

import { Fault } from '../../core/fault.ts'
import { type ClaimedAddress, toIp16 } from './peer-address.ts'
import { fromZigzag, ProtobufReader, ProtobufWriter } from './protobuf.ts'

/** The peers that the sender knows already: a bloom filter and its salt. */
export type KnownPeers = { readonly filter: Uint8Array; readonly salt: Uint8Array }

/**
 * First message of each side.
 *
 * - `time`, `upgradeTime`, `addressTime`: Unix seconds
 * - `version`: major, minor, patch
 * - `tracked`: at most 16 subnet ids; the primary network is meant by itself
 */
export type Handshake = {
  readonly networkId: number
  readonly time: bigint
  readonly ip: Uint8Array
  readonly port: number
  readonly upgradeTime: bigint
  readonly addressTime: bigint
  readonly tlsSignature: Uint8Array
  readonly blsSignature: Uint8Array
  readonly tracked: readonly Uint8Array[]
  readonly client: string
  readonly version: readonly [number, number, number]
  readonly knownPeers: KnownPeers
  readonly allSubnets: boolean
}

/** Where an app message belongs: chain, and a number the requester chose. */
type AppPlace = { readonly chainId: Uint8Array; readonly requestId: number }

/** Questions about a chain's blocks, and how each is answered. */
export const blockAnswers = {
  /** The last accepted block, of which the answer names one. */
  'get-accepted-frontier': 'accepted-frontier',
  /** Those of the ids that are accepted, in any order. */
  'get-accepted': 'accepted',
  /** The block with this id, then its parent and so on; none where the id is unknown. */
  'get-ancestors': 'ancestors',
  /** The block with this id; no answer where it is unknown. */
  get: 'put',
} as const

/** Kind of a question about blocks. */
export type BlockQuestion = keyof typeof blockAnswers
/** Kind of an answer with blocks or ids. */
export type BlockAnswer = (typeof blockAnswers)[BlockQuestion]

/** One message. `deadlineNs` is a duration; 0 would expire at once. */
export type PeerMessage =
  | { readonly kind: 'ping'; readonly uptime: number }
  | { readonly kind: 'pong' }
  | ({ readonly kind: 'handshake' } & Handshake)
  | { readonly kind: 'peer-list'; readonly peers: readonly ClaimedAddress[] }
  | {
      readonly kind: 'get-peer-list'
      readonly knownPeers: KnownPeers
      readonly allSubnets: boolean
    }
  | ({
      readonly kind: 'app-request'
      readonly deadlineNs: bigint
      readonly appBytes: Uint8Array
    } & AppPlace)
  | ({ readonly kind: 'app-response'; readonly appBytes: Uint8Array } & AppPlace)
  | ({ readonly kind: 'app-error'; readonly code: number; readonly message: string } & AppPlace)
  | ({
      readonly kind: BlockQuestion
      readonly deadlineNs: bigint
      readonly ids: readonly Uint8Array[]
    } & AppPlace)
  | ({ readonly kind: BlockAnswer; readonly items: readonly Uint8Array[] } & AppPlace)
  | { readonly kind: 'compressed'; readonly bytes: Uint8Array }
  | { readonly kind: 'other'; readonly field: number }

const fieldOf = {
  compressed: 2,
  ping: 11,
  pong: 12,
  handshake: 13,
  'peer-list': 14,
  'get-accepted-frontier': 19,
  'accepted-frontier': 20,
  'get-accepted': 21,
  accepted: 22,
  'get-ancestors': 23,
  ancestors: 24,
  get: 25,
  put: 26,
  'app-request': 30,
  'app-response': 31,
  'app-error': 34,
  'get-peer-list': 35,
} as const

/** Entries one peer list may have; a node sends 15, and 64 leave it room to send more. */
const maxPeerListEntries = 64
const maxTrackedSubnets = 16
/** Blocks in one answer. Source: avalanchego snow/engine, AncestorsMaxContainersReceived. */
const maxItems = 2_000
/** `ENGINE_TYPE_CHAIN`. */
const chainEngine = 2
const text = { encoder: new TextEncoder(), decoder: new TextDecoder() }

/** Bytes of a message, without the length before it. */
export function encodePeerMessage(message: PeerMessage): Uint8Array {
  if (message.kind === 'other') throw new Fault('bad-bytes', `not a message: ${message.field}`)
  return new ProtobufWriter().message(fieldOf[message.kind], encodeBody(message)).finish()
}

// One case for each kind of message.
// oxlint-disable-next-line complexity -- see above
function encodeBody(message: Exclude<PeerMessage, { kind: 'other' }>): Uint8Array {
  const writer = new ProtobufWriter()
  switch (message.kind) {
    case 'ping':
      return writer.number(1, message.uptime).finish()
    case 'pong':
      return writer.finish()
    case 'handshake':
      return encodeHandshake(message)
    case 'peer-list':
      for (const peer of message.peers) writer.message(1, encodeClaim(peer))
      return writer.finish()
    case 'get-peer-list':
      return writer.message(1, encodeKnown(message.knownPeers)).flag(2, message.allSubnets).finish()
    case 'app-request':
      return writer
        .bytes(1, message.chainId)
        .number(2, message.requestId)
        .number(3, message.deadlineNs)
        .bytes(4, message.appBytes)
        .finish()
    case 'app-response':
      return writer
        .bytes(1, message.chainId)
        .number(2, message.requestId)
        .bytes(3, message.appBytes)
        .finish()
    case 'app-error':
      return writer
        .bytes(1, message.chainId)
        .number(2, message.requestId)
        .s32(3, message.code)
        .bytes(4, text.encoder.encode(message.message))
        .finish()
    case 'get-accepted-frontier':
    case 'get-accepted':
    case 'get-ancestors':
    case 'get':
      writer.bytes(1, message.chainId).number(2, message.requestId).number(3, message.deadlineNs)
      for (const id of message.ids) writer.message(4, id)
      if (message.kind === 'get-ancestors') writer.number(5, chainEngine)
      return writer.finish()
    case 'accepted-frontier':
    case 'accepted':
    case 'ancestors':
    case 'put':
      writer.bytes(1, message.chainId).number(2, message.requestId)
      for (const item of message.items) writer.message(3, item)
      return writer.finish()
    case 'compressed':
      return message.bytes
  }
}

function encodeHandshake(handshake: Handshake): Uint8Array {
  const [major, minor, patch] = handshake.version
  const client = new ProtobufWriter()
    .bytes(1, text.encoder.encode(handshake.client))
    .number(2, major)
    .number(3, minor)
    .number(4, patch)
    .finish()
  const writer = new ProtobufWriter()
    .number(1, handshake.networkId)
    .number(2, handshake.time)
    .bytes(3, handshake.ip)
    .number(4, handshake.port)
    .number(5, handshake.upgradeTime)
    .number(6, handshake.addressTime)
    .bytes(7, handshake.tlsSignature)
  for (const subnetId of handshake.tracked) writer.message(8, subnetId)
  return writer
    .message(9, client)
    .message(12, encodeKnown(handshake.knownPeers))
    .bytes(13, handshake.blsSignature)
    .flag(14, handshake.allSubnets)
    .finish()
}

function encodeKnown(known: KnownPeers): Uint8Array {
  return new ProtobufWriter().bytes(1, known.filter).bytes(2, known.salt).finish()
}

function encodeClaim(claim: ClaimedAddress): Uint8Array {
  return new ProtobufWriter()
    .bytes(1, claim.certificate)
    .bytes(2, claim.ip)
    .number(3, claim.port)
    .number(4, claim.timestamp)
    .bytes(5, claim.signature)
    .finish()
}

/**
 * Reads a message. Byte fields are views on `bytes`, except those of claims. Throws `bad-bytes`.
 *
 * Of several members of the one-of the last counts, as in every protobuf library.
 */
export function decodePeerMessage(bytes: Uint8Array): PeerMessage {
  const reader = new ProtobufReader(bytes)
  let message: PeerMessage = { kind: 'other', field: 0 }
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    const decodeBody = bodyOf[field]
    if (decodeBody !== undefined) message = decodeBody(reader.bytes())
    else {
      reader.skip()
      message = { kind: 'other', field }
    }
  }
  return message
}

const bodyOf: Readonly<Record<number, Body>> = {
  [fieldOf.compressed]: (bytes) => ({ kind: 'compressed', bytes }),
  [fieldOf.ping]: (bytes) => {
    let uptime = 0
    eachField(bytes, (field, reader) => {
      if (field === 1) uptime = reader.u32()
      else reader.skip()
    })
    return { kind: 'ping', uptime }
  },
  [fieldOf.pong]: () => ({ kind: 'pong' }),
  [fieldOf.handshake]: (bytes) => ({ kind: 'handshake', ...decodeHandshake(bytes) }),
  [fieldOf['peer-list']]: (bytes) => {
    const peers: ClaimedAddress[] = []
    eachField(bytes, (field, reader) => {
      if (field !== 1) return reader.skip()
      if (peers.length >= maxPeerListEntries) {
        throw new Fault('bad-bytes', `peer list has more than ${maxPeerListEntries} entries`)
      }
      peers.push(decodeClaim(reader.bytes()))
    })
    return { kind: 'peer-list', peers }
  },
  [fieldOf['get-peer-list']]: (bytes) => {
    let knownPeers: KnownPeers = { filter: new Uint8Array(), salt: new Uint8Array() }
    let allSubnets = false
    eachField(bytes, (field, reader) => {
      if (field === 1) knownPeers = decodeKnown(reader.bytes())
      else if (field === 2) allSubnets = reader.u32() !== 0
      else reader.skip()
    })
    return { kind: 'get-peer-list', knownPeers, allSubnets }
  },
  [fieldOf['get-accepted-frontier']]: questionBody('get-accepted-frontier'),
  [fieldOf['accepted-frontier']]: answerBody('accepted-frontier'),
  [fieldOf['get-accepted']]: questionBody('get-accepted'),
  [fieldOf.accepted]: answerBody('accepted'),
  [fieldOf['get-ancestors']]: questionBody('get-ancestors'),
  [fieldOf.ancestors]: answerBody('ancestors'),
  [fieldOf.get]: questionBody('get'),
  [fieldOf.put]: answerBody('put'),
  [fieldOf['app-request']]: (bytes) => {
    const app = decodeApp(bytes, { number: 3, body: 4 })
    return { kind: 'app-request', ...app.place, deadlineNs: app.number, appBytes: app.body }
  },
  [fieldOf['app-response']]: (bytes) => {
    const app = decodeApp(bytes, { number: 0, body: 3 })
    return { kind: 'app-response', ...app.place, appBytes: app.body }
  },
  [fieldOf['app-error']]: (bytes) => {
    const app = decodeApp(bytes, { number: 3, body: 4 })
    const message = text.decoder.decode(app.body)
    return { kind: 'app-error', ...app.place, code: fromZigzag(app.number), message }
  },
}

type Body = (bytes: Uint8Array) => PeerMessage

function questionBody(kind: BlockQuestion): Body {
  return (bytes) => {
    const { place, number, items } = decodeItems(bytes, 4)
    return { kind, ...place, deadlineNs: number, ids: items }
  }
}

function answerBody(kind: BlockAnswer): Body {
  return (bytes) => {
    const { place, items } = decodeItems(bytes, 3)
    return { kind, ...place, items }
  }
}

/** Messages about blocks differ in the field of their ids or blocks alone. */
function decodeItems(
  bytes: Uint8Array,
  itemField: 3 | 4,
): { place: AppPlace; number: bigint; items: Uint8Array[] } {
  let chainId: Uint8Array = new Uint8Array()
  let requestId = 0
  let number = 0n
  const items: Uint8Array[] = []
  eachField(bytes, (field, reader) => {
    if (field === 1) chainId = reader.bytes()
    else if (field === 2) requestId = reader.u32()
    else if (field === itemField) {
      if (items.length >= maxItems) throw new Fault('bad-bytes', `more than ${maxItems} blocks`)
      items.push(reader.bytes())
    } else if (field === 3) number = reader.u64()
    else reader.skip()
  })
  return { place: { chainId, requestId }, number, items }
}

function eachField(
  bytes: Uint8Array,
  visit: (field: number, reader: ProtobufReader) => void,
): void {
  const reader = new ProtobufReader(bytes)
  for (let field = reader.next(); field !== 0; field = reader.next()) visit(field, reader)
}

/** The three app messages differ only in the fields after chain and request id. */
function decodeApp(
  bytes: Uint8Array,
  fields: { readonly number: number; readonly body: number },
): { place: AppPlace; number: bigint; body: Uint8Array } {
  let chainId: Uint8Array = new Uint8Array()
  let requestId = 0
  let number = 0n
  let body: Uint8Array = new Uint8Array()
  eachField(bytes, (field, reader) => {
    if (field === 1) chainId = reader.bytes()
    else if (field === 2) requestId = reader.u32()
    else if (field === fields.number) number = reader.u64()
    else if (field === fields.body) body = reader.bytes()
    else reader.skip()
  })
  return { place: { chainId, requestId }, number, body }
}

function decodeHandshake(bytes: Uint8Array): Handshake {
  const numbers: bigint[] = []
  const strings: Uint8Array[] = []
  const tracked: Uint8Array[] = []
  let app: { client: string; version: readonly [number, number, number] } | undefined
  let knownPeers: KnownPeers = { filter: new Uint8Array(), salt: new Uint8Array() }
  eachField(bytes, (field, reader) => {
    if ([1, 2, 4, 5, 6, 14].includes(field)) numbers[field] = reader.u64()
    else if ([3, 7, 13].includes(field)) strings[field] = reader.bytes()
    else if (field === 8) pushTracked(tracked, reader.bytes())
    else if (field === 9) app = decodeClient(reader.bytes())
    else if (field === 12) knownPeers = decodeKnown(reader.bytes())
    else reader.skip()
  })
  return {
    networkId: Number(numbers[1] ?? 0n),
    time: numbers[2] ?? 0n,
    ip: toIp16(strings[3] ?? new Uint8Array()),
    port: Number((numbers[4] ?? 0n) & 0xffffn),
    upgradeTime: numbers[5] ?? 0n,
    addressTime: numbers[6] ?? 0n,
    tlsSignature: strings[7] ?? new Uint8Array(),
    blsSignature: strings[13] ?? new Uint8Array(),
    tracked,
    client: app?.client ?? '',
    version: app?.version ?? [0, 0, 0],
    knownPeers,
    allSubnets: (numbers[14] ?? 0n) !== 0n,
  }
}

function pushTracked(tracked: Uint8Array[], subnetId: Uint8Array): void {
  if (subnetId.length !== 32 || tracked.length >= maxTrackedSubnets) {
    throw new Fault('bad-bytes', `handshake: bad list of tracked subnets: ${tracked.length}`)
  }
  tracked.push(subnetId)
}

function decodeClient(bytes: Uint8Array): {
  client: string
  version: readonly [number, number, number]
} {
  let client = ''
  const version: [number, number, number] = [0, 0, 0]
  eachField(bytes, (field, reader) => {
    if (field === 1) client = text.decoder.decode(reader.bytes())
    else if (field === 2) version[0] = reader.u32()
    else if (field === 3) version[1] = reader.u32()
    else if (field === 4) version[2] = reader.u32()
    else reader.skip()
  })
  return { client, version }
}

function decodeKnown(bytes: Uint8Array): KnownPeers {
  let filter: Uint8Array = new Uint8Array()
  let salt: Uint8Array = new Uint8Array()
  eachField(bytes, (field, reader) => {
    if (field === 1) filter = reader.bytes()
    else if (field === 2) salt = reader.bytes()
    else reader.skip()
  })
  return { filter, salt }
}

function decodeClaim(bytes: Uint8Array): ClaimedAddress {
  const parts: Uint8Array[] = []
  let port = 0
  let timestamp = 0n
  eachField(bytes, (field, reader) => {
    if (field === 1 || field === 2 || field === 5) parts[field] = Uint8Array.from(reader.bytes())
    else if (field === 3) port = reader.u32() & 0xffff
    else if (field === 4) timestamp = reader.u64()
    else reader.skip()
  })
  return {
    certificate: parts[1] ?? new Uint8Array(),
    ip: toIp16(parts[2] ?? new Uint8Array()),
    port,
    timestamp,
    signature: parts[5] ?? new Uint8Array(),
  }
}
