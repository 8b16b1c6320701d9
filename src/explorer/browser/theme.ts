/** Light or dark: as the system has it, or as the reader chose. The browser keeps the choice. */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const keyName = 'firn-theme'

/** Themes and their signs. The first leaves the choice to the system. */
const themes = [
  ['system', '◐'],
  ['light', '☀'],
  ['dark', '☾'],
] as const

/** A button that goes from one theme to the next. */
export function ThemeSwitch(): JSX.Element {
  const [chosen, choose] = useState(stored)
  const at = Math.max(
    0,
    themes.findIndex(([name]) => name === chosen),
  )
  const [name, sign] = themes[at] ?? themes[0]
  const [next] = themes[(at + 1) % themes.length] ?? themes[0]
  useEffect(() => {
    document.documentElement.dataset['theme'] = name
    // Charts have their colours painted in.
    dispatchEvent(new Event('themechange'))
  }, [name])
  const change = (): void => {
    choose(next)
    try {
      localStorage.setItem(keyName, next)
    } catch {
      // A browser that keeps nothing: it holds until the page is loaded again.
    }
  }
  return h(
    'button',
    {
      type: 'button',
      class: 'theme',
      onClick: change,
      title: `theme: ${name}`,
      'aria-label': `theme: ${name}; change to ${next}`,
    },
    sign,
  )
}

function stored(): string {
  try {
    return localStorage.getItem(keyName) ?? 'system'
  } catch {
    return 'system'
  }
}
