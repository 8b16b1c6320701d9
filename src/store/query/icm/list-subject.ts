/** Keys of the lists of messages. */

import { concatBytes } from '../../../core/bytes.ts'

/** Subject of a list. */
export type ListSubject =
  | { readonly kind: 'address' | 'sender' | 'recipient'; readonly address: Uint8Array }
  | { readonly kind: 'blockchain' | 'source' | 'destination'; readonly blockchainId: Uint8Array }
  | { readonly kind: 'all' }

const letters = {
  address: 'a',
  sender: 'f',
  recipient: 't',
  blockchain: 'b',
  source: 's',
  destination: 'd',
  all: '*',
} as const

/** Key of one list. */
export function listKey(subject: ListSubject): Uint8Array {
  const letter = Uint8Array.of(letters[subject.kind].charCodeAt(0))
  if ('address' in subject) return concatBytes(letter, subject.address)
  return 'blockchainId' in subject ? concatBytes(letter, subject.blockchainId) : letter
}

/** Keys of every list a message is in, each once. */
export function listSubjects(message: {
  readonly sender: Uint8Array
  readonly recipient: Uint8Array
  readonly sourceId: Uint8Array
  readonly destinationId: Uint8Array
}): Uint8Array[] {
  const { sender, recipient, sourceId, destinationId } = message
  const keys = [
    listKey({ kind: 'all' }),
    listKey({ kind: 'address', address: sender }),
    listKey({ kind: 'address', address: recipient }),
    listKey({ kind: 'sender', address: sender }),
    listKey({ kind: 'recipient', address: recipient }),
    listKey({ kind: 'blockchain', blockchainId: sourceId }),
    listKey({ kind: 'blockchain', blockchainId: destinationId }),
    listKey({ kind: 'source', blockchainId: sourceId }),
    listKey({ kind: 'destination', blockchainId: destinationId }),
  ]
  return [...new Map(keys.map((key) => [String(key), key])).values()]
}
