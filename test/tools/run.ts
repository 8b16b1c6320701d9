/** Installs the tools, where they are not, and runs the tests that hold Firn to them: `npm run test:tools`. */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
if (!existsSync(join(folder, 'node_modules')))
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' })
const python = join(folder, 'node_modules/.python')
if (!existsSync(python)) {
  execFileSync('python3', ['-m', 'venv', python], { stdio: 'inherit' })
  const wanted = ['install', '--quiet', '--requirement', join(folder, 'requirements.txt')]
  execFileSync(join(python, 'bin/pip'), wanted, { stdio: 'inherit' })
}
for (const version of ['0.3.9', '0.3.10', '0.4.3']) {
  const vyper = join(folder, 'node_modules/.vyper', `vyper-${version}`)
  if (existsSync(join(vyper, 'bin/vyper-json'))) continue
  execFileSync('python3', ['-m', 'venv', vyper], { stdio: 'inherit' })
  const wanted = ['install', '--quiet', `vyper==${version}`]
  execFileSync(join(vyper, 'bin/pip'), wanted, { stdio: 'inherit' })
}
execFileSync(process.execPath, ['--test', '--test-reporter=spec', join(folder, '*.tools.ts')], {
  cwd: join(folder, '../..'),
  stdio: 'inherit',
})
