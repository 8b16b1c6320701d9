/** Signatures that were verified, so that nobody is asked twice for one. */

/** 10,000 messages, and 262,144 signatures of some 250 bytes: 64 MiB. */
const maxMessages = 10_000
const maxSignatures = 262_144

/**
 * Signatures by message id and key. A message least recently used goes first, with all of its own.
 *
 * The key is the whole compressed key with its flags: two keys may share the rest.
 */
export class SignatureCache {
  readonly #messages = new Map<string, Map<string, Uint8Array>>()
  #size = 0

  get(messageHex: string, keyHex: string): Uint8Array | undefined {
    return this.#messages.get(messageHex)?.get(keyHex)
  }

  put(messageHex: string, keyHex: string, signature: Uint8Array): void {
    const signatures = this.#messages.get(messageHex) ?? new Map<string, Uint8Array>()
    this.#messages.delete(messageHex)
    this.#messages.set(messageHex, signatures)
    if (!signatures.has(keyHex)) this.#size++
    signatures.set(keyHex, signature)
    for (const [oldest, dropped] of this.#messages) {
      if (this.#messages.size <= maxMessages && this.#size <= maxSignatures) return
      if (oldest === messageHex) return
      this.#messages.delete(oldest)
      this.#size -= dropped.size
    }
  }
}
