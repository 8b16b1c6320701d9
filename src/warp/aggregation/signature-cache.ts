/** Signatures that arrived and were not found wrong, so that nobody is asked twice for one. */

/** 10,000 messages, and 262,144 signatures of some 250 bytes: 64 MiB. */
const maxMessages = 10_000
const maxSignatures = 262_144

/**
 * A signature. One that is not `proven` was verified inside a sum only; it must be proven before it
 * becomes part of another sum.
 */
export type KeptSignature = { readonly signature: Uint8Array; readonly proven: boolean }

/**
 * Signatures by message id and key. A message least recently used goes first, with all of its own.
 *
 * The key is the whole compressed key with its flags: two keys may share the rest.
 */
export class SignatureCache {
  readonly #messages = new Map<string, Map<string, KeptSignature>>()
  #size = 0

  get(messageHex: string, keyHex: string): KeptSignature | undefined {
    return this.#messages.get(messageHex)?.get(keyHex)
  }

  /** Forgets a signature that was found wrong. */
  drop(messageHex: string, keyHex: string): void {
    const signatures = this.#messages.get(messageHex)
    if (signatures?.delete(keyHex) === true) this.#size--
    if (signatures?.size === 0) this.#messages.delete(messageHex)
  }

  put(messageHex: string, keyHex: string, kept: KeptSignature): void {
    const signatures = this.#messages.get(messageHex) ?? new Map<string, KeptSignature>()
    this.#messages.delete(messageHex)
    this.#messages.set(messageHex, signatures)
    if (!signatures.has(keyHex)) this.#size++
    signatures.set(keyHex, kept)
    for (const [oldest, dropped] of this.#messages) {
      if (this.#messages.size <= maxMessages && this.#size <= maxSignatures) return
      if (oldest === messageHex) return
      this.#messages.delete(oldest)
      this.#size -= dropped.size
    }
  }
}
