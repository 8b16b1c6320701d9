/**
 * The conformance suite of the Model Context Protocol against `/mcp`, in two revisions.
 *
 * It asks for tools of its own, which are added here, and is told what Firn does not offer: it fails where one of
 * these passes, too.
 */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

import type { McpServer } from '@modelcontextprotocol/server'

import { mountMcp } from '../../src/api/mcp/mount-mcp.ts'
import { corsPolicy } from '../../src/api/server/front/cors.ts'
import { usualLoadLimits } from '../../src/api/server/front/load-limits.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { startCounted } from '../support/nodes/counted-server.ts'
import { freshFolder, run } from '../support/processes/firn-process.ts'

const { resolve } = createRequire(import.meta.url)
const program = join(
  dirname(resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)
const bytes = Buffer.from('any bytes').toString('base64')
const text = { type: 'text', text: 'This is a simple text response for testing.' } as const
const image = { type: 'image', data: bytes, mimeType: 'image/png' } as const
const resource = {
  type: 'resource',
  resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'an embedded resource' },
} as const

/** Source: the suite's scenarios `tools-call-…`. */
function addFixtures(server: McpServer): void {
  const about = { description: 'of the conformance suite' }
  server.registerTool('test_simple_text', about, () => ({ content: [text] }))
  server.registerTool('test_image_content', about, () => ({ content: [image] }))
  server.registerTool('test_audio_content', about, () => ({
    content: [{ type: 'audio', data: bytes, mimeType: 'audio/wav' }],
  }))
  server.registerTool('test_embedded_resource', about, () => ({ content: [resource] }))
  server.registerTool('test_multiple_content_types', about, () => ({
    content: [text, image, resource],
  }))
  server.registerTool('test_error_handling', about, () => ({
    content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
    isError: true,
  }))
}

/** Neither prompts nor resources, completion, or calls that report how far they are. */
const notOffered = [
  'completion-complete',
  'tools-call-with-progress',
  ...['list', 'read-text', 'read-binary', 'templates-read'].map((part) => `resources-${part}`),
  ...['list', 'get-simple', 'get-with-args', 'get-embedded-resource', 'get-with-image'].map(
    (part) => `prompts-${part}`,
  ),
]

/** Revisions, and scenarios or checks of each that Firn does not offer besides. */
const revisions: readonly (readonly [words: readonly string[], besides: readonly string[]])[] = [
  [
    ['--requirements', '2026-07-28'],
    [
      'sep-2164-resource-not-found',
      ...['prompts-list', 'resources-list', 'resources-templates-list'].map(
        (list) => `caching:sep-2549-${list}-caching-hints`,
      ),
      // No tool asks the model's user for more, and none logs to the client.
      ...[
        'basic-elicitation',
        'basic-sampling',
        'basic-list-roots',
        'request-state',
        'multiple-input-requests',
        'multi-round',
        'missing-input-response',
        'result-type',
        'non-tool-request',
        'tampered-state',
        'capability-check',
        'ignore-extra-params',
      ].map((part) => `input-required-result-${part}`),
      // No subscriptions.
      ...[
        'server-rejects-undeclared-capability',
        'missing-capability-http-400',
        'http-server-no-independent-requests-on-stream',
        'server-no-log-without-loglevel',
        'server-sends-subscription-ack',
        'server-tags-subscription-id',
      ].map((check) => `server-stateless:sep-2575-${check}`),
    ],
  ],
  [
    ['--spec-version', '2025-11-25'],
    [
      // Without sessions a stream has none.
      'server-sse-multiple-streams',
      'logging-set-level',
      'resources-subscribe',
      'resources-unsubscribe',
      ...['with-logging', 'sampling', 'elicitation'].map((part) => `tools-call-${part}`),
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
    ],
  ],
]

for (const [revision, besides] of revisions)
  void test(`mcp: the conformance suite, ${revision.join(' ')}`, async (t) => {
    const { url } = await startCounted(t, {
      load: usualLoadLimits,
      web: { allowedHosts: ['localhost'], cors: corsPolicy([], '127.0.0.1') },
      mount: (http) => mountMcp(http, 'test', silentLog, addFixtures),
    })
    const folder = await freshFolder(t)
    const baseline = join(folder, 'baseline.yml')
    await writeFile(baseline, JSON.stringify({ server: [...notOffered, ...besides] }))
    const words = ['server', '--url', `${url}/mcp`, ...revision, '--expected-failures', baseline]
    const { code, stdout, stderr } = await run(process.execPath, [program, ...words, '-o', folder])
    const summary = stdout.slice(stdout.indexOf('=== SUMMARY ==='))
    assert.equal(code, 0, summary + stderr.slice(-1_000))
    const passed = /Total: (\d+) passed/.exec(summary)?.[1]
    assert.ok(Number(passed) >= 40, summary)
  })
