/**
 * A real Chromium: `TEST_CHROMIUM`, else the one the system has (Debian's package `chromium`).
 * Where there is none the tests are skipped, visibly, but fail where `CI` is `true`.
 */

import { existsSync } from 'node:fs'

import { chromium, type Browser } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Its program, or `undefined` where there is none. In CI it must be there. */
export function chromiumProgram(): string | undefined {
  const named = process.env['TEST_CHROMIUM']
  const found = named ?? places.find((place) => existsSync(place))
  if (found === undefined && process.env['CI'] === 'true') throw new Error('there is no Chromium')
  return found
}

/** Starts it without a window. */
export function openChromium(program: string): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    // Chromium's sandbox refuses to run as root, as containers of tests do. The second spares /dev/shm.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage'],
  })
}
