/** The fault of a row of a copied history that is not the one that the node's block makes. */

import { Fault } from '../../../core/fault.ts'

/** Longest text of a row that is shown. */
const mostShown = 300

/**
 * Throws `source-mismatch` for the first row in which the copy and the node differ; its detail names block and
 * table. Rows are texts that begin with their height.
 */
export function compareTexts(
  table: string,
  copied: readonly string[],
  told: readonly string[],
): void {
  for (let at = 0; at < Math.max(copied.length, told.length); at++) {
    const [own, wanted] = [copied[at], told[at]]
    if (own === wanted) continue
    const height = Number.parseInt(wanted ?? own ?? '', 10)
    const texts = `copied ${shown(own)}, from the node ${shown(wanted)}`
    throw differs(`block ${height}, ${table}: ${texts}`, { height, table })
  }
}

/** The fault of a difference; its detail names `table`. */
export function differs(
  what: string,
  detail: { readonly height?: number; readonly table: string },
): Fault {
  return new Fault('source-mismatch', `the copied history is not that of the chain: ${what}`, {
    detail,
  })
}

function shown(text: string | undefined): string {
  if (text === undefined) return 'no row'
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`
}
