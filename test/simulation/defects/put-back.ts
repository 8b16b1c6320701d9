/**
 * Puts past defects back into the product as it is loaded, each behind a switch.
 *
 * Only modules that are loaded after this one are changed: import what is to have them later.
 * Without a switch the product is what it is.
 */

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

import { pastDefects, type PastDefect, type Place } from './past-defects.ts'

const root = new URL('../../../', import.meta.url)
const switchName = 'firnPastDefect'

/** Turns one defect on; none without a name. */
export function switchOn(name: string | undefined): void {
  Reflect.set(globalThis, switchName, name)
}

/** Begins to change what is loaded. */
export function putBack(): void {
  registerHooks({
    load: (url, context, next) => {
      const places = placesIn(url)
      if (places.length === 0) return next(url, context)
      let source = readFileSync(fileURLToPath(url), 'utf8')
      for (const { defect, place } of places) source = changed(source, defect, place)
      return { format: 'module-typescript', source, shortCircuit: true }
    },
  })
}

function placesIn(url: string): { readonly defect: PastDefect; readonly place: Place }[] {
  return pastDefects.flatMap((defect) =>
    defect.places
      .filter(({ file }) => new URL(file, root).href === url)
      .map((place) => ({ defect, place })),
  )
}

/** `source` with both ways in it. */
function changed(source: string, { name }: PastDefect, { is, both, file }: Place): string {
  if (source.split(is).length !== 2)
    throw new Error(`${file} does not hold this once, for the defect "${name}": ${is}`)
  const isOn = `(globalThis as { ${switchName}?: string }).${switchName} === ${JSON.stringify(name)}`
  return source.replace(is, () => both.replaceAll('$on', `(${isOn})`))
}
