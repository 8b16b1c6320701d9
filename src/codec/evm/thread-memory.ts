/**
 * Memory in which a thread reads and proves blocks, one after the other. It is shared by all chains
 * of the thread, since each would grow it to its largest block. Of blocks nothing in it outlives
 * the synchronous call that wrote it, except for the room itself.
 */

import { once } from '../../core/once.ts'
import { HashMemory } from './hash-memory.ts'
import { RlpWriter } from './rlp-writer.ts'
import { TextMemory } from './text-memory.ts'
import { TrieShapes } from './trie-shape.ts'

/** Memory of more than this is given back after the block that took it. */
const mostKeptBytes = 16 * 1024 * 1024

const kept = once(() => ({ writer: new RlpWriter(new HashMemory()) }))

/** This thread's text of a reply, with what is hashed of it. */
export const threadText: () => TextMemory = once(() => new TextMemory())

/** This thread's shapes of tries, which all chains have alike. */
export const threadShapes: () => TrieShapes = once(() => new TrieShapes())

/** This thread's writer, empty: for one root at a time. */
export function threadWriter(): RlpWriter {
  const memory = kept()
  if (memory.writer.memory.bytes.length > mostKeptBytes)
    memory.writer = new RlpWriter(new HashMemory())
  memory.writer.clear()
  return memory.writer
}
