import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readConfig } from '../../config/read-config.ts'
import { createLog } from '../../telemetry/log.ts'
import { openFilesLimit, withinOpenFiles } from './open-files.ts'

void test('open files: connections are as many as half of the limit allows, and one sentence says so', () => {
  const said: string[] = []
  const log = createLog(
    ({ event }) => said.push(event),
    () => undefined,
  )
  const { config } = readConfig({ flags: {}, environment: {} })
  const connections = (limit: number | undefined): number =>
    withinOpenFiles(config, limit, log)['api.maxConnections']
  assert.equal(connections(undefined), 4_096)
  assert.equal(connections(8_192), 4_096)
  assert.equal(said.length, 0)
  assert.equal(connections(1_024), 512)
  assert.equal(said.length, 1)
  assert.match(said[0] ?? '', /^the limit of open files allows fewer connections/)
})

void test('open files: the limit is the one the system gives', () => {
  const limit = openFilesLimit()
  if (process.platform === 'linux') assert.ok(limit !== undefined && limit > 0)
})
