/** A format later than the product's, made up so that conversions of real stores can be tested. */

import type { Statement } from '../src/store/engine/database.ts'
import { type Migration, migrations } from '../src/store/engine/format.ts'
import { address, transfer } from '../src/store/schema/evm.ts'

const changes = [
  'alter table address add column trial integer',
  'update address set trial = id * 2',
  'create index address_by_trial on address (trial)',
  'delete from balance',
  'update address set trial = trial + 1',
]

/** Statements of the made-up format. */
export const laterSteps = changes.length

/** The product's migrations and one more. `asked` is called before a statement is given away. */
export function laterMigrations(asked: (index: number) => void = () => {}): Migration[] {
  const statements = changes.map((sql, index): Statement => {
    const give = (): string => {
      asked(index)
      return sql
    }
    return {
      get sqlite() {
        return give()
      },
      get postgres() {
        return give()
      },
      bigints: false,
      unsummed: true,
    }
  })
  return [...migrations, { name: 'trial', tables: [address, transfer], statements }]
}
