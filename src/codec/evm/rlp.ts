/** RLP, the encoding of everything EVM chains hash. Source: Ethereum yellow paper, appendix B. */

/** A byte string, or a list of items. */
export type Rlp = Uint8Array | readonly Rlp[]

/** Encodes an item. */
export function encodeRlp(item: Rlp): Uint8Array {
  const out = new Uint8Array(sizeOf(item))
  write(item, out, 0)
  return out
}

/** A list whose items are encoded already. */
export function encodeRlpList(items: readonly Uint8Array[]): Uint8Array {
  let content = 0
  for (const item of items) content += item.length
  const out = new Uint8Array(headSize(content) + content)
  let at = writeHead(out, 0, { content, base: 0xc0 })
  for (const item of items) {
    out.set(item, at)
    at += item.length
  }
  return out
}

function contentSize(item: Rlp): number {
  if (item instanceof Uint8Array) return item.length
  let size = 0
  for (const part of item) size += sizeOf(part)
  return size
}

function sizeOf(item: Rlp): number {
  if (item instanceof Uint8Array && item.length === 1 && (item[0] ?? 0) < 0x80) return 1
  const content = contentSize(item)
  return headSize(content) + content
}

function headSize(content: number): number {
  return content < 56 ? 1 : 1 + bytesOf(content)
}

function bytesOf(size: number): number {
  return size < 0x100 ? 1 : size < 0x1_0000 ? 2 : size < 0x100_0000 ? 3 : 4
}

function write(item: Rlp, out: Uint8Array, from: number): number {
  if (item instanceof Uint8Array) {
    const single = item.length === 1 && (item[0] ?? 0) < 0x80
    const at = single ? from : writeHead(out, from, { content: item.length, base: 0x80 })
    out.set(item, at)
    return at + item.length
  }
  let at = writeHead(out, from, { content: contentSize(item), base: 0xc0 })
  for (const part of item) at = write(part, out, at)
  return at
}

function writeHead(
  out: Uint8Array,
  from: number,
  of: { readonly content: number; readonly base: number },
): number {
  const { content, base } = of
  if (content < 56) {
    out[from] = base + content
    return from + 1
  }
  const size = bytesOf(content)
  out[from] = base + 55 + size
  for (let at = 0; at < size; at++) out[from + 1 + at] = content >>> (8 * (size - 1 - at))
  return from + 1 + size
}
