import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import { isLoopback } from '../../core/web-request.ts'

/** Checks the setting `reader.host` against `reader.token`. Throws `bad-config`. */
export function checkReader(config: Config): void {
  if (!isLoopback(config['reader.host']) && config['reader.token'] === '')
    throw new Fault('bad-config', 'reader.host is not loopback: reader.token must be set')
}
