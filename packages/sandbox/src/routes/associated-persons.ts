// Operations on the people of a business.
import { addPerson, personOf, removePerson, updatePerson } from '../associated-persons.ts'
import { customerById } from '../customer-record.ts'
import type { Call, Operation } from '../operations.ts'
import { renderPerson } from '../person-record.ts'
import type { World } from '../world.ts'

const collection = '/customers/:customerID/associated_persons'
const item = `${collection}/:associatedPersonID`

const pathOf = ({ param }: Call): [customerId: string, personId: string] => [
  param('customerID'),
  param('associatedPersonID'),
]

export const associatedPersonOperations = (world: World): Operation[] => [
  {
    method: 'GET',
    path: collection,
    run: ({ param }) => ({
      data: customerById(world, param('customerID')).persons.map((person) => renderPerson(world, person)),
    }),
  },
  {
    method: 'POST',
    path: collection,
    status: 201,
    run: ({ param, body }) => renderPerson(world, addPerson(world, param('customerID'), body)),
  },
  { method: 'GET', path: item, run: (call) => renderPerson(world, personOf(world, ...pathOf(call))) },
  { method: 'PUT', path: item, run: (call) => renderPerson(world, updatePerson(world, ...pathOf(call), call.body)) },
  { method: 'DELETE', path: item, run: (call) => renderPerson(world, removePerson(world, ...pathOf(call))) },
]
