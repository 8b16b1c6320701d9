/** The names that differ most in what an object does with them; the others in `test/long`. */

import { test } from 'node:test'

import { demoFirn } from './demo-firn.ts'
import { sendNames } from './hostile-names.ts'

void test('names of Object.prototype: no parameter of any operation makes a 500', async () => {
  await sendNames(await demoFirn(), ['__proto__', 'constructor', 'toString', 'length'])
})
