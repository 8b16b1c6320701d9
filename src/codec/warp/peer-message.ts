/**
 * Messages between nodes: those that a requester of signatures or of blocks sends or reads. Everything else a
 * node says, consensus above all, decodes to `other` and is nobody's concern here.
 *
 * Source: avalanchego proto/p2p/p2p.proto, message/messages.go.
 */

import { concatBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { toIp16 } from './peer-address.ts'
import {
  bytes,
  flag,
  listOf,
  listOfBytes,
  type Message,
  message,
  nested,
  ownBytes,
  ProtobufReader,
  ProtobufWriter,
  type RecordOf,
  s32,
  text,
  u32,
  u64,
} from './protobuf.ts'

/** Entries one peer list may have; a node sends 15, and 64 leave it room to send more. */
const maxPeerListEntries = 64
const maxTrackedSubnets = 16
/** Blocks in one answer. Source: avalanchego snow/engine, AncestorsMaxContainersReceived. */
const maxItems = 2_000
/** `ENGINE_TYPE_CHAIN`, the field `engine_type` of a request for ancestors. */
const chainEngine = new ProtobufWriter().number(5, 2).finish()

/** The peers that the sender knows already: a bloom filter and its salt. */
const knownPeers = message({ filter: [1, bytes], salt: [2, bytes] })
export type KnownPeers = RecordOf<typeof knownPeers>

const subnetId: Message<Uint8Array> = {
  encode: (id) => id,
  decode: (id) => {
    if (id.length !== 32) throw new Fault('bad-bytes', `not a subnet id: ${id.length} bytes`)
    return id
  },
}

/** `inner`, whose address is read into the form of `ClaimedAddress`. */
function reachable<T extends { readonly ip: Uint8Array; readonly port: number }>(
  inner: Message<T>,
): Message<T> {
  return {
    encode: inner.encode,
    decode: (encoded) => {
      const record = inner.decode(encoded)
      return { ...record, ip: toIp16(record.ip), port: record.port & 0xffff }
    },
  }
}

/** An address that a node claims; it outlives the message. See `ClaimedAddress`. */
const claim = reachable(
  message({
    certificate: [1, ownBytes],
    ip: [2, bytes],
    port: [3, u32],
    timestamp: [4, u64],
    signature: [5, ownBytes],
  }),
)

/**
 * First message of each side.
 *
 * - `time`, `upgradeTime`, `addressTime`: Unix seconds
 * - `tracked`: at most 16 subnet ids; the primary network is meant by itself
 */
const handshake = reachable(
  message({
    networkId: [1, u32],
    time: [2, u64],
    ip: [3, bytes],
    port: [4, u32],
    upgradeTime: [5, u64],
    addressTime: [6, u64],
    tlsSignature: [7, bytes],
    tracked: [8, listOf(subnetId, maxTrackedSubnets)],
    client: [
      9,
      nested(message({ name: [1, text], major: [2, u32], minor: [3, u32], patch: [4, u32] })),
    ],
    knownPeers: [12, nested(knownPeers)],
    blsSignature: [13, bytes],
    allSubnets: [14, flag],
  }),
)
export type Handshake = RecordOf<typeof handshake>

/** Where a message belongs: chain, and a number the requester chose. */
const place = { chainId: [1, bytes], requestId: [2, u32] } as const
/** A duration; 0 would expire at once. */
const deadlineNs = [3, u64] as const

const blockQuestion = message({ ...place, deadlineNs, ids: [4, listOfBytes(maxItems)] })
const ancestorsQuestion: typeof blockQuestion = {
  ...blockQuestion,
  encode: (question) => concatBytes(blockQuestion.encode(question), chainEngine),
}
const blockAnswer = message({ ...place, items: [3, listOfBytes(maxItems)] })

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

const compressed: Message<{ readonly bytes: Uint8Array }> = {
  encode: (record) => record.bytes,
  decode: (encoded) => ({ bytes: encoded }),
}

/** Each kind: its field in a message, and its body. */
const kinds = {
  compressed: [2, compressed],
  ping: [11, message({ uptime: [1, u32] })],
  pong: [12, message({})],
  handshake: [13, handshake],
  'peer-list': [14, message({ peers: [1, listOf(claim, maxPeerListEntries)] })],
  'get-accepted-frontier': [19, blockQuestion],
  'accepted-frontier': [20, blockAnswer],
  'get-accepted': [21, blockQuestion],
  accepted: [22, blockAnswer],
  'get-ancestors': [23, ancestorsQuestion],
  ancestors: [24, blockAnswer],
  get: [25, blockQuestion],
  put: [26, blockAnswer],
  'app-request': [30, message({ ...place, deadlineNs, appBytes: [4, bytes] })],
  'app-response': [31, message({ ...place, appBytes: [3, bytes] })],
  'app-error': [34, message({ ...place, code: [3, s32], message: [4, text] })],
  'get-peer-list': [35, message({ knownPeers: [1, nested(knownPeers)], allSubnets: [2, flag] })],
} as const

type Kinds = typeof kinds

/** One message. */
export type PeerMessage =
  | { [K in keyof Kinds]: { readonly kind: K } & RecordOf<Kinds[K][1]> }[keyof Kinds]
  | { readonly kind: 'other'; readonly field: number }

const kindOfField = new Map<number, { readonly kind: string; readonly body: Message<object> }>(
  Object.entries(kinds).map(([kind, [field, body]]) => [field, { kind, body }]),
)

/** Bytes of a message, without the length before it. */
export function encodePeerMessage(sent: PeerMessage): Uint8Array {
  if (sent.kind === 'other') throw new Fault('bad-bytes', `not a message: ${sent.field}`)
  const [field, body]: readonly [number, Message<unknown>] = kinds[sent.kind]
  return new ProtobufWriter().bytes(field, body.encode(sent)).finish()
}

/**
 * Reads a message. Byte fields are views on `encoded`, except those of claims. Throws `bad-bytes`.
 *
 * Of several members of the one-of the last counts, as in every protobuf library.
 */
export function decodePeerMessage(encoded: Uint8Array): PeerMessage {
  const reader = new ProtobufReader(encoded)
  let found: unknown = { kind: 'other', field: 0 }
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    const known = kindOfField.get(field)
    if (known === undefined) {
      reader.skip()
      found = { kind: 'other', field }
    } else found = { kind: known.kind, ...known.body.decode(reader.bytes()) }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a kind with the record of its body
  return found as PeerMessage
}
