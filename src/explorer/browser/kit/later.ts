/** Pages whose script is loaded when somebody opens them. */

import { h, type ComponentType, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { failed, shown } from './parts.ts'

/** A component that `load` gives when it is first drawn; until then a sign that it is on its way. */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
): (props: P) => JSX.Element {
  let loaded: ComponentType<P> | undefined
  return (props) => {
    const [part, set] = useState(() => loaded)
    const [isFailed, fail] = useState(false)
    useEffect(() => {
      if (part !== undefined) return
      load().then(
        (one) => {
          loaded = one
          set(() => one)
        },
        () => fail(true),
      )
    }, [part])
    if (part !== undefined) return h(part, props)
    const failure = { status: 0, message: 'The script of this page did not come. Load it again.' }
    return h('div', null, isFailed ? failed(failure) : shown({}, () => null))
  }
}
