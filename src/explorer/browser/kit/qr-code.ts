/** A text as a QR code, drawn when somebody asks. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import { qrOf } from './qr.ts'

// Light modules around it, as readers need them.
const margin = 4

/** The code behind a word; nothing for a text that is too long. */
export function QrCode({ text }: { readonly text: string }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false)
  const modules = isOpen ? qrOf(text) : undefined
  return h(
    'details',
    {
      class: 'qr',
      onToggle: (event: Event) =>
        event.currentTarget instanceof HTMLDetailsElement && setOpen(event.currentTarget.open),
    },
    [h('summary', null, 'QR code'), modules && drawn(modules, text)],
  )
}

function drawn(modules: readonly (readonly boolean[])[], text: string): JSX.Element {
  const whole = modules.length + 2 * margin
  const path = modules.flatMap((line, row) =>
    line.flatMap((dark, column) => (dark ? `M${column + margin} ${row + margin}h1v1h-1z` : [])),
  )
  return h(
    'svg',
    {
      viewBox: `0 0 ${whole} ${whole}`,
      width: 185,
      height: 185,
      role: 'img',
      'aria-label': `QR code of ${text}`,
      'shape-rendering': 'crispEdges',
    },
    [
      h('rect', { width: whole, height: whole, fill: '#fff' }),
      h('path', { d: path.join(''), fill: '#000' }),
    ],
  )
}
