/** Attributes of NFTs as strangers write them. */

import { visible } from '../kit/format.ts'

/** `[{ trait_type, value }]` or an object as pairs; nothing for other texts. */
export function attributesOf(text: string | undefined): (readonly [string, string])[] {
  const plain = (value: unknown): string =>
    visible(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 200)
  try {
    const given: unknown = JSON.parse(text ?? '')
    if (typeof given !== 'object' || given === null) return []
    if (!Array.isArray(given))
      return Object.entries(given).map(([name, value]) => [plain(name), plain(value)])
    return given.flatMap((one: unknown) =>
      typeof one === 'object' && one !== null && 'trait_type' in one && 'value' in one
        ? [[plain(one.trait_type), plain(one.value)] as const]
        : [],
    )
  } catch {
    // Metadata is the text of strangers: what is no JSON has no attributes.
    return []
  }
}
