/** Every name that plain objects have, in every place that takes a text. */

import { test } from 'node:test'

import { demoFirn } from '../demo/demo-firn.ts'
import { hostileNames, sendNames } from '../demo/hostile-names.ts'

void test('names of Object.prototype: none makes a 500, in any parameter', async () => {
  await sendNames(await demoFirn(), hostileNames)
})
