/** `firn verify --recording`: stores against what the nodes of their recordings answered. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { runCommand } from '../support/processes/firn-command.ts'
import { freshFolder, indexedFolder } from '../support/processes/firn-process.ts'

void test('verify --recording: what its nodes answered is there, and a change is found', async (t) => {
  const dataDir = await indexedFolder(t)
  const verify = (): ReturnType<typeof runCommand> =>
    runCommand('verify', '--recording', '--data-dir', dataDir)
  const same = await verify()
  assert.equal(same.code, 0, same.stdout + same.stderr)
  assert.match(same.stdout, /^Primary network, primary-fuji\nheights: P \d+, X \d+, C \d+$/m)
  for (const kind of ['P UTXOs', 'X UTXOs', 'current validators', 'P transactions'])
    assert.match(same.stdout, new RegExp(`^${kind} +[1-9]\\d*$`, 'm'))
  assert.match(same.stdout, /^differences: 0$/m)

  const file = new DatabaseSync(join(dataDir, 'primary-fuji.sqlite'))
  const { changes } = file.prepare('delete from blockchain').run()
  file.close()
  assert.ok(Number(changes) > 0)
  const changed = await verify()
  assert.equal(changed.code, 1)
  assert.match(changed.stdout, /^DIFFERENCE .*: ours .*, node /m)
})

void test('verify --recording: where nothing is indexed it says so', async (t) => {
  const none = await runCommand('verify', '--recording', '--data-dir', await freshFolder(t))
  assert.equal(none.code, 1)
  assert.match(none.stderr, /^firn: nothing is indexed here: /)
})
