/**
 * A VM plugin for Firn: decodes blocks of xsvm, the example virtual machine of AvalancheGo.
 *
 * Copy it into the plugin folder under the VM id as its name (the name `xsvm`, padded with zeros to
 * 32 bytes, in cb58: `v3m4wPxaHpvGr8qfMeyK6PRW3idZrPHmYcMTt7oXdK47yurVH.mjs`), call
 * `admin.loadVMs`, and chains of this VM are served decoded at `/ext/bc/<chain>/blocks/latest` and
 * `/ext/bc/<chain>/blocks/<blockId>`.
 *
 * A plugin does no input or output: `request` says what to ask the node, `decode` reads its answer.
 * Source of the format: avalanchego vms/example/xsvm/block/block.go, vms/example/xsvm/tx.
 */

import { createHash } from 'node:crypto'

/** The plugin. @type {import('../../src/admin/plugin.ts').VmPlugin} */
export const vm = {
  apiVersion: 1,
  name: 'xsvm',
  version: '1.0.0',
  aliases: ['xsvm'],
  createDecoder: () => ({ request, decode }),
}

function request(block) {
  const method = block === 'latest' ? 'xsvm.lastAccepted' : 'xsvm.block'
  const params = block === 'latest' ? {} : { blockID: block }
  return { extension: '', body: { jsonrpc: '2.0', id: 1, method, params } }
}

function decode(answer) {
  const text = answer?.result?.blockBytes
  if (typeof text !== 'string' || text === '') throw new Error('the node has no such block')
  return readBlock(Buffer.from(text, 'base64'))
}

function readBlock(bytes) {
  const cursor = new Cursor(bytes)
  if (cursor.u16() !== 0) throw new Error('unknown codec version')
  const parentId = cursor.id()
  const timestamp = Number(cursor.u64())
  const height = Number(cursor.u64())
  const transactions = Array.from({ length: cursor.count() }, () => readTransaction(cursor))
  cursor.end()
  return { id: toCb58(sha256(bytes)), parentId, height, timestamp, transactions }
}

function readTransaction(cursor) {
  const from = cursor.at
  const typeId = cursor.u32()
  const kind = kinds[typeId]
  if (kind === undefined) throw new Error(`unknown transaction type: ${typeId}`)
  const fields = {}
  for (const [name, read] of kind.fields) fields[name] = read(cursor)
  fields.signature = cursor.take(65).toString('hex')
  // The id is over the transaction as it was sent: with a codec version before it.
  const id = sha256(Buffer.concat([Buffer.of(0, 0), cursor.bytes.subarray(from, cursor.at)]))
  return { id: toCb58(id), type: kind.type, fields }
}

// 64-bit numbers are texts: JSON numbers lose their last digits.
const id = (cursor) => cursor.id()
const u64 = (cursor) => cursor.u64().toString()
const flag = (cursor) => cursor.u8() === 1
const address = (cursor) => toCb58(cursor.take(20))
const bytes = (cursor) => cursor.take(cursor.count()).toString('hex')

/** Transactions by type id: their fields in the order of their bytes. */
const kinds = [
  {
    type: 'transfer',
    fields: [
      ['chainId', id],
      ['nonce', u64],
      ['maxFee', u64],
      ['assetId', id],
      ['amount', u64],
      ['to', address],
    ],
  },
  {
    type: 'export',
    fields: [
      ['chainId', id],
      ['nonce', u64],
      ['maxFee', u64],
      ['peerChainId', id],
      ['isReturn', flag],
      ['amount', u64],
      ['to', address],
    ],
  },
  {
    type: 'import',
    fields: [
      ['nonce', u64],
      ['maxFee', u64],
      ['message', bytes],
    ],
  },
]

/** Reads big-endian values one after the other; never beyond the end. */
class Cursor {
  constructor(bytes) {
    this.bytes = bytes
    this.at = 0
  }

  take(size) {
    const until = this.at + size
    if (until > this.bytes.length) throw new Error(`block ends too early: ${this.bytes.length}`)
    const part = this.bytes.subarray(this.at, until)
    this.at = until
    return part
  }

  u8() {
    return this.take(1)[0]
  }

  u16() {
    return this.take(2).readUInt16BE()
  }

  u32() {
    return this.take(4).readUInt32BE()
  }

  u64() {
    return this.take(8).readBigUInt64BE()
  }

  id() {
    return toCb58(this.take(32))
  }

  /** A length; more than the bytes that are left is a lie. */
  count() {
    const count = this.u32()
    if (count > this.bytes.length - this.at) throw new Error(`length beyond the block: ${count}`)
    return count
  }

  end() {
    if (this.at !== this.bytes.length) throw new Error('bytes left over')
  }
}

function sha256(data) {
  return createHash('sha256').update(data).digest()
}

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** base58 with a checksum, the text form of ids. */
function toCb58(data) {
  const all = Buffer.concat([data, sha256(data).subarray(28)])
  let value = BigInt(`0x${all.toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = digits[Number(value % 58n)] + text
  for (let at = 0; at < all.length && all[at] === 0; at++) text = `1${text}`
  return text
}
