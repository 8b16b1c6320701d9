/**
 * The hosts and web pages that the data API answers. It is apart from the API because
 * `check-config.ts` needs it.
 */

import { corsPolicy } from '../../api/server/front/cors.ts'
import type { WebRules } from '../../api/server/front/request-checks.ts'
import type { Config } from '../../config/settings.ts'
import { isLoopback } from '../../core/web-request.ts'

/** The settings `api.allowedHosts` and `api.cors`. Throws `bad-config`. */
export function webRules(config: Config): WebRules {
  const host = config['api.host']
  const names = config['api.allowedHosts']
  // A name that leads to a public address is no secret: it need not be known here.
  const isOpen = !isLoopback(host) && names.length === 0
  return {
    allowedHosts: isOpen ? ['*'] : ['localhost', ...names],
    cors: corsPolicy(config['api.cors'], host),
  }
}
