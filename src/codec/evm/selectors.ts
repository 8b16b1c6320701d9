/**
 * Lists of method signatures as text: the bundled `data/selectors.txt`, and the operator's file.
 *
 * One or more signatures a line; what follows a `#` is a comment. A dump of a public signature
 * collection may have the selector before the signature (`0xa9059cbb transfer(address,uint256)`):
 * it is recognised and not needed.
 */

/** A signature as Solidity canonicalises it: a name and types without spaces. */
const signatureForm = /^[A-Za-z_$][\w$]*\([\w$,()[\]]*\)$/

/** Longest signature taken. The longest of known contracts have some 600 characters. */
const maxLength = 2_000

/** Signatures of `text` in order; words that are none are left out. */
export function parseSignatures(text: string): string[] {
  const found: string[] = []
  for (const line of text.split('\n'))
    for (const word of (line.split('#', 1)[0] ?? '').split(/[\s;]+/))
      if (word.length <= maxLength && signatureForm.test(word)) found.push(word)
  return found
}
