/** The explorer in the words of its operator, as the document has them. */

import type { Brand } from '../../brand.ts'

const told: unknown = JSON.parse(
  (typeof document === 'undefined'
    ? null
    : document.querySelector<HTMLMetaElement>('meta[name=brand]')
  )?.content ?? '{}',
)

/** Firn's own where the document tells none, as in tests. */
export const brand: Brand = {
  title: 'Firn',
  description: '',
  home: [],
  links: [],
  logo: '',
  ...Object(told),
}
